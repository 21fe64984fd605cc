/*
 * Events of a retired branch: direction, kind and prediction.
 */
#ifndef SIM_EVENTS_BRANCH_H
#define SIM_EVENTS_BRANCH_H

#include "post.h"

#define BRANCH_EVENTS                                                            \
    (EVENT_BIT(NBPMU_BRANCH_RETIRED) | EVENT_BIT(NBPMU_MISPRED_BRANCH_RETIRED) | \
     EVENT_BIT(NBPMU_RETIRED_BRANCH_TYPE) | EVENT_BIT(NBPMU_RETIRED_MISPRED_BRANCH_TYPE))

struct branch_outcome {
    bool taken, predicted;
};

/* The branch insn at address went to next: ask the predictor, which learns from it. */
struct branch_outcome branch_resolve(struct processor *processor, const struct insn *insn, uint32_t address,
                                     uint32_t next);
/* Clocks that pass after a branch with this outcome before the right path goes on. */
uint32_t branch_penalty(struct processor *processor, const struct insn *insn, struct branch_outcome outcome);
/* Post the events of a branch with this outcome. */
void branch_events_post(const struct processor *processor, const struct insn *insn,
                        struct branch_outcome outcome);

#endif
