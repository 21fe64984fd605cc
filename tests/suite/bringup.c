/* The stages as members of a vector, and which counters are right where it stops. */
#include "bringup.h"

#include "expect.h"
#include "failure.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "pmc/netburst/map.h"

#define SET_TEXT     80 /* of a set of counters, in words */
#define RETIRED_ONES 12 /* the first of the counters that count instr_retired, which are easiest to build */

static const struct stage *stopped;

static unsigned stage_needs(const void *item)
{
    return ((const struct stage *)item)->needs;
}

/* The counter of a stage for which one will do. */
static unsigned one_that_counts(void)
{
    for (unsigned i = 0; i < PMC_COUNTERS; i++)
        if (stage_counts((RETIRED_ONES + i) % PMC_COUNTERS))
            return (RETIRED_ONES + i) % PMC_COUNTERS;
    return RETIRED_ONES;
}

static void test(const void *item)
{
    const struct stage *stage = item;
    const unsigned first = stage->one ? one_that_counts() : 0;
    const unsigned last = stage->one ? first : PMC_COUNTERS - 1;

    for (unsigned n = first; n <= last; n++) {
        if (!stage_has(stage, n))
            continue;
        stage->test(n);
        if (expect_outcome() == OUTCOME_NOT_OK)
            expect_end();
    }
}

static const struct items every_stage = ITEMS(STAGE, .name = named_item, .needs = stage_needs);

const struct vector BRINGUP =
    CHECK("bringup", "each counter does what is essential of the stage", .also = "none", .deadline_ms = 10000,
          .run_item = test, .items = &every_stage);

/* "0-11 13" */
static void name_set(uint32_t set, char out[SET_TEXT])
{
    size_t length = 0;

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const unsigned first = n;

        if (!(set >> n & 1))
            continue;
        while (n + 1 < PMC_COUNTERS && set >> (n + 1) & 1)
            n++;
        length += format(out + length, SET_TEXT - length, first == n ? "%s%u" : "%s%u-%u", length ? " " : "",
                         first, n);
    }
}

void bringup_stop(unsigned member, stage_try *try)
{
    const struct stage *stage = &STAGE[member];
    char right_ones[SET_TEXT], wrong_ones[SET_TEXT], first[FAILURE_TEXT];

    failure_first(first, sizeof first);
    const uint32_t right = gone_try_all(stage, try);
    uint32_t all = 0;

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        all |= (uint32_t)stage_has(stage, n) << n;
    stopped = stage;
    if (gone_sentence(stage)) {
        tap_follows("bringup stops at stage %s (%s): %s", stage->name, stage->rules, gone_sentence(stage));
        return;
    }
    name_set(right, right_ones);
    name_set(all & ~right, wrong_ones);
    tap_follows("bringup stops at stage %s (%s): %s%s; wrong on %s: %s", stage->name, stage->rules,
                right ? "right on counters " : "right on no counter", right ? right_ones : "",
                all & ~right ? wrong_ones : "none now", first);
}

const struct stage *bringup_stopped(void)
{
    return stopped;
}

void bringup_report(void)
{
    if (!stopped)
        tap_comment(COMMENT_INFO, "bringup: every stage is there; boot without this word for the whole test");
}
