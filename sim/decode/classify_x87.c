/*
 * x87 instructions: uop events, and which registers of the stack they read or push.
 */
#include "classify.h"
#include "pmc/count_of.h"

static bool is_one_of(const char *name, const char *const names[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}
#define IS_ONE_OF(name, names) is_one_of(name, names, COUNT_OF(names))

/* Instructions that neither calculate nor move a number: control, environment, stack management. */
static bool is_control(const char *name)
{
    static const char *const NAMES[] = {"fninit", "finit",  "fnclex", "fclex",   "fldcw",   "fnstcw",
                                        "fstcw",  "fnstsw", "fstsw",  "fldenv",  "fnstenv", "fstenv",
                                        "fnsave", "fsave",  "frstor", "fincstp", "fdecstp", "ffree",
                                        "fnop",   "wait",   "fwait",  "fxsave",  "fxrstor"};
    return IS_ONE_OF(name, NAMES);
}

static bool is_load(const char *name)
{
    return classify_starts(name, "fld") || classify_starts(name, "fild") || classify_starts(name, "fbld");
}

static bool is_store(const char *name)
{
    return classify_starts(name, "fst") || classify_starts(name, "fist") || classify_starts(name, "fbst");
}

static bool has_memory(const cs_insn *insn)
{
    const cs_x86_op *first = classify_operand(insn, 0);
    return first && first->type == X86_OP_MEM;
}

enum insn_fp classify_x87(const cs_insn *insn)
{
    const char *name = insn->mnemonic;
    if (name[0] != 'f' || is_control(name))
        return FP_NONE;
    if (is_load(name))
        return has_memory(insn) ? FP_MOVE_P2 : FP_MOVE_P0;
    if (is_store(name) || classify_starts(name, "fxch") || classify_starts(name, "fcmov"))
        return FP_MOVE_P0;
    return FP_X87;
}

bool classify_is_x87_store(const cs_insn *insn)
{
    const char *name = insn->mnemonic;
    return has_memory(insn) && is_store(name) && !is_control(name);
}

/* The ST(i) that the instruction names. */
static uint8_t named_registers(const cs_insn *insn)
{
    uint8_t registers = 0;
    for (unsigned i = 0; i < insn->detail->x86.op_count; i++) {
        const cs_x86_op *op = classify_operand(insn, i);
        if (op->type == X86_OP_REG && op->reg >= X86_REG_ST0 && op->reg <= X86_REG_ST7)
            registers |= (uint8_t)(1u << (op->reg - X86_REG_ST0));
    }
    return registers;
}

/* A load pushes; all others calculate with or store ST(0). FXAM may examine an empty register without a
 * fault. */
uint8_t classify_x87_reads(const cs_insn *insn, bool *pushes)
{
    static const char *const ALSO_PUSH[] = {"fptan", "fsincos", "fxtract"};
    static const char *const ALSO_READ_ST1[] = {"fcompp", "fucompp", "fyl2x",  "fyl2xp1",
                                                "fpatan", "fprem",   "fprem1", "fscale"};
    const uint8_t st0 = 1u << 0, st1 = 1u << 1;
    const char *name = insn->mnemonic;
    bool x87 = name[0] == 'f' && !is_control(name) && strcmp(name, "fxam") != 0;

    *pushes = x87 && (is_load(name) || IS_ONE_OF(name, ALSO_PUSH));
    if (!x87)
        return 0;
    if (is_load(name))
        return named_registers(insn);
    if (is_store(name))
        return st0;
    return st0 | named_registers(insn) | (IS_ONE_OF(name, ALSO_READ_ST1) ? st1 : 0);
}
