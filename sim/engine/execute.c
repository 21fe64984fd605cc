/*
 * A logical processor step by step: the hook that sees every instruction before it runs, and what is done
 * when the engine stops.
 *
 * When the hook sees instruction N+1, instruction N is known to have retired. There are two short cuts for a
 * plain instruction seen before, as long as nothing else is up: one retires N and posts its events, the other
 * is for the case that nobody listens to events of either.
 */
#include "sim/cpu/processor.h"

#include <stdio.h>
#include <string.h>
#include <unicorn/x86.h>
#include "boot_rom.h"
#include "interrupt.h"
#include "sim/machine/machine.h"
#include "sim/events/post.h"
#include "sim/events/retire.h"
#include "intercept.h"

/*
 * libunicorn keeps all that it ever translated, code that was overwritten too, and crashes when its buffer of
 * 1 GB is full: after some 2,000 million instructions of the vectors. It forgets in time, at a moment that
 * only depends on the run itself. An ordinary run is over long before.
 */
#define FORGET_EVERY 400000000u /* instructions of this processor */

#define NEVER_REACHED 0xFFFFFFF0u /* uc_emu_start wants an address to stop at */

enum { VECTOR_DB = 1, VECTOR_UD = 6, VECTOR_GP = 13 };

static void leave(struct processor *processor, enum processor_exit why)
{
    processor->exit = why;
    processor->stop_clock = 0;
    uc_emu_stop(processor->uc);
}

/* ---- The hook's slow path ---- */

/* Before the instruction at address: does something end the slice here? */
static bool must_leave(struct processor *processor, uint32_t address)
{
    struct machine *machine = processor->machine;
    enum processor_exit why = EXIT_NONE;

    if (machine->instructions >= machine->config.limit)
        machine_finish(machine, MACHINE_LIMIT, "");
    if (interrupt_wanted(processor))
        why = EXIT_INTERRUPT;
    else if (processor->code_changed)
        why = EXIT_RETRANSLATE;
    if (machine->end != MACHINE_RUNS || machine->reschedule || processor->core->clock >= processor->slice_end)
        why = EXIT_SLICE;
    if (why == EXIT_NONE)
        return false;
    processor->eip = address - processor->cs_base;
    leave(processor, why);
    return true;
}

/* The decoded instruction at address, decoding it when it is new or its bytes have changed. */
static struct insn *fetch(struct processor *processor, uint32_t address)
{
    struct machine *machine = processor->machine;
    const uint8_t *code = machine->ram + address;
    struct insn *insn = insn_slot(machine->cache, address);
    uint64_t bytes;

    memcpy(&bytes, code, sizeof bytes);
    bool known = insn->tag == (address | processor->mode_tag);
    if (known && (bytes & insn->mask) == insn->bytes)
        return insn;
    processor->modified = known;
    processor->fresh = true;
    decode(machine->decoder, insn, code, address, processor->mode_tag & INSN_TAG_16BIT);
    insn->events = retire_events(insn);
    ram_stores_note_code(machine, insn, processor->mode_tag & INSN_TAG_16BIT);
    return insn;
}

static void halt(struct processor *processor, uint32_t next)
{
    processor->eip = next - processor->cs_base;
    retire(processor, next);
    leave(processor, EXIT_HALT);
}

/* RDTSC, RDMSR, WRMSR, RDPMC, HLT. */
static void execute_special(struct processor *processor, const struct insn *insn, uint32_t address)
{
    uint32_t next = address + insn->length;
    int vector = insn->special == INSN_HLT && processor->cpl != 0 ? VECTOR_GP
                                                                  : special_execute(processor, insn->special);
    if (vector != NO_VECTOR) {
        processor->exit_vector = (uint8_t)vector;
        leave(processor, EXIT_VECTOR);
    } else if (insn->special == INSN_HLT) {
        halt(processor, next);
    } else {
        processor_set(processor, UC_X86_REG_EIP, next - processor->cs_base);
    }
}

/* Until when the fast path may go on by itself. */
static uint64_t next_stop(const struct processor *processor)
{
    const struct machine *machine = processor->machine;
    const struct core *core = processor->core;
    bool over = machine->reschedule || machine->end != MACHINE_RUNS; /* by what it executed itself */
    if (over || processor->fresh || interrupt_near(processor))
        return 0;
    uint64_t limit =
        core->clock + (machine->config.limit - machine->instructions); /* a clock each at least */
    return limit < processor->slice_end ? limit : processor->slice_end;
}

