/*
 * What is done before libunicorn starts and after it has stopped.
 */
#include "run.h"
#include "engine.h"
#include "create.h"
#include "step.h"
#include "translation.h"
#include "intercept.h"
#include "unsupported.h"
#include "interrupt.h"

#include <stdio.h>
#include "sim/cpu/registers.h"
#include "sim/cpu/core.h"
#include "sim/lib/random.h"

#define HALTING_CLOCKS 1000u /* that may be counted on the way into HLT, at most */
#define HLT_BYTES      1u
#define NO_ADDRESS     0u /* to stop at: translation.c has its own */

/*
 * exit_exception was raised: by the pending instruction, which retires if this is a trap (INT n) and does not
 * if it is a fault; or by the fetch of the instruction after it.
 */
static void take_exception(struct processor *processor, bool by_engine)
{
    const struct insn *insn = processor->pending;
    enum interrupt_kind kind = INTERRUPT_FAULT;
    uint32_t error = 0;

    if (processor->exit_exception == EXCEPTION_DB && (by_engine || !insn))
        kind = INTERRUPT_EXTERNAL;
    if (by_engine) {
        error = context_take_exception(processor);
        processor->eip = processor_get(processor, UC_X86_REG_EIP);
    } else if (insn) {
        processor->eip = (uint32_t)insn->tag - processor->cs_base;
    }
    uint32_t fault_eip = processor->eip;
    if (insn) {
        uint32_t address = (uint32_t)insn->tag;
        bool trap = insn->flags & INSN_TRAP && insn->trap == processor->exit_exception;
        if (trap) {
            kind = insn->intercept == INSN_ICEBP ? INTERRUPT_INT1 : INTERRUPT_SOFTWARE;
            fault_eip = address - processor->cs_base;
            processor->eip = fault_eip + insn->length;
        }
        if (trap || processor->eip != address - processor->cs_base)
            complete(processor, processor->cs_base + processor->eip);
    }
    processor->pending = NULL;
    processor->stall_clocks = 0;
    processor->shadow = false;
    interrupt_deliver(processor, processor->exit_exception, kind, fault_eip, error);
}

/* On the way into HLT some clocks are counted as running, and RUNNING may fall and rise again (F22). */
static void hesitate(struct processor *processor)
{
    for (unsigned edges = random_below(&processor->dice, 3); edges; edges--) {
        core_clock(processor->core, 1 + random_below(&processor->dice, HALTING_CLOCKS / 3), false);
        processor->state = PROCESSOR_HALTED;
        core_update_thread(processor);
        core_clock(processor->core, 1, false);
        processor->state = PROCESSOR_ACTIVE;
        core_update_thread(processor);
    }
    core_clock(processor->core, random_below(&processor->dice, HALTING_CLOCKS / 3), false);
}

static void halt(struct processor *processor)
{
    if (injectors_halt_delayed(processor->core->injectors, processor)) {
        processor->eip -= HLT_BYTES;
        processor->shadow = true; /* the HLT still holds interrupts off */
        return;
    }
    if (processor->variants->halt_glitches)
        hesitate(processor);
    processor->state = PROCESSOR_HALTED;
    processor->shadow = false;
    core_update_thread(processor);
}

/* uc_emu_start() returned although no hook stopped it: turn the error into an exception or end the run. */
static void engine_stopped(struct processor *processor, uc_err error)
{
    char reason[120];
    switch (error) {
    case UC_ERR_INSN_INVALID:
    case UC_ERR_FETCH_UNMAPPED:
    case UC_ERR_FETCH_PROT:
        if (unsupported_code(processor, processor_get(processor, UC_X86_REG_EIP) + processor->cs_base))
            break;
        processor->exit_exception = EXCEPTION_UD;
        take_exception(processor, true);
        break;
    default:
        snprintf(reason, sizeof reason, "libunicorn stopped on LP%u at EIP %08XH: %s", processor->index,
                 processor_get(processor, UC_X86_REG_EIP), uc_strerror(error));
        run_control_stop(processor->control, MACHINE_BROKEN, reason);
        break;
    }
}

static uc_err start_engine(struct processor *processor)
{
    uint64_t before = processor->engine->instructions;
    processor->translation.refused = 0;
    uc_err error = uc_emu_start(processor->uc, processor->eip, NO_ADDRESS, 0, 0);
    processor->stop_clock = 0;
    intercept_give(processor);
    if (processor->engine->instructions != before)
        processor->translation.retried = 0;
    else if (error == UC_ERR_OK && processor->exit == EXIT_NONE)
        error = UC_ERR_RESOURCE; /* it stopped for no reason */
    return error;
}

/* Run the engine until a hook stops it or it fails, resuming it where a translation was cut. */
static uc_err run_engine(struct processor *processor)
{
    bool retry = false; /* with a translation that translation_retried() has cut */
    for (;;) {
        if (processor->code_changed)
            translation_rewritten(processor);
        processor->code_changed = false;
        if (!retry)
            translation_cut(processor);
        if (translation_full(processor) && !processor_renew_engine(processor))
            return UC_ERR_RESOURCE;
        uc_err error = start_engine(processor);
        retry = processor->exit == EXIT_NONE && error == UC_ERR_FETCH_PROT && translation_refused(processor);
        if (retry) {
            if (!translation_retried(processor))
                return UC_ERR_INSN_INVALID;
        } else if (processor->exit == EXIT_RETRANSLATE) {
            processor->exit = EXIT_NONE;
        } else if (processor->exit != EXIT_NONE || error != UC_ERR_OK) {
            return error;
        } else {
            processor->eip = processor_get(processor, UC_X86_REG_EIP);
        }
    }
}

void processor_run(struct processor *processor)
{
    if (interrupt_wanted(processor))
        interrupt_take(processor);
    if (processor->control->end != MACHINE_RUNS)
        return;
    processor->exit = EXIT_NONE;
    processor->stop_clock = 0;
    uc_err error = run_engine(processor);
    switch (processor->exit) {
    case EXIT_NONE:
        engine_stopped(processor, error);
        break;
    case EXIT_RAISED:
        take_exception(processor, false);
        break;
    case EXIT_EXCEPTION:
        take_exception(processor, true);
        break;
    case EXIT_HALT:
        halt(processor);
        break;
    default:
        break;
    }
}
