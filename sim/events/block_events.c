#include "block_events.h"

#include <string.h>
#include "retire.h"
#include "tagging.h"
#include "tc_mode.h"
#include "pmc/count_of.h"
#include "sim/cpu/injector.h"

#define MOST_INSTRUCTIONS UOPS_PER_CLOCK /* that retire in a clock */
#define MOST_TRANSFERS    4u             /* of two instructions */

bool block_events_allowed(const struct processor *processor)
{
    bool tagged = is_counted(processor, EVENT_BIT(NBPMU_INSTR_RETIRED)) && tagging_of_memory(processor);
    return is_counted(processor, BLOCK_EVENTS) && !tagged && !processor->choices->from_rom_incomplete &&
           processor->core->injectors->count == 0;
}

bool block_events_fit(const struct processor *processor, uint64_t clocks)
{
    const uint16_t sources = 1u << FROM_TC_DELIVER | 1u << FROM_ROM;
    const uint16_t outcomes = (1u << BRANCH_OUTCOMES) - 1, types = BRANCH_TYPES - 1;
    const uint64_t uops = UOPS_PER_CLOCK * clocks, instructions = MOST_INSTRUCTIONS * clocks;
    const struct nbpmu_block_event events[] = {
        {NBPMU_UOPS_RETIRED, 1u << NBOGUS, UOPS_PER_CLOCK, uops},
        {NBPMU_UOP_QUEUE_WRITES, sources, UOPS_PER_CLOCK, uops},
        {NBPMU_INSTR_RETIRED, 1u << NBOGUSNTAG, 2 * MOST_INSTRUCTIONS, 2 * instructions},
        {NBPMU_INSTR_COMPLETED, 1u << NBOGUS, MOST_INSTRUCTIONS, instructions},
        {NBPMU_TC_MS_XFER, 1u << CISC, MOST_TRANSFERS, MOST_TRANSFERS * clocks},
        {NBPMU_TC_DELIVER_MODE, tc_mode_delivers(processor), 1, clocks},
        {NBPMU_BRANCH_RETIRED, outcomes, MOST_INSTRUCTIONS, instructions},
        {NBPMU_RETIRED_BRANCH_TYPE, types, MOST_INSTRUCTIONS, instructions},
        {NBPMU_MISPRED_BRANCH_RETIRED, 1u << NBOGUS, MOST_INSTRUCTIONS, instructions},
        {NBPMU_RETIRED_MISPRED_BRANCH_TYPE, types, MOST_INSTRUCTIONS, instructions},
    };
    struct nbpmu_block_event counted[COUNT_OF(events)];
    unsigned count = 0;
    for (unsigned i = 0; i < COUNT_OF(events); i++)
        if (is_counted(processor, EVENT_BIT(events[i].event)))
            counted[count++] = events[i];
    return core_block_fits(processor->core, processor->thread, clocks, counted, count);
}

/* ---- Adding up ---- */

void block_work_add(struct block_work *work, const struct processor *processor, const struct insn *insn)
{
    bool rom = insn->flags & INSN_MICROCODED;
    *(rom ? &work->rom_uops : &work->uops) += insn->uops;
    work->instructions++;
    work->retired += retire_counts_twice(processor, insn) ? 2 : 1;
    if (rom)
        work->transfers += processor->choices->tc_ms_xfer_once ? 1 : 2;
}

void block_events_add(struct block_counts *counts, const struct block_work *work)
{
    counts->work.uops += work->uops;
    counts->work.rom_uops += work->rom_uops;
    counts->work.instructions += work->instructions;
    counts->work.retired += work->retired;
    counts->work.transfers += work->transfers;
}

void block_events_add_branch(struct block_counts *counts, const struct insn *insn,
                             struct branch_outcome outcome)
{
    unsigned types = branch_types(insn);
    counts->outcome[!outcome.predicted + 2 * outcome.taken]++;
    counts->type[types]++;
    if (!outcome.predicted)
        counts->mispredicted_type[types]++;
}

/* The uops that retire in clocks before that of the last ones, as spread_uops() in retire.c posts them. */
static unsigned uops_before(const struct processor *processor, const struct insn *insn, uint64_t *clocks,
                            unsigned earlier)
{
    const uint64_t events = EVENT_BIT(NBPMU_UOPS_RETIRED) | EVENT_BIT(NBPMU_UOP_QUEUE_WRITES);
    unsigned before = 0, room = UOPS_PER_CLOCK - earlier * UOPS_PER_CLOCK / TWELFTHS;
    if (!is_counted(processor, events))
        return 0;
    for (; insn->uops - before > room && *clocks > 0; room = UOPS_PER_CLOCK, --*clocks)
        before += room;
    return before;
}

