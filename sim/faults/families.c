/*
 * The families of the fault catalogue: one fault for every counter, bit, ESCR or pair, enumerated from the
 * tables of the model.
 */
#include "catalogue.h"

#include <stdio.h>
#include "sim/netburst/private.h"
#include "pmc/count_of.h"

/* A part that has every cascade and extended cascade. */
static struct nbpmu full_part(void)
{
    return (struct nbpmu){.part = {.model = 4, .stepping = 3, .lps = NBPMU_LPS}};
}

static void suffix(struct fault_member *member, const char *format, unsigned first, unsigned second)
{
    /* A format with one number leaves the second unused. */
    /* cppcheck-suppress wrongPrintfScanfArgNum */
    snprintf(member->suffix, sizeof member->suffix, format, first, second);
}

static bool counter(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)number;
    suffix(member, "-%u", number, 0);
    return true;
}

/* One value above 1 after another, or a value that falls to 1. */
static bool counter_of_several(unsigned number, struct fault_member *member)
{
    if (number >= 8 && number < 12) {
        member->unseen = "no workload is known to present such values in this block";
    }
    return counter(number, member);
}

static bool alias(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)number;
    member->to = (uint8_t)((number + 1) % PMC_COUNTERS);
    suffix(member, "-%u-%u", member->at, member->to);
    return true;
}

/* Member `number` of a family of stuck bits: bit number / 2 reads as number % 2 whatever is written. False
 * when bits does not have that bit. */
static bool stuck_bit(unsigned number, uint64_t bits, struct fault_member *member)
{
    member->at = (uint8_t)(number / 2);
    member->to = (uint8_t)(number % 2);
    suffix(member, "-%u-at-%u", member->at, member->to);
    return bits >> member->at & 1;
}

static bool counter_bit(unsigned number, struct fault_member *member)
{
    return stuck_bit(number, COUNTER_MASK, member);
}

/* The documented bits, without OVF: an OVF that cannot be cleared has a fault of its own. */
static bool cccr_bit(unsigned number, struct fault_member *member)
{
    return stuck_bit(number, FIELD_MASK(27, 11) | CCCR_CASCADE, member);
}

static bool escr_bit(unsigned number, struct fault_member *member)
{
    return stuck_bit(number, FIELD_MASK(30, 0), member);
}

/* The fields of LVTPC, but for the two bits of the delivery mode that Fixed and NMI do not use. A mask that
 * is always 0 makes storms of PMIs. */
static bool lvtpc_bit(unsigned number, struct fault_member *member)
{
    return stuck_bit(number, LVT_VECTOR(FIELD_MASK(7, 0)) | LVT_DELIVERY_NMI | LVT_MASKED, member) &&
           !(1u << member->at == LVT_MASKED && member->to == 0);
}

static bool vector_bit(unsigned number, struct fault_member *member)
{
    return stuck_bit(number, LVT_VECTOR(FIELD_MASK(7, 0)), member);
}

static bool active_cell(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)(number / (NBPMU_LPS + 1));
    member->to = (uint8_t)(number % (NBPMU_LPS + 1));
    suffix(member, "-%u-active-%u", member->at, member->to);
    if (member->to == 0) {
        member->unseen = "counters are powered down while every logical processor is halted (R20, R42)";
    }
    return true;
}

/* Returns why software cannot see that this ESCR reaches no counter: it has no event to select, not even one
 * whose absence could be counted (R16, question 11.11). Returns null if software can see it. */
static const char *uncounted(uint32_t msr)
{
    switch (msr & ~1u) {
    case MSR_SSU_ESCR0:
    case MSR_IS_ESCR0:
    case MSR_IX_ESCR0:
    case MSR_IQ_ESCR0:
    case MSR_FLAME_ESCR0:
    case MSR_U2L_ESCR0:
    case MSR_CRU_ESCR4:
        return "this ESCR has no documented event";
    case MSR_RAT_ESCR0:
        return "its event only tags, and whether its absence reaches a counter is an open question";
    default:
        return NULL;
    }
}

