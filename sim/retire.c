/*
 * Events of a retired instruction (reference section 4).
 *
 * Retirement events belong to the last clock's first uops; an instruction of more than three uops delivers
 * them three a clock. instr_retired counts the instructions of reference 8.2 twice (E13). An instruction
 * whose code was decoded just now is built into the trace cache (uop_queue_writes FROM_TC_BUILD,
 * BPU_fetch_request, an ITLB look-up), a microcoded one comes from the ROM, all others from the trace cache.
 * Nothing here is speculative: there are no bogus uops and no wrong-path counts.
 */
#include "retire.h"

#include "machine.h"
#include "memory_type.h"

#define UOPS_PER_CLOCK 3
#define CACHE_LINE     64u
#define UC_CHUNK       8u /* IOQ_allocation counts uncached accesses in chunks of 8 bytes */

#define BIT(event) (1ull << (event))

#define BRANCH_EVENTS                                                                           \
    (BIT(PMU_BRANCH_RETIRED) | BIT(PMU_MISPRED_BRANCH_RETIRED) | BIT(PMU_RETIRED_BRANCH_TYPE) | \
     BIT(PMU_RETIRED_MISPRED_BRANCH_TYPE))
#define MEMORY_EVENTS                                                                    \
    (BIT(PMU_MEMORY_COMPLETE) | BIT(PMU_LOAD_PORT_REPLAY) | BIT(PMU_STORE_PORT_REPLAY) | \
     BIT(PMU_MOB_LOAD_REPLAY) | BIT(PMU_IOQ_ALLOCATION))
#define FRONT_END_EVENTS \
    (BIT(PMU_UOP_QUEUE_WRITES) | BIT(PMU_TC_MS_XFER) | BIT(PMU_BPU_FETCH_REQUEST) | BIT(PMU_ITLB_REFERENCE))
#define UOP_EVENTS (BIT(PMU_UOPS_RETIRED) | BIT(PMU_UOP_QUEUE_WRITES))
#define FLAME_UOP_EVENTS                                                                                 \
    (BIT(PMU_PACKED_SP_UOP) | BIT(PMU_PACKED_DP_UOP) | BIT(PMU_SCALAR_SP_UOP) | BIT(PMU_SCALAR_DP_UOP) | \
     BIT(PMU_64BIT_MMX_UOP) | BIT(PMU_128BIT_MMX_UOP) | BIT(PMU_X87_FP_UOP) | BIT(PMU_X87_SIMD_MOVES_UOP))

/* Mask bits, by the manual's member names (reference 4.1 to 4.5). */
enum {
    NBOGUS = 0,
    NBOGUSNTAG = 0,
    MMNP = 0, /* + 1 when mispredicted, + 2 when taken */
    TYPE_UNCONDITIONAL = 0,
    TYPE_CONDITIONAL = 1,
    TYPE_CALL = 2,
    TYPE_RETURN = 3,
    TYPE_INDIRECT = 4,
    FROM_TC_BUILD = 0,
    FROM_TC_DELIVER = 1,
    FROM_ROM = 2,
    CISC = 0,
    TCMISS = 0,
    ITLB_HIT = 0,
    LSC = 0,
    SSC = 1,
    SPLIT_LD = 1,
    SPLIT_ST = 1,
    PARTIAL_DATA = 4,
    IOQ_REQUEST_DEFAULT = 0,
    IOQ_ALL_READ = 5,
    IOQ_ALL_WRITE = 6,
    IOQ_UC = 7,
    IOQ_OWN = 13,
    CLEAR = 0,
    SMCLEAR = 6,
    ALLP0 = 3,
    ALLP2 = 4,
    FIRM_ALL_UOPS = 15
};

static void post(const struct processor *processor, enum pmu_event event, unsigned mask_bit, unsigned count)
{
    pmu_post(processor->core->pmu, event, mask_bit, processor->thread, processor->cpl, count);
}

static void post_mask(const struct processor *processor, enum pmu_event event, unsigned bits, unsigned count)
{
    pmu_post_mask(processor->core->pmu, event, (uint16_t)bits, processor->thread, processor->cpl, count);
}

/* ---- Branches ---- */

