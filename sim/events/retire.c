/*
 * Events of a retired instruction (pmu-rules 4).
 *
 * A clock takes at most three uops, of one or more instructions. The retirement events of an instruction
 * belong to the clock of its last uops. instr_retired counts the instructions of pmu-rules 8.2 twice (E13).
 * An instruction that was just decoded is built into the trace cache (uop_queue_writes FROM_TC_BUILD,
 * BPU_fetch_request, an ITLB look-up); a microcoded one comes from the ROM, any other one from the trace
 * cache. Nothing is speculative: there are no bogus uops, and counts of wrong paths are noise (noise.c).
 */
#include "events.h"

#include "sim/cpu/core.h"
#include "sim/cpu/registers.h"
#include "sim/lib/random.h"

/* The line of new code that BPU_fetch_request may count once (F17). */
#define FETCHED_LINE 64u

/* A REP MOVS of at least this many bytes copies in larger pieces (F12). */
#define COPIED_FAST   64u
#define COPIED_BY_UOP 16u

#define FETCH_EVENTS \
    (EVENT_BIT(NBPMU_BPU_FETCH_REQUEST) | EVENT_BIT(NBPMU_ITLB_REFERENCE) | EVENT_BIT(NBPMU_PAGE_WALK_TYPE))
#define UOP_EVENTS (EVENT_BIT(NBPMU_UOPS_RETIRED) | EVENT_BIT(NBPMU_UOP_QUEUE_WRITES))

/* ---- Uops ---- */

static unsigned uop_source(const struct processor *processor, const struct insn *insn)
{
    if (insn->flags & INSN_MICROCODED)
        return FROM_ROM;
    return processor->just_decoded ? FROM_TC_BUILD : FROM_TC_DELIVER;
}

static void post_uops(const struct processor *processor, const struct insn *insn, unsigned count)
{
    bool left_out =
        processor->variants->from_rom_incomplete && count == UOPS_PER_CLOCK && insn->flags & INSN_MICROCODED;
    post(processor, NBPMU_UOPS_RETIRED, NBOGUS, count);
    post(processor, NBPMU_UOP_QUEUE_WRITES, uop_source(processor, insn), left_out ? 1 : count); /* F16 */
}

/*
 * Post the uops, as many in a clock as it takes. If `earlier` twelfths of the first clock are over, uops of
 * an earlier instruction have used that part of it. The last uops belong to the clock after this call.
 * Returns the clocks that remain.
 */
static uint64_t spread_uops(struct processor *processor, const struct insn *insn, uint64_t clocks,
                            unsigned earlier)
{
    unsigned uops = insn->uops, room = UOPS_PER_CLOCK - earlier * UOPS_PER_CLOCK / TWELFTHS;
    if (!is_counted(processor, UOP_EVENTS))
        return clocks;
    for (; uops > room && clocks > 0; uops -= room, room = UOPS_PER_CLOCK, clocks--) {
        post_uops(processor, insn, room);
        pass_clocks(processor, 1);
    }
    post_uops(processor, insn, uops);
    return clocks;
}

/* ---- Front end ---- */

/* Only the building of a trace fetches code and translates its address. */
static void post_fetch(struct processor *processor, uint32_t address)
{
    bool hit = !processor_paged(processor) || tlb_look_up(&processor->itlb, address);
    bool next_to_last = processor->fetched / FETCHED_LINE == address / FETCHED_LINE;
    if (!(processor->variants->fetch_by_line && next_to_last))
        post(processor, NBPMU_BPU_FETCH_REQUEST, TCMISS, 1);
    processor->fetched = address;
    bool uncached = memory_type(processor, address) == MEMORY_UC;
    post(processor, NBPMU_ITLB_REFERENCE, !hit ? ITLB_MISS : uncached ? ITLB_HIT_UC : ITLB_HIT, 1);
    if (!hit)
        post(processor, NBPMU_PAGE_WALK_TYPE, ITMISS, 1);
}

static void post_clear(struct processor *processor)
{
    unsigned clears = processor->variants->smclear_repeats ? 1 + random_below(&processor->dice, 3) : 1;
    post_mask(processor, NBPMU_MACHINE_CLEAR, 1u << CLEAR | 1u << SMCLEAR, clears);
    post(processor, NBPMU_TC_MISC, FLUSH, clears);
}

static enum tc_mode mode_of(const struct processor *processor, const struct insn *insn)
{
    enum tc_mode mode = retire_tc_mode(insn);
    return mode == TC_MODE_DELIVER && processor->just_decoded ? TC_MODE_BUILD : mode;
}

