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

#include <string.h>
#include "apic_stores.h"
#include "blocks.h"
#include "boot_rom.h"
#include "complete.h"
#include "debug.h"
#include "decoded.h"
#include "engine.h"
#include "intercept.h"
#include "loops.h"
#include "translation.h"
#include "unsupported.h"
#include "sim/cpu/pending.h"
#include "sim/cpu/registers.h"
#include "sim/cpu/vectors.h"
#include "sim/cpu/wake.h"
#include "sim/events/fp_uop.h"
#include "sim/events/post.h"
#include "sim/events/retire.h"

/* Code is built in subpages of this size (F18). */
#define BUILT_SUBPAGE 2048u

static void leave(struct processor *processor, enum processor_exit why)
{
    processor->exit = why;
    processor->stop_clock = 0;
    uc_emu_stop(processor->uc);
}

/* ---- The hook's slow path ---- */

/* Leave the engine before the instruction at address if there is a reason to. */
static bool must_leave(struct processor *processor, uint32_t address)
{
    const struct engine *engine = processor->engine;
    struct run_control *control = processor->control;
    enum processor_exit why = EXIT_NONE;

    if (engine->instructions >= engine->limit)
        run_control_stop(control, MACHINE_LIMIT, "");
    if (interrupt_wanted(processor))
        why = EXIT_INTERRUPT;
    else if (processor->code_changed || translation_full(processor))
        why = EXIT_RETRANSLATE;
    if (control->end != MACHINE_RUNS || control->reschedule ||
        processor->core->clock >= processor->quantum_end)
        why = EXIT_QUANTUM;
    if (why == EXIT_NONE)
        return false;
    processor->eip = address - processor->cs_base;
    leave(processor, why);
    return true;
}

/* Is the last store next to the code at address, which is being built (F18)? It then hits, and is done with.
 */
static bool is_written(struct processor *processor, uint32_t address)
{
    if (processor->ram_store / BUILT_SUBPAGE != address / BUILT_SUBPAGE)
        return false;
    processor->ram_store = NO_RAM_STORE;
    return true;
}

/* The decoded instruction at address. It is built now when it is new or changed, or the trace cache was
 * emptied. */
static struct insn *fetch(struct processor *processor, uint32_t address)
{
    struct engine *engine = processor->engine;
    struct insn *insn = insn_slot(engine->cache, address);
    uint64_t bytes;

    memcpy(&bytes, engine->ram + address, sizeof bytes);
    uint64_t tag = address | processor->mode_tag;
    bool known = (insn->tag & INSN_TAG_PLACE) == (tag & INSN_TAG_PLACE);
    bool resident = insn->tag == tag, changed = known && (bytes & insn->mask) != insn->bytes;
    if (resident && !changed)
        return insn;
    processor->just_decoded = true;
    processor->modified = resident || is_written(processor, address);
    if (processor->modified)
        engine_empty_trace_caches(engine);
    if (!known || changed) {
        if (insn->tag)
            blocks_doubt(engine, (uint32_t)insn->tag); /* of blocks with the instruction that was there */
        decoded_fetch(processor, insn, address);
    }
    insn->tag = address | processor->mode_tag;
    insn->events = retire_events(insn);
    return insn;
}

static void halt(struct processor *processor, uint32_t next)
{
    apic_stores_drain(processor);
    fp_uop_drain(processor);
    processor->eip = next - processor->cs_base;
    complete(processor, next);
    leave(processor, EXIT_HALT);
}

/* Execute the instruction, which libunicorn must not see. Returns NO_VECTOR or the vector that it raises. */
static int execute_instead(struct processor *processor, const struct insn *insn)
{
    switch (insn->intercept) {
    case INSN_HLT:
        return processor->cpl != 0 ? VECTOR_GP : NO_VECTOR;
    case INSN_READ_DEBUG:
    case INSN_WRITE_DEBUG:
        return debug_execute(processor, insn);
    case INSN_ICEBP:
        return VECTOR_DB;
    case INSN_UNDEFINED:
        return VECTOR_UD;
    default:
        return intercept_execute(processor, insn);
    }
}

static void execute_intercepted(struct processor *processor, const struct insn *insn, uint32_t address)
{
    uint32_t next = address + insn->length;
    processor->repeated.harmless = false;
    int vector = execute_instead(processor, insn);
    if (vector != NO_VECTOR) {
        processor->exit_vector = (uint8_t)vector;
        leave(processor, EXIT_VECTOR);
    } else if (insn->intercept == INSN_HLT) {
        halt(processor, next);
    } else if (!processor->repeated.harmless) {
        intercept_give(processor);
        processor_set(processor, UC_X86_REG_EIP, next - processor->cs_base);
    }
}

/* Core clock at which the fast path must return to step(). */
static uint64_t next_stop(const struct processor *processor)
{
    const struct engine *engine = processor->engine;
    const struct run_control *control = processor->control;
    const struct core *core = processor->core;
    bool over = control->reschedule ||
                control->end != MACHINE_RUNS; /* the instruction itself may have asked for it */
    if (over || processor->just_decoded || processor->has_breakpoint || processor->remapped ||
        processor->fp_window.count || interrupt_near(processor))
        return 0;
    uint64_t arrival = apic_stores_next(processor);
    uint64_t limit = /* an instruction takes at least a third of a clock */
        core->clock + (engine->limit - engine->instructions) / UOPS_PER_CLOCK;
    limit = limit < arrival ? limit : arrival;
    return limit < processor->quantum_end ? limit : processor->quantum_end;
}

