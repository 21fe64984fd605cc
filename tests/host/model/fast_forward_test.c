/*
 * Clocks that need not be told (pmu_clocks_untold()): with random programmings and whatever happens between
 * them, a model that takes every such offer ends as one that is told each clock.
 */
#include "tests/host/support/model_kit.h"
#include "tests/host/support/model_random.h"

#define PROGRAMMINGS 1500
#define STEPS        240

struct pair {
    uint64_t *seed;
    struct pmu *told; /* of every clock */
    struct pmu *left; /* alone where it offers that */
    struct pmu_lp lps[PMU_LPS];
    bool in_vain;    /* left knows of PMIs that nobody takes, and need not raise them again */
    unsigned untold; /* stretches of clocks */
    unsigned pmis;
};

static void write_counter(struct pair *pair)
{
    uint32_t msr = MSR_COUNTER(below(pair->seed, PMC_COUNTERS));
    uint64_t value = COUNTER_OVERFLOW_IN(1 + below(pair->seed, STEPS));
    kit_write(pair->told, msr, value);
    kit_write(pair->left, msr, value);
}

static void read_counter(struct pair *pair)
{
    unsigned n = below(pair->seed, PMC_COUNTERS);
    uint64_t told = 0, left = 0;
    assert_true(pmu_rdpmc(pair->told, n, &told) && pmu_rdpmc(pair->left, n, &left));
    assert_int_equal(told, left);
}

static void unmask(struct pair *pair)
{
    unsigned lp = below(pair->seed, PMU_LPS);
    assert_int_equal(pmu_lvtpc_unmasked(pair->told, lp), pmu_lvtpc_unmasked(pair->left, lp));
    pair->in_vain = false;
}

/* Returns whether something was posted. */
static bool post(struct pair *pair)
{
    uint64_t same = *pair->seed;
    random_posts(pair->told, pair->seed);
    random_posts(pair->left, &same);
    return true;
}

/* Let clocks pass in the one that may be left alone. */
static unsigned pass(struct pair *pair, unsigned clocks, bool may_be_left)
{
    uint64_t *offered = pmu_clocks_untold(pair->left);
    unsigned raised;
    if (may_be_left && clocks <= *offered) {
        *offered -= clocks;
        pair->untold++;
        return 0;
    }
    if (may_be_left && clocks == 1) { /* nothing, in each of them */
        assert_int_equal(pmu_clocks_alike(pair->left, pair->lps, 1, &raised), 1);
    } else {
        raised = pmu_clock(pair->left, pair->lps, clocks);
    }
    if (raised && (pair->in_vain || below(pair->seed, 4) == 0)) {
        pmu_raised_in_vain(pair->left);
        pair->in_vain = true;
    }
    return raised;
}

static void step(struct pair *pair)
{
    enum { POST, PROCESSORS, PROCESSORS_UNANNOUNCED, WRITE, READ, UNMASK, COMPARE, KINDS = 20 };
    unsigned kind = below(pair->seed, KINDS), clocks = 1 + below(pair->seed, 4);
    bool was_vain, posted = kind == POST && post(pair);
    if (kind == PROCESSORS) {
        pmu_settle(pair->left);
    }
    if (kind == PROCESSORS || kind == PROCESSORS_UNANNOUNCED) {
        random_state(pair->lps, pair->seed);
    } else if (kind == WRITE) {
        write_counter(pair);
    } else if (kind == READ) {
        read_counter(pair);
    } else if (kind == UNMASK) {
        unmask(pair);
    } else if (kind == COMPARE) {
        expect_same(pair->told, pair->left);
    }
    was_vain = pair->in_vain;
    unsigned told = pmu_clock(pair->told, pair->lps, clocks);
    pmu_settle(pair->told);
    unsigned left = pass(pair, clocks, !posted && kind != PROCESSORS_UNANNOUNCED);
    assert_true(left == told || (was_vain && left == 0));
    pair->pmis += told != 0;
}

TEST(untold_clocks_equal_told_ones)
{
    uint64_t seed = 0xC2B2AE3D27D4EB4F;
    unsigned untold = 0, pmis = 0;
    for (unsigned i = 0; i < PROGRAMMINGS; i++) {
        struct pair pair = {.seed = &seed, .lps = {{true, 0}, {true, 0}}};
        random_twins(&pair.told, &pair.left, &seed);
        for (unsigned n = 0; n < STEPS; n++) {
            step(&pair);
        }
        expect_same(pair.told, pair.left);
        untold += pair.untold;
        pmis += pair.pmis;
        pmu_free(pair.told);
        pmu_free(pair.left);
    }
    assert_true(untold > 10 * PROGRAMMINGS && pmis > PROGRAMMINGS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(untold_clocks_equal_told_ones)};
    return cmocka_run_group_tests_name("model untold", tests, NULL, NULL);
}
