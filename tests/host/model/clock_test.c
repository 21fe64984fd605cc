/*
 * Time in the model: many clocks at once equal as many single ones (random programmings), and so do
 * repeated ones; reporting the active events suffices.
 */
#include "tests/host/support/model_kit.h"
#include "tests/host/support/model_random.h"

#define PROGRAMMINGS 400
#define STRETCHES    12

TEST(many_clocks_equal_single_clocks)
{
    struct random random = {0x9E3779B97F4A7C15};
    unsigned overflows = 0, pmis = 0;
    for (unsigned i = 0; i < PROGRAMMINGS; i++) {
        struct nbpmu *many, *single;
        random_twins(&many, &single, &random);
        for (unsigned stretch = 0; stretch < STRETCHES; stretch++) {
            struct lp_state lps[NBPMU_LPS];
            unsigned clocks = 1 + random_below(&random, random_below(&random, 2) ? 4 : 400);
            random_state(lps, &random);
            unsigned again =
                random_below(&random, PMC_COUNTERS); /* set close to its overflow again; OVF stays as it is */
            kit_write(many, MSR_COUNTER(again), COUNTER_OVERFLOW_IN(5));
            kit_write(single, MSR_COUNTER(again), COUNTER_OVERFLOW_IN(5));
            struct random same = random;
            random_posts(many, &random);
            random_posts(single, &same);
            unsigned raised = 0;
            for (unsigned clock = 0; clock < clocks; clock++) {
                raised |= drive_clocks(single, lps, 1);
            }
            assert_int_equal(drive_clocks(many, lps, clocks), raised);
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
    assert_true(overflows > PROGRAMMINGS && pmis > PROGRAMMINGS); /* the programmings made things happen */
}

/* The same events in each clock: as many clocks at once as nbpmu_repeat() takes, or one by one. */
TEST(repeated_clocks_equal_single_clocks)
{
    struct random random = {0xA0761D6478BD642F};
    unsigned pmis = 0, at_once = 0;
    for (unsigned i = 0; i < PROGRAMMINGS; i++) {
        struct nbpmu *many, *single;
        random_twins(&many, &single, &random);
        for (unsigned stretch = 0; stretch < STRETCHES; stretch++) {
            struct lp_state lps[NBPMU_LPS];
            uint64_t clocks = 1 + random_below(&random, 300);
            unsigned expected = 0, raised_in_all = 0;
            random_state(lps, &random);
            struct random posts = random;
            for (uint64_t clock = 0; clock < clocks; clock++) {
                random = posts;
                random_posts(single, &random);
                expected |= drive_clocks(single, lps, 1);
            }
            while (clocks) {
                uint64_t passed = clocks;
                random = posts;
                random_posts(many, &random);
                drive_states(many, lps);
                unsigned raised = nbpmu_repeat(many, &passed);
                assert_in_range(passed, 1, clocks);
                at_once += passed > 1;
                raised_in_all |= raised;
                clocks -= passed;
            }
            assert_int_equal(raised_in_all, expected);
            expect_same(many, single);
            pmis += raised_in_all != 0;
        }
        nbpmu_free(many);
        nbpmu_free(single);
    }
    assert_true(pmis > PROGRAMMINGS && at_once > PROGRAMMINGS);
}

/* A caller that reports active events only, and leaves out clocks that do not matter, sees the same counts.
 */
TEST(active_events_suffice)
{
    static const enum nbpmu_event EVENTS[] = {NBPMU_BPU_FETCH_REQUEST, NBPMU_TC_MS_XFER, NBPMU_PACKED_SP_UOP,
                                              NBPMU_INSTR_RETIRED, NBPMU_X87_FP_UOP};
    struct random random = {0xD1B54A32D192ED03};
    unsigned skipped = 0;
    for (unsigned i = 0; i < PROGRAMMINGS; i++) {
        struct nbpmu *every, *active_only;
        random_twins(&every, &active_only, &random);
        for (unsigned clock = 0; clock < 60; clock++) {
            unsigned event = random_below(&random, 10), posted = 0;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_clocks_equal_single_clocks),
        cmocka_unit_test(repeated_clocks_equal_single_clocks),
        cmocka_unit_test(active_events_suffice),
        cmocka_unit_test(active_events_are_exact_for_simple_programmings),
        cmocka_unit_test(a_long_stretch),
    };
    return cmocka_run_group_tests_name("model clock", tests, NULL, NULL);
}
