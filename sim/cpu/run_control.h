/*
 * What the processors of a machine and its scheduler share: who runs, whether the scheduler is wanted, and
 * whether the run is over. Every processor has a pointer to it, so that none needs to know the machine.
 */
#ifndef SIM_CPU_RUN_CONTROL_H
#define SIM_CPU_RUN_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct processor;

enum machine_end {
    MACHINE_RUNS,
    MACHINE_EXIT,         /* isa-debug-exit was written */
    MACHINE_RESET,        /* the kernel reset the board */
    MACHINE_WATCHDOG,     /* its watchdog did */
    MACHINE_ALL_HALTED,   /* every processor halted and nothing can wake one */
    MACHINE_LIMIT,        /* instruction limit passed */
    MACHINE_TRIPLE_FAULT, /* reason says where and why */
    MACHINE_BROKEN        /* libunicorn gave up; reason says why */
};

struct run_control {
    struct processor *running; /* null while the scheduler is at work */
    bool reschedule;           /* set to make the running processor return to the scheduler */
    enum machine_end end;
    char reason[200];
};

/* End the run before the next instruction. The first call decides; reason is copied. */
void run_control_stop(struct run_control *control, enum machine_end end, const char *reason);

/* Make the running processor return to the scheduler before its next instruction. */
void run_control_reschedule(struct run_control *control);

/* Make the running processor return to the scheduler when its core's clock has reached `clock`. */
void run_control_limit(struct run_control *control, uint64_t clock);

/* Let the clock of a core that was halted catch up with that of the core that runs now. */
struct core;
void run_control_catch_up(const struct run_control *control, struct core *core);

#endif
