/*
 * Classification of an instruction that libcapstone has decoded: kind of branch, floating-point uop event,
 * uops of microcode. For decode.c only.
 */
#ifndef SIM_DECODE_CLASSIFY_H
#define SIM_DECODE_CLASSIFY_H

#include <stdbool.h>
#include <string.h>
#include <capstone/capstone.h>
#include "insn.h"

enum insn_intercept classify_intercept(const cs_insn *insn);
enum insn_branch classify_branch(const cs_insn *insn);
/* The condition of a BRANCH_CONDITIONAL, numbered as insn.h says. */
uint8_t classify_condition(const cs_insn *insn);
enum insn_fp classify_fp(const cs_insn *insn);
/* INSN_LOADS, INSN_STORES and INSN_LOCKED, as they apply to its memory operand. */
uint16_t classify_access(const cs_insn *insn, const cs_x86_op *memory);

/* INSN_REP, INSN_SHADOW, INSN_TWICE, INSN_TRAP as they apply. */
uint16_t classify_flags(const cs_insn *insn);
/* Vector that an INSN_TRAP instruction raises. */
uint8_t classify_trap(const cs_insn *insn);

/* Number of uops of a microcoded instruction, whose cost goes to *clocks; 0 when it is not microcoded. */
unsigned classify_microcode(const cs_insn *insn, unsigned *clocks);

/* Is it a move, whose load or store needs no uop beside the memory access? */
bool classify_is_move(const cs_insn *insn);

/* ---- x87 instructions (classify_x87.c); MMX and SSE are not among them ---- */

/* The uop event of an instruction without MMX and XMM registers. */
enum insn_fp classify_x87(const cs_insn *insn);
/* Bit i of the result: ST(i) is a source. *pushes: it pushes the register stack. */
uint8_t classify_x87_reads(const cs_insn *insn, bool *pushes);
/* Does it store a number to its memory operand? */
bool classify_is_x87_store(const cs_insn *insn);

/* ---- Shared by the classify files ---- */

static inline const cs_x86_op *classify_operand(const cs_insn *insn, unsigned number)
{
    const cs_x86 *x86 = &insn->detail->x86;
    return number < x86->op_count ? &x86->operands[number] : NULL;
}

static inline bool classify_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

#endif
