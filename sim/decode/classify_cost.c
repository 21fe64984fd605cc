/*
 * The uops of microcoded instructions, and the row of the timing table for each instruction.
 */
#include "classify.h"

#include "pmc/count_of.h"

/* Instructions by their name. */
static const struct named {
    unsigned id, uops; /* of microcode; 0: it is not microcoded */
    enum cost cost;
} NAMED[] = {
    {X86_INS_CPUID, 30, COST_CPUID},
    {X86_INS_RDTSC, 10, COST_RDTSC},
    {X86_INS_RDPMC, 12, COST_RDPMC},
    {X86_INS_RDMSR, 20, COST_RDMSR_OTHER}, /* the register decides, at execution */
    {X86_INS_WRMSR, 30, COST_WRMSR_OTHER},
    {X86_INS_HLT, 6, COST_HLT},
    {X86_INS_IN, 8, COST_IN_OUT},
    {X86_INS_OUT, 8, COST_IN_OUT},
    {X86_INS_INT, 20, COST_SOFTWARE_INTERRUPT},
    {X86_INS_INT3, 20, COST_SOFTWARE_INTERRUPT},
    {X86_INS_INTO, 20, COST_SOFTWARE_INTERRUPT},
    {X86_INS_INT1, 20, COST_SOFTWARE_INTERRUPT},
    {X86_INS_IRET, 20, COST_IRET},
    {X86_INS_IRETD, 20, COST_IRET},
    {X86_INS_LJMP, 12, COST_FAR_JUMP},
    {X86_INS_LCALL, 16, COST_FAR_CALL},
    {X86_INS_RETF, 14, COST_FAR_CALL},
    {X86_INS_PUSHAL, 10, COST_PUSHA},
    {X86_INS_PUSHAW, 10, COST_PUSHA},
    {X86_INS_POPAL, 10, COST_POPA},
    {X86_INS_POPAW, 10, COST_POPA},
    {X86_INS_DIV, 12, COST_DIVIDE},
    {X86_INS_IDIV, 12, COST_DIVIDE},
    {X86_INS_LGDT, 10, COST_DESCRIPTOR_TABLE},
    {X86_INS_LIDT, 10, COST_DESCRIPTOR_TABLE},
    {X86_INS_LTR, 16, COST_TASK_REGISTER},
    {X86_INS_PAUSE, 5, COST_PAUSE},
    {X86_INS_MFENCE, 5, COST_MFENCE},
    {X86_INS_SFENCE, 5, COST_SFENCE},
    {X86_INS_LFENCE, 5, COST_LFENCE},
    {X86_INS_FXSAVE, 60, COST_FXSAVE},
    {X86_INS_FXRSTOR, 60, COST_FXSAVE},
    {X86_INS_FNINIT, 12, COST_FNINIT},
    {X86_INS_FLDENV, 16, COST_FLDENV},
    {X86_INS_FRSTOR, 40, COST_FRSTOR},
    {X86_INS_FLDCW, 5, COST_FLDCW},
    {X86_INS_INVLPG, 10, COST_INVLPG},
    {X86_INS_WBINVD, 100, COST_WBINVD},
    {X86_INS_CMPXCHG8B, 10, COST_CMPXCHG8B},
    {X86_INS_INC, 0, COST_INCREMENT},
    {X86_INS_DEC, 0, COST_INCREMENT},
    {X86_INS_POPF, 0, COST_POPF},
    {X86_INS_POPFD, 0, COST_POPF},
    {X86_INS_CLD, 0, COST_DIRECTION},
    {X86_INS_STD, 0, COST_DIRECTION},
    {X86_INS_EMMS, 0, COST_EMMS},
    {X86_INS_MASKMOVQ, 0, COST_MASKMOVQ},
    {X86_INS_CLFLUSH, 0, COST_CLFLUSH},
};

#define STRING_UOPS 5u

static const struct named *named(const cs_insn *insn)
{
    for (unsigned i = 0; i < COUNT_OF(NAMED); i++)
        if (NAMED[i].id == insn->id)
            return &NAMED[i];
    return NULL;
}

unsigned classify_microcode(const cs_insn *insn)
{
    const struct named *row = named(insn);
    if (row)
        return row->uops;
    return classify_is_string(insn) ? STRING_UOPS : 0;
}

bool classify_is_move(const cs_insn *insn)
{
    return classify_starts(insn->mnemonic, "mov") || classify_starts(insn->mnemonic, "fld") ||
           classify_starts(insn->mnemonic, "fst") || insn->id == X86_INS_PUSH || insn->id == X86_INS_POP;
}

/* ---- Rows ---- */

static enum cost cost_of_move(const cs_insn *insn)
{
    if (classify_is_cr(classify_operand(insn, 0)))
        return COST_TO_CR;
    return classify_is_cr(classify_operand(insn, 1)) ? COST_FROM_CR : COST_UOPS;
}

static enum cost cost_of_fp(enum insn_fp fp)
{
    static const uint8_t COST[] = {
        [FP_PACKED_SP] = COST_SSE, [FP_PACKED_DP] = COST_SSE, [FP_SCALAR_SP] = COST_SSE,
        [FP_SCALAR_DP] = COST_SSE, [FP_MMX64] = COST_MMX64,   [FP_MMX128] = COST_MMX128,
        [FP_X87] = COST_X87,
    };
    return fp < COUNT_OF(COST) ? (enum cost)COST[fp] : COST_UOPS;
}

static bool pushes(const cs_insn *insn, const struct insn *out)
{
    return insn->id == X86_INS_PUSH || insn->id == X86_INS_PUSHFD || out->branch == BRANCH_CALL ||
           out->branch == BRANCH_INDIRECT_CALL;
}

enum cost classify_cost(const cs_insn *insn, const struct insn *out)
{
    if (out->flags & INSN_LOCKED)
        return COST_LOCKED;
    const struct named *row = named(insn);
    if (row)
        return row->cost;
    if (classify_is_string(insn))
        return out->flags & INSN_REP ? COST_REPEAT : COST_STRING;
    enum cost cost = insn->id == X86_INS_MOV ? cost_of_move(insn) : COST_UOPS;
    if (cost == COST_UOPS)
        cost = cost_of_fp(out->fp);
    if (cost == COST_UOPS && (out->flags & INSN_STORES || pushes(insn, out)))
        cost = COST_STORE;
    return cost;
}
