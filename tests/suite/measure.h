/*
 * Measuring: counters are programmed and armed, work is done, and values and OVFs are read.
 *
 * There are two ways to bound what is counted.
 *   - By the ESCRs: all counters run before an ESCR gets its event, and the events end by the ESCRs while the
 *     counters run on. So counters of one ESCR see exactly the same events: they are twins. Neither a count
 *     nor OVF can race with a write of a CCCR (R32), and a counter is read when its ESCR has no event (E1).
 *     Not for COMPARE with COMPLEMENT, which may count clocks without an event (question 11.1).
 *   - By the CCCRs: the counters are started one after the other, and stopped in the same order.
 *
 * One counter alone is measured by a frame that starts it by ENABLE and ends its event: count_of() and
 * others.
 */
#ifndef TESTS_SUITE_MEASURE_H
#define TESTS_SUITE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include "frame.h"
#include "pmc/netburst/setup.h"
#include "vector.h"

/* The counters 0 to 17 as items of a row, named by their numbers: struct pmc_counter. */
extern const struct items every_counter;
unsigned counter_number(const void *item);

/*
 * A counter that stands still may move by this much while it is read a few times: an access adds what its
 * input presents at that moment, at most 15 (E1). A check that a counter stands still allows for it, or the
 * counter is read while its CCCR is 0 or its ESCR has no event.
 */
#define ACCESSES_ADD 32

/* Two lengths of a workload. The difference of the two counts is free of the frame's own events. */
#define RUN_SHORT 60
#define RUN_LONG  240

/* CCCR filters: count the clocks whose value is above a threshold, or is not above it. */
uint32_t above(unsigned threshold);
uint32_t at_or_below(unsigned threshold);

/* Every OVF that is set: one bit for each counter. */
uint32_t overflows(void);

/* Another counter on the counter's ESCRs: where there are three, not the counter whose twin it is itself. */
unsigned twin_of(unsigned counter);

/* ---- Where work is done ---- */

/* At CPL 0 to 3, by this logical processor or by its sibling. */
struct place {
    uint8_t level;
    bool on_sibling;
};

/* The logical processor of a place, 0 or 1. */
unsigned place_lp(struct place place);

/* ---- Several counters ---- */

struct measured {
    struct pmc_programming p;
    uint64_t preset;
    uint32_t cccr;   /* by the ESCRs: while it runs. 0: it does not, or its CCCR is not looked at */
    uint64_t value;  /* after the measurement */
    bool overflowed; /* after a measurement by the ESCRs: OVF */
};

struct measurement {
    struct measured of[PMC_COUNTERS];
    unsigned counters;
    struct msr_write escr[PMC_COUNTERS]; /* each ESCR of the counters once */
    unsigned escrs;
    struct place place;
    bool paged; /* with paging, and the uncached page; the caller has tried paging_on() */
    bool plain; /* nothing differs from one measurement to the next (measure_arm()) */
};

/* Add a counter. The measurement must have been all 0 at first. */
void measure_add(struct measurement *m, const struct pmc_programming *p, uint64_t preset);
/* Add a counter from 0 for an event of this logical processor at every CPL; filter: CCCR bits on top. */
void measure_add_event(struct measurement *m, enum pmc_event_id event, uint16_t mask, unsigned counter,
                       uint32_t filter);

/* What a counter has counted since its preset. */
uint64_t counts_of(const struct measured *c);

/*
 * By the ESCRs. Stop all counters, set the presets, and let the counters run, their ESCRs without an event. A
 * preset that does not hold fails the vector, and so does an ESCR that does not read as it was written, or in
 * the end the CCCR of a counter that runs. Only counters whose bit is set in `running` get ENABLE. From one
 * measurement to the next, unless it is plain, something differs that makes no difference: whether all other
 * counters have OVF (R32), and run; CASCADE beside ENABLE (R36), filter fields without COMPARE (R21), and
 * OVF_PMI of a counter that begins at 0 and has no FORCE_OVF, so that it does not overflow (R45).
 */
