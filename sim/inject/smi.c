/*
 * The handler's instructions are not executed, only told to the PMU: which memory they touch is of no
 * interest, what they retire is.
 */
#include "smi.h"

#include "sim/events/tc_mode.h"
#include "noise.h"
#include "sim/events/post.h"

#define HANDLER_LEAST   100u /* instructions */
#define HANDLER_MOST    900u
#define SWITCH_CLOCKS   800u /* to save the state and enter, and again to leave */
#define BRANCH_ONE_IN   6u   /* instructions */
#define MISPREDICTED_IN 8u   /* branches */
#define REPLAY_ONE_IN   64u  /* instructions: a load that meets a split line or store forwarding */

static void post_branch(const struct processor *processor, struct noise *noise)
{
    bool taken = noise_below(noise, 2), mispredicted = noise_below(noise, MISPREDICTED_IN) == 0;
    unsigned type = TYPE_CONDITIONAL + noise_below(noise, 3); /* or CALL, or RETURN */
    post(processor, PMU_BRANCH_RETIRED, MMNP + mispredicted + 2 * (taken || type != TYPE_CONDITIONAL), 1);
    post(processor, PMU_RETIRED_BRANCH_TYPE, type, 1);
    if (mispredicted) {
        post(processor, PMU_MISPRED_BRANCH_RETIRED, NBOGUS, 1);
        post(processor, PMU_RETIRED_MISPRED_BRANCH_TYPE, type, 1);
    }
}

static void post_instruction(const struct processor *processor, struct noise *noise)
{
    unsigned uops = 1 + noise_below(noise, 3);
    post(processor, PMU_INSTR_RETIRED, NBOGUSNTAG, 1);
    post(processor, PMU_INSTR_COMPLETED, NBOGUS, 1);
    post(processor, PMU_UOPS_RETIRED, NBOGUS, uops);
    post(processor, PMU_UOP_QUEUE_WRITES, FROM_TC_DELIVER, uops);
    if (noise_below(noise, BRANCH_ONE_IN) == 0)
        post_branch(processor, noise);
    if (noise_below(noise, REPLAY_ONE_IN) == 0) {
        post(processor, PMU_MEMORY_COMPLETE, LSC, 1);
        post(processor, PMU_LOAD_PORT_REPLAY, SPLIT_LD, 1);
        post(processor, PMU_MOB_LOAD_REPLAY, PARTIAL_DATA, 1);
    }
}

void noise_smi(struct processor *processor)
{
    struct machine *machine = processor->machine;
    struct core *core = processor->core;
    enum processor_state state = processor->state;
    uint8_t cpl = processor->cpl;
    uint32_t instructions = HANDLER_LEAST + noise_below(&machine->noise, HANDLER_MOST - HANDLER_LEAST + 1);

    if (machine->running)
        core_catch_up(core, machine->running->core->clock);
    processor->state = PROCESSOR_ACTIVE;
    processor->cpl = 0;
    core_update_thread(processor);
    core_clock(core, SWITCH_CLOCKS, false);
    for (uint32_t i = 0; i < instructions; i++) {
        if (core->listening)
            post_instruction(processor, &machine->noise);
        deliver_clocks(processor, 1);
    }
    core_clock(core, SWITCH_CLOCKS, false);
    processor->state = state;
    processor->cpl = cpl;
    core_update_thread(processor);
}
