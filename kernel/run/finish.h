/* Ending the run. */
#ifndef KERNEL_RUN_FINISH_H
#define KERNEL_RUN_FINISH_H

#include "kernel/log/verdict.h"

enum exit_action { EXIT_HALT, EXIT_REBOOT };

/* What to do after a run that ends early (bail-out, panic): the boot line's exit=. Halt until this is called.
 */
void finish_set_action(enum exit_action action);

/*
 * The harness itself failed: print "Bail out!" with this text (format.h) and end the run with VERDICT_BROKEN.
 * A `not ok` must precede it; bail_out_as() prints one.
 */
_Noreturn void bail_out(const char *fmt, ...);
/* Like bail_out(), for use before the plan: first prints the header, "1..1" and "not ok 1 - id". */
_Noreturn void bail_out_as(const char *id, const char *fmt, ...);

/*
 * Show the banner, drain the consoles, write the verdict to the debug-exit port when one answers (a read of
 * F4H is 0; an absent port reads FFH), then halt or reboot as asked. Both logical processors
 * stop, and the watchdog too.
 */
_Noreturn void finish(enum verdict verdict, enum exit_action action);

/* End the run when finish() itself takes an exception: a last line, the verdict, halt. If the last line
 * takes an exception too, only the verdict is written. */
_Noreturn void finish_by_trap(void);

#endif
