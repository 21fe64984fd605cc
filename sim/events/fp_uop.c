#include "fp_uop.h"

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

void uop_events_post(struct processor *processor, const struct insn *insn)
{
    post(processor, EVENT[insn->fp].event, EVENT[insn->fp].mask_bit, executions(processor, insn));
}

unsigned uop_events_tags(const struct processor *processor, const struct insn *insn)
{
    return core_tags(processor->core, EVENT[insn->fp].event, EVENT[insn->fp].mask_bit, processor->thread);
}
