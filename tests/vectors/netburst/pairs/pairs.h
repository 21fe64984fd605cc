/*
 * The features of a counter's life that meet in the rows of the covering array (pairs.c), and the form of
 * these rows.
 *
 * This list is the only place where features and their levels are written: the C names are derived from it,
 * the words of messages, and the rows, which tools/pairs makes when the image is built. tools/pairs reads the
 * lines between PAIRS_BEGIN and PAIRS_END: a line of each FEATURE(NAME, words), followed by a line of each of
 * its LEVEL(FEATURE, NAME, words). The first level of a feature is what a counter has without it, and is not
 * mentioned in messages.
 */
#ifndef TESTS_VECTORS_NETBURST_PAIRS_H
#define TESTS_VECTORS_NETBURST_PAIRS_H

#include <stddef.h>
#include <stdint.h>

/*
 * What does not meet, read by tools/pairs and tools/lib/Pairs.pm. "absent": the table has no such level.
 * "apart": these two levels never meet, because the manual excludes it, or no expectation follows from it.
 * "only": the counters that have the level; all others if none is said.
 * "masks": a row with these levels shows little of the others, so pairs also meet in rows without such
 * levels, wherever they can.
 *
 * PAIRS_RULES
 *   table BPU 0-3
 *   table MS_FLAME 4-7
 *   table IQ 12-17
 *   absent BPU STARTED BIT_11                            the IQ block's alone (R35)
 *   absent BPU STARTED CHAIN                             there CASCADE leads back to the first counter (R34)
 *   absent BPU EVENT SEVERAL                             no event that is known to come so
 *   absent MS_FLAME STARTED BIT_11
 *   absent MS_FLAME STARTED CHAIN
 *   absent MS_FLAME EVENT CLOCKS                         no event of theirs is one of every clock
 *   absent MS_FLAME EVENT SEVERAL
 *   absent IQ EVENT CLOCKS
 *   only STARTED BIT_11 12 15 16 17                      R35
 *   only STARTED CASCADE 0-16                            who starts 17 is open (10.2)
 *   masks FLAGS NONE                                     in such a row the counter may count nothing
 *   masks FLAGS OTHER
 *   masks ACTIVE NONE
 *   masks FILTER ABOVE_15
 *   masks FLAGS OS CPL 1
 *   masks FLAGS OS CPL 2
 *   masks FLAGS OS CPL 3
 *   masks FLAGS USR CPL 0
 *   masks ACTIVE SINGLE OTHER RUNNING
 *   masks ACTIVE BOTH OTHER HALTED
 *   masks FILTER ABOVE_1 EVENT SINGLE
 *   masks FILTER ABOVE_3 EVENT SINGLE
 *   masks FILTER ABOVE_1 EVENT CLOCKS
 *   masks FILTER ABOVE_3 EVENT CLOCKS
 *   apart any FORCE ON STARTED CASCADE                   whether they work together is open (E14, 10.6)
 *   apart any FORCE ON STARTED BIT_11
 *   apart any FORCE ON STARTED CHAIN
 *   apart any MEANWHILE INIT WORKER SIBLING              INIT ends what the sibling does
 *   apart any MEANWHILE INIT OTHER RUNNING
 *   apart any MEANWHILE ACCESS OTHER HALTED              a halted processor accesses nothing
 *   apart BPU EVENT SINGLE WORKER SIBLING                the uncached page is the boot processor's (paging.h)
 * PAIRS_RULES_END
 */

