/*
 * The double faults: feature A is dead, leaks, or is early or late while feature B is in use. A row is a
 * deviation of A. It stands for one fault for each condition of conditions.c, B, that it does not leave out.
 *
 * A row leaves a condition out if A always meets it or never does, or if nothing could show the fault.
 */
#include "catalogue.h"
#include "sim/netburst/private.h"

#include "pmc/count_of.h"

#define NOT(condition) (1ull << WHILE_##condition)

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

/* clang-format off */
const struct fault_row nbpmu_double_rows[] = {
    /* Qualification and gate */
    {"unqualified", "R12", "an ESCR ignores its four flags", .kind = FAULT_ESCR_UNQUALIFIED, .keeps_skipping_valid = true, .part = PART_HT, .family = &nbpmu_every_condition, .without = NOT(SEVERAL) | NOT(OVERFLOWS_MEET)},
    {"t1-dead", "R12", "an ESCR counts nothing of LP1", .kind = FAULT_ESCR_T1_DEAD, .keeps_skipping_valid = true, .part = PART_HT, .family = &nbpmu_every_condition, .without = NOT(SEVERAL) | NOT(OVERFLOWS_MEET)},
    {"gate-ignored", "R18", "ACTIVE_THREAD has no effect", .kind = FAULT_GATE_IGNORED, .part = PART_HT, .family = &nbpmu_every_condition, .without = NOT(OVERFLOWS_MEET) | NOT(GATED)},

    /* Filter */
    {"complement-without-compare", "R21", "COMPLEMENT works without COMPARE", .kind = FAULT_COMPLEMENT_WITHOUT_COMPARE, .family = &nbpmu_every_condition, .without = NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(COMPLEMENT)},
    {"threshold-without-compare", "R21", "THRESHOLD works without COMPARE", .kind = FAULT_THRESHOLD_WITHOUT_COMPARE, .family = &nbpmu_every_condition, .without = NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(THRESHOLD)},
    {"edge-without-compare", "R21", "EDGE works without COMPARE", .kind = FAULT_EDGE_WITHOUT_COMPARE, .family = &nbpmu_every_condition, .without = NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(EDGE)},
    {"compare-dead", "R22", "COMPARE has no effect", .kind = FAULT_COMPARE_DEAD, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = NOT(OVERFLOWS_MEET) | NOT_COMPARED},
    {"threshold-dead", "R22", "THRESHOLD is taken for 0", .kind = FAULT_THRESHOLD_DEAD, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(THRESHOLD)},
    {"complement-dead", "R22", "COMPLEMENT has no effect", .kind = FAULT_COMPLEMENT_DEAD, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(COMPLEMENT) | NOT(EDGE)},
    {"threshold-reached", "R22", "a value equal to THRESHOLD passes", .kind = FAULT_THRESHOLD_REACHED, .family = &nbpmu_every_condition, .without = NOT(COMPLEMENT) | NOT(OVERFLOWS_MEET) | NOT_COMPARED},
    {"edge-dead", "R23", "EDGE has no effect", .kind = FAULT_EDGE_DEAD, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(EDGE)},
    {"edge-both", "R23", "both edges are counted", .kind = FAULT_EDGE_BOTH, .family = &nbpmu_every_condition, .without = TWIN_TOO | NOT(OVERFLOWS_MEET) | NOT_COMPARED | NOT(EDGE)},

    /* Count */
    {"counter-dead", "R27", "a counter does not advance", .kind = FAULT_COUNTER_DEAD, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = 0},
    {"counts-twice", "R27", "an increment is added twice", .kind = FAULT_COUNTS_TWICE, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = 0},
    {"counts-one", "R27", "1 is added whatever the increment", .kind = FAULT_COUNTS_ONE, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = NOT_COMPARED | NOT(SEVERAL)},
    {"escr-feeds-one", "R6", "only the lowest running counter on an ESCR gets its value", .kind = FAULT_ESCR_FEEDS_ONE, .family = &nbpmu_every_condition, .without = NOT(ESCR_SHARED)},

    /* Overflow */
    {"ovf-at-carry-32", "R28", "a carry into bit 32 is an overflow too", .kind = FAULT_OVF_AT_CARRY, .keeps_skipping_valid = true, .at = 32, .to = EVERY_COUNTER, .family = &nbpmu_every_condition, .without = NOT(OVERFLOWS_MEET) | NOT(OVF) | NOT(FORCE_OVF)},
    {"ovf-at-carry-39", "R28", "a carry into bit 39 is an overflow too", .kind = FAULT_OVF_AT_CARRY, .keeps_skipping_valid = true, .at = 39, .to = EVERY_COUNTER, .family = &nbpmu_every_condition, .without = ~(NOT(COMPARE) | NOT(EDGE))},
    {"overflow-stops", "R28", "a counter stops when it overflows", .kind = FAULT_OVERFLOW_STOPS, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = NOT(OVF) | NOT(POSITIVE) | NOT(STARTED)},
    {"ovf-missing", "R29", "OVF is not set", .kind = FAULT_OVF_MISSING, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = NOT(OVF) | NOT(POSITIVE)},
    {"ovf-early", "R29", "OVF is set one count early", .kind = FAULT_OVF_EARLY, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = SIGN_KNOWN | NOT_FORCED | NOT(OVF)},
    {"ovf-late", "R29", "OVF is set one count late", .kind = FAULT_OVF_LATE, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = SIGN_KNOWN | NOT_FORCED | NOT(OVF)},
    {"ovf-not-sticky", "R29", "OVF is cleared by the next count", .kind = FAULT_OVF_NOT_STICKY, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = SIGN_KNOWN | NOT_FORCED | NOT(OVF)},
    {"force-dead", "R31", "FORCE_OVF has no effect", .kind = FAULT_FORCE_DEAD, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = NOT_FORCED | NOT(OVF)},

    /* Registers */
    {"counter-write-clears-ovf", "R4", "a counter write clears OVF", .kind = FAULT_COUNTER_WRITE_CLEARS_OVF, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = BETWEEN_CLOCKS | NOT(OVF)},
    {"ovf-cleared-by-reading", "R29", "reading a CCCR clears its OVF", .kind = FAULT_CCCR_READ_CLEARS_OVF, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = BETWEEN_CLOCKS | NOT(OVF)},
    {"ovf-cannot-be-cleared", "R29", "a CCCR write cannot clear OVF", .kind = FAULT_CCCR_WRITE_KEEPS_OVF, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = BETWEEN_CLOCKS | NOT(OVF)},
    {"cccr-write-loses-ovf", "R32", "a CCCR write clears OVF even when it carries it", .kind = FAULT_CCCR_WRITE_LOSES_OVF, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = BETWEEN_CLOCKS | NOT(OVF)},
    {"cccr-write-clears-counter", "R32", "a CCCR write clears its counter", .kind = FAULT_CCCR_WRITE_CLEARS_COUNTER, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = BETWEEN_CLOCKS},
    {"rdmsr-clears", "R57", "RDMSR of a counter clears it", .kind = FAULT_RDMSR_CLEARS, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = BETWEEN_CLOCKS},
    {"rdpmc-counts", "R57", "RDPMC of a counter adds 1 to it", .kind = FAULT_RDPMC_COUNTS, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = BETWEEN_CLOCKS},

    /* Cascades */
    {"cascade-unconditional", "R33", "CASCADE starts without an overflow", .kind = FAULT_LINK_UNCONDITIONAL, .at = LINK_CASCADE, .family = &nbpmu_every_condition, .without = NOT(BIT_11) | BETWEEN_CLOCKS | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL)},
    {"starts-nothing", "R33", "the overflow of a counter starts nothing", .kind = FAULT_STARTS_NOTHING, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = NOT_FORCED | NOT(OVF) | NOT(AWAITED) | NOT(SEVERAL) | NOT(OVERFLOWS_MEET) | NOT(POSITIVE) | NOT(NEGATIVE)},
    {"cascade-broken", "R34", "CASCADE does not start", .kind = FAULT_LINK_BROKEN, .keeps_skipping_valid = true, .to = LINK_CASCADE, .family = &nbpmu_every_condition, .without = NOT(BIT_11) | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL)},
    {"cascnt-broken", "R35", "bit 11 does not start", .kind = FAULT_LINK_BROKEN, .keeps_skipping_valid = true, .to = LINK_CASCNT, .part = PART_EXTENDED, .family = &nbpmu_every_condition, .without = NOT(CASCADE) | NOT_FORCED | NOT(BIT_11) | NOT(STARTED) | NOT(SEVERAL)},
    {"cascade-early", "R37", "Y starts one count of X before the overflow", .kind = FAULT_LINK_EARLY, .at = LINK_CASCADE, .family = &nbpmu_every_condition, .without = IS_X | NOT(BIT_11) | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL)},
    {"cascade-late", "R37", "Y starts 128 counts of X after the overflow", .kind = FAULT_LINK_LATE, .at = LINK_CASCADE, .family = &nbpmu_every_condition, .without = NOT(BIT_11) | NOT_FORCED | NOT(CASCADE) | NOT(STARTED) | NOT(SEVERAL)},
    {"cascade-stops-x", "R37", "X stops at the overflow that starts Y", .kind = FAULT_CASCADE_STOPS_X, .family = &nbpmu_every_condition, .without = NOT_FORCED | SIGN_KNOWN | NOT(OVF) | NOT(STARTED) | NOT(AWAITED) | NOT(SEVERAL)},
    {"cascade-clears-y", "R37", "Y starts from 0 instead of its preset", .kind = FAULT_CASCADE_CLEARS_Y, .family = &nbpmu_every_condition, .without = NOT(BIT_11) | NOT_FORCED | NOT(STARTED) | NOT(SEVERAL)},
    {"cascade-outlives-ovf", "R38", "clearing OVF of X does not halt Y", .kind = FAULT_LINK_OUTLIVES_OVF, .at = LINK_CASCADE, .family = &nbpmu_every_condition, .without = IS_X | NOT(BIT_11) | BETWEEN_CLOCKS | NOT_FORCED | NOT(CASCADE) | NOT(STARTED)},
    {"enable-cannot-stop", "R38", "clearing ENABLE does not halt a counter", .kind = FAULT_ENABLE_CANNOT_STOP, .family = &nbpmu_every_condition, .without = BETWEEN_CLOCKS},

    /* PMI */
    {"pmi-freezes", "R43", "a PMI stops its counter", .kind = FAULT_PMI_FREEZES, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = NOT(OVF) | NOT(POSITIVE) | NOT(STARTED)},
    {"pmi-missing", "R45", "no PMI is raised", .kind = FAULT_PMI_MISSING, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = SIGN_KNOWN | NOT(OVF)},
    {"pmi-swapped", "R45", "OVF_PMI_T0 interrupts LP1 and OVF_PMI_T1 LP0", .kind = FAULT_PMI_SWAPPED, .keeps_skipping_valid = true, .part = PART_HT, .family = &nbpmu_every_condition, .without = SIGN_KNOWN | NOT(OVF)},
    {"pmi-to-both", "R45", "a PMI goes to both logical processors", .kind = FAULT_PMI_TO_BOTH, .keeps_skipping_valid = true, .part = PART_HT, .family = &nbpmu_every_condition, .without = SIGN_KNOWN | NOT(OVF)},
    {"pmi-unasked", "R45", "an overflow interrupts LP0 without OVF_PMI", .kind = FAULT_PMI_UNASKED, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = SIGN_KNOWN | NOT(OVF) | NOT(PMI_T0)},
    {"pmi-count-late", "R46", "the PMI comes two counts after the overflow", .kind = FAULT_PMI_COUNT_LATE, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = SIGN_KNOWN | NOT_FORCED | NOT(OVF) | NOT(SEVERAL) | NOT(OVERFLOWS_MEET)},
    {"pmi-at-overflow", "R47", "the PMI comes with the overflow, without a further count", .kind = FAULT_PMI_AT_OVERFLOW, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = SIGN_KNOWN | NOT_FORCED | NOT(OVF)},
    {"pmi-not-again", "R49", "no PMI when LVTPC is unmasked with OVF standing", .kind = FAULT_PMI_NOT_AGAIN, .keeps_skipping_valid = true, .family = &nbpmu_every_condition, .without = BETWEEN_CLOCKS | SIGN_KNOWN | NOT(OVF)},
};
/* clang-format on */

const size_t nbpmu_double_row_count = COUNT_OF(nbpmu_double_rows);
