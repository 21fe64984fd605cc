/*
 * Retirement: what an executed instruction means to the PMU, and the clocks it took.
 */
#ifndef SIM_EVENTS_RETIRE_H
#define SIM_EVENTS_RETIRE_H

#include "sim/cpu/processor.h"

/*
 * Events (a set of EVENT_BIT) that may come of an instruction which is neither new nor changed: where none of
 * them is counted, nothing needs to be posted nor looked at before it executes. NBPMU_NO_EVENT is among them:
 * clocks count then.
 */
uint64_t retire_events(const struct insn *insn);

/* Such an instruction has executed: its clocks pass. last: it is not an iteration of a REP string
 * instruction. */
static inline void retire_unseen(struct processor *processor, const struct insn *insn, uint64_t clocks,
                                 bool last)
{
    struct core *core = processor->core;
    if (core_active_events(core) && last)
        processor->tc_mode = insn->flags & INSN_MICROCODED ? TC_MODE_INACTIVE : TC_MODE_DELIVER;
    core->clock += clocks;
}

/*
 * The pending instruction is done and the processor goes on at the linear address next. Posts its events when
 * somebody listens, lets its clocks pass, and leaves nothing pending. A REP string instruction that goes on
 * at itself has only done an iteration: its clocks pass and it does not retire.
 */
void retire(struct processor *processor, uint32_t next);

/* Before the pending instruction executes: note of the registers it may change what an event depends on. */
void retire_look_ahead(struct processor *processor);

#endif
