/*
 * The order of things before an instruction: what waits comes first (the end of a turn, an interrupt, a
 * breakpoint), then the instruction is fetched, and then p4sim executes it or libunicorn does.
 */
#include "step.h"
#include "engine.h"
#include "translation.h"
#include "mmio.h"
#include "intercept.h"
#include "unsupported.h"
#include "power.h"

#include <stdio.h>
#include "sim/cpu/registers.h"
#include "sim/events/events.h"

/* Code is built in subpages of this size (F18). */
#define BUILT_SUBPAGE 2048u

/* Zeros are ADD [EAX], AL. No kernel has so many of them on end among its code. */
#define ZEROS_BYTES 2u
#define ZEROS_MOST  65536u

void step_leave(struct processor *processor, enum processor_exit why)
{
    processor->exit = why;
    processor->stop_clock = 0;
    uc_emu_stop(processor->uc);
}

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
    step_leave(processor, why);
    return true;
}

/* Is the last store next to the code at address, which is built now (F18)? If so it hits, and is forgotten.
 */
static bool is_written(struct processor *processor, uint32_t address)
{
    if (processor->ram_store / BUILT_SUBPAGE != address / BUILT_SUBPAGE)
        return false;
    processor->ram_store = NO_RAM_STORE;
    return true;
}

/* Spread addresses over the entries of the second cache: 2^32 by the golden ratio, and the upper 16 bits of
 * the product. */
#define SPREAD       2654435761u
#define SPREAD_SHIFT 16

_Static_assert(UINT32_MAX >> SPREAD_SHIFT == INSN_CACHE_ENTRIES - 1, "the upper bits number the entries");

/*
 * Fill in *insn, the instruction that the processor finds at this address, but for its traces and events.
 *
 * The cache of the engine, in which instructions 64 KiB apart displace each other, is part of what is
 * simulated: an instruction that is not in it is built. A second one, engine->decoded, keeps nearly all of
 * them, so that each is decoded once.
 */
static void decoded_fetch(const struct processor *processor, struct insn *insn, uint32_t address)
{
    struct engine *engine = processor->engine;
    struct insn *kept = &engine->decoded->entry[address * SPREAD >> SPREAD_SHIFT];
    uint64_t tag = address | (processor->mode_tag & INSN_TAG_PLACE);
    const uint8_t *code = engine->ram + address;

    if (!insn_is_current(kept, tag, code) || kept->length > sizeof kept->bytes) {
        decode_instruction(engine->decoder, kept, code, address, tag & INSN_TAG_16BIT);
        timing_price(processor->timing, kept);
    }
    *insn = *kept;
}

/* A kernel that has run away from its code meets memory that nobody has written. It would run through 64 MB
 * of zeros, which takes minutes, since each of these instructions is new. */
static void note_zeros(struct processor *processor, const struct insn *insn, uint32_t address)
{
    char reason[80];
    bool on_end = address == processor->zeros_end;
    if (insn->bytes != 0 || insn->length != ZEROS_BYTES)
        return;
    processor->zeros = on_end ? processor->zeros + 1 : 1;
    processor->zeros_end = address + ZEROS_BYTES;
    if (processor->zeros < ZEROS_MOST)
        return;
    snprintf(reason, sizeof reason, "LP%u runs through zeros: EIP %08XH", processor->index, processor->eip);
    run_control_stop(processor->control, MACHINE_BROKEN, reason);
}

/* The decoded instruction at address. It is built now when it is new or changed, or the trace cache was
 * emptied. */
static struct insn *fetch(struct processor *processor, uint32_t address)
{
    struct engine *engine = processor->engine;
    struct insn *insn = insn_slot(engine->cache, address);
    uint64_t tag = address | processor->mode_tag;
    bool known = (insn->tag & INSN_TAG_PLACE) == (tag & INSN_TAG_PLACE);
    bool resident = insn->tag == tag, changed = known && !insn_has_bytes(insn, engine->ram + address);
    if (resident && !changed)
        return insn;
    processor->just_decoded = true;
    processor->modified = resident || is_written(processor, address);
    if (processor->modified)
        engine_empty_trace_caches(engine);
    if (!known || changed) {
        decoded_fetch(processor, insn, address);
        note_zeros(processor, insn, address);
    }
    insn->tag = address | processor->mode_tag;
    insn->events = retire_events(insn);
    processor->uncached_code = processor_paged(processor) && memory_type(processor, address) == MEMORY_UC;
    return insn;
}

