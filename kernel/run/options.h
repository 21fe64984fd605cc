/*
 * The boot line. Portable C: the host tests compile the same file.
 *
 * Words are separated by blanks. The first one is ignored if it is the kernel's name: always if the loader is
 * known to put it there; after any other loader if it is a file name or URL, with a '/' or a final ".elf" and
 * no
 * '=' before that. Any other word must be one of the allowed ones.
 */
#ifndef KERNEL_RUN_OPTIONS_H
#define KERNEL_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/console/console.h"

/* ---- pattern.c: patterns of the boot words only= and skip= ---- */

/* A vector id, a prefix of one up to a dot ("cascade" and "cascade." are every "cascade.*"), or a rule
 * (R33). */
struct pattern {
    const char *text; /* into the boot line */
    size_t length;
};

/* True when the id or one of the blank-separated rules (may be null) matches the pattern. */
bool pattern_matches(const struct pattern *pattern, const char *id, const char *rules);
/* False if no id that begins with this text, together with these rules, matches: then the ids need not be
 * made.
 */
bool pattern_may_match(const struct pattern *pattern, const char *start, const char *rules);

/* ---- options.c ---- */

#define OPTIONS_PATTERNS  16 /* at most, in all only= words together, and in all skip= words */
#define OPTIONS_LOOPS     1000000
#define OPTIONS_TIMEOUT_S 31536000 /* a year */

enum exit_action { EXIT_HALT, EXIT_REBOOT, EXIT_OFF };

/* What is done instead of running the vectors: print them, print the inventory, run the stages (bringup). */
enum instead { INSTEAD_NOTHING, INSTEAD_LIST, INSTEAD_INVENTORY, INSTEAD_BRINGUP };

/* Which lines the log has. */
enum log_lines {
    LINES_USUAL,
    LINES_VERBOSE, /* vectors are announced with their rules */
    LINES_QUIET,   /* no announcements */
    LINES_BRIEF,   /* of what passed only the points: no announcements, no comments, a short inventory */
};

/* Whether the chip set may reset a machine that hangs. */
enum watchdog_use {
    WATCHDOG_OFF,
    WATCHDOG_ONCE,  /* the run that follows such a reset does not begin */
    WATCHDOG_ALWAYS /* each time */
};

struct options {
    struct serial_request console;
    enum exit_action exit;
    uint32_t loops;       /* times to run the selection, 1..OPTIONS_LOOPS; 0 = forever */
    uint32_t timeout_s;   /* seconds, 1..OPTIONS_TIMEOUT_S, after which no further vector starts; 0 = none */
    bool stop_on_fail;    /* the first not ok is the last point */
    bool quick;           /* a short selection: one member of each family */
    bool thorough;        /* ten times as many drawn courses */
    uint8_t instead;      /* enum instead */
    uint8_t lines;        /* enum log_lines */
    uint8_t watchdog;     /* enum watchdog_use */
    bool strict;          /* a pass that could have tested more is none */
    bool lapic;           /* enable a local APIC that the firmware left disabled */
    bool log_file;        /* write the log to the boot stick, where that is possible */
    const char *selftest; /* null, or the harness fault to provoke */
    const char *course;   /* null, or the notation of a course, up to a blank or the end */
    struct pattern only[OPTIONS_PATTERNS], skip[OPTIONS_PATTERNS];
    unsigned only_count, skip_count;
};

/* The value of selftest= that the kernel itself handles, by hanging for good. The other values are vectors
 * (tests/vectors). */
extern const char SELFTEST_DEAD[];

/*
 * Parse line (may be null: all defaults), which the loader of this multiboot name passed. Returns true, or
 * false with a one-line message naming the word and what is allowed in error[0..error_size). Non-printing
 * characters of the word are shown as '?', a long word is cut. The patterns and the course point into line;
 * selftest is a string of its own.
 *
 * If words contradict each other, the last one wins; the patterns of several only= words (or skip= words) add
 * up. Defaults: console=auto exit=halt loop=1 logfile=on, and every switch off. docs/boot-line.md has every
 * word.
 */
bool options_parse(struct options *options, const char *loader, const char *line, char *error,
                   size_t error_size);

#endif
