#include "loops.h"

#include <stdlib.h>
#include <string.h>
#include "engine.h"
#include "loop_engine.h"

#define HOT          24      /* jumps back to an address before its loop is tried */
#define COLD         (-2000) /* after a try that did not pay */
#define PAYS         300u    /* instructions */
#define LEAST_CLOCKS 100u    /* until something is due: it is not worth it for fewer */
#define MOST_CLOCKS  (1ull << 32)

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

static bool begin(struct loops *loops, struct processor *processor)
{
    const struct core *core = processor->core;
    uint64_t clocks = loops->stop_clock - core->clock, quiet = core_quiet(core);
    clocks = clocks < quiet ? clocks : quiet;
    clocks = clocks < MOST_CLOCKS ? clocks : MOST_CLOCKS;
    if (clocks < LEAST_CLOCKS)
        return false;
    if (loops->uc && loops->total >= LOOP_CODE)
        loop_engine_close(loops);
    if (!loops->uc && !loop_engine_open(loops, processor->ram)) {
        loop_engine_close(loops);
        return false;
    }
    loops->processor = processor;
    loops->current = NULL;
    loops->leaving = loops->failed = false;
    loops->spent = processor->twelfths;
    loops->budget = (clocks - 1) * TWELFTHS;
    loops->counted = core_active_events(core) & ~(1ull << NBPMU_NO_EVENT);
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

static void commit(struct loops *loops)
{
    struct processor *processor = loops->processor;
    struct core *core = processor->core;
    if (!loops->instructions)
        return;
    uc_context_save(loops->uc, loops->to);
    uc_context_restore(processor->uc, loops->to);
    processor->eip = loops->left_at - processor->cs_base;
    processor->engine->instructions += loops->instructions;
    processor->twelfths = (uint8_t)(loops->spent % TWELFTHS);
    if (core_active_events(core))
        processor->tc_mode = loops->tc_mode;
    core_pass_unseen(core, loops->spent / TWELFTHS);
}

void loops_run(struct processor *processor)
{
    struct loops *loops = processor->engine->loops;
    int16_t *heat = &loops->heat[processor->eip % LOOP_HEATS];
    *heat = COLD;
    if (!begin(loops, processor))
        return;
    uc_err error = uc_emu_start(loops->uc, processor->eip, 0, 0, 0);
    loop_engine_end_cut(loops);
    if (error != UC_ERR_OK)
        loops->failed = true;
    if (!loops->failed && !loops->leaving && loops->current) { /* the block was cut */
        uint32_t eip;
        uc_reg_read(loops->uc, UC_X86_REG_EIP, &eip);
        loops->left_at = eip + processor->cs_base;
        loop_engine_account(loops, loops->left_at);
    }
    if (loops->failed) {
        undo(loops);
        return;
    }
    commit(loops);
    if (loops->instructions >= PAYS)
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
