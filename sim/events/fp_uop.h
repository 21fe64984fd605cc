/*
 * The floating-point and SIMD uops of the FLAME block: their events, and their tags at retirement.
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

/* Post the uop of an instruction whose fp is not FP_NONE. */
void uop_events_post(struct processor *processor, const struct insn *insn);
/* The tag value that FIRM_ESCR0/1 put on it (Table 19-32), 0 for none. */
unsigned uop_events_tags(const struct processor *processor, const struct insn *insn);

#endif
