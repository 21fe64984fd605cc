/*
 * Faults from the reported event to the value that a counter gets, and of tags (R7 to R15).
 */
#include "faults.h"

/* ---- Families: bits of a mask, ESCRs, events ---- */

static bool every_mask_bit(unsigned number, struct fault_member *member)
{
    /* WC, WT, WP and WB traffic and other agents are not known to occur; bit 12 is reserved. */
    const unsigned uncaused = FIELD_MASK(12, 8) | FIELD_MASK(14, 14);
    if (number < 16 && (uncaused >> number & 1))
        member->unseen = "no event of known number needs this bit";
    return number < 16 && nbpmu_fault_member(member, number, 0, "-%u", number);
}

/* Mask bits that the suite's own uncached reads do not match. */
static bool every_ioq_member(unsigned number, struct fault_member *member)
{
    const unsigned of_our_reads = FIELD_MASK(5, 5) | FIELD_MASK(7, 7) | FIELD_MASK(13, 13);
    return number < 16 && (of_our_reads >> number & 1) &&
           nbpmu_fault_member(member, number, 0, "-%u", number);
}

FAMILY(every_select_bit, number < 6 && nbpmu_fault_member(member, number, 0, "-%u", number))

/* What is known of the events of an ESCR. */
enum {
    SIBLING = 1 << 0,   /* thread-specific events of known number, so that a vector can compare counts */
    QUALIFIED = 1 << 1, /* OS/USR flags that can be tested; without a countable event see route-dead */
    TS = 1 << 2,        /* a thread-specific event that the suite's work causes at every privilege level */
    TI = 1 << 3,        /* thread-independent events (R13) */
    SEVERAL = 1 << 4    /* several members of an event's mask are caused by the suite's work */
};

static const struct {
    uint32_t pair; /* the first ESCR of two */
    unsigned known;
} ESCR_EVENTS[] = {
    {MSR_MS_ESCR0, SIBLING | QUALIFIED | TS},
    {MSR_TBPU_ESCR0, SIBLING | QUALIFIED | TS | SEVERAL},
    {MSR_SAAT_ESCR0, SIBLING | QUALIFIED | TS},
    {MSR_CRU_ESCR0, SIBLING | QUALIFIED | TS},
    {MSR_CRU_ESCR2, SIBLING | QUALIFIED | TS | SEVERAL},
    {MSR_FSB_ESCR0, QUALIFIED | TS},
    {MSR_BPU_ESCR0, QUALIFIED | TS},
    {MSR_ITLB_ESCR0, QUALIFIED | TS},
    {MSR_MOB_ESCR0, QUALIFIED | TS},
    {MSR_DAC_ESCR0, QUALIFIED | TS},
    {MSR_ALF_ESCR0, QUALIFIED | TS},
    {MSR_BSU_ESCR0, TS},
    {MSR_FIRM_ESCR0, TI},
    {MSR_PMH_ESCR0, TI},
    {MSR_TC_ESCR0, TI},
};

static bool escr_with(unsigned number, unsigned known, struct fault_member *member)
{
    for (unsigned i = 0; i < COUNT_OF(ESCR_EVENTS); i++)
        if ((ESCR_MSR(number) & ~1u) == ESCR_EVENTS[i].pair)
            return (ESCR_EVENTS[i].known & known) && nbpmu_fault_escr(number, member);
    return false;
}

FAMILY(every_sibling_escr, escr_with(number, SIBLING, member))
FAMILY(every_qualified_escr, escr_with(number, QUALIFIED, member))
FAMILY(every_ts_escr, escr_with(number, TS, member))
FAMILY(every_flagged_escr, escr_with(number, TS | TI, member))
FAMILY(every_several_members_escr, escr_with(number, SEVERAL, member))

/* One of the four qualification bits of an ESCR. */
static bool flag_of(unsigned number, unsigned known, struct fault_member *member)
{
    static const char *const name[] = {"t1-usr", "t1-os", "t0-usr", "t0-os"};
    struct fault_member of = *member;
    return escr_with(number / 4, known, &of) &&
           nbpmu_fault_member(member, number / 4, number % 4, "%.15s-%s", of.suffix, name[number % 4]);
}

