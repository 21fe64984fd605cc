/*
 * The naive statement, second part: what RDMSR, WRMSR and RESET do (pmu-rules 3.1 to 3.4, R1 to R5, R30, R32,
 * R38).
 */
#include "naive.h"

#include <string.h>

void naive_reset(struct naive *naive, const struct model_config *config)
{
    memset(naive, 0, sizeof *naive);
    naive->config = *config;
    naive->other[0] = 0xFC00; /* pmu-rules 2.3 */
}

/* pmu-rules 3.4: the bits of an ESCR that 0F43H implements. */
static uint64_t f43_escr_bits(uint32_t msr)
{
    switch (msr & ~1u) {
    case MSR_FSB_ESCR0:
        return 0x3FFFFFFF;
    case MSR_DAC_ESCR0:
        return 0x1E01FE0F;
    case MSR_U2L_ESCR0:
        return 0x0E3FFE0F;
    case MSR_BPU_ESCR0:
        return 0x1E03FFFF;
    case MSR_IS_ESCR0:
    case MSR_IX_ESCR0:
    case MSR_TBPU_ESCR0:
    case MSR_CRU_ESCR0:
        return 0x0E01FE0F;
    case MSR_ITLB_ESCR0:
        return 0x70000E1F;
    case MSR_MS_ESCR0:
        return 0x1E007E1F;
    case MSR_TC_ESCR0:
        return 0x1E07FE0F;
    case MSR_ALF_ESCR0:
        return 0x0FFFFE0F;
    case MSR_CRU_ESCR2:
        return 0x1E0FFE0F;
    case MSR_CRU_ESCR4:
        return 0x0E00FE0F;
    default:
        return 0x7FFFFFFF;
    }
}

/* The write masks of 0F43H are known by record. */
static bool is_f43(const struct model_config *config)
{
    return config->part.model == 4 && config->part.stepping == 3;
}

static bool write_escr(struct naive *naive, uint32_t msr, uint64_t value)
{
    const struct model_config *config = &naive->config;
    uint64_t kept = is_f43(config) ? f43_escr_bits(msr) : FIELD_MASK(30, 0);
    uint64_t reserved = ESCR_RESERVED_HIGH | (config->part.lps == 2 ? 0 : ESCR_T1_ALL);
    bool absent = (msr & ~1u) == MSR_IQ_ESCR0 && config->part.model > 2; /* answers, and holds nothing */

    if (absent) {
        reserved = ~0ull;
        kept = 0;
    }
    if ((value & ESCR_RESERVED_31) != 0 || (config->variants.reserved_faults && (value & reserved) != 0))
        return false;
    if (config->part.lps < 2 && config->variants.no_t1_storage)
        kept &= ~ESCR_T1_ALL;
    naive->escr[msr - MSR_BSU_ESCR0] = value & kept;
    return true;
}

/* After a write of CCCR n: what the counters forget that do not run (R25, E2). */
static void stop_counters(struct naive *naive, unsigned n)
{
    struct naive_counter *counter = &naive->counter[n];

    if (naive->config.variants.e2_lost_carry && counter->carried && !naive_running(naive, n))
        counter->value = (counter->value - (1ull << 32)) & COUNTER_MASK;
    for (unsigned i = 0; i < PMC_COUNTERS; i++)
        if (!naive_running(naive, i))
            naive->counter[i].was_running = naive->counter[i].carried = false;
}