static bool escr(unsigned number, struct fault_member *member)
{
    uint32_t msr = ESCR_MSR(number);
    if (!nbpmu_escr_exists(msr)) {
        return false;
    }
    member->at = (uint8_t)number;
    snprintf(member->suffix, sizeof member->suffix, "-%s", nbpmu_escr_name(msr));
    member->unseen = uncounted(msr);
    return true;
}

#define ESCR_SELECTS 8

static bool route(unsigned number, struct fault_member *member)
{
    const unsigned n = number % NBPMU_COUNTERS, select = number / NBPMU_COUNTERS;
    const uint32_t msr = nbpmu_escr_route(n, select);
    if (!msr) {
        return false;
    }
    member->at = (uint8_t)n;
    member->to = (uint8_t)select;
    snprintf(member->suffix, sizeof member->suffix, "-%u-%s", n, nbpmu_escr_name(msr));
    member->unseen = n == 1 && msr == MSR_FSB_ESCR0
                         ? "a counter 1 that counts no clocks is taken for dead (E4)"
                         : uncounted(msr);
    return true;
}

static bool escr_alias(unsigned number, struct fault_member *member)
{
    unsigned to = number;
    do {
        to = (to + 1) % ESCR_INDICES;
    } while (!nbpmu_escr_exists(ESCR_MSR(to)) ||
             (ESCR_MSR(to) & ~1u) == MSR_IQ_ESCR0); /* IQ_ESCR holds nothing */
    member->at = (uint8_t)number;
    member->to = (uint8_t)to;
    snprintf(member->suffix, sizeof member->suffix, "-%s", nbpmu_escr_name(ESCR_MSR(number)));
    return nbpmu_escr_exists(ESCR_MSR(number)) && (ESCR_MSR(number) & ~1u) != MSR_IQ_ESCR0;
}

/* ESCRs with thread-specific events whose number is known, so that a vector can compare counts. */
static bool sibling_escr(unsigned number, struct fault_member *member)
{
    switch (ESCR_MSR(number) & ~1u) {
    case MSR_MS_ESCR0:
    case MSR_TBPU_ESCR0:
    case MSR_SAAT_ESCR0:
    case MSR_CRU_ESCR0:
    case MSR_CRU_ESCR2:
        return escr(number, member);
    default:
        return false;
    }
}

/* ESCRs whose OS/USR flags can be tested. FIRM, PMH and TC are left out as thread independent (R13); ESCRs
 * with no countable event are covered by the route-dead fault. */
static bool qualified_escr(unsigned number, struct fault_member *member)
{
    switch (ESCR_MSR(number) & ~1u) {
    case MSR_FSB_ESCR0:
    case MSR_BPU_ESCR0:
    case MSR_ITLB_ESCR0:
    case MSR_MOB_ESCR0:
    case MSR_DAC_ESCR0:
    case MSR_ALF_ESCR0:
        return escr(number, member);
    default:
        return sibling_escr(number, member);
    }
}

#define MASK_BITS 16

static bool mask_bit(unsigned number, struct fault_member *member)
{
    /* WC, WT, WP and WB traffic and other agents are not known to occur; bit 12 is reserved. */
    const unsigned uncaused = FIELD_MASK(12, 8) | FIELD_MASK(14, 14);
    counter(number, member);
    if (uncaused >> number & 1) {
        member->unseen = "no event of known number needs this bit";
    }
    return true;
}

/* Mask bits that the suite's own uncached reads do not match. */
static bool ioq_member(unsigned number, struct fault_member *member)
{
    const unsigned of_our_reads = FIELD_MASK(5, 5) | FIELD_MASK(7, 7) | FIELD_MASK(13, 13);
    return counter(number, member) && of_our_reads >> number & 1;
}

static bool link_of(unsigned y, enum nbpmu_link link, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    int x = nbpmu_link_source(&part, y, link);
    member->at = (uint8_t)y;
    member->to = (uint8_t)link;
    suffix(member, "-%u-%u", (unsigned)x, y);
    return x >= 0;
}

static bool cascade(unsigned number, struct fault_member *member)
{
    return link_of(number, LINK_CASCADE, member);
}

static bool cascnt(unsigned number, struct fault_member *member)
{
    return link_of(number, LINK_CASCNT, member);
}

