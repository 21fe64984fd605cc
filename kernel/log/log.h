/* The log, as docs/log.md defines it. The host tests compile the same files. */
#ifndef KERNEL_LOG_LOG_H
#define KERNEL_LOG_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/console/console.h"

/* ---- log.c: lines, each of which is counted, added to the CRC-32, kept and written to the consoles ---- */

/* A longer line is cut and ends in "...". Its check code is not part of it. */
#define LOG_LINE_CHARS 1000u

/* What log_text() holds at most, in bytes. */
#define LOG_COPY_BYTES 0x40000u

/* Begin a document with the next line: line count, CRC and copy start again. Lines written before a document
 * go to the consoles only. */
void log_begin(void);

/* One line, formatted by format(); the line end is added. A character outside printable ASCII becomes '?',
 * and blanks at the end of the line are left out. */
void log_line(const char *fmt, ...);

/*
 * Write a line, and wait until the consoles have it, before something is tried that may hang the machine:
 * then the line is the last one. A comment that begins with ABOUT_TO names what is tried.
 */
#define ABOUT_TO "# pmuproof is about to "
void log_attempt(const char *fmt, ...);

/* Write a checked line: a point or a heartbeat. Its check code " #hhhh" is added. */
void log_checked(const char *fmt, ...);

/* The end line: "# END OF TAP: verdict, L lines, CRC-32 hhhhhhhh". */
void log_end(const char *verdict);

/* The document so far, as it went to the serial line (CR LF), and its length in bytes. Of a document that is
 * longer than LOG_COPY_BYTES, only whole lines at its beginning are kept, and the last line says how many
 * bytes are missing. The text is good until the next line is written. */
const char *log_text(size_t *length);

/* What photographs of the screen should show of the document: all but passed points and announcements, lines
 * ended by LF. It takes the place of log_text(): call it once, when the run has ended. */
const char *log_condense(void);

/*
 * Lines written between log_hold() and log_release() belong together, for example a diagnosis. While
 * log_held(), no deadline ends the vector (guard.c). Each line is held while it is written. Calls may nest.
 */
void log_hold(void);
void log_release(void);
bool log_held(void);
/* Clocks since boot, of the TSC, during which the log was held: they do not count for a deadline. */
uint64_t log_clocks(void);
/* End all holds: an exception ended the code that would have released them. */
void log_release_all(void);

/* ---- The verdict: how a run can end ---- */

/* The values are those that finish() writes to the port of QEMU's isa-debug-exit device (QEMU then exits with
 * twice the value, plus 1). */
enum verdict {
    VERDICT_PASS = 0x10,   /* every check passed */
    VERDICT_FAIL = 0x11,   /* a check failed */
    VERDICT_BROKEN = 0x12, /* the run ended early: the log says why in its "Bail out!" line */
    VERDICT_SKIP = 0x13,   /* the PMU was not tested: the plan or the point pmu says why */
};

/* ---- tap.c and diagnosis.c: TAP 13; the plan comes first, and each boot has one document ---- */

/* Print the version line, before anything is tried that may hang the machine. */
void tap_begin(void);

/* Print the plan, after the version line if that is not out. count 0: "1..0 # SKIP reason". */
void tap_plan(unsigned count, const char *skip_reason);

/* The class of a comment decides when it is printed. */
enum tap_class {
    COMMENT_INFO,   /* in the first loop */
    COMMENT_DETAIL, /* in the first loop, but not in a brief log: nobody needs it to understand a failure */
    COMMENT_VECTOR, /* about the vector that tap_show() has named: in the first loop; in a brief log only if
                       the vector fails */
    COMMENT_ALWAYS, /* in every loop; in loop 2 and later as a checked line */
    COMMENT_HEARTBEAT, /* in every loop, as the checked line "# soak text" */
};

/* A comment line; "# " is added. */
void tap_comment(enum tap_class class, const char *fmt, ...);

/* The boot word brief: print only the points of what passed. */
void tap_brief(bool brief);

/* Announce a vector before it runs. rules is null unless they are wanted, title is null when it was printed
 * for the member of the family before. */
