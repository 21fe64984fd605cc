/* Reading a boot line with kernel/run/options.c: what must be accepted, and what must be refused with a
 * message. */
#ifndef TESTS_HOST_KERNEL_BOOT_LINE_H
#define TESTS_HOST_KERNEL_BOOT_LINE_H

#include <string.h>
#include "kernel/run/options.h"
#include "tests/host/support/host_test.h"

static struct options options;
static char error[600];

static inline bool parse(const char *line)
{
    memset(&options, 0xA5, sizeof options);
    memset(error, 0, sizeof error);
    return options_parse(&options, line, error, sizeof error);
}

#define accept(line) assert_true(parse(line))

/* Refused, and the message names the word and says what is allowed. */
static inline void refuse(const char *line, const char *word, const char *allowed)
{
    if (parse(line))
        fail_msg("accepted: %s", line);
    if (strstr(error, word) == NULL || strstr(error, "allowed") == NULL || strstr(error, allowed) == NULL ||
        strchr(error, '\n') != NULL)
        fail_msg("message for %s: %s", line, error);
}

static inline void assert_pattern(const struct pattern *pattern, const char *text)
{
    assert_int_equal(pattern->length, strlen(text));
    assert_memory_equal(pattern->text, text, pattern->length);
}

#endif