static void halt(struct processor *processor, uint32_t next)
{
    apic_stores_drain(processor);
    fp_uop_drain(processor);
    processor->eip = next - processor->cs_base;
    complete(processor, next);
    step_leave(processor, EXIT_HALT);
}

/* Execute the instruction, which libunicorn must not see. Returns NO_EXCEPTION or the exception that it
 * raises. */
static int execute_instead(struct processor *processor, const struct insn *insn)
{
    switch (insn->intercept) {
    case INSN_HLT:
        return processor->cpl != 0 ? EXCEPTION_GP : NO_EXCEPTION;
    case INSN_PORT:
        processor->repeated.harmless = true;
        return privilege_of_port(processor, insn);
    case INSN_DIVSS:
        processor->repeated.harmless = true;
        return privilege_of_divide(processor, insn);
    case INSN_DEBUG:
    case INSN_OVERRIDE:
        processor->repeated.harmless = true;
        return NO_EXCEPTION;
    case INSN_ICEBP:
        return EXCEPTION_DB;
    case INSN_UNDEFINED:
        return EXCEPTION_UD;
    default:
        return intercept_execute(processor, insn);
    }
}

static void execute_intercepted(struct processor *processor, const struct insn *insn, uint32_t address)
{
    uint32_t next = address + insn->length;
    processor->repeated.harmless = false;
    int interrupt = execute_instead(processor, insn);
    if (interrupt != NO_EXCEPTION) {
        processor->exit_exception = (uint8_t)interrupt;
        step_leave(processor, EXIT_RAISED);
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
    if (over || processor->just_decoded || processor->remapped || processor->guarded ||
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

static void raise_before(struct processor *processor, uint32_t address, uint8_t interrupt)
{
    processor->eip = address - processor->cs_base;
    processor->exit_exception = interrupt;
    step_leave(processor, EXIT_RAISED);
}

/* Has the run ended before this instruction, which p4sim does not simulate? */
static bool refuse(struct processor *processor, const struct insn *insn, uint32_t address)
{
    bool doubtful = processor->guarded || insn->intercept == INSN_OVERRIDE || insn->intercept == INSN_DEBUG;
    return doubtful && unsupported_instruction(processor, insn, address);
}

void step(struct processor *processor, uint32_t address)
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
        step_leave(processor, EXIT_QUANTUM);
        return;
    }
    if (address > RAM_SIZE - 16) {
        raise_before(processor, address,
                     EXCEPTION_UD); /* the bus reads as FFH bytes, which are no instruction */
        return;
    }

    struct insn *insn = fetch(processor, address);
    processor->engine->instructions++;
    processor->pending = insn;
    retire_look_ahead(processor);
    if (insn->flags & INSN_SERIALISES || insn_changes_mode(insn))
        serialise(processor, insn);
    if (refuse(processor, insn, address)) {
        step_leave(processor, EXIT_QUANTUM);
        return;
    }
    int refused = processor->guarded ? privilege_of_access(processor, insn) : NO_EXCEPTION;
    if (refused == NO_EXCEPTION && insn->intercept == INSN_FLUSH)
        refused = privilege_of_control(processor, insn);
    if (refused != NO_EXCEPTION) {
        processor->exit_exception = (uint8_t)refused;
        step_leave(processor, EXIT_RAISED);
        return;
    }
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

/* ---- The end of an instruction ---- */

#define EFLAGS_VM (1u << 17)

void complete(struct processor *processor, uint32_t next)
{
    const struct insn *insn = processor->pending;
    retire(processor, next);
    if (processor->uncached_code) { /* no trace cache holds it (SDM 11.3) */
        insn_slot(processor->engine->cache, (uint32_t)insn->tag)->tag = 0;
        processor->uncached_code = false;
    }
    if (insn->intercept == INSN_FLUSH)
        processor_flush_translations(processor);
    if (insn->intercept == INSN_FAR || insn->intercept == INSN_SEGMENT || insn->intercept == INSN_IRET ||
        insn->intercept == INSN_FLUSH) /* which may change CR0.PE */
        processor_refresh_segments(processor);
    if (insn->intercept == INSN_IRET) {
        if (processor_get(processor, UC_X86_REG_EFLAGS) & EFLAGS_VM) {
            processor->eip = next - processor->cs_base;
            unsupported_end(processor, UNSUPPORTED_VIRTUAL_8086);
        }
        processor->nmi_blocked = false;
    }
}