/* clang-format off */
#define PAIRS(FEATURE, LEVEL) /* PAIRS_BEGIN */ \
    FEATURE(STARTED, "started by") \
        LEVEL(STARTED, ENABLE,      "ENABLE") \
        LEVEL(STARTED, CASCADE,     "started by CASCADE") \
        LEVEL(STARTED, BIT_11,      "started by bit 11") \
        LEVEL(STARTED, CHAIN,       "started by a cascaded counter") \
    FEATURE(EVENT, "event") \
        LEVEL(EVENT, SINGLE,        "single events") \
        LEVEL(EVENT, CLOCKS,        "an event of every clock") \
        LEVEL(EVENT, SEVERAL,       "several events a clock") \
    FEATURE(FILTER, "filter") \
        LEVEL(FILTER, NONE,         "no filter") \
        LEVEL(FILTER, INERT,        "filter fields without COMPARE") \
        LEVEL(FILTER, ABOVE_0,      "COMPARE threshold 0") \
        LEVEL(FILTER, ABOVE_1,      "COMPARE threshold 1") \
        LEVEL(FILTER, ABOVE_3,      "COMPARE threshold 3") \
        LEVEL(FILTER, ABOVE_15,     "COMPARE threshold 15") \
        LEVEL(FILTER, AT_MOST_0,    "COMPLEMENT threshold 0") \
        LEVEL(FILTER, AT_MOST_15,   "COMPLEMENT threshold 15") \
        LEVEL(FILTER, RISING,       "EDGE") \
        LEVEL(FILTER, FALLING,      "EDGE with COMPLEMENT") \
    FEATURE(ACTIVE, "ACTIVE_THREAD") \
        LEVEL(ACTIVE, ANY,          "ACTIVE_THREAD any") \
        LEVEL(ACTIVE, SINGLE,       "ACTIVE_THREAD single") \
        LEVEL(ACTIVE, BOTH,         "ACTIVE_THREAD both") \
        LEVEL(ACTIVE, NONE,         "ACTIVE_THREAD none") \
    FEATURE(FLAGS, "ESCR flags") \
        LEVEL(FLAGS, ALL,           "OS and USR") \
        LEVEL(FLAGS, OS,            "OS alone") \
        LEVEL(FLAGS, USR,           "USR alone") \
        LEVEL(FLAGS, NONE,          "neither OS nor USR") \
        LEVEL(FLAGS, OTHER,         "flags of the other processor") \
    FEATURE(CPL, "CPL of the work") \
        LEVEL(CPL, 0,               "CPL 0") \
        LEVEL(CPL, 1,               "CPL 1") \
        LEVEL(CPL, 2,               "CPL 2") \
        LEVEL(CPL, 3,               "CPL 3") \
    FEATURE(WORKER, "who works") \
        LEVEL(WORKER, THIS,         "this processor works") \
        LEVEL(WORKER, SIBLING,      "the sibling works") \
    FEATURE(OTHER, "the processor that does not work") \
        LEVEL(OTHER, HALTED,        "the other one halted") \
        LEVEL(OTHER, RUNNING,       "the other one running") \
    FEATURE(FORCE, "FORCE_OVF") \
        LEVEL(FORCE, OFF,           "no FORCE_OVF") \
        LEVEL(FORCE, ON,            "FORCE_OVF") \
    FEATURE(PMI, "OVF_PMI") \
        LEVEL(PMI, NONE,            "no OVF_PMI") \
        LEVEL(PMI, T0,              "PMI to T0") \
        LEVEL(PMI, T1,              "PMI to T1") \
        LEVEL(PMI, BOTH,            "PMI to both") \
    FEATURE(LVTPC, "LVTPC") \
        LEVEL(LVTPC, MASKED,        "LVTPC masked") \
        LEVEL(LVTPC, FIXED,         "LVTPC fixed") \
        LEVEL(LVTPC, NMI,           "LVTPC NMI") \
    FEATURE(PRESET, "preset") \
        LEVEL(PRESET, FAR,          "overflow far away") \
        LEVEL(PRESET, NEAR,         "overflow early in the work") \
        LEVEL(PRESET, LAST,         "overflow by the last count") \
        LEVEL(PRESET, BIT_32,       "a carry into bit 32") \
    FEATURE(MEANWHILE, "half way") \
        LEVEL(MEANWHILE, NOTHING,   "nothing half way") \
        LEVEL(MEANWHILE, RDMSR,     "RDMSR of the counter") \
        LEVEL(MEANWHILE, RDPMC,     "RDPMC of the counter") \
        LEVEL(MEANWHILE, CCCR,      "CCCR written unchanged") \
        LEVEL(MEANWHILE, ESCR,      "ESCR written unchanged") \
        LEVEL(MEANWHILE, ACKNOWLEDGE, "OVF acknowledged") \
        LEVEL(MEANWHILE, PAIR,      "its pair's counter overflows") \
        LEVEL(MEANWHILE, BLOCK,     "a counter of its block overflows") \
        LEVEL(MEANWHILE, ELSEWHERE, "a counter of another block overflows") \
        LEVEL(MEANWHILE, HLT,       "HLT of the working processor") \
        LEVEL(MEANWHILE, INIT,      "INIT of the sibling") \
        LEVEL(MEANWHILE, ACCESS,    "accesses by the other processor") /* PAIRS_END */
/* clang-format on */

#define PAIRS_FEATURE(feature, words) FEATURE_##feature,
#define PAIRS_NO_LEVEL(feature, name, words)
enum pairs_feature { PAIRS(PAIRS_FEATURE, PAIRS_NO_LEVEL) PAIRS_FEATURES };

/* PAIR_FILTER_ABOVE_1 and so on, each feature's from 0: the enumeration restarts at each feature. */
#define PAIRS_LEVELS_OF(feature, words)   PAIR_BEFORE_##feature = -1,
#define PAIRS_LEVEL(feature, name, words) PAIR_##feature##_##name,
enum pairs_level { PAIRS(PAIRS_LEVELS_OF, PAIRS_LEVEL) };

#define PAIRS_COUNTER_IN_BLOCK PAIRS_FEATURES /* the last field of a row: 0 is the block's first counter */
#define PAIRS_FIELDS           (PAIRS_FEATURES + 1)

/*
 * The generated rows (tools/pairs). A row is a word of 32 bits: the levels of the features in their order,
 * each in as many bits as its feature needs, from bit 0, and the counter in its block.
 */
struct pairs_table {
    const uint32_t *rows;
    uint16_t pairs, triples; /* rows of strength 2; and those that follow them for strength 3 */
};
extern const uint8_t PAIRS_WIDTH[PAIRS_FIELDS];
/* The blocks MS and FLAME have the same features and share a table. */
extern const struct pairs_table PAIRS_BPU, PAIRS_MS_FLAME, PAIRS_IQ;

#endif
