/*
 * Classification of an instruction that libcapstone has decoded: kind of branch, floating-point uop event,
 * uops of microcode, row of the timing table. For this room only.
 */
#ifndef SIM_DECODE_CLASSIFY_H
#define SIM_DECODE_CLASSIFY_H

#include <stdbool.h>
#include <string.h>
#include <capstone/capstone.h>
#include "insn.h"

/* What p4sim does itself about the instruction; INSN_PLAIN: nothing. */
enum insn_intercept classify_intercept(const cs_insn *insn);
/* The kind of branch that it is; BRANCH_NONE for other instructions. */
enum insn_branch classify_branch(const cs_insn *insn);
/* The condition of a BRANCH_CONDITIONAL, numbered as insn.h says. */
uint8_t classify_condition(const cs_insn *insn);
/* The uop event that it causes (Table 19-28); FP_NONE without an MMX, SSE or x87 uop. */
enum insn_fp classify_fp(const cs_insn *insn);
/* Does it calculate with, or compare, the floating-point numbers of two SSE operands? fp: classify_fp(). */
bool classify_is_sse_arithmetic(const cs_insn *insn, enum insn_fp fp);
/* The register of an operand as fp_to and fp_from number it; 0 for anything else. */
uint8_t classify_fp_register(const cs_x86_op *op);
/* INSN_LOADS, INSN_STORES and INSN_LOCKED, as they apply to its memory operand. */
uint16_t classify_access(const cs_insn *insn, const cs_x86_op *memory);

/* INSN_REP, INSN_SHADOW, INSN_TWICE, INSN_TRAP, INSN_SERIALISES as they apply. */
uint16_t classify_flags(const cs_insn *insn);
/* Exception that an INSN_TRAP instruction raises. */
uint8_t classify_trap(const cs_insn *insn);

/* Is it OUT or OUTS? */
bool classify_is_output(const cs_insn *insn);
/* Is it a string instruction, with or without a prefix? */
bool classify_is_string(const cs_insn *insn);

/* ---- Uops and costs (classify_cost.c) ---- */

/* Number of uops of a microcoded instruction; 0 when it is not microcoded. */
unsigned classify_microcode(const cs_insn *insn);
/* The row of the timing table for an instruction whose flags, fp and branch are in *out. */
enum cost classify_cost(const cs_insn *insn, const struct insn *out);

/* Is it a move, whose load or store needs no uop beside the memory access? */
bool classify_is_move(const cs_insn *insn);

/* ---- Tags ---- */

/* Fill in tagged_loads and tagged_stores; flags and size are there already. */
void classify_tagged(const cs_insn *insn, struct insn *out);

/* ---- x87 instructions (classify_x87.c); MMX and SSE are not among them ---- */

/* The uop event of an instruction without MMX and XMM registers. */
enum insn_fp classify_x87(const cs_insn *insn);
/* Bit i of the result: ST(i) is a source. *pushes: it pushes the register stack. */
uint8_t classify_x87_reads(const cs_insn *insn, bool *pushes);
/* Does it store a number to its memory operand? */
bool classify_is_x87_store(const cs_insn *insn);

/* ---- Shared by the files of this room ---- */

static inline const cs_x86_op *classify_operand(const cs_insn *insn, unsigned number)
{
    const cs_x86 *x86 = &insn->detail->x86;
    return number < x86->op_count ? &x86->operands[number] : NULL;
}

/* Is the operand, which may be null, a control register? */
static inline bool classify_is_cr(const cs_x86_op *op)
{
    return op && op->type == X86_OP_REG && op->reg >= X86_REG_CR0 && op->reg <= X86_REG_CR4;
}

static inline bool classify_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

#endif
