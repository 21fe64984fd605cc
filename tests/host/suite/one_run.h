/*
 * One run of a vector on the host: guard_abort() comes back to where the run began, and the log is kept. This
 * header defines what it declares; each test program includes it once.
 */
#ifndef TESTS_HOST_SUITE_ONE_RUN_H
#define TESTS_HOST_SUITE_ONE_RUN_H

#include "kernel/run/guard.h"
#include "kernel/run/pmi.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/trap.h"
#include "tests/host/support/host_test.h"
#include "tests/host/support/kept_log.h"
#include "tests/suite/machine.h"
#include "tests/suite/sheet.h"
#include "tests/suite/soak.h"

bool machine_has_pmu = true;
struct pmc_cpu machine_cpu;

STUB(const char *, sheet_harness_doubt, (const struct vector *row, const char *id), NULL);
STUB(void, uart_drain, (void));
STUB(bool, uart_timed_out, (void), false);
STUB(bool, irq_off, (void), false);
STUB(void, irq_restore, (bool on), assert_false(on));
STUB(const char *, trap_name, (uint32_t interrupt), "an exception");

/* What disturbs the run: NMIs and other interrupts of the board. Its PMIs; and the loop of a soak. */
static uint32_t board_nmis, board_interrupts, pmis_taken, loop_of_soak = 1;

STUB(struct unexpected_interrupts, unexpected_interrupts, (void),
     (struct unexpected_interrupts){0, board_nmis, board_interrupts});
STUB(uint32_t, pmi_count, (void), pmis_taken);
STUB(uint32_t, soak_loop, (void), loop_of_soak);

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