FAMILY(every_ts_flag, flag_of(number, TS, member))
FAMILY(every_ti_flag, flag_of(number, TI, member))

static bool event_of(unsigned number, const uint8_t *events, unsigned count, struct fault_member *member)
{
    return number < count &&
           nbpmu_fault_member(member, events[number], 0, "-%.22s", nbpmu_event_name(events[number]));
}

/* Thread-specific events that the suite's work causes, */
static bool every_ts_event(unsigned number, struct fault_member *member)
{
    static const uint8_t events[] = {NBPMU_BPU_FETCH_REQUEST,
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
                                     NBPMU_RETIRED_MISPRED_BRANCH_TYPE};
    return event_of(number, events, COUNT_OF(events), member);
}

/* and thread-independent ones. */
static bool every_ti_event(unsigned number, struct fault_member *member)
{
    static const uint8_t events[] = {
        NBPMU_PAGE_WALK_TYPE, NBPMU_TC_DELIVER_MODE, NBPMU_PACKED_SP_UOP,
        NBPMU_PACKED_DP_UOP,  NBPMU_SCALAR_SP_UOP,   NBPMU_SCALAR_DP_UOP,
        NBPMU_64BIT_MMX_UOP,  NBPMU_128BIT_MMX_UOP,  NBPMU_X87_FP_UOP,
    };
    return event_of(number, events, COUNT_OF(events), member);
}

/* Members that the suite's work causes alone, by bit. */
static const struct {
    uint8_t event;
    uint16_t caused, excluded; /* excluded: caused while only another member is selected */
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
    const unsigned row = number / 16, bit = number % 16;
    return row < COUNT_OF(MEMBERS) && ((excluded ? MEMBERS[row].excluded : MEMBERS[row].caused) >> bit & 1) &&
           nbpmu_fault_member(member, MEMBERS[row].event, bit, "-%.19s-%u",
                              nbpmu_event_name(MEMBERS[row].event), bit);
}

FAMILY(every_member, member_of(number, false, member))
FAMILY(every_excluded_member, member_of(number, true, member))

/* ---- The event that an ESCR selects (R7) ---- */

static void decode_as(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr, unsigned select)
{
    const uint32_t value = escr->value;
    escr->value = (uint32_t)((value & ~ESCR_SELECT_MASK) | ESCR_EVENT_SELECT(select));
    nbpmu_decode_escr(pmu, escr, msr);
    escr->value = value;
}

DEED(decode_escr, select_off, decode_as(pmu, escr, msr, (unsigned)ESCR_GET_EVENT_SELECT(escr->value) ^ 1))
DEED(decode_escr, select_bit_dead,
     decode_as(pmu, escr, msr, (unsigned)ESCR_GET_EVENT_SELECT(escr->value) & ~(1u << fault_of(pmu)->at)))

static void no_event_keeps_counting(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    if (ESCR_GET_EVENT_SELECT(escr->value))
        nbpmu_decode_escr(pmu, escr, msr);
    else
        escr->causes = nbpmu_causes(pmu, escr);
}

DEED(decode_escr, uop_type_of_clock, nbpmu_decode_escr(pmu, escr, msr);
     escr->of_clock |= escr->event == NBPMU_UOP_TYPE)

static unsigned uop_type_is_1(const struct nbpmu *pmu, unsigned n)
{
    const int escr_index = pmu->counter[n].escr_index;
    const bool tags = escr_index != NO_ESCR && pmu->escr[escr_index].event == NBPMU_UOP_TYPE;
    return tags ? 1 : nbpmu_value(pmu, n);
}

/* ---- The mask (R7, R9) ---- */

FAULT(mask, mask_shifted, mask << 1)
FAULT(mask, mask_ignored, UINT16_MAX)
FAULT(mask, mask_0_is_full, mask ? mask : UINT16_MAX)
FAULT(mask, mask_lowest, mask & -mask)
FAULT(mask, mask_bit_dead, mask & ~(1u << fault_of(pmu)->at))
FAULT(mask, member_dead, escr->event == fault_of(pmu)->at ? mask & ~(1u << fault_of(pmu)->to) : mask)
FAULT(mask, member_set, escr->event == fault_of(pmu)->at && mask ? mask | 1u << fault_of(pmu)->to : mask)
FAULT(mask, ioq_member_set,
      escr->event == NBPMU_IOQ_ALLOCATION && mask ? mask | 1u << fault_of(pmu)->at : mask)

