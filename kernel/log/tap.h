/*
 * What goes into the log: TAP version 13, plan first, one document per boot, in the form of docs/log.md.
 */
#ifndef KERNEL_LOG_TAP_H
#define KERNEL_LOG_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/console/screen.h"
#include "verdict.h"

/* Print the header and the plan. count 0: "1..0 # SKIP reason". */
void tap_plan(unsigned count, const char *skip_reason);

/* True once the plan is out. */
bool tap_started(void);

/* A comment line, "# " added. */
void tap_comment(const char *fmt, ...);

/* Announce a vector before it runs; rules and title may be null (not wanted, said before). */
void tap_start(const char *id, const char *rules, const char *title);
/* Show it on the screen alone. */
void tap_show(const char *id);

void tap_ok(const char *id);
void tap_skip(const char *id, const char *fmt, ...);

/* A failed point; the block's pairs follow, then tap_block_end(). Values are quoted for YAML; keys are plain
 * words. */
void tap_not_ok(const char *id);
void tap_block_begin(void);
void tap_pair(const char *key, const char *fmt, ...);
void tap_block_end(void);

/* Write the line "Bail out! text", after the end of a diagnosis that is still open. The run has to end then:
 * see bail_out() in kernel/run/finish.h. */
void tap_write_bail(const char *fmt, va_list args);

/*
 * Loop 2 and later of a soak: from now on points are counted and not printed, and neither are notes. A failed
 * one is told as a checked comment line with its diagnosis as comment lines behind it, the first
 * TAP_MAX_PRINTED of them. 0: back to points.
 */
#define TAP_MAX_PRINTED 20
void tap_later_loop(uint64_t loop);

/* A comment line that later loops do not keep back: there it is the checked line "# soak text". */
void tap_comment_always(const char *fmt, ...);

/* A heartbeat: the checked line "# soak text". */
void tap_heartbeat(const char *fmt, ...);

/* Points so far, those of later loops included. */
struct tap_counts {
    uint64_t points, failed;
    unsigned printed; /* failures of later loops that were printed */
};
struct tap_counts tap_counted(void);

/* The verdict on the screen: the word, why or how many points passed and failed, the first ids that failed.
 */
void tap_screen_verdict(const char *word, enum screen_colour colour);

/*
 * Check that the plan was kept, print totals and the END line, and return the verdict. VERDICT_BROKEN, with a
 * "Bail out!" line instead of the END line, when there was no plan or it was not kept, or when the serial
 * line stopped taking bytes.
 */
enum verdict tap_end(void);

#endif
