/*
 * What a delivery reads: interrupt gate, code segment, task-state segment, stack segment.
 */
#include "delivery.h"
#include "engine.h"
#include "unsupported.h"
#include "interrupt.h"

#include "sim/cpu/registers.h"
#include "pmc/netburst/regs.h"

#define PAGE_BYTES 4096u

#define GATE_SIZE      8u
#define TSS_ESP0       4u
#define TSS_SS0        8u
#define ERROR_IDT      2u /* bits of a selector error code: the selector is the number of a gate, */
#define ERROR_EXTERNAL 1u /* and no instruction named it */

#define TYPE_32BIT FIELD_MASK(3, 3) /* of a task-state segment */

bool delivery_fails(struct delivery *fault, uint8_t interrupt, uint32_t error)
{
    *fault = (struct delivery){interrupt, INTERRUPT_FAULT, error};
    return false;
}

uint32_t delivery_selector_error(const struct delivery *delivery, uint32_t selector)
{
    return (selector & ~SELECTOR_RPL) | (delivery->kind == INTERRUPT_SOFTWARE ? 0 : ERROR_EXTERNAL);
}

/* ---- Memory, accessed as by CPL 0 ---- */

bool delivery_access(struct processor *processor, uint32_t address, uint32_t access, void *data, size_t size,
                     struct delivery *fault)
{
    struct page_walk walk;
    for (size_t i = 0; i < size; i++) {
        uint8_t *byte = (uint8_t *)data + i;
        uint32_t at = address + (uint32_t)i;
        bool next_page = i == 0 || at % PAGE_BYTES == 0;
        if (next_page && !paging_walk(processor, at, access, &walk)) {
            processor_set(processor, UC_X86_REG_CR2, at);
            return delivery_fails(fault, EXCEPTION_PF, walk.error);
        }
        uint64_t physical = walk.physical + (at - walk.linear);
        bool ram = physical < RAM_SIZE;
        if (ram && access & PAGE_WRITE)
            processor->ram[physical] = *byte;
        else if (ram)
            *byte = processor->ram[physical];
        else if (!(access & PAGE_WRITE) && uc_mem_read(processor->uc, physical, byte, 1) != UC_ERR_OK)
            *byte = UINT8_MAX;
    }
    return true;
}

/* ---- Gate and segments ---- */

static bool read_segment(struct processor *processor, uint16_t selector, uint8_t interrupt, uint32_t error,
                         struct segment *segment, struct delivery *fault)
{
    bool local = selector & SELECTOR_LDT;
    uc_x86_mmr table = processor_get_table(processor, local ? UC_X86_REG_LDTR : UC_X86_REG_GDTR);
    uint32_t index = selector & ~(SELECTOR_RPL | SELECTOR_LDT), word[2];
    if ((index == 0 && !local) || index + sizeof word - 1 > table.limit)
        return delivery_fails(fault, interrupt, error);
    if (!delivery_access(processor, (uint32_t)table.base + index, 0, word, sizeof word, fault))
        return false;
    uint32_t limit = (word[0] & FIELD_MASK(15, 0)) | (word[1] & FIELD_MASK(19, 16));
    *segment = (struct segment){
        .selector = selector,
        .base = (uint32_t)FIELD_GET(31, 16, word[0]) | FIELD_PUT(23, 16, word[1]) |
                (word[1] & FIELD_MASK(31, 24)),
        .limit = FIELD_GET(23, 23, word[1]) ? limit << 12 | FIELD_MASK(11, 0) : limit,
        .flags = word[1],
    };
    return true;
}

