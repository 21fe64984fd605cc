/* The event classes of pmu-rules 4, and the names and write masks of the ESCRs. */
#ifndef SIM_NETBURST_EVENT_TABLE_H
#define SIM_NETBURST_EVENT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "nbpmu.h"
#include "state.h"

/* One event class of pmu-rules 4. */
struct nbpmu_event_info {
    const char *name;
    uint32_t escr0;   /* address of the even ESCR of its pair */
    uint8_t select;   /* ESCR[30:25] */
    bool on0, on1;    /* counted by the even, by the odd ESCR */
    bool ti;          /* thread independent (Table 19-34) */
    uint16_t levels;  /* members that are states of a clock: they are ORed (R9) */
    uint8_t weight;   /* added per occurrence */
    uint16_t members; /* the bits of the mask that mean something */
};

const struct nbpmu_event_info *nbpmu_event_info(enum nbpmu_event event);

/* Does an ESCR with this event tag uops by its mask, without tag enable? */
bool nbpmu_tags_by_mask(enum nbpmu_event event);

/* The event that an ESCR's value means on this part (model-dependent events, E10), NBPMU_NO_EVENT when none.
 */
enum nbpmu_event nbpmu_event_here(const struct nbpmu *pmu, uint32_t escr_msr, unsigned select);
const char *nbpmu_escr_name(uint32_t msr);

/* Write mask recorded for an ESCR on 0F43H (pmu-rules 3.4). */
uint32_t nbpmu_escr_f43_mask(uint32_t msr);
bool nbpmu_escr_exists(uint32_t msr);

#endif
