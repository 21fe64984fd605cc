/*
 * Blocks (nbpmu_take_block()): with random programmings and random events, a model that takes whole blocks
 * where it may ends as one that sees every clock with its own events. The answers for programmings whose
 * outcome depends on the clocks in which the events come are tested by name.
 */
#include "tests/host/support/model_kit.h"
#include "tests/host/support/model_random.h"

#include "sim/netburst/nbpmu_block.h"

#define PROGRAMMINGS 1500
#define BLOCKS       24
#define CLOCKS_MOST  12
#define ENTRIES_MOST 3

/* ---- Blocks equal their clocks ---- */

struct pair {
    uint64_t *seed;
    struct nbpmu *reference; /* sees each clock */
    struct nbpmu *fast;      /* takes blocks */
    struct lp_state lps[NBPMU_LPS];
    unsigned taken;
};

/* A block, and how its events are spread over its clocks. */
struct spread {
    unsigned clocks, entries;
    struct nbpmu_block_event entry[ENTRIES_MOST];
    unsigned in_clock[CLOCKS_MOST][ENTRIES_MOST];
};

static void draw_spread(struct spread *spread, uint64_t *seed)
{
    static const struct nbpmu_block_event kinds[] = {{NBPMU_BPU_FETCH_REQUEST, 1u << 0, 0, 0},
                                                     {NBPMU_TC_MS_XFER, 1u << 0, 0, 0},
                                                     {NBPMU_PACKED_SP_UOP, 1u << 15, 0, 0},
                                                     {NBPMU_INSTR_RETIRED, 1u << 0, 0, 0},
                                                     {NBPMU_INSTR_RETIRED, 1u << 1, 0, 0}};
    *spread =
        (struct spread){.clocks = 1 + below(seed, CLOCKS_MOST), .entries = below(seed, ENTRIES_MOST + 1)};
    for (unsigned e = 0; e < spread->entries; e++) {
        struct nbpmu_block_event *entry = &spread->entry[e];
        *entry = kinds[below(seed, 5)];
        unsigned most = 1 + below(seed, 6);
        spread->in_clock[below(seed, spread->clocks)][e] = 1; /* a block has each of its events */
        for (unsigned clock = 0; clock < spread->clocks; clock++) {
            unsigned *here = &spread->in_clock[clock][e];
            *here = *here || below(seed, 2) ? 1 + below(seed, most) : 0;
            entry->total += *here;
            entry->most = *here > entry->most ? *here : entry->most;
        }
    }
}

static unsigned clock_by_clock(struct nbpmu *pmu, unsigned lp, const struct spread *spread)
{
    unsigned raised = 0;
    for (unsigned clock = 0; clock < spread->clocks; clock++) {
        for (unsigned e = 0; e < spread->entries; e++) {
            if (spread->in_clock[clock][e]) {
                nbpmu_event(pmu, lp, spread->entry[e].event, spread->entry[e].mask_bits,
                            spread->in_clock[clock][e]);
            }
        }
        raised |= nbpmu_advance(pmu, 1);
    }
    return raised;
}

/* One block, sometimes behind events that were reported before it, and then perhaps quiet clocks. */
static void pass_block(struct pair *pair)
{
    struct spread spread;
    unsigned lp = below(pair->seed, NBPMU_LPS), quiet = below(pair->seed, 4);
    if (below(pair->seed, 4) == 0) {
        uint64_t same = *pair->seed;
        random_posts(pair->reference, pair->seed);
        random_posts(pair->fast, &same);
    }
    draw_spread(&spread, pair->seed);
    drive_states(pair->reference, pair->lps);
    drive_states(pair->fast, pair->lps);
    unsigned expected = clock_by_clock(pair->reference, lp, &spread);
    bool fits = nbpmu_block_fits(pair->fast, lp, spread.clocks, spread.entry, spread.entries);
    bool taken = nbpmu_take_block(pair->fast, lp, spread.clocks, spread.entry, spread.entries);
    assert_int_equal(fits, taken);
    assert_int_equal(taken ? 0 : clock_by_clock(pair->fast, lp, &spread), expected);
    pair->taken += taken;
    assert_int_equal(nbpmu_advance(pair->reference, quiet), nbpmu_advance(pair->fast, quiet));
}

