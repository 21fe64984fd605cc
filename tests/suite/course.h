/*
 * Courses: what happens to the counters of one block, step by step, and what must come of it.
 *
 * A course has up to six counters of one block, its *actors*, with a programming each, and steps. No ESCR has
 * an event between two steps, only the flags of its last events. In a step of events the ESCRs of some actors
 * get their events while work is done, so that all counters on an ESCR see exactly the same. Beside an actor
 * runs its *twin*, where the block has a counter left on that side: the same ESCR and filter, always enabled,
 * far from overflow, without the bits that the actor has beside its filter. Any other step writes or reads
 * something and has no event. After each step all actors are read and judged against their twins.
 *
 * docs/add-a-vector.md has the notation, course_steps.c what each step is. Who reads on from here:
 *
 *   course_steps.c   a row for each step: its word, who does it, what it changes, its words for a reader
 *   course_events.c  the events that courses count
 *   course_text.c    a course as a text, read and printed; course_old.c: texts of older logs
 *   course_draw.c    courses drawn at random
 *   course_play.c    what is done to the machine
 *   course_state.c   what is known of the counters and of LVTPC after each step
 *   course_judge.c   what the rules say of it; course_blame.c: which rules are broken if it is otherwise
 *   course_shorten.c what a failure does not need is left out of its course
 *   course_failed.c  the courses that failed, for the diagnosis in the log
 */
#ifndef TESTS_SUITE_COURSE_H
#define TESTS_SUITE_COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "course_events.h"
#include "pmc/netburst/setup.h"

#define COURSE_ACTORS 6
#define COURSE_STEPS  48
#define COURSE_WORK   40   /* occurrences in a step of events, if nothing else is said */
#define COURSE_MOST   1000 /* and at most */
#define COURSE_TEXT   901  /* size of a text, with its end */

#define COURSE_NEAR 20           /* counts to an overflow; not as near as the presets of E20 */
#define COURSE_FAR  (1ull << 30) /* no course counts so far */

struct course_actor {
    uint8_t counter, event; /* the event: a row of course_event() */
    uint32_t cccr;          /* without ESCR select and OVF */
    uint64_t start;         /* what the counter holds first */
};

/* The rows of course_steps.c. The last one has no word of its own, only fields. */
enum course_step_kind {
    STEP_EVENTS,
    STEP_COUNTER_SHORT,
    STEP_COUNTER_BACK,
    STEP_COUNTER,
    STEP_READ,
    STEP_LVTPC_LATER,
    STEP_LVTPC_FIXED,
    STEP_LVTPC_NMI,
    STEP_LVTPC_MASKED,
    STEP_EOI_LATE,
    STEP_EOI,
    STEP_IPI,
    STEP_HALT,
    STEP_INIT,
    STEP_LOOP,
    STEP_PARK,
    STEP_UNUSED_OVF,
    STEP_CCCR,
    COURSE_STEP_KINDS
};

/* What is special in a step of events: at most one of these, and none if other flags are. */
enum course_how {
    HOW_PLAIN,
    HOW_NO_SELECT,   /* event select 0 */
    HOW_NO_MASK,     /* event mask 0 */
    HOW_OTHER_FIRST, /* the ESCR has another event just before */
    HOW_HALT,        /* between the write of the ESCR and the work the worker halts */
    HOW_INIT,        /* and here the sibling gets INIT */
    HOW_TWICE,       /* the work is done twice, then twice at CPL 0 */
    COURSE_HOWS
};

/* ESCR[3:0] of a step of events: of the processor that works, and of the other one. */
#define FLAG_WORKER_OS  1u
#define FLAG_WORKER_USR 2u
#define FLAG_OTHER_OS   4u
#define FLAG_OTHER_USR  8u
#define FLAGS_WORKER    (FLAG_WORKER_OS | FLAG_WORKER_USR)
#define FLAGS_OTHER     (FLAG_OTHER_OS | FLAG_OTHER_USR)

