/*
 * From an instruction that retires to the events that the PMU gets. retire.c is the way in, and each other
 * source makes one kind of event.
 */
#ifndef SIM_EVENTS_EVENTS_H
#define SIM_EVENTS_EVENTS_H

#include <stdint.h>
#include "sim/cpu/processor.h"

/*
 * ---- Posting events ----
 * Posting events to the PMU of a processor's core, and the mask bits of the events by their names in the
 * manual (pmu-rules 4.1 to 4.5).
 */

#define EVENT_BIT(event) (1ull << (event)) /* as in core_active_events() */

/* Mask bits of the events that the processors produce. */
enum {
    NBOGUS = 0, /* bit 0 of several at-retirement events */
    NBOGUSNTAG = 0,
    NBOGUSTAG = 1,
    MMNP = 0, /* + 1 when mispredicted, + 2 when taken */
    MMTM = 3,
    TYPE_UNCONDITIONAL = 0,
    TYPE_CONDITIONAL = 1,
    TYPE_CALL = 2,
    TYPE_RETURN = 3,
    TYPE_INDIRECT = 4,
    FROM_TC_BUILD = 0,
    FROM_TC_DELIVER = 1,
    FROM_ROM = 2,
    CISC = 0,
    FLUSH = 4,
    TCMISS = 0,
    ITLB_HIT = 0,
    ITLB_MISS = 1,
    ITLB_HIT_UC = 2,
    DTMISS = 0,
    ITMISS = 1,
    LSC = 0,
    SSC = 1,
    SPLIT_LD = 1,
    SPLIT_ST = 1,
    NO_STA = 1,
    NO_STD = 3,
    PARTIAL_DATA = 4,
    UNALGN_ADDR = 5,
    ST_RB_FULL = 2,
    CONF_64K = 3,
    SBFULL = 5,
    TAGLOADS = 1,
    TAGSTORES = 2,
    IOQ_REQUEST_DEFAULT = 0,
    IOQ_ALL_READ = 5,
    IOQ_UC = 7,
    IOQ_OTHER = 14,
    RD_2ND_LEVEL_HITE = 1,
    RD_2ND_LEVEL_HITM = 2,
    RD_2ND_LEVEL_MISS = 8,
    WCB_EVICTS = 0,
    WCB_FULL_EVICT = 1,
    CLEAR = 0,
    MOCLEAR = 2,
    SMCLEAR = 6,
    FPSU = 0,
    FPSO = 1,
    POAO = 2,
    POAU = 3,
    PREA = 4,
    ALLP0 = 3,
    ALLP2 = 4,
    FIRM_ALL_UOPS = 15
};

/* Can one of these events (a set of EVENT_BIT) move a counter? */
static inline bool is_counted(const struct processor *processor, uint64_t events)
{
    return core_active_events(processor->core) & events;
}

/* The processor caused an event, count times, with one mask bit; it belongs to the next clock. */
static inline void post(const struct processor *processor, enum nbpmu_event event, unsigned mask_bit,
                        unsigned count)
{
    if (is_counted(processor, EVENT_BIT(event)))
        core_post(processor->core, event, 1u << mask_bit, processor->thread, count);
}

/* As post(), for an event that has several mask bits at once. */
static inline void post_mask(const struct processor *processor, enum nbpmu_event event, unsigned bits,
                             unsigned count)
{
    if (is_counted(processor, EVENT_BIT(event)))
        core_post(processor->core, event, bits, processor->thread, count);
}

/* ---- branch.c: Events of a retired branch: direction, kind and prediction ---- */

#define BRANCH_EVENTS                                                            \
    (EVENT_BIT(NBPMU_BRANCH_RETIRED) | EVENT_BIT(NBPMU_MISPRED_BRANCH_RETIRED) | \
     EVENT_BIT(NBPMU_RETIRED_BRANCH_TYPE) | EVENT_BIT(NBPMU_RETIRED_MISPRED_BRANCH_TYPE))

struct branch_outcome {
    bool taken, predicted;
};

/* The branch insn at address went to next: ask the predictor, which learns from it. */
struct branch_outcome branch_resolve(struct processor *processor, const struct insn *insn, uint32_t address,
                                     uint32_t next);