void tap_start(const char *id, const char *rules, const char *title);
/* Show the vector's id in the bottom line of the screen. */
void tap_show(const char *id);

void tap_ok(const char *id);
/* The point is ok, although so many of its results were wrong without a reason, too few to call it; text: of
 * what kind. The boot word strict makes that no pass. */
void tap_ok_unexplained(const char *id, unsigned results, const char *text);
void tap_skip(const char *id, const char *fmt, ...);
/* Skip a point because the machine lacks something. remedy: what a person can do about it; the end of the log
 * and the screen then say so. Null: nothing, because the processor lacks it. */
void tap_skip_lacking(const char *id, const char *reason, const char *remedy);
/* Skip the point pmu: this machine has no PMU to test. Without a failure the run is a skip then, and the
 * screen says why. */
void tap_skip_pmu(const char *reason);
/* Something was not exercised (tests/suite/exercised.h): write a line that names it, with the reason and what
 * it counted. */
void tap_not_exercised(const char *name, const char *reason, uint64_t counted);
/* Write a comment that says what everything else follows from. The screen shows the first such sentence at
 * the end, before what failed. */
void tap_follows(const char *fmt, ...);
/* The boot word strict: a run is no pass in which a remedy would have let more points run, results are
 * unexplained, or something was not exercised. */
void tap_strict(bool strict);

/* A failed point, with the plan "1..1" if none is out yet; the values of its diagnosis follow, then
 * diagnosis_end(). Values are quoted for YAML; keys are plain words. */
void tap_not_ok(const char *id);
/* The point that failed last fails now and then, not always: the totals count such points. */
void tap_intermittent(void);
void diagnosis_begin(void);
void tap_value(const char *key, const char *fmt, ...);
/* Begin a list in the diagnosis, and add an item to it: a quoted text. The next value or the diagnosis's end
 * ends the list. */
void tap_list(const char *key);
void tap_item(const char *fmt, ...);
/* Does nothing when no diagnosis is open. */
void diagnosis_end(void);

/* Write the line "Bail out! text", after the end of a diagnosis that is still open. The run has to end then:
 * see bail_out() in kernel/run/run.h. */
void tap_write_bail(const char *fmt, va_list args);

/*
 * Start loop 2 or a later one of a soak. Passed points and comments are counted, not printed. The first
 * TAP_MAX_PRINTED failed points are printed as checked comment lines, each followed by its diagnosis in
 * comment lines. Loop 0: print points again.
 */
#define TAP_MAX_PRINTED 20
void tap_later_loop(uint64_t loop);

/* Has the run tested the PMU, whatever came of it? */
bool tap_has_tested(void);

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
 * VERDICT_SKIP when the PMU was not tested, or too little for tap_strict(). VERDICT_BROKEN, with a
 * "Bail out!" line instead of the END line, when there was no plan or it was not kept, or when the serial
 * line stopped taking bytes.
 */
enum verdict tap_end(void);

/* ---- store.c: a place where the log is kept besides the consoles, such as a file ---- */

/* There is at most one. Without one the functions log_store_...() do nothing. */

/*
 * What a store does for the functions below. Each call may take seconds, and no interrupt of ours may come
 * meanwhile: so they are made only between vectors, with the PMU at rest, the sibling parked and no deadline
 * running; but `try` by a vector of the harness.
 */
struct log_store {
    void (*begin)(void);
    void (*save)(void);
    void (*end)(void);
    bool (*is_open)(void);
    const char *(*try)(void);
};

/* Use this store from now on; the structure is kept by its address. */
void log_set_store(const struct log_store *store);

/* Call after the inventory: open the store, print in the log which it is or why there is none, and save the
 * log so far. */
void log_store_begin(void);

/* Save what was added to the log since the last call. */
void log_store_save(void);

/* Call when the log is complete: save its end. The store reports a failure on the consoles, since the log is
 * closed. */
void log_store_end(void);

/* True while the log is being saved: the store is open, and nothing has failed. */
bool log_store_is_open(void);

/* Try whether the store keeps what is written; what it holds stays. Null, or what is wrong. Call it where
 * log_store_is_open(). */
const char *log_store_try(void);

#endif