static bool started_by(unsigned y, unsigned x, struct fault_member *member)
{
    member->at = (uint8_t)y;
    member->to = (uint8_t)x;
    suffix(member, "-%u-%u", x, y);
    return x != y;
}

/* Each counter of a pair is started by the partner of the other counter of that pair. */
static bool swapped_partner(unsigned number, struct fault_member *member)
{
    return started_by(number, number ^ 3, member);
}

/* Every X and Y that no cascade links. */
static bool foreign_partner(unsigned number, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    unsigned y = number / PMC_COUNTERS, x = number % PMC_COUNTERS;
    return started_by(y, x, member) && (int)x != nbpmu_cascade_source(&part, y);
}

static bool wrong_cascnt(unsigned number, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    int x = nbpmu_extended_source(&part, number);
    return x >= 0 && started_by(number, (unsigned)x ^ 1, member);
}

/* The CCCRs in which bit 11 is reserved; 16 or 17 starts the counter. */
static bool reserved_cascnt(unsigned number, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    return nbpmu_extended_source(&part, number) < 0 && started_by(number, 16 + number % 2, member);
}

static bool foreign_cascnt(unsigned number, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    unsigned y = number / PMC_COUNTERS, x = number % PMC_COUNTERS;
    int source = nbpmu_extended_source(&part, y);
    return source >= 0 && source != (int)x && started_by(y, x, member);
}

/* ---- Two counters, or a counter and a bit of its CCCR or of its increment ---- */

/* Two partners for each counter: the other one of its pair, and a counter of another block. */
static bool beside(unsigned number, struct fault_member *member)
{
    unsigned n = number % PMC_COUNTERS;
    member->at = (uint8_t)n;
    member->to = (uint8_t)(number < PMC_COUNTERS ? n ^ 1 : (n + 7) % PMC_COUNTERS);
    suffix(member, "-%u-%u", member->at, member->to);
    return true;
}

/* Two counters that can have one ESCR: the pairs, 16 with 12, and 17 with 14. */
static bool twins(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)(2 * number);
    member->to = (uint8_t)(2 * number + 1);
    if (number >= 8) {
        member->at = (uint8_t)(8 + number);
        member->to = (uint8_t)(12 + 2 * (number - 8));
    }
    suffix(member, "-%u-%u", member->at, member->to);
    return true;
}

/* The second and the third overflow of each counter. */
static bool nth(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)(number / 2);
    member->to = (uint8_t)(2 + number % 2);
    suffix(member, "-%u-%u", member->at, member->to);
    return true;
}

/* A counter Y, and the other counter of the pair of its X by CASCADE; for 17 the X of the other reading
 * (5.5.1). */
static bool beside_x(unsigned y, struct fault_member *member)
{
    const struct nbpmu part = full_part();
    const unsigned x = (unsigned)nbpmu_cascade_source(&part, y);
    member->at = (uint8_t)y;
    member->to = (uint8_t)(y == 17 ? x ^ 2 : x ^ 1);
    suffix(member, "-%u-%u", member->to, y);
    return true;
}

/* Counters whose block has events on several ESCRs of their side, each with a number that is known. */
static bool paired(unsigned number, struct fault_member *member)
{
    return counter(number + 4, member);
}

static bool bit_of_counter(unsigned n, unsigned bit, struct fault_member *member)
{
    member->at = (uint8_t)n;
    member->to = (uint8_t)bit;
    suffix(member, "-%u-bit-%u", n, bit);
    return true;
}

static bool threshold_bit(unsigned number, struct fault_member *member)
{
    return bit_of_counter(number / 4, number % 4, member);
}

static bool threshold_of_a_bit(unsigned number, struct fault_member *member)
{
    return bit_of_counter(number, number % 4, member);
}

/* Bits 0 and 1 of the increment, and all four bits of counters 2 and 3, which alone reach events that present
 * more than 3 in a clock. */
static bool increment_bit(unsigned number, struct fault_member *member)
{
    unsigned n = number / 4, bit = number % 4;
    return (bit < 2 || n == 2 || n == 3) && bit_of_counter(n, bit, member);
}