static void step(struct processor *processor, uint32_t address)
{
    if (processor->exit != EXIT_NONE)
        return; /* the engine is on its way out */
    if (processor->in_boot_rom) {
        if (address >= BOOT_ROM_BASE)
            return;
        processor->in_boot_rom = false;
        processor_refresh_segments(processor);
    }
    if (processor->cut_lifted) { /* the block that starts here is translated by now: restore the cut */
        processor->cut_lifted = false;
        block_cuts_apply(&processor->machine->cuts, processor->uc, 0);
    }
    if (processor->pending)
        retire(processor, address);
    if (must_leave(processor, address))
        return;
    if (address > MACHINE_RAM - 16) {
        processor->eip = address - processor->cs_base;
        processor->exit_vector = VECTOR_UD; /* an empty bus reads as FFH bytes: no instruction */
        leave(processor, EXIT_VECTOR);
        return;
    }

    struct insn *insn = fetch(processor, address);
    processor->machine->instructions++;
    processor->pending = insn;
    retire_look_ahead(processor);
    if (insn_changes_mode(insn)) {
        processor->stop_clock = 0;
        return;
    }
    if (insn->special != INSN_PLAIN)
        execute_special(processor, insn, address);
    if (processor->exit == EXIT_NONE)
        processor->stop_clock = next_stop(processor);
}

/* Is insn a plain instruction that was at address before, and is it still there? */
static bool known_and_plain(const struct processor *processor, const struct insn *insn, uint32_t address)
{
    uint64_t bytes;
    if (insn->special != INSN_PLAIN || insn->tag != (address | processor->mode_tag))
        return false;
    memcpy(&bytes, processor->machine->ram + address, sizeof bytes);
    return (bytes & insn->mask) == insn->bytes;
}

/* stop_clock says until when nothing but events has to be looked after: whatever changes that sets it to 0.
 */
static void hook_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *context)
{
    struct processor *processor = context;
    struct machine *machine = processor->machine;
    struct core *core = processor->core;
    struct insn *insn = insn_slot(machine->cache, (uint32_t)address);
    const struct insn *pending = processor->pending;
    (void)uc;
    (void)size;

    if (pending && core->clock + pending->clocks < processor->stop_clock &&
        known_and_plain(processor, insn, (uint32_t)address)) {
        if (core_passes_unseen(core, pending->events | insn->events, pending->clocks)) {
            retire_unseen(processor, pending, pending->clocks,
                          insn != pending || !(pending->flags & INSN_REP));
            machine->instructions++;
            processor->pending = insn;
            return;
        }
        retire(processor, (uint32_t)address);
        if (core->clock < processor->stop_clock) {
            machine->instructions++;
            processor->pending = insn;
            retire_look_ahead(processor);
            return;
        }
    }
    step(processor, (uint32_t)address);
}

static void hook_vector(uc_engine *uc, uint32_t vector, void *context)
{
    struct processor *processor = context;
    (void)uc;
    if (processor->exit != EXIT_NONE)
        return;
    processor->exit_vector = (uint8_t)vector;
    leave(processor, EXIT_VECTOR);
}

/* ---- Around the engine ---- */

/* The pending instruction raised exit_vector: it is a trap (INT n) that retires, or a fault that does not. */
static void take_vector(struct processor *processor)
{
    const struct insn *insn = processor->pending;
    enum interrupt_kind kind = INTERRUPT_FAULT;
    uint32_t fault_eip = processor->eip;

    if (insn) {
        uint32_t address = (uint32_t)insn->tag;
        fault_eip = address - processor->cs_base;
        processor->eip = fault_eip;
        if (insn->flags & INSN_TRAP && insn->trap == processor->exit_vector) {
            kind = INTERRUPT_SOFTWARE;
            processor->eip += insn->length;
            retire(processor, address + insn->length);
        } else if (processor->exit_vector == VECTOR_DB) {
            processor->eip = processor_get(processor, UC_X86_REG_EIP);
        }
    }
    processor->pending = NULL;
    processor->extra = 0;
    processor->shadow = false;
    interrupt_deliver(processor, processor->exit_vector, kind, fault_eip);
}

