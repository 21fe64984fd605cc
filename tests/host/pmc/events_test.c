/*
 * The event table of pmc/netburst/event.h: against the model's decoding of ESCRs in both directions, against
 * the map, and against rows typed by hand from pmu-rules 4.
 */
#include <string.h>
#include "tests/host/support/host_test.h"
#include "pmc/netburst/event.h"
#include "pmc/netburst/map.h"
#include "sim/netburst/event_table.h"
#include "sim/netburst/nbpmu.h"

static const struct pmc_event *event_named(const char *name)
{
    for (unsigned i = 0; i < PMC_EVENTS; i++)
        if (strcmp(PMC_EVENT[i].name, name) == 0)
            return &PMC_EVENT[i];
    fail_msg("no event %s", name);
    return NULL;
}

/* ---- Both tables say the same: each programming that the model understands is one of the table, and the
 * table has no other ---- */

TEST(what_the_model_understands_the_table_has)
{
    unsigned found = 0;
    for (unsigned e = 0; e < PMC_ESCRS; e++) {
        for (unsigned select = 0; select < 64; select++) {
            enum nbpmu_event event = nbpmu_event_of(PMC_ESCR[e].msr, select);
            if (event == NBPMU_NO_EVENT)
                continue;
            const struct pmc_event *row = event_named(nbpmu_event_name(event));
            assert_int_equal(row->select, select);
            assert_int_equal(row->escr[PMC_ESCR[e].side], PMC_ESCR[e].msr);
            assert_int_equal(row->members, nbpmu_event_info(event)->members);
            found++;
        }
    }
    unsigned rows = 0;
    for (unsigned i = 0; i < PMC_EVENTS; i++)
        rows += (PMC_EVENT[i].escr[0] != 0) + (PMC_EVENT[i].escr[1] != 0);
    assert_int_equal(found, rows);
}

/* The identifiers of both sides mean the same event. */
/* clang-format off */

static const struct {
    enum pmc_event_id here;
    enum nbpmu_event there;
} IDENTIFIERS[] = {
#define BOTH(id) { EVENT_##id, NBPMU_##id }
    BOTH(BPU_FETCH_REQUEST), BOTH(ITLB_REFERENCE), BOTH(MOB_LOAD_REPLAY), BOTH(PAGE_WALK_TYPE),
    BOTH(BSQ_CACHE_REFERENCE), BOTH(IOQ_ALLOCATION), BOTH(IOQ_ACTIVE_ENTRIES), BOTH(FSB_DATA_ACTIVITY),
    BOTH(BSQ_ALLOCATION), BOTH(BSQ_ACTIVE_ENTRIES), BOTH(GLOBAL_POWER_EVENTS), BOTH(B2B_CYCLES), BOTH(BNR),
    BOTH(SNOOP), BOTH(RESPONSE), BOTH(TC_DELIVER_MODE), BOTH(TC_MISC), BOTH(TC_MS_XFER),
    BOTH(UOP_QUEUE_WRITES), BOTH(RETIRED_BRANCH_TYPE), BOTH(RETIRED_MISPRED_BRANCH_TYPE),
    BOTH(MEMORY_CANCEL), BOTH(WC_BUFFER), BOTH(MEMORY_COMPLETE), BOTH(LOAD_PORT_REPLAY),
    BOTH(STORE_PORT_REPLAY), BOTH(SSE_INPUT_ASSIST), BOTH(PACKED_SP_UOP), BOTH(PACKED_DP_UOP),
    BOTH(SCALAR_SP_UOP), BOTH(SCALAR_DP_UOP), BOTH(64BIT_MMX_UOP), BOTH(128BIT_MMX_UOP), BOTH(X87_FP_UOP),
    BOTH(X87_SIMD_MOVES_UOP), BOTH(RESOURCE_STALL), BOTH(UOP_TYPE), BOTH(UOPS_RETIRED), BOTH(INSTR_RETIRED),
    BOTH(MISPRED_BRANCH_RETIRED), BOTH(INSTR_COMPLETED), BOTH(MACHINE_CLEAR), BOTH(X87_ASSIST),
    BOTH(BRANCH_RETIRED), BOTH(FRONT_END_EVENT), BOTH(REPLAY_EVENT), BOTH(EXECUTION_EVENT),
#undef BOTH
};

/* clang-format on */

TEST(identifiers_match)
{
    assert_int_equal(COUNT_OF(IDENTIFIERS), PMC_EVENTS);
    for (size_t i = 0; i < COUNT_OF(IDENTIFIERS); i++)
        assert_string_equal(PMC_EVENT[IDENTIFIERS[i].here].name, nbpmu_event_name(IDENTIFIERS[i].there));
}

/* ---- Laws ---- */

