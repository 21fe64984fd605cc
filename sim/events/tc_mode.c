#include "tc_mode.h"

#include "post.h"

static enum deliver_mode mode_of(const struct core *core, unsigned thread)
{
    return core->threads[thread].active ? core->processor[thread]->deliver_mode : DELIVER_MODE_INACTIVE;
}

static void post_mode(const struct processor *processor)
{
    const struct core *core = processor->core;
    unsigned member = mode_of(core, 0) * DELIVER_MODES + mode_of(core, 1);
    if (member != DELIVER_MODE_INACTIVE * DELIVER_MODES + DELIVER_MODE_INACTIVE)
        post(processor, PMU_TC_DELIVER_MODE, member, 1);
}

void deliver_clocks(struct processor *processor, uint64_t clocks)
{
    if (clocks == 0 || !listening(processor, EVENT_BIT(PMU_TC_DELIVER_MODE))) {
        core_clock(processor->core, clocks, true);
        return;
    }
    /* The mode is the same in all of these clocks; what the instruction posted belongs to the first. */
    uint64_t others = clocks - 1;
    post_mode(processor);
    core_clock(processor->core, 1, true);
    while (others > 0) {
        post_mode(processor);
        others -= core_repeat_clock(processor->core, others);
    }
}
