/* The steps of courses: a row for each, which everything reads that handles steps. */
#ifndef TESTS_SUITE_COURSE_STEPS_H
#define TESTS_SUITE_COURSE_STEPS_H

#include "course.h"
#include "course_state.h"

/* A text that is written piece by piece. `length`: how long it would be with all of its pieces. */
struct course_writer {
    char *out;
    size_t size, length;
};
void course_write(struct course_writer *w, const char *fmt, ...);
void course_put(struct course_writer *w, char c);

/* Take the word if the text begins with it. */
bool course_take(const char **text, const char *word);
bool course_take_number(const char **text, unsigned *number);

/* A field of the CCCR and its value, "THRESHOLD=15", beside those that were taken before. Null, or what is
 * wrong. */
const char *course_take_field(const char **text, uint32_t *fields, uint32_t *bits);
/* What a counter holds: -20, 0, FFFFFFECH. */
bool course_take_value(const char **text, uint64_t *value);
void course_write_fields(struct course_writer *w, uint32_t fields, uint32_t bits);
void course_tell_fields(struct course_writer *w, uint32_t fields, uint32_t bits);
void course_write_value(struct course_writer *w, uint64_t value);

enum course_by { BY_ANY, BY_BOOT, BY_SIBLING }; /* who does it; ANY: the boot processor or the sibling */
enum course_of { OF_NONE, OF_ONE, OF_SOME, OF_UNUSED }; /* the counters that it is about */

/* What the player and the judge need to know of a step. */
enum course_does {
    DOES_EVENTS = 1,   /* ESCRs have events, and work is done */
    DOES_CCCR = 2,     /* the CCCR of an actor is written */
    DOES_COUNTER = 4,  /* the counter of an actor is written */
    DOES_READ = 8,     /* the registers of an actor are read in each way */
    DOES_UNMASK = 16,  /* LVTPC is unmasked, so that a standing request comes again (R49) */
    DOES_WAIT = 32,    /* it comes with the next events, which are of the boot processor */
    DOES_SIBLING = 64, /* the sibling has to be there */
    DOES_NMIS = 128,   /* PMIs come as NMIs from here on */
    DOES_EOI = 256     /* a PMI that waits for an EOI comes */
};

struct course_row {
    const char *word; /* as it is written, behind who and counters; parameters follow */
    const char *says; /* in words: @ is who does it, # the counters */
    uint8_t by, of;   /* enum course_by, course_of */
    uint8_t needs;    /* set of enum need: without them the step is left out */
    uint16_t does;    /* set of enum course_does */
    uint8_t weight;   /* how often it is drawn, relative to the others */
    uint8_t after;    /* the rule that is broken if work counts nothing just after it; 0: none of its own */
    uint32_t alters;  /* the rules that are broken if it alters what it must not */
    uint32_t setting; /* set of enum setting_word: what is in use in a course that has it */
    /* Its parameters, or null: it has none. worker: the logical processor that does it. A refusal is a
     * sentence. */
    const char *(*parse)(struct course_step *step, unsigned worker, const char **text);
    void (*print)(const struct course_step *step, unsigned worker, struct course_writer *w);
    void (*tell)(const struct course_step *step, unsigned worker, struct course_writer *w);
    /* Leave out something special, in the way 0, 1, ... False: there is no such way. Null: nothing is
     * special. */
    bool (*simplify)(struct course_step *step, unsigned way);
    /* Draw its parameters, or null: it has none. A write of a CCCR says what it inverts (course_invert()). */
    void (*draw)(struct course_step *step, const struct course *course, struct random *r);
    /* What this machine cannot do becomes something that it can do. met: set of enum need. */
    void (*adapt)(struct course_step *step, unsigned met);
    /* What it does to the state beside its events. Null: nothing. lp: who does it. */
    void (*change)(struct course_state *s, const struct course_step *step, const struct course_seen *seen,
                   unsigned lp);
};

const struct course_row *course_row(const struct course_step *step);
extern const struct course_row COURSE_ROW[COURSE_STEP_KINDS];

/* A step of this kind, about the first actor of a course if it is about one. */
struct course_step course_example(enum course_step_kind kind);

/* Does the step do one of these? */
bool course_does(const struct course_step *step, unsigned does);
/* What is in use because of it: set of enum setting_word. */
uint32_t course_setting(const struct course_step *step);
/* The rule that is broken if work counts nothing just after it. */
uint8_t course_after(const struct course_step *step);

/* Of events: is anything special in the ESCR, so that it has another value before? */
bool course_is_special(const struct course_step *step);
/* The ESCR has its event before the worker begins. */
bool course_is_live(const struct course_step *step);
/* A logical processor that does not work waits at CPL 3, if it is not halted: OS alone must not count it. */
bool course_waits_at_cpl_3(const struct course_step *step);
/* ESCR[3:0], if the worker is this logical processor. */
uint32_t course_escr_flags(uint8_t flags, unsigned worker);

#endif
