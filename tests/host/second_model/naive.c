/*
 * The naive statement, second part: who counts, filter, counting, overflow and PMIs (R17 to R55); what RDMSR,
 * WRMSR and RESET do (pmu-rules 3.1 to 3.4, R1 to R5, R30, R32, R38).
 *
 * Likeness to the model (sim/netburst/count.c, enable.c, filter.c and qualify.c) is intended: both state the
 * same rules. Keep the two apart all the same. A helper that both used would hide a mistake in it from the
 * property test.
 */
#include "naive.h"

#include <string.h>

#define TOP_OF_COUNTER (COUNTER_MASK + 1)

/* ---- Who starts whom (R34, R35) ---- */

/* Counter that starts counter y by this link, or -1. */
static int naive_source(const struct model_config *config, unsigned y, unsigned link)
{
    if (link == NAIVE_CASCADE) {
        if (y == 16)
            return 14;
        if (y == 17)
            return config->variants.alt17_is_13 ? 13 : 15;
        return (int)(y ^ 2);
    }
    if (config->part.model < 2)
        return -1;
    return y == 12 ? 16 : y == 15 ? 17 : y == 16 ? 17 : y == 17 ? 16 : -1;
}

static uint64_t naive_arm(unsigned link)
{
    return link == NAIVE_CASCADE ? CCCR_CASCADE : CCCR_CASCNT;
}

/* E14: FORCE_OVF in either counter keeps a cascade from starting. */
static bool broken(const struct naive *naive, unsigned x, unsigned y)
{
    return naive->config.variants.force_ovf_breaks_cascade &&
           ((naive->counter[x].cccr | naive->counter[y].cccr) & CCCR_FORCE_OVF) != 0;
}

/* Is counter y started through this link (R33)? */
static bool started_by(const struct naive *naive, unsigned y, unsigned link)
{
    int x = naive_source(&naive->config, y, link);

    if (x < 0 || (naive->counter[y].cccr & naive_arm(link)) == 0 ||
        (naive->counter[x].cccr & CCCR_OVF) == 0 || broken(naive, (unsigned)x, y))
        return false;
    if (naive->config.variants.cascade_latch)
        return naive->counter[y].latched[link];
    return naive->counter[x].overflowed || !naive->config.variants.written_ovf_no_cascade;
}

static bool naive_started(const struct naive *naive, unsigned y)
{
    return started_by(naive, y, NAIVE_CASCADE) || started_by(naive, y, NAIVE_CASCNT);
}

static bool enabled(const struct naive *naive, unsigned n)
{
    return (naive->counter[n].cccr & CCCR_ENABLE) != 0 &&
           !(n == 1 && naive->config.variants.ccr1_enable_dead);
}

/* R44 taken literally: ENABLE is set in a counter that can select the ESCR or the other ESCR of its pair. */
static bool powered(const struct naive *naive, uint32_t msr)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned select = 0; select < 8; select++)
            if (enabled(naive, n) && (naive_route(n, select) & ~1u) == (msr & ~1u))
                return true;
    return false;
}

static bool naive_running(const struct naive *naive, unsigned n)
{
    uint32_t msr = naive_route(n, (unsigned)CCCR_GET_ESCR_SELECT(naive->counter[n].cccr));

    return (enabled(naive, n) || naive_started(naive, n)) &&
           (!naive->config.variants.strict_power || msr == 0 || powered(naive, msr));
}

static bool naive_retiring(const struct naive *naive, unsigned n)
{
    uint32_t msr = naive_route(n, (unsigned)CCCR_GET_ESCR_SELECT(naive->counter[n].cccr));
    uint64_t escr = msr == 0 ? 0 : naive->escr[msr - MSR_BSU_ESCR0];
    unsigned select = (unsigned)ESCR_GET_EVENT_SELECT(escr);

    if (!naive_running(naive, n))
        return false;
    if ((msr & ~1u) == MSR_CRU_ESCR2)
        return select == 0x06;
    return (msr & ~1u) == MSR_CRU_ESCR0 &&
           (select == 0x01 || select == 0x02 || (select == 0x07 && naive->config.part.model > 2));
}

/* Latch reading of R33: x overflows, and every counter that is armed to be started by x remembers it. */
static void latch_partners(struct naive *naive, unsigned x)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++)
        for (unsigned link = 0; link < NAIVE_LINKS; link++)
            if (naive_source(&naive->config, y, link) == (int)x &&
                (naive->counter[y].cccr & naive_arm(link)) != 0)
                naive->counter[y].latched[link] = true;
}

void naive_post(struct naive *naive, struct naive_post post)
{
    naive->post[naive->posts++] = post;
}

/* ---- PMIs (R45 to R49, R55) ---- */

/* Logical processors that a PMI of counter n goes to as the registers stand. by_cascade: a cascade started n.
 */
static unsigned targets(const struct naive *naive, unsigned n, bool by_cascade)
{
    const struct model_config *config = &naive->config;
    uint64_t cccr = naive->counter[n].cccr;
    bool listed = config->part.model == 2 || (config->part.model < 2 && config->part.stepping > 9);
    bool cascaded =
        config->variants.e3_when_started ? by_cascade : (cccr & (CCCR_CASCADE | CCCR_CASCNT)) != 0;
    bool f44 = config->part.model == 4 && config->part.stepping == 4;

    if (listed && cascaded && !config->variants.no_e3)
        return 0; /* E3 */
    return ((cccr & CCCR_OVF_PMI_T0) != 0 ? 1 : 0) |
           (config->part.lps == 2 && !f44 /* E5 */ && (cccr & CCCR_OVF_PMI_T1) != 0 ? 2 : 0);
}

