/*
 * Debug registers (SDM vol. 3, 17.2) and instruction breakpoints. libunicorn never sees DR7: it crashes at a
 * breakpoint. Breakpoints on data and ports are not simulated.
 */
#ifndef SIM_ENGINE_DEBUG_H
#define SIM_ENGINE_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

struct insn;
struct processor;

/* DR6 and DR7 as power-up and INIT leave them. */
void debug_reset(struct processor *processor);

/* Execute MOV to or from a debug register. Returns NO_EXCEPTION or the exception that it raises. */
int debug_execute(struct processor *processor, const struct insn *insn);

/* Does an instruction breakpoint stop the processor before the instruction at this linear address? Then DR6
 * says which. */
bool debug_stops(struct processor *processor, uint32_t address);

/* IRET loaded EFLAGS: with RF set, the next instruction has no breakpoint. */
void debug_returned(struct processor *processor);

#endif