/* Clocks that pass after a branch with this outcome before the right path goes on. */
uint32_t branch_penalty(struct processor *processor, const struct insn *insn, struct branch_outcome outcome);
/* Post the events of a branch with this outcome. */
void branch_events_post(const struct processor *processor, const struct insn *insn,
                        struct branch_outcome outcome);

/*
 * ---- fp_uop.c ----
 * The floating-point and SIMD uops of the FLAME block: their events, and their tags at retirement.
 *
 * Their events are counted where they execute, which is not the order of the program. A uop executes up to
 * timing.fp_window instructions late or early, one uop in a clock, after the older uops that write a register
 * which it reads or writes. A uop does not execute early if a branch, or an instruction that was not
 * decoded yet, precedes it. None passes a serialising instruction, an interrupt or HLT (F4).
 */

#define UOP_EVENTS_FLAME                                                                                 \
    (EVENT_BIT(NBPMU_PACKED_SP_UOP) | EVENT_BIT(NBPMU_PACKED_DP_UOP) | EVENT_BIT(NBPMU_SCALAR_SP_UOP) |  \
     EVENT_BIT(NBPMU_SCALAR_DP_UOP) | EVENT_BIT(NBPMU_64BIT_MMX_UOP) | EVENT_BIT(NBPMU_128BIT_MMX_UOP) | \
     EVENT_BIT(NBPMU_X87_FP_UOP) | EVENT_BIT(NBPMU_X87_SIMD_MOVES_UOP))

/* Uop events that speculative execution inflates; noise adds to them. */
#define UOP_EVENTS_SPECULATIVE (UOP_EVENTS_FLAME | EVENT_BIT(NBPMU_UOP_QUEUE_WRITES))

/* An instruction whose fp is not FP_NONE retires: its uop waits in the window, or executes. */
void fp_uop_issue(struct processor *processor, const struct insn *insn);
/* insn retires: uops that wait may execute, and uops of later instructions. */
void fp_uop_execute(struct processor *processor, const struct insn *insn);
/* Is there an instruction with such a uop after insn, so near that it may execute before its turn? */
bool fp_uop_follows(const struct processor *processor, const struct insn *insn);
/*
 * May a uop after insn execute when insn retires, so that fp_uop_execute() must be called, even if nothing
 * that insn itself does is counted? Whether chance is asked must not depend on how p4sim executes insn.
 */
static inline bool fp_uop_near(const struct processor *processor, const struct insn *insn)
{
    return is_counted(processor, UOP_EVENTS_FLAME) && fp_uop_follows(processor, insn);
}
/* All uops that wait execute; a clock passes for each. Those that have executed early, before an interrupt
 * that comes before their instruction, will execute again. */
void fp_uop_drain(struct processor *processor);
/* The tag value that FIRM_ESCR0/1 put on it (Table 19-32), 0 for none. */
unsigned fp_uop_tags(const struct processor *processor, const struct insn *insn);

/*
 * ---- assist.c ----
 * Assists: what a floating-point instruction leaves to microcode, with every exception masked (Tables 19-28
 * and 19-29). libunicorn does not tell of them, so operands are looked at before the instruction executes,
 * and results after it.
 *
 * x87: FPSU: a source register is empty. FPSO: it pushes, and the register that becomes ST(0) is in use.
 * PREA: a register that it calculates with holds a denormal number. POAO, POAU: of normal numbers it made an
 * infinity, or a denormal number. Operands in memory, and stores, are not looked at.
 * SSE: a denormal number in a register that is added, subtracted, multiplied, divided or compared.
 */

/* Before it executes: note in the processor the assist that its operands need, and which registers hold
 * normal numbers that it calculates with. */
void x87_look_at_operands(struct processor *processor, const struct insn *insn);
/* It has executed: post what was noted, and what its result needs. */
void x87_post_assists(const struct processor *processor);
/* Before it executes, an instruction of sse_arithmetic. */
bool sse_input_is_assisted(const struct processor *processor, const struct insn *insn);

/*
 * ---- memory.c ----
 * The memory operand of an instruction at store buffer, data TLB, cache line and bus, with the events of
 * each. Only explicit operands count: the stack accesses of PUSH, CALL and similar instructions cause no
 * events.
 */

