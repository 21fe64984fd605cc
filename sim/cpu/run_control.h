/*
 * What the processors of a machine share with its scheduler: which one runs, whether the scheduler is wanted,
 * and whether the run is over. Every processor points to it, so that none needs to know the machine.
 */
#ifndef SIM_CPU_RUN_CONTROL_H
#define SIM_CPU_RUN_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct core;
struct processor;

enum machine_end {
    MACHINE_RUNS,
    MACHINE_EXIT,         /* isa-debug-exit was written */
    MACHINE_RESET,        /* the kernel reset the board */
    MACHINE_WATCHDOG,     /* the watchdog reset the board */
    MACHINE_ALL_HALTED,   /* every processor is halted and no interrupt can come */
    MACHINE_LIMIT,        /* the instruction limit was reached */
    MACHINE_TRIPLE_FAULT, /* `reason` says where and why */
    MACHINE_BROKEN        /* libunicorn failed; `reason` says why */
};

struct run_control {
    struct processor *running; /* null while the scheduler chooses */
    bool reschedule;           /* set to make the running processor return to the scheduler */
    enum machine_end end;
    char reason[200];
};

/* End the run before the next instruction. Only the first call counts; reason is copied. */
void run_control_stop(struct run_control *control, enum machine_end end, const char *reason);

/* Make the running processor return to the scheduler before its next instruction. */
void run_control_reschedule(struct run_control *control);

/* Make the running processor return to the scheduler when its core's clock has reached `clock`. */
void run_control_limit(struct run_control *control, uint64_t clock);

/* Let the clock of a core that was halted catch up with the clock of the core that runs. */
void run_control_catch_up(const struct run_control *control, struct core *core);

#endif
