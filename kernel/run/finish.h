/* Ending the run. */
#ifndef KERNEL_RUN_FINISH_H
#define KERNEL_RUN_FINISH_H

/* The verdicts, by the value that is written to QEMU's isa-debug-exit port (QEMU exits with twice that, plus
 * 1). */
enum verdict { VERDICT_PASS = 0x10, VERDICT_FAIL = 0x11, VERDICT_BROKEN = 0x12, VERDICT_SKIP = 0x13 };

enum exit_action { EXIT_HALT, EXIT_REBOOT };

/* What a run that breaks off does in the end (tap_bail, a crash): the boot line's exit=, halt until told. */
void finish_set_action(enum exit_action action);
enum exit_action finish_action(void);

/*
 * Show the banner, drain the consoles, write the verdict to the debug-exit port when one answers (a read of
 * F4H is 0; an absent port reads FFH), then halt or reboot as asked. Both logical processors
 * stop, and the watchdog too.
 */
_Noreturn void finish(enum verdict verdict, enum exit_action action);

#endif
