/*
 * A fault that strikes once in N acts (sim/faults/acts.c): what an act is, that it is drawn once however long
 * it lasts, how often it is struck, and that the seed alone decides.
 */
#include "sim/faults/nbpmu_fault.h"
#include "tests/host/support/model_kit.h"

/* Draws of each test. Of so many the share that is struck is within 4.5 deviations of 1 in N (binomial). */
#define ACTS 20000u

static struct nbpmu *faulty(const char *name, uint32_t once_in, uint32_t seed)
{
    struct nbpmu_fault fault;
    struct nbpmu *pmu = kit_new(KIT_F43);
    char error[1000];
    assert_true(nbpmu_fault_compose(name, &fault, error, sizeof error));
    assert_true(nbpmu_fault_set_rate(&fault, once_in, seed));
    assert_true(nbpmu_set_fault(pmu, &fault));
    return pmu;
}

/* These acts were drawn, and these are the struck ones. */
static void assert_acts(const struct nbpmu *pmu, uint64_t acts, uint64_t struck)
{
    uint64_t counted[2];
    assert_true(nbpmu_fault_acts(pmu, &counted[0], &counted[1]));
    assert_int_equal(counted[0], acts);
    assert_int_equal(counted[1], struck);
}

/* ---- Ways to act, each of which begins and ends with every register as before. True: the fault struck. ----
 */

/* Counter 12 overflows and starts 14, which then counts in each of some clocks, or (the fault) in none. */
static bool start_is_lost(struct nbpmu *pmu)
{
    const unsigned clocks = 5;
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_MASK);
    kit_write(pmu, MSR_COUNTER(14), 0);
    kit_write(pmu, MSR_CCCR(14), kit_cccr(KIT_CRU) | CCCR_CASCADE);
    kit_write(pmu, MSR_CRU_ESCR1, KIT_UOPS);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    kit_uops(pmu, 1);
    for (unsigned i = 0; i < clocks; i++)
        kit_uops(pmu, 1);
    const uint64_t counted = kit_counter(pmu, 14);
    kit_write(pmu, MSR_CCCR(14), 0);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_true(counted == 0 || counted == clocks); /* never started or lost in between */
    return counted == 0;
}

/* OVF of 12 is cleared, which halts 14; with the fault 14 counts on, in each clock. */
static bool halt_is_missed(struct nbpmu *pmu)
{
    const unsigned clocks = 5;
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_CRU_ESCR1, KIT_UOPS);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_MASK);
    kit_write(pmu, MSR_COUNTER(14), 0);
    kit_write(pmu, MSR_CCCR(14), kit_cccr(KIT_CRU) | CCCR_CASCADE);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    kit_uops(pmu, 1);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU));
    for (unsigned i = 0; i < clocks; i++)
        kit_uops(pmu, 1);
    const uint64_t counted = kit_counter(pmu, 14);
    kit_write(pmu, MSR_CCCR(14), 0);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_true(counted == 0 || counted == clocks);
    return counted == clocks;
}

/* Two separate levels of one clock each, of which EDGE counts two edges; without EDGE three clocks pass. */
static bool edge_is_dead(struct nbpmu *pmu)
{
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_COUNTER(12), 0);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_COMPARE | CCCR_EDGE);
    const unsigned values[] = {1, 1, 0, 1};
    for (unsigned i = 0; i < COUNT_OF(values); i++)
        kit_uops(pmu, values[i]);
    const uint64_t counted = kit_counter(pmu, 12);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_true(counted == 2 || counted == 3); /* all of the window, or nothing of it */
    return counted == 3;
}

/* Counter 12 overflows: OVF, or (the fault) none. */
static bool ovf_is_lost(struct nbpmu *pmu)
{
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_MASK);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    for (unsigned i = 0; i < 3; i++)
        kit_uops(pmu, 1);
    const bool lost = !kit_ovf(pmu, 12);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_int_equal(kit_counter(pmu, 12), 2);
    return lost;
}

