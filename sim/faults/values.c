/*
 * Faults from the reported event to the value that a counter gets, and of tags (R7 to R15).
 */
#include "faults.h"

/* ---- Families: bits of a mask, ESCRs, events ---- */

static bool nbpmu_fault_mask_bit(unsigned number, struct fault_member *member)
{
    if (number == 14)
        member->unseen = "what other agents do is not known to occur";
    return nbpmu_fault_bit_of(number, UINT16_MAX, member);
}

/* Mask bits that the suite's own uncached reads do not match. */
FAMILY(ioq_member,
       nbpmu_fault_bit_of(number, FIELD_MASK(5, 5) | FIELD_MASK(7, 7) | FIELD_MASK(13, 13), member))
FAMILY(select_bit, nbpmu_fault_bit_of(number, FIELD_MASK(5, 0), member))

/* What is known of the events of an ESCR. */
enum {
    SIBLING = 1 << 0,   /* thread-specific events of known number, so that a vector can compare counts */
    QUALIFIED = 1 << 1, /* OS/USR flags that can be tested; without a countable event see route-dead */
    TS = 1 << 2,        /* a thread-specific event that the suite's work causes at every privilege level */
    TI = 1 << 3,        /* thread-independent events (R13) */
    SEVERAL = 1 << 4    /* several members of an event's mask are caused by the suite's work */
};

/* clang-format off */
#define PAIR(escr0) [ESCR_INDEX(escr0) / 2]
static const uint8_t KNOWN[ESCR_INDICES / 2 + 1] = {
    PAIR(MSR_MS_ESCR0) = SIBLING | QUALIFIED | TS, PAIR(MSR_TBPU_ESCR0) = SIBLING | QUALIFIED | TS | SEVERAL,
    PAIR(MSR_SAAT_ESCR0) = SIBLING | QUALIFIED | TS, PAIR(MSR_CRU_ESCR2) = SIBLING | QUALIFIED | TS | SEVERAL,
    PAIR(MSR_CRU_ESCR0) = SIBLING | QUALIFIED | TS, PAIR(MSR_FSB_ESCR0) = QUALIFIED | TS,
    PAIR(MSR_BPU_ESCR0) = QUALIFIED | TS, PAIR(MSR_ITLB_ESCR0) = QUALIFIED | TS,
    PAIR(MSR_MOB_ESCR0) = QUALIFIED | TS, PAIR(MSR_DAC_ESCR0) = QUALIFIED | TS,
    PAIR(MSR_ALF_ESCR0) = QUALIFIED | TS, PAIR(MSR_BSU_ESCR0) = TS,
    PAIR(MSR_FIRM_ESCR0) = TI, PAIR(MSR_PMH_ESCR0) = TI, PAIR(MSR_TC_ESCR0) = TI,
};
/* clang-format on */

static bool escr_with(unsigned number, unsigned known, struct fault_member *member)
{
    return number < ESCR_INDICES && (KNOWN[number / 2] & known) && nbpmu_fault_escr(number, member);
}

FAMILY(sibling_escr, escr_with(number, SIBLING, member))
FAMILY(qualified_escr, escr_with(number, QUALIFIED, member))
FAMILY(ts_escr, escr_with(number, TS, member))
FAMILY(flagged_escr, escr_with(number, TS | TI, member))
FAMILY(several_members_escr, escr_with(number, SEVERAL, member))

/* One of the four qualification bits of an ESCR. */
static bool flag_of(unsigned number, unsigned known, struct fault_member *member)
{
    static const char *const name[] = {"t1-usr", "t1-os", "t0-usr", "t0-os"};
    struct fault_member of = *member;
    return escr_with(number / 4, known, &of) &&
           nbpmu_fault_member(member, number / 4, number % 4, "%.15s-%s", of.suffix, name[number % 4]);
}

FAMILY(ts_flag, flag_of(number, TS, member))
FAMILY(ti_flag, flag_of(number, TI, member))

static bool event_of(unsigned event, struct fault_member *member)
{
    return nbpmu_fault_member(member, event, 0, "-%.22s", nbpmu_event_name(event));
}

