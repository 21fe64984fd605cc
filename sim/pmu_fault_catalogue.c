/*
 * The fault catalogue: one row per fault or family of faults, in the order of the rules they break.
 *
 * A rule without a row has nothing that software could catch it at: R9 for level events, R10, R14 on parts that
 * no vector has an uncached page on, R19, R20, R25, R30 and R39 are open points or only reported, R40 and R41
 * say what follows from R33 to R38, R54 and R56 allow what they describe. docs/qualification.md gives the
 * reasons in full.
 */
#include "sim/pmu_fault_catalogue.h"
#include "sim/pmu_private.h"

/* clang-format off */
const struct fault_row PMU_FAULTS[] = {
    /* Registers */
    {"init-clears-counters",         "R1",  "INIT of a logical processor clears the counters", .kind = FAULT_INIT_CLEARS_COUNTERS, .part = PART_HT},
    {"init-clears-cccrs",            "R1",  "INIT of a logical processor clears the CCCRs", .kind = FAULT_INIT_CLEARS_CCCRS, .part = PART_HT},
    {"init-clears-escrs",            "R1",  "INIT of a logical processor clears the ESCRs", .kind = FAULT_INIT_CLEARS_ESCRS, .part = PART_HT},
    {"lvtpc-open-at-reset",          "R1",  "RESET and INIT leave LVTPC unmasked", .kind = FAULT_LVTPC_OPEN_AT_RESET, .part = PART_HT},
    {"escr-starts-counting",         "R2",  "an event in the selected ESCR counts without ENABLE", .kind = FAULT_ESCR_STARTS_COUNTING},
    {"cccr-bit",                     "R3",  "a bit of every CCCR is stuck", .kind = FAULT_CCCR_STUCK, .family = &FAULT_EVERY_CCCR_BIT},
    {"escr-bit",                     "R3",  "a bit of every ESCR is stuck", .kind = FAULT_ESCR_STUCK, .family = &FAULT_EVERY_ESCR_BIT},
    {"counter-bit",                  "R4",  "a bit of every counter is stuck when written", .kind = FAULT_COUNTER_STUCK, .family = &FAULT_EVERY_COUNTER_BIT},
    {"counter-alias",                "R4",  "a write of one counter reaches the next one too", .kind = FAULT_COUNTER_ALIASED, .family = &FAULT_EVERY_ALIAS},
    {"counter-loads-low",            "R4",  "a counter write loads bits 31:0 only", .kind = FAULT_COUNTER_LOADS_LOW},
    {"counter-sign-extended",        "R4",  "a counter write extends bit 31, as on P6", .kind = FAULT_COUNTER_SIGN_EXTENDED},
    {"counter-write-clears-ovf",     "R4",  "a counter write clears OVF", .kind = FAULT_COUNTER_WRITE_CLEARS_OVF},
    {"counter-write-clears-cccr",    "R4",  "a counter write clears its CCCR", .kind = FAULT_COUNTER_WRITE_CLEARS_CCCR},
    {"lp1-writes-lost",              "R5",  "PMU writes of logical processor 1 are lost", .kind = FAULT_LP1_WRITES_LOST, .part = PART_HT},
    {"lp1-reads-zero",               "R5",  "logical processor 1 reads 0 from the PMU", .kind = FAULT_LP1_READS_ZERO, .part = PART_HT},
    {"escr-feeds-one",               "R6",  "only the lowest running counter on an ESCR gets its value", .kind = FAULT_ESCR_FEEDS_ONE},

    /* Value */
    {"select-off",                   "R7",  "bit 0 of the event select is inverted", .kind = FAULT_SELECT_OFF},
    {"no-event-keeps-counting",      "R7",  "writing event select 0 leaves the former event counting", .kind = FAULT_NO_EVENT_KEEPS_COUNTING},
    {"mask-ignored",                 "R7",  "every member of the event counts whatever the mask", .kind = FAULT_MASK_IGNORED},
    {"mask-shifted",                 "R7",  "mask bit b selects member b + 1", .kind = FAULT_MASK_SHIFTED},
    {"mask-0-counts-all",            "R7",  "mask 0 counts every member", .kind = FAULT_MASK_0_COUNTS_ALL},
    {"value-one-line",               "R8",  "a value above 1 is presented as 1", .kind = FAULT_ONE_LINE},
    {"value-lowest-line",            "R8",  "only bit 0 of the value is presented", .kind = FAULT_LOWEST_LINE},
    {"mask-first-member",            "R9",  "of several mask bits only the lowest counts", .kind = FAULT_MASK_FIRST_MEMBER},
    {"mask-all-members",             "R9",  "an occurrence counts only if it is of every selected member", .kind = FAULT_MASK_ALL_MEMBERS},
    {"value-wraps",                  "R10", "a value above 15 is presented modulo 16", .kind = FAULT_VALUE_WRAPS, .unseen = "no event gives software more than 15 occurrences in a clock at will (R10 is stated for the two \"active entries\" events, whose depth is 15)"},
    {"no-ht-os-usr-swapped",         "R11", "OS counts CPL 1 to 3, USR counts CPL 0", .kind = FAULT_OS_USR_SWAPPED, .part = PART_NO_HT},
    {"no-ht-cpl-ignored",            "R11", "either of OS and USR counts at every CPL", .kind = FAULT_CPL_IGNORED, .part = PART_NO_HT},
    {"os-usr-swapped",               "R12", "OS bits count CPL 1 to 3, USR bits CPL 0", .kind = FAULT_OS_USR_SWAPPED, .part = PART_HT},
    {"t0-t1-swapped",                "R12", "T0 bits count LP1, T1 bits LP0", .kind = FAULT_T0_T1_SWAPPED, .part = PART_HT},
    {"cpl-ignored",                  "R12", "either bit of a logical processor counts at every CPL", .kind = FAULT_CPL_IGNORED, .part = PART_HT},
    {"ts-as-ti",                     "R12", "either processor's bit counts for both", .kind = FAULT_TS_AS_TI, .part = PART_HT},
    {"ti-as-ts",                     "R13", "a thread-independent event is qualified by its causer's bits", .kind = FAULT_TI_AS_TS, .part = PART_HT},
    {"ti-t0-bits-only",              "R13", "a thread-independent event ignores the T1 bits", .kind = FAULT_TI_T0_BITS_ONLY, .part = PART_HT},
    {"ti-lp0-state-only",            "R13", "a thread-independent event ignores the CPL of LP1", .kind = FAULT_TI_LP0_STATE_ONLY, .part = PART_HT},
    {"ti-unqualified",               "R13", "a thread-independent event ignores all four bits", .kind = FAULT_TI_UNQUALIFIED, .part = PART_HT},
    {"ioq-obeys-cpl",                "R14", "IOQ_allocation before 0F27 looks at OS and USR", .kind = FAULT_IOQ_OBEYS_CPL, .part = PART_BEFORE_F27},
    {"uop-type-counts",              "R15", "uop_type gives the value 1 in every clock", .kind = FAULT_UOP_TYPE_COUNTS},
    {"tag-enable-stops-count",       "R15", "an ESCR with tag enable presents 0", .kind = FAULT_TAG_ENABLE_STOPS_COUNT},
    {"complement-needs-mask",        "R16", "COMPLEMENT counts nothing with event mask 0", .kind = FAULT_COMPLEMENT_NEEDS_MASK},
    {"complement-obeys-cpl",         "R16", "COMPLEMENT counts nothing with all CPL bits clear", .kind = FAULT_COMPLEMENT_OBEYS_CPL},

    /* Routing and gate */
    {"route-off",                    "R17", "ESCR select s routes position s + 1", .kind = FAULT_ROUTE_OFF},
    {"route-dead",                   "R17", "this ESCR reaches no counter", .kind = FAULT_ROUTE_DEAD, .family = &FAULT_EVERY_ESCR},
    {"route-twin",                   "R17", "this counter is routed the other ESCR of each pair", .kind = FAULT_ROUTE_TWIN, .family = &FAULT_EVERY_COUNTER},
    {"active-thread",                "R18", "one cell of the ACTIVE_THREAD table is wrong", .kind = FAULT_ACTIVE_CELL, .part = PART_HT, .family = &FAULT_EVERY_ACTIVE_CELL},

    /* Filter */
    {"complement-without-compare",   "R21", "COMPLEMENT works without COMPARE", .kind = FAULT_COMPLEMENT_WITHOUT_COMPARE},
    {"threshold-without-compare",    "R21", "THRESHOLD works without COMPARE", .kind = FAULT_THRESHOLD_WITHOUT_COMPARE},
    {"edge-without-compare",         "R21", "EDGE works without COMPARE", .kind = FAULT_EDGE_WITHOUT_COMPARE},
    {"threshold-reached",            "R22", "a value equal to THRESHOLD passes", .kind = FAULT_THRESHOLD_REACHED},
    {"threshold-one-more",           "R22", "the comparison is with THRESHOLD + 1", .kind = FAULT_THRESHOLD_ONE_MORE},
    {"threshold-passes-value",       "R22", "a passed threshold counts the value, not 1", .kind = FAULT_THRESHOLD_PASSES_VALUE},
    {"complement-ignored",           "R22", "COMPLEMENT has no effect", .kind = FAULT_COMPLEMENT_IGNORED},
    {"complement-below",             "R22", "COMPLEMENT passes a value below THRESHOLD, not an equal one", .kind = FAULT_COMPLEMENT_BELOW},
    {"edge-ignored",                 "R23", "EDGE has no effect", .kind = FAULT_EDGE_IGNORED},
    {"edge-falling",                 "R23", "falling edges are counted", .kind = FAULT_EDGE_FALLING},
    {"edge-both",                    "R23", "both edges are counted", .kind = FAULT_EDGE_BOTH},
    {"edge-once",                    "R23", "only the first rising edge is counted", .kind = FAULT_EDGE_ONCE},
    {"edge-needs-threshold",         "R24", "EDGE counts nothing with THRESHOLD 0", .kind = FAULT_EDGE_NEEDS_THRESHOLD},
    {"gate-before-complement",       "R26", "a closed ACTIVE_THREAD gate gives value 0, which COMPLEMENT counts", .kind = FAULT_GATE_BEFORE_COMPLEMENT, .part = PART_HT},

    /* Count and overflow */
    {"counter-dead",                 "R27", "this counter never advances", .kind = FAULT_COUNTER_DEAD, .family = &FAULT_EVERY_COUNTER},
    {"counts-twice",                 "R27", "every increment is added twice", .kind = FAULT_COUNTS_TWICE},
    {"counts-one",                   "R27", "1 is added whatever the increment", .kind = FAULT_COUNTS_ONE},
    {"wraps-at-32",                  "R28", "a counter wraps and overflows at 32 bits", .kind = FAULT_WRAPS_AT_BIT, .at = 32},
    {"wraps-at-39",                  "R28", "a counter wraps and overflows at 39 bits", .kind = FAULT_WRAPS_AT_BIT, .at = 39},
    {"step-over-missed",             "R28", "a step over 0 does not overflow, only one onto 0 does", .kind = FAULT_STEP_OVER_MISSED},
    {"overflow-stops",               "R28", "a counter stops when it overflows", .kind = FAULT_OVERFLOW_STOPS},
    {"ovf-missing",                  "R29", "this counter does not set OVF", .kind = FAULT_OVF_MISSING, .family = &FAULT_EVERY_COUNTER},
    {"ovf-early",                    "R29", "OVF is set one count early", .kind = FAULT_OVF_EARLY},
    {"ovf-late",                     "R29", "OVF is set one count late", .kind = FAULT_OVF_LATE},
    {"ovf-not-sticky",               "R29", "OVF is cleared by the next count", .kind = FAULT_OVF_NOT_STICKY},
    {"ovf-cleared-by-reading",       "R29", "reading a CCCR clears its OVF", .kind = FAULT_CCCR_READ_CLEARS_OVF},
    {"ovf-cannot-be-cleared",        "R29", "a CCCR write cannot clear OVF", .kind = FAULT_CCCR_WRITE_KEEPS_OVF},
    {"force-ignored",                "R31", "FORCE_OVF has no effect", .kind = FAULT_FORCE_IGNORED},
    {"force-sets-ovf-at-once",       "R31", "writing FORCE_OVF sets OVF without a count", .kind = FAULT_FORCE_SETS_OVF_AT_ONCE},
    {"cccr-write-loses-ovf",         "R32", "a CCCR write clears OVF even when it carries it", .kind = FAULT_CCCR_WRITE_LOSES_OVF},
    {"cccr-write-clears-counter",    "R32", "a CCCR write clears its counter", .kind = FAULT_CCCR_WRITE_CLEARS_COUNTER},

    /* Cascades */
    {"cascade-unconditional",        "R33", "CASCADE starts without an overflow", .kind = FAULT_LINK_UNCONDITIONAL, .at = LINK_CASCADE},
    {"cascnt-unconditional",         "R33", "bit 11 starts without an overflow", .kind = FAULT_LINK_UNCONDITIONAL, .at = LINK_CASCNT, .part = PART_EXTENDED},
    {"cascade-broken",               "R34", "this cascade does not start", .kind = FAULT_LINK_BROKEN, .family = &FAULT_EVERY_CASCADE},
    {"cascade-upwards-dead",         "R34", "no cascade to a higher counter starts", .kind = FAULT_LINK_ONE_DIRECTION, .at = 1},
    {"cascade-downwards-dead",       "R34", "no cascade to a lower counter starts", .kind = FAULT_LINK_ONE_DIRECTION, .at = 0},
    {"cascade-swapped",              "R34", "a counter is started by its neighbour's partner", .kind = FAULT_CASCADE_FROM, .family = &FAULT_EVERY_SWAPPED_PARTNER},
    {"cascade-foreign",              "R34", "a counter is started by one that is not its partner as well", .kind = FAULT_CASCADE_ALSO_FROM, .family = &FAULT_EVERY_FOREIGN_PARTNER},
    {"cascnt-broken",                "R35", "this extended cascade does not start", .kind = FAULT_LINK_BROKEN, .part = PART_EXTENDED, .family = &FAULT_EVERY_CASCNT},
    {"cascnt-swapped",               "R35", "bit 11 listens to the wrong one of 16 and 17", .kind = FAULT_CASCNT_FROM, .part = PART_EXTENDED, .family = &FAULT_EVERY_WRONG_CASCNT},
    {"cascnt-foreign",               "R35", "bit 11 listens to another counter as well", .kind = FAULT_CASCNT_ALSO_FROM, .part = PART_EXTENDED, .family = &FAULT_EVERY_FOREIGN_CASCNT},
    {"cascade-needs-enable",         "R36", "CASCADE starts only with ENABLE set in Y", .kind = FAULT_LINK_NEEDS_ENABLE, .at = LINK_CASCADE},
    {"cascnt-needs-enable",          "R36", "bit 11 starts only with ENABLE set in Y", .kind = FAULT_LINK_NEEDS_ENABLE, .at = LINK_CASCNT, .part = PART_EXTENDED},
    {"cascade-blocks-enable",        "R36", "ENABLE has no effect beside CASCADE", .kind = FAULT_CASCADE_BLOCKS_ENABLE},
    {"cascade-early",                "R37", "Y starts one count of X before the overflow", .kind = FAULT_LINK_EARLY, .at = LINK_CASCADE},
    {"cascnt-early",                 "R37", "Y starts by bit 11 one count of X before the overflow", .kind = FAULT_LINK_EARLY, .at = LINK_CASCNT, .part = PART_EXTENDED},
    {"cascade-late",                 "R37", "Y starts 128 counts of X after the overflow", .kind = FAULT_LINK_LATE, .at = LINK_CASCADE},
    {"cascnt-late",                  "R37", "Y starts by bit 11 128 counts of X after the overflow", .kind = FAULT_LINK_LATE, .at = LINK_CASCNT, .part = PART_EXTENDED},
    {"cascade-stops-x",              "R37", "X stops at the overflow that starts Y", .kind = FAULT_CASCADE_STOPS_X},
    {"cascade-clears-y",             "R37", "Y starts from 0 instead of its preset", .kind = FAULT_CASCADE_CLEARS_Y},
    {"enable-cannot-stop",           "R38", "clearing ENABLE does not halt a counter", .kind = FAULT_ENABLE_CANNOT_STOP},
    {"cascade-outlives-flag",        "R38", "clearing CASCADE does not halt Y", .kind = FAULT_LINK_OUTLIVES_FLAG, .at = LINK_CASCADE},
    {"cascade-outlives-ovf",         "R38", "clearing OVF of X does not halt Y", .kind = FAULT_LINK_OUTLIVES_OVF, .at = LINK_CASCADE},
    {"cascnt-outlives-flag",         "R38", "clearing bit 11 does not halt Y", .kind = FAULT_LINK_OUTLIVES_FLAG, .at = LINK_CASCNT, .part = PART_EXTENDED},
    {"cascnt-outlives-ovf",          "R38", "clearing OVF of X does not halt Y started by bit 11", .kind = FAULT_LINK_OUTLIVES_OVF, .at = LINK_CASCNT, .part = PART_EXTENDED},
    {"cascade-not-mutual",           "R40", "X with CASCADE set itself starts nothing", .kind = FAULT_CASCADE_NOT_MUTUAL},
    {"one-halted-stops-all",         "R42", "the counters stop while one of two logical processors is halted", .kind = FAULT_ONE_HALTED_STOPS_ALL, .part = PART_HT},
    {"pmi-freezes",                  "R43", "a PMI stops its counter", .kind = FAULT_PMI_FREEZES},
    {"power-without-twin",           "R44", "an ESCR is powered by counters of its own only, not of its twin's", .kind = FAULT_POWER_WITHOUT_TWIN},

    /* PMI */
    {"pmi-swapped",                  "R45", "OVF_PMI_T0 interrupts LP1 and OVF_PMI_T1 LP0", .kind = FAULT_PMI_SWAPPED, .part = PART_HT},
    {"pmi-to-both",                  "R45", "every PMI goes to both logical processors", .kind = FAULT_PMI_TO_BOTH, .part = PART_HT},
    {"pmi-unasked",                  "R45", "an overflow interrupts LP0 without OVF_PMI", .kind = FAULT_PMI_UNASKED},
    {"pmi-t0-dead",                  "R45", "OVF_PMI_T0 has no effect", .kind = FAULT_PMI_T0_DEAD},
    {"pmi-t1-dead",                  "R45", "OVF_PMI_T1 has no effect", .kind = FAULT_PMI_T1_DEAD, .part = PART_HT},
    {"pmi-count-late",               "R46", "the PMI comes two counts after the overflow", .kind = FAULT_PMI_COUNT_LATE},
    {"pmi-only-forced",              "R46", "no PMI without FORCE_OVF", .kind = FAULT_PMI_ONLY_FORCED},
    {"pmi-at-overflow",              "R47", "the PMI comes with the overflow, without a further count", .kind = FAULT_PMI_AT_OVERFLOW},
    {"force-without-pmi",            "R48", "a forced overflow raises no PMI", .kind = FAULT_FORCE_WITHOUT_PMI},
    {"pmi-not-again",                "R49", "no PMI when LVTPC is unmasked with OVF standing", .kind = FAULT_PMI_NOT_AGAIN},
    {"pmi-outlives-ovf",             "R49", "the PMI request stands though OVF was cleared", .kind = FAULT_PMI_OUTLIVES_OVF},
    {"lvtpc-nmi-as-fixed",           "R50", "LVTPC delivers an NMI as a fixed interrupt", .kind = FAULT_LVTPC_NMI_AS_FIXED},
    {"lvtpc-fixed-as-nmi",           "R50", "LVTPC delivers a fixed interrupt as an NMI", .kind = FAULT_LVTPC_FIXED_AS_NMI},
    {"lvtpc-mask-ignored",           "R50", "a masked LVTPC delivers all the same", .kind = FAULT_LVTPC_MASK_IGNORED},
    {"lvtpc-not-self-masking",       "R51", "delivering a PMI leaves LVTPC unmasked", .kind = FAULT_LVTPC_NOT_SELF_MASKING},
    {"pmi-eoi-ignored",              "R52", "EOI does not end the service of a PMI", .kind = FAULT_PMI_EOI_IGNORED},
    {"lvtpc-survives-svr",           "R53", "LVTPC stays unmasked with the local APIC software-disabled", .kind = FAULT_LVTPC_SURVIVES_SVR},
    {"cascade-pmi-lost",             "R55", "a counter in cascade mode raises no PMI (E3 on every part)", .kind = FAULT_CASCADE_PMI_LOST},

    /* Reading */
    {"rdmsr-clears",                 "R57", "RDMSR of a counter clears it", .kind = FAULT_RDMSR_CLEARS},
    {"rdpmc-counts",                 "R57", "RDPMC of a counter adds 1 to it", .kind = FAULT_RDPMC_COUNTS},
    {"rdpmc-fast-is-full",           "R60", "fast RDPMC returns all 40 bits", .kind = FAULT_RDPMC_FAST_IS_FULL},
    {"rdpmc-fast-faults",            "R60", "fast RDPMC faults", .kind = FAULT_RDPMC_FAST_FAULTS},
    {"rdpmc-full-is-fast",           "R60", "RDPMC returns bits 31:0 only", .kind = FAULT_RDPMC_FULL_IS_FAST},
    {"rdpmc-index-off",              "R60", "RDPMC index n reads counter n + 1", .kind = FAULT_RDPMC_INDEX_OFF},
    {"rdpmc-index-unchecked",        "R60", "RDPMC of an index that does not exist does not fault", .kind = FAULT_RDPMC_INDEX_UNCHECKED},
    {"rdpmc-ignores-pce",            "R60", "RDPMC at CPL 3 does not need CR4.PCE", .kind = FAULT_RDPMC_IGNORES_PCE},
    {"rdpmc-never-at-cpl3",          "R60", "RDPMC at CPL 3 faults with CR4.PCE set", .kind = FAULT_RDPMC_NEVER_AT_CPL3},
};
/* clang-format on */

const size_t PMU_FAULT_ROWS = sizeof PMU_FAULTS / sizeof PMU_FAULTS[0];
