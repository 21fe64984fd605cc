#include "fp_uop.h"

#include <string.h>
#include "tc_mode.h"
#include "sim/lib/random.h"

#define LOAD_CLOCKS 10u /* a uop that executes so soon after a load may come before its data */

static const struct {
    enum nbpmu_event event;
    unsigned mask_bit;
} EVENT[] = {
    [FP_PACKED_SP] = {NBPMU_PACKED_SP_UOP, FIRM_ALL_UOPS},
    [FP_PACKED_DP] = {NBPMU_PACKED_DP_UOP, FIRM_ALL_UOPS},
    [FP_SCALAR_SP] = {NBPMU_SCALAR_SP_UOP, FIRM_ALL_UOPS},
    [FP_SCALAR_DP] = {NBPMU_SCALAR_DP_UOP, FIRM_ALL_UOPS},
    [FP_MMX64] = {NBPMU_64BIT_MMX_UOP, FIRM_ALL_UOPS},
    [FP_MMX128] = {NBPMU_128BIT_MMX_UOP, FIRM_ALL_UOPS},
    [FP_X87] = {NBPMU_X87_FP_UOP, FIRM_ALL_UOPS},
    [FP_MOVE_P0] = {NBPMU_X87_SIMD_MOVES_UOP, ALLP0},
    [FP_MOVE_P2] = {NBPMU_X87_SIMD_MOVES_UOP, ALLP2},
};

/* How often the uop executes: one that waits for a load is dispatched early and replayed (F11). */
static unsigned executions(struct processor *processor, const struct insn *insn)
{
    bool waits = insn->flags & INSN_LOADS || processor->core->clock < processor->fp_loaded + LOAD_CLOCKS;
    if (insn->fp == FP_MOVE_P2)
        processor->fp_loaded = processor->core->clock;
    if (!waits || insn->fp == FP_MOVE_P0 || insn->fp == FP_MOVE_P2 || !processor->choices->firm_replays)
        return 1;
    return 1 + random32_below(&processor->dice, 3);
}

/* ---- The order of execution ---- */

/* Does a younger uop wait for an older one? */
static bool depends(const struct fp_uop *uop, const struct fp_uop *older)
{
    return older->to && (older->to == uop->to || older->to == uop->from);
}

static bool is_ready(const struct fp_window *window, unsigned index)
{
    for (unsigned older = 0; older < index; older++)
        if (depends(&window->uop[index], &window->uop[older]))
            return false;
    return true;
}

/* One that is ready; the oldest always is. */
static unsigned choose(struct processor *processor)
{
    const struct fp_window *window = &processor->fp_window;
    unsigned ready[FP_WINDOW], count = 0;
    for (unsigned i = 0; i < window->count; i++)
        if (is_ready(window, i))
            ready[count++] = i;
    return ready[random_below(&processor->timing->random, count)];
}

/* The uop of this index in the window executes, in the next clock. */
static void execute(struct processor *processor, unsigned index)
{
    struct fp_window *window = &processor->fp_window;
    struct fp_uop uop = window->uop[index];
    if (window->executed == processor->core->clock && processor->core->posted)
        pass_clocks(processor, 1);
    window->count--;
    memmove(&window->uop[index], &window->uop[index + 1], (window->count - index) * sizeof *window->uop);
    post(processor, EVENT[uop.fp].event, EVENT[uop.fp].mask_bit, uop.times);
    window->executed = processor->core->clock;
}

void fp_uop_issue(struct processor *processor, const struct insn *insn)
{
    struct fp_window *window = &processor->fp_window;
    window->uop[window->count++] = (struct fp_uop){.fp = insn->fp,
                                                   .to = insn->fp_to,
                                                   .from = insn->fp_from,
                                                   .times = (uint8_t)executions(processor, insn)};
    processor->stop_clock = 0; /* the fast path does not let it execute */
}

void fp_uop_execute(struct processor *processor)
{
    struct fp_window *window = &processor->fp_window;
    unsigned most = processor->timing->fp_window;
    for (unsigned i = 0; i < window->count; i++)
        window->uop[i].age++;
    while (window->count && window->uop[0].age > most)
        execute(processor, 0);
    if (window->count > most || (window->count && random_below(&processor->timing->random, 2)))
        execute(processor, choose(processor));
}

void fp_uop_drain(struct processor *processor)
{
    while (processor->fp_window.count) {
        execute(processor, choose(processor));
        pass_clocks(processor, 1);
    }
}

/* ---- Tags ---- */

unsigned fp_uop_tags(const struct processor *processor, const struct insn *insn)
{
    return core_tags(processor->core, EVENT[insn->fp].event, EVENT[insn->fp].mask_bit, processor->thread);
}
