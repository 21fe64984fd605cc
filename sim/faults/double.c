/*
 * The double faults: a fault of the catalogue that strikes while another feature is in use, on the counter at
 * hand or around it. The condition is asked for at the moment in which the fault would have its effect.
 */
#include "faults.h"

/* Has its ESCR some of these flags, and no other? */
static bool has_flags(const struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    const uint32_t flags = escr_of(pmu, n).value & ESCR_CPL_MASK;
    return flags && !(flags & ~bits);
}

bool nbpmu_fault_awaits(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++)
        for (enum nbpmu_link link = 0; link < LINKS; link++)
            if (has_bits(pmu, y, nbpmu_link_bit(link)) && nbpmu_link_source(pmu, y, link) == (int)n)
                return true;
    return false;
}

/* In the block of n, or outside of it. */
static bool other_has_ovf(const struct nbpmu *pmu, unsigned n, bool of_block)
{
    for (unsigned other = 0; other < PMC_COUNTERS; other++)
        if (other != n && (nbpmu_block_of(other) == nbpmu_block_of(n)) == of_block &&
            has_bits(pmu, other, CCCR_OVF))
            return true;
    return false;
}

static bool is_above_cpl_0(const struct nbpmu *pmu)
{
    return (pmu->lp[0].active && pmu->lp[0].cpl) || (pmu->lp[1].active && pmu->lp[1].cpl);
}

/* The conditions: what follows "while" in the name of a fault and in its description, the part that they
 * need, and whether they hold for counter n. */
/* clang-format off */
#define CONDITIONS(C) \
    C(COMPARE, "compare", "its CCCR has COMPARE", PART_ANY, has_bits(pmu, n, CCCR_COMPARE)) \
    C(COMPLEMENT, "complement", "its CCCR has COMPLEMENT", PART_ANY, has_bits(pmu, n, CCCR_COMPLEMENT)) \
    C(THRESHOLD, "threshold", "its CCCR has a threshold above 0", PART_ANY, has_bits(pmu, n, CCCR_THRESHOLD_MASK)) \
    C(EDGE, "edge", "its CCCR has EDGE", PART_ANY, has_bits(pmu, n, CCCR_EDGE)) \
    C(FORCE_OVF, "force-ovf", "its CCCR has FORCE_OVF", PART_ANY, has_bits(pmu, n, CCCR_FORCE_OVF)) \
    C(PMI_T0, "pmi-t0", "its CCCR has OVF_PMI_T0", PART_ANY, has_bits(pmu, n, CCCR_OVF_PMI_T0)) \
    C(PMI_T1, "pmi-t1", "its CCCR has OVF_PMI_T1", PART_HT, has_bits(pmu, n, CCCR_OVF_PMI_T1)) \
    C(CASCADE, "cascade", "its CCCR has CASCADE", PART_ANY, has_bits(pmu, n, CCCR_CASCADE)) \
    C(BIT_11, "bit-11", "its CCCR has bit 11", PART_EXTENDED, has_bits(pmu, n, CCCR_CASCNT)) \
    C(GATED, "gated", "its ACTIVE_THREAD is not 11B", PART_HT, \
      CCCR_GET_ACTIVE_THREAD(pmu->counter[n].cccr) != ACTIVE_ANY) \
    C(OVF, "ovf", "its OVF is set", PART_ANY, has_bits(pmu, n, CCCR_OVF)) \
    C(OS_ALONE, "os-alone", "its ESCR has OS without USR", PART_ANY, has_flags(pmu, n, ESCR_T0_OS | ESCR_T1_OS)) \
    C(USR_ALONE, "usr-alone", "its ESCR has USR without OS", PART_ANY, has_flags(pmu, n, ESCR_T0_USR | ESCR_T1_USR)) \
    C(T1_ALONE, "t1-alone", "its ESCR has T1 without T0 flags", PART_HT, has_flags(pmu, n, ESCR_T1_ALL)) \
    C(ESCR_SHARED, "escr-shared", "another counter counts by its ESCR", PART_ANY, nbpmu_fault_shares_escr(pmu, n)) \
    C(STARTED, "started", "a cascade has started it", PART_ANY, nbpmu_linked(&pmu->counter[n])) \
    C(AWAITED, "awaited", "another counter waits for its overflow", PART_ANY, nbpmu_fault_awaits(pmu, n)) \
    C(NEGATIVE, "negative", "its bit 39 is 1", PART_ANY, pmu->counter[n].value > COUNTER_MASK / 2) \
    C(POSITIVE, "positive", "its bit 39 is 0", PART_ANY, pmu->counter[n].value <= COUNTER_MASK / 2) \
    C(PARTNER_OVF, "partner-ovf", "OVF of its cascade partner is set", PART_ANY, \
      n < 16 && has_bits(pmu, n ^ 2, CCCR_OVF)) \
    C(BLOCK_OVF, "block-ovf", "OVF of another counter of its block is set", PART_ANY, other_has_ovf(pmu, n, true)) \
    C(FOREIGN_OVF, "foreign-ovf", "OVF of a counter of another block is set", PART_ANY, other_has_ovf(pmu, n, false)) \
    C(OVERFLOWS_MEET, "overflows-meet", "another counter overflows in this clock", PART_ANY, \
      defects_of(pmu)->overflowing & ~(1u << n)) \
    C(SEVERAL, "several", "its ESCR has several occurrences in this clock", PART_ANY, escr_of(pmu, n).sum > 1) \
    C(LP1_ACTIVE, "lp1-active", "LP1 is active", PART_HT, pmu->lp[1].active) \
    C(LP_HALTED, "lp-halted", "a logical processor is halted", PART_HT, !pmu->lp[0].active || !pmu->lp[1].active) \
    C(ABOVE_CPL_0, "above-cpl-0", "a logical processor is above CPL 0", PART_ANY, is_above_cpl_0(pmu))
