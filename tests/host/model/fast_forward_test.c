/*
 * Quiet clocks (nbpmu_quiet(), nbpmu_skip()): with random programmings, and whatever happens between the
 * clocks, a model that skips every quiet clock ends as one that is advanced clock by clock.
 */
#include "tests/host/support/model_kit.h"
#include "tests/host/support/model_random.h"

#define PROGRAMMINGS 400
#define STEPS        240

struct pair {
    struct random *random;
    struct nbpmu *reference; /* advanced in every clock */
    struct nbpmu *fast;      /* skips what it may */
    struct lp_state lps[NBPMU_LPS];
    bool undelivered; /* nbpmu_pmi_undelivered() was called for fast: it need not raise its PMIs again */
    unsigned skipped; /* stretches of clocks */
    unsigned pmis;
};

static void write_counter(struct pair *pair)
{
    uint32_t msr = MSR_COUNTER(random_below(pair->random, PMC_COUNTERS));
    uint64_t value = COUNTER_OVERFLOW_IN(1 + random_below(pair->random, STEPS));
    kit_write(pair->reference, msr, value);
    kit_write(pair->fast, msr, value);
}

static void read_counter(struct pair *pair)
{
    unsigned n = random_below(pair->random, PMC_COUNTERS);
    uint64_t expected = 0, found = 0;
    assert_true(nbpmu_rdpmc(pair->reference, 0, true, n, &expected));
    assert_true(nbpmu_rdpmc(pair->fast, 0, true, n, &found));
    assert_int_equal(expected, found);
}

static void unmask(struct pair *pair)
{
    unsigned lp = random_below(pair->random, NBPMU_LPS);
    assert_int_equal(nbpmu_lvtpc_unmasked(pair->reference, lp), nbpmu_lvtpc_unmasked(pair->fast, lp));
    pair->undelivered = false;
}

static void report_events(struct pair *pair)
{
    struct random same = *pair->random;
    random_posts(pair->reference, pair->random);
    random_posts(pair->fast, &same);
}

/* Let clocks pass in the fast model, by skipping them where that is allowed. */
static unsigned pass(struct pair *pair, unsigned clocks, bool has_events)
{
    unsigned raised;
    drive_states(pair->fast, pair->lps);
    if (!has_events && clocks <= nbpmu_quiet(pair->fast)) {
        nbpmu_skip(pair->fast, clocks);
        pair->skipped++;
        return 0;
    }
    if (!has_events && clocks == 1) { /* repeating "no events" once is the same as advancing */
        uint64_t passed = 1;
        raised = nbpmu_repeat(pair->fast, &passed);
        assert_int_equal(passed, 1);
    } else {
        raised = nbpmu_advance(pair->fast, clocks);
    }
    if (raised && (pair->undelivered || random_below(pair->random, 4) == 0)) {
        nbpmu_pmi_undelivered(pair->fast);
        pair->undelivered = true;
    }
    return raised;
}

static void step(struct pair *pair)
{
    enum { EVENTS, PROCESSORS, WRITE, READ, UNMASK, COMPARE, KINDS = 20 };
    unsigned kind = random_below(pair->random, KINDS), clocks = 1 + random_below(pair->random, 4);
    if (kind == EVENTS) {
        report_events(pair);
    } else if (kind == PROCESSORS) {
        random_state(pair->lps, pair->random);
    } else if (kind == WRITE) {
        write_counter(pair);
    } else if (kind == READ) {
        read_counter(pair);
    } else if (kind == UNMASK) {
        unmask(pair);
    } else if (kind == COMPARE) {
        expect_same(pair->reference, pair->fast);
    }
    bool was_undelivered = pair->undelivered;
    unsigned expected = drive_clocks(pair->reference, pair->lps, clocks);
    kit_counter(pair->reference, 0); /* any access to a register ends its quiet clocks */
    unsigned found = pass(pair, clocks, kind == EVENTS);
    assert_true(found == expected || (was_undelivered && found == 0));
    pair->pmis += expected != 0;
}

TEST(skipped_clocks_equal_single_ones)
{
    struct random random = {0xC2B2AE3D27D4EB4F};
    unsigned skipped = 0, pmis = 0;
    for (unsigned i = 0; i < PROGRAMMINGS; i++) {
        struct pair pair = {.random = &random, .lps = {{true, 0}, {true, 0}}};
        random_twins(&pair.reference, &pair.fast, &random);
        for (unsigned n = 0; n < STEPS; n++) {
            step(&pair);
        }
        expect_same(pair.reference, pair.fast);
        skipped += pair.skipped;
        pmis += pair.pmis;
        nbpmu_free(pair.reference);
        nbpmu_free(pair.fast);
    }
    assert_true(skipped > 10 * PROGRAMMINGS && pmis > PROGRAMMINGS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(skipped_clocks_equal_single_ones)};
    return cmocka_run_group_tests_name("model fast forward", tests, NULL, NULL);
}
