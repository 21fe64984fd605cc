/*
 * Random parts, programmings and events. Counters are preset close to their overflow, so that much happens.
 */
#include "model_random.h"
#include "pmc/count_of.h"
#include "sim/faults/nbpmu_fault.h"

/* No fault, or one that changes what an overflow is, which skipped clocks must respect as well. */
static struct nbpmu_fault random_fault(struct random *random)
{
    static const char *const NAMES[] = {"wraps-at-32",    "wraps-at-39", "step-over-missed", "overflow-stops",
                                        "ovf-missing-12", "ovf-early",   "ovf-late",         "ovf-not-sticky",
                                        "cascade-early",  "cascade-late"};
    const unsigned count = COUNT_OF(NAMES);
    struct nbpmu_fault fault = {0};
    unsigned drawn = random_below(random, 2 * count);
    if (drawn < count) {
        assert_true(nbpmu_fault_find(NAMES[drawn], &fault));
    }
    return fault;
}

/* A part with every variant of pmu-rules 10 and 11 taken at random. */
static struct model_config random_config(struct random *random)
{
    static const uint8_t MODELS[] = {0, 1, 2, 3, 4, 6};
    return (struct model_config){
        .part.model = MODELS[random_below(random, 6)],
        .part.stepping = (uint8_t)random_below(random, 11),
        .part.lps = (uint8_t)(1 + random_below(random, 2)),
        .variants.cascade_latch = random_below(random, 2),
        .variants.start_same_clock = random_below(random, 2),
        .variants.alt17_is_13 = random_below(random, 2),
        .variants.written_ovf_no_cascade = random_below(random, 2),
        .variants.written_ovf_pmi = random_below(random, 2),
        .variants.force_ovf_breaks_cascade = random_below(random, 2),
        .variants.force_ovf_first_pmi = random_below(random, 2),
        .variants.edge_from_true = random_below(random, 3) == 0,
        .variants.edge_kept = random_below(random, 3) == 0,
        .variants.unmapped_counts_nothing = random_below(random, 2),
        .variants.strict_power = random_below(random, 4) == 0,
        .variants.pmi_every_count = random_below(random, 2),
        .variants.pmi_same_clock_surplus = random_below(random, 2),
        .variants.halted_clocks = random_below(random, 2),
        .variants.edge_runs_ungated = random_below(random, 2),
        .variants.e3_when_started = random_below(random, 2),
    };
}

/* ESCRs that random_posts() reaches, and the clock event; every counter with random CCCR bits. */
static void random_programming(struct nbpmu *pmu, struct random *random)
{
    kit_common_escrs(pmu);
    kit_write(pmu, MSR_FSB_ESCR0, ESCR_EVENT_SELECT(0x13) | ESCR_EVENT_MASK(1) | random_below(random, 16));
    kit_write(pmu, MSR_FSB_ESCR1, ESCR_EVENT_SELECT(0x13) | ESCR_EVENT_MASK(1) | ESCR_T0_ALL | ESCR_T1_ALL);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t bits = random_bits(random) & (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_OVF_PMI_T0 |
                                               CCCR_OVF_PMI_T1 | CCCR_CASCADE | CCCR_CASCNT);
        bits |= random_below(random, 3) == 0 ? CCCR_ENABLE : 0;
        bits |= random_below(random, 4) == 0 ? CCCR_EDGE : 0;
        bits |= random_below(random, 8) == 0 ? CCCR_FORCE_OVF : 0;
        bits |= random_below(random, 8) == 0 ? CCCR_OVF : 0;
        bits |= CCCR_THRESHOLD(random_below(random, 3)) |
                CCCR_ACTIVE_THREAD(random_below(random, 3) ? 3 : random_below(random, 4));
        unsigned select = n < 4 && random_below(random, 2) ? 6 : kit_common_select(n);
        kit_write(pmu, MSR_COUNTER(n), COUNTER_OVERFLOW_IN(1 + random_below(random, 300)));
        kit_write(pmu, MSR_CCCR(n), bits | CCCR_ESCR_SELECT(select));
    }
}

void random_twins(struct nbpmu **a, struct nbpmu **b, struct random *random)
{
    const struct model_config config = random_config(random);
    const struct nbpmu_fault fault = random_fault(random);
    struct random same = *random;
    *a = kit_new(config);
    *b = kit_new(config);
    nbpmu_set_fault(*a, &fault);
    nbpmu_set_fault(*b, &fault);
    random_programming(*a, random);
    random_programming(*b, &same);
}

void random_posts(struct nbpmu *pmu, struct random *random)
{
    static const struct {
        enum nbpmu_event event;
        unsigned bit;
    } EVENTS[] = {{NBPMU_BPU_FETCH_REQUEST, 0},
                  {NBPMU_TC_MS_XFER, 0},
                  {NBPMU_PACKED_SP_UOP, 15},
                  {NBPMU_INSTR_RETIRED, 0}};
    for (size_t i = 0; i < 4; i++) {
        unsigned count = random_below(random, 4);
        if (count) {
            drive_event(pmu, EVENTS[i].event, EVENTS[i].bit, random_below(random, 2),
                        random_below(random, 2) * 3, count);
        }
    }
}

void random_state(struct lp_state lps[NBPMU_LPS], struct random *random)
{
    for (unsigned lp = 0; lp < NBPMU_LPS; lp++) {
        lps[lp] = (struct lp_state){.active = random_below(random, 3) != 0,
                                    .cpl = (uint8_t)(random_below(random, 2) * 3)};
    }
}

void expect_same(struct nbpmu *a, struct nbpmu *b)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        assert_int_equal(kit_counter(a, n), kit_counter(b, n));
        assert_int_equal(kit_read(a, MSR_CCCR(n)), kit_read(b, MSR_CCCR(n)));
    }
    assert_int_equal(nbpmu_active_events(a), nbpmu_active_events(b));
}