void measure_arm(struct measurement *m, uint32_t running);
#define ALL_COUNTERS FIELD_MASK(PMC_COUNTERS - 1, 0)
/*
 * Give the ESCRs their events, run the phases of a frame (its writes are replaced) at the place, take the
 * events away, and read values and OVF. The same code has run once before, without events, so that caches and
 * predictors are warm. What happens between the write of the first ESCR and of another one is counted by the
 * first alone. The frame itself writes up to two ESCRs, one directly after the other. Interrupts are on when
 * this returns, if they were.
 */
void measure_run(struct measurement *m, const struct frame *phases);
/* measure_run() with n occurrences of one workload; measure() calls measure_arm() first. */
void measure_work(struct measurement *m, const struct workload *work, uint32_t n);
void measure(struct measurement *m, const struct workload *work, uint32_t n);
/* The same in parts, for what is no workload: give the ESCRs their events; take the events away and read. */
void measure_open(const struct measurement *m);
void measure_close(struct measurement *m);

/*
 * By the CCCRs, from preset 0: arm and start all counters; stop them, take the events away and read the
 * values; or run a workload in between, which has run once before to warm the caches.
 */
void measure_start(const struct measurement *m);
void measure_stop(struct measurement *m);
void measure_by_cccr(struct measurement *m, const struct workload *work, uint32_t n);
/*
 * CCCR_SKEW bounds by how much the clocks of two WRMSRs at the start differ from those at the end (F1: 780 to
 * 1400 clocks each, half as many again now and then).
 */
#define CCCR_SKEW 3000

/*
 * Count n occurrences of a workload on every counter of p's block that takes p's event, with p's ESCR and
 * CCCR: at once on the even ESCR, then on the odd ESCR. Expect that the counters of one ESCR count the same
 * (R17). count[0] and count[1]: what the even and the odd ESCR gave. Counter 1 is left out where it is dead
 * (E4).
 */
void count_on_all(const struct pmc_programming *p, enum pmc_event_id event, const struct workload *work,
                  uint32_t n, uint64_t count[2]);

/* ---- One counter ---- */

/* Does a counter that runs move while n occurrences of a workload are caused? */
bool counter_moves(unsigned counter, const struct workload *work, uint32_t n);

/* A counter of another block than either, for the frame's idle writes. */
unsigned idle_counter(unsigned used, unsigned also_used);

/* A frame that starts p, runs n occurrences of a workload and ends p's event (frame_count). */
struct frame frame_of(const struct pmc_programming *p, const struct workload *work, uint32_t n);

/* Which stop write of the frame ends the counting: X's is the last, Y's the one before (frame_count). */
enum count_as { COUNT_AS_X, COUNT_AS_Y };
/*
 * How many events of p are counted, from preset 0, by a frame with these phases (its other fields are
 * replaced): a reference (repeat.h).
 */
uint64_t count_alone(const struct pmc_programming *p, enum count_as as, const struct frame *phases);

/* Returns how many events of p are counted for n occurrences of a workload and their frame. */
typedef uint64_t count_fn(const struct pmc_programming *p, const struct workload *work, uint32_t n);
/* count_of: a reference (repeat.h). count_once: one run on a cleared PMU. count_least: the least of
 * several such runs, for numbers that may differ from run to run. */
count_fn count_of, count_once, count_least;

/*
 * The rule by which the flags of an ESCR choose what is counted of an event, by what PMC_EVENT says of its
 * thread: 'S' or 'I'.
 */
uint32_t rules_of_flags(char thread);

/*
 * Expect that p counts nothing when its privilege flags exclude what runs, which is CPL 0 of this logical
 * processor: with none of the four flags and, for a thread-specific event, with USR alone and with both flags
 * of the other logical processor, which is halted. The log calls the events `name`.
 */
void expect_excluded(struct pmc_programming p, enum pmc_event_id event, const char *name, count_fn *count,
                     const struct workload *work, uint32_t n);

#endif