struct course_step {
    uint8_t kind; /* enum course_step_kind */
    bool by_sibling;
    uint8_t actor;  /* of a step about one counter */
    uint8_t actors; /* of events: a set */
    /* Of events. */
    uint8_t level; /* CPL of the work */
    uint8_t flags, how;
    uint16_t occurrences;
    /* Of a write of the CCCR: these fields get these values, the others stay. OVF is only cleared. */
    uint32_t fields, bits;
    uint64_t value; /* of a write of the counter */
};

struct course {
    uint8_t actors, steps;
    uint8_t boot; /* the boot processor is LP0 or LP1: a text says so of each step that the other one does */
    struct course_actor actor[COURSE_ACTORS];
    struct course_step step[COURSE_STEPS];
};

/* Does this CCCR count clocks without an event? */
bool course_complements(uint32_t cccr);

/* What an actor holds first if nothing else is said: near its overflow, or far if it counts clocks. */
uint64_t course_start(uint32_t cccr);

/* The CCCR of an actor as it was last written before a step, but for OVF, which is 0. */
uint32_t course_cccr_before(const struct course *course, unsigned step, unsigned actor);

/* A step of events in which nothing is special, for a set of actors. */
struct course_step course_events_of(unsigned actors, unsigned occurrences);

/* The twin of each actor: a counter on its side that nobody has; COURSE_NOBODY: none is left. */
#define COURSE_NOBODY 0xFF
void course_twins(const struct course *course, uint8_t twins[COURSE_ACTORS]);

/* Leave one step out. */
void course_without(struct course *course, unsigned step);

/* ---- Playing (course_play.c, course_shorten.c) ---- */

/* Play the course and expect that each step shows what the rules say. A failure in a run that decides also
 * names the shortest course that still fails, and the nearest that passes. Returns whether the expectation
 * held. `name` says what the course is for. */
bool course_expect(const struct course *course, const char *name);

/* What this machine cannot do becomes something that it can do: without a sibling this logical processor does
 * it, a CCCR has no bits that the part lacks. False if nothing sensible is left. */
bool course_adapt(struct course *course);

/* Courses from now on take this counter for the one that starts 17 by CASCADE (question 10.2). */
void course_17_is_started_by(unsigned counter);

/* ---- Texts (course_text.c) ---- */

/* Read the notation up to a blank or the end, also that of older logs. `boot`: which logical processor is the
 * boot processor. Null, or what is wrong. */
const char *course_parse(struct course *course, const char *text, unsigned boot);
/* Returns how long the whole text is. */
size_t course_print(const struct course *course, char *out, size_t size);

/* An actor and its twin, and a step, in words: "counter 12 counts uops_retired, ENABLE set, ... begins at
 * -20". */
#define COURSE_WORDS 300
void course_tell_actor(const struct course *course, unsigned actor, char out[COURSE_WORDS]);
void course_tell_step(const struct course *course, unsigned step, char out[COURSE_WORDS]);

/* Texts of older logs (course_old.c): as course_parse(). */
const char *course_parse_old(struct course *course, const char *text);

/* Writes of a CCCR that name no field hold in `bits` what they invert. They become what is written. */
void course_invert(struct course *course);

/* ---- Drawing (course_draw.c) ---- */

struct random {
    uint32_t state;
};

/* A number below n. */
uint32_t course_random(struct random *random, uint32_t n);

/* The number of a row, drawn by the weights of the rows. `weights`: that of the first row, a field of a row
 * of `size` bytes. */
unsigned course_random_row(struct random *random, const uint8_t *weights, size_t size, unsigned rows);

/* A course with this counter as its first actor. */
void course_draw(struct course *course, unsigned counter, struct random *random);

/* The same course in other circumstances, drawn: what has happened to its counters before, who writes, for
 * whom and at which CPL the work is, what the sibling does; and if `beside` is not 0 other flags of the
 * CCCRs: of the first actor these at most, of the others only if CASCADE is among them. It has two actors,
 * and may get a third one. Each circumstance may stay as it is. The last steps of a long course may go for
 * what comes before them. */
void course_vary(struct course *course, struct random *random, uint32_t beside);

#endif
