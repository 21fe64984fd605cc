/*
 * Time in the model, over random programmings: many clocks at once equal as many single ones, and so do
 * repeated and skipped ones (nbpmu_repeat(), nbpmu_quiet(), nbpmu_skip()); and which events are active.
 */
#include "tests/host/support/model_kit.h"
#include "sim/faults/nbpmu_fault.h"
#include "sim/lib/random.h"

#define PROGRAMMINGS 400
#define STRETCHES    12

/* ---- Random parts, programmings and events ---- */

/*
 * An event that every counter can count in the same clock: BPU_fetch_request, tc_ms_xfer, packed_SP_uop and
 * instr_retired, one per block.
 */
static unsigned common_select(unsigned n)
{
    return n < 8 ? 0 : n < 12 ? 1 : KIT_CRU;
}

static void program_common_escrs(struct nbpmu *pmu)
{
    for (unsigned side = 0; side < 2; side++) {
        kit_write(pmu, MSR_BPU_ESCR0 + side, kit_escr(0x03, 1));
        kit_write(pmu, MSR_MS_ESCR0 + side, kit_escr(0x05, 1));
        kit_write(pmu, MSR_FIRM_ESCR0 + side, kit_escr(0x08, 0x8000));
        kit_write(pmu, MSR_CRU_ESCR0 + side, KIT_INSTR);
    }
}

/* No fault, or one that changes what an overflow is, which skipped clocks must respect as well. */
static struct nbpmu_fault random_fault(struct random *random)
{
    static const char *const NAMES[] = {"wraps-at-32",    "wraps-at-39", "step-over-missed", "overflow-stops",
                                        "ovf-missing-12", "ovf-early",   "ovf-late",         "ovf-not-sticky",
                                        "cascade-early",  "cascade-late"};
    const unsigned count = COUNT_OF(NAMES);
    struct nbpmu_fault fault = {0};
    unsigned drawn = random_below(random, 2 * count);
    if (drawn < count)
        assert_true(nbpmu_fault_find(NAMES[drawn], &fault));
    return fault;
}

/* A part with each variant taken or not, but for what an access adds (E1): here one twin is read more often.
 */
static struct model_config random_config(struct random *random)
{
    static const uint8_t MODELS[] = {0, 1, 2, 3, 4, 6};
    struct model_config config = {.part.model = MODELS[random_below(random, 6)],
                                  .part.stepping = (uint8_t)random_below(random, 11),
                                  .part.lps = (uint8_t)(1 + random_below(random, 2))};
    const char *name;
    for (unsigned i = 0; (name = nbpmu_variant_name(i, NULL)); i++)
        if (random_below(random, 3) == 0)
            nbpmu_set_variant(&config.variants, name);
    config.variants.reserved_faults = config.variants.e1_write_adds = config.variants.e1_access_adds = false;
    return config;
}

/* ESCRs that random_posts() reaches, and the clock event; every counter with random CCCR bits. */
static void random_programming(struct nbpmu *pmu, struct random *random)
{
    program_common_escrs(pmu);
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
        unsigned select = n < 4 && random_below(random, 2) ? 6 : common_select(n);
        kit_write(pmu, MSR_COUNTER(n), COUNTER_OVERFLOW_IN(1 + random_below(random, 300)));
        kit_write(pmu, MSR_CCCR(n), bits | CCCR_ESCR_SELECT(select));
    }
}

/* Two PMUs of one part, programmed alike: every variant of pmu-rules 10 and 11 taken at random, perhaps a
 * fault that changes what an overflow is, every counter with random CCCR bits and close to its overflow, so
 * that much happens. */
static void random_twins(struct nbpmu **a, struct nbpmu **b, struct random *random)
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

/* Report occurrences of some of the programmed events. */
static void random_posts(struct nbpmu *pmu, struct random *random)
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

static void random_state(struct lp_state lps[NBPMU_LPS], struct random *random)
{
    for (unsigned lp = 0; lp < NBPMU_LPS; lp++) {
        lps[lp] = (struct lp_state){.active = random_below(random, 3) != 0,
                                    .cpl = (uint8_t)(random_below(random, 2) * 3)};
    }
}

/* Counters, CCCRs and active events of both are equal. */
static void expect_same(struct nbpmu *a, struct nbpmu *b)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        assert_int_equal(kit_counter(a, n), kit_counter(b, n));
        assert_int_equal(kit_read(a, MSR_CCCR(n)), kit_read(b, MSR_CCCR(n)));
    }
    assert_int_equal(nbpmu_active_events(a), nbpmu_active_events(b));
}

/* ---- Many clocks at once ---- */

enum way { AT_ONCE, REPEATED, SKIPPED };

/* Let as many of these clocks pass at once as the way allows; *clocks says how many. Returns the logical
 * processors that get a PMI. In the first clock there may be events. */
static unsigned pass(struct nbpmu *pmu, enum way way, bool first, uint64_t *clocks)
{
    uint64_t quiet = way == SKIPPED && !first ? nbpmu_quiet(pmu) : 0;
    if (way == REPEATED)
        return nbpmu_repeat(pmu, clocks);
    if (quiet == 0) {
        *clocks = way == SKIPPED ? 1 : *clocks;
        return nbpmu_advance(pmu, *clocks);
    }
    *clocks = quiet < *clocks ? quiet : *clocks;
    nbpmu_skip(pmu, *clocks);
    return 0;
}

/* Stretches of clocks in which the programmed events happen in the first clock, or in each if they are
 * repeated: as many clocks at once as the model takes, or one by one. After nbpmu_pmi_undelivered() a PMI
 * need not be raised again. */