static void write_both(struct pair *pair, uint32_t msr, uint64_t value)
{
    kit_write(pair->reference, msr, value);
    kit_write(pair->fast, msr, value);
}

/* Give most counters a programming that adds up what it gets, and set some close to a carry. */
static void program_plainly(struct pair *pair)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t top = below(pair->seed, 8) ? COUNTER_MASK + 1 : 1ull << 32;
        bool near = below(pair->seed, 4) == 0;
        if (below(pair->seed, 12)) {
            unsigned select = n < 4 && below(pair->seed, 2) ? 6 : kit_common_select(n);
            uint64_t gate = CCCR_ACTIVE_THREAD(below(pair->seed, 3) ? 3 : below(pair->seed, 4));
            write_both(pair, MSR_CCCR(n),
                       CCCR_ESCR_SELECT(select) | gate | (below(pair->seed, 3) ? CCCR_ENABLE : 0) |
                           (below(pair->seed, 2) ? CCCR_OVF_PMI_T0 : 0));
        }
        write_both(pair, MSR_COUNTER(n), top - 1 - below(pair->seed, near ? 60 : 1000000));
    }
}

TEST(blocks_equal_their_clocks)
{
    uint64_t seed = 0x94D049BB133111EB;
    unsigned taken = 0;
    for (unsigned i = 0; i < PROGRAMMINGS; i++) {
        struct pair pair = {.seed = &seed, .lps = {{true, 0}, {true, 0}}};
        random_twins(&pair.reference, &pair.fast, &seed);
        program_plainly(&pair);
        for (unsigned block = 0; block < BLOCKS; block++) {
            random_state(pair.lps, &seed);
            pass_block(&pair);
            if (below(&seed, 4) == 0) {
                expect_same(pair.reference, pair.fast);
            }
        }
        expect_same(pair.reference, pair.fast);
        taken += pair.taken;
        nbpmu_free(pair.reference);
        nbpmu_free(pair.fast);
    }
    assert_true(taken > 2 * PROGRAMMINGS && taken < BLOCKS * PROGRAMMINGS / 2);
}

/* ---- What the answer is ---- */

/* Does this counter of uops, which starts from `start` with these CCCR bits, take 10 clocks with 20 uops? */
static bool takes_uops(struct model_config config, uint64_t start, uint64_t bits)
{
    static const struct nbpmu_block_event uops = {NBPMU_UOPS_RETIRED, 1u << 0, 3, 20};
    struct nbpmu *pmu = kit_uop_counter(config, start, bits);
    bool taken = nbpmu_take_block(pmu, 0, 10, &uops, 1);
    assert_int_equal(kit_counter(pmu, 12), start + (taken ? 20 : 0));
    nbpmu_free(pmu);
    return taken;
}

TEST(a_block_is_taken_up_to_the_overflow_and_not_with_it)
{
    assert_true(takes_uops(KIT_F43, 0, 0));
    assert_true(takes_uops(KIT_F43, COUNTER_OVERFLOW_IN(21), CCCR_OVF_PMI_T0)); /* ends at FF FFFF FFFFH */
    assert_false(takes_uops(KIT_F43, COUNTER_OVERFLOW_IN(20), 0));
}

TEST(a_filter_and_force_ovf_need_each_clock)
{
    assert_false(takes_uops(KIT_F43, 0, CCCR_COMPARE));
    assert_false(takes_uops(KIT_F43, 0, CCCR_COMPARE | CCCR_EDGE));
    assert_false(takes_uops(KIT_F43, 0, CCCR_COMPARE | CCCR_COMPLEMENT));
    assert_false(takes_uops(KIT_F43, 0, CCCR_FORCE_OVF));
    assert_true(takes_uops(KIT_F43, 0, CCCR_EDGE | CCCR_COMPLEMENT | CCCR_THRESHOLD(3))); /* R21 */
}

