/*
 * Courses: what happens to the counters of one block, step by step, and what must come of it.
 *
 * A course has up to six actors, counters of one block with a programming each, and steps. No ESCR has an
 * event between two steps, only the flags of its last events. In a step of events the ESCRs of some actors
 * get their events while work is done, so that all counters on an ESCR see exactly the same. Beside an actor
 * runs its twin, where the block has a counter left on that side: the same ESCR and filter, always enabled,
 * far from overflow, without the bits that the actor has beside its filter. Any other step writes or reads
 * something and has no event. After each step all actors are read and judged against their twins
 * (course_judge.c).
 *
 * Notation, of the boot word course=, of the tables and of the log: actors, joined by commas, a slash, steps,
 * joined by hyphens. An actor is COUNTER:KIND:CCCR: the flat number, the event 0 to 3 of its block (KINDS in
 * course.c), the CCCR without its ESCR select, in hexadecimal. The actors are a, b, c ... in steps.
 *
 *   eab        the ESCRs of a and b get their events while work is done; then, in this order, if at all:
 *              1, 2, 3: the work is done at this CPL; O, U, N, X, A: ESCR[3:0] select the worker's OS or USR
 *              alone, nothing, the other logical processor alone, or all four (default: the worker's OS and
 *              USR); S: the other one's OS alone; with O and S the other one is at CPL 3 if it is not halted;
 *              E: event select 0; M: no event mask bit; B: the work is done twice, then twice at CPL 0;
 *              F: another event and other flags just before; W: one processor writes the ESCR and the other
 *              one halts before the work; R: the sibling gets INIT between that write and the work. With O
 *              to B the ESCR has its event before these flags. =N: N occurrences, not COURSE_WORK
 *   kaN        the CCCR of a is written with the ESCR select of kind N
 *   wa=BITS    the CCCR of a is written with these bits inverted; with bit 31 OVF is cleared, else kept
 *   vaN        the counter of a is written: N near its overflow; Z so that what it counted last ends at 0;
 *              P 0; C so that a carry into bit 32 is near; F far from any overflow
 *   ra         the registers of a are read: RDMSR, RDPMC slow and fast
 *   lF, lM     LVTPC delivers a fixed interrupt; LVTPC is masked
 *   lU         no request stands: LVTPC is unmasked just before the next events, which are of this processor
 *   lI         another interrupt is pending in the local APIC while the next events come
 *   o          OVF of each counter that is neither an actor nor a twin is set, in all blocks
 *   h          this logical processor halts for a while
 *   i          INIT and a start-up IPI for the sibling
 *   sR, sH     the sibling runs a loop at CPL 3 beside what follows; the sibling is halted
 *
 * A step that begins with an apostrophe is done by the sibling: the work and a reading, the write, LVTPC.
 * While it works, and in every second other step, this logical processor is halted, else at CPL 3.
 */
#ifndef TESTS_SUITE_COURSE_H
#define TESTS_SUITE_COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pmc/netburst/setup.h"
#include "unexplained.h"

#define COURSE_ACTORS  6
#define COURSE_STEPS   48
#define COURSE_WORK    40 /* occurrences in a step of events */
#define COURSE_KINDS   4
#define COURSE_REPLAYS 1   /* the kind of the BPU block whose number nobody knows */
#define COURSE_TEXT    420 /* size of a text, with its end */

struct course_actor {
    uint8_t counter, kind;
    uint32_t cccr; /* without ESCR select */
};

struct course_step {
    char what; /* e w k v r l o h i s */
    char how;  /* of e: O U N X S A E M B F W R or 0; of k, v, l and s: what follows the actor */
    bool by_sibling;
    uint8_t who;   /* an actor; of e: a set of actors */
    uint8_t level; /* CPL of the work */
    uint32_t bits; /* of w; of e: occurrences, 0: COURSE_WORK */
};

struct course {
    uint8_t actors, steps;
    struct course_actor actor[COURSE_ACTORS];
    struct course_step step[COURSE_STEPS];
};

/* An event that the work of a course causes. */
struct course_kind {
    uint8_t event;
    uint16_t mask;
    bool sure;           /* it occurs at least once for each occurrence of the work */
    bool single;         /* at most one in a clock */
    bool always;         /* whatever is executed causes it */
    uint8_t other_event; /* of the same ESCRs; the work causes none, or few */
    uint16_t other_mask;
    const struct workload *work;
    void (*prepare)(void);
};

/* ---- Playing (course.c) ---- */

/* Play the course and expect that each step shows what the rules say. A failure in a run that decides also
 * names the shortest course that still fails, and the nearest that passes. Returns whether the expectation
 * held. `name` says what the course is for. */
bool course_expect(const struct course *course, const char *name);

/* What this machine cannot do becomes something that it can do: without a sibling this logical processor does
 * it, a CCCR has no bits that the part lacks. False if nothing sensible is left. */
