/*
 * Judgements on a decoded instruction: which kind of branch, which floating-point uop event, how many uops of
 * microcode. Used by decode.c only.
 */
#ifndef SIM_CLASSIFY_H
#define SIM_CLASSIFY_H

#include <stdbool.h>
#include <capstone/capstone.h>
#include "insn.h"

enum insn_special classify_special(const cs_insn *insn);
enum insn_branch classify_branch(const cs_insn *insn);
enum insn_fp classify_fp(const cs_insn *insn);

/* INSN_REP, INSN_SHADOW, INSN_TWICE, INSN_TRAP as they apply. */
uint8_t classify_flags(const cs_insn *insn);
/* Vector that an INSN_TRAP instruction raises. */
uint8_t classify_trap(const cs_insn *insn);

/* Number of uops when the instruction is microcoded (then *clocks is its cost), else 0. */
unsigned classify_microcode(const cs_insn *insn, unsigned *clocks);

/* MOV and its kin: a load or store needs no uop beside the memory access. */
bool classify_is_move(const cs_insn *insn);

#endif
