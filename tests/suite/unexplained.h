/*
 * Results that are wrong without a witness of a disturbance (witness.h), and acts that were judged.
 *
 * A marginal part fails now and then. So the whole run counts, by action and place, how often the PMU did
 * something that was judged, and how often the result was wrong. Two wrong results of one action at one
 * place, or three of one action, are a failure: `intermittent`. Fewer are said, and do not fail the run.
 *
 * An act is one thing that the PMU does and that is judged: its failure alone would break an expectation. One
 * OVF that is set, one counter that is started. Of what works each clock (EDGE, threshold, gate,
 * qualification) the act is a window: one measurement.
 */
#ifndef TESTS_SUITE_UNEXPLAINED_H
#define TESTS_SUITE_UNEXPLAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/log/log.h"
#include "vector.h"

/* Each action: its name, and its name in the plural. */
#define ACTIONS_OF_PMU(A)                               \
    A(CASCADE, "start by CASCADE", "starts by CASCADE") \
    A(BIT_11, "start by bit 11", "starts by bit 11")    \
    A(HALT, "halt", "halts")                            \
    A(OVF, "OVF", "OVFs")                               \
    A(CARRY, "carry", "carries")                        \
    A(PMI_LP0, "PMI on LP0", "PMIs on LP0")             \
    A(PMI_LP1, "PMI on LP1", "PMIs on LP1")             \
    A(PRESET, "preset", "presets")                      \
    A(READING, "reading", "readings")                   \
    A(EDGE, "edge", "edges")                            \
    A(THRESHOLD, "threshold", "thresholds")             \
    A(GATE, "gate", "gates")                            \
    A(QUALIFICATION, "qualification", "qualifications") \
    A(COUNT, "count", "counts")                         \
    A(OTHER, "other result", "other results")
#define ACTION_NUMBER(name, one, several) ACTION_##name,
enum action { ACTIONS_OF_PMU(ACTION_NUMBER) ACTIONS };

/* Where: the number of a counter; for a start or a halt, of the counter that is started. */
#define PLACES   18
#define NO_PLACE PLACES

struct act {
    uint8_t action, place;
};

/* The action that an expectation by these rules is about, the first of them above all: but a value that
 * breaks R27 and another rule is about the other one. lp: where PMIs go. */
struct act act_of_rules(uint32_t rules, unsigned place, unsigned lp);

/* So many acts were judged, whatever came of them. */
void acts_judged(enum action action, unsigned place, unsigned acts);

/* A result of this member of a row was wrong without a witness. */
void unexplained_add(struct act act, const struct vector *row, unsigned member);
/* The last ones, of the vector that runs, are taken back: it is always wrong. */
void unexplained_withdraw(unsigned results);

/* Is the last result that was added one too many for a disturbance? In a soak only those of the last
 * UNEXPLAINED_LOOPS loops count together. */
bool unexplained_is_called(void);
#define UNEXPLAINED_LOOPS 10

/* Write `1 of 93 starts by CASCADE, 14 by 12; 1 of 300 carries, counter 4` of so many results that were added
 * last, each action and place once. */
#define UNEXPLAINED_TEXT 400
void unexplained_text(unsigned results, char out[UNEXPLAINED_TEXT]);
/* Print the fields of a diagnosis that say what is intermittent, for the vector with this id. */
void unexplained_print(const char *id);

/* Print for each action how often it was judged so far, and which rate of failure the run excludes. Nothing
 * if nothing was judged. COMMENT_HEARTBEAT: in a soak, with its loop. */
void unexplained_report(enum tap_class class);

#endif