static unsigned branch_types(const struct insn *insn)
{
    switch (insn->branch) {
    case BRANCH_CONDITIONAL:
        return 1u << TYPE_CONDITIONAL;
    case BRANCH_JUMP:
        return 1u << TYPE_UNCONDITIONAL;
    case BRANCH_CALL:
        return 1u << TYPE_CALL;
    case BRANCH_RETURN:
        return 1u << TYPE_RETURN | 1u << TYPE_INDIRECT;
    case BRANCH_INDIRECT_CALL:
        return 1u << TYPE_CALL | 1u << TYPE_INDIRECT;
    case BRANCH_INDIRECT_JUMP:
        return 1u << TYPE_INDIRECT;
    default:
        return 0;
    }
}

static void post_branch(struct processor *processor, const struct insn *insn, uint32_t address, uint32_t next)
{
    bool taken = insn->branch != BRANCH_CONDITIONAL || next != address + insn->length;
    bool predicted = predictor_resolve(&processor->predictor, insn, address, next, taken);
    unsigned types = branch_types(insn);

    post(processor, PMU_BRANCH_RETIRED, MMNP + !predicted + 2 * taken, 1);
    if (types)
        post_mask(processor, PMU_RETIRED_BRANCH_TYPE, types, 1);
    if (predicted)
        return;
    post(processor, PMU_MISPRED_BRANCH_RETIRED, NBOGUS, 1);
    if (types)
        post_mask(processor, PMU_RETIRED_MISPRED_BRANCH_TYPE, types, 1);
}

/* ---- Memory ---- */

static bool crosses_line(uint32_t address, unsigned size)
{
    return address % CACHE_LINE + size > CACHE_LINE;
}

static void post_uncached(struct processor *processor, const struct insn *insn)
{
    unsigned chunks = (processor->operand % UC_CHUNK + insn->size + UC_CHUNK - 1) / UC_CHUNK;
    unsigned common = 1u << IOQ_REQUEST_DEFAULT | 1u << IOQ_UC | 1u << IOQ_OWN;
    if (insn->flags & INSN_LOADS)
        post_mask(processor, PMU_IOQ_ALLOCATION, common | 1u << IOQ_ALL_READ, chunks);
    if (insn->flags & INSN_STORES)
        post_mask(processor, PMU_IOQ_ALLOCATION, common | 1u << IOQ_ALL_WRITE, chunks);
}

/* The last store is still in the store buffer: a load that needs only a part of its bytes from it is
 * replayed. */
static bool partially_forwarded(const struct processor *processor, const struct insn *insn)
{
    uint32_t load = processor->operand, store = processor->store;
    bool overlaps = load < store + processor->store_size && store < load + insn->size;
    bool contained = load >= store && load + insn->size <= store + processor->store_size;
    return overlaps && !contained;
}

static void post_memory(struct processor *processor, const struct insn *insn)
{
    bool split = crosses_line(processor->operand, insn->size);
    if (memory_type_is_uncached(processor, processor->operand)) {
        post_uncached(processor, insn);
        return;
    }
    if (insn->flags & INSN_LOADS) {
        if (split) {
            post(processor, PMU_MEMORY_COMPLETE, LSC, 1);
            post(processor, PMU_LOAD_PORT_REPLAY, SPLIT_LD, 1);
        }
        if (partially_forwarded(processor, insn))
            post(processor, PMU_MOB_LOAD_REPLAY, PARTIAL_DATA, 1);
    }
    if (insn->flags & INSN_STORES) {
        if (split) {
            post(processor, PMU_MEMORY_COMPLETE, SSC, 1);
            post(processor, PMU_STORE_PORT_REPLAY, SPLIT_ST, 1);
        }
        processor->store = processor->operand;
        processor->store_size = insn->size;
    }
}

void retire_note_operand(struct processor *processor)
{
    const struct insn *insn = processor->pending;
    if (!(processor->core->listening & MEMORY_EVENTS) || !(insn->flags & (INSN_LOADS | INSN_STORES)))
        return;
    uint32_t address = insn->offset;
    if (insn->base)
        address += processor_get(processor, insn->base);
    if (insn->index)
        address += processor_get(processor, insn->index) * insn->scale;
    processor->operand = address;
}

/* ---- Uops ---- */

static unsigned uop_source(const struct processor *processor, const struct insn *insn)
{
    if (insn->flags & INSN_MICROCODED)
        return FROM_ROM;
    return processor->fresh ? FROM_TC_BUILD : FROM_TC_DELIVER;
}

static void post_uops(const struct processor *processor, const struct insn *insn, unsigned count)
{
    post(processor, PMU_UOPS_RETIRED, NBOGUS, count);
    post(processor, PMU_UOP_QUEUE_WRITES, uop_source(processor, insn), count);
}

