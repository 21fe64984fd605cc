/*
 * The boot line. Portable C: the host tests compile the same file.
 *
 * Words are separated by blanks. The loader's own first word (a file name or URL: it holds a '/' or ends in
 * ".elf", and has no '=' before that) is ignored. Any other word must be one of the allowed ones.
 */
#ifndef KERNEL_OPTIONS_H
#define KERNEL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "finish.h"

#define OPTIONS_PATTERNS 16 /* at most, over all only= or all skip= words */

struct pattern {
    const char *text; /* into the boot line */
    size_t length;
};

struct options {
    uint16_t uart_port; /* I/O address, 0 = none */
    uint32_t uart_baud;
    enum exit_action exit;
    bool list;            /* print the vectors, run none */
    bool quiet, verbose;  /* vectors are not announced; with their rules */
    bool quick;           /* a short selection: of each family one member */
    bool inventory;       /* print the inventory, run nothing */
    bool stop_on_fail;    /* nothing more runs after the first failure */
    uint32_t loops;       /* run the selection so many times, 0: for ever */
    uint32_t timeout_s;   /* seconds that all may take, 0: any */
    const char *selftest; /* null, or the harness fault to provoke */
    struct pattern only[OPTIONS_PATTERNS], skip[OPTIONS_PATTERNS];
    unsigned only_count, skip_count;
};

/* What the allowed words are, one line, for messages and documents. */
extern const char OPTIONS_ALLOWED[];

/*
 * Parse line (may be null: all defaults). Returns true, or false with a one-line message naming the word and
 * what is allowed in error[0..error_size). Non-printing characters of the word are shown as '?', a long word
 * is cut. The patterns point into line; selftest is a string of its own.
 *
 *   console=ttyS0..ttyS3[,BAUD[n8]] | console=0xPORT[,BAUD[n8]] | console=none   exit=halt|reboot
 *   only=PATTERN[,PATTERN...]  skip=PATTERN[,...]  list  quiet  selftest=fault|hang|lp1-fault|fail|storm
 *
 * Of several console=, exit= or selftest= words the last one counts; the patterns of several only= words (or
 * skip= words) add up. PORT is 1 to 4 hexadecimal digits, 1 to FFF8. BAUD divides 115200, the rate of divisor
 * 1, and is at least 2 (the divisor has 16 bits). A PATTERN is a vector id or a prefix of one ending at a dot
 * ("cascade" = every "cascade.*"), or a rule (R33).
 */
bool options_parse(struct options *options, const char *line, char *error, size_t error_size);

/* True when id (dotted) or one of the blank-separated rules matches the pattern as described above. */
bool pattern_matches(const struct pattern *pattern, const char *id, const char *rules);

#endif
