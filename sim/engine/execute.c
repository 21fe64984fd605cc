/*
 * The hook that sees every instruction before libunicorn executes it.
 *
 * When the hook sees instruction N+1, instruction N has executed and can retire. step() does all that can be
 * necessary then. Until the core clock stop_clock there are two short cuts for plain instructions that were
 * seen before: one retires N and posts its events; the other only adds N's clocks, when none of its events is
 * counted.
 */
#include "execute.h"
#include "engine.h"
#include "step.h"
#include "intercept.h"

#include "sim/events/events.h"

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
static void hook_instruction(uc_engine *uc, uint64_t where, uint32_t size, void *context)
{
    struct processor *processor = context;
    const struct insn *pending = processor->pending;
    struct core *core = processor->core;
    uint32_t address = (uint32_t)where;
    (void)uc;
    (void)size;

    if (processor->repeated.due) { /* libunicorn has executed the instruction, too */
        intercept_give(processor);
        processor->stop_clock = processor->translation.cuts ? 0 : processor->repeated.stop_clock;
    }
    if (!pending || core->clock + pending->clocks + processor->stall_clocks + 1 >= processor->stop_clock) {
        step(processor, address);
        return;
    }
    pass_pending(processor, address);
    struct insn *insn = insn_slot(processor->engine->cache, address);
    if (core->clock >= processor->stop_clock || insn->intercept != INSN_PLAIN ||
        !insn_is_current(insn, address | processor->mode_tag, processor->engine->ram + address)) {
        step(processor, address);
        return;
    }
    processor->engine->instructions++;
    processor->pending = insn;
    /* The next two instructions are often not in the host's caches. They arrive while libunicorn executes
     * this one. */
    __builtin_prefetch(insn_slot(processor->engine->cache, address + insn->length));
    __builtin_prefetch(insn_slot(processor->engine->cache, insn->target));
    retire_look_ahead(processor);
}

static void hook_interrupt(uc_engine *uc, uint32_t interrupt, void *context)
{
    struct processor *processor = context;
    (void)uc;
    if (processor->exit != EXIT_NONE)
        return;
    processor->exit_exception = (uint8_t)interrupt;
    step_leave(processor, EXIT_EXCEPTION);
}

/* ---- The engine's hooks ---- */

/* libunicorn takes every kind of callback as a void pointer, which ISO C does not convert to. */
union hook {
    void (*code)(uc_engine *, uint64_t, uint32_t, void *);
    void (*interrupt)(uc_engine *, uint32_t, void *);
    void *address;
};

bool execute_install(struct processor *processor)
{
    const union hook code = {.code = hook_instruction}, interrupt = {.interrupt = hook_interrupt};
    uc_hook handle;
    return uc_hook_add(processor->uc, &handle, UC_HOOK_CODE, code.address, processor, 1, 0) == UC_ERR_OK &&
           uc_hook_add(processor->uc, &handle, UC_HOOK_INTR, interrupt.address, processor, 1, 0) == UC_ERR_OK;
}
