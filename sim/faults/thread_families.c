/*
 * Families of the fault catalogue about privilege levels and logical processors: one fault for every
 * qualification bit of an ESCR, for every ESCR, for every register that both share, or for every event.
 */
#include "catalogue.h"

#include <stdio.h>
#include "sim/netburst/private.h"
#include "pmc/count_of.h"

#define ESCR_FLAGS 4u /* ESCR 3:0 */

/* ESCRs with a thread-specific event that the suite's work causes at every privilege level. */
static bool ts_escr(unsigned number, struct fault_member *member)
{
    const struct fault_family *family =
        (ESCR_MSR(number) & ~1u) == MSR_BSU_ESCR0 ? &nbpmu_every_escr : &nbpmu_every_qualified_escr;
    return family->member(number, member);
}

static bool ti_escr(unsigned number, struct fault_member *member)
{
    switch (ESCR_MSR(number) & ~1u) {
    case MSR_FIRM_ESCR0:
    case MSR_PMH_ESCR0:
    case MSR_TC_ESCR0:
        return nbpmu_every_escr.member(number, member);
    default:
        return false;
    }
}

/* One of the four qualification bits of an ESCR. */
static bool flag(unsigned number, bool (*escr)(unsigned, struct fault_member *), struct fault_member *member)
{
    static const char *const name[ESCR_FLAGS] = {"t1-usr", "t1-os", "t0-usr", "t0-os"};
    struct fault_member of = {0};
    if (!escr(number / ESCR_FLAGS, &of)) {
        return false;
    }
    *member = of;
    member->to = (uint8_t)(number % ESCR_FLAGS);
    snprintf(member->suffix, sizeof member->suffix, "%.15s-%s", of.suffix, name[member->to]);
    return true;
}

static bool ts_flag(unsigned number, struct fault_member *member)
{
    return flag(number, ts_escr, member);
}

static bool ti_flag(unsigned number, struct fault_member *member)
{
    return flag(number, ti_escr, member);
}

/* Counters, CCCRs and the ESCRs that hold something, by address. */
static bool any_register(unsigned number, struct fault_member *member)
{
    uint32_t msr = MSR_COUNTER(0) + number;
    bool counted = msr < MSR_COUNTER(PMC_COUNTERS) || (msr >= MSR_CCCR(0) && msr < MSR_CCCR(PMC_COUNTERS));
    member->at = (uint8_t)number;
    snprintf(member->suffix, sizeof member->suffix, "-%03XH", (unsigned)msr);
    return counted || (nbpmu_escr_exists(msr) && (msr & ~1u) != MSR_IQ_ESCR0);
}

static bool event_of_list(unsigned event, struct fault_member *member)
{
    member->at = (uint8_t)event;
    snprintf(member->suffix, sizeof member->suffix, "-%.22s", nbpmu_event_name((enum nbpmu_event)event));
    return true;
}

/* Thread-specific events that the suite's work causes. */
static bool ts_event(unsigned number, struct fault_member *member)
{
    static const uint8_t events[] = {
        NBPMU_BPU_FETCH_REQUEST,
        NBPMU_ITLB_REFERENCE,
        NBPMU_MOB_LOAD_REPLAY,
        NBPMU_TC_MS_XFER,
        NBPMU_UOP_QUEUE_WRITES,
        NBPMU_RETIRED_BRANCH_TYPE,
        NBPMU_MEMORY_COMPLETE,
        NBPMU_LOAD_PORT_REPLAY,
        NBPMU_STORE_PORT_REPLAY,
        NBPMU_UOPS_RETIRED,
        NBPMU_INSTR_RETIRED,
        NBPMU_INSTR_COMPLETED,
        NBPMU_MACHINE_CLEAR,
        NBPMU_X87_ASSIST,
        NBPMU_BRANCH_RETIRED,
        NBPMU_MISPRED_BRANCH_RETIRED,
        NBPMU_RETIRED_MISPRED_BRANCH_TYPE,
    };
    return number < COUNT_OF(events) && event_of_list(events[number], member);
}

