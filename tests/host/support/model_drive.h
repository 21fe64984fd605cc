/*
 * Driving the PMU model from a test: a part with its variants, the states of both logical processors for a
 * stretch of clocks, and events by a logical processor at a given privilege level.
 */
#ifndef TESTS_HOST_SUPPORT_MODEL_DRIVE_H
#define TESTS_HOST_SUPPORT_MODEL_DRIVE_H

#include "sim/netburst/nbpmu.h"

/* What nbpmu_new() takes. */
struct model_config {
    struct nbpmu_part part;
    struct nbpmu_variants variants;
};

/* What a logical processor does. */
struct lp_state {
    bool active;
    uint8_t cpl;
};

static inline void drive_states(struct nbpmu *pmu, const struct lp_state lps[NBPMU_LPS])
{
    for (unsigned lp = 0; lp < NBPMU_LPS; lp++)
        nbpmu_set_lp(pmu, lp, lps[lp].active, lps[lp].cpl);
}

/* Let clocks pass in these states. Returns the logical processors that get a PMI. */
static inline unsigned drive_clocks(struct nbpmu *pmu, const struct lp_state lps[NBPMU_LPS], uint64_t clocks)
{
    drive_states(pmu, lps);
    return nbpmu_advance(pmu, clocks);
}

/*
 * count occurrences with these mask bits by logical processor lp at privilege level cpl. The state of lp is
 * then that of this event; drive_clocks() sets the one for the clock.
 */
static inline void drive_events(struct nbpmu *pmu, enum nbpmu_event event, uint16_t mask_bits, unsigned lp,
                                unsigned cpl, unsigned count)
{
    nbpmu_set_lp(pmu, lp, true, cpl);
    nbpmu_event(pmu, lp, event, mask_bits, count);
}

/* The same for events that have one mask bit, given by its number. */
static inline void drive_event(struct nbpmu *pmu, enum nbpmu_event event, unsigned mask_bit, unsigned lp,
                               unsigned cpl, unsigned count)
{
    drive_events(pmu, event, (uint16_t)(1u << mask_bit), lp, cpl, count);
}

#endif