bool naive_lvtpc_unmasked(const struct naive *naive, unsigned lp)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (naive->counter[n].raised && (targets(naive, n, naive_started(naive, n)) >> lp & 1) != 0)
            return true;
    return false;
}

/* ---- One clock ---- */

/* Does ACTIVE_THREAD let this clock count (R18, R19)? */
static bool gate_open(const struct naive *naive, uint64_t cccr, const struct lp_state lps[NBPMU_LPS])
{
    unsigned active = lps[0].active + (naive->config.part.lps == 2 && lps[1].active);

    if (naive->config.part.lps < 2 && naive->config.variants.active_thread_ignored)
        return active >= 1;
    switch (CCCR_GET_ACTIVE_THREAD(cccr)) {
    case ACTIVE_NONE:
        return active == 0;
    case ACTIVE_SINGLE:
        return active == 1;
    case ACTIVE_BOTH:
        return active == 2;
    default:
        return active >= 1;
    }
}

/* R21 to R26: what counter n adds in this clock. */
static unsigned increment(struct naive *naive, unsigned n, const struct lp_state lps[NBPMU_LPS])
{
    struct naive_counter *counter = &naive->counter[n];
    uint64_t cccr = counter->cccr;
    uint32_t msr = naive_route(n, (unsigned)CCCR_GET_ESCR_SELECT(cccr));
    bool event = msr != 0 && ESCR_GET_EVENT_SELECT(naive->escr[msr - MSR_BSU_ESCR0]) != 0;
    unsigned value = event ? naive_value(naive, msr, lps) : 0, threshold = CCCR_GET_THRESHOLD(cccr);

    if (counter->early > 0) { /* E20: eight now, the last one in the next clock */
        value = counter->early == 9 ? value + 8 : value + 1;
        value = value > 15 ? 15 : value;
        counter->early = counter->early == 9 ? 1 : 0;
    }
    bool is_true = (cccr & CCCR_COMPLEMENT) != 0 ? value <= threshold : value > threshold;
    bool was_true = counter->was_true, open = gate_open(naive, cccr, lps);

    if (!event && (cccr & CCCR_COMPLEMENT) != 0 && naive->config.variants.unmapped_counts_nothing)
        is_true = false;
    bool in_use = (cccr & CCCR_COMPARE) != 0 && (cccr & CCCR_EDGE) != 0;
    if ((in_use || naive->config.variants.edge_follows) && (open || naive->config.variants.edge_runs_ungated))
        counter->was_true = is_true; /* by default it holds while the filter is not in use (question 11.12) */
    if ((cccr & CCCR_COMPARE) == 0)
        return open ? value : 0;
    if ((cccr & CCCR_EDGE) == 0)
        return open && is_true;
    return open && is_true && !was_true;
}

/* R27 to R31, R46: count, and return who gets a PMI. */
static unsigned count(struct naive *naive, unsigned n, unsigned by, bool by_cascade)
{
    const struct model_config *config = &naive->config;
    struct naive_counter *counter = &naive->counter[n];
    uint64_t sum = counter->value + by;
    bool wrapped = sum >= TOP_OF_COUNTER, forced = (counter->cccr & CCCR_FORCE_OVF) != 0, pmi;

    if (by == 0)
        return 0;
    counter->carried = counter->value >> 32 != sum >> 32;
    counter->value = sum & COUNTER_MASK;
    pmi = counter->awaits_count || (counter->raised && config->variants.pmi_every_count);
    counter->awaits_count = false;
    if (wrapped || forced) {
        counter->cccr |= CCCR_OVF;
        counter->overflowed = true;
        latch_partners(naive, n);
        bool surplus = config->variants.pmi_same_clock_surplus && (forced ? by > 1 : counter->value > 0);
        bool at_once = forced && config->variants.force_ovf_first_pmi;

        pmi = pmi || at_once || surplus;
        counter->awaits_count = !at_once && (forced || !surplus); /* forced, the last count overflows too */
    }
    counter->raised = counter->raised || pmi;
    return pmi ? targets(naive, n, by_cascade) : 0;
}

unsigned naive_clock(struct naive *naive, const struct lp_state lps[NBPMU_LPS])
{
    bool at_start[PMC_COUNTERS], by_cascade[PMC_COUNTERS], counted[PMC_COUNTERS] = {false}, again = true;
    unsigned pmis = 0;

    if (!lps[0].active && !(naive->config.part.lps == 2 && lps[1].active) &&
        !naive->config.variants.halted_clocks)
        again = false; /* R42 */
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        naive->counter[n].carried = naive->counter[n].carried && !again;
        at_start[n] = naive_running(naive, n);
        by_cascade[n] = at_start[n] ? naive_started(naive, n) : true;
    }
    while (again) { /* R37: a start in this clock may bring further counters into it */
        again = false;
        for (unsigned n = 0; n < PMC_COUNTERS; n++) {
            struct naive_counter *counter = &naive->counter[n];

            if (counted[n] ||
                !(at_start[n] || (naive->config.variants.start_same_clock && naive_running(naive, n))))
                continue;
            counted[n] = again = true;
            if (!counter->was_running && !naive->config.variants.edge_kept)
                counter->was_true = naive->config.variants.edge_from_true; /* R25 */
            counter->was_running = true;
            pmis |= count(naive, n, increment(naive, n, lps), by_cascade[n]);
        }
    }
    naive->posts = 0;
    return pmis;
}

/* ---- Registers ---- */

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
    if (naive->config.variants.edge_restarts)
        counter->was_running = false; /* R25 */
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