static void expect_stretches_equal_single_clocks(struct random random, enum way way)
{
    unsigned overflows = 0, pmis = 0, at_once = 0;
    for (unsigned i = 0; i < PROGRAMMINGS; i++) {
        struct nbpmu *many, *single;
        random_twins(&many, &single, &random);
        for (unsigned stretch = 0; stretch < STRETCHES; stretch++) {
            struct lp_state lps[NBPMU_LPS];
            uint64_t clocks = 1 + random_below(&random, random_below(&random, 2) ? 4 : 400), passed;
            unsigned expected = 0, raised = 0;
            bool undelivered = false;
            random_state(lps, &random);
            unsigned again =
                random_below(&random, PMC_COUNTERS); /* close to its overflow again; OVF stays as it is */
            kit_write(many, MSR_COUNTER(again), COUNTER_OVERFLOW_IN(5));
            kit_write(single, MSR_COUNTER(again), COUNTER_OVERFLOW_IN(5));
            struct random posts = random;
            for (uint64_t clock = 0; clock < clocks; clock++) {
                if (way == REPEATED || clock == 0) {
                    random = posts;
                    random_posts(single, &random);
                }
                expected |= drive_clocks(single, lps, 1);
                kit_counter(single, 0); /* any access to a register ends its quiet clocks */
            }
            for (bool first = true; clocks; clocks -= passed, first = false) {
                if (way == REPEATED || first) {
                    random = posts;
                    random_posts(many, &random);
                }
                drive_states(many, lps);
                passed = clocks;
                unsigned now = pass(many, way, first, &passed);
                assert_in_range(passed, 1, clocks);
                at_once += passed > 1;
                raised |= now;
                if (way == SKIPPED && now && random_below(&random, 4) == 0) {
                    nbpmu_pmi_undelivered(many);
                    undelivered = true;
                }
            }
            assert_true(raised == expected || (undelivered && (raised & ~expected) == 0));
            expect_same(many, single);
            pmis += raised != 0;
            assert_int_equal(nbpmu_lvtpc_unmasked(many, 0), nbpmu_lvtpc_unmasked(single, 0));
        }
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            overflows += kit_ovf(many, n);
        nbpmu_free(many);
        nbpmu_free(single);
    }
    /* The programmings made things happen. */
    assert_true(overflows > PROGRAMMINGS && pmis > PROGRAMMINGS && at_once > PROGRAMMINGS);
}

TEST(many_clocks_equal_single_clocks)
{
    expect_stretches_equal_single_clocks(random_of_seed(1), AT_ONCE);
}

TEST(repeated_clocks_equal_single_clocks)
{
    expect_stretches_equal_single_clocks(random_of_seed(2), REPEATED);
}

TEST(skipped_clocks_equal_single_ones)
{
    expect_stretches_equal_single_clocks(random_of_seed(3), SKIPPED);
}

/* ---- Active events: that reporting them suffices, the property test shows (second_model/property_step.c)
 * ---- */

TEST(active_events_are_exact_for_simple_programmings)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    uint64_t instr = 1ull << NBPMU_INSTR_RETIRED, clocks = 1ull << NBPMU_NO_EVENT;
    kit_write(pmu, MSR_CRU_ESCR0, KIT_INSTR);
    kit_write(pmu, MSR_CRU_ESCR1, KIT_UOPS);
    assert_int_equal(nbpmu_active_events(pmu), 0);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    assert_int_equal(nbpmu_active_events(pmu), instr);
    kit_write(pmu, MSR_CCCR(14), kit_cccr(KIT_CRU) | CCCR_CASCADE); /* armed, not started */
    assert_int_equal(nbpmu_active_events(pmu), instr);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_MASK);
    drive_event(pmu, NBPMU_INSTR_RETIRED, 0, 0, 0, 1);
    drive_clocks(pmu, KIT_LP0, 1);
    assert_int_equal(nbpmu_active_events(pmu), instr | 1ull << NBPMU_UOPS_RETIRED);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_COMPARE | CCCR_COMPLEMENT);
    assert_int_equal(nbpmu_active_events(pmu), instr | clocks);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_int_equal(nbpmu_active_events(pmu), 0);
    nbpmu_free(pmu);
}

/* 3 * 10^12 clocks pass in no time and exactly: the counter of RUNNING overflows after 1000 and starts its
 * partner. */
TEST(a_long_stretch)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    kit_write(pmu, MSR_FSB_ESCR0, 0x2600020C);
    kit_write(pmu, MSR_FSB_ESCR1, 0x2600020C);
    kit_write(pmu, MSR_COUNTER(0), COUNTER_OVERFLOW_IN(1000));
    kit_write(pmu, MSR_CCCR(2), kit_cccr(6) | CCCR_CASCADE);
    kit_write(pmu, MSR_CCCR(0), kit_cccr(6) | CCCR_ENABLE | CCCR_OVF_PMI_T0);
    assert_int_equal(drive_clocks(pmu, KIT_LP0, 1000), 0);
    assert_true(kit_ovf(pmu, 0));
    assert_int_equal(drive_clocks(pmu, KIT_LP0, 3000000000000), 1); /* wraps 40 bits twice: 2.73 times 2^40 */
    assert_int_equal(kit_counter(pmu, 0), 3000000000000 % (1ull << 40));
    assert_int_equal(kit_counter(pmu, 2), 3000000000000 % (1ull << 40));
    assert_true(kit_ovf(pmu, 2));
    nbpmu_free(pmu);
}
