/*
 * Time in the model, over random programmings: many clocks at once equal as many single ones, and so do
 * repeated and skipped ones (nbpmu_repeat(), nbpmu_quiet(), nbpmu_skip()), whatever happens between them; and
 * reporting the active events suffices.
 */
#include "tests/host/support/model_kit.h"
#include "tests/host/support/model_random.h"

#define PROGRAMMINGS 400
#define STRETCHES    12
#define STEPS        240

/* Stretches of clocks in which the programmed events happen in the first clock, or in each if they are
 * repeated: as many clocks at once as the model takes, or one by one. */
static void expect_stretches_equal_single_clocks(uint64_t seed, bool repeated)
{
    unsigned overflows = 0, pmis = 0, at_once = 0;
    for (unsigned i = 0; i < PROGRAMMINGS; i++) {
        struct nbpmu *many, *single;
        random_twins(&many, &single, &seed);
        for (unsigned stretch = 0; stretch < STRETCHES; stretch++) {
            struct lp_state lps[NBPMU_LPS];
            uint64_t clocks = 1 + below(&seed, below(&seed, 2) ? 4 : 400), passed;
            unsigned expected = 0, raised = 0;
            random_state(lps, &seed);
            unsigned again = below(&seed, PMC_COUNTERS); /* close to its overflow again; OVF stays as it is */
            kit_write(many, MSR_COUNTER(again), COUNTER_OVERFLOW_IN(5));
            kit_write(single, MSR_COUNTER(again), COUNTER_OVERFLOW_IN(5));
            uint64_t posts = seed;
            for (uint64_t clock = 0; clock < clocks; clock++) {
                if (repeated || clock == 0) {
                    seed = posts;
                    random_posts(single, &seed);
                }
                expected |= drive_clocks(single, lps, 1);
            }
            for (; clocks; clocks -= passed) {
                seed = posts;
                random_posts(many, &seed);
                drive_states(many, lps);
                passed = clocks;
                raised |= repeated ? nbpmu_repeat(many, &passed) : nbpmu_advance(many, clocks);
                assert_in_range(passed, 1, clocks);
                at_once += passed > 1;
            }
            assert_int_equal(raised, expected);
            expect_same(many, single);
            pmis += raised != 0;
            assert_int_equal(nbpmu_lvtpc_unmasked(many, 0), nbpmu_lvtpc_unmasked(single, 0));
        }
        for (unsigned n = 0; n < PMC_COUNTERS; n++) {
            overflows += kit_ovf(many, n);
        }
        nbpmu_free(many);
        nbpmu_free(single);
    }
    /* The programmings made things happen. */
    assert_true(overflows > PROGRAMMINGS && pmis > PROGRAMMINGS && at_once > PROGRAMMINGS);
}

TEST(many_clocks_equal_single_clocks)
{
    expect_stretches_equal_single_clocks(0x9E3779B97F4A7C15, false);
}

TEST(repeated_clocks_equal_single_clocks)
{
    expect_stretches_equal_single_clocks(0xA0761D6478BD642F, true);
}

/* ---- Quiet clocks ---- */

struct pair {
    uint64_t seed;
    struct nbpmu *reference; /* advanced in every clock */
    struct nbpmu *fast;      /* skips what it may */
    struct lp_state lps[NBPMU_LPS];
    bool undelivered; /* nbpmu_pmi_undelivered() was called for fast: it need not raise its PMIs again */
    unsigned skipped; /* stretches of clocks */
    unsigned pmis;
};

/* Let clocks pass in the fast model, by skipping them where that is allowed. */
static unsigned pass(struct pair *pair, unsigned clocks, bool has_events)
{
    uint64_t passed = 1;
    drive_states(pair->fast, pair->lps);
    if (!has_events && clocks <= nbpmu_quiet(pair->fast)) {
        nbpmu_skip(pair->fast, clocks);
        pair->skipped++;
        return 0;
    }
    /* Repeating "no events" once is the same as advancing. */
    bool repeats = !has_events && clocks == 1;
    unsigned raised = repeats ? nbpmu_repeat(pair->fast, &passed) : nbpmu_advance(pair->fast, clocks);
    assert_int_equal(passed, 1);
    if (raised && (pair->undelivered || below(&pair->seed, 4) == 0)) {
        nbpmu_pmi_undelivered(pair->fast);
        pair->undelivered = true;
    }
    return raised;
}

