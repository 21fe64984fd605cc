/*
 * 32-bit interrupt and trap gates, with or without a change of privilege level. Task gates and virtual-8086
 * mode are not simulated. libunicorn does not report error codes, so an exception that pushes one pushes 0,
 * and #PF the user bit.
 */
#include "interrupt.h"

#include <stdio.h>
#include <string.h>
#include "sim/board/ram.h"
#include "sim/cpu/injector.h"
#include "sim/cpu/pending.h"
#include "sim/cpu/registers.h"
#include "sim/cpu/vectors.h"
#include "sim/events/retire.h"
#include "sim/events/tc_mode.h"
#include "pmc/netburst/regs.h"

#define NO_FAULT_VECTOR (-1)

#define CR0_PE FIELD_MASK(0, 0)

#define EFLAGS_IF    (1u << 9)
#define EFLAGS_CLEAR (1u << 8 | 1u << 14 | 1u << 16 | 1u << 17) /* TF, NT, RF, VM */

#define GATE_SIZE      8u
#define GATE_TYPE_MASK 0x1Fu
#define GATE_INTERRUPT 0x0Eu
#define GATE_TRAP      0x0Fu
#define PRESENT        0x80u
#define CODE_SEGMENT   0x18u /* S and executable bits of a descriptor's type byte */
#define TSS_ESP0       4u
#define TSS_SS0        8u
#define ERROR_IDT      2u /* IDT bit of a selector error code */
#define PF_USER        4u

/* ---- Memory ---- */

static bool load(const struct processor *processor, uint64_t address, void *out, size_t size)
{
    if (address > RAM_SIZE - size)
        return uc_mem_read(processor->uc, address, out, size) == UC_ERR_OK;
    memcpy(out, processor->ram + address, size);
    return true;
}

static bool push(const struct processor *processor, uint32_t *esp, uint32_t value)
{
    *esp -= sizeof value;
    if (*esp > RAM_SIZE - sizeof value)
        return false;
    memcpy(processor->ram + *esp, &value, sizeof value);
    return true;
}

/* ---- Entering a handler ---- */

struct gate {
    uint32_t offset;
    uint16_t selector;
    uint8_t type; /* GATE_INTERRUPT or GATE_TRAP */
    uint8_t target_cpl;
};

/* Read and check the gate and its code segment. Returns NO_FAULT_VECTOR, or the vector of the fault. */
static int read_gate(const struct processor *processor, uint8_t vector, bool software, struct gate *gate)
{
    uint8_t raw[GATE_SIZE], descriptor[GATE_SIZE];
    uc_x86_mmr idtr = processor_get_table(processor, UC_X86_REG_IDTR);
    uc_x86_mmr gdtr = processor_get_table(processor, UC_X86_REG_GDTR);

    if (vector * GATE_SIZE + GATE_SIZE - 1 > idtr.limit ||
        !load(processor, idtr.base + vector * GATE_SIZE, raw, sizeof raw))
        return VECTOR_GP;
    gate->type = raw[5] & GATE_TYPE_MASK;
    if (gate->type != GATE_INTERRUPT && gate->type != GATE_TRAP)
        return VECTOR_GP;
    if (software && (raw[5] >> 5 & 3) < processor->cpl)
        return VECTOR_GP;
    if (!(raw[5] & PRESENT))
        return VECTOR_NP;
    gate->offset = (uint32_t)raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[6] << 16 | (uint32_t)raw[7] << 24;
    gate->selector = (uint16_t)(raw[2] | raw[3] << 8);

    uint32_t index = gate->selector & ~7u;
    if (index == 0 || index + GATE_SIZE - 1 > gdtr.limit ||
        !load(processor, gdtr.base + index, descriptor, sizeof descriptor))
        return VECTOR_GP;
    if ((descriptor[5] & CODE_SEGMENT) != CODE_SEGMENT || (descriptor[5] >> 5 & 3) > processor->cpl)
        return VECTOR_GP;
    if (!(descriptor[5] & PRESENT))
        return VECTOR_NP;
    gate->target_cpl = descriptor[5] >> 5 & 3;
    return NO_FAULT_VECTOR;
}

/*
 * libunicorn refuses to load the stack segment of an inner CPL. While CR0.PE is clear, any SS can be loaded
 * and the CPL becomes 0; afterwards SS and CS can be loaded as the processor would.
 */
static void enter_ring0(struct processor *processor, uint16_t cs, uint16_t ss)
{
    uint32_t cr0 = processor_get(processor, UC_X86_REG_CR0);
    processor_set(processor, UC_X86_REG_CR0, cr0 & ~CR0_PE);
    processor_set_selector(processor, UC_X86_REG_SS, 0);
    processor_set(processor, UC_X86_REG_CR0, cr0);
    processor_set_selector(processor, UC_X86_REG_CS, cs);
    processor_set_selector(processor, UC_X86_REG_SS, ss);
}

