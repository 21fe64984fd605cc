/* The judge of courses: no access to the machine. */
#ifndef TESTS_SUITE_COURSE_JUDGE_H
#define TESTS_SUITE_COURSE_JUDGE_H

#include "course_state.h"
#include "unexplained.h"

struct course_wrong {
    const char *quantity; /* null when all is right */
    uint32_t rules;
    uint64_t low, high, observed;
    uint8_t actor, step, action; /* enum action */
    bool is_register;            /* the numbers are a CCCR */
    bool of_twin;                /* it is the twin that went wrong */
    uint8_t bystander;           /* 1 + the counter that went wrong, if it is none of the course */
};

/* PMIs that a step raises on LP0 and LP1: so many at least, and at most; may_come: by this step, and not by
 * an earlier one. */
struct course_pmis {
    unsigned least[2], most[2];
    bool may_come[2];
    bool holds, released; /* of this logical processor: an EOI that is late holds them up; it has come */
    bool unmasked[2];     /* LVTPC has just been unmasked: a standing request comes (R49) */
    uint8_t raisers[2];   /* sets of the actors that raise one, surely or perhaps */
    bool is_only_one[2];  /* if it is lost, no other one takes its place */
};

/* The state after the step. Judges all that was seen but PMIs, and keeps the first that is wrong. Returns the
 * PMIs that are due. */
struct course_pmis course_judge(struct course_state *state, const struct course_step *step,
                                const struct course_seen *seen, struct course_wrong *wrong);
/* Judges the PMIs that were taken, and LVTPC of this logical processor. */
void course_judge_pmis(struct course_state *state, const struct course_step *step,
                       const struct course_seen *seen, const struct course_pmis *due, bool unmasked,
                       struct course_wrong *wrong);

#endif
