/*
 * One run of a vector on the host: guard_abort() comes back to where the run began, and the log is kept. This
 * header defines what it declares; each test program includes it once.
 */
#ifndef TESTS_HOST_SUITE_ONE_RUN_H
#define TESTS_HOST_SUITE_ONE_RUN_H

#include <string.h>
#include "kernel/console/console.h"
#include "kernel/console/screen.h"
#include "kernel/run/guard.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/trap.h"
#include "tests/host/support/host_test.h"

static char logged[16384]; /* what the consoles got, since forget_log() */
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

void console_write(const char *text, size_t bytes)
{
    assert_true(logged_length + bytes < sizeof logged);
    memcpy(logged + logged_length, text, bytes);
    logged_length += bytes;
    logged[logged_length] = '\0';
}

void console_drain(void)
{
}

bool console_timed_out(void)
{
    return false;
}

void screen_bottom(const char *text, enum screen_colour colour)
{
    (void)text;
    (void)colour;
}

void screen_verdict(const char *word, const char *first, const char *second, enum screen_colour colour)
{
    (void)word;
    (void)first;
    (void)second;
    (void)colour;
}

bool irq_off(void)
{
    return false;
}

void irq_restore(bool on)
{
    assert_false(on);
}

const char *trap_name(uint32_t vector)
{
    (void)vector;
    return "an exception";
}

static jmp_buf run_began;

void guard_abort(void)
{
    longjmp(run_began, 1);
}

/* Run fn; true if it returned, false if guard_abort() ended it. */
static inline bool returns_from(void (*fn)(void *), void *arg)
{
    if (setjmp(run_began) != 0)
        return false;
    fn(arg);
    return true;
}

#endif
