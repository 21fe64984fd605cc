/*
 * The floating-point and SIMD uops of the FLAME block: their events, and their tags at retirement.
 *
 * Their events are counted where they execute, which is not the order of the program. A uop executes up to
 * timing.fp_window instructions late or early, one uop in a clock, after the older uops that write a register
 * which it reads or writes. A uop does not execute early if a branch, or an instruction that was not
 * decoded yet, precedes it. None passes a serialising instruction, an interrupt or HLT (F4).
 */
#ifndef SIM_EVENTS_FP_UOP_H
#define SIM_EVENTS_FP_UOP_H

#include "post.h"

#define UOP_EVENTS_FLAME                                                                                 \
    (EVENT_BIT(NBPMU_PACKED_SP_UOP) | EVENT_BIT(NBPMU_PACKED_DP_UOP) | EVENT_BIT(NBPMU_SCALAR_SP_UOP) |  \
     EVENT_BIT(NBPMU_SCALAR_DP_UOP) | EVENT_BIT(NBPMU_64BIT_MMX_UOP) | EVENT_BIT(NBPMU_128BIT_MMX_UOP) | \
     EVENT_BIT(NBPMU_X87_FP_UOP) | EVENT_BIT(NBPMU_X87_SIMD_MOVES_UOP))

/* Uop events that speculative execution inflates; noise adds to them. */
#define UOP_EVENTS_SPECULATIVE (UOP_EVENTS_FLAME | EVENT_BIT(NBPMU_UOP_QUEUE_WRITES))

/* An instruction whose fp is not FP_NONE retires: its uop waits in the window, or executes. */
void fp_uop_issue(struct processor *processor, const struct insn *insn);
/* insn retires: uops that wait may execute, and uops of later instructions. */
void fp_uop_execute(struct processor *processor, const struct insn *insn);
/* Is there an instruction with such a uop after insn, so near that it may execute before its turn? */
bool fp_uop_follows(const struct processor *processor, const struct insn *insn);
/*
 * May a uop after insn execute when insn retires, so that fp_uop_execute() must be called, even if nothing
 * that insn itself does is counted? Whether chance is asked must not depend on how p4sim executes insn.
 */
static inline bool fp_uop_near(const struct processor *processor, const struct insn *insn)
{
    return is_counted(processor, UOP_EVENTS_FLAME) && fp_uop_follows(processor, insn);
}
/* All uops that wait execute; a clock passes for each. Those that have executed early, before an interrupt
 * that comes before their instruction, will execute again. */
void fp_uop_drain(struct processor *processor);
/* The tag value that FIRM_ESCR0/1 put on it (Table 19-32), 0 for none. */
unsigned fp_uop_tags(const struct processor *processor, const struct insn *insn);

/*
 * The fault of the x87 register stack that the instruction is about to cause, as a mask bit of x87_assist; 0:
 * none. FPSU: a source register is empty. FPSO: it pushes, and the register that becomes ST(0) is in use. If
 * the fault is masked, the processor takes an assist. libunicorn does not detect it, so it is looked for
 * before the instruction executes.
 */
unsigned x87_stack_fault(const struct processor *processor, const struct insn *insn);

#endif
