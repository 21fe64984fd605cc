#include "processor.h"

#include <stdio.h>
#include "registers.h"

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

/* ---- Interrupts that wait, and making a processor notice a change ---- */

bool nmi_wanted(const struct processor *processor)
{
    return processor->lapic.nmi_pending && !processor->nmi_blocked;
}

bool interrupt_near(const struct processor *processor)
{
    return nmi_wanted(processor) || processor->machine_check ||
           (lapic_deliverable(&processor->lapic) >= 0 && processor_interruptible(processor));
}

bool interrupt_wanted(const struct processor *processor)
{
    return !processor->shadow && interrupt_near(processor) && processor_protected(processor);
}

void processor_kick(struct processor *processor)
{
    struct run_control *control = processor->control;
    if (processor == control->running) {
        processor->stop_clock = 0;
        return;
    }
    if (processor->state != PROCESSOR_HALTED || !interrupt_wanted(processor) ||
        !processor->lapic.stages->wakes(&processor->lapic))
        return;
    run_control_catch_up(control, processor->core);
    processor->state = PROCESSOR_ACTIVE;
    core_update_thread(processor);
    run_control_reschedule(control);
}

void processor_stall(struct processor *processor, uint32_t clocks)
{
    processor->stall_clocks += clocks;
}