/* What happened to an access, for tagging. Uncached and locked accesses are never tagged. */
#define ACCESS_LOAD              (1u << 0)
#define ACCESS_STORE             (1u << 1)
#define ACCESS_SPLIT_LOAD        (1u << 2) /* crossed a cache line */
#define ACCESS_SPLIT_STORE       (1u << 3)
#define ACCESS_PARTIAL_DATA      (1u << 4) /* a load got only some of its bytes from the last store */
#define ACCESS_DTLB_MISSED_LOAD  (1u << 5)
#define ACCESS_DTLB_MISSED_STORE (1u << 6)
#define ACCESS_MISSED_1ST_LEVEL  (1u << 8) /* a load */
#define ACCESS_MISSED_2ND_LEVEL  (1u << 9)
#define ACCESS_UNALIGNED         (1u << 7) /* a load got its bytes from the last store, not from its beginning */

/* Events of the store buffer. */
#define STORE_BUFFER_EVENTS (EVENT_BIT(NBPMU_RESOURCE_STALL) | EVENT_BIT(NBPMU_MEMORY_CANCEL))

/* Events of transactions on the bus; and those while one of which is counted lines and write-combining
 * buffers are noted. */
#define BUS_EVENTS                                                           \
    (EVENT_BIT(NBPMU_IOQ_ALLOCATION) | EVENT_BIT(NBPMU_IOQ_ACTIVE_ENTRIES) | \
     EVENT_BIT(NBPMU_BSQ_ALLOCATION) | EVENT_BIT(NBPMU_BSQ_ACTIVE_ENTRIES) | \
     EVENT_BIT(NBPMU_FSB_DATA_ACTIVITY))
#define LINE_EVENTS                                                                   \
    (BUS_EVENTS | EVENT_BIT(NBPMU_BSQ_CACHE_REFERENCE) | EVENT_BIT(NBPMU_WC_BUFFER) | \
     EVENT_BIT(NBPMU_REPLAY_EVENT))

/* Events that depend on the operand. */
#define MEMORY_ACCESS_EVENTS                                                                                 \
    (EVENT_BIT(NBPMU_MEMORY_COMPLETE) | EVENT_BIT(NBPMU_LOAD_PORT_REPLAY) |                                  \
     EVENT_BIT(NBPMU_STORE_PORT_REPLAY) | EVENT_BIT(NBPMU_MOB_LOAD_REPLAY) |                                 \
     EVENT_BIT(NBPMU_MEMORY_CANCEL) | EVENT_BIT(NBPMU_RESOURCE_STALL) | EVENT_BIT(NBPMU_PAGE_WALK_TYPE) |    \
     EVENT_BIT(NBPMU_IOQ_ALLOCATION) | EVENT_BIT(NBPMU_IOQ_ACTIVE_ENTRIES) |                                 \
     EVENT_BIT(NBPMU_BSQ_CACHE_REFERENCE) | EVENT_BIT(NBPMU_BSQ_ALLOCATION) |                                \
     EVENT_BIT(NBPMU_BSQ_ACTIVE_ENTRIES) | EVENT_BIT(NBPMU_FSB_DATA_ACTIVITY) | EVENT_BIT(NBPMU_WC_BUFFER) | \
     EVENT_BIT(NBPMU_MACHINE_CLEAR) | EVENT_BIT(NBPMU_FRONT_END_EVENT) | EVENT_BIT(NBPMU_REPLAY_EVENT))

/* The linear address of the operand, before the instruction changes the registers it is made of. */
uint32_t memory_operand(const struct processor *processor, const struct insn *insn);

/*
 * The instruction accesses its operand at processor->operand: post the events of that for the next clock. A
 * store waits while the store buffer is full, and clocks pass meanwhile. Returns a set of ACCESS_ bits.
 */
unsigned memory_access(struct processor *processor, const struct insn *insn);

/* IN or OUT, while an event of the bus is counted: its transaction. */
void port_access(struct processor *processor, const struct insn *insn);

/* A serialising instruction waits for the stores before it, while an event of the store buffer is counted. */
void store_buffer_drain(struct processor *processor);

/* A serialising instruction evicts the write-combining buffers. */
void write_combining_drain(struct processor *processor);

/*
 * ---- tagging.c ----
 * Tagged uops at retirement: front_end_event, execution_event and replay_event (pmu-rules 4.6).
 */

