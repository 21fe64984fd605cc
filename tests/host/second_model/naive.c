/*
 * The naive statement, third part: who counts, filter, counting, overflow and PMIs (R17 to R55).
 *
 * Likeness to the model (sim/netburst/count.c, enable.c, filter.c and qualify.c) is intended: both state the
 * same rules. Keep the two apart all the same. A helper that both used would hide a mistake in it from the
 * property test.
 */
#include "naive.h"

#define TOP_OF_COUNTER (COUNTER_MASK + 1)

/* ---- Who starts whom (R34, R35) ---- */

/* Counter that starts counter y by this link, or -1. */
int naive_source(const struct model_config *config, unsigned y, unsigned link)
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

uint64_t naive_arm(unsigned link)
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

bool naive_started(const struct naive *naive, unsigned y)
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

bool naive_running(const struct naive *naive, unsigned n)
{
    uint32_t msr = naive_route(n, (unsigned)CCCR_GET_ESCR_SELECT(naive->counter[n].cccr));

    return (enabled(naive, n) || naive_started(naive, n)) &&
           (!naive->config.variants.strict_power || msr == 0 || powered(naive, msr));
}

bool naive_retiring(const struct naive *naive, unsigned n)
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