static void fall_asleep(struct processor *processor)
{
    processor->state = PROCESSOR_HALTED;
    processor->shadow = false;
    core_update_thread(processor);
}

/* The engine came back without a hook's wish. */
static void engine_stopped(struct processor *processor, uc_err error)
{
    char trouble[120];
    switch (error) {
    case UC_ERR_INSN_INVALID:
    case UC_ERR_FETCH_UNMAPPED:
    case UC_ERR_FETCH_PROT:
        if (!processor->pending)
            processor->eip = processor_get(processor, UC_X86_REG_EIP);
        processor->exit_vector = VECTOR_UD;
        take_vector(processor);
        break;
    default:
        snprintf(trouble, sizeof trouble, "libunicorn stopped on LP%u at EIP %08XH: %s", processor->index,
                 processor_get(processor, UC_X86_REG_EIP), uc_strerror(error));
        machine_finish(processor->machine, MACHINE_BROKEN, trouble);
        break;
    }
}

/* Run the engine, over the cuts of long x87 blocks, until a hook or the engine itself has a reason to stop.
 */
static uc_err run_engine(struct processor *processor)
{
    const struct block_cuts *cuts = &processor->machine->cuts;
    for (;;) {
        processor->code_changed = false;
        uc_err error = uc_emu_start(processor->uc, processor->eip, NEVER_REACHED, 0, 0);
        if (processor->exit == EXIT_RETRANSLATE) {
            processor->exit = EXIT_NONE;
            processor->stop_clock = 0;
            continue;
        }
        if (processor->exit != EXIT_NONE || error != UC_ERR_OK)
            return error;
        processor->eip = processor_get(processor, UC_X86_REG_EIP);
        if (!block_cuts_has(cuts, processor->eip))
            return error;
        block_cuts_apply(cuts, processor->uc, processor->eip);
        processor->cut_lifted = true;
        processor->stop_clock = 0;
    }
}

void processor_run(struct processor *processor)
{
    if (interrupt_wanted(processor))
        interrupt_take(processor);
    if (processor->machine->end != MACHINE_RUNS)
        return;
    processor->exit = EXIT_NONE;
    processor->stop_clock = 0;
    uint64_t before = processor->machine->instructions;
    if (processor->since_forgotten >= FORGET_EVERY) {
        uc_ctl_flush_tlb(processor->uc); /* its name in 2.0.1 for giving up the translations */
        processor->since_forgotten = 0;
    }
    uc_err error = run_engine(processor);
    processor->since_forgotten += processor->machine->instructions - before;
    switch (processor->exit) {
    case EXIT_NONE:
        engine_stopped(processor, error);
        break;
    case EXIT_VECTOR:
        take_vector(processor);
        break;
    case EXIT_HALT:
        fall_asleep(processor);
        break;
    default:
        break;
    }
}

void processor_notice(struct processor *processor)
{
    struct machine *machine = processor->machine;
    if (processor == machine->running) {
        processor->stop_clock = 0;
        return;
    }
    if (processor->state != PROCESSOR_HALTED || !interrupt_wanted(processor))
        return;
    if (machine->running)
        core_catch_up(processor->core, machine->running->core->clock);
    processor->state = PROCESSOR_ACTIVE;
    core_update_thread(processor);
    machine->reschedule = true;
    if (machine->running)
        machine->running->stop_clock = 0;
}

/* ---- The engine's hooks ---- */

/* libunicorn takes every kind of callback as a void pointer, which ISO C does not convert to. */
union hook {
    void (*code)(uc_engine *, uint64_t, uint32_t, void *);
    void (*vector)(uc_engine *, uint32_t, void *);
    void *address;
};

bool processor_install_hooks(struct processor *processor)
{
    const union hook code = {.code = hook_instruction}, vector = {.vector = hook_vector};
    uc_hook handle;
    return uc_hook_add(processor->uc, &handle, UC_HOOK_CODE, code.address, processor, 1, 0) == UC_ERR_OK &&
           uc_hook_add(processor->uc, &handle, UC_HOOK_INTR, vector.address, processor, 1, 0) == UC_ERR_OK &&
           special_install(processor);
}
