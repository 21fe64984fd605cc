/*
 * Tagged uops at retirement: front_end_event, execution_event and replay_event (pmu-rules 4.6).
 */
#ifndef SIM_EVENTS_TAGGING_H
#define SIM_EVENTS_TAGGING_H

#include "post.h"

/* Events that depend on the tags of an instruction's uops. */
#define TAGGING_EVENTS                                                                                     \
    (EVENT_BIT(NBPMU_FRONT_END_EVENT) | EVENT_BIT(NBPMU_REPLAY_EVENT) | EVENT_BIT(NBPMU_EXECUTION_EVENT) | \
     EVENT_BIT(NBPMU_INSTR_RETIRED))

/* Would a load or store of this instruction be tagged, or could it: must its operand be looked at? */
bool tagging_of_memory(const struct processor *processor);

/*
 * The instruction retires after its memory access (a set of ACCESS_ bits) met what they say: post the events
 * of its tagged uops. Returns whether a uop of it is tagged.
 */
bool tagging_retire(const struct processor *processor, const struct insn *insn, unsigned access);

#endif
