/*
 * The consoles and the screen for tests of what the kernel logs: the log is kept, the screen is not. This
 * header defines what it declares; each test program includes it once.
 */
#ifndef TESTS_HOST_SUPPORT_KEPT_LOG_H
#define TESTS_HOST_SUPPORT_KEPT_LOG_H

#include <string.h>
#include "host_test.h"
#include "kernel/console/console.h"
#include "kernel/log/log.h"
#include "kernel/x86/cpu.h"

static char logged[LOG_COPY_BYTES * 2]; /* what the consoles got, since forget_log() */
static size_t logged_length;

static inline void forget_log(void)
{
    logged_length = 0;
    logged[0] = '\0';
}

static inline bool log_has(const char *text)
{
    return strstr(logged, text) != NULL;
}

void console_write(const char *text, size_t length)
{
    assert_true(logged_length + length < sizeof logged);
    memcpy(logged + logged_length, text, length);
    logged_length += length;
    logged[logged_length] = '\0';
}

static uint64_t tsc;

STUB(uint64_t, rdtsc, (void), tsc += 10);
STUB(bool, screen_shown, (void), true);
static unsigned pages_drawn; /* each holds what there is */
STUB(size_t, screen_page, (const char *text, bool drawn), pages_drawn += drawn, strlen(text));
STUB(void, screen_bottom, (const char *text, enum screen_colour colour));
STUB(void, screen_verdict,
     (const char *name, const char *word, const char *text, bool log_below, enum screen_colour colour));

#endif