bool delivery_read_gate(struct processor *processor, const struct delivery *delivery, unsigned *type,
                        uint32_t *entry, struct segment *cs, struct delivery *fault)
{
    uint32_t gate[2], number = delivery->interrupt * GATE_SIZE;
    uint32_t error = delivery_selector_error(delivery, number) | ERROR_IDT;
    uc_x86_mmr table = processor_get_table(processor, UC_X86_REG_IDTR);

    if (number + GATE_SIZE - 1 > table.limit)
        return delivery_fails(fault, EXCEPTION_GP, error);
    if (!delivery_access(processor, (uint32_t)table.base + number, 0, gate, sizeof gate, fault))
        return false;
    *type = (unsigned)DESCRIPTOR_TYPE(gate[1]);
    if (*type != GATE_INTERRUPT && *type != GATE_TRAP && *type != GATE_TASK)
        return delivery_fails(fault, EXCEPTION_GP, error);
    if (delivery->kind == INTERRUPT_SOFTWARE && DESCRIPTOR_DPL(gate[1]) < processor->cpl)
        return delivery_fails(fault, EXCEPTION_GP, error);
    if (!DESCRIPTOR_PRESENT(gate[1]))
        return delivery_fails(fault, EXCEPTION_NP, error);
    if (*type == GATE_TASK)
        return true;
    *entry = (gate[0] & FIELD_MASK(15, 0)) | (gate[1] & FIELD_MASK(31, 16));

    uint16_t selector = (uint16_t)(gate[0] >> 16);
    error = delivery_selector_error(delivery, selector);
    if (!read_segment(processor, selector, EXCEPTION_GP, error, cs, fault))
        return false;
    unsigned kind = (unsigned)DESCRIPTOR_TYPE(cs->flags);
    if (~kind & (TYPE_SEGMENT | TYPE_CODE) || DESCRIPTOR_DPL(cs->flags) > processor->cpl)
        return delivery_fails(fault, EXCEPTION_GP, error);
    if (!DESCRIPTOR_PRESENT(cs->flags))
        return delivery_fails(fault, EXCEPTION_NP, error);
    uint8_t cpl = kind & TYPE_CONFORMING ? processor->cpl : (uint8_t)DESCRIPTOR_DPL(cs->flags);
    cs->selector = (uint16_t)((selector & ~SELECTOR_RPL) | cpl);
    return true;
}

bool delivery_inner_stack(struct processor *processor, const struct delivery *delivery, uint8_t cpl,
                          struct stack *stack, struct delivery *fault)
{
    uint16_t selector;
    uc_x86_mmr tr = processor_get_table(processor, UC_X86_REG_TR);
    uint32_t at = cpl * (TSS_SS0 - TSS_ESP0) * 2, error = delivery_selector_error(delivery, tr.selector);
    if (!(DESCRIPTOR_TYPE(tr.flags) & TYPE_32BIT) && tr.limit != 0) {
        unsupported_end(processor, UNSUPPORTED_TSS16);
        return false;
    }
    if (at + TSS_SS0 + sizeof selector - 1 > tr.limit)
        return delivery_fails(fault, EXCEPTION_TS, error);
    if (!delivery_access(processor, (uint32_t)tr.base + at + TSS_ESP0, 0, &stack->esp, sizeof stack->esp,
                         fault) ||
        !delivery_access(processor, (uint32_t)tr.base + at + TSS_SS0, 0, &selector, sizeof selector, fault))
        return false;

    error = delivery_selector_error(delivery, selector);
    if (!read_segment(processor, selector, EXCEPTION_TS, error, &stack->ss, fault))
        return false;
    unsigned type = (unsigned)DESCRIPTOR_TYPE(stack->ss.flags);
    if ((selector & SELECTOR_RPL) != cpl || DESCRIPTOR_DPL(stack->ss.flags) != cpl ||
        (type & (TYPE_SEGMENT | TYPE_CODE | TYPE_WRITABLE)) != (TYPE_SEGMENT | TYPE_WRITABLE))
        return delivery_fails(fault, EXCEPTION_TS, error);
    return DESCRIPTOR_PRESENT(stack->ss.flags) || delivery_fails(fault, EXCEPTION_SS, error);
}
