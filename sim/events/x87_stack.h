/*
 * Faults of the x87 register stack, for which the processor takes an assist when they are masked (x87_assist
 * FPSU and FPSO). libunicorn does not detect them, so they are looked for before the instruction executes.
 */
#ifndef SIM_EVENTS_X87_STACK_H
#define SIM_EVENTS_X87_STACK_H

#include "post.h"

/*
 * The stack fault that the instruction is about to cause, as a mask bit of x87_assist; 0: none. FPSU: a
 * source register is empty. FPSO: it pushes, and the register that becomes ST(0) is in use.
 */
unsigned x87_stack_fault(const struct processor *processor, const struct insn *insn);

#endif
