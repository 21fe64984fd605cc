/*
 * What the tests of faults share: a PMU with a fault, given by its composition or its name, and small
 * experiments with it. Their results on a sound PMU follow from the rules named beside them.
 */
#ifndef TESTS_HOST_SUPPORT_FAULT_KIT_H
#define TESTS_HOST_SUPPORT_FAULT_KIT_H

#include "model_kit.h"
#include "sim/faults/nbpmu_fault.h"

static inline struct nbpmu_fault composed(const char *text)
{
    struct nbpmu_fault fault;
    char error[1000];
    if (!nbpmu_fault_compose(text, &fault, error, sizeof error))
        fail_msg("%s: %s", text, error);
    return fault;
}

static inline struct nbpmu *faulty(const char *text)
{
    const struct nbpmu_fault fault = composed(text);
    struct nbpmu *pmu = kit_new(KIT_F43);
    assert_true(nbpmu_set_fault(pmu, &fault));
    return pmu;
}

/* Counter n, 12 to 15, counts uops from start, with these bits of its CCCR besides ENABLE. */
static inline void set_up(struct nbpmu *pmu, unsigned n, uint64_t start, uint64_t bits)
{
    kit_write(pmu, n < 14 ? MSR_CRU_ESCR0 : MSR_CRU_ESCR1, KIT_UOPS);
    kit_write(pmu, MSR_CCCR(n), 0);
    kit_write(pmu, MSR_COUNTER(n), start);
    kit_write(pmu, MSR_CCCR(n), kit_cccr(KIT_CRU) | CCCR_ENABLE | bits);
}

/* Clocks with these numbers of uops, ended by 16. Returns how many of them raised a PMI. */
#define END 16u
static inline unsigned clocks(struct nbpmu *pmu, const unsigned *uops)
{
    unsigned raised = 0;
    for (; *uops != END; uops++)
        raised += kit_uops(pmu, *uops) != 0;
    return raised;
}

static inline uint64_t counted(const char *text, uint64_t start, uint64_t bits, const unsigned *uops)
{
    struct nbpmu *pmu = text ? faulty(text) : kit_new(KIT_F43);
    set_up(pmu, 12, start, bits);
    clocks(pmu, uops);
    const uint64_t count = kit_counter(pmu, 12);
    nbpmu_free(pmu);
    return count;
}

/* How many counts set OVF, from a preset of -2. */
static inline unsigned counts_to_ovf(const char *text)
{
    struct nbpmu *pmu = text ? faulty(text) : kit_new(KIT_F43);
    unsigned counts = 0;
    set_up(pmu, 12, COUNTER_OVERFLOW_IN(2), 0);
    while (!kit_ovf(pmu, 12) && counts < 20) {
        kit_uops(pmu, 1);
        counts++;
    }
    nbpmu_free(pmu);
    return counts;
}

/* Which of the clocks after a preset of -1, with OVF_PMI_T0, raises the PMI: by R46 the second one. */
static inline unsigned pmi_clock(const char *text)
{
    struct nbpmu *pmu = text ? faulty(text) : kit_new(KIT_F43);
    unsigned clock = 0;
    set_up(pmu, 12, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0);
    do
        clock++;
    while (!kit_uops(pmu, 1) && clock < 20);
    nbpmu_free(pmu);
    return clock;
}

/* Counter 12 overflows and starts 14 (R33, R34), OVF is cleared, which halts it (R38). Counts of 14 in 3
 * clocks before the overflow is due, in 3 after it, and in 3 after OVF was cleared. */
static inline void run_cascade(const char *text, unsigned counts[3])
{
    struct nbpmu *pmu = text ? faulty(text) : kit_new(KIT_F43);
    kit_write(pmu, MSR_CRU_ESCR1, KIT_UOPS);
    kit_write(pmu, MSR_CCCR(14), kit_cccr(KIT_CRU) | CCCR_CASCADE);
    set_up(pmu, 12, COUNTER_OVERFLOW_IN(4), 0);
    uint64_t before = 0;
    for (unsigned phase = 0; phase < 3; phase++) {
        for (unsigned i = 0; i < 3; i++)
            kit_uops(pmu, 1);
        if (phase == 0)
            kit_write(pmu, MSR_COUNTER(14), before = kit_counter(pmu, 14)); /* changes nothing */
        const uint64_t now = kit_counter(pmu, 14);
        counts[phase] = (unsigned)(phase == 0 ? now : now - before);
        before = now;
        if (phase == 1)
            kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    }
    nbpmu_free(pmu);
}

/* With this fault, or none (null), run_cascade() gives these counts. */
static inline void expect_cascade(const char *text, const unsigned expected[3])
{
    unsigned counts[3];

    run_cascade(text, counts);
    for (unsigned phase = 0; phase < 3; phase++)
        if (counts[phase] != expected[phase])
            fail_msg("%s, phase %u: %u", text ? text : "sound", phase, counts[phase]);
}

#endif