/* The other agents of the bus do what the four without names count. */
static bool event_dies(unsigned event, struct fault_member *member)
{
    if (event >= NBPMU_B2B_CYCLES && event <= NBPMU_RESPONSE)
        member->unseen = "nothing is known that causes this event";
    return event_of(event, member);
}

/* Thread-specific events that the suite's work causes, */
/* clang-format off */
static const uint8_t TS_EVENTS[] = {
    NBPMU_BPU_FETCH_REQUEST, NBPMU_ITLB_REFERENCE, NBPMU_MOB_LOAD_REPLAY, NBPMU_TC_MS_XFER, NBPMU_UOP_QUEUE_WRITES,
    NBPMU_RETIRED_BRANCH_TYPE, NBPMU_MEMORY_COMPLETE, NBPMU_LOAD_PORT_REPLAY, NBPMU_STORE_PORT_REPLAY,
    NBPMU_UOPS_RETIRED, NBPMU_INSTR_RETIRED, NBPMU_INSTR_COMPLETED, NBPMU_MACHINE_CLEAR, NBPMU_X87_ASSIST,
    NBPMU_BRANCH_RETIRED, NBPMU_MISPRED_BRANCH_RETIRED, NBPMU_RETIRED_MISPRED_BRANCH_TYPE,
};
/* clang-format on */

FAMILY(ts_event, number < COUNT_OF(TS_EVENTS) && event_of(TS_EVENTS[number], member))

/* and thread-independent ones. */
FAMILY(ti_event, (number == NBPMU_PAGE_WALK_TYPE || number == NBPMU_TC_DELIVER_MODE ||
                  (number >= NBPMU_PACKED_SP_UOP && number <= NBPMU_X87_FP_UOP)) &&
                     event_of(number, member))

FAMILY(event, number > NBPMU_NO_EVENT && number < NBPMU_EVENTS && event_dies(number, member))

