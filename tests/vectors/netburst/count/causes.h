/*
 * What causes the events: one row for each workload that must cause members of an event on a sound part, how
 * many counts are to be expected, the floor below which the event is dead, and the source that says so
 * (pmu-rules 8.3). events.c makes the vectors of the rows.
 */
#ifndef TESTS_VECTORS_NETBURST_COUNT_CAUSES_H
#define TESTS_VECTORS_NETBURST_COUNT_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pmc/netburst/event.h"
#include "tests/suite/frame.h"

/* An event that must be selected as well: it tags, or it is the allocation event of a queue. */
struct upstream {
    uint8_t event;      /* NO_UPSTREAM: the registers below are enough */
    uint16_t mask;      /* 0: the row's own */
    uint8_t counter[2]; /* for the row's event on the even ESCR, on the odd one */
    bool both;          /* these counters, and so both ESCRs, for either */
    uint32_t escr;      /* ESCR bits on top: tag enable and tag value */
    uint32_t filter;    /* CCCR bits on top */
    uint32_t replays;   /* of MSR_PEBS_ENABLE, beside UOP_TAG: which replays are tagged; 0: none */
    uint32_t matrix;    /* of MSR_PEBS_MATRIX_VERT */
};
#define NO_UPSTREAM PMC_EVENTS

enum cause_flags {
    CAUSE_VALUE =
        1 << 0,          /* `caused` is one value, not taken apart: a field, or members of which one counts */
    CAUSE_EDGE = 1 << 1, /* counted by its rising edges */
    CAUSE_CPL0 = 1 << 2, /* the work needs CPL 0 */
    CAUSE_CLOCKS = 1 << 3, /* it counts clocks, or entries in each clock */
    CAUSE_ONCE = 1 << 4, /* the sibling works beside it, or it takes long: not with less work, nor by flags */
    CAUSE_ON_SIBLING = 1 << 5, /* the sibling does the work, while this logical processor is halted */
    CAUSE_FLAGS = 1 << 7, /* which flags of the BSQ's mask such a request has is open: any of them will do */
    CAUSE_MODES = 1 << 6, /* the members are named for logical processor 0 working and 1 beside it */
};

struct cause {
    uint8_t event;     /* enum pmc_event_id */
    uint8_t needs;     /* set of enum need: elsewhere the row is left out */
    uint8_t flags;     /* set of enum cause_flags */
    uint16_t caused;   /* members that n occurrences of the work cause, each of them at least `floor` times */
    uint16_t excluded; /* members that the work cannot cause */
    const struct workload *work;
    uint16_t n;
    uint16_t expected; /* counts that n occurrences should make */
    uint16_t floor;    /* a tenth of it; more only where the manual or silicon gives the number */
    const struct upstream *upstream; /* null: none */
    void (*prepare)(void);           /* before the measurements of the row; may be null */
    void (*finish)(void);            /* after them; may be null */
    const char *source;              /* why the floor is above 0: a section of the manual, a fact, a rule */
};

/* In the order of the events. */
extern const struct cause CAUSE[];
extern const size_t CAUSES;

/* What no source allows a floor for: it is counted under some work, and named in the log as not exercised. */
struct open_cause {
    uint8_t event;
    uint16_t members;
    const char *names; /* of the members, or of what is tagged; "": the whole event */
    const struct upstream *upstream;
    const char *reason;
};

/* In the order of the events. */
extern const struct open_cause OPEN_CAUSE[];
extern const size_t OPEN_CAUSES;

#endif
