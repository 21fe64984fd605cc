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

/* Not inlined, so that the hook itself, which every instruction calls, saves no registers of the host for
 * what few instructions need. */
#define APART __attribute__((noinline))

/* Until stop_clock only events matter, so the fast paths suffice; whatever changes that sets it to 0
 * (processor_kick()). May it come before the clocks of the pending instruction have passed? */
static inline bool must_step(const struct processor *processor)
{
    const struct insn *pending = processor->pending;
    return !pending ||
           processor->core->clock + pending->clocks + processor->stall_clocks + 1 >= processor->stop_clock;
}

/* An instruction none of whose events is counted has executed, and these clocks pass with it. */
static inline void pass_unseen(struct processor *processor, const struct insn *insn, uint64_t clocks)
{
    processor->stall_clocks = 0;
    retire_twelfths(processor, insn);
    processor->core->clock += clocks;
}

static inline void end_unseen(struct processor *processor, const struct insn *insn)
{
    processor->pending = NULL;
    processor->shadow = insn->flags & INSN_SHADOW;
}

/* The instruction at address is next, and stop_clock is not reached: only one that is new, changed or not
 * plain needs step(). */
static inline void begin(struct processor *processor, uint32_t address)
{
    struct engine *engine = processor->engine;
    struct insn *insn = insn_slot(engine->cache, address);
    if (insn->intercept != INSN_PLAIN ||
        !insn_is_current(insn, address | processor->mode_tag, engine->ram + address)) {
        step(processor, address);
        return;
    }
    engine->instructions++;
    processor->pending = insn;
    /* The next two instructions are often not in the host's caches. They arrive while libunicorn executes
     * this one. */
    __builtin_prefetch(insn_slot(engine->cache, address + insn->length));
    __builtin_prefetch(insn_slot(engine->cache, insn->target));
    retire_look_ahead(processor);
}

/* The pending instruction, which may be a branch or counted, has executed; the next one is at address. */
static APART void pass_and_begin(struct processor *processor, uint32_t address)
{
    const struct insn *insn = processor->pending;
    bool iteration = insn->flags & INSN_REP && address == (uint32_t)insn->tag;
    uint64_t clocks = retire_clocks(processor, insn) + processor->stall_clocks;
    if (!fp_uop_near(processor, insn) && core_passes_unseen(processor->core, insn->events, clocks)) {
        retire_unseen(processor, insn, !iteration);
        pass_unseen(processor, insn, clocks);
        if (insn->branch != BRANCH_NONE)
            retire_branch_unseen(processor, insn, address);
        end_unseen(processor, insn);
    } else {
        complete(processor, address);
    }
    if (processor->core->clock < processor->stop_clock)
        begin(processor, address);
    else
        step(processor, address);
}

/* The fast path ends before this instruction, or only waits until edx_eax has been given. */
static APART void give_and_go_on(struct processor *processor, uint32_t address)
{
    if (processor->repeated.due) { /* libunicorn has executed the instruction, too */
        intercept_give(processor);
        processor->stop_clock = processor->translation.cuts ? 0 : processor->repeated.stop_clock;
    }
    if (must_step(processor))
        step(processor, address);
    else
        pass_and_begin(processor, address);
}

/* While edx_eax is to be given, stop_clock is 0 (step()). */
static void hook_instruction(uc_engine *uc, uint64_t where, uint32_t size, void *context)
{
    struct processor *processor = context;
    const struct insn *pending = processor->pending;
    uint32_t address = (uint32_t)where;
    (void)uc;
    (void)size;

    if (must_step(processor)) {
        give_and_go_on(processor, address);
    } else if (pending->branch != BRANCH_NONE || !core_hears_nothing(processor->core)) {
        pass_and_begin(processor, address);
    } else {
        pass_unseen(processor, pending, retire_clocks(processor, pending) + processor->stall_clocks);
        end_unseen(processor, pending);
        begin(processor, address);
    }
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
