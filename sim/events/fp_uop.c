/* Floating-point and SIMD uops: the order in which they execute, and their events there and at retirement. */
#include "events.h"

#include <string.h>
#include "sim/lib/random.h"
#include "pmc/netburst/regs.h"

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
    if (!waits || insn->fp == FP_MOVE_P0 || insn->fp == FP_MOVE_P2 || !processor->variants->firm_replays)
        return 1;
    return 1 + random_below(&processor->dice, 3);
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

/* Choose a uop that is ready; the oldest always is. */
static unsigned choose(struct processor *processor)
{
    const struct fp_window *window = &processor->fp_window;
    unsigned ready[FP_WINDOW] = {0}, count = 1;
    for (unsigned i = 1; i < window->count; i++)
        if (is_ready(window, i))
            ready[count++] = i;
    return ready[random_below(&processor->timing->random, count)];
}

static void execute(struct processor *processor, unsigned fp, unsigned times)
{
    struct fp_window *window = &processor->fp_window;
    if (window->executed == processor->core->clock && processor->core->posted)
        pass_clocks(processor, 1);
    post(processor, EVENT[fp].event, EVENT[fp].mask_bit, times);
    window->executed = processor->core->clock;
}

/* The uop of this index in the window executes. */
static void execute_waiting(struct processor *processor, unsigned index)
{
    struct fp_window *window = &processor->fp_window;
    struct fp_uop uop = window->uop[index];
    window->count--;
    memmove(&window->uop[index], &window->uop[index + 1], (window->count - index) * sizeof *window->uop);
    execute(processor, uop.fp, uop.times);
}

/* ---- Execution before its turn ---- */

/* Must later instructions wait for this one? */
static bool is_barrier(const struct insn *insn)
{
    return insn->branch != BRANCH_NONE || insn->intercept == INSN_HLT || insn_changes_mode(insn) ||
           insn->flags & (INSN_SERIALISES | INSN_TRAP | INSN_REP);
}

static uint32_t register_bits(unsigned number)
{
    return number ? 1u << number : 0;
}

static bool has_executed(const struct fp_window *window, uint32_t address)
{
    for (unsigned i = 0; i < window->aheads; i++)
        if (window->ahead[i] == address)
            return true;
    return false;
}

/* The instruction after insn, null if it has not been built yet. */
static const struct insn *insn_after(const struct processor *processor, const struct insn *insn)
{
    uint32_t address = (uint32_t)insn->tag + insn->length;
    insn = &processor->insns->entry[address % INSN_CACHE_ENTRIES];
    return insn->tag == (address | processor->mode_tag) ? insn : NULL;
}

bool fp_uop_follows(const struct processor *processor, const struct insn *insn)
{
    for (unsigned i = 0; i < processor->timing->fp_window && !is_barrier(insn); i++) {
        insn = insn_after(processor, insn);
        if (!insn || insn->fp != FP_NONE)
            return insn != NULL;
    }
    return false;
}

/* If chance finds one, execute a uop after insn that depends on none of those that wait. */
static void execute_ahead(struct processor *processor, const struct insn *insn)
{
    struct fp_window *window = &processor->fp_window;
    uint32_t written = 0;
    for (unsigned i = 0; i < window->count; i++)
        written |= register_bits(window->uop[i].to);
    for (unsigned i = 0; i < processor->timing->fp_window && !is_barrier(insn); i++) {
        insn = insn_after(processor, insn);
        if (!insn)
            return;
        uint32_t address = (uint32_t)insn->tag;
        if (insn->fp == FP_NONE || has_executed(window, address))
            continue;
        bool waits = written & (register_bits(insn->fp_to) | register_bits(insn->fp_from));
        if (!waits && random_below(&processor->timing->random, 2)) {
            window->ahead[window->aheads++] = address;
            execute(processor, insn->fp, executions(processor, insn));
            return;
        }
        written |= register_bits(insn->fp_to);
    }
}

/* Forget that the uop of the instruction at address has executed; false if it has not. */
static bool take_executed(struct fp_window *window, uint32_t address)
{
    for (unsigned i = 0; i < window->aheads; i++) {
        if (window->ahead[i] == address) {
            window->ahead[i] = window->ahead[--window->aheads];
            return true;
        }
    }
    return false;
}

/* ---- Instructions ---- */

void fp_uop_issue(struct processor *processor, const struct insn *insn)
{
    struct fp_window *window = &processor->fp_window;
    if (take_executed(window, (uint32_t)insn->tag))
        return;
    window->uop[window->count++] = (struct fp_uop){.fp = insn->fp,
                                                   .to = insn->fp_to,
                                                   .from = insn->fp_from,
                                                   .times = (uint8_t)executions(processor, insn)};
    processor->stop_clock = 0; /* the fast path does not let it execute */
}

void fp_uop_execute(struct processor *processor, const struct insn *insn)
{
    struct fp_window *window = &processor->fp_window;
    unsigned most = processor->timing->fp_window;
    for (unsigned i = 0; i < window->count; i++)
        window->uop[i].age++;
    while (window->count && window->uop[0].age > most)
        execute_waiting(processor, 0);
    if (window->count > most || (window->count && random_below(&processor->timing->random, 2)))
        execute_waiting(processor, choose(processor));
    if (window->aheads < most && is_counted(processor, UOP_EVENTS_FLAME))
        execute_ahead(processor, insn);
}

void fp_uop_drain(struct processor *processor)
{
    while (processor->fp_window.count) {
        execute_waiting(processor, choose(processor));
        pass_clocks(processor, 1);
    }
    processor->fp_window.aheads = 0;
}

/* ---- Tags ---- */

unsigned fp_uop_tags(const struct processor *processor, const struct insn *insn)
{
    return nbpmu_tags(processor->core->pmu, processor->thread, EVENT[insn->fp].event,
                      EVENT[insn->fp].mask_bit);
}
