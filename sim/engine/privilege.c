#include "engine.h"

#include "sim/events/events.h"

#define CR0_PE FIELD_MASK(0, 0)
#define CR0_NW FIELD_MASK(29, 29)
#define CR0_CD FIELD_MASK(30, 30)
#define CR0_PG FIELD_MASK(31, 31)

/* VME to OSXMMEXCPT: all that the processors of this family have (SDM vol. 3, 2.5). */
#define CR4_DEFINED FIELD_MASK(10, 0)

#define EFLAGS_GET_IOPL(eflags) FIELD_GET(13, 12, eflags)
#define EFLAGS_AC               FIELD_MASK(18, 18)

#define MXCSR_ZM               FIELD_MASK(9, 9)
#define SINGLE_MAGNITUDE(bits) FIELD_GET(30, 0, bits)
#define SINGLE_INFINITE        FIELD_MASK(30, 23)

#define TSS_BITMAP 102u /* offset of the word that says where the bitmap is; one in a TSS of 32 bits */

static bool bitmap_allows(struct processor *processor, uint16_t port, unsigned bytes, struct delivery *fault)
{
    const uc_x86_mmr tr = processor_get_table(processor, UC_X86_REG_TR);
    uint16_t bitmap, bits;
    if (tr.limit < TSS_BITMAP + sizeof bitmap - 1)
        return false;
    if (!delivery_access(processor, (uint32_t)tr.base + TSS_BITMAP, 0, &bitmap, sizeof bitmap, fault))
        return false;
    uint32_t at = bitmap + port / 8u; /* the bits of a port may lie across two bytes, so two are read */
    if (at + sizeof bits - 1 > tr.limit ||
        !delivery_access(processor, (uint32_t)tr.base + at, 0, &bits, sizeof bits, fault))
        return false;
    return (bits >> port % 8 & ((1u << bytes) - 1)) == 0;
}

int privilege_of_port(struct processor *processor, const struct insn *insn)
{
    if (processor->cpl <= EFLAGS_GET_IOPL(processor_get(processor, UC_X86_REG_EFLAGS)))
        return NO_EXCEPTION;
    bool immediate = insn->port_bytes & PORT_IS_IMMEDIATE;
    uint16_t port = immediate ? insn->port : (uint16_t)processor_get(processor, UC_X86_REG_EDX);
    struct delivery fault = {.interrupt = EXCEPTION_GP};
    if (bitmap_allows(processor, port, insn->port_bytes & ~PORT_IS_IMMEDIATE, &fault))
        return NO_EXCEPTION;
    return fault.interrupt;
}

int privilege_of_control(const struct processor *processor, const struct insn *insn)
{
    bool faults = false;
    if (insn->control_register == NO_CONTROL_REGISTER)
        return NO_EXCEPTION;
    uint32_t value = processor_get(processor, insn->base);
    if (insn->control_register == 0)
        faults = (value & CR0_PG && !(value & CR0_PE)) || (value & CR0_NW && !(value & CR0_CD));
    else if (insn->control_register == 4)
        faults = value & ~CR4_DEFINED;
    return faults ? EXCEPTION_GP : NO_EXCEPTION;
}

int privilege_of_access(const struct processor *processor, const struct insn *insn)
{
    const unsigned size = insn->size;
    if (!processor_may_check_alignment(processor) ||
        !(processor_get(processor, UC_X86_REG_EFLAGS) & EFLAGS_AC) ||
        !(insn->flags & (INSN_LOADS | INSN_STORES)) || (size != 2 && size != 4 && size != 8))
        return NO_EXCEPTION;
    return memory_operand(processor, insn) % size ? EXCEPTION_AC : NO_EXCEPTION;
}

int privilege_of_divide(const struct processor *processor, const struct insn *insn)
{
    uint32_t to[4] = {0}, from[4] = {0};
    uc_reg_read(processor->uc, UC_X86_REG_XMM0 + insn->fp_to - 1, to);
    uc_reg_read(processor->uc, UC_X86_REG_XMM0 + insn->fp_from - 1, from);
    const uint32_t dividend = SINGLE_MAGNITUDE(to[0]);
    if (processor_get(processor, UC_X86_REG_MXCSR) & MXCSR_ZM || SINGLE_MAGNITUDE(from[0]) || !dividend ||
        dividend >= SINGLE_INFINITE)
        return NO_EXCEPTION;
    return EXCEPTION_XM;
}
