/*
 * Events of a retired branch: direction, kind and prediction.
 */
#ifndef SIM_EVENTS_BRANCH_H
#define SIM_EVENTS_BRANCH_H

#include "post.h"

#define BRANCH_EVENTS                                                            \
    (EVENT_BIT(NBPMU_BRANCH_RETIRED) | EVENT_BIT(NBPMU_MISPRED_BRANCH_RETIRED) | \
     EVENT_BIT(NBPMU_RETIRED_BRANCH_TYPE) | EVENT_BIT(NBPMU_RETIRED_MISPRED_BRANCH_TYPE))

/* Post the events of the branch insn at address, which went to next. */
void branch_events_post(struct processor *processor, const struct insn *insn, uint32_t address,
                        uint32_t next);

#endif