/* What is still under way comes to its end before insn. A WRMSR serialises the sibling as well (F4). */
static void serialise(struct processor *processor, const struct insn *insn)
{
    struct processor *sibling = processor->core->processor[processor->thread ^ 1];
    fp_uop_drain(processor);
    if (insn->flags & INSN_SERIALISES)
        apic_stores_drain(processor);
    if (insn->intercept == INSN_WRMSR && sibling)
        fp_uop_drain(sibling);
}

static void raise_before(struct processor *processor, uint32_t address, uint8_t vector)
{
    processor->eip = address - processor->cs_base;
    processor->exit_vector = vector;
    leave(processor, EXIT_VECTOR);
}

/* Apart from hook_instruction(), so that the short cuts save no registers for it. */
static void __attribute__((noinline)) step(struct processor *processor, uint32_t address)
{
    translation_cut(processor);
    if (processor->exit != EXIT_NONE)
        return; /* the engine is about to stop */
    if (processor->in_boot_rom) {
        if (address >= BOOT_ROM_BASE)
            return;
        processor->in_boot_rom = false;
        processor_refresh_segments(processor);
    }
    if (processor->pending)
        complete(processor, address);
    processor->eip = address - processor->cs_base; /* for what is traced between two instructions */
    apic_stores_arrive(processor);
    if (must_leave(processor, address))
        return;
    if (processor->remapped && unsupported_code(processor, address)) {
        leave(processor, EXIT_QUANTUM);
        return;
    }
    if (processor->has_breakpoint && debug_stops(processor, address)) {
        raise_before(processor, address, VECTOR_DB);
        return;
    }
    if (address > RAM_SIZE - 16) {
        raise_before(processor, address,
                     VECTOR_UD); /* the bus reads as FFH bytes, which are no instruction */
        return;
    }

    struct insn *insn = fetch(processor, address);
    processor->engine->instructions++;
    processor->pending = insn;
    retire_look_ahead(processor);
    if (insn->flags & INSN_SERIALISES || insn_changes_mode(insn))
        serialise(processor, insn);
    if (insn_changes_mode(insn)) {
        if (insn->cost >= COST_DRAWN)
            processor_stall(processor, timing_draw(processor->timing, insn->cost));
        processor->stop_clock = 0;
        return;
    }
    if (insn->intercept != INSN_PLAIN)
        execute_intercepted(processor, insn, address);
    if (processor->exit == EXIT_NONE)
        processor->stop_clock = next_stop(processor);
    if (processor->repeated.due) { /* not before libunicorn has executed the instruction */
        processor->repeated.stop_clock = processor->stop_clock;
        processor->stop_clock = 0;
    }
}

/* Is insn the instruction at address, unchanged, and one that p4sim does nothing special for? */
static bool known_and_plain(const struct processor *processor, const struct insn *insn, uint32_t address)
{
    uint64_t bytes;
    if (insn->intercept != INSN_PLAIN || insn->tag != (address | processor->mode_tag))
        return false;
    memcpy(&bytes, processor->engine->ram + address, sizeof bytes);
    return (bytes & insn->mask) == insn->bytes;
}

/* An instruction none of whose events is counted has executed, and the next one is at address. */
static void pass_unseen(struct processor *processor, uint32_t address, uint64_t clocks)
{
    const struct insn *insn = processor->pending;
    bool iteration = insn->flags & INSN_REP && address == (uint32_t)insn->tag;
    processor->stall_clocks = 0;
    retire_twelfths(processor, insn);
    retire_unseen(processor, insn, clocks, !iteration);
    if (insn->branch != BRANCH_NONE)
        retire_branch_unseen(processor, insn, address);
    processor->pending = NULL;
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

/* Until stop_clock only events matter, so the fast paths suffice; whatever changes that sets it to 0
 * (processor_kick()). */
static __attribute__((noinline)) void next_instruction(struct processor *processor, uint32_t address)
{
    const struct insn *pending = processor->pending;
    struct core *core = processor->core;

    if (processor->repeated.due) { /* libunicorn has executed the instruction, too */
        intercept_give(processor);
        processor->stop_clock = processor->translation.cuts ? 0 : processor->repeated.stop_clock;
    }
    if (processor->ahead) {
        processor->ahead = 0;
        end_block(processor, address);
        if (address <= processor->block->address && loops_worthwhile(processor, address)) {
            processor->eip = address - processor->cs_base;
            leave(processor, EXIT_LOOP);
            return;
        }
    } else if (pending &&
               core->clock + pending->clocks + processor->stall_clocks + 1 < processor->stop_clock) {
        uint64_t clocks = retire_clocks(processor, pending) + processor->stall_clocks;
        bool back = pending->branch != BRANCH_NONE && address <= (uint32_t)pending->tag;
        if (core_passes_unseen(core, pending->events, clocks))
            pass_unseen(processor, address, clocks);
        else
            complete(processor, address);
        if (back && core->clock < processor->stop_clock && loops_worthwhile(processor, address)) {
            processor->eip = address - processor->cs_base;
            leave(processor, EXIT_LOOP);
            return;
        }
    } else {
        step(processor, address);
        return;
    }
    if (core->clock >= processor->stop_clock) {
        step(processor, address);
        return;
    }
    if (begin_block(processor, address))
        return;
    struct insn *insn = insn_slot(processor->engine->cache, address);
    if (!known_and_plain(processor, insn, address)) {
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
    leave(processor, EXIT_EXCEPTION);
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