/* The carry into bit 32 is lost, or it is not; the clocks before and after it carry nothing. */
static bool carry_is_lost(struct nbpmu *pmu)
{
    const uint64_t below = UINT32_MAX;
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_COUNTER(12), below - 1);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    for (unsigned i = 0; i < 4; i++)
        kit_uops(pmu, 1);
    const uint64_t counted = kit_counter(pmu, 12);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_true(counted == below + 3 || counted == 2);
    return counted == 2;
}

/* The PMI of an overflow does not come, not even when LVTPC is unmasked while OVF stands; or both come. */
static bool pmi_is_lost(struct nbpmu *pmu)
{
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_MASK);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_OVF_PMI_T0);
    assert_int_equal(kit_uops(pmu, 1), 0);
    const bool came = kit_uops(pmu, 1) == 1;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(nbpmu_lvtpc_unmasked(pmu, 0), came);
    kit_write(pmu, MSR_CCCR(12), 0);
    return !came;
}

/* The upper half of a preset is lost: each preset has another one than the counter. */
static bool preset_is_lost(struct nbpmu *pmu)
{
    const uint64_t preset = ~kit_counter(pmu, 12) & COUNTER_MASK;
    kit_write(pmu, MSR_COUNTER(12), preset);
    return kit_counter(pmu, 12) != preset;
}

/* RDMSR reads wrong, and leaves the counter as it is. */
static bool reading_is_wrong(struct nbpmu *pmu)
{
    return kit_counter(pmu, 12) != 0;
}

/* An ESCR without a flag for LP0 counts it from one write of the ESCR to the next, or does not. */
static bool flag_is_wrong(struct nbpmu *pmu)
{
    kit_write(pmu, MSR_COUNTER(12), 0);
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS & ~ESCR_T0_ALL);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    for (unsigned i = 0; i < 3; i++)
        kit_uops(pmu, 1);
    const uint64_t counted = kit_counter(pmu, 12);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_true(counted == 0 || counted == 3);
    return counted == 3;
}

/* A counter that counts while one logical processor is active, which is not so; it counts if the fault
 * strikes. */
static bool gate_is_ignored(struct nbpmu *pmu)
{
    kit_write(pmu, MSR_COUNTER(12), 0);
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_CCCR(12), CCCR_ESCR_SELECT(KIT_CRU) | CCCR_ACTIVE_THREAD(ACTIVE_BOTH) | CCCR_ENABLE);
    for (unsigned i = 0; i < 3; i++)
        kit_uops(pmu, 1);
    const uint64_t counted = kit_counter(pmu, 12);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_true(counted == 0 || counted == 3);
    return counted == 3;
}

static const struct action {
    const char *fault;
    bool (*act)(struct nbpmu *pmu);
} ACTIONS[] = {
    {"cascade-broken-12-14", start_is_lost}, {"halts-not-14", halt_is_missed},
    {"edge-dead-12", edge_is_dead},          {"ovf-missing-12", ovf_is_lost},
    {"carry-32-lost-12", carry_is_lost},     {"pmi-t0-missing-12", pmi_is_lost},
    {"pmi-missing-12", pmi_is_lost},         {"counter-high-lost-12", preset_is_lost},
    {"reading-wrong-12", reading_is_wrong},  {"unqualified-CRU_ESCR0", flag_is_wrong},
    {"unqualified-for-12", flag_is_wrong},   {"gate-ignored-12", gate_is_ignored},
};

/* One act is one draw, and what is seen of it agrees with the count of the struck ones. */
TEST(once_for_each_act)
{
    for (size_t i = 0; i < COUNT_OF(ACTIONS); i++) {
        struct nbpmu *pmu = faulty(ACTIONS[i].fault, 3, 1);
        unsigned struck = 0;
        for (unsigned act = 1; act <= 300; act++) {
            uint64_t counted[2];
            struck += ACTIONS[i].act(pmu);
            nbpmu_fault_acts(pmu, &counted[0], &counted[1]);
            if (counted[0] != act || counted[1] != struck)
                fail_msg("%s: %llu acts, %llu struck, after %u and %u", ACTIONS[i].fault,
                         (unsigned long long)counted[0], (unsigned long long)counted[1], act, struck);
        }
        assert_in_range(struck, 64, 136); /* 300 / 3, and 4.5 * sqrt(300 * 1/3 * 2/3) */
        nbpmu_free(pmu);
    }
}

