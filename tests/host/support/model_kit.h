/*
 * What the tests of the PMU model share: parts, register access that must succeed, and clocks to feed.
 *
 * Expected values in the tests are computed by hand from the rules named beside them.
 */
#ifndef TESTS_HOST_SUPPORT_MODEL_KIT_H
#define TESTS_HOST_SUPPORT_MODEL_KIT_H

#include "host_test.h"
#include "pmc/netburst/regs.h"
#include "sim/netburst/pmu.h"

/* Parts by CPUID signature (pmu-rules 1.1). */
static const struct pmu_config KIT_F12 = {.model = 1, .stepping = 2};
static const struct pmu_config KIT_F29 = {.model = 2, .stepping = 9, .ht = true};
static const struct pmu_config KIT_F43 = {.model = 4, .stepping = 3, .ht = true, .exact_masks = true};
static const struct pmu_config KIT_F64 = {.model = 6, .stepping = 4};

/* States of a clock: who runs, and where. */
static const struct pmu_lp KIT_LP0[PMU_LPS] = {{true, 0}, {false, 0}};   /* LP0 at CPL 0, LP1 halted */
static const struct pmu_lp KIT_BOTH[PMU_LPS] = {{true, 0}, {true, 0}};   /* both at CPL 0 */
static const struct pmu_lp KIT_HALT[PMU_LPS] = {{false, 0}, {false, 0}}; /* both halted */

static inline struct pmu *kit_new(struct pmu_config config)
{
    struct pmu *pmu = pmu_new(&config);
    assert_non_null(pmu);
    return pmu;
}

static inline void kit_write(struct pmu *pmu, uint32_t msr, uint64_t value)
{
    assert_true(pmu_wrmsr(pmu, msr, value));
}

static inline uint64_t kit_read(struct pmu *pmu, uint32_t msr)
{
    uint64_t value = 0;
    assert_true(pmu_rdmsr(pmu, msr, &value));
    return value;
}

static inline uint64_t kit_counter(struct pmu *pmu, unsigned n)
{
    return kit_read(pmu, MSR_COUNTER(n));
}

static inline bool kit_ovf(struct pmu *pmu, unsigned n)
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
static inline struct pmu *kit_uop_counter(struct pmu_config config, uint64_t start, uint64_t bits)
{
    struct pmu *pmu = kit_new(config);
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_COUNTER(12), start);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | bits);
    return pmu;
}

/* One clock of LP0 at CPL 0 in which value uops retire. */
static inline unsigned kit_uops(struct pmu *pmu, unsigned value)
{
    if (value) {
        pmu_post(pmu, PMU_UOPS_RETIRED, 0, 0, 0, value);
    }
    return pmu_clock(pmu, KIT_LP0, 1);
}

/* A part with counter n counting plainly through an ESCR. */
static inline struct pmu *kit_counting(struct pmu_config config, unsigned n, unsigned select, uint32_t escr,
                                       uint64_t value)
{
    struct pmu *pmu = kit_new(config);
    kit_write(pmu, escr, value);
    kit_write(pmu, MSR_CCCR(n), kit_cccr(select) | CCCR_ENABLE);
    return pmu;
}

/* What counter n gains in one clock. */
static inline uint64_t kit_clock(struct pmu *pmu, unsigned n, const struct pmu_lp lps[PMU_LPS])
{
    uint64_t before = kit_counter(pmu, n);
    pmu_clock(pmu, lps, 1);
    return kit_counter(pmu, n) - before;
}

/*
 * An event that every counter can count in the same clock: BPU_fetch_request, tc_ms_xfer, packed_SP_uop and
 * instr_retired, one per block.
 */
static inline unsigned kit_common_select(unsigned n)
{
    return n < 8 ? 0 : n < 12 ? 1 : KIT_CRU;
}

static inline void kit_common_escrs(struct pmu *pmu)
{
    for (unsigned side = 0; side < 2; side++) {
        kit_write(pmu, MSR_BPU_ESCR0 + side, kit_escr(0x03, 1));
        kit_write(pmu, MSR_MS_ESCR0 + side, kit_escr(0x05, 1));
        kit_write(pmu, MSR_FIRM_ESCR0 + side, kit_escr(0x08, 0x8000));
        kit_write(pmu, MSR_CRU_ESCR0 + side, KIT_INSTR);
    }
}

/* clocks clocks of LP0 at CPL 0 with one occurrence of each of them. */
static inline unsigned kit_common_clocks(struct pmu *pmu, unsigned clocks)
{
    unsigned raised = 0;
    while (clocks--) {
        pmu_post(pmu, PMU_BPU_FETCH_REQUEST, 0, 0, 0, 1);
        pmu_post(pmu, PMU_TC_MS_XFER, 0, 0, 0, 1);
        pmu_post(pmu, PMU_PACKED_SP_UOP, 15, 0, 0, 1);
        pmu_post(pmu, PMU_INSTR_RETIRED, 0, 0, 0, 1);
        raised |= pmu_clock(pmu, KIT_LP0, 1);
    }
    return raised;
}

/* Does the overflow of x, alone, start y armed with this bit, CASCADE or bit 11? Both count the same event.
 */
static inline bool kit_starts(struct pmu_config config, unsigned x, unsigned y, uint64_t arm)
{
    struct pmu *pmu = kit_new(config);
    kit_common_escrs(pmu);
    kit_write(pmu, MSR_COUNTER(x), COUNTER_OVERFLOW_IN(3));
    kit_write(pmu, MSR_CCCR(y), kit_cccr(kit_common_select(y)) | arm);
    kit_write(pmu, MSR_CCCR(x), kit_cccr(kit_common_select(x)) | CCCR_ENABLE);
    kit_common_clocks(pmu, 3);
    assert_int_equal(kit_counter(pmu, y), 0);
    kit_common_clocks(pmu, 10);
    uint64_t counted = kit_counter(pmu, y);
    assert_true(counted == 0 || counted == 10);
    assert_int_equal(kit_counter(pmu, x), 10);
    pmu_free(pmu);
    return counted != 0;
}

#endif
