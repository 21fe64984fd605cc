/*
 * 32-bit interrupt and trap gates, with or without a change of privilege level. Task gates, virtual-8086 mode
 * and delivery in real mode are not simulated (unsupported.c).
 */
#include "interrupt.h"
#include "engine.h"
#include "unsupported.h"
#include "delivery.h"

#include <stdio.h>
#include "sim/cpu/registers.h"
#include "sim/cpu/core.h"
#include "sim/events/events.h"

#define EFLAGS_IF    (1u << 9)
#define EFLAGS_RF    (1u << 16)
#define EFLAGS_VM    (1u << 17)
#define EFLAGS_CLEAR (1u << 8 | 1u << 14 | EFLAGS_RF | EFLAGS_VM) /* TF and NT too */

/* ---- Entering a handler ---- */

static bool push(struct processor *processor, struct stack *stack, uint32_t value, uint32_t error,
                 struct delivery *fault)
{
    const struct segment *ss = &stack->ss;
    uint32_t mask = ss->flags & SEGMENT_BIG ? UINT32_MAX : UINT16_MAX;
    uint32_t at = (stack->esp - sizeof value) & mask;
    bool downwards = DESCRIPTOR_TYPE(ss->flags) & TYPE_DOWNWARDS;
    if (!downwards && (at > ss->limit || ss->limit - at < sizeof value - 1))
        return delivery_fails(fault, EXCEPTION_SS, error);
    stack->esp = (stack->esp & ~mask) | at;
    return delivery_access(processor, ss->base + at, PAGE_WRITE, &value, sizeof value, fault);
}

static bool pushes_error_code(const struct delivery *delivery)
{
    uint8_t interrupt = delivery->interrupt;
    return delivery->kind == INTERRUPT_FAULT &&
           (interrupt == EXCEPTION_DF || (interrupt >= EXCEPTION_TS && interrupt <= EXCEPTION_PF) ||
            interrupt == EXCEPTION_AC);
}

/* EFLAGS as it is pushed: RF lets the instruction that faulted pass its own breakpoint (SDM vol.
 * 3, 17.3.1.1). */
static uint32_t pushed_flags(const struct delivery *delivery, uint32_t eflags)
{
    bool fault = delivery->kind == INTERRUPT_FAULT && delivery->interrupt != EXCEPTION_DF;
    return fault ? eflags | EFLAGS_RF : eflags & ~EFLAGS_RF;
}

/* Returns false, and changes no register but CR2, if the delivery faults or the run has ended. */
static bool enter(struct processor *processor, const struct delivery *delivery, struct delivery *fault)
{
    unsigned type;
    struct segment cs, old_cs;
    struct stack stack;
    uint32_t entry;

    if (!delivery_read_gate(processor, delivery, &type, &entry, &cs, fault))
        return false;
    if (type == GATE_TASK) {
        unsupported_end(processor, UNSUPPORTED_TASK_GATE);
        return false;
    }
    uint8_t cpl = cs.selector & SELECTOR_RPL;
    context_code_segment(processor, &old_cs);
    context_stack_segment(processor, &stack.ss);
    stack.esp = processor_get(processor, UC_X86_REG_ESP);
    uint32_t old_esp = stack.esp, old_ss = stack.ss.selector, error = 0;
    uint32_t eflags = processor_get(processor, UC_X86_REG_EFLAGS);
    bool inner = cpl < processor->cpl;
    if (inner) {
        if (!delivery_inner_stack(processor, delivery, cpl, &stack, fault))
            return false;
        error = delivery_selector_error(delivery, stack.ss.selector);
        if (!push(processor, &stack, old_ss, error, fault) || !push(processor, &stack, old_esp, error, fault))
            return false;
    }
    if (!push(processor, &stack, pushed_flags(delivery, eflags), error, fault) ||
        !push(processor, &stack, old_cs.selector, error, fault) ||
        !push(processor, &stack, processor->eip, error, fault) ||
        (pushes_error_code(delivery) && !push(processor, &stack, delivery->error, error, fault)))
        return false;

    context_load_segments(processor, &cs, &stack.ss);
    processor_set(processor, UC_X86_REG_ESP, stack.esp);
    eflags &= ~EFLAGS_CLEAR;
    if (type == GATE_INTERRUPT)
        eflags &= ~EFLAGS_IF;
    processor_set(processor, UC_X86_REG_EFLAGS, eflags);
    processor->eip = entry;
    processor->shadow = false;
    processor_refresh_segments(processor);
    processor->tc_mode = TC_MODE_INACTIVE; /* microcode enters the handler */
    pass_clocks(processor, timing_draw(processor->timing, COST_INTERRUPT));
    return true;
}

