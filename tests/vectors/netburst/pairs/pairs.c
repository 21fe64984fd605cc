/*
 * Any two features of a counter's life at once (18.15, 18.16; the rules of each feature).
 *
 * A defect may show only where two features meet: a filter that fails in a counter started by a cascade, a
 * PMI that is lost when the sibling does the work. So a covering array (pairs.h) lists rows in which any two
 * levels of any two features meet on every block, and each level on every counter that can have it. With the
 * boot word `thorough` more rows follow, in which any three meet.
 *
 * A counter lives through its rows one after the other (pairs_life.h), and what must come of each follows
 * from its rules and from its twin, which sees the same events without the features (pairs_judge.h). A row is
 * judged wrong when it was wrong several times in a row. The failure names the features that met.
 */
#include "kernel/smp/smp.h"
#include "pairs_judge.h"
#include "tests/suite/count.h"
#include "tests/suite/expect.h"
#include "tests/suite/selection.h"

/* How often a row must be wrong: a disturbance does not repeat. Any NMI looks like a PMI where PMIs are NMIs.
 */
#define TRIES     3
#define NMI_TRIES 40

static bool sibling_waits; /* for a start-up IPI, after INIT */

static void bring_sibling_back(void)
{
    if (sibling_waits)
        require_true("MP", smp_restart(), "the sibling comes back after INIT");
    sibling_waits = false;
}

static struct pairs_wrong live_from(struct pairs_life *life, uint64_t preset)
{
    life->preset = preset;
    struct pairs_seen seen = pairs_live(life);
    sibling_waits |= pairs_has(&life->row, MEANWHILE, INIT);
    return pairs_judge(life, &seen);
}

/* Count the work once from a far preset; this count gives the presets for LAST and BIT_32. Before the
 * overflow by the last count comes a run that ends one count before it. */
static struct pairs_wrong live_once(struct pairs_life *life)
{
    const struct pairs_row *row = &life->row;
    uint64_t counted = 0;

    if (!pairs_has(row, MEANWHILE, INIT))
        bring_sibling_back();
    if (pairs_has(row, PRESET, LAST) || pairs_has(row, PRESET, BIT_32)) {
        life->preset = pairs_preset(row, 0);
        counted = pairs_live(life).moved;
    }
    if (life->complemented && !pairs_is_edge(row)) {
        counted -=
            counted / 8; /* clocks do not end with the events: a carry in the last one might be lost (E2) */
    } else if (pairs_has(row, PRESET, LAST)) {
        struct pairs_wrong wrong = live_from(life, pairs_preset(row, counted + 1));
        if (wrong.quantity)
            return wrong;
    }
    return live_from(life, pairs_preset(row, counted));
}

static void live_row(const struct pairs_row *row)
{
    struct pairs_life life;
    struct pairs_wrong wrong;
    const unsigned most = pairs_has(row, LVTPC, NMI) ? NMI_TRIES : TRIES;
    unsigned tries = 0;

    pairs_arrange(&life, row);
    do
        wrong = live_once(&life);
    while (wrong.quantity && ++tries < most);
    if (!wrong.quantity)
        return;
    char words[300];
    pairs_words(row, words, sizeof words);
    bring_sibling_back();
    expect_between(NULL, wrong.low, wrong.high, wrong.observed, "row %u, counter %u (%s): %s", row->number,
                   row->counter, words, wrong.quantity);
}

static void live_rows(unsigned counter, bool with_init)
{
    const struct pairs_table *table = pairs_table_of(counter);
    const unsigned rows = table->pairs + (selection_is_thorough() ? table->triples : 0u);
    struct pairs_row row;

    for (unsigned i = 0; i < rows; i++)
        if (pairs_row_of(table, i, counter, &row) && pairs_has(&row, MEANWHILE, INIT) == with_init)
            live_row(&row);
}

static void pairs(const void *item)
{
    const unsigned counter = counter_number(item);

    if (PMC_COUNTER[counter].block == BLOCK_BPU) {
        skip_if_dead(1); /* a twin, or an X */
        stimulus_prepare(STIMULUS_UNCACHED_READS);
    }
    live_rows(counter, false);
}

/* The rows with INIT, by blocks: to start the sibling again takes longer than they do. */
static void pairs_with_init(void)
{
    const bool dead = counter_is_dead(1);

    stimulus_prepare(STIMULUS_UNCACHED_READS);
    sibling_waits = false;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (!(dead && PMC_COUNTER[n].block == BLOCK_BPU))
            live_rows(n, true);
        if (n + 1 == PMC_COUNTERS || PMC_COUNTER[n + 1].block != PMC_COUNTER[n].block)
            bring_sibling_back();
    }
}

#define PAIRS_RULES                                                                                          \
    "R1 R2 R4 R5 R6 R8 R11 R12 R13 R16 R18 R21 R22 R23 R24 R26 R27 R28 R29 R31 R32 R33 R34 R35 R36 R37 R38 " \
    "R42 R43 R44 R45 R46 R47 R48 R50 R51 R55 R56 R57"

static const struct vector pairs_rows[] = {
    CHECK("pairs", "any two features of a counter's life at once, each as without the other",
          .rules = PAIRS_RULES, .needs = NEED_SSE2, .deadline_ms = 20000, .run_item = pairs,
          .items = &every_counter),
    CHECK("pairs.init", "any feature of a counter's life with INIT of the sibling", .rules = PAIRS_RULES,
          .needs = NEED_SSE2 | NEED_SIBLING, .deadline_ms = 20000, .run = pairs_with_init),
};
VECTOR_GROUP(pairs);