/* All but the last three uops, in clocks of their own. Returns the clocks left for the rest. */
static uint64_t spread_uops(struct processor *processor, const struct insn *insn, uint64_t clocks)
{
    unsigned uops = insn->uops;
    if (processor->core->listening & UOP_EVENTS) {
        for (; uops > UOPS_PER_CLOCK && clocks > 1; uops -= UOPS_PER_CLOCK, clocks--) {
            post_uops(processor, insn, UOPS_PER_CLOCK);
            machine_clock(processor->machine, processor->core, 1, true);
        }
        post_uops(processor, insn, uops);
    }
    return clocks;
}

static void post_front_end(const struct processor *processor, const struct insn *insn)
{
    if (insn->flags & INSN_MICROCODED)
        post(processor, PMU_TC_MS_XFER, CISC, 1);
    if (processor->fresh) {
        post(processor, PMU_BPU_FETCH_REQUEST, TCMISS, 1);
        post(processor, PMU_ITLB_REFERENCE, ITLB_HIT, 1);
    }
}

static void post_flame_uop(const struct processor *processor, const struct insn *insn)
{
    static const struct {
        enum pmu_event event;
        unsigned mask_bit;
    } EVENT[] = {
        [FP_PACKED_SP] = {PMU_PACKED_SP_UOP, FIRM_ALL_UOPS},
        [FP_PACKED_DP] = {PMU_PACKED_DP_UOP, FIRM_ALL_UOPS},
        [FP_SCALAR_SP] = {PMU_SCALAR_SP_UOP, FIRM_ALL_UOPS},
        [FP_SCALAR_DP] = {PMU_SCALAR_DP_UOP, FIRM_ALL_UOPS},
        [FP_MMX64] = {PMU_64BIT_MMX_UOP, FIRM_ALL_UOPS},
        [FP_MMX128] = {PMU_128BIT_MMX_UOP, FIRM_ALL_UOPS},
        [FP_X87] = {PMU_X87_FP_UOP, FIRM_ALL_UOPS},
        [FP_MOVE_P0] = {PMU_X87_SIMD_MOVES_UOP, ALLP0},
        [FP_MOVE_P2] = {PMU_X87_SIMD_MOVES_UOP, ALLP2},
    };
    post(processor, EVENT[insn->fp].event, EVENT[insn->fp].mask_bit, 1);
}

/* ---- One instruction ---- */

static void post_events(struct processor *processor, const struct insn *insn, uint32_t address, uint32_t next,
                        uint64_t clocks)
{
    clocks = spread_uops(processor, insn, clocks);
    uint64_t listening = processor->core->listening;

    if (listening & BIT(PMU_INSTR_RETIRED))
        post(processor, PMU_INSTR_RETIRED, NBOGUSNTAG, insn->flags & INSN_TWICE ? 2 : 1);
    if (listening & BIT(PMU_INSTR_COMPLETED))
        post(processor, PMU_INSTR_COMPLETED, NBOGUS, 1);
    if (insn->branch != BRANCH_NONE && listening & BRANCH_EVENTS)
        post_branch(processor, insn, address, next);
    if (listening & FRONT_END_EVENTS)
        post_front_end(processor, insn);
    if (insn->fp != FP_NONE && listening & FLAME_UOP_EVENTS)
        post_flame_uop(processor, insn);
    if (insn->flags & (INSN_LOADS | INSN_STORES) && listening & MEMORY_EVENTS)
        post_memory(processor, insn);
    if (processor->modified && listening & BIT(PMU_MACHINE_CLEAR))
        post_mask(processor, PMU_MACHINE_CLEAR, 1u << CLEAR | 1u << SMCLEAR, 1);

    machine_clock(processor->machine, processor->core, clocks, true);
}

void retire(struct processor *processor, uint32_t next)
{
    const struct insn *insn = processor->pending;
    struct core *core = processor->core;
    uint32_t address = (uint32_t)insn->tag;
    uint64_t clocks = (uint64_t)insn->clocks + processor->extra;
    bool iteration = insn->flags & INSN_REP && next == address;

    processor->extra = 0;
    if (!core->listening)
        core->clock += clocks;
    else if (iteration)
        machine_clock(processor->machine, core, clocks, false);
    else
        post_events(processor, insn, address, next, clocks);

    processor->pending = NULL;
    processor->fresh = false;
    processor->modified = false;
    processor->shadow = insn->flags & INSN_SHADOW;
    if (insn->special == INSN_FAR || insn->special == INSN_IRET)
        processor_refresh_segments(processor);
    if (insn->special == INSN_IRET)
        processor->nmi_blocked = false;
}
