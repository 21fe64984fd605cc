/*
 * Reference model of the NetBurst performance-monitoring unit, one per core.
 *
 * Written from the rules R1 to R61 (docs/pmu-rules.md), and from nothing else: it shares the register
 * layout (pmc/netburst/regs.h) with the library under test and none of its tables. Pure C11, no emulator
 * types, no global state: a host test drives it clock by clock.
 *
 * Life of a clock: pmu_post() once per event occurrence of this clock, then pmu_clock(). Register accesses
 * happen between clocks.
 */
#ifndef SIM_NETBURST_PMU_H
#define SIM_NETBURST_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "faults.h"

#define PMU_LPS 2

/* ---- Events ----
 * One name per event class of pmu-rules 4. What an occurrence means is in the event's comment
 * in pmu_events.c; mask bits are the manual's.
 */
enum pmu_event {
    PMU_NO_EVENT,
    /* BPU block */
    PMU_BPU_FETCH_REQUEST,
    PMU_ITLB_REFERENCE,
    PMU_MOB_LOAD_REPLAY,
    PMU_PAGE_WALK_TYPE,
    PMU_BSQ_CACHE_REFERENCE,
    PMU_IOQ_ALLOCATION,
    PMU_IOQ_ACTIVE_ENTRIES,
    PMU_FSB_DATA_ACTIVITY,
    PMU_BSQ_ALLOCATION,
    PMU_BSQ_ACTIVE_ENTRIES,
    PMU_GLOBAL_POWER_EVENTS, /* made by the model itself from the activity of the logical processors */
    PMU_B2B_CYCLES,
    PMU_BNR,
    PMU_SNOOP,
    PMU_RESPONSE,
    /* MS block */
    PMU_TC_DELIVER_MODE,
    PMU_TC_MISC,
    PMU_TC_MS_XFER,
    PMU_UOP_QUEUE_WRITES,
    PMU_RETIRED_BRANCH_TYPE,
    PMU_RETIRED_MISPRED_BRANCH_TYPE,
    /* FLAME block */
    PMU_MEMORY_CANCEL,
    PMU_WC_BUFFER,
    PMU_MEMORY_COMPLETE,
    PMU_LOAD_PORT_REPLAY,
    PMU_STORE_PORT_REPLAY,
    PMU_SSE_INPUT_ASSIST,
    PMU_PACKED_SP_UOP,
    PMU_PACKED_DP_UOP,
    PMU_SCALAR_SP_UOP,
    PMU_SCALAR_DP_UOP,
    PMU_64BIT_MMX_UOP,
    PMU_128BIT_MMX_UOP,
    PMU_X87_FP_UOP,
    PMU_X87_SIMD_MOVES_UOP,
    /* IQ block */
    PMU_RESOURCE_STALL,
    PMU_UOP_TYPE, /* tags only, never counts (R15) */
    PMU_UOPS_RETIRED,
    PMU_INSTR_RETIRED,
    PMU_MISPRED_BRANCH_RETIRED,
    PMU_INSTR_COMPLETED,
    PMU_MACHINE_CLEAR,
    PMU_X87_ASSIST,
    PMU_BRANCH_RETIRED,
    PMU_FRONT_END_EVENT,
    PMU_REPLAY_EVENT,
    PMU_EXECUTION_EVENT,
    PMU_EVENTS
};

/* ---- Configuration: what this part is, and the choices the manual leaves open ---- */

enum pmu_cascade_start {
    PMU_CASCADE_LEVEL,
    PMU_CASCADE_LATCH
};                                                   /* R33: follow OVF(X), or remember its edge */
enum pmu_alt17 { PMU_ALT17_IS_15, PMU_ALT17_IS_13 }; /* R34, pmu-rules 5.5.1: readings P and M */
enum pmu_reserved {
    PMU_RESERVED_IGNORED,
    PMU_RESERVED_FAULTS
}; /* R3, pmu-rules 3.4: F43 as recorded, or generic #GP(0) */
enum pmu_edge_state {
    PMU_EDGE_FALSE,
    PMU_EDGE_TRUE,
    PMU_EDGE_KEPT
}; /* R25: "previous" when the counter starts */

struct pmu_config {
    /* the part */
    uint8_t model, stepping; /* CPUID family 0FH is given */
    bool ht;                 /* two logical processors exist (T0 and T1 fields, pmu-rules 3.1, 3.2) */
    bool exact_masks; /* write masks recorded on 0F43H (pmu-rules 3.4); else ESCR 30:0, CCCR 31:12 and bit 11
                       */