/* 20,000 acts at 1 in 2, in 20, in 200: 10,000 +- 318, 1,000 +- 138, 100 +- 44. */
TEST(as_often_as_asked)
{
    static const struct {
        uint32_t once_in;
        unsigned least, most;
    } rates[] = {{2, 9682, 10318}, {20, 862, 1138}, {200, 56, 144}};
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        struct nbpmu *pmu = faulty("reading-wrong-12", rates[i].once_in, 7);
        unsigned struck = 0;
        for (unsigned act = 0; act < ACTS; act++)
            struck += reading_is_wrong(pmu);
        assert_in_range(struck, rates[i].least, rates[i].most);
        assert_acts(pmu, ACTS, struck);
        nbpmu_free(pmu);
    }
}

/* The strikes follow from the seed; another seed gives others. */
TEST(same_seed_same_strikes)
{
    struct nbpmu *one = faulty("reading-wrong-12", 5, 1), *same = faulty("reading-wrong-12", 5, 1),
                 *other = faulty("reading-wrong-12", 5, 2);
    unsigned different = 0;
    for (unsigned act = 0; act < 200; act++) {
        const bool struck = reading_is_wrong(one);
        assert_int_equal(reading_is_wrong(same), struck);
        different += reading_is_wrong(other) != struck;
    }
    assert_true(different > 0);
    nbpmu_free(one);
    nbpmu_free(same);
    nbpmu_free(other);
}

/* A start is one act although the fault would change it only now and then: 14 is not started while its OVF is
 * set, which is twice the case before 14 halts. */
TEST(an_act_may_pause)
{
    const uint64_t enabled = kit_cccr(KIT_CRU) | CCCR_ENABLE, cascade = kit_cccr(KIT_CRU) | CCCR_CASCADE;
    uint64_t acts, struck;
    struct nbpmu *pmu = faulty("link.never@counter=14@link=cascade,while=ovf", 2, 1);
    for (unsigned start = 1; start <= 20; start++) {
        kit_write(pmu, MSR_CCCR(14), cascade | CCCR_OVF);
        kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
        kit_write(pmu, MSR_COUNTER(12), COUNTER_MASK);
        kit_write(pmu, MSR_CCCR(12), enabled);
        kit_uops(pmu, 1);
        kit_write(pmu, MSR_CCCR(14), cascade);
        kit_write(pmu, MSR_CCCR(14), cascade | CCCR_OVF);
        kit_write(pmu, MSR_CCCR(12), 0);
        assert_true(nbpmu_fault_acts(pmu, &acts, &struck));
        assert_int_equal(acts, start);
    }
    nbpmu_free(pmu);
}

/* What the fault would not change is no act: reading another counter, an overflow of another counter. */
TEST(elsewhere_is_no_act)
{
    struct nbpmu *pmu = faulty("reading-wrong-12", 2, 1);
    kit_counter(pmu, 13);
    assert_acts(pmu, 0, 0);
    nbpmu_free(pmu);
    pmu = faulty("ovf-missing-13", 2, 1);
    assert_false(ovf_is_lost(pmu));
    assert_acts(pmu, 0, 0);
    nbpmu_free(pmu);
}

TEST(what_has_no_rate)
{
    struct nbpmu_fault fault;
    uint64_t acts = 1, struck = 1;
    assert_true(nbpmu_fault_find("ovf-missing-12", &fault));
    assert_false(nbpmu_fault_set_rate(&fault, NBPMU_ONCE_IN_LEAST - 1, 1));
    assert_false(nbpmu_fault_set_rate(&fault, NBPMU_ONCE_IN_MOST + 1, 1));
    assert_true(nbpmu_fault_set_rate(&fault, NBPMU_ONCE_IN_MOST, 1));
    struct nbpmu *pmu = kit_new(KIT_F43);
    assert_false(nbpmu_fault_acts(pmu, &acts, &struck));
    assert_int_equal(acts + struck, 0);
    nbpmu_free(pmu);
}
