/*
 * nbpmu_view: what a counter does, looked at clock by clock, as for a waveform. Unlike RDMSR it disturbs
 * nothing.
 */
#ifndef NBPMU_VIEW_H
#define NBPMU_VIEW_H

#include "nbpmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A counter after the latest clock. */
struct nbpmu_view {
    uint64_t value;     /* 40 bits */
    unsigned increment; /* 0 to 15: what the latest clock added, after threshold, complement and edge */
    bool ovf;           /* OVF in its CCCR */
    bool enabled;       /* it counts in the next clock: by ENABLE or because a cascade has started it */
};

/* Look at a counter, 0 to 17. */
void nbpmu_look(const struct nbpmu *pmu, unsigned counter, struct nbpmu_view *view);

#ifdef __cplusplus
}
#endif

#endif
