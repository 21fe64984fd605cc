#include "x87_stack.h"

#include "sim/cpu/registers.h"
#include "pmc/netburst/regs.h"

#define FPSW_TOP(word)       ((unsigned)FIELD_GET(13, 11, word))
#define FPTAG_OF(word, phys) ((word) >> 2 * (phys)&3u)
#define TAG_EMPTY            3u
#define STACK_REGISTERS      8u

static bool is_empty(uint32_t tags, unsigned top, unsigned i)
{
    return FPTAG_OF(tags, (top + i) % STACK_REGISTERS) == TAG_EMPTY;
}

unsigned x87_stack_fault(const struct processor *processor, const struct insn *insn)
{
    bool pushes = insn->flags & INSN_X87_PUSH;
    if (!insn->x87_reads && !pushes)
        return 0;
    uint32_t tags = processor_get(processor, UC_X86_REG_FPTAG);
    unsigned top = FPSW_TOP(processor_get(processor, UC_X86_REG_FPSW));
    for (unsigned i = 0; i < STACK_REGISTERS; i++)
        if (insn->x87_reads & 1u << i && is_empty(tags, top, i))
            return 1u << FPSU;
    return pushes && !is_empty(tags, top, STACK_REGISTERS - 1) ? 1u << FPSO : 0;
}
