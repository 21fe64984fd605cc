/* Saying that a kernel needs what p4sim does not simulate. */
#ifndef SIM_ENGINE_UNSUPPORTED_H
#define SIM_ENGINE_UNSUPPORTED_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/cpu/processor.h"
#include "sim/decode/insn.h"

enum unsupported {
    UNSUPPORTED_TASK_GATE,
    UNSUPPORTED_TSS16,
    UNSUPPORTED_REAL_MODE_EVENT,
    UNSUPPORTED_VIRTUAL_8086,
    UNSUPPORTED_BREAKPOINT,
    UNSUPPORTED_SEGMENT,
    UNSUPPORTED_REMAPPING,
    UNSUPPORTED_REMAPPED_CODE,
    UNSUPPORTED_LONG_MODE,
    UNSUPPORTED_NO_EXECUTE,
    UNSUPPORTED_IPI,
    UNSUPPORTED_SYSENTER,
    UNSUPPORTED_KINDS
};

/* The run goes on, but may do something else than on a processor: one line on standard error, once for each
 * kind. */
void unsupported_report(struct processor *processor, enum unsupported kind);

/* Is this linear address mapped to another physical one? Then the run ends. */
bool unsupported_code(struct processor *processor, uint32_t address);

/* Does the instruction at this address set a breakpoint, or access memory by way of a segment in a way that a
 * processor may refuse? Then the run ends. What libunicorn cannot be sure of counts as refused: a string
 * instruction while DS or ES is not flat. */
bool unsupported_instruction(struct processor *processor, const struct insn *insn, uint32_t address);

/* The run cannot go on: it ends as MACHINE_BROKEN with that line as its reason. */
void unsupported_end(struct processor *processor, enum unsupported kind);

#endif