static uint64_t notes_full_mask(struct nbpmu *pmu, int escr_index, uint64_t value)
{
    if (escr_index == fault_of(pmu)->at)
        defects_of(pmu)->noted = has_full_mask(value);
    return value;
}

/* With all 16 bits: nothing (to = 0), or the lowest one. */
static unsigned full_mask_fails(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned mask)
{
    if (escr - pmu->escr != fault_of(pmu)->at || !defects_of(pmu)->noted)
        return mask;
    return fault_of(pmu)->to ? mask & -mask : 0;
}

static bool is_ioq(enum nbpmu_event event)
{
    return event == NBPMU_IOQ_ALLOCATION || event == NBPMU_IOQ_ACTIVE_ENTRIES;
}

FAULT(matches, ioq_equation,
      is_ioq(escr->event) ? nbpmu_ioq_matches(pmu->part.model < 2, escr->mask, bits)
                          : nbpmu_matches(pmu, escr, bits))

static bool all_members(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits)
{
    const bool bus =
        is_ioq(escr->event) || escr->event == NBPMU_BSQ_ALLOCATION || escr->event == NBPMU_BSQ_ACTIVE_ENTRIES;
    return bus ? nbpmu_matches(pmu, escr, bits) : (escr->mask & ~bits) == 0;
}

FAULT(matches, all_tags,
      escr->event == NBPMU_EXECUTION_EVENT ? (escr->mask & ~bits) == 0 : nbpmu_matches(pmu, escr, bits))
FAULT(matches, tagging_counts_not, !(escr->value & ESCR_TAG_ENABLE) && nbpmu_matches(pmu, escr, bits))

/* ---- Privilege level and logical processor (R11 to R14) ---- */

/* The stages for a copy of the ESCR without some bits. It has no index, since it is not in pmu->escr. */
static struct nbpmu_escr without(const struct nbpmu_escr *escr, uint32_t bits)
{
    struct nbpmu_escr other = *escr;
    other.value &= ~bits;
    return other;
}

static bool qualify_without(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl,
                            uint32_t bits)
{
    const struct nbpmu_escr seen = without(escr, bits);
    return nbpmu_qualify_cause(pmu, &seen, lp, cpl);
}

static bool clock_qualifies_without(const struct nbpmu *pmu, const struct nbpmu_escr *escr, uint32_t bits)
{
    const struct nbpmu_escr seen = without(escr, bits);
    return nbpmu_clock_qualifies(pmu, &seen);
}

static bool is_ti(const struct nbpmu *pmu, enum nbpmu_event event)
{
    return nbpmu_has_ht(pmu) && nbpmu_event_info(event)->ti;
}

/* Does the fault strike at this ESCR: by its place, or by the condition of a counter that counts by it? */
static bool at_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    const int escr_index = (int)(escr - pmu->escr);
    if (!fault_of(pmu)->condition)
        return fault_of(pmu)->at == escr_index;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if ((pmu->running >> n & 1) && pmu->counter[n].escr_index == escr_index && strikes(pmu, n))
            return true;
    return false;
}

/* The same for faults that concern reported events, not an ESCR whose value is a state of the clock. */
static bool reports_at(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return !escr->of_clock && at_escr(pmu, escr);
}

FAULT(qualifies, unqualified, reports_at(pmu, escr) || nbpmu_qualify_cause(pmu, escr, lp, cpl))

FAULT(qualifies, t1_dead,
      qualify_without(pmu, escr, lp, cpl, lp == 1 && reports_at(pmu, escr) ? ESCR_CPL_MASK : 0))

FAULT(qualifies, usr_as_os, nbpmu_qualify_cause(pmu, escr, lp, reports_at(pmu, escr) ? 0 : cpl))

