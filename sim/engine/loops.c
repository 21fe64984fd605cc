#include "loops.h"

#include <stdlib.h>
#include <string.h>
#include "engine.h"
#include "fetches.h"
#include "loop_blocks.h"
#include "loop_engine.h"

#define HOT          24      /* jumps back to an address before its loop is tried */
#define COLD         (-2000) /* after a try that did not pay */
#define PAYS         300u    /* instructions */
#define LEAST_CLOCKS 100u    /* until something is due: it is not worth it for fewer */
#define MOST_CLOCKS  (1ull << 32)
#define MOST_COUNTED (1ull << 20) /* while events are counted */

bool loops_init(struct engine *engine)
{
    engine->loops = calloc(1, sizeof *engine->loops);
    return engine->loops != NULL;
}

void loops_free(struct engine *engine)
{
    if (engine->loops)
        loop_engine_close(engine->loops);
    free(engine->loops);
}

/* How many clocks may pass; none: it is not worth it. */
static uint64_t clocks_allowed(struct loops *loops, const struct processor *processor)
{
    const struct core *core = processor->core;
    uint64_t clocks = loops->stop_clock - core->clock;
    loops->counts = block_events_allowed(processor);
    loops->counted = core_active_events(core) & ~EVENT_BIT(NBPMU_NO_EVENT);
    if (!loops->counts) {
        uint64_t quiet = core_quiet(core);
        clocks = clocks < quiet ? clocks : quiet;
        return clocks < MOST_CLOCKS ? clocks : MOST_CLOCKS;
    }
    loops->counted &= ~BLOCK_EVENTS;
    clocks = clocks < MOST_COUNTED ? clocks : MOST_COUNTED;
    while (clocks >= LEAST_CLOCKS && !block_events_fit(processor, clocks))
        clocks /= 2;
    return clocks;
}

static bool begin(struct loops *loops, struct processor *processor)
{
    uint64_t clocks = clocks_allowed(loops, processor);
    if (clocks < LEAST_CLOCKS)
        return false;
    if (loops->uc && loops->translation.total >= LOOP_CODE)
        loop_engine_close(loops);
    if (!loops->uc && !loop_engine_open(loops, processor->ram)) {
        loop_engine_close(loops);
        return false;
    }
    loops->processor = processor;
    loops->run++;
    loops->current = NULL;
    loops->leaving = loops->failed = false;
    loops->translation.refused = 0;
    loops->spent = processor->twelfths;
    loops->budget = (clocks - 1) * TWELFTHS;
    memset(&loops->events, 0, sizeof loops->events);
    loops->visits = 0;
    loops->instructions = 0;
    loops->predictor = processor->predictor;
    loops->random = processor->timing->random;
    loops->ram_store = processor->ram_store;
    loops->stores = 0;
    uc_context_save(processor->uc, loops->from);
    uc_context_restore(loops->uc, loops->from);
    return true;
}

static void undo(struct loops *loops)
{
    struct processor *processor = loops->processor;
    while (loops->stores) {
        const struct loop_store *store = &loops->undo[--loops->stores];
        memcpy(processor->ram + store->address, store->old, store->bytes);
    }
    processor->predictor = loops->predictor;
    processor->timing->random = loops->random;
    processor->ram_store = loops->ram_store;
    if (loops->current)
        loops->current->barred = true;
}

/* What was posted in the block and waits for the next clock. */
static void find_open(struct block_counts *open, const struct processor *processor,
                      const struct loop_visit *visit)
{
    const struct block *block = visit->block;
    unsigned twelfths = visit->earlier;
    uint32_t address = block->address;
    for (unsigned i = 1; i <= block->work.instructions; i++) {
        const struct insn *insn = insn_slot(processor->engine->cache, address);
        bool last = i == block->work.instructions;
        block_events_pass(open, processor, insn, twelfths, last ? visit->penalty : 0,
                          last && block->branch ? &visit->outcome : NULL);
        twelfths = (twelfths + insn->twelfths) % TWELFTHS;
        address += insn->length;
    }
}

/* Let the PMU see what was counted. */
static bool take_events(struct loops *loops, uint64_t clocks)
{
    struct processor *processor = loops->processor;
    struct block_counts open = {.outcome = {0}};
    unsigned visits = loops->visits < LOOP_LAST ? loops->visits : LOOP_LAST;
    for (unsigned i = loops->visits - visits; i < loops->visits; i++) {
        const struct loop_visit *visit = &loops->last[i % LOOP_LAST];
        loop_blocks_add(loops, visit);
        find_open(&open, processor, visit);
    }
    return clocks > 0 && block_events_take(processor, clocks, &loops->events, &open);
}

/* None of the clocks had an event that is counted. The penalty of the last branch may go beyond those that
 * the PMU need not see. */
static void pass_clocks_of(const struct loops *loops, uint64_t clocks)
{
    struct processor *processor = loops->processor;
    uint64_t quiet = core_quiet(processor->core);
    uint64_t unseen = clocks < quiet ? clocks : quiet;
    core_pass_unseen(processor->core, unseen);
    processor->pending = loops->branch; /* what happens in these clocks is traced with it */
    core_clock(processor->core, clocks - unseen, false);
    processor->pending = NULL;
}

/* Returns false if the PMU does not take what was counted. */
static bool commit(struct loops *loops)
{
    struct processor *processor = loops->processor;
    struct core *core = processor->core;
    uint64_t clocks = loops->spent / TWELFTHS;
    if (!loops->instructions)
        return true;
    if (!loops->counts)
        pass_clocks_of(loops, clocks);
    else if (!take_events(loops, clocks))
        return false;
    uc_context_save(loops->uc, loops->to);
    uc_context_restore(processor->uc, loops->to);
    processor->eip = loops->left_at - processor->cs_base;
    processor->engine->instructions += loops->instructions;
    processor->twelfths = (uint8_t)(loops->spent % TWELFTHS);
    processor->shadow = false;
    if (core_active_events(core))
        processor->tc_mode = loops->tc_mode;
    return true;
}

void loops_run(struct processor *processor)
{
    struct loops *loops = processor->engine->loops;
    int16_t *heat = &loops->heat[processor->eip % LOOP_HEATS];
    *heat = COLD;
    if (!begin(loops, processor))
        return;
    uc_err error = uc_emu_start(loops->uc, processor->eip, 0, 0, 0);
    fetches_end_cut(&loops->translation, loops->uc);
    if (error != UC_ERR_OK && !(error == UC_ERR_FETCH_PROT && loops->translation.refused))
        loops->failed = true;
    if (!loops->failed && !loops->leaving &&
        loops->current) { /* the block was cut, or the next one refused */
        uint32_t eip;
        uc_reg_read(loops->uc, UC_X86_REG_EIP, &eip);
        loops->left_at = eip + processor->cs_base;
        loop_blocks_account(loops, loops->left_at);
    }
    if (loops->failed || !commit(loops))
        undo(loops);
    else if (loops->instructions >= PAYS)
        *heat = HOT - 1;
}

bool loops_worthwhile(struct processor *processor, uint32_t address)
{
    struct loops *loops = processor->engine->loops;
    if (!loops || ++loops->heat[address % LOOP_HEATS] < HOT)
        return false;
    loops->stop_clock = processor->stop_clock;
    return !processor->ram_writable && !(processor->mode_tag & INSN_TAG_16BIT) &&
           loops->stop_clock > processor->core->clock + LEAST_CLOCKS;
}