/* A different bit of the adder, from 6 to 39, for each counter. */
static bool counter_carry(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)(6 + 11 * number % 34);
    member->to = (uint8_t)number;
    suffix(member, "-%u-bit-%u", number, member->at);
    return true;
}

static bool third_carry(unsigned number, struct fault_member *member)
{
    member->at = (uint8_t)(1 + 3 * number);
    member->to = EVERY_COUNTER;
    suffix(member, "-%u", member->at, 0);
    return true;
}

/* The counters of the BPU block count clocks, which are so many that rarer losses show. */
static bool counter_losing(unsigned number, struct fault_member *member)
{
    member->at = number < 4 ? 23 : 14;
    member->to = (uint8_t)number;
    suffix(member, "-on-%u", number, 0);
    return true;
}

/* ---- Writes in flight, and a PMI that is due ---- */

/* Two fields of the CCCR for each counter, and other fields for the next counter. */
static bool counter_field(unsigned number, struct fault_member *member)
{
    static const char *const names[] = {"select",    "active", "compare", "complement",
                                        "threshold", "edge",   "force",   "pmi"};
    unsigned n = number / 2, field = (3 * n + number % 2 * 4) % FIELDS;
    member->at = (uint8_t)n;
    member->to = (uint8_t)field;
    if (field == FIELD_ACTIVE) {
        member->part = PART_HT;
    }
    snprintf(member->suffix, sizeof member->suffix, "-%u-%s", n, names[field]);
    return true;
}

/* The ESCRs that can select several events known to the image. */
static bool counting_escr(unsigned number, struct fault_member *member)
{
    static const struct {
        const char *name;
        uint32_t msr;
    } escr[] = {{"fsb", MSR_FSB_ESCR0},   {"tbpu", MSR_TBPU_ESCR0}, {"ms", MSR_MS_ESCR0},
                {"saat", MSR_SAAT_ESCR0}, {"firm", MSR_FIRM_ESCR0}, {"cru01", MSR_CRU_ESCR0},
                {"cru23", MSR_CRU_ESCR2}};
    member->at = (uint8_t)(ESCR_INDEX(escr[number / 2].msr) + (int)(number % 2));
    snprintf(member->suffix, sizeof member->suffix, "-%s-%u", escr[number / 2].name, number % 2);
    return member->to != FIELD_MASK || escr[number / 2].msr != MSR_FIRM_ESCR0; /* ALL is its only mask bit */
}

/* Each thing that may happen while a PMI is due, on each counter. */
static bool meanwhile(unsigned number, struct fault_member *member)
{
    static const char *const names[MEANWHILES] = {
        "rdmsr", "rdpmc", "rdpmc-fast", "cccr-read", "write", "cccr-write", "compare-on", "hlt", "lp1-read"};
    unsigned what = number % MEANWHILES;
    member->at = (uint8_t)(number / MEANWHILES);
    member->to = (uint8_t)what;
    if (what == MEANWHILE_HLT || what == MEANWHILE_LP1_READ) {
        member->part = PART_HT;
    }
    snprintf(member->suffix, sizeof member->suffix, "-%u-%s", member->at, names[what]);
    return true;
}

/* Every way to stop each counter. */
static bool stop(unsigned number, struct fault_member *member)
{
    static const char *const names[STOPS] = {"os", "usr", "mask", "enable"};
    member->at = (uint8_t)(number / STOPS);
    member->to = (uint8_t)(number % STOPS);
    snprintf(member->suffix, sizeof member->suffix, "-%u-%s", member->at, names[member->to]);
    return true;
}

static bool stop_by_flags(unsigned number, struct fault_member *member)
{
    return stop(number, member) && (member->to == STOP_BY_OS || member->to == STOP_BY_USR);
}

/* A field of LVTPC, and a logical processor. */
static bool lvtpc_field(unsigned number, struct fault_member *member)
{
    static const char *const names[] = {"vector", "delivery", "mask"};
    member->at = (uint8_t)(number / 2);
    member->to = (uint8_t)(number % 2);
    snprintf(member->suffix, sizeof member->suffix, "-%s-of-lp%u", names[member->at], member->to);
    return true;
}

/* ---- Privilege levels and logical processors: a bit of an ESCR, an ESCR, a register, an event ---- */

