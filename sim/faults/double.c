/*
 * The double faults: a fault of the catalogue that strikes while another feature is in use, on the counter at
 * hand or around it. The condition is asked for at the moment in which the fault would have its effect.
 */
#include "faults.h"

/* Counter n, and what distinguishes this condition from others of its kind. */
typedef bool condition(const struct nbpmu *pmu, unsigned n, uint32_t bits);

static bool has_bits(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return pmu->counter[n].cccr & bits;
}

static bool is_gated(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return CCCR_GET_ACTIVE_THREAD(pmu->counter[n].cccr) != ACTIVE_ANY;
}

/* Has its ESCR some of these flags, and no other? */
static bool has_flags(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    const int escr = pmu->counter[n].escr_index;
    const uint32_t flags = escr == NO_ESCR ? 0 : pmu->escr[escr].value & ESCR_CPL_MASK;
    return flags && !(flags & ~bits);
}

static bool shares_escr(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    for (unsigned other = 0; other < PMC_COUNTERS; other++)
        if (other != n && (pmu->running >> other & 1) &&
            pmu->counter[other].escr_index == pmu->counter[n].escr_index)
            return true;
    return false;
}

static bool is_started(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return nbpmu_linked(&pmu->counter[n]);
}

bool nbpmu_fault_awaits(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++)
        for (enum nbpmu_link link = 0; link < LINKS; link++)
            if ((pmu->counter[y].cccr & nbpmu_link_bit(link)) && nbpmu_link_source(pmu, y, link) == (int)n)
                return true;
    return false;
}

static bool is_awaited(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return nbpmu_fault_awaits(pmu, n);
}

static bool has_sign(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return pmu->counter[n].value >> (COUNTER_BITS - 1) == bits;
}

static bool partner_has_ovf(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return n < 16 && (pmu->counter[n ^ 2].cccr & CCCR_OVF);
}

/* bits: in the block of n (1) or outside of it (0). */
static bool other_has_ovf(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    for (unsigned other = 0; other < PMC_COUNTERS; other++)
        if (other != n && (nbpmu_block_of(other) == nbpmu_block_of(n)) == bits &&
            (pmu->counter[other].cccr & CCCR_OVF))
            return true;
    return false;
}

static bool overflows_meet(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return defects_of(pmu)->overflowing & ~(1u << n);
}

static bool has_several(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return several_on(pmu, n);
}

static bool lp1_is_active(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return pmu->lp[1].active;
}

static bool lp_is_halted(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return !pmu->lp[0].active || !pmu->lp[1].active;
}

static bool is_above_cpl_0(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    return (pmu->lp[0].active && pmu->lp[0].cpl) || (pmu->lp[1].active && pmu->lp[1].cpl);
}

/* The conditions: what follows "while" in the name of a fault and in its description, the part that they
 * need, and the function that asks. */
/* clang-format off */
#define CONDITIONS(C) \
    C(COMPARE, "compare", "its CCCR has COMPARE", PART_ANY, has_bits, CCCR_COMPARE) \
    C(COMPLEMENT, "complement", "its CCCR has COMPLEMENT", PART_ANY, has_bits, CCCR_COMPLEMENT) \
    C(THRESHOLD, "threshold", "its CCCR has a threshold above 0", PART_ANY, has_bits, CCCR_THRESHOLD_MASK) \
    C(EDGE, "edge", "its CCCR has EDGE", PART_ANY, has_bits, CCCR_EDGE) \
    C(FORCE_OVF, "force-ovf", "its CCCR has FORCE_OVF", PART_ANY, has_bits, CCCR_FORCE_OVF) \
    C(PMI_T0, "pmi-t0", "its CCCR has OVF_PMI_T0", PART_ANY, has_bits, CCCR_OVF_PMI_T0) \
    C(PMI_T1, "pmi-t1", "its CCCR has OVF_PMI_T1", PART_HT, has_bits, CCCR_OVF_PMI_T1) \
    C(CASCADE, "cascade", "its CCCR has CASCADE", PART_ANY, has_bits, CCCR_CASCADE) \
    C(BIT_11, "bit-11", "its CCCR has bit 11", PART_EXTENDED, has_bits, CCCR_CASCNT) \
    C(GATED, "gated", "its ACTIVE_THREAD is not 11B", PART_HT, is_gated, 0) \
    C(OVF, "ovf", "its OVF is set", PART_ANY, has_bits, CCCR_OVF) \
    C(OS_ALONE, "os-alone", "its ESCR has OS without USR", PART_ANY, has_flags, ESCR_T0_OS | ESCR_T1_OS) \
    C(USR_ALONE, "usr-alone", "its ESCR has USR without OS", PART_ANY, has_flags, ESCR_T0_USR | ESCR_T1_USR) \
    C(T1_ALONE, "t1-alone", "its ESCR has T1 without T0 flags", PART_HT, has_flags, ESCR_T1_ALL) \
    C(ESCR_SHARED, "escr-shared", "another counter counts by its ESCR", PART_ANY, shares_escr, 0) \
    C(STARTED, "started", "a cascade has started it", PART_ANY, is_started, 0) \
    C(AWAITED, "awaited", "another counter waits for its overflow", PART_ANY, is_awaited, 0) \
    C(NEGATIVE, "negative", "its bit 39 is 1", PART_ANY, has_sign, 1) \
    C(POSITIVE, "positive", "its bit 39 is 0", PART_ANY, has_sign, 0) \
    C(PARTNER_OVF, "partner-ovf", "OVF of its cascade partner is set", PART_ANY, partner_has_ovf, 0) \
    C(BLOCK_OVF, "block-ovf", "OVF of another counter of its block is set", PART_ANY, other_has_ovf, 1) \
    C(FOREIGN_OVF, "foreign-ovf", "OVF of a counter of another block is set", PART_ANY, other_has_ovf, 0) \
    C(OVERFLOWS_MEET, "overflows-meet", "another counter overflows in this clock", PART_ANY, overflows_meet, 0) \
    C(SEVERAL, "several", "its ESCR has several occurrences in this clock", PART_ANY, has_several, 0) \
    C(LP1_ACTIVE, "lp1-active", "LP1 is active", PART_HT, lp1_is_active, 0) \
    C(LP_HALTED, "lp-halted", "a logical processor is halted", PART_HT, lp_is_halted, 0) \
    C(ABOVE_CPL_0, "above-cpl-0", "a logical processor is above CPL 0", PART_ANY, is_above_cpl_0, 0)
