/*
 * The events that courses count, four for each block. Events 0 and 2 are counted by ESCRs of one unit, 1 and
 * 3 by those of another one.
 */
#ifndef TESTS_SUITE_COURSE_EVENTS_H
#define TESTS_SUITE_COURSE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#define COURSE_EVENTS  4
#define COURSE_REPLAYS 1 /* the event of the BPU block whose number nobody knows */

struct course_event {
    const char *member; /* part of the name: which of two events of the block, or "" */
    uint8_t event;      /* enum pmc_event_id */
    uint16_t mask;
    bool sure;           /* it occurs at least once for each occurrence of the work */
    bool single;         /* at most one in a clock */
    bool always;         /* whatever is executed causes it */
    uint8_t other_event; /* of the same ESCRs; the work causes none, or few */
    uint16_t other_mask;
};

/* Event 0 to 3 of the counter's block. */
const struct course_event *course_event(unsigned counter, unsigned number);

/* The first of the four that is the same event: BPU counters count but two. */
unsigned course_first_like(unsigned counter, unsigned number);

/* The counter's ESCR select for it, in place in the CCCR. */
uint32_t course_select(unsigned counter, unsigned number);

#endif
