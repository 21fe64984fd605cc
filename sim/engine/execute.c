/*
 * The hook that sees every instruction before libunicorn executes it.
 *
 * When the hook sees instruction N+1, instruction N has executed and can retire. step() does all that can be
 * necessary then. Until the core clock stop_clock there are three short cuts for plain instructions that were
 * seen before: one retires N and posts its events; one only adds N's clocks, when none of its events is
 * counted; and when that holds for a whole block of instructions, they are counted down, and the block's
 * clocks are added at its end.
 */
#include "execute.h"

#include "blocks.h"
#include "complete.h"
#include "engine.h"
#include "intercept.h"
#include "loops.h"
#include "step.h"
#include "sim/events/fp_uop.h"
#include "sim/events/post.h"
#include "sim/events/retire.h"

/* An instruction none of whose events is counted has executed, and the next one is at address. */
static void pass_unseen(struct processor *processor, uint32_t address, uint64_t clocks)
{
    const struct insn *insn = processor->pending;
    bool iteration = insn->flags & INSN_REP && address == (uint32_t)insn->tag;
    processor->stall_clocks = 0;
    retire_twelfths(processor, insn);
    retire_unseen(processor, insn, !iteration);
    processor->core->clock += clocks;
    if (insn->branch != BRANCH_NONE)
        retire_branch_unseen(processor, insn, address);
    processor->pending = NULL;
    processor->shadow = insn->flags & INSN_SHADOW;
}

/* The block has executed, and the next instruction is at address. */
static void end_block(struct processor *processor, uint32_t address)
{
    const struct block *block = processor->block;
    struct core *core = processor->core;
    unsigned twelfths = processor->twelfths + block->twelfths;
    processor->twelfths = (uint8_t)(twelfths % TWELFTHS);
    core_pass_unseen(core, twelfths / TWELFTHS);
    processor->engine->instructions += block->work.instructions;
    processor->shadow = false; /* none of its instructions casts one */
    if (core_active_events(core))
        processor->tc_mode = block->tc_mode;
    if (!block->branch)
        return;
    processor->pending =
        block->branch; /* what happens in the clocks of a wrong prediction is traced with it */
    retire_branch_unseen(processor, block->branch, address);
    processor->pending = NULL;
}

/* Begin the block at address if nothing can happen in it. */
static bool begin_block(struct processor *processor, uint32_t address)
{
    const struct block *block = blocks_find(processor, address);
    struct core *core = processor->core;
    if (!block)
        return false;
    uint64_t clocks = (processor->twelfths + block->twelfths) / TWELFTHS;
    uint64_t heard = core_active_events(core) & block->events & ~EVENT_BIT(NBPMU_NO_EVENT);
    if (heard || clocks > core_quiet(core) || core->clock + clocks + 1 >= processor->stop_clock)
        return false;
    processor->block = block;
    processor->ahead = block->work.instructions;
    return true;
}

/* The processor jumped back to address: leave the engine if its loop can be executed by whole blocks. */
static bool leave_to_loop(struct processor *processor, uint32_t address)
{
    if (!loops_worthwhile(processor, address))
        return false;
    processor->eip = address - processor->cs_base;
    step_leave(processor, EXIT_LOOP);
    return true;
}

/* The pending instruction has executed, and the clocks that it takes end before stop_clock. */
static void pass_pending(struct processor *processor, uint32_t address)
{
    const struct insn *insn = processor->pending;
    uint64_t clocks = retire_clocks(processor, insn) + processor->stall_clocks;
    if (!fp_uop_near(processor, insn) && core_passes_unseen(processor->core, insn->events, clocks))
        pass_unseen(processor, address, clocks);
    else
        complete(processor, address);
}

/* Until stop_clock only events matter, so the fast paths suffice; whatever changes that sets it to 0
 * (processor_kick()). */
static __attribute__((noinline)) void next_instruction(struct processor *processor, uint32_t address)
{
    const struct insn *pending = processor->pending;
    struct core *core = processor->core;
    bool back;

    if (processor->repeated.due) { /* libunicorn has executed the instruction, too */
        intercept_give(processor);
        processor->stop_clock = processor->translation.cuts ? 0 : processor->repeated.stop_clock;
    }
    if (processor->ahead) {
        processor->ahead = 0;
        end_block(processor, address);
        back = address <= processor->block->address;
    } else if (pending &&
               core->clock + pending->clocks + processor->stall_clocks + 1 < processor->stop_clock) {
        back = pending->branch != BRANCH_NONE && address <= (uint32_t)pending->tag;
        pass_pending(processor, address);
    } else {
        step(processor, address);
        return;
    }
    if (core->clock >= processor->stop_clock) {
        step(processor, address);
        return;
    }
    if (back && leave_to_loop(processor, address))
        return;
    if (begin_block(processor, address))
        return;
    struct insn *insn = insn_slot(processor->engine->cache, address);
    if (insn->intercept != INSN_PLAIN ||
        !insn_is_current(insn, address | processor->mode_tag, processor->engine->ram + address)) {
        step(processor, address);
        return;
    }
    processor->engine->instructions++;
    processor->pending = insn;
    retire_look_ahead(processor);
}

static void hook_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *context)
{
    struct processor *processor = context;
    (void)uc;
    (void)size;
    if (processor->ahead > 1)
        processor->ahead--; /* the end of the block accounts for it */
    else
        next_instruction(processor, (uint32_t)address);
}

static void hook_vector(uc_engine *uc, uint32_t vector, void *context)
{
    struct processor *processor = context;
    (void)uc;
    if (processor->exit != EXIT_NONE)
        return;
    blocks_settle(processor);
    processor->exit_vector = (uint8_t)vector;
    step_leave(processor, EXIT_EXCEPTION);
}

/* ---- The engine's hooks ---- */

/* libunicorn takes every kind of callback as a void pointer, which ISO C does not convert to. */
union hook {
    void (*code)(uc_engine *, uint64_t, uint32_t, void *);
    void (*vector)(uc_engine *, uint32_t, void *);
    void *address;
};

bool execute_install(struct processor *processor)
{
    const union hook code = {.code = hook_instruction}, vector = {.vector = hook_vector};
    uc_hook handle;
    return uc_hook_add(processor->uc, &handle, UC_HOOK_CODE, code.address, processor, 1, 0) == UC_ERR_OK &&
           uc_hook_add(processor->uc, &handle, UC_HOOK_INTR, vector.address, processor, 1, 0) == UC_ERR_OK;
}