/* clang-format on */

#define NUMBER(condition, ...) NUMBER_##condition,
enum { CONDITIONS(NUMBER) CONDITIONS_OF_ALL };

static const struct {
    const char *name, *text;
    enum fault_part part;
    condition *holds;
    uint32_t bits;
} CONDITION[] = {
#define ROW(number, ...) {__VA_ARGS__},
    CONDITIONS(ROW)};

bool nbpmu_fault_strikes_while(const struct nbpmu *pmu, unsigned n)
{
    const unsigned number = fault_of(pmu)->condition - 1u;
    return CONDITION[number].holds(pmu, n, CONDITION[number].bits);
}

bool nbpmu_fault_follows_sign(const struct nbpmu_fault *fault)
{
    return fault->condition && CONDITION[fault->condition - 1].holds == has_sign;
}

/* ---- Which faults, while what ---- */

/* A condition is left out if the fault always meets it or never does, or if nothing could show the fault. */
#define NOT(condition) (1u << NUMBER_##condition)

/* By COMPARE an increment is 1 at most. */
#define NOT_COMPARED NOT(COMPARE)
/* The fault strikes a counter's twin on its ESCR as well, so that the two agree. */
#define TWIN_TOO                                                                                             \
    (NOT(OS_ALONE) | NOT(USR_ALONE) | NOT(T1_ALONE) | NOT(PARTNER_OVF) | NOT(BLOCK_OVF) | NOT(FOREIGN_OVF) | \
     NOT(ESCR_SHARED) | NOT(SEVERAL) | NOT(LP1_ACTIVE) | NOT(LP_HALTED) | NOT(ABOVE_CPL_0))
/* Whether a cascade starts with FORCE_OVF is open (E14). */
#define NOT_FORCED NOT(FORCE_OVF)
/* The partner of a counter that waits for a cascade is its X, without whose OVF nothing starts. */
#define IS_X NOT(PARTNER_OVF)
/* At an overflow the old value is negative and the new one positive, unless FORCE_OVF makes the overflow. */
#define SIGN_KNOWN (NOT(NEGATIVE) | NOT(POSITIVE))
/* Code at CPL 0 writes and reads registers, between clocks, and mostly while the sibling is parked. */
#define BETWEEN_CLOCKS (NOT(ABOVE_CPL_0) | NOT(LP1_ACTIVE) | NOT(SEVERAL) | NOT(OVERFLOWS_MEET))

/* A row of the catalogue by its name, its text where it strikes all counters, and the conditions to leave
 * out. */
