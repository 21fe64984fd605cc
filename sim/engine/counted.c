#include "counted.h"

#include "blocks.h"
#include "engine.h"
#include "sim/events/retire.h"

#define LEAST_CLOCKS 32u /* for which the PMU is asked, */
#define MOST_CLOCKS  1024u
#define REFUSED      100u /* blocks */

/* How many whole clocks pass until the end of the block. */
static uint64_t clocks_to_end(const struct processor *processor, const struct counted *counted,
                              const struct block *block)
{
    uint64_t spent = counted->visits ? counted->spent : processor->twelfths;
    return (spent + block->twelfths) / TWELFTHS;
}

/* Ask the PMU for as many clocks as it allows. */
static bool ask(struct processor *processor, struct counted *counted)
{
    const struct core *core = processor->core;
    uint64_t clocks = processor->stop_clock - core->clock;
    if (clocks > MOST_CLOCKS)
        clocks = MOST_CLOCKS;
    if (block_events_allowed(processor))
        for (; clocks >= LEAST_CLOCKS; clocks /= 4)
            if (block_events_fit(processor, clocks)) {
                counted->end = core->clock + clocks;
                return true;
            }
    counted->refused = REFUSED;
    return false;
}

bool counted_begin(struct processor *processor, const struct block *block, uint64_t heard)
{
    struct counted *counted = &processor->engine->blocks->counted;
    const struct core *core = processor->core;
    if (heard & ~BLOCK_EVENTS || !block_is_countable(block, processor))
        return false;
    if (counted->refused) {
        counted->refused--;
        return false;
    }
    uint64_t clocks = clocks_to_end(processor, counted, block);
    if (core->clock + clocks + 1 >= processor->stop_clock)
        return false;
    if (core->clock + clocks > counted->end) {
        counted_settle(processor);
        if (!ask(processor, counted) || core->clock + clocks_to_end(processor, counted, block) > counted->end)
            return false;
    }
    if (counted->visits == COUNTED_VISITS)
        counted_settle(processor);
    if (!counted->visits)
        counted->spent = processor->twelfths;
    counted->block = true;
    return true;
}

void counted_end(struct processor *processor, uint32_t next)
{
    struct counted *counted = &processor->engine->blocks->counted;
    const struct block *block = processor->block;
    struct visit *visit = &counted->visit[counted->visits++];
    *visit = visit_end(processor, block, (unsigned)(counted->spent % TWELFTHS), next);
    counted->block = false;
    counted->spent += block->twelfths + visit->penalty * TWELFTHS;
    processor->engine->instructions += block->work.instructions;
    processor->shadow = false;
    if (visit->penalty && processor->core->clock + counted->spent / TWELFTHS > counted->end)
        counted_settle(processor);
}

/* Returns false if the PMU does not take them. */
static bool take(struct processor *processor, const struct counted *counted)
{
    struct block_counts counts = {.outcome = {0}}, open = {.outcome = {0}};
    unsigned last = counted->visits > VISITS_OPEN ? counted->visits - VISITS_OPEN : 0;
    uint64_t clocks = counted->spent / TWELFTHS;
    if (clocks == 0 || processor->core->clock + clocks > counted->end)
        return false;
    for (unsigned i = 0; i < counted->visits; i++)
        visit_add(&counts, &counted->visit[i]);
    for (unsigned i = last; i < counted->visits; i++)
        visit_add_open(&open, processor, &counted->visit[i]);
    if (!block_events_take(processor, clocks, &counts, &open))
        return false;
    processor->twelfths = (uint8_t)(counted->spent % TWELFTHS);
    processor->tc_mode = counted->visit[counted->visits - 1].block->tc_mode;
    return true;
}

void counted_settle(struct processor *processor)
{
    struct counted *counted = &processor->engine->blocks->counted;
    if (!counted->visits)
        return;
    if (!take(processor, counted))
        for (unsigned i = 0; i < counted->visits; i++)
            visit_replay(processor, &counted->visit[i]);
    counted->visits = 0;
}

void counted_stop(struct processor *processor)
{
    if (!processor->engine->blocks)
        return;
    counted_settle(processor);
    processor->engine->blocks->counted.end = 0;
}