/* Events that depend on the tags of an instruction's uops. */
#define TAGGING_EVENTS                                                                                     \
    (EVENT_BIT(NBPMU_FRONT_END_EVENT) | EVENT_BIT(NBPMU_REPLAY_EVENT) | EVENT_BIT(NBPMU_EXECUTION_EVENT) | \
     EVENT_BIT(NBPMU_INSTR_RETIRED))

/* Could a load or store be tagged now, so that its operand must be known? */
bool tagging_of_memory(const struct processor *processor);

/*
 * The instruction retires; access is the result of memory_access(). Post the events of its tagged uops.
 * Returns whether one of its uops is tagged.
 */
bool tagging_retire(struct processor *processor, const struct insn *insn, unsigned access);

/* ---- retire.c: Retirement: the events of an executed instruction, and the clocks that it took ---- */

/*
 * The events (a set of EVENT_BIT) that an instruction may cause, provided it is neither new nor changed.
 * While none of them is counted, retire_unseen() can take the place of retire(). NBPMU_NO_EVENT, which stands
 * for clocks, is always among them.
 */
uint64_t retire_events(const struct insn *insn);

/* The whole clocks that pass with an instruction after the twelfths that earlier ones left. */
static inline uint64_t retire_clocks(const struct processor *processor, const struct insn *insn)
{
    return insn->clocks + (processor->twelfths + insn->twelfths >= (int)TWELFTHS);
}

/* The instruction's clocks pass: keep what it took beyond whole ones. */
static inline void retire_twelfths(struct processor *processor, const struct insn *insn)
{
    unsigned twelfths = processor->twelfths + insn->twelfths;
    processor->twelfths = (uint8_t)(twelfths - TWELFTHS * (twelfths >= TWELFTHS));
}

/* What the trace cache does while an instruction executes that it holds. */
static inline enum tc_mode retire_tc_mode(const struct insn *insn)
{
    return insn->flags & INSN_MICROCODED ? TC_MODE_INACTIVE : TC_MODE_DELIVER;
}

/* An instruction none of whose events is counted has executed; the caller lets its clocks pass. last: it is
 * no iteration of a REP string instruction that goes on. */
static inline void retire_unseen(struct processor *processor, const struct insn *insn, bool last)
{
    if (core_active_events(processor->core) && last)
        processor->tc_mode = retire_tc_mode(insn);
}

/* As retire_unseen(), for what a branch, which went to next, adds: prediction, and clocks if it was wrong. */
void retire_branch_unseen(struct processor *processor, const struct insn *insn, uint32_t next);

/*
 * The pending instruction has executed, and the next one is at linear address next. Posts its events that are
 * counted, lets its clocks pass, and leaves nothing pending. A REP string instruction whose next instruction
 * is itself has done one iteration: its clocks pass, but it does not retire.
 */
void retire(struct processor *processor, uint32_t next);

/*
 * An interrupt or a fault ends the instruction stream: post what it counts at the privilege level that it
 * interrupts (F9), in the clock of the next instruction.
 */
void interruption_post(const struct processor *processor);

/* As retire_look_ahead(), for an instruction that may cause an event which needs it. */
void retire_save_registers(struct processor *processor);

/* Before the pending instruction executes: save what a counted event needs of the registers that it may
 * change. */
static inline void retire_look_ahead(struct processor *processor)
{
    const uint64_t needing = MEMORY_ACCESS_EVENTS | EVENT_BIT(NBPMU_INSTR_RETIRED) |
                             EVENT_BIT(NBPMU_PACKED_SP_UOP) | EVENT_BIT(NBPMU_X87_ASSIST) |
                             EVENT_BIT(NBPMU_SSE_INPUT_ASSIST);
    processor->operand_known = processor->sse_assist = false;
    processor->x87_assists = processor->x87_normal = 0;
    if (is_counted(processor, processor->pending->events & needing))
        retire_save_registers(processor);
    else
        processor->copied = 0;
}

/*
 * ---- tc_mode.c ----
 * TC_deliver_mode: what the trace cache does for the two logical processors, clock by clock.
 *
 * The mode of a logical processor follows from the last instruction that it executed: inactive for microcode,
 * building when the instruction was just decoded, otherwise delivering; a halted processor is inactive.
 * Clocks in which no instruction retires have no mode.
 */

/* Let clocks of the retiring instruction pass; the posted events belong to the first. */
void pass_clocks(struct processor *processor, uint64_t clocks);

#endif