static uint32_t dead_flag(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return at_escr(pmu, escr) ? 1u << fault_of(pmu)->to : 0;
}

FAULT(qualifies, flag_dead, qualify_without(pmu, escr, lp, cpl, dead_flag(pmu, escr)))

FAULT(clock_qualifies, flag_dead_in_clock, clock_qualifies_without(pmu, escr, dead_flag(pmu, escr)))

FAULT(qualifies, os_usr_swapped, nbpmu_qualify_cause(pmu, escr, lp, cpl ? 0 : 3))
FAULT(qualifies, t0_t1_swapped, nbpmu_qualify_cause(pmu, escr, lp ^ 1, cpl))
FAULT(qualifies, cpl_ignored, nbpmu_qualify_cause(pmu, escr, lp, 0) || nbpmu_qualify_cause(pmu, escr, lp, 3))
FAULT(qualifies, cpl_1_2_as_0, nbpmu_qualify_cause(pmu, escr, lp, cpl < 3 ? 0 : 3))

FAULT(qualifies, usr_is_cpl_3, qualify_without(pmu, escr, lp, cpl, cpl == 1 || cpl == 2 ? ESCR_CPL_MASK : 0))

FAULT(qualifies, either_for_both,
      nbpmu_qualify_cause(pmu, escr, 0, cpl) || nbpmu_qualify_cause(pmu, escr, 1, cpl))
FAULT(qualifies, obeys_cpl, is_ti(pmu, escr->event) || nbpmu_causer_counts(pmu, escr, lp, cpl))

/* ---- Thread-specific as thread-independent, and the other way round (R12, R13) ---- */

FAULT(qualifies, as_ti,
      (escr->event == fault_of(pmu)->at && nbpmu_has_ht(pmu)) || nbpmu_qualify_cause(pmu, escr, lp, cpl))
FAULT(clock_qualifies, as_ti_in_clock,
      escr->event == fault_of(pmu)->at && nbpmu_has_ht(pmu) ? nbpmu_state_qualifies(pmu, escr)
                                                            : nbpmu_clock_qualifies(pmu, escr))
FAULT(qualifies, as_ts,
      escr->event == fault_of(pmu)->at ? nbpmu_causer_counts(pmu, escr, lp, cpl)
                                       : nbpmu_qualify_cause(pmu, escr, lp, cpl))
FAULT(clock_qualifies, as_ts_in_clock, escr->event == fault_of(pmu)->at || nbpmu_clock_qualifies(pmu, escr))
FAULT(qualifies, ti_as_ts,
      is_ti(pmu, escr->event) ? nbpmu_causer_counts(pmu, escr, lp, cpl)
                              : nbpmu_qualify_cause(pmu, escr, lp, cpl))
FAULT(clock_qualifies, any_clock_qualifies, true)
FAULT(tag, ti_tags, is_ti(pmu, escr->event) ? nbpmu_tag_value(escr) : nbpmu_tag(pmu, escr, lp))

FAULT(clock_qualifies, ti_by_t0, clock_qualifies_without(pmu, escr, ESCR_T1_ALL))

/* R13 with the CPL of LP0 alone. */
static bool ti_by_lp0(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    const bool os = escr->value & (ESCR_T0_OS | ESCR_T1_OS), usr = escr->value & (ESCR_T0_USR | ESCR_T1_USR);
    const bool asked = pmu->lp[0].active || !pmu->variants.ti_halted_cpl_ignored;
    const bool lp0 = (os && usr) || (asked && (pmu->lp[0].cpl == 0 ? os : usr));
    return (lp0 || !is_ti(pmu, escr->event)) && nbpmu_clock_qualifies(pmu, escr);
}

/* ---- The value on the lines to a counter (R8, R10) ---- */

/* The part of the sum of the occurrences that these lines carry to the counter. The sum may be above 15. */
static unsigned on_lines(const struct nbpmu *pmu, unsigned n, unsigned lines)
{
    const unsigned value = nbpmu_value(pmu, n);
    if (value == 0)
        return 0;
    const struct nbpmu_escr *escr = &pmu->escr[pmu->counter[n].escr_index];
    return escr->of_clock ? value : (escr->sum + (escr->level ? 1 : 0)) & lines;
}