static void step(struct pair *pair)
{
    enum { EVENTS, PROCESSORS, WRITE, READ, UNMASK, COMPARE, KINDS = 20 };
    unsigned kind = below(&pair->seed, KINDS), clocks = 1 + below(&pair->seed, 4);
    unsigned n = below(&pair->seed, PMC_COUNTERS), lp = below(&pair->seed, NBPMU_LPS);
    uint64_t preset = COUNTER_OVERFLOW_IN(1 + below(&pair->seed, STEPS)), same = pair->seed, expected, found;
    if (kind == EVENTS) {
        random_posts(pair->reference, &pair->seed);
        random_posts(pair->fast, &same);
    } else if (kind == PROCESSORS) {
        random_state(pair->lps, &pair->seed);
    } else if (kind == WRITE) {
        kit_write(pair->reference, MSR_COUNTER(n), preset);
        kit_write(pair->fast, MSR_COUNTER(n), preset);
    } else if (kind == READ) {
        assert_true(nbpmu_rdpmc(pair->reference, 0, true, n, &expected));
        assert_true(nbpmu_rdpmc(pair->fast, 0, true, n, &found));
        assert_int_equal(expected, found);
    } else if (kind == UNMASK) {
        assert_int_equal(nbpmu_lvtpc_unmasked(pair->reference, lp), nbpmu_lvtpc_unmasked(pair->fast, lp));
        pair->undelivered = false;
    } else if (kind == COMPARE) {
        expect_same(pair->reference, pair->fast);
    }
    bool was_undelivered = pair->undelivered;
    unsigned due = drive_clocks(pair->reference, pair->lps, clocks);
    kit_counter(pair->reference, 0); /* any access to a register ends its quiet clocks */
    unsigned raised = pass(pair, clocks, kind == EVENTS);
    assert_true(raised == due || (was_undelivered && raised == 0));
    pair->pmis += due != 0;
}

TEST(skipped_clocks_equal_single_ones)
{
    struct pair pair = {.seed = 0xC2B2AE3D27D4EB4F};
    for (unsigned i = 0; i < PROGRAMMINGS; i++) {
        random_twins(&pair.reference, &pair.fast, &pair.seed);
        pair.undelivered = false;
        pair.lps[0] = pair.lps[1] = (struct lp_state){true, 0};
        for (unsigned n = 0; n < STEPS; n++) {
            step(&pair);
        }
        expect_same(pair.reference, pair.fast);
        nbpmu_free(pair.reference);
        nbpmu_free(pair.fast);
    }
    assert_true(pair.skipped > 10 * PROGRAMMINGS && pair.pmis > PROGRAMMINGS);
}

/* ---- Active events ---- */

/* A caller that reports active events only, and leaves out clocks that do not matter, sees the same counts.
 */
TEST(active_events_suffice)
{
    static const enum nbpmu_event EVENTS[] = {NBPMU_BPU_FETCH_REQUEST, NBPMU_TC_MS_XFER, NBPMU_PACKED_SP_UOP,
                                              NBPMU_INSTR_RETIRED, NBPMU_X87_FP_UOP};
    uint64_t seed = 0xD1B54A32D192ED03;
    unsigned skipped = 0;
    for (unsigned i = 0; i < PROGRAMMINGS; i++) {
        struct nbpmu *every, *active_only;
        random_twins(&every, &active_only, &seed);
        for (unsigned clock = 0; clock < 60; clock++) {
            unsigned event = below(&seed, 10), posted = 0;
            uint64_t active = nbpmu_active_events(active_only);
            if (event < 5) {
                unsigned bit =
                    EVENTS[event] == NBPMU_PACKED_SP_UOP || EVENTS[event] == NBPMU_X87_FP_UOP ? 15 : 0;
                drive_event(every, EVENTS[event], bit, 0, 0, 1);
                posted = active >> EVENTS[event] & 1;
                if (posted) {
                    drive_event(active_only, EVENTS[event], bit, 0, 0, 1);
                }
            }
            unsigned raised = drive_clocks(every, KIT_LP0, 1);
            if (posted || (active & 1)) {
                assert_int_equal(drive_clocks(active_only, KIT_LP0, 1), raised);
            } else {
                assert_int_equal(raised, 0);
                skipped++;
            }
            expect_same(every, active_only);
        }
        nbpmu_free(every);
        nbpmu_free(active_only);
    }
    assert_true(skipped > 100);
}

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