void block_events_pass(struct block_counts *open, const struct processor *processor, const struct insn *insn,
                       unsigned earlier, uint64_t penalty, const struct branch_outcome *outcome)
{
    uint64_t clocks = (earlier + insn->clocks * TWELFTHS + insn->twelfths) / TWELFTHS + penalty;
    unsigned before = uops_before(processor, insn, &clocks, earlier);
    if (before)
        memset(open, 0, sizeof *open);
    block_work_add(&open->work, processor, insn);
    *(insn->flags & INSN_MICROCODED ? &open->work.rom_uops : &open->work.uops) -= before;
    if (outcome)
        block_events_add_branch(open, insn, *outcome);
    if (clocks > 0)
        memset(open, 0, sizeof *open);
}

/* ---- The PMU ---- */

struct entries {
    struct nbpmu_block_event event[NBPMU_BLOCK_EVENTS];
    unsigned count;
    bool overflow;
};

static void enter(struct entries *entries, const struct processor *processor, enum nbpmu_event event,
                  unsigned mask_bits, unsigned most, uint64_t total)
{
    if (total == 0 || !is_counted(processor, EVENT_BIT(event)))
        return;
    entries->overflow = entries->overflow || entries->count == NBPMU_BLOCK_EVENTS;
    if (!entries->overflow)
        entries->event[entries->count++] =
            (struct nbpmu_block_event){event, (uint16_t)mask_bits, most, total};
}

/* The entries of what is in counts and not in open. */
static void enter_all(struct entries *entries, const struct processor *processor, uint64_t clocks,
                      const struct block_counts *counts, const struct block_counts *open)
{
    uint64_t uops = counts->work.uops - open->work.uops;
    uint64_t rom_uops = counts->work.rom_uops - open->work.rom_uops;
    uint64_t mispredicted = 0;

    enter(entries, processor, NBPMU_UOPS_RETIRED, 1u << NBOGUS, UOPS_PER_CLOCK, uops + rom_uops);
    enter(entries, processor, NBPMU_UOP_QUEUE_WRITES, 1u << FROM_TC_DELIVER, UOPS_PER_CLOCK, uops);
    enter(entries, processor, NBPMU_UOP_QUEUE_WRITES, 1u << FROM_ROM, UOPS_PER_CLOCK, rom_uops);
    enter(entries, processor, NBPMU_INSTR_RETIRED, 1u << NBOGUSNTAG, 2 * MOST_INSTRUCTIONS,
          counts->work.retired - open->work.retired);
    enter(entries, processor, NBPMU_INSTR_COMPLETED, 1u << NBOGUS, MOST_INSTRUCTIONS,
          counts->work.instructions - open->work.instructions);
    enter(entries, processor, NBPMU_TC_MS_XFER, 1u << CISC, MOST_TRANSFERS,
          counts->work.transfers - open->work.transfers);
    enter(entries, processor, NBPMU_TC_DELIVER_MODE, tc_mode_delivers(processor), 1, clocks);
    for (unsigned i = 0; i < BRANCH_OUTCOMES; i++)
        enter(entries, processor, NBPMU_BRANCH_RETIRED, 1u << i, MOST_INSTRUCTIONS,
              counts->outcome[i] - open->outcome[i]);
    for (unsigned i = 0; i < BRANCH_TYPES && is_counted(processor, BRANCH_EVENTS); i++) {
        uint64_t wrong = counts->mispredicted_type[i] - open->mispredicted_type[i];
        if (i) { /* a branch without a type posts no type */
            enter(entries, processor, NBPMU_RETIRED_BRANCH_TYPE, i, MOST_INSTRUCTIONS,
                  counts->type[i] - open->type[i]);
            enter(entries, processor, NBPMU_RETIRED_MISPRED_BRANCH_TYPE, i, MOST_INSTRUCTIONS, wrong);
        }
        mispredicted += wrong;
    }
    enter(entries, processor, NBPMU_MISPRED_BRANCH_RETIRED, 1u << NBOGUS, MOST_INSTRUCTIONS, mispredicted);
}

bool block_events_take(struct processor *processor, uint64_t clocks, const struct block_counts *counts,
                       const struct block_counts *open)
{
    static const struct block_counts NOTHING;
    struct entries taken = {.count = 0}, waiting = {.count = 0};
    enter_all(&taken, processor, clocks, counts, open);
    enter_all(&waiting, processor, 0, open, &NOTHING);
    if (taken.overflow || waiting.overflow ||
        !core_take_block(processor->core, processor->thread, clocks, taken.event, taken.count))
        return false;
    for (unsigned i = 0; i < waiting.count; i++)
        core_post(processor->core, waiting.event[i].event, waiting.event[i].mask_bits, processor->thread,
                  (unsigned)waiting.event[i].total);
    return true;
}
