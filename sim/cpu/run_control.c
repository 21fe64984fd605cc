/* What processors tell their machine: that the run is over, or that the scheduler is wanted, and when. */
#include "processor.h"

#include <stdio.h>

void run_control_stop(struct run_control *control, enum machine_end end, const char *reason)
{
    if (control->end != MACHINE_RUNS)
        return;
    control->end = end;
    snprintf(control->reason, sizeof control->reason, "%s", reason);
    if (control->running)
        control->running->stop_clock = 0;
}

void run_control_reschedule(struct run_control *control)
{
    control->reschedule = true;
    if (control->running)
        control->running->stop_clock = 0;
}

void run_control_limit(struct run_control *control, uint64_t clock)
{
    struct processor *running = control->running;
    if (!running)
        return;
    running->stop_clock = 0;
    if (clock < running->quantum_end)
        running->quantum_end = clock;
}

void run_control_catch_up(const struct run_control *control, struct core *core)
{
    if (control->running)
        core_catch_up(core, control->running->core->clock);
}
