#include "accesses.h"

#include <stdlib.h>
#include <unicorn/x86.h>
#include "classify.h"

/* ---- Operands ---- */

enum segment_register classify_segment(const cs_insn *insn, const cs_x86_op *memory)
{
    switch (memory->mem.segment) {
    case X86_REG_ES:
        return SEGMENT_ES;
    case X86_REG_CS:
        return SEGMENT_CS;
    case X86_REG_SS:
        return SEGMENT_SS;
    case X86_REG_DS:
        return SEGMENT_DS;
    case X86_REG_FS:
        return SEGMENT_FS;
    case X86_REG_GS:
        return SEGMENT_GS;
    default:
        break;
    }
    switch (memory->mem.base) {
    case X86_REG_EBP:
    case X86_REG_BP:
    case X86_REG_ESP:
        return SEGMENT_SS;
    case X86_REG_EDI:
    case X86_REG_DI:
        return classify_is_string(insn) ? SEGMENT_ES : SEGMENT_DS;
    default:
        return SEGMENT_DS;
    }
}

/* libcapstone takes some stores for loads: MOVUPS, MOVD, CMPXCHG. A memory operand that comes first is
 * written unless the instruction only looks at it. */
static bool is_destination(const cs_insn *insn, const cs_x86_op *op)
{
    bool looks = insn->id == X86_INS_CMP || insn->id == X86_INS_TEST || insn->id == X86_INS_BT;
    return op == classify_operand(insn, 0) && classify_operand(insn, 1) && !looks &&
           !classify_is_string(insn);
}

static bool operand_access(const cs_insn *insn, const cs_x86_op *op, struct access *access)
{
    uint16_t flags = op->type == X86_OP_MEM ? classify_access(insn, op) & (INSN_LOADS | INSN_STORES) : 0;
    if (flags && is_destination(insn, op))
        flags |= INSN_STORES;
    *access = (struct access){
        .segment = flags ? classify_segment(insn, op) : SEGMENT_DS,
        .writes = flags & INSN_STORES,
        .has_16_bits = insn->detail->x86.addr_size == 2,
        .bytes = op->size ? op->size : 1,
        .base = flags ? decode_engine_register(op->mem.base) : 0,
        .index = flags ? decode_engine_register(op->mem.index) : 0,
        .scale = flags ? (uint8_t)op->mem.scale : 0,
        .offset = flags ? (uint32_t)op->mem.disp : 0,
    };
    return flags;
}

/* ---- Stack ---- */

/* How many words it pushes (above 0) or pops (below 0). */
static int words_pushed(const cs_insn *insn)
{
    switch (insn->id) {
    case X86_INS_PUSH:
    case X86_INS_PUSHF:
    case X86_INS_PUSHFD:
    case X86_INS_CALL:
    case X86_INS_ENTER:
        return 1;
    case X86_INS_LCALL:
        return 2;
    case X86_INS_PUSHAW:
    case X86_INS_PUSHAL:
        return 8;
    case X86_INS_POP:
    case X86_INS_POPF:
    case X86_INS_POPFD:
    case X86_INS_RET:
        return -1;
    case X86_INS_RETF:
        return -2;
    case X86_INS_IRET:
    case X86_INS_IRETD:
        return -3;
    case X86_INS_POPAW:
    case X86_INS_POPAL:
        return -8;
    default:
        return 0;
    }
}

static bool stack_access(const cs_insn *insn, bool code16, struct access *access)
{
    bool other_size = insn->detail->x86.prefix[2] == X86_PREFIX_OPSIZE;
    int words = words_pushed(insn), bytes = words * (code16 != other_size ? 2 : 4);
    bool leaves = insn->id == X86_INS_LEAVE;
    *access = (struct access){
        .segment = SEGMENT_SS,
        .writes = words > 0,
        .is_stack = true,
        .bytes = leaves ? 4 : (uint16_t)abs(bytes),
        .base = leaves ? UC_X86_REG_EBP : UC_X86_REG_ESP,
        .offset = bytes > 0 ? 0u - (uint32_t)bytes : 0,
    };
    return words != 0 || leaves;
}

unsigned decode_accesses(struct decoder *decoder, const uint8_t *code, uint32_t address, bool code16,
                         struct access *accesses)
{
    const cs_insn *insn = decode_by_capstone(decoder, code, address, code16);
    unsigned count = 0;
    if (!insn)
        return 0;
    for (unsigned i = 0; i < insn->detail->x86.op_count && count < ACCESSES - 1; i++)
        count += operand_access(insn, &insn->detail->x86.operands[i], &accesses[count]);
    return count + stack_access(insn, code16, &accesses[count]);
}