/* ---- One instruction ---- */

void interruption_post(const struct processor *processor)
{
    post(processor, NBPMU_INSTR_COMPLETED, NBOGUS, 1);
    post(processor, NBPMU_BRANCH_RETIRED, MMTM, 1);
}

uint64_t retire_events(const struct insn *insn)
{
    uint64_t events = EVENT_BIT(NBPMU_NO_EVENT) | EVENT_BIT(NBPMU_TC_DELIVER_MODE) |
                      EVENT_BIT(NBPMU_INSTR_RETIRED) | EVENT_BIT(NBPMU_INSTR_COMPLETED) | UOP_EVENTS;
    if (insn->flags & (INSN_LOADS | INSN_STORES | INSN_FLUSHES))
        events |= MEMORY_ACCESS_EVENTS;
    if (insn->flags & INSN_SERIALISES)
        events |= LINE_EVENTS | STORE_BUFFER_EVENTS;
    if (insn->intercept == INSN_PORT)
        events |= BUS_EVENTS;
    if (insn->flags & INSN_DIVIDES)
        events |= EVENT_BIT(NBPMU_MOB_LOAD_REPLAY);
    if (insn->flags & INSN_MICROCODED)
        events |= EVENT_BIT(NBPMU_TC_MS_XFER);
    if (insn->flags & INSN_X87_PUSH || insn->x87_reads)
        events |= EVENT_BIT(NBPMU_X87_ASSIST);
    if (insn->sse_arithmetic)
        events |= EVENT_BIT(NBPMU_SSE_INPUT_ASSIST);
    if (insn->tagged_loads || insn->tagged_stores)
        events |= EVENT_BIT(NBPMU_FRONT_END_EVENT);
    if (insn->fp != FP_NONE)
        events |= UOP_EVENTS_FLAME | EVENT_BIT(NBPMU_EXECUTION_EVENT);
    if (insn->flags & INSN_REP_MOVS)
        events |= EVENT_BIT(NBPMU_PACKED_SP_UOP);
    if (insn->branch != BRANCH_NONE)
        events |= BRANCH_EVENTS | UOP_EVENTS_SPECULATIVE;
    return events;
}

/* Does a counted event of the memory access, or of its tagging, need the address of the operand? */
static bool needs_operand(const struct processor *processor, const struct insn *insn)
{
    return insn->flags & (INSN_LOADS | INSN_STORES | INSN_FLUSHES) &&
           (is_counted(processor, MEMORY_ACCESS_EVENTS) ||
            (is_counted(processor, EVENT_BIT(NBPMU_INSTR_RETIRED)) && tagging_of_memory(processor)));
}

void retire_save_registers(struct processor *processor)
{
    const struct insn *insn = processor->pending;
    processor->operand_known = needs_operand(processor, insn);
    if (processor->operand_known)
        processor->operand = memory_operand(processor, insn);
    if (!(insn->flags & INSN_REP_MOVS && is_counted(processor, EVENT_BIT(NBPMU_PACKED_SP_UOP))))
        processor->copied = 0;
    else if (processor->copied == 0)
        processor->copied = processor_get(processor, UC_X86_REG_ECX) * insn->size;
    if (is_counted(processor, EVENT_BIT(NBPMU_X87_ASSIST)))
        x87_look_at_operands(processor, insn);
    processor->sse_assist = insn->sse_arithmetic &&
                            is_counted(processor, EVENT_BIT(NBPMU_SSE_INPUT_ASSIST)) &&
                            sse_input_is_assisted(processor, insn);
}

/* A long REP MOVS copies 16 bytes with each uop, and these are packed single-precision ones (F12). */
static void post_copy(struct processor *processor)
{
    uint32_t uops = processor->copied < COPIED_FAST ? 0 : processor->copied / COPIED_BY_UOP;
    for (; uops > UOPS_PER_CLOCK; uops -= UOPS_PER_CLOCK) {
        post(processor, NBPMU_PACKED_SP_UOP, FIRM_ALL_UOPS, UOPS_PER_CLOCK);
        pass_clocks(processor, 1);
    }
    if (uops)
        post(processor, NBPMU_PACKED_SP_UOP, FIRM_ALL_UOPS, uops);
    processor->copied = 0;
}

/* Does instr_retired count this instruction twice (E13)? That is measured on model 6 alone (F8). */
static bool counts_twice(const struct processor *processor, const struct insn *insn)
{
    return insn->flags & INSN_TWICE &&
           !(processor->variants->doubled_on_6_only && cpu_model_number(processor->model) < 6);
}

