#include "fp_uop.h"

static const struct {
    enum pmu_event event;
    unsigned mask_bit;
} EVENT[] = {
    [FP_PACKED_SP] = {PMU_PACKED_SP_UOP, FIRM_ALL_UOPS}, [FP_PACKED_DP] = {PMU_PACKED_DP_UOP, FIRM_ALL_UOPS},
    [FP_SCALAR_SP] = {PMU_SCALAR_SP_UOP, FIRM_ALL_UOPS}, [FP_SCALAR_DP] = {PMU_SCALAR_DP_UOP, FIRM_ALL_UOPS},
    [FP_MMX64] = {PMU_64BIT_MMX_UOP, FIRM_ALL_UOPS},     [FP_MMX128] = {PMU_128BIT_MMX_UOP, FIRM_ALL_UOPS},
    [FP_X87] = {PMU_X87_FP_UOP, FIRM_ALL_UOPS},          [FP_MOVE_P0] = {PMU_X87_SIMD_MOVES_UOP, ALLP0},
    [FP_MOVE_P2] = {PMU_X87_SIMD_MOVES_UOP, ALLP2},
};

void uop_events_post(const struct processor *processor, const struct insn *insn)
{
    post(processor, EVENT[insn->fp].event, EVENT[insn->fp].mask_bit, 1);
}

unsigned uop_events_tags(const struct processor *processor, const struct insn *insn)
{
    return core_tags(processor->core, EVENT[insn->fp].event, EVENT[insn->fp].mask_bit, processor->thread);
}
