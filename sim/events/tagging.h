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

/* Could a load or store be tagged now, so that its operand must be known? */
bool tagging_of_memory(const struct processor *processor);

/*
 * The instruction retires; access is the result of memory_access(). Post the events of its tagged uops.
 * Returns whether one of its uops is tagged.
 */
bool tagging_retire(struct processor *processor, const struct insn *insn, unsigned access);

#endif
