/* TC_deliver_mode: what the trace cache does for both logical processors, clock by clock. */
#include "events.h"

static enum tc_mode mode_of(const struct core *core, unsigned thread)
{
    return core->active[thread] ? core->processor[thread]->tc_mode : TC_MODE_INACTIVE;
}

static void post_mode(const struct processor *processor)
{
    const struct core *core = processor->core;
    unsigned member = mode_of(core, 0) * TC_MODES + mode_of(core, 1);
    if (member != TC_MODE_INACTIVE * TC_MODES + TC_MODE_INACTIVE)
        post(processor, NBPMU_TC_DELIVER_MODE, member, 1);
}

void pass_clocks(struct processor *processor, uint64_t clocks)
{
    if (clocks == 0 || !is_counted(processor, EVENT_BIT(NBPMU_TC_DELIVER_MODE))) {
        core_clock(processor->core, clocks, true);
        return;
    }
    /* The mode holds in all of these clocks; the events of the instruction belong to the first. */
    uint64_t others = clocks - 1;
    post_mode(processor);
    core_clock(processor->core, 1, true);
    while (others > 0) {
        post_mode(processor);
        others -= core_repeat_clock(processor->core, others);
    }
}
