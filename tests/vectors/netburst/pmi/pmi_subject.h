/*
 * A counter with one feature beside its OVF_PMI flags, and work that it counts: for the vectors pmi.features.
 */
#ifndef TESTS_VECTORS_NETBURST_PMI_SUBJECT_H
#define TESTS_VECTORS_NETBURST_PMI_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include "pmc/netburst/setup.h"
#include "tests/suite/frame.h"

#define WORK 200 /* occurrences; each counts once or more, but with COMPARE some count together */

/* Flags of a feature. */
enum {
    SMT = 1 << 0,        /* the feature needs the sibling */
    HERE = 1 << 1,       /* PMIs are directed to this processor alone */
    SPARSE = 1 << 2,     /* there may be too few counts */
    IN_CASCADE = 1 << 3, /* the PMI may be lost (E3) */
    UOPS = 1 << 4,       /* count uops, several in a clock: the IQ block alone */
    SIBLING = 1 << 5,    /* the sibling does the work */
    TWIN = 1 << 6,       /* another counter on its ESCR overflows with the count that raises the PMI */
    AWAITED = 1 << 7,    /* another counter waits for the overflow */
    OTHERS_OVF = 1 << 8, /* OVF of all other counters is set */
    CLOCKS = 1 << 9,     /* it counts clocks, with an event or without */
    APART = 1 << 10,     /* the work has its events far apart: branches taken after CPUID */
    SINGLE = 1 << 11,    /* ACTIVE_THREAD 01B */
    BUSY = 1 << 12,      /* the sibling executes other work */
    BIT_11 = 1 << 13,    /* only on counters that have bit 11 */
    STARTED = 1 << 14,   /* started by a cascade, ENABLE = 0: only on counters that have a partner */
};

struct feature {
    const char *name;
    uint32_t cccr; /* bits beside those of the event */
    uint16_t flags;
    uint8_t level; /* CPL of the work */
    bool os, usr;  /* the flags of its ESCR */
};

struct subject {
    const struct feature *f;
    enum pmc_event_id event; /* subject_choose() sets this and all that follows, but sleeper */
    uint16_t mask;
    uint32_t cpl;
    struct pmc_programming p;
    const struct workload *work;
    struct frame phases; /* WORK times the work */
    bool sleeper;        /* the sibling is halted and takes PMIs */
};

/* Choose the event and the work of the block of counter n, and program them with s->f, which the caller has
 * set. */
void subject_choose(struct subject *s, unsigned n);

/* Count the work from a preset, with OVF_PMI for the logical processors in the set `to`: bit 0 is this one,
 * bit 1 its sibling. Returns the value of the counter; pmi_taken() has the PMIs. */
uint64_t subject_count(const struct subject *s, uint64_t preset, unsigned to);

#endif
