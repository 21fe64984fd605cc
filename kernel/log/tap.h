/*
 * TAP 13 writer: plan first, one document for each boot, in the form of docs/log.md. Texts are formatted by
 * kernel/lib/format.h.
 */
#ifndef KERNEL_LOG_TAP_H
#define KERNEL_LOG_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/console/screen.h"
#include "verdict.h"

/* Print the version line, before anything is tried that may hang the machine. */
void tap_begin(void);

/* Print the plan, after the version line if that is not out. count 0: "1..0 # SKIP reason". */
void tap_plan(unsigned count, const char *skip_reason);

/* True once the plan is out. */
bool tap_planned(void);

/* The class of a comment decides when it is printed. */
enum tap_class {
    COMMENT_INFO,   /* in the first loop */
    COMMENT_DETAIL, /* in the first loop, but not in a brief log: nobody needs it to understand a failure */
    COMMENT_VECTOR, /* about the vector that tap_show() has named: in the first loop; in a brief log only if
                       the vector fails */
    COMMENT_ALWAYS, /* in every loop; in loop 2 and later as a heartbeat is */
    COMMENT_HEARTBEAT, /* in every loop, as the checked line "# soak text" */
};

/* A comment line; "# " is added. */
void tap_comment(enum tap_class class, const char *fmt, ...);

/* The boot word brief: of what passed only the points are printed. */
void tap_brief(bool brief);

/* Announce a vector before it runs. rules is null unless they are wanted, title is null when it was printed
 * for the member of the family before. */
void tap_start(const char *id, const char *rules, const char *title);
/* Show the vector's id in the bottom line of the screen. */
void tap_show(const char *id);

void tap_ok(const char *id);
void tap_skip(const char *id, const char *fmt, ...);
/* Skip a point because the machine lacks something. remedy: what a person can do about it; the end of the log
 * and the screen then say so. Null: nothing, because it is the processor's. */
void tap_skip_lacking(const char *id, const char *reason, const char *remedy);
/* The boot word strict: a run in which a remedy would have let more points run is no pass. */
void tap_strict(bool strict);

/* A failed point; the values of its diagnosis follow, then diagnosis_end(). Values are quoted for YAML; keys
 * are plain words. */
void tap_not_ok(const char *id);
void diagnosis_begin(void);
void tap_value(const char *key, const char *fmt, ...);
/* Begin a list in the diagnosis, and add an item to it: a quoted text. The next value or the diagnosis's end
 * ends the list. */
void tap_list(const char *key);
void tap_item(const char *fmt, ...);
/* Does nothing when no diagnosis is open. */
void diagnosis_end(void);

/* Write the line "Bail out! text", after the end of a diagnosis that is still open. The run has to end then:
 * see bail_out() in kernel/run/finish.h. */
void tap_write_bail(const char *fmt, va_list args);

/*
 * Start loop 2 or a later one of a soak. Passed points and comments are counted, not printed. The first
 * TAP_MAX_PRINTED failed points are printed as checked comment lines, each followed by its diagnosis in
 * comment lines. Loop 0: print points again.
 */
#define TAP_MAX_PRINTED 20
void tap_later_loop(uint64_t loop);

/* Points so far, in all loops. */
struct tap_counts {
    uint64_t points, failed;
    unsigned printed; /* failures of later loops that were printed */
};
struct tap_counts tap_counted(void);

/*
 * The verdict on the screen: the name of this program and its version, the word, why or how many points
 * passed and failed, and below either what failed (outcome.h) or, when there is nothing to tell of a failure,
 * the log's last lines.
 */
void tap_screen_verdict(const char *name, const char *word, enum screen_colour colour);

/*
 * Check that the plan was kept, print what was not tested, totals and the END line, and return the verdict.
 * VERDICT_SKIP when nothing was tested, or too little for tap_strict(). VERDICT_BROKEN, with a
 * "Bail out!" line instead of the END line, when there was no plan or it was not kept, or when the serial
 * line stopped taking bytes.
 */
enum verdict tap_end(void);

#endif