    /* legal differences (pmu-rules 10, 11); the default of each is the zero value */
    enum pmu_cascade_start cascade_start;
    bool enable_reads_back; /* R36: ENABLE of a started Y reads as 1 */
    bool start_same_clock;  /* R37, question 11.7: Y counts X's overflowing clock too */
    enum pmu_alt17 alt17;
    bool written_ovf_no_cascade; /* R30: OVF written by software does not start a partner */
    bool written_ovf_pmi;  /* R30, question 11.3: OVF written by software raises a PMI at the next count */
    bool ccr1_enable_dead; /* E4: ENABLE of CCCR1 has no effect */
    bool force_ovf_breaks_cascade; /* E14: no start while X or Y has FORCE_OVF set */
    bool force_ovf_first_pmi;      /* R48: the first forced increment already raises a PMI */
    enum pmu_edge_state edge_state;
    enum pmu_reserved reserved;
    bool unmapped_counts_clocks; /* R17 and question 11.1: COMPLEMENT on no event counts clocks */
    bool strict_power;           /* Question 11.2: R44 taken literally after hand-over */
    bool pmi_every_count;        /* Question 11.3: repeated at every count while OVF stands */
    bool pmi_same_clock_surplus; /* Question 11.4 */
    bool halted_clocks;     /* Question 11.5: clocks go on when all are halted, so ACTIVE_THREAD 00B counts */
    bool edge_runs_ungated; /* Question 11.6: edge filter keeps running while ACTIVE_THREAD is closed */
    bool e3_when_started;   /* Question 11.8: E3 only for a counter that a cascade really started */
    bool ti_halted_not_counted; /* Question 11.9; to be seen only together with halted_clocks */
    bool ti_halted_cpl_ignored; /* pmu-rules 9.6: the CPL of a halted processor has no part in R13 */
    bool active_thread_ignored; /* R19, question 10.13: without HT every value of bits 17:16 acts as 11B */
    bool no_t1_storage; /* pmu-rules 3.4, question 10.13: T1 bits are not storage on a part without HT */
    bool no_e3;         /* Question 10.5: an E3-listed part that does raise the PMI */
    bool e1_torn_write; /* E1: a write to a running counter can be off by a carry into bit 32 */
    bool e2_lost_carry; /* E2: disabled in the clock of a carry into bit 32, which is lost */
    bool e9_unflagged;  /* E9: now and then a PMI comes without OVF */

    struct pmu_fault fault; /* deviates from a rule: never legal */
};

struct pmu;

/* Power-up state (R1). Returns null when out of memory. */
struct pmu *pmu_new(const struct pmu_config *config);
void pmu_free(struct pmu *pmu);
/* RESET (R1): registers, pending requests and what was posted. */
void pmu_reset(struct pmu *pmu);
/* INIT of a logical processor, which leaves the PMU alone (R1). */
void pmu_receive_init(struct pmu *pmu);

/* ---- Registers. Either logical processor may access all of them (R5). ---- */

/* Is this MSR address one of the PMU's (counters, CCCRs, ESCRs, 3F0H-3F2H)? */
bool pmu_has_msr(const struct pmu *pmu, uint32_t msr);
/* Does logical processor lp reach the registers for reading, for writing? Both always do (R5). */
bool pmu_readable_by(const struct pmu *pmu, unsigned lp);
bool pmu_writable_by(const struct pmu *pmu, unsigned lp);
/* False means #GP(0). */
bool pmu_rdmsr(struct pmu *pmu, uint32_t msr, uint64_t *value);
bool pmu_wrmsr(struct pmu *pmu, uint32_t msr, uint64_t value);
/* May RDPMC be executed at this privilege level with CR4.PCE as given (R60)? */
bool pmu_rdpmc_allowed(const struct pmu *pmu, unsigned cpl, bool pce);
/* RDPMC with ECX = index; privilege is the caller's to check. False means #GP(0). */
bool pmu_rdpmc(struct pmu *pmu, uint32_t index, uint64_t *value);

/* ---- Time ---- */

/* State of the logical processors in a clock. On a part without HT only lp[0] exists. */
struct pmu_lp {
    bool active; /* neither in HLT nor in wait-for-SIPI */
    uint8_t cpl;
};

/*
 * count occurrences (1..15) of member mask_bit (0..15) of event, caused by logical processor lp at privilege
 * level cpl, in the clock that the next pmu_clock() ends. The same as pmu_post_mask() with that one bit.
 */
void pmu_post(struct pmu *pmu, enum pmu_event event, unsigned mask_bit, unsigned lp, unsigned cpl,
              unsigned count);

