/*
 * The event table of pmc/netburst/event.h: against the model's decoding of ESCRs in both directions, against
 * the map, and against rows typed by hand from pmu-rules 4.
 */
#include <string.h>
#include "tests/host/support/host_test.h"
#include "pmc/netburst/event.h"
#include "pmc/netburst/map.h"
#include "sim/netburst/nbpmu.h"

static const struct pmc_event *event_named(const char *name)
{
    for (unsigned i = 0; i < PMC_EVENTS; i++) {
        if (strcmp(PMC_EVENT[i].name, name) == 0)
            return &PMC_EVENT[i];
    }
    fail_msg("no event %s", name);
    return NULL;
}

/* ---- Both tables say the same, whichever is asked first ---- */

TEST(what_the_table_programs_the_model_understands)
{
    for (unsigned i = 0; i < PMC_EVENTS; i++) {
        for (unsigned side = 0; side < 2; side++) {
            if (PMC_EVENT[i].escr[side] == 0)
                continue;
            enum nbpmu_event event = nbpmu_event_of(PMC_EVENT[i].escr[side], PMC_EVENT[i].select);
            assert_string_equal(nbpmu_event_name(event), PMC_EVENT[i].name);
        }
    }
}

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

TEST(every_event_is_reachable)
{
    for (unsigned i = 0; i < PMC_EVENTS; i++) {
        const struct pmc_event *e = &PMC_EVENT[i];
        assert_true(e->escr[0] || e->escr[1]);
        for (unsigned side = 0; side < 2; side++) {
            const struct pmc_escr *escr = pmc_escr_at(e->escr[side]);
            assert_int_equal(escr != NULL, e->escr[side] != 0);
            if (escr == NULL)
                continue;
            assert_int_equal(escr->side, side);
            assert_int_equal(escr->select, e->cccr_select);
        }
        if (e->escr[0] && e->escr[1])
            assert_int_equal(pmc_escr_at(e->escr[0])->block, pmc_escr_at(e->escr[1])->block);
    }
}

/* R7: select 0 is "no event"; within one ESCR a select names one event. */
TEST(selects_are_unambiguous)
{
    for (unsigned i = 0; i < PMC_EVENTS; i++) {
        assert_in_range(PMC_EVENT[i].select, 1, 63);
        for (unsigned k = 0; k < i; k++) {
            assert_string_not_equal(PMC_EVENT[i].name, PMC_EVENT[k].name);
            for (unsigned side = 0; side < 2; side++) {
                if (PMC_EVENT[i].escr[side] && PMC_EVENT[i].escr[side] == PMC_EVENT[k].escr[side])
                    assert_int_not_equal(PMC_EVENT[i].select, PMC_EVENT[k].select);
            }
        }
    }
}

TEST(members_have_names)
{
    for (unsigned i = 0; i < PMC_EVENTS; i++) {
        const struct pmc_event *event = &PMC_EVENT[i];
        assert_int_equal(event->only_19_34 & ~event->members, 0);
        assert_int_not_equal(event->members & ~event->only_19_34, 0);
        for (unsigned bit = 0; bit < 16; bit++)
            assert_int_equal(event->members >> bit & 1, PMC_EVENT_MEMBER[i][bit] != NULL);
    }
}

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

/* ---- By hand, from pmu-rules 4 ---- */

struct typed {
    enum pmc_event_id id;
    const char *name;
    uint8_t select, cccr_select;
    uint32_t escr0, escr1;
    char thread, class;
    uint16_t mask; /* members of the event's own entry */
};

