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

#define TRIES 3 /* of a row; a disturbance does not repeat */

/* Bring the sibling back when INIT has left it waiting for a start-up IPI. */
static bool sibling_waits;

static void bring_sibling_back(void)
{
    if (sibling_waits)
        require_true(smp_restart(), "the sibling comes back after INIT");
    sibling_waits = false;
}

static struct pairs_wrong live_once(struct pairs_life *life)
{
    const struct pairs_row *row = &life->row;

    if (!pairs_has(row, MEANWHILE, INIT))
        bring_sibling_back();
    if (pairs_has(row, PRESET, LAST)) {
        life->preset = pairs_preset(&(struct pairs_row){.counter = row->counter}, 0);
        life->preset = pairs_preset(row, pairs_live(life).moved);
    }
    struct pairs_seen seen = pairs_live(life);
    sibling_waits |= pairs_has(row, MEANWHILE, INIT);
    return pairs_judge(life, &seen);
}

static void live_row(const struct pairs_row *row)
{
    struct pairs_life life;
    struct pairs_wrong wrong;
    unsigned tries = 0;

    pairs_arrange(&life, row);
    do
        wrong = live_once(&life);
    while (wrong.quantity && ++tries < TRIES);
    if (!wrong.quantity)
        return;
    char words[300];
    pairs_words(row, words, sizeof words);
    bring_sibling_back();
    expect_between(wrong.low, wrong.high, wrong.observed, "row %u, counter %u (%s): %s", row->number,
                   row->counter, words, wrong.quantity);
}

/* The rows with INIT come last: the sibling is started again once. */
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
    sibling_waits = false;
    live_rows(counter, false);
    live_rows(counter, true);
    bring_sibling_back();
}

static const struct vector pairs_rows[] = {
    CHECK("pairs", "any two features of a counter's life at once, each as without the other",
          .rules =
              "R1 R2 R4 R5 R6 R8 R11 R12 R13 R16 R18 R21 R22 R23 R24 R26 R27 R28 R29 R31 R32 R33 R34 R35 R36 "
              "R37 R38 R42 R43 R44 R45 R46 R47 R48 R50 R51 R55 R56 R57",
          .needs = NEED_SSE2, .deadline_ms = 20000, .run_item = pairs, .items = &every_counter),
};
VECTOR_GROUP(pairs);