static void post_instruction(struct processor *processor, const struct insn *insn, unsigned access)
{
    bool tagged = is_counted(processor, TAGGING_EVENTS) && tagging_retire(processor, insn, access);
    post(processor, NBPMU_INSTR_RETIRED, tagged ? NBOGUSTAG : NBOGUSNTAG,
         counts_twice(processor, insn) ? 2 : 1);
    post(processor, NBPMU_INSTR_COMPLETED, NBOGUS, 1);
}

static void post_events(struct processor *processor, const struct insn *insn, struct branch_outcome outcome,
                        uint64_t clocks, unsigned earlier)
{
    processor->tc_mode = mode_of(processor, insn);
    /* The memory access comes first, since clocks pass when it has to wait for the store buffer. */
    unsigned access = processor->operand_known ? memory_access(processor, insn) : 0;
    if (insn->flags & INSN_SERIALISES && processor->core->write_combining.count)
        write_combining_drain(processor);
    if (insn->flags & INSN_SERIALISES && is_counted(processor, STORE_BUFFER_EVENTS))
        store_buffer_drain(processor);
    if (insn->intercept == INSN_PORT && is_counted(processor, BUS_EVENTS))
        port_access(processor, insn);
    processor->divided |= (insn->flags & INSN_DIVIDES) != 0;
    clocks = spread_uops(processor, insn, clocks, earlier);

    post_instruction(processor, insn, access);
    if (insn->branch != BRANCH_NONE && is_counted(processor, BRANCH_EVENTS))
        branch_events_post(processor, insn, outcome);
    if (insn->branch != BRANCH_NONE)
        injectors_branch_retired(processor->core->injectors, processor);
    if (insn->flags & INSN_MICROCODED)
        post(processor, NBPMU_TC_MS_XFER, CISC, processor->variants->tc_ms_xfer_once ? 1 : 2); /* F15 */
    if (processor->just_decoded && is_counted(processor, FETCH_EVENTS))
        post_fetch(processor, (uint32_t)insn->tag);
    if (processor->copied)
        post_copy(processor);
    if (insn->fp != FP_NONE && is_counted(processor, UOP_EVENTS_FLAME))
        fp_uop_issue(processor, insn);
    fp_uop_execute(processor, insn);
    if (processor->x87_assists || processor->x87_normal)
        x87_post_assists(processor);
    if (processor->sse_assist)
        post(processor, NBPMU_SSE_INPUT_ASSIST, FIRM_ALL_UOPS, 1);
    if (processor->modified)
        post_clear(processor);

    pass_clocks(processor, clocks);
}

void retire_branch_unseen(struct processor *processor, const struct insn *insn, uint32_t next)
{
    struct branch_outcome outcome = branch_resolve(processor, insn, (uint32_t)insn->tag, next);
    if (!outcome.predicted)
        core_clock(processor->core, branch_penalty(processor, insn, outcome), false);
}

void retire(struct processor *processor, uint32_t next)
{
    const struct insn *insn = processor->pending;
    struct core *core = processor->core;
    uint32_t address = (uint32_t)insn->tag;
    uint64_t clocks = retire_clocks(processor, insn) + processor->stall_clocks;
    unsigned earlier = processor->twelfths;
    bool iteration = insn->flags & INSN_REP && next == address;

    struct branch_outcome outcome = {.predicted = true};
    if (insn->branch != BRANCH_NONE) {
        outcome = branch_resolve(processor, insn, address, next);
        clocks += branch_penalty(processor, insn, outcome);
    }
    if (processor->modified)
        clocks += timing_draw(processor->timing, COST_CLEAR);
    processor->stall_clocks = 0;
    retire_twelfths(processor, insn);
    bool usual = !processor->just_decoded && !processor->modified;
    uint64_t active = core_active_events(core), heard = active & insn->events & ~EVENT_BIT(NBPMU_NO_EVENT);
    bool unseen = !core->posted && !processor->fp_window.count && !fp_uop_near(processor, insn) &&
                  (!active || (usual && !heard));
    if (unseen)
        retire_unseen(processor, insn, !iteration);
    if (unseen || iteration)
        core_clock(core, clocks, false);
    else
        post_events(processor, insn, outcome, clocks, earlier);

    processor->pending = NULL;
    processor->just_decoded = false;
    processor->modified = false;
    processor->shadow = insn->flags & INSN_SHADOW;
}
