/* Playing courses. */
#ifndef TESTS_SUITE_COURSE_PLAY_H
#define TESTS_SUITE_COURSE_PLAY_H

#include "course_judge.h"

/* A course that is played, and what it has come to. */
struct course_player {
    const struct course *course;
    struct course_state state;
    struct course_seen seen; /* of the last step */
    struct course_part {
        uint8_t twin;     /* COURSE_NOBODY: none */
        uint8_t escr;     /* number of its ESCR; COURSE_NOBODY: none */
        uint64_t before;  /* its value before the step */
        uint64_t twin_at; /* the value of its twin */
        uint32_t twin_cccr;
        uint64_t counted;      /* in the last step of events */
        uint32_t escr_differs; /* bits of its ESCR that were read otherwise in the step */
    } actor[COURSE_ACTORS];
    struct course_escr {
        uint32_t msr, value, other; /* its event, another one; ESCR[3:0] clear */
        uint32_t holds;             /* between two steps */
        uint32_t documented;        /* its bits (documented.h) */
        const struct course_event *event;
        const struct course_cause *cause;
    } escr[2 * COURSE_EVENTS];
    unsigned escrs;
    uint32_t bystander[PMC_COUNTERS]; /* what the CCCR of a counter holds that is neither actor nor twin */
    uint32_t bystanders;              /* set of them */
    uint32_t reads_differ;            /* set of actors */
    bool rearms; /* CCCRs are 0 for a moment after some writes, and what is written is not read before events
                  */
    uint32_t unread; /* set of actors whose counter was not read since their CCCR was 0 */
    bool interrupts_itself, unmasks_lvtpc;                  /* with the next events */
    uint32_t pmi_bits;                                      /* the OVF_PMI flags that the machine has */
    unsigned taken[2], taken_as_nmis[2], found_unmasked[2]; /* PMIs on LP0 and LP1 before the step */
};

/* Play the course, once more as long as it goes wrong beside a witness. */
struct course_wrong course_play(struct course_player *p, const struct course *course);

/* What went wrong, as an act of the PMU. */
struct act course_act(const struct course *course, const struct course_wrong *wrong);

/* What the actor had in use when the course was played, at its end; of a step, at any time (setting.h). */
uint32_t course_in_use(const struct course_player *p, unsigned actor);

#endif