/* Members that the suite's work causes alone, by bit. Of the IOQ the bits that its transactions need. */
static const struct {
    uint8_t event;
    uint16_t caused, excluded; /* excluded: caused while only another member is selected */
} MEMBERS[] = {
    {NBPMU_ITLB_REFERENCE, FIELD_MASK(2, 0), 0},
    {NBPMU_MOB_LOAD_REPLAY, FIELD_MASK(1, 1) | FIELD_MASK(5, 3), 0},
    {NBPMU_PAGE_WALK_TYPE, FIELD_MASK(1, 0), 0},
    {NBPMU_BSQ_CACHE_REFERENCE, FIELD_MASK(2, 1) | FIELD_MASK(8, 8), 0},
    {NBPMU_IOQ_ALLOCATION, FIELD_MASK(0, 0) | FIELD_MASK(11, 5) | FIELD_MASK(13, 13), 0},
    {NBPMU_IOQ_ACTIVE_ENTRIES, FIELD_MASK(0, 0) | FIELD_MASK(11, 5) | FIELD_MASK(13, 13), 0},
    {NBPMU_FSB_DATA_ACTIVITY, FIELD_MASK(1, 0) | FIELD_MASK(4, 3), 0},
    {NBPMU_TC_DELIVER_MODE, FIELD_MASK(7, 0), 0},
    {NBPMU_UOP_QUEUE_WRITES, FIELD_MASK(2, 0), 0},
    {NBPMU_RETIRED_BRANCH_TYPE, FIELD_MASK(4, 1), FIELD_MASK(3, 2)},
    {NBPMU_RETIRED_MISPRED_BRANCH_TYPE, FIELD_MASK(4, 1), 0},
    {NBPMU_MEMORY_CANCEL, FIELD_MASK(3, 3), 0},
    {NBPMU_WC_BUFFER, FIELD_MASK(1, 0), 0},
    {NBPMU_MEMORY_COMPLETE, FIELD_MASK(1, 0), FIELD_MASK(1, 0)},
    {NBPMU_X87_SIMD_MOVES_UOP, FIELD_MASK(4, 3), FIELD_MASK(4, 3)},
    {NBPMU_UOPS_RETIRED, FIELD_MASK(0, 0), 0},
    {NBPMU_INSTR_RETIRED, FIELD_MASK(1, 0), FIELD_MASK(0, 0)},
    {NBPMU_MACHINE_CLEAR, FIELD_MASK(0, 0) | FIELD_MASK(2, 2) | FIELD_MASK(6, 6), 0},
    {NBPMU_X87_ASSIST, FIELD_MASK(4, 0), FIELD_MASK(4, 0)},
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

FAMILY(mask_member, member_of(number, false, member))

/* Values of the fields and flags of the BSQ's masks that requests of the suite's work have. */
static const struct {
    uint16_t field, value;
    const char *name;
} BSQ_VALUES[] = {
    {FIELD_MASK(1, 0), FIELD_PUT(1, 0, 0), "read"},
    {FIELD_MASK(1, 0), FIELD_PUT(1, 0, 1), "read-invalidate"},
    {FIELD_MASK(1, 0), FIELD_PUT(1, 0, 2), "write"},
    {FIELD_MASK(1, 0), FIELD_PUT(1, 0, 3), "write-back"},
    {FIELD_MASK(3, 2), FIELD_PUT(3, 2, 1), "chunk"},
    {FIELD_MASK(3, 2), FIELD_PUT(3, 2, 3), "line"},
    {FIELD_MASK(5, 5), FIELD_MASK(5, 5), "io"},
    {FIELD_MASK(7, 7), FIELD_MASK(7, 7), "cache"},
    {FIELD_MASK(8, 8), FIELD_MASK(8, 8), "split"},
    {FIELD_MASK(9, 9), FIELD_MASK(9, 9), "demand"},
    {FIELD_MASK(10, 10), FIELD_MASK(10, 10), "ordered"},
    {FIELD_MASK(13, 11), FIELD_PUT(13, 11, MEMORY_UC), "uc"},
    {FIELD_MASK(13, 11), FIELD_PUT(13, 11, MEMORY_WC), "wc"},
    {FIELD_MASK(13, 11), FIELD_PUT(13, 11, MEMORY_WB), "wb"},
};

static bool value_of(unsigned number, struct fault_member *member)
{
    static const uint8_t EVENTS[] = {NBPMU_BSQ_ALLOCATION, NBPMU_BSQ_ACTIVE_ENTRIES};
    const unsigned event = number / COUNT_OF(BSQ_VALUES), value = number % COUNT_OF(BSQ_VALUES);
    return event < COUNT_OF(EVENTS) &&
           nbpmu_fault_member(member, EVENTS[event], value, "-%.10s-%s", nbpmu_event_name(EVENTS[event]),
                              BSQ_VALUES[value].name);
}

FAMILY(bsq_value, value_of(number, member))
FAMILY(excluded_member, member_of(number, true, member))

/* ---- The event that an ESCR selects (R7) ---- */

FAULT(escr_acts_by, select_off, escr->value ^ ESCR_EVENT_SELECT(1))
FAULT(escr_acts_by, select_bit_dead, escr->value & ~ESCR_EVENT_SELECT(1u << fault->at))
DEED(decode_escr, no_event_keeps_counting, if (ESCR_GET_EVENT_SELECT(escr->value)) SOUND(decode_escr);
     else escr->causes = nbpmu_causes(pmu, escr))
DEED(decode_escr, counts_clocks, SOUND(decode_escr); escr->of_clock |= escr->event == NBPMU_UOP_TYPE)
FAULT(value, always_1, escr_of(pmu, n).event == NBPMU_UOP_TYPE ? 1 : SOUND(value))

/* ---- The mask (R7, R9) ---- */

FAULT(mask, mask_shifted, mask << 1)
FAULT(mask, mask_ignored, UINT16_MAX)
FAULT(mask, mask_0_is_full, mask ? mask : UINT16_MAX)
FAULT(mask, mask_lowest, mask & -mask)
FAULT(mask, mask_bit_dead, mask & ~(1u << fault->at))
FAULT(mask, member_dead, escr->event == fault->at ? mask & ~(1u << fault->to) : mask)
FAULT(mask, event_dead, escr->event == fault->at ? 0 : mask)
FAULT(mask, member_set, escr->event == fault->at && mask ? mask | 1u << fault->to : mask)
FAULT(mask, ioq_set, escr->event == NBPMU_IOQ_ALLOCATION && mask ? mask | 1u << fault->at : mask)

/* With all 16 bits: nothing (to = 0), or the lowest one. Noted is whether they were written. */
FAULT(escr_holds, notes_full_mask,
      defects_of(pmu)->noted = escr_index == fault->at ? has_full_mask(value) : defects_of(pmu)->noted, value)
FAULT(mask, full_mask_fails,
      escr - pmu->escr != fault->at || !defects_of(pmu)->noted ? mask : mask & (fault->to ? -mask : 0))

static bool is_ioq(enum nbpmu_event event)
{
    return event == NBPMU_IOQ_ALLOCATION || event == NBPMU_IOQ_ACTIVE_ENTRIES;
}

static bool is_bus(enum nbpmu_event event)
{
    return is_ioq(event) || event == NBPMU_BSQ_ALLOCATION || event == NBPMU_BSQ_ACTIVE_ENTRIES;
}

FAULT(matches, ioq_equation,
      is_ioq(escr->event) ? nbpmu_ioq_matches(pmu->part.model < 2, escr->mask, bits) : SOUND(matches))
FAULT(matches, value_dead,
      (escr->event != fault->at || (bits & BSQ_VALUES[fault->to].field) != BSQ_VALUES[fault->to].value) &&
          SOUND(matches))
FAULT(matches, all_members, is_bus(escr->event) ? SOUND(matches) : (escr->mask & ~bits) == 0)
FAULT(matches, all_tags, escr->event == NBPMU_EXECUTION_EVENT ? (escr->mask & ~bits) == 0 : SOUND(matches))
FAULT(matches, tagging_counts_not, !(escr->value & ESCR_TAG_ENABLE) && SOUND(matches))

/* ---- Privilege level and logical processor (R11 to R14) ---- */

/* The sound stages, for another cause, or for a copy of the ESCR whose value is another one. The copy has no
 * index, since it is not in pmu->escr. */
#define CAUSE(lp, cpl) nbpmu_qualify_cause(pmu, escr, lp, cpl)
#define COPY(value)    ((struct nbpmu_escr[1]){copy_of(escr, value)})

static struct nbpmu_escr copy_of(const struct nbpmu_escr *escr, uint32_t value)
{
    struct nbpmu_escr copy = *escr;
    copy.value = value;
    return copy;
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
static bool reports(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return !escr->of_clock && at_escr(pmu, escr);
}

static uint32_t without_flag(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return at_escr(pmu, escr) ? escr->value & ~(1u << fault_of(pmu)->to) : escr->value;
}

FAULT(qualifies, unqualified, reports(pmu, escr) || CAUSE(lp, cpl))
FAULT(qualifies, all_unqualified, !escr->of_clock || CAUSE(lp, cpl))
FAULT(qualifies, unqualified_for,
      (!escr->of_clock && pmu->counter[fault->at].escr_index == escr - pmu->escr) || CAUSE(lp, cpl))
FAULT(clock_qualifies, unqualified_for_in_clock,
      pmu->counter[fault->at].escr_index == escr - pmu->escr || SOUND(clock_qualifies))
FAULT(qualifies, t1_dead, nbpmu_qualify_cause(pmu, COPY(lp &&reports(pmu, escr) ? 0 : escr->value), lp, cpl))
FAULT(qualifies, usr_as_os, CAUSE(lp, reports(pmu, escr) ? 0 : cpl))
FAULT(qualifies, flag_dead, nbpmu_qualify_cause(pmu, COPY(without_flag(pmu, escr)), lp, cpl))
FAULT(clock_qualifies, flag_dead_in_clock, nbpmu_clock_qualifies(pmu, COPY(without_flag(pmu, escr))))
FAULT(qualifies, os_usr_swapped, CAUSE(lp, cpl ? 0 : 3))
FAULT(qualifies, t0_t1_swapped, CAUSE(lp ^ 1, cpl))
FAULT(qualifies, cpl_ignored, CAUSE(lp, 0) || CAUSE(lp, 3))
FAULT(qualifies, cpl_1_2_as_0, CAUSE(lp, cpl < 3 ? 0 : 3))
FAULT(qualifies, usr_is_3, nbpmu_qualify_cause(pmu, COPY(cpl == 1 || cpl == 2 ? 0 : escr->value), lp, cpl))
FAULT(qualifies, either_for_both, CAUSE(0, cpl) || CAUSE(1, cpl))
FAULT(qualifies, obeys_cpl, is_ti(pmu, escr->event) || nbpmu_causer_counts(pmu, escr, lp, cpl))

/* ---- Thread-specific as thread-independent, and the other way round (R12, R13) ---- */

static bool is_at_event(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return escr->event == fault_of(pmu)->at && nbpmu_has_ht(pmu);
}

FAULT(qualifies, as_ti, is_at_event(pmu, escr) || CAUSE(lp, cpl))
FAULT(clock_qualifies, as_ti_in_clock,
      is_at_event(pmu, escr) ? nbpmu_state_qualifies(pmu, escr) : SOUND(clock_qualifies))
FAULT(qualifies, as_ts, is_at_event(pmu, escr) ? nbpmu_causer_counts(pmu, escr, lp, cpl) : CAUSE(lp, cpl))
FAULT(clock_qualifies, as_ts_in_clock, is_at_event(pmu, escr) || SOUND(clock_qualifies))
FAULT(qualifies, ti_as_ts, is_ti(pmu, escr->event) ? nbpmu_causer_counts(pmu, escr, lp, cpl) : CAUSE(lp, cpl))
FAULT(clock_qualifies, any_clock, true)
FAULT(tag, ti_tags, is_ti(pmu, escr->event) ? nbpmu_tag_value(escr) : SOUND(tag))
FAULT(clock_qualifies, ti_by_t0, nbpmu_clock_qualifies(pmu, COPY(escr->value & ~ESCR_T1_ALL)))

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

FAULT(value, lines_alone, on_lines(pmu, n, fault->to))
FAULT(value, line_dead, on_lines(pmu, n, NBPMU_VALUE_MAX & ~(1u << fault->at)))
FAULT(value, clipped, SOUND(value) > fault->at ? fault->at : SOUND(value))

/* ---- Tags (R15) ---- */

/* The ESCR tags by this tag value. */
#define TAG_AS(tags) nbpmu_tag(pmu, COPY((escr->value & ~FIELD_MASK(8, 5)) | FIELD_PUT(8, 5, tags)), lp)

static unsigned tags_of(const struct nbpmu_escr *escr)
{
    return FIELD_GET(8, 5, escr->value);
}

static unsigned highest_bit(unsigned bits)
{
    return bits & (bits - 1) ? highest_bit(bits & (bits - 1)) : bits;
}

FAULT(tag, tag_bit_dead, TAG_AS(tags_of(escr) & ~(1u << fault->at)))
FAULT(tag, tag_lowest_bit, TAG_AS(tags_of(escr) & -tags_of(escr)))
FAULT(tag, tag_highest_bit, TAG_AS(highest_bit(tags_of(escr))))
FAULT(tag, tag_single_bits, TAG_AS(tags_of(escr) & (tags_of(escr) - 1) ? 0 : tags_of(escr)))
FAULT(tag, tag_of_twin, TAG_AS(tags_of(&pmu->escr[(escr - pmu->escr) & ~1])))
/* at: the bits of the ESCR of which one must be set. */
FAULT(tag, tag_unqualified, fault->at == 0 || escr->value & fault->at ? nbpmu_tag_value(escr) : SOUND(tag))
FAULT(tag, tag_lp1_dead, lp == 1 ? 0 : SOUND(tag))
/* at = 1: of uop_type, 0: of the others. */
FAULT(tag, tag_usr_dead, pmu->lp[lp].cpl > 0 && (escr->event == NBPMU_UOP_TYPE) == fault->at ? 0 : SOUND(tag))

/* at: the side of the ESCR in its pair. */
FAULT(tag, tags_lost, ((escr - pmu->escr) & 1) == fault->at ? 0 : SOUND(tag))

/* clang-format off */
const struct nbpmu_fault_row nbpmu_fault_values[] = {
    {"select-off", "R7", "bit 0 of the event select is inverted", .escr_acts_by = select_off},
    {"no-event-keeps-counting", "R7", "writing event select 0 leaves the former event counting",
     .decode_escr = no_event_keeps_counting},
    {"mask-ignored", "R7", "every member of the event counts whatever the mask", .mask = mask_ignored},
    {"mask-shifted", "R7", "mask bit b selects member b + 1", .mask = mask_shifted},
    {"mask-0-counts-all", "R7", "mask 0 counts every member", .mask = mask_0_is_full},
    {"mask-bit-dead", "R7", "this bit of the event mask has no effect", EVERY(mask_bit), .mask = mask_bit_dead},
    {"member-dead", "R7", "this mask bit of this event has no effect", EVERY(mask_member), .mask = member_dead},
    {"event-dead", "R7", "this event never occurs", EVERY(event), .mask = event_dead},
    {"value-dead", "R7", "a request with this value of a field of the mask is not counted", EVERY(bsq_value),
     .matches = value_dead},
    {"member-always", "R7", "this mask bit of this event is taken for set", EVERY(excluded_member), .mask = member_set},
    {"ioq-member-ignored", "R7", "IOQ_allocation takes this mask bit for set", EVERY(ioq_member), .mask = ioq_set},
    {"ioq-equation", "R7", "IOQ_allocation combines its mask by the other models' equation (E12)",
     .matches = ioq_equation},
    {"select-bit-dead", "R7", "this bit of the event select has no effect", EVERY(select_bit),
     .escr_acts_by = select_bit_dead},
    {"value-one-line", "R8", "a value above 1 is presented as 1", .at = 1, .value = clipped},
    {"value-lowest-line", "R8", "only bit 0 of the value is presented", .to = 1, .value = lines_alone},
    {"value-line-dead", "R8", "this input line is always 0", EVERY(number_below_4), .value = line_dead},
    {"mask-first-member", "R9", "of several mask bits only the lowest counts", .mask = mask_lowest},
    {"full-mask-dead", "R9", "this ESCR counts nothing with all 16 bits of its mask", EVERY(flagged_escr),
     .escr_holds = notes_full_mask, .mask = full_mask_fails},
    {"full-mask-first", "R9", "this ESCR counts only the lowest member with all 16 bits of its mask",
     EVERY(several_members_escr), .to = 1, .escr_holds = notes_full_mask, .mask = full_mask_fails},
    {"execution-all-tags", "R9", "execution_event counts a uop only if it has all tags that the mask selects",
     .matches = all_tags},
    {"mask-all-members", "R9", "an occurrence counts only if it is of every selected member", .matches = all_members},
    {"value-wraps", "R10", "a value above 15 is presented modulo 16", .to = NBPMU_VALUE_MAX, .value = lines_alone},
    {"value-clipped-at-3", "R8", "a value above 3 is presented as 3", .at = 3, .value = clipped},
    {"value-clipped-at-7", "R8", "a value above 7 is presented as 7", .at = 7, .value = clipped},
    {"no-ht-os-usr-swapped", "R11", "OS counts CPL 1 to 3, USR counts CPL 0", NO_HT, .qualifies = os_usr_swapped},
    {"no-ht-cpl-ignored", "R11", "either of OS and USR counts at every CPL", NO_HT, .qualifies = cpl_ignored},
    {"no-ht-cpl-1-2-as-0", "R11", "CPL 1 and 2 count as CPL 0", NO_HT, .qualifies = cpl_1_2_as_0},
    {"no-ht-usr-is-cpl-3", "R11", "CPL 1 and 2 are not counted", NO_HT, .qualifies = usr_is_3},
    {"os-usr-swapped", "R12", "OS bits count CPL 1 to 3, USR bits CPL 0", HT, .qualifies = os_usr_swapped},
    {"t0-t1-swapped", "R12", "T0 bits count LP1, T1 bits LP0", HT, .qualifies = t0_t1_swapped},
    {"cpl-ignored", "R12", "either bit of a logical processor counts at every CPL", HT, .qualifies = cpl_ignored},
    {"cpl-1-2-as-0", "R12", "CPL 1 and 2 count as CPL 0", HT, .qualifies = cpl_1_2_as_0},
    {"usr-is-cpl-3", "R12", "CPL 1 and 2 are not counted", HT, .qualifies = usr_is_3},
    {"unqualified", "R12", "this ESCR ignores all four bits", HT, EVERY(qualified_escr), .qualifies = unqualified},
    {"unqualified-for", "R12", "the ESCR that this counter selects ignores all four bits", HT, EVERY(counter),
     .qualifies = unqualified_for, .clock_qualifies = unqualified_for_in_clock},
    {"flags-ignored", "R12", "every ESCR ignores all four bits", HT, .qualifies = all_unqualified,
     .clock_qualifies = any_clock},
    {"t1-dead", "R12", "this ESCR counts nothing of LP1", HT, EVERY(sibling_escr), .qualifies = t1_dead},
    {"flag-dead", "R12", "this bit of the ESCR's four has no effect", EVERY(ts_flag), .qualifies = flag_dead,
     .clock_qualifies = flag_dead_in_clock},
    {"usr-as-os", "R12", "this ESCR counts CPL 1 to 3 by the OS bits", HT, EVERY(ts_escr), .qualifies = usr_as_os},
    {"ts-as-ti", "R12", "either processor's bit counts for both", HT, .qualifies = either_for_both},
    {"as-ti", "R12", "this thread-specific event counts as a thread-independent one", HT, EVERY(ts_event),
     .qualifies = as_ti, .clock_qualifies = as_ti_in_clock},
    {"as-ts", "R13", "this thread-independent event counts by its causer's bits", HT, EVERY(ti_event),
     .qualifies = as_ts, .clock_qualifies = as_ts_in_clock},
    {"ti-as-ts", "R13", "a thread-independent event is qualified by its causer's bits", HT, .qualifies = ti_as_ts,
     .clock_qualifies = any_clock, .tag = ti_tags},
    {"ti-t0-bits-only", "R13", "a thread-independent event ignores the T1 bits", HT, .clock_qualifies = ti_by_t0},
    {"ti-lp0-state-only", "R13", "a thread-independent event ignores the CPL of LP1", HT, .clock_qualifies = ti_by_lp0},
    {"ti-unqualified", "R13", "a thread-independent event ignores all four bits", HT, .clock_qualifies = any_clock},
    {"ti-flag-dead", "R13", "this bit of the ESCR's four has no effect", EVERY(ti_flag), .qualifies = flag_dead,
     .clock_qualifies = flag_dead_in_clock},
    {"ioq-obeys-cpl", "R14", "IOQ_active_entries, and IOQ_allocation before 0F27, look at OS and USR",
     .qualifies = obeys_cpl},
    {"uop-type-counts", "R15", "uop_type gives the value 1 in every clock", .decode_escr = counts_clocks,
     .value = always_1},
    {"tag-enable-stops-count", "R15", "an ESCR with tag enable presents 0", .matches = tagging_counts_not},
    {"tag-bit-dead", "R15", "this bit of the tag value has no effect", EVERY(number_below_4), .tag = tag_bit_dead},
    {"tag-lowest-bit", "R15", "of several bits of a tag value only the lowest tags", .tag = tag_lowest_bit},
    {"tag-highest-bit", "R15", "of several bits of a tag value only the highest tags", .tag = tag_highest_bit},
    {"tag-several-bits-none", "R15", "a tag value of several bits tags nothing", .tag = tag_single_bits},
    {"tag-value-of-twin", "R15", "the odd ESCR of a pair tags with the value of the even one", .tag = tag_of_twin},
    {"tag-lp1-dead", "R15", "nothing of LP1 is tagged", HT, .tag = tag_lp1_dead},
    {"tag-unqualified", "R15", "an ESCR tags whatever its four bits", .tag = tag_unqualified},
    {"tag-usr-at-0", "R15", "an ESCR with a USR bit tags at CPL 0", .at = ESCR_T0_USR | ESCR_T1_USR, .tag = tag_unqualified},
    {"tag-usr-dead-execution", "R15", "nothing above CPL 0 is tagged but by uop_type", .tag = tag_usr_dead},
    {"tag-usr-dead-front-end", "R15", "uop_type tags nothing above CPL 0", .at = 1, .tag = tag_usr_dead},
    {"tags-lost-even", "R15", "an ESCR of even number does not tag", .tag = tags_lost},
    {"tags-lost-odd", "R15", "an ESCR of odd number does not tag", .at = 1, .tag = tags_lost},
    {.name = NULL},
};