static const struct typed TYPED[] = {
    {EVENT_BPU_FETCH_REQUEST, "BPU_fetch_request", 0x03, 0, 0x3B2, 0x3B3, 'S', 'V', 0x0001},
    {EVENT_PAGE_WALK_TYPE, "page_walk_type", 0x01, 4, 0x3AC, 0x3AD, 'I', 'V', 0x0003},
    {EVENT_BSQ_CACHE_REFERENCE, "BSQ_cache_reference", 0x0C, 7, 0x3A0, 0x3A1, 'S', '-', 0x073F},
    {EVENT_IOQ_ALLOCATION, "IOQ_allocation", 0x03, 6, 0x3A2, 0x3A3, 'S', 'N', 0xEFFF},
    {EVENT_IOQ_ACTIVE_ENTRIES, "IOQ_active_entries", 0x1A, 6, 0, 0x3A3, 'S', '-', 0xEFFF},
    {EVENT_BSQ_ALLOCATION, "BSQ_allocation", 0x05, 7, 0x3A0, 0, 'S', '-', 0x3FEF},
    {EVENT_BSQ_ACTIVE_ENTRIES, "bsq_active_entries", 0x06, 7, 0, 0x3A1, 'S', '-', 0x3FEF},
    {EVENT_GLOBAL_POWER_EVENTS, "global_power_events", 0x13, 6, 0x3A2, 0x3A3, 'S', 'R', 0x0001},
    {EVENT_B2B_CYCLES, "b2b_cycles", 0x16, 6, 0x3A2, 0x3A3, '?', '-', 0x007E},
    {EVENT_RESPONSE, "response", 0x04, 6, 0x3A2, 0x3A3, '?', '-', 0x0306},
    {EVENT_TC_DELIVER_MODE, "TC_deliver_mode", 0x01, 1, 0x3C4, 0x3C5, 'I', '-', 0x00FF},
    {EVENT_TC_MISC, "TC_misc", 0x06, 1, 0x3C4, 0x3C5, 'S', 'V', 0x0010},
    {EVENT_RETIRED_BRANCH_TYPE, "retired_branch_type", 0x04, 2, 0x3C2, 0x3C3, 'S', 'N', 0x001E},
    {EVENT_WC_BUFFER, "WC_Buffer", 0x05, 5, 0x3A8, 0x3A9, 'I', '-', 0x0003},
    {EVENT_MEMORY_COMPLETE, "memory_complete", 0x08, 2, 0x3AE, 0x3AF, 'S', 'N', 0x0003},
    {EVENT_SSE_INPUT_ASSIST, "SSE_input_assist", 0x34, 1, 0x3A4, 0x3A5, 'I', '-', 0x8000},
    {EVENT_SCALAR_DP_UOP, "scalar_DP_uop", 0x0E, 1, 0x3A4, 0x3A5, 'I', 'N', 0x8000},
    {EVENT_X87_SIMD_MOVES_UOP, "x87_SIMD_moves_uop", 0x2E, 1, 0x3A4, 0x3A5, 'I', '-', 0x0018},
    {EVENT_RESOURCE_STALL, "resource_stall", 0x01, 1, 0x3CA, 0x3CB, 'S', '-', 0x0020},
    {EVENT_UOP_TYPE, "uop_type", 0x02, 2, 0x3BC, 0x3BD, 'S', '-', 0x0006},
    {EVENT_UOPS_RETIRED, "uops_retired", 0x01, 4, 0x3B8, 0x3B9, 'S', '-', 0x0003},
    {EVENT_INSTR_RETIRED, "instr_retired", 0x02, 4, 0x3B8, 0x3B9, 'S', 'X', 0x000F},
    {EVENT_INSTR_COMPLETED, "instr_completed", 0x07, 4, 0x3B8, 0x3B9, 'S', 'X', 0x0003},
    {EVENT_MACHINE_CLEAR, "machine_clear", 0x02, 5, 0x3CC, 0x3CD, 'S', 'N', 0x0045},
    {EVENT_BRANCH_RETIRED, "branch_retired", 0x06, 5, 0x3CC, 0x3CD, 'S', 'X', 0x000F},
    {EVENT_EXECUTION_EVENT, "execution_event", 0x0C, 5, 0x3CC, 0x3CD, 'S', '-', 0x00FF},
};

TEST(typed_rows)
{
    for (size_t i = 0; i < COUNT_OF(TYPED); i++) {
        const struct typed *t = &TYPED[i];
        const struct pmc_event *e = &PMC_EVENT[t->id];
        uint16_t mask = e->members & ~e->only_19_34;
        assert_string_equal(e->name, t->name);
        assert_int_equal(e->select, t->select);
        assert_int_equal(e->cccr_select, t->cccr_select);
        assert_int_equal(e->escr[0], t->escr0);
        assert_int_equal(e->escr[1], t->escr1);
        assert_int_equal(e->thread, t->thread);
        assert_int_equal(e->class, t->class);
        assert_int_equal(mask, t->mask);
    }
}

/* pmu-rules 4: 15 events in BPU, 6 in MS, 14 in FLAME and 12 in IQ. */
TEST(events_by_block)
{
    unsigned count[4] = {0};
    for (unsigned i = 0; i < PMC_EVENTS; i++) {
        const uint16_t *escr = PMC_EVENT[i].escr;
        count[pmc_escr_at(escr[0] ? escr[0] : escr[1])->block]++;
    }
    assert_int_equal(count[BLOCK_BPU], 15);
    assert_int_equal(count[BLOCK_MS], 6);
    assert_int_equal(count[BLOCK_FLAME], 14);
    assert_int_equal(count[BLOCK_IQ], 12);
}

/* pmu-rules 1.1 and Table 19-30: instr_completed on models 3, 4, 6; the rest on all there are. */
TEST(models)
{
    for (unsigned i = 0; i < PMC_EVENTS; i++) {
        uint16_t expected = i == EVENT_INSTR_COMPLETED ? 0x58 : 0x5F;
        assert_int_equal(PMC_EVENT[i].models, expected);
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