FAULT(value, lines_alone, on_lines(pmu, n, fault_of(pmu)->to))
FAULT(value, line_dead, on_lines(pmu, n, NBPMU_VALUE_MAX & ~(1u << fault_of(pmu)->at)))

FAULT(value, clipped, nbpmu_value(pmu, n) > fault_of(pmu)->at ? fault_of(pmu)->at : nbpmu_value(pmu, n))

/* ---- Tags (R15) ---- */

static unsigned tag_as(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned value)
{
    struct nbpmu_escr seen = without(escr, FIELD_MASK(8, 5));
    seen.value |= (uint32_t)FIELD_PUT(8, 5, value);
    return nbpmu_tag(pmu, &seen, lp);
}

static unsigned tag_value(const struct nbpmu_escr *escr)
{
    return (unsigned)FIELD_GET(8, 5, escr->value);
}

FAULT(tag, tag_bit_dead, tag_as(pmu, escr, lp, tag_value(escr) & ~(1u << fault_of(pmu)->at)))
FAULT(tag, tag_lowest_bit, tag_as(pmu, escr, lp, tag_value(escr) & -tag_value(escr)))

static unsigned tag_highest_bit(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp)
{
    unsigned value = tag_value(escr);
    while (value & (value - 1))
        value &= value - 1;
    return tag_as(pmu, escr, lp, value);
}

FAULT(tag, tag_single_bits,
      tag_as(pmu, escr, lp, tag_value(escr) & (tag_value(escr) - 1) ? 0 : tag_value(escr)))

FAULT(tag, tag_of_twin, tag_as(pmu, escr, lp, tag_value(&pmu->escr[(escr - pmu->escr) & ~1])))
FAULT(tag, tag_unqualified, nbpmu_tag_value(escr))
FAULT(tag, tag_lp1_dead, lp == 1 ? 0 : nbpmu_tag(pmu, escr, lp))

/* at = 1: of uop_type, 0: of the others. */
FAULT(tag, tag_usr_dead,
      pmu->lp[lp].cpl > 0 && (escr->event == NBPMU_UOP_TYPE) == fault_of(pmu)->at ? 0
                                                                                  : nbpmu_tag(pmu, escr, lp))

/* at: the side of the ESCR in its pair. */
FAULT(tag, tags_lost, ((escr - pmu->escr) & 1) == fault_of(pmu)->at ? 0 : nbpmu_tag(pmu, escr, lp))

