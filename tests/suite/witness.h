/*
 * What a disturbance leaves behind (pmu-rules 8.4). A disturbed measurement is made again and not counted; a
 * wrong result without a witness is a failure, however seldom it comes (unexplained.h).
 *
 * Two things are witnesses. An interrupt that no vector uses: its handler adds instructions. And fixed work
 * that took longer than the same work has taken: an SMI leaves nothing else. Only work between two points
 * that nothing can delay has such a length: no wait, no halt, no way to the sibling and back. Lengths are
 * compared for the same work, at the same place, with as many PMIs taken inside: a PMI that comes or is lost
 * makes the work longer or shorter, and what the judged PMU itself causes is no witness.
 */
#ifndef TESTS_SUITE_WITNESS_H
#define TESTS_SUITE_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

enum witness {
    WITNESS_INTERRUPT = 1 << 0,
    WITNESS_TIME = 1 << 1,
};

/* The rate of the TSC; before that it is taken for 3 GHz. */
void witness_clock(uint32_t tsc_khz);

/*
 * A run of a vector begins; its number. The first execution of a work has no length to be compared with,
 * unless it was rehearsed. If a later run executes the work so much faster that the first one was long, that
 * is a witness after the fact.
 */
unsigned witness_run(void);
/* Has the run that goes on shown that work of this earlier run was long? */
bool witness_was_long(unsigned run);
/* Has it shown that work that it had done before was long? */
bool witness_run_is_long(void);

/* A measurement begins: what was witnessed before is about other values. */
void witness_begin(void);
/* A set of enum witness: what was witnessed since. */
unsigned witness_seen(void);
/* What is judged now rests on what was witnessed there, too. */
void witness_add(unsigned seen);

/* NMIs are no witness: LVTPC may deliver them. */
void witness_without_nmis(bool without);
/* The other logical processor works from now on, which makes lengths differ more. */
void witness_beside_sibling(bool works);

/* Fixed work, identified by a number (witness_key()), from here */
struct witness_window {
    uint64_t tsc, noted; /* noted: 0: not yet */
    uint32_t pmis;
};
struct witness_window witness_open(void);
/* to here. If something is still counted when the work ends, call witness_note() there and witness_close()
 * later: what is counted must not depend on what witness_close() does. */
void witness_close(const struct witness_window *window, uint32_t key);
void witness_note(struct witness_window *window);

/* The work that a window is about to close was executed as `rehearsal` before, which takes as long. So its
 * first execution has a length to be compared with. Should a part take longer for it all the same, that costs
 * some measurements: what is long several times in succession is the new least. */
void witness_rehearsed(uint32_t key, uint32_t rehearsal);

/* The identity of work: begin with 0 and add all that its length depends on. */
uint32_t witness_key(uint32_t key, uint32_t part);

/*
 * Measure, again as long as a witness shows that the measurement was disturbed, WITNESSED_MOST times at most.
 * If the last one was disturbed, too, its values are judged all the same, with its witnesses.
 */
#define WITNESSED_MOST 8
void undisturbed(void (*measure)(void *arg), void *arg);

/* An expectation was judged. In a measurement that is made again the same ones are judged again, and count
 * once: the number of an expectation in its run does not depend on disturbances before it. */
void witness_expectation(void);
unsigned witness_expectations(void);
/* The same for what is made again without undisturbed(): so many were judged before it. */
void witness_expectations_again(unsigned before);

/* Disturbed measurements of undisturbed() since the last call of this. One with both witnesses counts by its
 * interrupt. */
struct disturbances {
    unsigned by_interrupt, by_time;
};
struct disturbances witness_disturbances(void);

/* Do so many windows without any PMI have a witness that nothing can be judged on this machine? */
bool witness_too_many(void);

#endif