/*
 * The same for an occurrence that carries several mask bits at once.
 *
 * Most events count an occurrence once when it carries at least one bit that the ESCR selects (R9), as
 * execution_event does with the bits of a tag value. IOQ_allocation and IOQ_active_entries apply the
 * equation of pmu-rules 4.1 to what the occurrence carries: a request type (4:0, bit 0 unless known better),
 * ALL_READ or ALL_WRITE (5, 6), one memory type (11:7), OWN or OTHER (13, 14), and PREFETCH (15) for a
 * prefetch only. BSQ_allocation and bsq_active_entries compare the coded fields (1:0, 3:2, 13:11) for
 * equality.
 */
void pmu_post_mask(struct pmu *pmu, enum pmu_event event, uint16_t matching_bits, unsigned lp, unsigned cpl,
                   unsigned count);

/*
 * Tags that upstream ESCRs put on a uop which is an occurrence of member mask_bit of event, caused by logical
 * processor lp in a clock with the processors in state lps (pmu-rules 4.6). The result is the 4-bit tag
 * value: bit k set means that the uop's retirement is an occurrence of execution_event with bit k (NBOGUSk)
 * or 4 + k (BOGUSk). For uop_type it is 1 when the retirement is an occurrence of front_end_event, and for
 * the replay events when the replay is one that replay_event can find (tag enable is not asked for: Tables
 * 19-31 and 19-33). 0: not tagged.
 */
unsigned pmu_tags(const struct pmu *pmu, enum pmu_event event, unsigned mask_bit, unsigned lp,
                  const struct pmu_lp lps[PMU_LPS]);

/*
 * Let clocks core clocks pass (>= 1): the posted occurrences belong to the first of them, the others have
 * none. The result is exactly that of as many single clocks (trace lines of a PMI that repeats unchanged at
 * every count are given once). Takes time proportional to what changes, not to clocks. Returns a bit mask of
 * the logical processors whose local APIC gets a PMI request (bit 0 = LP0, bit 1 = LP1).
 */
unsigned pmu_clock(struct pmu *pmu, const struct pmu_lp lps[PMU_LPS], uint64_t clocks);

/*
 * The same for clocks (>= 1) of which each has the posted occurrences: let as many of them pass as can be
 * told at once. Returns how many (>= 1); for the others the occurrences have to be posted again, since what
 * is listened to may have changed. The mask goes to raised.
 */
uint64_t pmu_clocks_alike(struct pmu *pmu, const struct pmu_lp lps[PMU_LPS], uint64_t clocks,
                          unsigned *raised);

/*
 * How many of the coming clocks need not be told one by one: as long as nothing is posted, no register is
 * accessed and the logical processors stay as they are, each does to the counters what the one before did.
 * For such clocks the caller may take their number away here (never more than there is) instead of calling
 * pmu_clock(). Before the state of a logical processor changes it calls pmu_settle().
 */
uint64_t *pmu_clocks_untold(struct pmu *pmu);
/* The PMIs that the latest clock raised found every LVTPC masked: until pmu_lvtpc_unmasked() such clocks go
 * untold too. */
void pmu_raised_in_vain(struct pmu *pmu);
/* Give the counters what the clocks that were not told did to them; from here every clock is told. */
void pmu_settle(struct pmu *pmu);

/*
 * LVTPC of lp was written unmasked: with OVF and OVF_PMI standing the request is there again (R49). Returns
 * true when a PMI is raised at once.
 */
bool pmu_lvtpc_unmasked(struct pmu *pmu, unsigned lp);

/*
 * Which events could move a counter as the registers stand now: bit e of the result for event e. An
 * occurrence of an event whose bit is clear need not be posted. Bit PMU_NO_EVENT is set when clocks
 * themselves matter (global_power_events, complement, edge): then every clock must be told, otherwise
 * pmu_clock() may be skipped when nothing was posted. Changes only with register writes, resets and
 * within pmu_clock() (a cascade may start a counter).
 */
uint64_t pmu_listening(const struct pmu *pmu);

/* ---- Looking in, for traces and tests ---- */

typedef void pmu_trace_fn(void *context, const char *line);
/* One readable line per PMU-visible change (register write, overflow, cascade start and stop, PMI), without
 * newline. */
void pmu_set_trace(struct pmu *pmu, pmu_trace_fn *fn, void *context);

/* The model's own statement of the map, for the host test that compares it with pmc/'s. */
/* ESCR address reached by counter with ESCR select 0..7, 0 when none. */
uint32_t pmu_route(unsigned counter, unsigned select);
/* Counters that CASCADE (or bit 11) of counter Y listens to: flat number, or -1. */
int pmu_cascade_source(const struct pmu *pmu, unsigned counter);
int pmu_extended_source(const struct pmu *pmu, unsigned counter);
/* Event that event select value of the ESCR at address escr_msr means, PMU_NO_EVENT when none. */
enum pmu_event pmu_event_of(uint32_t escr_msr, unsigned select);
const char *pmu_event_name(enum pmu_event event);

#endif