/* clang-format on */

#define NUMBER(condition, ...) NUMBER_##condition,
enum { CONDITIONS(NUMBER) CONDITIONS_OF_ALL };

static const struct {
    const char *name, *text;
    enum fault_part part;
} CONDITION[] = {
#define ROW(number, name, text, part, ...) {name, text, part},
    CONDITIONS(ROW)};

bool nbpmu_fault_strikes_while(const struct nbpmu *pmu, unsigned n)
{
    switch (fault_of(pmu)->condition - 1) {
#define CASE(number, name, text, part, ...) \
    case NUMBER_##number:                   \
        return __VA_ARGS__;
        CONDITIONS(CASE)
    }
    return false;
}

bool nbpmu_fault_follows_sign(const struct nbpmu_fault *fault)
{
    return fault->condition == 1 + NUMBER_NEGATIVE || fault->condition == 1 + NUMBER_POSITIVE;
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

/* A row of the catalogue by its name, the conditions to leave out, and its text where it strikes all
 * counters. */
static const struct {
    const char *name;
    uint32_t without;
    const char *text;
} DOUBLES[] = {
    /* clang-format off */
    {"unqualified", NOT(SEVERAL) | NOT(OVERFLOWS_MEET), "an ESCR ignores its four flags"},
    {"t1-dead", NOT(SEVERAL) | NOT(OVERFLOWS_MEET), "an ESCR counts nothing of LP1"},
    {"gate-ignored", NOT(OVERFLOWS_MEET) | NOT(GATED), "ACTIVE_THREAD has no effect"},
    {"complement-without-compare", NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(COMPLEMENT), NULL},
    {"threshold-without-compare", NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(THRESHOLD), NULL},
    {"edge-without-compare", NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(EDGE), NULL},
    {"compare-dead", NOT(OVERFLOWS_MEET) | NOT_COMPARED, "COMPARE has no effect"},
    {"threshold-dead", NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(THRESHOLD), "THRESHOLD is taken for 0"},
    {"complement-dead", NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(COMPLEMENT) | NOT(EDGE), "COMPLEMENT has no effect"},
    {"threshold-reached", NOT(COMPLEMENT) | NOT(OVERFLOWS_MEET) | NOT_COMPARED, NULL},
    {"edge-dead", NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(EDGE), "EDGE has no effect"},
    {"edge-both", TWIN_TOO | NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(EDGE), NULL},
    {"counter-dead", 0, "a counter does not advance"},
    {"counts-twice", 0, "an increment is added twice"},
    {"counts-one", NOT_COMPARED | NOT(SEVERAL), NULL},
    {"escr-feeds-one", NOT(ESCR_SHARED), NULL},
    {"ovf-at-carry-32", NOT(OVERFLOWS_MEET) | NOT(OVF) | NOT(FORCE_OVF), NULL},
    {"ovf-at-carry-39", ~(NOT(COMPARE) | NOT(EDGE)), NULL},
    {"overflow-stops", NOT(OVF) | NOT(POSITIVE) | NOT(STARTED), NULL},
    {"ovf-missing", NOT(OVF) | NOT(POSITIVE), "OVF is not set"},
    {"ovf-early", SIGN_KNOWN | NOT_FORCED | NOT(OVF), NULL},
    {"ovf-late", SIGN_KNOWN | NOT_FORCED | NOT(OVF), NULL},
    {"ovf-not-sticky", SIGN_KNOWN | NOT_FORCED | NOT(OVF), NULL},
    {"force-dead", NOT_FORCED | NOT(OVF), "FORCE_OVF has no effect"},
    {"counter-write-clears-ovf", BETWEEN_CLOCKS | NOT(OVF), NULL},
    {"ovf-cleared-by-reading", BETWEEN_CLOCKS | NOT(OVF), NULL},
    {"ovf-cannot-be-cleared", BETWEEN_CLOCKS | NOT(OVF), NULL},
    {"cccr-write-loses-ovf", BETWEEN_CLOCKS | NOT(OVF), NULL},
    {"cccr-write-clears-counter", BETWEEN_CLOCKS, NULL},
    {"rdmsr-clears", BETWEEN_CLOCKS, NULL},
    {"rdpmc-counts", BETWEEN_CLOCKS, NULL},
    {"cascade-unconditional", NOT(BIT_11) | BETWEEN_CLOCKS | NOT_FORCED | NOT(CASCADE) | NOT(STARTED), NULL},
    {"starts-nothing", NOT_FORCED | NOT(OVF) | NOT(AWAITED) | NOT(SEVERAL) | NOT(OVERFLOWS_MEET) | SIGN_KNOWN, NULL},
    {"cascade-broken", NOT(BIT_11) | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL), "CASCADE does not start"},
    {"cascnt-broken", NOT(CASCADE) | NOT_FORCED | NOT(BIT_11) | NOT(STARTED) | NOT(SEVERAL), "bit 11 does not start"},
    {"cascade-early", IS_X | NOT(BIT_11) | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL), NULL},
    {"cascade-late", NOT(BIT_11) | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL), NULL},
    {"cascade-stops-x", NOT_FORCED | SIGN_KNOWN | NOT(OVF) | NOT(STARTED) | NOT(AWAITED) | NOT(SEVERAL), NULL},
    {"cascade-clears-y", NOT(BIT_11) | NOT_FORCED | NOT(STARTED) | NOT(SEVERAL), NULL},
    {"cascade-outlives-ovf", IS_X | NOT(BIT_11) | BETWEEN_CLOCKS | NOT_FORCED | NOT(CASCADE) | NOT(STARTED), NULL},
    {"enable-cannot-stop", BETWEEN_CLOCKS, NULL},
    {"pmi-freezes", NOT(OVF) | NOT(POSITIVE) | NOT(STARTED), NULL},
    {"pmi-missing", SIGN_KNOWN | NOT(OVF), "no PMI is raised"},
    {"pmi-swapped", SIGN_KNOWN | NOT(OVF), NULL},
    {"pmi-to-both", SIGN_KNOWN | NOT(OVF), "a PMI goes to both logical processors"},
    {"pmi-unasked", SIGN_KNOWN | NOT(OVF) | NOT(PMI_T0), NULL},
    {"pmi-count-late", SIGN_KNOWN | NOT_FORCED | NOT(OVF) | NOT(SEVERAL) | NOT(OVERFLOWS_MEET), NULL},
    {"pmi-at-overflow", SIGN_KNOWN | NOT_FORCED | NOT(OVF), NULL},
    {"pmi-not-again", BETWEEN_CLOCKS | SIGN_KNOWN | NOT(OVF), NULL},
    /* clang-format on */
};

bool nbpmu_fault_double(unsigned *number, struct fault_double *found)
{
    unsigned row, condition;
    do {
        row = *number / CONDITIONS_OF_ALL;
        condition = (*number)++ % CONDITIONS_OF_ALL;
        if (row >= COUNT_OF(DOUBLES))
            return false;
    } while (DOUBLES[row].without >> condition & 1);
    *found = (struct fault_double){
        .row = DOUBLES[row].name,
        .row_text = DOUBLES[row].text,
        .condition = (uint8_t)(condition + 1),
        .name = CONDITION[condition].name,
        .text = CONDITION[condition].text,
        .part = CONDITION[condition].part,
    };
    return true;
}
