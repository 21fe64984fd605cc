/*
 * A system-management interrupt, as the PMU sees it: some hundred instructions at CPL 0, branches and loads
 * among them. They are counted like any others, since no register excludes SMM (R43). The instructions of the
 * handler are not executed: only the events of their retirement are posted, since nothing else of them
 * matters to the PMU.
 */
#include "inject.h"

#include "sim/cpu/registers.h"
#include "sim/events/events.h"

#define HANDLER_LEAST   100u /* instructions */
#define HANDLER_MOST    900u
#define BRANCH_ONE_IN   6u  /* instructions */
#define MISPREDICTED_IN 8u  /* branches */
#define REPLAY_ONE_IN   64u /* one instruction of so many is a load that is replayed */

static void post_branch(const struct processor *processor, struct random *random)
{
    bool taken = random_below(random, 2), mispredicted = random_below(random, MISPREDICTED_IN) == 0;
    unsigned type = TYPE_CONDITIONAL + random_below(random, 3); /* or CALL, or RETURN */
    post(processor, NBPMU_BRANCH_RETIRED, MMNP + mispredicted + 2 * (taken || type != TYPE_CONDITIONAL), 1);
    post(processor, NBPMU_RETIRED_BRANCH_TYPE, type, 1);
    if (mispredicted) {
        post(processor, NBPMU_MISPRED_BRANCH_RETIRED, NBOGUS, 1);
        post(processor, NBPMU_RETIRED_MISPRED_BRANCH_TYPE, type, 1);
    }
}

static void post_instruction(const struct processor *processor, struct random *random)
{
    unsigned uops = 1 + random_below(random, 3);
    post(processor, NBPMU_INSTR_RETIRED, NBOGUSNTAG, 1);
    post(processor, NBPMU_INSTR_COMPLETED, NBOGUS, 1);
    post(processor, NBPMU_UOPS_RETIRED, NBOGUS, uops);
    post(processor, NBPMU_UOP_QUEUE_WRITES, FROM_TC_DELIVER, uops);
    if (random_below(random, BRANCH_ONE_IN) == 0)
        post_branch(processor, random);
    if (random_below(random, REPLAY_ONE_IN) == 0) {
        post(processor, NBPMU_MEMORY_COMPLETE, LSC, 1);
        post(processor, NBPMU_LOAD_PORT_REPLAY, SPLIT_LD, 1);
        post(processor, NBPMU_MOB_LOAD_REPLAY, PARTIAL_DATA, 1);
    }
}

void smi_strike(struct random *random, struct processor *processor, uint64_t clocks)
{
    struct core *core = processor->core;
    enum processor_state state = processor->state;
    uint8_t cpl = processor->cpl;
    uint32_t instructions = HANDLER_LEAST + random_below(random, HANDLER_MOST - HANDLER_LEAST + 1);
    const uint64_t enter = (clocks - instructions) / 2;

    run_control_catch_up(processor->control, core);
    processor->state = PROCESSOR_ACTIVE;
    processor->cpl = 0;
    core_update_thread(processor);
    core_clock(core, enter, false);
    for (uint32_t i = 0; i < instructions; i++) {
        if (core_active_events(core))
            post_instruction(processor, random);
        pass_clocks(processor, 1);
    }
    core_clock(core, clocks - instructions - enter, false);
    processor->state = state;
    processor->cpl = cpl;
    core_update_thread(processor);
}
