/*
 * The stages of the PMU: the order in which somebody builds one, and what rests on what
 * (docs/build-a-pmu.md). stages.c has the table, stage_tests.c how a counter shows that it has a stage,
 * gone.c what becomes of the vectors when no counter has it.
 */
#ifndef TESTS_SUITE_STAGES_H
#define TESTS_SUITE_STAGES_H

#include <stdbool.h>
#include <stdint.h>

/* Flags: a row of vectors names all that it rests on (vector.h). What a stage rests on need not be named. */
enum stage_flag {
    STAGE_REGISTERS = 1u << 0,
    STAGE_COUNT = 1u << 1,
    STAGE_COUNTERS = 1u << 2,
    STAGE_FLAGS = 1u << 3,
    STAGE_OVERFLOW = 1u << 4,
    STAGE_PMI = 1u << 5,
    STAGE_FILTERS = 1u << 6,
    STAGE_CASCADE = 1u << 7,
    STAGE_EXTENDED = 1u << 8,
    STAGE_THREADS = 1u << 9,
    STAGE_TAGS = 1u << 10,
};
#define STAGES 11
/* A course has steps of all kinds. */
#define STAGE_COURSES                                                                            \
    (STAGE_COUNTERS | STAGE_FLAGS | STAGE_OVERFLOW | STAGE_PMI | STAGE_FILTERS | STAGE_CASCADE | \
     STAGE_EXTENDED | STAGE_THREADS)

struct stage {
    const char *name;  /* "overflow": part of the id of its point, and in the log */
    const char *title; /* what a PMU does that has it */
    const char *gone;  /* what no counter does if it is gone */
    const char *rules; /* what to implement: blank separated */
    uint16_t rests_on; /* set of stages, all of them above in the table */
    uint8_t needs;     /* of the machine: set of enum need (vector.h) */
    uint8_t least;     /* of its counters; with fewer that show a sign of the stage it is gone */
    bool one;          /* one counter will do, which is one that counts */
    /* Is it a stage of this counter? Null: of all 18. */
    bool (*has)(unsigned counter);
    /* Judge what the counter does, by expect_X(), and call stage_sign() if it does any of it. */
    void (*test)(unsigned counter);
};

/* In the order of the flags: STAGE[i] has the flag 1 << i. */
extern const struct stage STAGE[STAGES];

/* Is this a counter of the stage? */
bool stage_has(const struct stage *stage, unsigned counter);

/* For tests of stages: the counter at hand does some of it, right or wrong. */
void stage_sign(void);

/* ---- stage_tests.c ---- */

/* Does the counter count at all? */
bool stage_counts(unsigned counter);
bool stage_of_retired(unsigned counter);
bool stage_of_extended(unsigned counter);
bool stage_of_thread_events(unsigned counter);
void stage_test_registers(unsigned counter);
void stage_test_count(unsigned counter);
void stage_test_flags(unsigned counter);
void stage_test_overflow(unsigned counter);
void stage_test_pmi(unsigned counter);
void stage_test_filters(unsigned counter);
void stage_test_cascade(unsigned counter);
void stage_test_extended(unsigned counter);
void stage_test_threads(unsigned counter);
void stage_test_tags(unsigned counter);

#endif
