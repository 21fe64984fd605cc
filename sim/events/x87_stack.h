/*
 * Faults of the x87 register stack, which the processor answers with an assist when they are masked
 * (x87_assist FPSU and FPSO). The engine does not detect them, so they are found before the instruction.
 */
#ifndef SIM_EVENTS_X87_STACK_H
#define SIM_EVENTS_X87_STACK_H

#include "post.h"

/*
 * What the instruction about to execute will meet: mask bits of x87_assist, at most one. FPSU: a source
 * register is empty; FPSO: it pushes and the register that becomes ST(0) is in use.
 */
unsigned x87_stack_fault(const struct processor *processor, const struct insn *insn);

#endif