bool course_adapt(struct course *course);

/* Courses from now on take this counter for the one that starts 17 by CASCADE (question 10.2). */
void course_17_is_started_by(unsigned counter);

/* ---- Judging (course_judge.c): no access to the machine ---- */

enum tri { NO, YES, OPEN };

/* An actor as the rules say that it is. */
struct course_counter {
    uint8_t number, alternate, source; /* who starts it by CASCADE, by bit 11; 0FFH: nobody */
    const struct course_kind *kind;    /* what its ESCR counts; null: nothing */
    uint16_t escr;                     /* its address; 0 for an ESCR select without ESCR */
    uint32_t cccr;                     /* as written, but for OVF */
    bool has_twin;
    bool start_judged, halt_judged; /* its last start by a cascade, and its last halt */
    bool by_bit_11;                 /* and not by CASCADE, it was started last */
    bool edge_known;                /* its edge filter has run since it started or was written */
    bool rerouted;                  /* its ESCR select was changed */
    bool halted;                    /* a cascade had started it, and what started it was cleared */
    bool again;                     /* and it was started again */
    bool rewritten;                 /* it or its CCCR was written since its overflow, or it, was started */
    bool was_forced;                /* it had FORCE_OVF */
    bool wrapped, unflagged;        /* it overflowed in this step with OVF_PMI; and OVF is not set (E9) */
    uint8_t ovf, started, request;  /* enum tri; request: a PMI is due with the next count */
    uint8_t raised;                 /* set of the logical processors to which this OVF has raised a PMI */
    uint64_t at;                    /* its value */
};

struct course_state {
    unsigned actors;
    struct course_counter actor[COURSE_ACTORS];
    bool ht, e3, e5, e9, runs, open[2]; /* runs: the sibling runs a loop; open: LVTPC of LP0, LP1 */
    bool delivered[2];                  /* LVTPC is masked by the delivery of a PMI */
    bool again[2];                      /* a request may stand that LVTPC has not let through (R49) */
    unsigned self;                      /* 0 or 1 */
    char before;                        /* what the last step did that was not our own work */
};

/* What a step has shown. */
struct course_seen {
    struct {
        uint64_t own, twin; /* how far the counter and its twin have moved */
        uint64_t value;     /* of the counter, by RDMSR */
        uint32_t cccr;
        uint32_t apart;        /* clocks by which the readings of the counter and of its twin lay apart */
        bool differs;          /* RDPMC read something else than RDMSR */
        uint32_t escr_changed; /* bits of its ESCR */
    } actor[COURSE_ACTORS];
    uint32_t events;      /* of e: set of actors whose ESCR had an event */
    uint32_t written;     /* of w: the CCCR */
    bool read_as_enabled; /* of w: ENABLE of a started actor read 1 (R36), and was not written back */
    uint64_t preset;      /* of v: what was written */
    bool twice;           /* of v: it was written twice (E1) */
    unsigned pmis[2];
};

struct course_wrong {
    const char *quantity; /* null when all is right */
    uint32_t rules;
    uint64_t low, high, observed;
    uint8_t actor, step, action; /* enum action */
    bool is_register;            /* the numbers are a CCCR */
};

/* PMIs that a step raises on LP0 and LP1: so many at least, and at most; may_come: by this step, and not by
 * an earlier one. */
struct course_pmis {
    unsigned least[2], most[2];
    bool may_come[2];
    bool again[2];       /* LVTPC has just been unmasked */
    uint8_t raisers[2];  /* sets of the actors that raise one, surely or perhaps */
    bool is_only_one[2]; /* if it is lost, no other one takes its place */
};

/* The state after the step. Judges all that was seen but PMIs, and keeps the first that is wrong. Returns the
 * PMIs that are due. */
struct course_pmis course_judge(struct course_state *state, const struct course_step *step,
                                const struct course_seen *seen, struct course_wrong *wrong);
/* Judges the PMIs that were taken, and LVTPC of this logical processor. */
void course_judge_pmis(struct course_state *state, const struct course_pmis *due, const unsigned taken[2],
                       bool unmasked, struct course_wrong *wrong);
/* Does the actor's filter pass no event at all? */
bool course_passes_none(const struct course_counter *c);

/* Does this CCCR pass so little that the twin counts plainly instead (R22)? */
bool course_is_sparse(uint32_t cccr);

/* ---- Drawing and notation (course_text.c) ---- */

struct random {
    uint32_t state;
};

/* A course with this counter as its first actor. */
void course_draw(struct course *course, unsigned counter, struct random *random);
/* Read the notation up to a blank or the end. Null, or what is wrong. */
const char *course_parse(struct course *course, const char *text);
void course_print(const struct course *course, char *out, size_t size);
/* Does this CCCR count clocks without an event? */
bool course_complements(uint32_t cccr);
/* Leave one step out. */
void course_without(struct course *course, unsigned step);

#endif