static bool write_cccr(struct naive *naive, unsigned n, uint64_t value)
{
    const struct model_config *config = &naive->config;
    struct naive_counter *counter = &naive->counter[n];
    uint64_t cascnt = naive_source(config, n, NAIVE_CASCNT) < 0 ? 0 : CCCR_CASCNT;
    uint64_t kept = FIELD_MASK(31, 12) | cascnt, before = counter->cccr;
    uint64_t reserved = CCCR_RESERVED_LOW | (CCCR_CASCNT & ~cascnt) | CCCR_RESERVED_MID | CCCR_RESERVED_HIGH |
                        (config->part.lps == 2 ? 0 : CCCR_OVF_PMI_T1);

    if (config->variants.reserved_faults && (value & reserved) != 0)
        return false;
    if (is_f43(config) && n >= 16)
        kept |= FIELD_MASK(10, 8);
    if (config->part.model == 0 && config->part.stepping <= 9) { /* E22 */
        bool clears = (value & CCCR_ENABLE) != 0 && (value & CCCR_OVF) != 0;
        value &= ~(uint64_t)CCCR_OVF;
        value |= clears ? 0 : before & CCCR_OVF;
    }
    counter->cccr = value & kept;
    for (unsigned link = 0; link < NAIVE_LINKS; link++) {
        if ((value & naive_arm(link)) == 0)
            counter->latched[link] = false; /* R38, one way */
        for (unsigned y = 0; y < PMC_COUNTERS && (value & CCCR_OVF) == 0; y++)
            if (naive_source(config, y, link) == (int)n)
                naive->counter[y].latched[link] = false; /* R38, the other way */
    }
    if ((value & CCCR_OVF) == 0)
        counter->overflowed = counter->awaits_count = counter->raised = false;
    else if ((before & CCCR_OVF) == 0 && config->variants.written_ovf_pmi)
        counter->awaits_count = true; /* R30 */
    stop_counters(naive, n);
    return true;
}

/* E19: from model 3 on IQ_ESCR0 and IQ_ESCR1 may be gone. */
static bool escr_faults(const struct model_config *config, uint32_t msr)
{
    return config->variants.iq_escr_faults && config->part.model > 2 && (msr & ~1u) == MSR_IQ_ESCR0;
}

static bool write_any(struct naive *naive, uint32_t msr, uint64_t value)
{
    static const uint32_t other[3] = {0x0003FFE0, 0x07FFFFFF,
                                      0x00001FFF}; /* recorded on 0F43H (pmu-rules 2.3) */

    if (msr - MSR_COUNTER(0) < PMC_COUNTERS) {
        if (naive->config.variants.reserved_faults && (value & ~COUNTER_MASK) != 0)
            return false;
        naive->counter[msr - MSR_COUNTER(0)].value = value & COUNTER_MASK;
        naive->counter[msr - MSR_COUNTER(0)].carried = false;
        return true;
    }
    if (msr - MSR_CCCR(0) < PMC_COUNTERS)
        return write_cccr(naive, msr - MSR_CCCR(0), value);
    if (naive_is_escr(msr))
        return !escr_faults(&naive->config, msr) && write_escr(naive, msr, value);
    if (msr < MSR_TC_PRECISE_EVENT || msr > MSR_PEBS_MATRIX_VERT)
        return false;
    naive->other[msr - MSR_TC_PRECISE_EVENT] = value & other[msr - MSR_TC_PRECISE_EVENT];
    return true;
}

bool naive_wrmsr(struct naive *naive, uint32_t msr, uint64_t value)
{
    bool retiring[PMC_COUNTERS];

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        retiring[n] = naive_retiring(naive, n);
    if (!write_any(naive, msr, value))
        return false;
    for (unsigned n = 0; n < PMC_COUNTERS && naive->config.variants.early_counts; n++)
        if (!retiring[n] && naive_retiring(naive, n)) /* this write enabled it (E20) */
            naive->counter[n].early = naive->counter[n].value >= COUNTER_MASK - 7 ? 9 : 0;
    return true;
}

bool naive_rdmsr(const struct naive *naive, uint32_t msr, uint64_t *value)
{
    unsigned cccr = msr - MSR_CCCR(0);

    if (msr - MSR_COUNTER(0) < PMC_COUNTERS)
        *value = naive->counter[msr - MSR_COUNTER(0)].value;
    else if (cccr < PMC_COUNTERS)
        *value = naive->counter[cccr].cccr |
                 (naive->config.variants.enable_reads_back && naive_started(naive, cccr) ? CCCR_ENABLE
                                                                                         : 0); /* R36 */
    else if (naive_is_escr(msr) && !escr_faults(&naive->config, msr))
        *value = naive->escr[msr - MSR_BSU_ESCR0];
    else if (msr >= MSR_TC_PRECISE_EVENT && msr <= MSR_PEBS_MATRIX_VERT)
        *value = naive->other[msr - MSR_TC_PRECISE_EVENT];
    else
        return false;
    return true;
}
