/*
 * Runs a piece of work guarded against faults and hanging: an exception, a deadline or the work itself can
 * end it early, and the caller goes on. So the log survives a vector that fails in any way, and gets a `not
 * ok`.
 */
#ifndef KERNEL_RUN_GUARD_H
#define KERNEL_RUN_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/x86/trap.h"

enum guard_end {
    GUARD_DONE,     /* the work returned */
    GUARD_ABORTED,  /* it called guard_abort() */
    GUARD_FAULT,    /* an exception without a fix-up; report->frame and report->cr2 say where */
    GUARD_DEADLINE, /* the deadline passed; report->frame says where the work was */
    GUARD_AP_FAULT, /* the AP took an exception at its work; report->frame is the AP's */
    GUARD_STORM,    /* PMI_STORM PMIs without a pause (pmi.h); report->frame says where the work was */
};

#define GUARD_MOST_MS 60000u

/*
 * Run work(arg) with a deadline in milliseconds (1 to GUARD_MOST_MS), kept by the local APIC timer of this
 * logical processor. The work starts with interrupts on. The timer's interrupt is taken with IF = 1 only, so
 * parts of the work that run with interrupts off must be bounded by themselves. On the boot processor only.
 * Work may guard a part of itself: that part has a deadline of its own, and guard_end_name() does not know
 * how it ended.
 *
 * On return, however the work ended: interrupts are as they were at the call, the deadline is off, no
 * interrupt is in service, FPU and SSE state is clean. The caller cleans up the PMU and the AP (smp_park()).
 * If the work ended early, *report holds the trap, and the PMI handler is removed (pmi.h), so that a storm of
 * PMIs ends as well.
 *
 * An exception on the AP ends the work at once, or as soon as the work has interrupts on or returns.
 */
enum guard_end guard_run(void (*work)(void *), void *arg, uint32_t deadline_ms, struct trap_report *report);

/* Test the deadline with work that outlasts it. False when the deadline did not end that work: then it would
 * not end any guarded work. */
bool guard_deadline_works(void);

/* End the guarded work that calls this as GUARD_ABORTED; also from ring 3. Outside of guarded work the run
 * ends (panic.c). On the AP it counts as an exception of the AP. */
_Noreturn void guard_abort(void);
/* Like guard_abort(), because an access to this MSR faulted; the text is a reason for guard_end_name(). At
 * CPL 0 of the boot processor only. */
_Noreturn void guard_abort_by_msr(uint32_t msr, const char *fmt, ...);

/* The MSR whose access ended the latest guarded work: guard_abort_by_msr(), or a RDMSR or WRMSR that took an
 * exception. 0 when something else ended it. */
uint32_t guard_faulted_msr(void);

/*
 * How the latest guarded work ended, in words for the log: "reached the deadline", "fault 13 (#GP general
 * protection) at 00101234H". The text is good until the next call.
 */
const char *guard_end_name(enum guard_end end);

/* ---- For interrupt handlers, on the boot processor (interrupts.c) ---- */

/* End the guarded work in this way. frame: where it was; may be null. Returns only when no work is guarded.
 */
void guard_end_by(enum guard_end end, const struct trap_frame *frame);
/* End the guarded work if its deadline has passed by the TSC. Handlers that could keep the timer's interrupt
 * from coming call this. */
void guard_check_deadline(const struct trap_frame *frame);
/* End the guarded work, because PMIs come without a pause. */
void guard_storm(const struct trap_frame *frame);
/* Handle the deadline timer's interrupt. */
void guard_timer(const struct trap_frame *frame);
/* The AP took an exception and has left its report (smp_fault()). Returns when no work is guarded, or while a
 * log line is being written: guard_run() checks again. */
void guard_ap_faulted(void);

#endif