static const struct {
    const char *name, *text;
    uint32_t without;
} DOUBLES[] = {
    /* clang-format off */
    {"unqualified", "an ESCR ignores its four flags", NOT(SEVERAL) | NOT(OVERFLOWS_MEET)},
    {"t1-dead", "an ESCR counts nothing of LP1", NOT(SEVERAL) | NOT(OVERFLOWS_MEET)},
    {"gate-ignored", "ACTIVE_THREAD has no effect", NOT(OVERFLOWS_MEET) | NOT(GATED)},
    {"complement-without-compare", NULL, NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(COMPLEMENT)},
    {"threshold-without-compare", NULL, NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(THRESHOLD)},
    {"edge-without-compare", NULL, NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(EDGE)},
    {"compare-dead", "COMPARE has no effect", NOT(OVERFLOWS_MEET) | NOT_COMPARED},
    {"threshold-dead", "THRESHOLD is taken for 0", NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(THRESHOLD)},
    {"complement-dead", "COMPLEMENT has no effect",
     NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(COMPLEMENT) | NOT(EDGE)},
    {"threshold-reached", NULL, NOT(COMPLEMENT) | NOT(OVERFLOWS_MEET) | NOT_COMPARED},
    {"edge-dead", "EDGE has no effect", NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(EDGE)},
    {"edge-both", NULL, TWIN_TOO | NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(EDGE)},
    {"counter-dead", "a counter does not advance", 0},
    {"counts-twice", "an increment is added twice", 0},
    {"counts-one", NULL, NOT_COMPARED | NOT(SEVERAL)},
    {"escr-feeds-one", NULL, NOT(ESCR_SHARED)},
    {"ovf-at-carry-32", NULL, NOT(OVERFLOWS_MEET) | NOT(OVF) | NOT(FORCE_OVF)},
    {"ovf-at-carry-39", NULL, ~(NOT(COMPARE) | NOT(EDGE))},
    {"overflow-stops", NULL, NOT(OVF) | NOT(POSITIVE) | NOT(STARTED)},
    {"ovf-missing", "OVF is not set", NOT(OVF) | NOT(POSITIVE)},
    {"ovf-early", NULL, SIGN_KNOWN | NOT_FORCED | NOT(OVF)},
    {"ovf-late", NULL, SIGN_KNOWN | NOT_FORCED | NOT(OVF)},
    {"ovf-not-sticky", NULL, SIGN_KNOWN | NOT_FORCED | NOT(OVF)},
    {"force-dead", "FORCE_OVF has no effect", NOT_FORCED | NOT(OVF)},
    {"counter-write-clears-ovf", NULL, BETWEEN_CLOCKS | NOT(OVF)},
    {"ovf-cleared-by-reading", NULL, BETWEEN_CLOCKS | NOT(OVF)},
    {"ovf-cannot-be-cleared", NULL, BETWEEN_CLOCKS | NOT(OVF)},
    {"cccr-write-loses-ovf", NULL, BETWEEN_CLOCKS | NOT(OVF)},
    {"cccr-write-clears-counter", NULL, BETWEEN_CLOCKS},
    {"rdmsr-clears", NULL, BETWEEN_CLOCKS},
    {"rdpmc-counts", NULL, BETWEEN_CLOCKS},
    {"cascade-unconditional", NULL,
     NOT(BIT_11) | BETWEEN_CLOCKS | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL)},
    {"starts-nothing", "the overflow of a counter starts nothing",
     NOT_FORCED | NOT(OVF) | NOT(AWAITED) | NOT(SEVERAL) | NOT(OVERFLOWS_MEET) | SIGN_KNOWN},
    {"cascade-broken", "CASCADE does not start",
     NOT(BIT_11) | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL)},
    {"cascnt-broken", "bit 11 does not start",
     NOT(CASCADE) | NOT_FORCED | NOT(BIT_11) | NOT(STARTED) | NOT(SEVERAL)},
    {"cascade-early", NULL, IS_X | NOT(BIT_11) | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL)},
    {"cascade-late", NULL, NOT(BIT_11) | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL)},
    {"cascade-stops-x", NULL, NOT_FORCED | SIGN_KNOWN | NOT(OVF) | NOT(STARTED) | NOT(AWAITED) | NOT(SEVERAL)},
    {"cascade-clears-y", NULL, NOT(BIT_11) | NOT_FORCED | NOT(STARTED) | NOT(SEVERAL)},
    {"cascade-outlives-ovf", NULL,
     IS_X | NOT(BIT_11) | BETWEEN_CLOCKS | NOT_FORCED | NOT(CASCADE) | NOT(STARTED)},
    {"enable-cannot-stop", NULL, BETWEEN_CLOCKS},
    {"pmi-freezes", NULL, NOT(OVF) | NOT(POSITIVE) | NOT(STARTED)},
    {"pmi-missing", "no PMI is raised", SIGN_KNOWN | NOT(OVF)},
    {"pmi-swapped", NULL, SIGN_KNOWN | NOT(OVF)},
    {"pmi-to-both", "a PMI goes to both logical processors", SIGN_KNOWN | NOT(OVF)},
    {"pmi-unasked", NULL, SIGN_KNOWN | NOT(OVF) | NOT(PMI_T0)},
    {"pmi-count-late", NULL, SIGN_KNOWN | NOT_FORCED | NOT(OVF) | NOT(SEVERAL) | NOT(OVERFLOWS_MEET)},
    {"pmi-at-overflow", NULL, SIGN_KNOWN | NOT_FORCED | NOT(OVF)},
    {"pmi-not-again", NULL, BETWEEN_CLOCKS | SIGN_KNOWN | NOT(OVF)},
    /* clang-format on */
};

bool nbpmu_fault_double(unsigned number, struct fault_double *found)
{
    const unsigned row = number / CONDITIONS_OF_ALL, condition = number % CONDITIONS_OF_ALL;
    if (row >= COUNT_OF(DOUBLES))
        return false;
    *found = (struct fault_double){
        .row = DOUBLES[row].name,
        .row_text = DOUBLES[row].text,
        .condition = (uint8_t)(condition + 1),
        .exists = !(DOUBLES[row].without >> condition & 1),
        .name = CONDITION[condition].name,
        .text = CONDITION[condition].text,
        .part = CONDITION[condition].part,
    };
    return true;
}
