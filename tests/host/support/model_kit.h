/*
 * What the tests of the PMU model share: a part with its variants, register access that must succeed, the
 * states of both logical processors for a stretch of clocks, and events by a logical processor at a given
 * privilege level.
 *
 * Expected values in the tests are computed by hand from the rules named beside them.
 */
#ifndef TESTS_HOST_SUPPORT_MODEL_KIT_H
#define TESTS_HOST_SUPPORT_MODEL_KIT_H

#include "host_test.h"
#include "pmc/netburst/regs.h"
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

/* Parts (pmu-rules 1.1): model, stepping, logical processors. */
static const struct model_config KIT_F12 = {.part = {1, 2, 1}};
static const struct model_config KIT_F43 = {.part = {4, 3, 2}};
static const struct model_config KIT_F64 = {.part = {6, 4, 1}};

/* States of a clock: who runs, and where. */
static const struct lp_state KIT_LP0[NBPMU_LPS] = {{true, 0}, {false, 0}}; /* LP0 at CPL 0, LP1 halted */
static const struct lp_state KIT_BOTH[NBPMU_LPS] = {{true, 0}, {true, 0}}; /* both at CPL 0 */

static inline struct nbpmu *kit_new(struct model_config config)
{
    struct nbpmu *pmu = nbpmu_new(&config.part, &config.variants);
    assert_non_null(pmu);
    return pmu;
}

static inline void kit_write(struct nbpmu *pmu, uint32_t msr, uint64_t value)
{
    assert_true(nbpmu_wrmsr(pmu, 0, msr, value));
}

static inline uint64_t kit_read(struct nbpmu *pmu, uint32_t msr)
{
    uint64_t value = 0;
    assert_true(nbpmu_rdmsr(pmu, 0, msr, &value));
    return value;
}

static inline uint64_t kit_counter(struct nbpmu *pmu, unsigned n)
{
    return kit_read(pmu, MSR_COUNTER(n));
}

static inline bool kit_ovf(struct nbpmu *pmu, unsigned n)
{
    return (kit_read(pmu, MSR_CCCR(n)) & CCCR_OVF) != 0;
}

/* CCCR of an ESCR select with ACTIVE_THREAD = any, and nothing else. */
static inline uint64_t kit_cccr(unsigned select)
{
    return CCCR_ESCR_SELECT(select) | CCCR_ACTIVE_THREAD(ACTIVE_ANY);
}

/* ESCR of select and mask, counting LP0 at all privilege levels. */
static inline uint64_t kit_escr(unsigned select, unsigned mask)
{
    return ESCR_EVENT_SELECT(select) | ESCR_EVENT_MASK(mask) | ESCR_T0_ALL;
}

/* CCCR select of CRU_ESCR0 and CRU_ESCR1, and uops_retired there (pmu-rules 4.5): several per clock are
 * natural. */
#define KIT_CRU   4
#define KIT_UOPS  kit_escr(0x01, 1)
#define KIT_INSTR kit_escr(0x02, 1)

/* A part whose counter 12 counts uops from start, with these CCCR bits besides ENABLE. */
static inline struct nbpmu *kit_uop_counter(struct model_config config, uint64_t start, uint64_t bits)
{
    struct nbpmu *pmu = kit_new(config);
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_COUNTER(12), start);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | bits);
    return pmu;
}

/* One clock of LP0 at CPL 0 in which value uops retire. */
static inline unsigned kit_uops(struct nbpmu *pmu, unsigned value)
{
    if (value)
        drive_event(pmu, NBPMU_UOPS_RETIRED, 0, 0, 0, value);
    return drive_clocks(pmu, KIT_LP0, 1);
}

/* A part with counter n counting plainly through an ESCR. */
static inline struct nbpmu *kit_counting(struct model_config config, unsigned n, unsigned select,
                                         uint32_t escr, uint64_t value)
{
    struct nbpmu *pmu = kit_new(config);
    kit_write(pmu, escr, value);
    kit_write(pmu, MSR_CCCR(n), kit_cccr(select) | CCCR_ENABLE);
    return pmu;
}

#endif