/* ---- Faults during delivery (SDM vol. 3, Table 6-5) ---- */

static bool is_contributory(uint8_t interrupt)
{
    return interrupt == EXCEPTION_DE || (interrupt >= EXCEPTION_TS && interrupt <= EXCEPTION_GP);
}

static bool makes_double_fault(const struct delivery *first, const struct delivery *second)
{
    if (first->kind != INTERRUPT_FAULT)
        return false;
    bool contributory = is_contributory(second->interrupt);
    return (is_contributory(first->interrupt) && contributory) ||
           (first->interrupt == EXCEPTION_PF && (contributory || second->interrupt == EXCEPTION_PF));
}

void interrupt_deliver(struct processor *processor, uint8_t interrupt, enum interrupt_kind kind,
                       uint32_t fault_eip, uint32_t error)
{
    const struct run_control *control = processor->control;
    struct delivery delivery = {interrupt, kind, error}, fault = {0};
    char reason[120];

    fp_uop_drain(processor);
    bool by_instruction = kind == INTERRUPT_SOFTWARE || kind == INTERRUPT_INT1;
    if (!by_instruction)
        interruption_post(processor);
    if (!processor_protected(processor)) {
        if (kind != INTERRUPT_SOFTWARE ||
            !injectors_bios_called(processor->core->injectors, processor, interrupt))
            unsupported_end(processor, UNSUPPORTED_REAL_MODE_EVENT);
        return;
    }
    while (control->end == MACHINE_RUNS && !enter(processor, &delivery, &fault)) {
        if (delivery.kind == INTERRUPT_FAULT && delivery.interrupt == EXCEPTION_DF) {
            snprintf(reason, sizeof reason, "triple fault on LP%u at EIP %08XH, first vector %u",
                     processor->index, processor->eip, interrupt);
            run_control_stop(processor->control, MACHINE_TRIPLE_FAULT, reason);
            return;
        }
        if (by_instruction)
            processor->eip = fault_eip;
        delivery = makes_double_fault(&delivery, &fault) ? (struct delivery){EXCEPTION_DF, INTERRUPT_FAULT, 0}
                                                         : fault;
    }
    if (control->end == MACHINE_RUNS)
        injectors_handler_entered(processor->core->injectors, processor);
}

/* ---- Interrupts from outside ---- */

void interrupt_take(struct processor *processor)
{
    struct lapic *lapic = &processor->lapic;
    if (processor->machine_check) {
        processor->machine_check = false;
        if (!processor_takes_machine_checks(processor))
            run_control_stop(processor->control, MACHINE_BROKEN,
                             "shutdown: a machine check, with CR4.MCE = 0");
        else
            interrupt_deliver(processor, EXCEPTION_MC, INTERRUPT_EXTERNAL, processor->eip, 0);
        return;
    }
    if (nmi_wanted(processor)) {
        lapic->nmi_pending = false;
        processor->nmi_blocked = true;
        interrupt_deliver(processor, EXCEPTION_NMI, INTERRUPT_EXTERNAL, processor->eip, 0);
        return;
    }
    uint8_t interrupt = (uint8_t)lapic_deliverable(lapic);
    lapic_accept(lapic, interrupt);
    interrupt_deliver(processor, interrupt, INTERRUPT_EXTERNAL, processor->eip, 0);
}
