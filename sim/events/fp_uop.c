#include "fp_uop.h"

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

void uop_events_post(const struct processor *processor, const struct insn *insn)
{
    post(processor, EVENT[insn->fp].event, EVENT[insn->fp].mask_bit, 1);
}

unsigned uop_events_tags(const struct processor *processor, const struct insn *insn)
{
    return core_tags(processor->core, EVENT[insn->fp].event, EVENT[insn->fp].mask_bit, processor->thread);
}
