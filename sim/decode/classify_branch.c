/*
 * Kinds of branches, and the conditions of conditional branches.
 */
#include "classify.h"

#define OPCODE_TWO_BYTES 0x0Fu /* first byte of the long form of Jcc */
#define OPCODE_LOOPNE    0xE0u /* and LOOPE, LOOP, JECXZ */
#define OPCODE_JCXZ      0xE3u

static bool in_group(const cs_insn *insn, uint8_t group)
{
    for (unsigned i = 0; i < insn->detail->groups_count; i++)
        if (insn->detail->groups[i] == group)
            return true;
    return false;
}

enum insn_branch classify_branch(const cs_insn *insn)
{
    const cs_x86_op *first = classify_operand(insn, 0);
    bool direct = first && first->type == X86_OP_IMM;
    enum insn_intercept intercept = classify_intercept(insn);
    if (intercept == INSN_FAR || intercept == INSN_IRET)
        return BRANCH_FAR;
    if (insn->id == X86_INS_RET)
        return BRANCH_RETURN;
    if (insn->id == X86_INS_CALL)
        return direct ? BRANCH_CALL : BRANCH_INDIRECT_CALL;
    if (insn->id == X86_INS_JMP)
        return direct ? BRANCH_JUMP : BRANCH_INDIRECT_JUMP;
    if (in_group(insn, X86_GRP_JUMP) || insn->id == X86_INS_LOOP || insn->id == X86_INS_LOOPE ||
        insn->id == X86_INS_LOOPNE)
        return BRANCH_CONDITIONAL;
    return BRANCH_NONE;
}

uint8_t classify_condition(const cs_insn *insn)
{
    const uint8_t *opcode = insn->detail->x86.opcode;
    if (opcode[0] >= OPCODE_LOOPNE && opcode[0] <= OPCODE_JCXZ)
        return (uint8_t)(CONDITION_LOOPNE + opcode[0] - OPCODE_LOOPNE);
    return (opcode[0] == OPCODE_TWO_BYTES ? opcode[1] : opcode[0]) & 0xF;
}