/* Thread-independent ones. */
static bool ti_event(unsigned number, struct fault_member *member)
{
    static const uint8_t events[] = {
        NBPMU_PAGE_WALK_TYPE, NBPMU_TC_DELIVER_MODE, NBPMU_PACKED_SP_UOP,
        NBPMU_PACKED_DP_UOP,  NBPMU_SCALAR_SP_UOP,   NBPMU_SCALAR_DP_UOP,
        NBPMU_64BIT_MMX_UOP,  NBPMU_128BIT_MMX_UOP,  NBPMU_X87_FP_UOP,
    };
    return number < COUNT_OF(events) && event_of_list(events[number], member);
}

/* Members that the suite's work causes alone, by bit. */
static const struct {
    uint8_t event;
    uint16_t caused, excluded; /* excluded: caused where another member alone is selected */
} MEMBERS[] = {
    {NBPMU_RETIRED_BRANCH_TYPE, FIELD_MASK(4, 1), FIELD_MASK(3, 2)},
    {NBPMU_RETIRED_MISPRED_BRANCH_TYPE, FIELD_MASK(1, 1), 0},
    {NBPMU_UOP_QUEUE_WRITES, FIELD_MASK(1, 0), 0},
    {NBPMU_MEMORY_COMPLETE, FIELD_MASK(1, 0), FIELD_MASK(1, 0)},
    {NBPMU_MOB_LOAD_REPLAY, FIELD_MASK(4, 4), 0},
    {NBPMU_UOPS_RETIRED, FIELD_MASK(0, 0), 0},
    {NBPMU_INSTR_RETIRED, FIELD_MASK(0, 0), FIELD_MASK(0, 0)},
    {NBPMU_MACHINE_CLEAR, FIELD_MASK(6, 6), 0},
    {NBPMU_X87_ASSIST, FIELD_MASK(0, 0), FIELD_MASK(0, 0)},
    {NBPMU_BRANCH_RETIRED, FIELD_MASK(3, 0), FIELD_MASK(3, 0)},
    {NBPMU_EXECUTION_EVENT, FIELD_MASK(3, 0), FIELD_MASK(3, 0)},
    {NBPMU_FRONT_END_EVENT, FIELD_MASK(0, 0), 0},
};

static bool member_of(unsigned number, bool excluded, struct fault_member *member)
{
    unsigned row = number / 16;
    member->at = MEMBERS[row].event;
    member->to = (uint8_t)(number % 16);
    snprintf(member->suffix, sizeof member->suffix, "-%.19s-%u",
             nbpmu_event_name((enum nbpmu_event)member->at), member->to);
    return (excluded ? MEMBERS[row].excluded : MEMBERS[row].caused) >> member->to & 1;
}

static bool event_member(unsigned number, struct fault_member *member)
{
    return member_of(number, false, member);
}

static bool excluded_member(unsigned number, struct fault_member *member)
{
    return member_of(number, true, member);
}

static bool tag_bit(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)number;
    snprintf(member->suffix, sizeof member->suffix, "-%u", number);
    return true;
}

const struct fault_family nbpmu_every_ts_event = {NBPMU_EVENTS, ts_event};
const struct fault_family nbpmu_every_ti_event = {NBPMU_EVENTS, ti_event};
const struct fault_family nbpmu_every_member = {16 * COUNT_OF(MEMBERS), event_member};
const struct fault_family nbpmu_every_excluded_member = {16 * COUNT_OF(MEMBERS), excluded_member};
const struct fault_family nbpmu_every_tag_bit = {4, tag_bit};
const struct fault_family nbpmu_every_register = {MSR_CRU_ESCR5 - MSR_COUNTER(0) + 1, any_register};
const struct fault_family nbpmu_every_ts_escr = {ESCR_INDICES, ts_escr};
const struct fault_family nbpmu_every_ts_flag = {ESCR_INDICES * ESCR_FLAGS, ts_flag};
const struct fault_family nbpmu_every_ti_flag = {ESCR_INDICES * ESCR_FLAGS, ti_flag};