/* clang-format off */
const struct nbpmu_fault_row nbpmu_fault_values[] = {
    {"select-off", "R7", "bit 0 of the event select is inverted", EVERY_CLOCK, .decode_escr = select_off},
    {"no-event-keeps-counting", "R7", "writing event select 0 leaves the former event counting",
     EVERY_CLOCK, .decode_escr = no_event_keeps_counting},
    {"mask-ignored", "R7", "every member of the event counts whatever the mask", EVERY_CLOCK, .mask = mask_ignored},
    {"mask-shifted", "R7", "mask bit b selects member b + 1", EVERY_CLOCK, .mask = mask_shifted},
    {"mask-0-counts-all", "R7", "mask 0 counts every member", EVERY_CLOCK, .mask = mask_0_is_full},
    {"mask-bit-dead", "R7", "this bit of the event mask has no effect",
     .family = every_mask_bit, EVERY_CLOCK, .mask = mask_bit_dead},
    {"member-dead", "R7", "this mask bit of this event has no effect",
     .family = every_member, EVERY_CLOCK, .mask = member_dead},
    {"member-always", "R7", "this mask bit of this event is taken for set",
     .family = every_excluded_member, EVERY_CLOCK, .mask = member_set},
    {"ioq-member-ignored", "R7", "IOQ_allocation takes this mask bit for set",
     .family = every_ioq_member, EVERY_CLOCK, .mask = ioq_member_set},
    {"ioq-equation", "R7", "IOQ_allocation combines its mask by the other models' equation (E12)",
     EVERY_CLOCK, .matches = ioq_equation},
    {"select-bit-dead", "R7", "this bit of the event select has no effect",
     .family = every_select_bit, EVERY_CLOCK, .decode_escr = select_bit_dead},
    {"value-one-line", "R8", "a value above 1 is presented as 1", .at = 1, EVERY_CLOCK, .value = clipped},
    {"value-lowest-line", "R8", "only bit 0 of the value is presented", EVERY_CLOCK, .to = 1, .value = lines_alone},
    {"value-line-dead", "R8", "this input line is always 0", EVERY(number_below_4), EVERY_CLOCK, .value = line_dead},
    {"mask-first-member", "R9", "of several mask bits only the lowest counts", EVERY_CLOCK, .mask = mask_lowest},
    {"full-mask-dead", "R9", "this ESCR counts nothing with all 16 bits of its mask",
     .family = every_flagged_escr, EVERY_CLOCK, .escr_holds = notes_full_mask, .mask = full_mask_fails},
    {"full-mask-first", "R9", "this ESCR counts only the lowest member with all 16 bits of its mask",
     .family = every_several_members_escr, .to = 1, EVERY_CLOCK, .escr_holds = notes_full_mask,
     .mask = full_mask_fails},
    {"execution-all-tags", "R9", "execution_event counts a uop only if it has all tags that the mask selects",
     EVERY_CLOCK, .matches = all_tags},
    {"mask-all-members", "R9", "an occurrence counts only if it is of every selected member",
     EVERY_CLOCK, .matches = all_members},
    {"value-wraps", "R10", "a value above 15 is presented modulo 16",
     EVERY_CLOCK, .to = NBPMU_VALUE_MAX, .value = lines_alone},
    {"value-clipped-at-3", "R8", "a value above 3 is presented as 3", .at = 3, EVERY_CLOCK, .value = clipped},
    {"no-ht-os-usr-swapped", "R11", "OS counts CPL 1 to 3, USR counts CPL 0",
     .part = PART_NO_HT, EVERY_CLOCK, .qualifies = os_usr_swapped},
    {"no-ht-cpl-ignored", "R11", "either of OS and USR counts at every CPL",
     .part = PART_NO_HT, EVERY_CLOCK, .qualifies = cpl_ignored},
    {"no-ht-cpl-1-2-as-0", "R11", "CPL 1 and 2 count as CPL 0",
     .part = PART_NO_HT, EVERY_CLOCK, .qualifies = cpl_1_2_as_0},
    {"no-ht-usr-is-cpl-3", "R11", "CPL 1 and 2 are not counted",
     .part = PART_NO_HT, EVERY_CLOCK, .qualifies = usr_is_cpl_3},
    {"os-usr-swapped", "R12", "OS bits count CPL 1 to 3, USR bits CPL 0",
     .part = PART_HT, EVERY_CLOCK, .qualifies = os_usr_swapped},
    {"t0-t1-swapped", "R12", "T0 bits count LP1, T1 bits LP0",
     .part = PART_HT, EVERY_CLOCK, .qualifies = t0_t1_swapped},
    {"cpl-ignored", "R12", "either bit of a logical processor counts at every CPL",
     .part = PART_HT, EVERY_CLOCK, .qualifies = cpl_ignored},
    {"cpl-1-2-as-0", "R12", "CPL 1 and 2 count as CPL 0", .part = PART_HT, EVERY_CLOCK, .qualifies = cpl_1_2_as_0},
    {"usr-is-cpl-3", "R12", "CPL 1 and 2 are not counted", .part = PART_HT, EVERY_CLOCK, .qualifies = usr_is_cpl_3},
    {"unqualified", "R12", "this ESCR ignores all four bits",
     .part = PART_HT, .family = every_qualified_escr, .qualifies = unqualified},
    {"t1-dead", "R12", "this ESCR counts nothing of LP1",
     .part = PART_HT, .family = every_sibling_escr, .qualifies = t1_dead},
    {"flag-dead", "R12", "this bit of the ESCR's four has no effect",
     .family = every_ts_flag, EVERY_CLOCK, .qualifies = flag_dead, .clock_qualifies = flag_dead_in_clock},
    {"usr-as-os", "R12", "this ESCR counts CPL 1 to 3 by the OS bits",
     .part = PART_HT, .family = every_ts_escr, EVERY_CLOCK, .qualifies = usr_as_os},
    {"ts-as-ti", "R12", "either processor's bit counts for both",
     .part = PART_HT, EVERY_CLOCK, .qualifies = either_for_both},
    {"as-ti", "R12", "this thread-specific event counts as a thread-independent one",
     .part = PART_HT, .family = every_ts_event, EVERY_CLOCK, .qualifies = as_ti, .clock_qualifies = as_ti_in_clock},
    {"as-ts", "R13", "this thread-independent event counts by its causer's bits",
     .part = PART_HT, .family = every_ti_event, EVERY_CLOCK, .qualifies = as_ts, .clock_qualifies = as_ts_in_clock},
    {"ti-as-ts", "R13", "a thread-independent event is qualified by its causer's bits",
     .part = PART_HT, EVERY_CLOCK, .qualifies = ti_as_ts, .clock_qualifies = any_clock_qualifies, .tag = ti_tags},
    {"ti-t0-bits-only", "R13", "a thread-independent event ignores the T1 bits",
     .part = PART_HT, EVERY_CLOCK, .clock_qualifies = ti_by_t0},
    {"ti-lp0-state-only", "R13", "a thread-independent event ignores the CPL of LP1",
     .part = PART_HT, EVERY_CLOCK, .clock_qualifies = ti_by_lp0},
    {"ti-unqualified", "R13", "a thread-independent event ignores all four bits",
     .part = PART_HT, EVERY_CLOCK, .clock_qualifies = any_clock_qualifies},
    {"ti-flag-dead", "R13", "this bit of the ESCR's four has no effect",
     .family = every_ti_flag, EVERY_CLOCK, .qualifies = flag_dead, .clock_qualifies = flag_dead_in_clock},
    {"ioq-obeys-cpl", "R14", "IOQ_active_entries, and IOQ_allocation before 0F27, look at OS and USR",
     EVERY_CLOCK, .qualifies = obeys_cpl},
    {"uop-type-counts", "R15", "uop_type gives the value 1 in every clock",
     EVERY_CLOCK, .decode_escr = uop_type_of_clock, .value = uop_type_is_1},
    {"tag-enable-stops-count", "R15", "an ESCR with tag enable presents 0", EVERY_CLOCK, .matches = tagging_counts_not},
    {"tag-bit-dead", "R15", "this bit of the tag value has no effect",
     EVERY(number_below_4), EVERY_CLOCK, .tag = tag_bit_dead},
    {"tag-lowest-bit", "R15", "of several bits of a tag value only the lowest tags",
     EVERY_CLOCK, .tag = tag_lowest_bit},
    {"tag-highest-bit", "R15", "of several bits of a tag value only the highest tags",
     EVERY_CLOCK, .tag = tag_highest_bit},
    {"tag-several-bits-none", "R15", "a tag value of several bits tags nothing", EVERY_CLOCK, .tag = tag_single_bits},
    {"tag-value-of-twin", "R15", "the odd ESCR of a pair tags with the value of the even one",
     EVERY_CLOCK, .tag = tag_of_twin},
    {"tag-lp1-dead", "R15", "nothing of LP1 is tagged", .part = PART_HT, EVERY_CLOCK, .tag = tag_lp1_dead},
    {"tag-unqualified", "R15", "an ESCR tags whatever its four bits", EVERY_CLOCK, .tag = tag_unqualified},
    {"tag-usr-dead-execution", "R15", "nothing above CPL 0 is tagged but by uop_type",
     EVERY_CLOCK, .tag = tag_usr_dead},
    {"tag-usr-dead-front-end", "R15", "uop_type tags nothing above CPL 0", .at = 1, EVERY_CLOCK, .tag = tag_usr_dead},
    {"tags-lost-even", "R15", "an ESCR of even number does not tag", EVERY_CLOCK, .tag = tags_lost},
    {"tags-lost-odd", "R15", "an ESCR of odd number does not tag", .at = 1, EVERY_CLOCK, .tag = tags_lost},
    {.name = NULL},
};
/* clang-format on */
