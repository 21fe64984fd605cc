/*
 * Posting events to the PMU of a processor's core, and the mask bits of the events by their names in the
 * manual (pmu-rules 4.1 to 4.5).
 */
#ifndef SIM_EVENTS_POST_H
#define SIM_EVENTS_POST_H

#include "sim/cpu/processor.h"

#define EVENT_BIT(event) (1ull << (event)) /* as in core_active_events() */

/* Mask bits of the events that the processors produce. */
enum {
    NBOGUS = 0, /* bit 0 of several at-retirement events */
    NBOGUSNTAG = 0,
    NBOGUSTAG = 1,
    MMNP = 0, /* + 1 when mispredicted, + 2 when taken */
    MMTM = 3,
    TYPE_UNCONDITIONAL = 0,
    TYPE_CONDITIONAL = 1,
    TYPE_CALL = 2,
    TYPE_RETURN = 3,
    TYPE_INDIRECT = 4,
    FROM_TC_BUILD = 0,
    FROM_TC_DELIVER = 1,
    FROM_ROM = 2,
    CISC = 0,
    FLUSH = 4,
    TCMISS = 0,
    ITLB_HIT = 0,
    ITLB_MISS = 1,
    DTMISS = 0,
    ITMISS = 1,
    LSC = 0,
    SSC = 1,
    SPLIT_LD = 1,
    SPLIT_ST = 1,
    PARTIAL_DATA = 4,
    ST_RB_FULL = 2,
    CONF_64K = 3,
    SBFULL = 5,
    TAGLOADS = 1,
    TAGSTORES = 2,
    IOQ_REQUEST_DEFAULT = 0,
    IOQ_ALL_READ = 5,
    IOQ_ALL_WRITE = 6,
    IOQ_UC = 7,
    IOQ_OWN = 13,
    IOQ_OTHER = 14,
    RD_2ND_LEVEL_HITE = 1,
    BSQ_TYPE_WRITE = 1, /* of the field 1:0: 0 read, 2 write */
    BSQ_DEMAND = 9,
    DRDY_DRV = 0,
    DRDY_OWN = 1,
    DBSY_DRV = 3,
    DBSY_OWN = 4,
    CLEAR = 0,
    SMCLEAR = 6,
    FPSU = 0,
    FPSO = 1,
    ALLP0 = 3,
    ALLP2 = 4,
    FIRM_ALL_UOPS = 15
};

/* Can one of these events (a set of EVENT_BIT) move a counter? */
static inline bool is_counted(const struct processor *processor, uint64_t events)
{
    return core_active_events(processor->core) & events;
}

/* The processor caused an event, count times, with one mask bit; it belongs to the next clock. */
static inline void post(const struct processor *processor, enum nbpmu_event event, unsigned mask_bit,
                        unsigned count)
{
    if (is_counted(processor, EVENT_BIT(event)))
        core_post(processor->core, event, 1u << mask_bit, processor->thread, count);
}

/* As post(), for an event that has several mask bits at once. */
static inline void post_mask(const struct processor *processor, enum nbpmu_event event, unsigned bits,
                             unsigned count)
{
    if (is_counted(processor, EVENT_BIT(event)))
        core_post(processor->core, event, bits, processor->thread, count);
}

#endif
