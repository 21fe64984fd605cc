/*
 * The course of a row of the covering array: for pairs_life.c.
 */
#ifndef TESTS_VECTORS_NETBURST_PAIRS_COURSE_H
#define TESTS_VECTORS_NETBURST_PAIRS_COURSE_H

#include "pairs_life.h"

struct pairs_course {
    const struct pairs_life *life;
    struct pairs_seen seen;
    /* What the two logical processors tell each other. */
    volatile bool running; /* the other one is */
    volatile bool access;  /* it shall access every register of S, and clears this */
    volatile bool stop;    /* it shall end */
    volatile bool done;    /* the work is */
};

/* Wait, bounded, until the flag has this value. */
void pairs_wait(volatile bool *flag, bool until);

/* On the processor that works, from X to the end of the events. Everything is prepared. */
void pairs_course(struct pairs_course *c);

#endif
