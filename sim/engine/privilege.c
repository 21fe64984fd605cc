#include "engine.h"

#define CR0_PE FIELD_MASK(0, 0)
#define CR0_NW FIELD_MASK(29, 29)
#define CR0_CD FIELD_MASK(30, 30)
#define CR0_PG FIELD_MASK(31, 31)

/* VME to OSXMMEXCPT: all that the processors of this family have (SDM vol. 3, 2.5). */
#define CR4_DEFINED FIELD_MASK(10, 0)

#define EFLAGS_GET_IOPL(eflags) FIELD_GET(13, 12, eflags)

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
