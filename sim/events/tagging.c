/*
 * Three things tag uops: uop_type tags loads and stores at allocation (Table 19-31), a FIRM event with tag
 * enable tags its uops at execution (Table 19-32), and MSR_PEBS_ENABLE with MSR_PEBS_MATRIX_VERT tags
 * accesses that were replayed (Table 19-33). No uop is bogus, so every tagged uop retires.
 *
 * Replay tagging needs UOP_TAG (bit 24). Bit 25, PEBS itself, which Table 19-33 lists too, is not needed
 * (F35). An access is one uop, however many reasons for replay it had.
 */
#include "events.h"

#include "pmc/netburst/regs.h"
#include "pmc/count_of.h"

static bool tagged(const struct processor *processor, enum nbpmu_event event, unsigned mask_bit)
{
    return nbpmu_tags(processor->core->pmu, processor->thread, event, mask_bit) != 0;
}

/* ---- Replays ---- */

/* NBPMU_NO_EVENT: the replay needs no upstream event to be selected. */
static const struct {
    unsigned access;
    enum nbpmu_event event;
    unsigned mask_bit;
    uint64_t enable, matrix;
} REPLAY[] = {
    {ACCESS_SPLIT_LOAD, NBPMU_LOAD_PORT_REPLAY, SPLIT_LD, PEBS_REPLAY_SPLIT, PEBS_MATRIX_LOADS},
    {ACCESS_SPLIT_STORE, NBPMU_STORE_PORT_REPLAY, SPLIT_ST, PEBS_REPLAY_SPLIT, PEBS_MATRIX_STORES},
    {ACCESS_PARTIAL_DATA, NBPMU_MOB_LOAD_REPLAY, PARTIAL_DATA, PEBS_REPLAY_MOB, PEBS_MATRIX_LOADS},
    {ACCESS_UNALIGNED, NBPMU_MOB_LOAD_REPLAY, UNALGN_ADDR, PEBS_REPLAY_MOB, PEBS_MATRIX_LOADS},
    {ACCESS_MISSED_1ST_LEVEL, NBPMU_NO_EVENT, 0, PEBS_REPLAY_1ST_LEVEL, PEBS_MATRIX_LOADS},
    {ACCESS_MISSED_2ND_LEVEL, NBPMU_NO_EVENT, 0, PEBS_REPLAY_2ND_LEVEL, PEBS_MATRIX_LOADS},
    {ACCESS_DTLB_MISSED_LOAD, NBPMU_NO_EVENT, 0, PEBS_REPLAY_DTLB, PEBS_MATRIX_LOADS},
    {ACCESS_DTLB_MISSED_STORE, NBPMU_NO_EVENT, 0, PEBS_REPLAY_DTLB, PEBS_MATRIX_STORES},
};

static bool replay_tagged(const struct processor *processor, unsigned access)
{
    uint64_t enable = nbpmu_tagging_register(processor->core->pmu, MSR_PEBS_ENABLE);
    if (!(enable & PEBS_ENABLE_UOP_TAG))
        return false;
    uint64_t matrix = nbpmu_tagging_register(processor->core->pmu, MSR_PEBS_MATRIX_VERT);
    for (unsigned i = 0; i < COUNT_OF(REPLAY); i++)
        if (access & REPLAY[i].access && enable & REPLAY[i].enable && matrix & REPLAY[i].matrix &&
            (REPLAY[i].event == NBPMU_NO_EVENT || tagged(processor, REPLAY[i].event, REPLAY[i].mask_bit)))
            return true;
    return false;
}

/* ---- Retirement ---- */

bool tagging_of_memory(const struct processor *processor)
{
    return tagged(processor, NBPMU_UOP_TYPE, TAGLOADS) || tagged(processor, NBPMU_UOP_TYPE, TAGSTORES) ||
           nbpmu_tagging_register(processor->core->pmu, MSR_PEBS_ENABLE) & PEBS_ENABLE_UOP_TAG;
}

/* Loads and stores of the instruction that uop_type tagged. Uncached and locked accesses are not. */
static unsigned front_end_tagged(const struct processor *processor, const struct insn *insn, unsigned access)
{
    bool has_operand = insn->flags & (INSN_LOADS | INSN_STORES);
    if (has_operand && !access)
        return 0;
    return (tagged(processor, NBPMU_UOP_TYPE, TAGLOADS) ? insn->tagged_loads : 0) +
           (tagged(processor, NBPMU_UOP_TYPE, TAGSTORES) ? insn->tagged_stores : 0);
}

/* Post the tagged uops, as many in a clock as may retire in it. */
static void post_front_end(struct processor *processor, unsigned uops)
{
    for (; uops > UOPS_PER_CLOCK; uops -= UOPS_PER_CLOCK) {
        post(processor, NBPMU_FRONT_END_EVENT, NBOGUS, UOPS_PER_CLOCK);
        pass_clocks(processor, 1);
    }
    post(processor, NBPMU_FRONT_END_EVENT, NBOGUS, uops);
}

bool tagging_retire(struct processor *processor, const struct insn *insn, unsigned access)
{
    unsigned execution = insn->fp == FP_NONE ? 0 : fp_uop_tags(processor, insn);
    unsigned front_end = front_end_tagged(processor, insn, access);
    bool replay = access && replay_tagged(processor, access);

    if (front_end)
        post_front_end(processor, front_end);
    if (execution) /* tag bit k goes with NBOGUSk */
        post_mask(processor, NBPMU_EXECUTION_EVENT, execution, 1);
    if (replay)
        post(processor, NBPMU_REPLAY_EVENT, NBOGUS, 1);
    return execution || front_end || replay;
}