/* pmu-rules 3.4: the ESCR bits recorded on 0F43H can hold every documented event of their unit. */
TEST(f43_can_store_every_documented_programming)
{
    for (unsigned i = 0; i < PMC_EVENTS; i++) {
        for (unsigned side = 0; side < 2; side++) {
            const struct pmc_escr *escr = pmc_escr_at(PMC_EVENT[i].escr[side]);
            uint64_t value = ESCR_EVENT_SELECT(PMC_EVENT[i].select) | ESCR_T0_ALL | ESCR_T1_ALL;
            value |= ESCR_EVENT_MASK(PMC_EVENT[i].members & ~PMC_EVENT[i].only_19_34);
            if (escr && (value & ~(uint64_t)escr->f43_mask))
                fail_msg("%s on %s", PMC_EVENT[i].name, escr->name);
        }
    }
}

/* ---- By hand, from pmu-rules 4: what neither the model's table nor libpfm4's (pfm_test.c) has ---- */

TEST(thread_and_class)
{
    static const struct {
        enum pmc_event_id id;
        char of[3]; /* specific to a logical processor or independent of it, and the class */
    } TYPED[] = {
        {EVENT_BPU_FETCH_REQUEST, "SV"},   {EVENT_PAGE_WALK_TYPE, "IV"},
        {EVENT_BSQ_CACHE_REFERENCE, "S-"}, {EVENT_IOQ_ALLOCATION, "SN"},
        {EVENT_IOQ_ACTIVE_ENTRIES, "S-"},  {EVENT_BSQ_ALLOCATION, "S-"},
        {EVENT_BSQ_ACTIVE_ENTRIES, "S-"},  {EVENT_GLOBAL_POWER_EVENTS, "SR"},
        {EVENT_B2B_CYCLES, "?-"},          {EVENT_RESPONSE, "?-"},
        {EVENT_TC_DELIVER_MODE, "I-"},     {EVENT_TC_MISC, "SV"},
        {EVENT_RETIRED_BRANCH_TYPE, "SN"}, {EVENT_WC_BUFFER, "I-"},
        {EVENT_MEMORY_COMPLETE, "SN"},     {EVENT_SSE_INPUT_ASSIST, "I-"},
        {EVENT_SCALAR_DP_UOP, "IN"},       {EVENT_X87_SIMD_MOVES_UOP, "I-"},
        {EVENT_RESOURCE_STALL, "S-"},      {EVENT_UOP_TYPE, "S-"},
        {EVENT_UOPS_RETIRED, "S-"},        {EVENT_INSTR_RETIRED, "SX"},
        {EVENT_INSTR_COMPLETED, "SX"},     {EVENT_MACHINE_CLEAR, "SN"},
        {EVENT_BRANCH_RETIRED, "SX"},      {EVENT_EXECUTION_EVENT, "S-"},
    };
    for (size_t i = 0; i < COUNT_OF(TYPED); i++) {
        const struct pmc_event *e = &PMC_EVENT[TYPED[i].id];
        if (e->thread != TYPED[i].of[0] || e->class != TYPED[i].of[1])
            fail_msg("%s: %c%c", e->name, e->thread, e->class);
    }
}

/* pmu-rules 1.1 and Table 19-30: instr_completed on models 3, 4, 6; the rest on all there are. */
TEST(models_members_and_selects)
{
    for (unsigned i = 0; i < PMC_EVENTS; i++) {
        const struct pmc_event *event = &PMC_EVENT[i];
        assert_int_equal(event->models, i == EVENT_INSTR_COMPLETED ? 0x58 : 0x5F);
        assert_int_equal(event->only_19_34 & ~event->members, 0);
        assert_int_not_equal(event->members & ~event->only_19_34, 0);
        for (unsigned bit = 0; bit < 16; bit++)
            assert_int_equal(event->members >> bit & 1, PMC_EVENT_MEMBER[i][bit] != NULL);
        for (unsigned side = 0; side < 2; side++)
            if (event->escr[side])
                assert_int_equal(pmc_escr_at(event->escr[side])->select, event->cccr_select);
    }
}

TEST(named_masks)
{
    static const struct {
        enum pmc_event_id event;
        uint16_t mask;
        const char *members[5];
    } rows[] = {
        {EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, {"NBOGUSNTAG", "NBOGUSTAG"}},
        {EVENT_INSTR_COMPLETED, INSTR_COMPLETED_NBOGUS, {"NBOGUS"}},
        {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_ALL, {"MMNP", "MMNM", "MMTP", "MMTM"}},
        {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN, {"MMTP", "MMTM"}},
        {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CONDITIONAL, {"CONDITIONAL"}},
        {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL, {"CALL"}},
        {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_RETURN, {"RETURN"}},
        {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_INDIRECT, {"INDIRECT"}},
        {EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, {"NBOGUS"}},
        {EVENT_PACKED_SP_UOP, FIRM_ALL, {"ALL"}},
        {EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, {"RUNNING"}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint16_t mask = 0;
        for (unsigned m = 0; rows[i].members[m]; m++) {
            for (unsigned bit = 0; bit < 16; bit++) {
                const char *name = PMC_EVENT_MEMBER[rows[i].event][bit];
                mask |= name && strcmp(name, rows[i].members[m]) == 0 ? 1u << bit : 0;
            }
        }
        assert_int_equal(mask, rows[i].mask);
    }
}