#define ESCR_FLAGS 4u /* ESCR 3:0 */

/* ESCRs with a thread-specific event that the suite's work causes at every privilege level. */
static bool ts_escr(unsigned number, struct fault_member *member)
{
    return (ESCR_MSR(number) & ~1u) == MSR_BSU_ESCR0 ? escr(number, member) : qualified_escr(number, member);
}

/* ESCRs of whose event the mask has several members that the suite's work causes. */
static bool several_members_escr(unsigned number, struct fault_member *member)
{
    switch (ESCR_MSR(number) & ~1u) {
    case MSR_TBPU_ESCR0:
    case MSR_CRU_ESCR2:
        return escr(number, member);
    default:
        return false;
    }
}

static bool ti_escr(unsigned number, struct fault_member *member)
{
    switch (ESCR_MSR(number) & ~1u) {
    case MSR_FIRM_ESCR0:
    case MSR_PMH_ESCR0:
    case MSR_TC_ESCR0:
        return escr(number, member);
    default:
        return false;
    }
}

static bool flagged_escr(unsigned number, struct fault_member *member)
{
    return ts_escr(number, member) || ti_escr(number, member);
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

/* The addresses without a register, each with the register that an incomplete decoder would take it for. */
static bool gap(unsigned number, struct fault_member *member)
{
    const uint32_t msr = MSR_COUNTER(0) + number;
    member->at = (uint8_t)number;
    if (nbpmu_has_msr(msr) || msr == MSR_PEBS_ENABLE) {
        return false;
    }
    if (msr < MSR_CCCR(0)) {
        member->to = (uint8_t)((number & 0x1F) % PMC_COUNTERS);
    } else if (msr < MSR_BSU_ESCR0) {
        member->to = (uint8_t)(MSR_CCCR(number % PMC_COUNTERS) - MSR_COUNTER(0));
    } else {
        member->to =
            (uint8_t)((msr & ~0x40u & ~1u) - MSR_COUNTER(0)); /* 3CEH to 3DFH and so on: 38EH is none */
        if (!nbpmu_escr_exists(MSR_COUNTER(0) + member->to)) {
            member->to = (uint8_t)(MSR_CRU_ESCR0 - MSR_COUNTER(0));
        }
    }
    snprintf(member->suffix, sizeof member->suffix, "-%03XH", (unsigned)msr);
    return true;
}

/* The ESCRs that hold something. */
static bool held_escr(unsigned number, struct fault_member *member)
{
    bool exists = escr(number, member);
    member->unseen = NULL;
    return exists && (ESCR_MSR(number) & ~1u) != MSR_IQ_ESCR0;
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

/* Thread-independent events that the suite's work causes. */
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

/* ---- The families ---- */

#define EVERY_X_AND_Y (PMC_COUNTERS * PMC_COUNTERS)

const struct fault_family nbpmu_every_counter = {PMC_COUNTERS, counter};
const struct fault_family nbpmu_every_counter_of_several = {PMC_COUNTERS, counter_of_several};
const struct fault_family nbpmu_every_alias = {PMC_COUNTERS, alias};
const struct fault_family nbpmu_every_counter_bit = {2 * COUNTER_BITS, counter_bit};
const struct fault_family nbpmu_every_cccr_bit = {2 * 32, cccr_bit};
const struct fault_family nbpmu_every_escr_bit = {2 * 31, escr_bit};
const struct fault_family nbpmu_every_lvtpc_bit = {2 * 17, lvtpc_bit};
const struct fault_family nbpmu_every_vector_bit = {2 * 8, vector_bit};
const struct fault_family nbpmu_every_active_cell = {4 * (NBPMU_LPS + 1), active_cell};
const struct fault_family nbpmu_every_escr = {ESCR_INDICES, escr};
const struct fault_family nbpmu_every_route = {NBPMU_COUNTERS * ESCR_SELECTS, route};
const struct fault_family nbpmu_every_escr_alias = {ESCR_INDICES, escr_alias};
const struct fault_family nbpmu_every_qualified_escr = {ESCR_INDICES, qualified_escr};
const struct fault_family nbpmu_every_sibling_escr = {ESCR_INDICES, sibling_escr};
const struct fault_family nbpmu_every_mask_bit = {MASK_BITS, mask_bit};
const struct fault_family nbpmu_every_ioq_member = {MASK_BITS, ioq_member};
const struct fault_family nbpmu_every_select_bit = {6, counter};
const struct fault_family nbpmu_every_of_4 = {4, counter};
const struct fault_family nbpmu_every_nth = {2 * PMC_COUNTERS, nth};
const struct fault_family nbpmu_every_beside_x = {PMC_COUNTERS, beside_x};
const struct fault_family nbpmu_every_cascade = {PMC_COUNTERS, cascade};
const struct fault_family nbpmu_every_cascnt = {PMC_COUNTERS, cascnt};
const struct fault_family nbpmu_every_swapped_partner = {16, swapped_partner};
const struct fault_family nbpmu_every_foreign_partner = {EVERY_X_AND_Y, foreign_partner};
const struct fault_family nbpmu_every_wrong_cascnt = {PMC_COUNTERS, wrong_cascnt};
const struct fault_family nbpmu_every_reserved_cascnt = {PMC_COUNTERS, reserved_cascnt};
const struct fault_family nbpmu_every_foreign_cascnt = {EVERY_X_AND_Y, foreign_cascnt};
const struct fault_family nbpmu_every_beside = {2 * PMC_COUNTERS, beside};
const struct fault_family nbpmu_every_paired = {12, paired};
const struct fault_family nbpmu_every_twins = {10, twins};
const struct fault_family nbpmu_every_threshold_bit = {4 * PMC_COUNTERS, threshold_bit};
const struct fault_family nbpmu_every_threshold_of_a_bit = {PMC_COUNTERS, threshold_of_a_bit};
const struct fault_family nbpmu_every_increment_bit = {4 * PMC_COUNTERS, increment_bit};
const struct fault_family nbpmu_every_counter_carry = {PMC_COUNTERS, counter_carry};
const struct fault_family nbpmu_every_third_carry = {COUNTER_BITS / 3, third_carry};
const struct fault_family nbpmu_every_counter_field = {2 * PMC_COUNTERS, counter_field};
const struct fault_family nbpmu_every_counting_escr = {14, counting_escr};
const struct fault_family nbpmu_every_meanwhile = {MEANWHILES * PMC_COUNTERS, meanwhile};
const struct fault_family nbpmu_every_stop = {STOPS * PMC_COUNTERS, stop};
const struct fault_family nbpmu_every_stop_by_flags = {STOPS * PMC_COUNTERS, stop_by_flags};
const struct fault_family nbpmu_every_lvtpc_field = {2 * 3, lvtpc_field};
const struct fault_family nbpmu_every_several_members_escr = {ESCR_INDICES, several_members_escr};
const struct fault_family nbpmu_every_flagged_escr = {ESCR_INDICES, flagged_escr};
const struct fault_family nbpmu_every_counter_losing = {PMC_COUNTERS, counter_losing};
const struct fault_family nbpmu_every_ts_event = {NBPMU_EVENTS, ts_event};
const struct fault_family nbpmu_every_ti_event = {NBPMU_EVENTS, ti_event};
const struct fault_family nbpmu_every_member = {16 * COUNT_OF(MEMBERS), event_member};
const struct fault_family nbpmu_every_excluded_member = {16 * COUNT_OF(MEMBERS), excluded_member};
const struct fault_family nbpmu_every_gap = {0x3F0 - 0x300, gap};
const struct fault_family nbpmu_every_held_escr = {ESCR_INDICES, held_escr};
const struct fault_family nbpmu_every_of_15 = {15, counter};
const struct fault_family nbpmu_every_of_16 = {16, counter};
const struct fault_family nbpmu_every_register = {MSR_CRU_ESCR5 - MSR_COUNTER(0) + 1, any_register};
const struct fault_family nbpmu_every_ts_escr = {ESCR_INDICES, ts_escr};
const struct fault_family nbpmu_every_ts_flag = {ESCR_INDICES * ESCR_FLAGS, ts_flag};
const struct fault_family nbpmu_every_ti_flag = {ESCR_INDICES * ESCR_FLAGS, ti_flag};
