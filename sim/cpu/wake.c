#include "wake.h"

#include "pending.h"
#include "processor.h"

void processor_kick(struct processor *processor)
{
    struct run_control *control = processor->control;
    if (processor == control->running) {
        processor->stop_clock = 0;
        return;
    }
    if (processor->state != PROCESSOR_HALTED || !interrupt_wanted(processor) ||
        lapic_sleeps_on(&processor->lapic))
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
