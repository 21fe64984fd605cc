/*
 * Retirement: the events of an executed instruction, and the clocks that it took.
 */
#ifndef SIM_EVENTS_RETIRE_H
#define SIM_EVENTS_RETIRE_H

#include "memory.h"
#include "sim/cpu/processor.h"

/*
 * The events (a set of EVENT_BIT) that an instruction may cause, provided it is neither new nor changed.
 * While none of them is counted, retire_unseen() can take the place of retire(). NBPMU_NO_EVENT, which stands
 * for clocks, is always among them.
 */
uint64_t retire_events(const struct insn *insn);

/* The whole clocks that pass with an instruction after the twelfths that earlier ones left. */
static inline uint64_t retire_clocks(const struct processor *processor, const struct insn *insn)
{
    return insn->clocks + (processor->twelfths + insn->twelfths >= (int)TWELFTHS);
}

/* The instruction's clocks pass: keep what it took beyond whole ones. */
static inline void retire_twelfths(struct processor *processor, const struct insn *insn)
{
    unsigned twelfths = processor->twelfths + insn->twelfths;
    processor->twelfths = (uint8_t)(twelfths >= TWELFTHS ? twelfths - TWELFTHS : twelfths);
}

/* What the trace cache does while an instruction executes that it holds. */
static inline enum tc_mode retire_tc_mode(const struct insn *insn)
{
    return insn->flags & INSN_MICROCODED ? TC_MODE_INACTIVE : TC_MODE_DELIVER;
}

/* An instruction none of whose events is counted has executed; the caller lets its clocks pass. last: it is
 * no iteration of a REP string instruction that goes on. */
static inline void retire_unseen(struct processor *processor, const struct insn *insn, bool last)
{
    if (core_active_events(processor->core) && last)
        processor->tc_mode = retire_tc_mode(insn);
}

/* As retire_unseen(), for what a branch, which went to next, adds: prediction, and clocks if it was wrong. */
void retire_branch_unseen(struct processor *processor, const struct insn *insn, uint32_t next);

/*
 * The pending instruction has executed, and the next one is at linear address next. Posts its events that are
 * counted, lets its clocks pass, and leaves nothing pending. A REP string instruction whose next instruction
 * is itself has done one iteration: its clocks pass, but it does not retire.
 */
void retire(struct processor *processor, uint32_t next);

/*
 * An interrupt or a fault ends the instruction stream: post what it counts at the privilege level that it
 * interrupts (F9), in the clock of the next instruction.
 */
void interruption_post(const struct processor *processor);

/* As retire_look_ahead(), for an instruction that may cause an event which needs it. */
void retire_save_registers(struct processor *processor);

/* Before the pending instruction executes: save what a counted event needs of the registers that it may
 * change. */
static inline void retire_look_ahead(struct processor *processor)
{
    const uint64_t needing = MEMORY_ACCESS_EVENTS | EVENT_BIT(NBPMU_INSTR_RETIRED) |
                             EVENT_BIT(NBPMU_PACKED_SP_UOP) | EVENT_BIT(NBPMU_X87_ASSIST);
    processor->operand_known = false;
    processor->x87_fault = 0;
    if (is_counted(processor, processor->pending->events & needing))
        retire_save_registers(processor);
    else
        processor->copied = 0;
}

#endif
