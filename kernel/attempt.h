/*
 * A safety net under a piece of work: a fault, a deadline or a plain give-up ends it, and the caller goes on.
 * (Design decision 7: the machine may hang and the log survives.)
 */
#ifndef KERNEL_ATTEMPT_H
#define KERNEL_ATTEMPT_H

#include "trap.h"

enum attempt_end {
    ATTEMPT_DONE,      /* the work returned */
    ATTEMPT_GAVE_UP,   /* it called attempt_give_up() */
    ATTEMPT_FAULT,     /* an exception nobody fixed up; report->frame, report->cr2 are set */
    ATTEMPT_DEADLINE,  /* the deadline passed; report->frame is where it was */
    ATTEMPT_LP1_FAULT, /* LP1 took an exception while working for us; report->frame is LP1's */
};

struct attempt_report {
    struct trap_frame frame;
    uint32_t cr2;
    unsigned lp;
};

/*
 * Run work(arg) with a deadline in milliseconds (1..60000) kept by the local APIC timer of this logical
 * processor. The timer interrupt needs IF = 1 to be taken, so code that runs with interrupts off must be
 * bounded by itself. On return, however it ended: interrupts are on as they were at the call, the deadline is
 * off, FPU/SSE state is clean. The PMU is the caller's to clean up. Runs on the BSP only, not nested.
 */
enum attempt_end attempt(void (*work)(void *), void *arg, uint32_t deadline_ms,
                         struct attempt_report *report);

/* End the running attempt as ATTEMPT_GAVE_UP. Does not return. Outside an attempt: bails out. */
_Noreturn void attempt_give_up(void);

/* "reached the deadline", "fault 13 (#GP) ...": one line in words for the log. */
const char *attempt_end_name(enum attempt_end end);

#endif
