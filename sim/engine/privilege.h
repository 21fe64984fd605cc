/*
 * Checks of the processor that libunicorn leaves out.
 */
#ifndef SIM_ENGINE_PRIVILEGE_H
#define SIM_ENGINE_PRIVILEGE_H

struct insn;
struct processor;

/* The exception that an INSN_PORT raises, by IOPL and the bitmap of the task-state segment (SDM vol.
 * 1, 18.5), or NO_EXCEPTION. */
int privilege_of_port(struct processor *processor, const struct insn *insn);

/* The same of an INSN_FLUSH, by the value that it moves to CR0 or CR4 (SDM vol. 2, MOV to control registers).
 */
int privilege_of_control(const struct processor *processor, const struct insn *insn);

#endif