TEST(e2_needs_the_clock_of_a_carry_into_bit_32)
{
    struct model_config config = KIT_F43;
    assert_true(takes_uops(config, 0xFFFFFFF0, 0));
    config.choices.e2_lost_carry = true;
    assert_false(takes_uops(config, 0xFFFFFFF0, 0));
}

TEST(an_edge_filter_that_follows_the_values_needs_each_clock)
{
    struct model_config config = KIT_F43;
    config.choices.edge_follows = true;
    assert_false(takes_uops(config, 0, 0)); /* EDGE may be set next, and then the last clock matters */
}

TEST(more_than_15_in_a_clock_and_states_of_a_clock_need_each_clock)
{
    const struct nbpmu_block_event nine_each[] = {{NBPMU_UOPS_RETIRED, 1u << 0, 8, 9},
                                                  {NBPMU_UOPS_RETIRED, 1u << 0, 8, 9}};
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, 0, 0);
    assert_false(nbpmu_take_block(pmu, 0, 10, nine_each, 2)); /* perhaps 16 in a clock: 15 count (R10) */
    nbpmu_free(pmu);

    /* FSB_data_activity: DRDY_DRV is a state (R9); counter 0 by select 6. */
    const struct nbpmu_block_event driven = {NBPMU_FSB_DATA_ACTIVITY, 1u << 0, 1, 4},
                                   twice[] = {driven, driven},
                                   often = {NBPMU_FSB_DATA_ACTIVITY, 1u << 0, 2, 4};
    pmu = kit_counting(KIT_F43, 0, 6, MSR_FSB_ESCR0, kit_escr(0x17, 1));
    assert_false(nbpmu_take_block(pmu, 0, 10, twice, 2));
    assert_false(nbpmu_take_block(pmu, 0, 10, &often, 1));
    assert_true(nbpmu_take_block(pmu, 0, 10, &driven, 1));
    assert_int_equal(kit_counter(pmu, 0), 4);
    nbpmu_free(pmu);
}

TEST(clocks_of_a_block_count)
{
    /* global_power_events RUNNING: 1 in each clock in which LP0 runs. */
    struct nbpmu *pmu = kit_counting(KIT_F43, 0, 6, MSR_FSB_ESCR0, kit_escr(0x13, 1));
    assert_true(nbpmu_take_block(pmu, 0, 10, NULL, 0));
    assert_true(nbpmu_take_block(pmu, 0, 7, NULL, 0));
    assert_int_equal(kit_counter(pmu, 0), 17);
    kit_write(pmu, MSR_COUNTER(0), COUNTER_OVERFLOW_IN(10));
    assert_false(nbpmu_take_block(pmu, 0, 10, NULL, 0));
    assert_true(nbpmu_take_block(pmu, 0, 9, NULL, 0));
    nbpmu_free(pmu);
}

TEST(a_requested_pmi_needs_the_clock_of_the_next_count)
{
    static const struct nbpmu_block_event uops = {NBPMU_UOPS_RETIRED, 1u << 0, 3, 20};
    struct nbpmu *pmu = kit_uop_counter(KIT_F43, COUNTER_OVERFLOW_IN(1), CCCR_OVF_PMI_T0);
    assert_int_equal(kit_uops(pmu, 1), 0);
    assert_false(nbpmu_take_block(pmu, 0, 10, &uops, 1));
    assert_int_equal(kit_uops(pmu, 1), 1); /* R46 */
    assert_true(nbpmu_take_block(pmu, 0, 10, &uops, 1));
    nbpmu_free(pmu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_equal_their_clocks),
        cmocka_unit_test(a_block_is_taken_up_to_the_overflow_and_not_with_it),
        cmocka_unit_test(a_filter_and_force_ovf_need_each_clock),
        cmocka_unit_test(e2_needs_the_clock_of_a_carry_into_bit_32),
        cmocka_unit_test(an_edge_filter_that_follows_the_values_needs_each_clock),
        cmocka_unit_test(more_than_15_in_a_clock_and_states_of_a_clock_need_each_clock),
        cmocka_unit_test(clocks_of_a_block_count),
        cmocka_unit_test(a_requested_pmi_needs_the_clock_of_the_next_count),
    };
    return cmocka_run_group_tests_name("model block", tests, NULL, NULL);
}
