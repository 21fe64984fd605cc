/*
 * A safety net under a piece of work: a fault, a deadline or a plain give-up ends it, and the caller goes on.
 * The machine may hang, and the log survives: what went wrong is one `not ok` in it.
 */
#ifndef KERNEL_RUN_GUARD_H
#define KERNEL_RUN_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/x86/trap.h"

enum guard_end {
    GUARD_DONE,     /* the work returned */
    GUARD_ABORTED,  /* it called guard_abort() */
    GUARD_FAULT,    /* an exception nobody fixed up; report->frame, report->cr2 are set */
    GUARD_DEADLINE, /* the deadline passed; report->frame is where it was */
    GUARD_AP_FAULT, /* the AP took an exception at its work; report->frame is the AP's */
};

/*
 * Run work(arg) with a deadline in milliseconds (1..60000) kept by the local APIC timer of this logical
 * processor. The timer interrupt needs IF = 1 to be taken, so code that runs with interrupts off must be
 * bounded by itself; the work starts with interrupts on. On return, however it ended: interrupts are as they
 * were at the call, the deadline is off, no interrupt is left in service, FPU/SSE state is clean. The PMU and
 * the sibling (smp_park) are the caller's to clean up. Runs on the BSP only, not nested.
 *
 * An early end takes the PMI handler away (pmi.h), so that a PMI storm ends with the attempt.
 * An exception on the AP ends the attempt at once, or when the work next has interrupts on or returns.
 */
enum guard_end guard_run(void (*work)(void *), void *arg, uint32_t deadline_ms, struct trap_report *report);

/* Try a deadline: false when its interrupt does not come, so that no attempt could be ended by one. */
bool guard_deadline_works(void);

/* End the running attempt as GUARD_ABORTED, from either ring. Does not return. Outside an attempt: bails
 * out. On the AP it counts as an exception there. */
_Noreturn void guard_abort(void);
/* The same with a reason, which guard_end_name() then tells. CPL 0 of the BSP only. */
_Noreturn void guard_abort_with(const char *fmt, ...);

/*
 * "reached the deadline", "fault 13 (#GP general protection) at 00101234H": one line in words for the log, of
 * the attempt that ended last. The text is good until the next call.
 */
const char *guard_end_name(enum guard_end end);

/*
 * For the trap code, on the BSP in a handler: end the running attempt as told, not to return. frame may be
 * null. Returns when no attempt runs.
 */
void guard_end_by(enum guard_end end, const struct trap_frame *frame);
/* End the running attempt when its time is up; else return. For handlers that could keep the deadline's
 * interrupt from coming. */
void guard_check_deadline(const struct trap_frame *frame);
/* The deadline's interrupt. */
void guard_timer(const struct trap_frame *frame);
/* The sibling took an exception and has left its report (smp_fault()); returns when no attempt runs. */
void guard_ap_faulted(void);

#endif