static int inner_stack(const struct processor *processor, uint32_t *esp, uint16_t *ss)
{
    uc_x86_mmr tr = processor_get_table(processor, UC_X86_REG_TR);
    if (tr.limit < TSS_SS0 + 1 || !load(processor, tr.base + TSS_ESP0, esp, sizeof *esp) ||
        !load(processor, tr.base + TSS_SS0, ss, sizeof *ss))
        return VECTOR_TS;
    return NO_FAULT_VECTOR;
}

static bool pushes_error_code(uint8_t vector)
{
    return vector == VECTOR_DF || (vector >= VECTOR_TS && vector <= VECTOR_PF) || vector == VECTOR_AC;
}

/* Returns NO_FAULT_VECTOR, or the vector of a fault during delivery, which changes no register. */
static int enter(struct processor *processor, uint8_t vector, enum interrupt_kind kind, uint32_t error)
{
    struct gate gate;
    int fault = read_gate(processor, vector, kind == INTERRUPT_SOFTWARE, &gate);
    if (fault != NO_FAULT_VECTOR)
        return fault;

    uint32_t esp = processor_get(processor, UC_X86_REG_ESP), old_esp = esp;
    uint16_t ss = processor_get_selector(processor, UC_X86_REG_SS), old_ss = ss;
    uint16_t old_cs = processor_get_selector(processor, UC_X86_REG_CS);
    uint32_t eflags = processor_get(processor, UC_X86_REG_EFLAGS);
    bool inner = gate.target_cpl < processor->cpl;
    if (inner && (fault = inner_stack(processor, &esp, &ss)) != NO_FAULT_VECTOR)
        return fault;

    bool pushed = true;
    if (inner)
        pushed = push(processor, &esp, old_ss) && push(processor, &esp, old_esp);
    pushed = pushed && push(processor, &esp, eflags) && push(processor, &esp, old_cs) &&
             push(processor, &esp, processor->eip);
    if (pushed && kind == INTERRUPT_FAULT && pushes_error_code(vector))
        pushed = push(processor, &esp, error);
    if (!pushed)
        return VECTOR_GP;

    if (inner)
        enter_ring0(processor, gate.selector, ss);
    else
        processor_set_selector(processor, UC_X86_REG_CS, gate.selector);
    processor_set(processor, UC_X86_REG_ESP, esp);
    eflags &= ~EFLAGS_CLEAR;
    if (gate.type == GATE_INTERRUPT)
        eflags &= ~EFLAGS_IF;
    processor_set(processor, UC_X86_REG_EFLAGS, eflags);
    processor->eip = gate.offset;
    processor->shadow = false;
    processor_refresh_segments(processor);
    processor->tc_mode = TC_MODE_INACTIVE; /* microcode enters the handler */
    pass_clocks(processor, timing_draw(processor->timing, COST_INTERRUPT));
    return NO_FAULT_VECTOR;
}

void interrupt_deliver(struct processor *processor, uint8_t vector, enum interrupt_kind kind,
                       uint32_t fault_eip)
{
    uint32_t error = vector == VECTOR_PF && processor->cpl != 0 ? PF_USER : 0;
    int fault = VECTOR_GP;
    if (kind != INTERRUPT_SOFTWARE)
        interruption_post(processor);
    if (processor_protected(processor)) {
        fault = enter(processor, vector, kind, error);
        if (fault != NO_FAULT_VECTOR && kind == INTERRUPT_SOFTWARE) {
            processor->eip = fault_eip;
            fault = enter(processor, (uint8_t)fault, INTERRUPT_FAULT, vector * GATE_SIZE + ERROR_IDT);
        }
        if (fault != NO_FAULT_VECTOR && vector != VECTOR_DF)
            fault = enter(processor, VECTOR_DF, INTERRUPT_FAULT, 0);
    }
    if (fault == NO_FAULT_VECTOR) {
        injectors_handler_entered(processor->core->injectors, processor);
        return;
    }
    char reason[120];
    snprintf(reason, sizeof reason, "triple fault on LP%u at EIP %08XH, first vector %u", processor->index,
             processor->eip, vector);
    run_control_stop(processor->control, MACHINE_TRIPLE_FAULT, reason);
}

/* ---- Interrupts from outside ---- */

void interrupt_take(struct processor *processor)
{
    struct lapic *lapic = &processor->lapic;
    if (nmi_wanted(processor)) {
        lapic->nmi_pending = false;
        processor->nmi_blocked = true;
        interrupt_deliver(processor, VECTOR_NMI, INTERRUPT_EXTERNAL, processor->eip);
        return;
    }
    uint8_t vector = (uint8_t)lapic_deliverable(lapic);
    lapic_accept(lapic, vector);
    interrupt_deliver(processor, vector, INTERRUPT_EXTERNAL, processor->eip);
}
