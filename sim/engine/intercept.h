/*
 * The instructions that p4sim executes instead of libunicorn: RDTSC, RDMSR, WRMSR, RDPMC, CPUID, IN and OUT.
 *
 * libunicorn can skip an instruction only by leaving its inner loop, after which it translates the rest of
 * the code as a piece of its own. So where it does no harm, libunicorn executes the instruction too: WRMSR
 * of a register of the PMU, which it ignores, and RDTSC and RDMSR, whose results p4sim replaces before the
 * next instruction.
 */
#ifndef SIM_ENGINE_INTERCEPT_H
#define SIM_ENGINE_INTERCEPT_H

#include <stdbool.h>
#include "sim/cpu/processor.h"
#include "sim/decode/insn.h"

#define NO_EXCEPTION (-1)

/*
 * Execute RDTSC, RDMSR, WRMSR or RDPMC with its privilege checks (SDM vol. 2; pmu-rules 3.5). Returns
 * NO_EXCEPTION or the exception that it raises. What it reads is due in processor->repeated. The caller
 * advances EIP, unless libunicorn may execute the instruction too.
 */
int intercept_execute(struct processor *processor, const struct insn *insn);

/* Put what is due into EDX and EAX. Does nothing when nothing is. */
void intercept_give(struct processor *processor);

/* Install the engine's hooks for CPUID, IN and OUT. False when libunicorn refuses. */
bool intercept_install(struct processor *processor);

/* The exception that an INSN_PORT raises, by IOPL and the bitmap of the task-state segment (SDM vol.
 * 1, 18.5), or NO_EXCEPTION. */
int privilege_of_port(struct processor *processor, const struct insn *insn);

/* The exception that an INSN_FLUSH raises, by the value that it moves to CR0 or CR4 (SDM vol. 2, MOV to
 * control registers), or NO_EXCEPTION. */
int privilege_of_control(const struct processor *processor, const struct insn *insn);

/* #AC of an operand of 2, 4 or 8 bytes (SDM vol. 3, 6.15), or NO_EXCEPTION. */
int privilege_of_access(const struct processor *processor, const struct insn *insn);

/* #XM of an INSN_DIVSS by zero (SDM vol. 1, 11.5.2.3), the only one of SSE that is simulated, or
 * NO_EXCEPTION. */
int privilege_of_divide(const struct processor *processor, const struct insn *insn);

#endif
