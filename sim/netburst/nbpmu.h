/*
 * nbpmu: a model of the performance-monitoring unit (PMU) of Intel's NetBurst processors (Pentium 4, Xeon of
 * family 0FH, Pentium D).
 *
 * One struct nbpmu is the PMU of one core: 18 counters with their CCCRs, 45 ESCRs, and the interrupts (PMI)
 * that they ask for. Registers and their bits are those of the manual: Intel 64 and IA-32 Architectures
 * Software Developer's Manual, volume 3, chapter "Performance Monitoring", section "Performance Monitoring
 * (Processors Based on Intel NetBurst Microarchitecture)"; "section" and "table" below mean sections and
 * tables of that chapter. A behaviour that the manual leaves open is a variant (struct nbpmu_variants).
 *
 * The caller plays the rest of the processor. It writes registers as software does, says what each logical
 * processor is doing, reports the events of a clock, and lets clocks pass:
 *
 *     struct nbpmu_part part;
 *     nbpmu_part_of_signature(0x0F43, 1, &part);
 *     struct nbpmu *pmu = nbpmu_new(&part, NULL);
 *     nbpmu_wrmsr(pmu, 0, 0x3B8, 0x0400020C);           // MSR_CRU_ESCR0: instr_retired
 *     nbpmu_wrmsr(pmu, 0, 0x36C, 0x00039000);           // MSR_IQ_CCCR0: ENABLE, ESCR select 4
 *     nbpmu_event(pmu, 0, NBPMU_INSTR_RETIRED, 1u << 0, 1);
 *     unsigned pmis = nbpmu_advance(pmu, 1);            // one clock, in which one instruction retired
 *
 * Names: LP0 and LP1 are the logical processors of the core, which the manual also calls threads 0 and 1. CPL
 * is the current privilege level, 0 to 3. A clock is a clock of the core.
 *
 * The library keeps no state outside of struct nbpmu and does no input or output. Different PMUs may be used
 * by different threads of a program at once; one PMU may not.
 */
#ifndef NBPMU_H
#define NBPMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nbpmu;

#define NBPMU_LPS      2  /* logical processors of a core, at most */
#define NBPMU_COUNTERS 18 /* counter n: MSR 300H + n; its CCCR: MSR 360H + n */

/* ---- Which processor ---- */

struct nbpmu_part {
    uint8_t model, stepping; /* CPUID.1 EAX bits 7:4 and 3:0; the family is 0FH */
    uint8_t lps;             /* logical processors: 2 with Hyper-Threading on, else 1 */
};

/*
 * Describe the processor with this CPUID signature (CPUID.1 EAX) and lps logical processors in each core, 1
 * or 2; the signature does not say whether a processor has Hyper-Threading. False, and *part as before, when
 * the signature is not one of a NetBurst processor (family 0FH, models 0 to 4 and 6) or lps is out of range.
 * The features and errata of the processor follow from the part.
 */
bool nbpmu_part_of_signature(uint32_t cpuid_1_eax, unsigned lps, struct nbpmu_part *part);

/* ---- Variants: what the manual leaves open, or in what parts may legally differ ---- */

/* All false is the default. Each variant has a name in words, too: nbpmu_variant_name() lists the names, and
 * nbpmu_set_variant() sets a variant by its name. */
struct nbpmu_variants {
    /* Cascading (section "Cascading Counters"). X overflows, and by that starts Y. */
    bool cascade_latch;     /* Y starts on the edge of X's OVF and stays started; default: while OVF is set */
    bool alt17_is_13;       /* counter 17 is started by counter 13; default: by counter 15 */
    bool enable_reads_back; /* ENABLE in the CCCR of a started Y reads as 1; default: as it was written */
    bool start_same_clock;  /* Y already counts in the clock of X's overflow; default: from the next clock */
    bool written_ovf_no_cascade;   /* OVF of X written by software starts nothing */
    bool force_ovf_breaks_cascade; /* erratum: nothing starts while X or Y has FORCE_OVF set */
    /* Overflow and PMI (section "Generating an Interrupt on Overflow"). The default is one PMI per overflow,
     * at the first count after it. */
    bool written_ovf_pmi;        /* OVF written by software raises a PMI at the next count */
    bool force_ovf_first_pmi;    /* with FORCE_OVF the first count already raises a PMI */
    bool pmi_every_count;        /* the PMI repeats at every count while OVF is set */
    bool pmi_same_clock_surplus; /* counts beyond the overflow, in its clock, raise the PMI at once */
    bool no_e3; /* counters in cascade mode raise PMIs on models 0 to 2 as well, which an erratum denies */
    bool e3_when_started; /* that erratum concerns only a counter that a cascade has really started */
    /* Filter (section "Filtering Events") */
    bool edge_from_true; /* the edge filter starts as if the clock before had passed the threshold */
    bool edge_kept; /* the edge filter keeps its state while its counter is off; wins over edge_from_true */
    bool edge_restarts;     /* a write of the CCCR of a counter that runs starts its edge filter anew */
    bool edge_follows;      /* the edge filter follows the comparison while EDGE or COMPARE is clear, too */
    bool edge_runs_ungated; /* the edge filter follows the events even while ACTIVE_THREAD excludes the clock
                             */
    bool unmapped_counts_nothing; /* COMPLEMENT without a selected event counts nothing; default: clocks */
    /* Logical processors, halting, power */
    bool halted_clocks;         /* clocks go on while all are halted, so that ACTIVE_THREAD 00B can count */
    bool ti_halted_not_counted; /* thread-independent events do not count while all are halted */
    bool ti_halted_cpl_ignored; /* the CPL of a halted logical processor does not qualify such an event */
    bool active_thread_ignored; /* without Hyper-Threading every value of ACTIVE_THREAD acts as 11B */
    bool strict_power;          /* an ESCR works only if a counter that can select it has ENABLE set */
    /* Registers */
    bool reserved_faults; /* writing 1 to any reserved bit of a CCCR or ESCR is #GP(0); default: only to bit
                             31 of an ESCR */
    bool no_t1_storage;   /* without Hyper-Threading the T1 bits of ESCRs read as 0 */
    /* Errata that not every part shows */
    bool tags_linger;      /* an ESCR that is cleared while it has no power goes on tagging */
    bool ccr1_enable_dead; /* ENABLE of CCCR1 has no effect */
    bool iq_escr_faults;   /* from model 3 on accesses to IQ_ESCR0/1 are #GP(0); default: they hold nothing */
    bool early_counts;     /* with a preset of -8 to -1 retired instructions or uops overflow at once */
    bool e1_write_adds;    /* a write to a counter whose event is selected adds the event's value */
    bool e1_access_adds;   /* so does reading it */
    bool e1_torn_write;    /* a write to a running counter can be off by a carry into bit 32 */
    bool e2_lost_carry;    /* a counter disabled in the clock of a carry into bit 32 loses that carry */
    bool e9_unflagged;     /* now and then a PMI comes without OVF */
};

/* Set the variant called name. False when there is none of that name. */
bool nbpmu_set_variant(struct nbpmu_variants *variants, const char *name);

/*
 * Name of variant number index, counted from 0, as nbpmu_set_variant() takes it, and in *meaning (which may
 * be null) a line about it. Null after the last one. Both texts are constants.
 */
const char *nbpmu_variant_name(unsigned index, const char **meaning);

/* ---- Life ---- */

/*
 * A PMU at power-up: all registers as after RESET, LP0 active at CPL 0, LP1 halted. variants may be null for
 * the default. Returns null when out of memory.
 */
struct nbpmu *nbpmu_new(const struct nbpmu_part *part, const struct nbpmu_variants *variants);
void nbpmu_free(struct nbpmu *pmu); /* null is allowed */

/* RESET#: registers, requested PMIs and reported events are cleared; the logical processors stay as they are.
 */
void nbpmu_reset(struct nbpmu *pmu);
/* INIT# of either logical processor, which leaves the registers as they are. */
void nbpmu_init_received(struct nbpmu *pmu);

/* ---- Registers ---- */

/* Is this the address of a register of the PMU: a counter, CCCR or ESCR, or one of 3F0H to 3F2H? */
bool nbpmu_has_msr(uint32_t msr);

/*
 * RDMSR and WRMSR by logical processor lp, between clocks. False means #GP(0), and nothing has changed. Every
 * address for which nbpmu_has_msr() is false gives #GP(0).
 */
bool nbpmu_rdmsr(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value);
bool nbpmu_wrmsr(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value);

/*
 * RDPMC by logical processor lp, at its CPL (nbpmu_set_lp()) and with CR4.PCE as given. ecx is the counter's
 * number, 0 to 17, with bit 31 for the fast form, which gives bits 31:0 of the counter. False means #GP(0).
 */
bool nbpmu_rdpmc(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value);

/* ---- Logical processors ---- */

/*
 * From the next clock on, logical processor lp is active or halted (after HLT, or waiting for a SIPI), at
 * this privilege level. Calling it again with the same state costs nothing.
 */
void nbpmu_set_lp(struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl);

/* ---- Events ---- */

/* The event classes of tables "Performance Monitoring Events ... for Non-Retirement Counting" and "... for
 * At-Retirement Counting", under their names there. */
/* clang-format off */
enum nbpmu_event {
    NBPMU_NO_EVENT,
    /* Counted by the BPU block, counters 0 to 3. The model makes global_power_events itself, from the states of the
     * logical processors: nobody reports it. */
    NBPMU_BPU_FETCH_REQUEST, NBPMU_ITLB_REFERENCE, NBPMU_MOB_LOAD_REPLAY, NBPMU_PAGE_WALK_TYPE,
    NBPMU_BSQ_CACHE_REFERENCE, NBPMU_IOQ_ALLOCATION, NBPMU_IOQ_ACTIVE_ENTRIES, NBPMU_FSB_DATA_ACTIVITY,
    NBPMU_BSQ_ALLOCATION, NBPMU_BSQ_ACTIVE_ENTRIES, NBPMU_GLOBAL_POWER_EVENTS, NBPMU_B2B_CYCLES, NBPMU_BNR,
    NBPMU_SNOOP, NBPMU_RESPONSE,
    /* Counted by the MS block, counters 4 to 7 */
    NBPMU_TC_DELIVER_MODE, NBPMU_TC_MISC, NBPMU_TC_MS_XFER, NBPMU_UOP_QUEUE_WRITES, NBPMU_RETIRED_BRANCH_TYPE,
    NBPMU_RETIRED_MISPRED_BRANCH_TYPE,
    /* Counted by the FLAME block, counters 8 to 11 */
    NBPMU_MEMORY_CANCEL, NBPMU_WC_BUFFER, NBPMU_MEMORY_COMPLETE, NBPMU_LOAD_PORT_REPLAY, NBPMU_STORE_PORT_REPLAY,
    NBPMU_SSE_INPUT_ASSIST, NBPMU_PACKED_SP_UOP, NBPMU_PACKED_DP_UOP, NBPMU_SCALAR_SP_UOP, NBPMU_SCALAR_DP_UOP,
    NBPMU_64BIT_MMX_UOP, NBPMU_128BIT_MMX_UOP, NBPMU_X87_FP_UOP, NBPMU_X87_SIMD_MOVES_UOP,
    /* Counted by the IQ block, counters 12 to 17. uop_type only tags uops (nbpmu_tags()) and never counts. */
    NBPMU_RESOURCE_STALL, NBPMU_UOP_TYPE, NBPMU_UOPS_RETIRED, NBPMU_INSTR_RETIRED, NBPMU_MISPRED_BRANCH_RETIRED,
    NBPMU_INSTR_COMPLETED, NBPMU_MACHINE_CLEAR, NBPMU_X87_ASSIST, NBPMU_BRANCH_RETIRED, NBPMU_FRONT_END_EVENT,
    NBPMU_REPLAY_EVENT, NBPMU_EXECUTION_EVENT,
    NBPMU_EVENTS /* how many, with NBPMU_NO_EVENT */
};
/* clang-format on */

/* The event's name in the manual; "no_event" for NBPMU_NO_EVENT and values out of range. A constant. */
const char *nbpmu_event_name(enum nbpmu_event event);

/*
 * Report count (1 or more) occurrences of event in the clock that comes next, caused by logical processor lp
 * at its CPL (nbpmu_set_lp()); write the registers of that clock first. mask_bits says what an occurrence is,
 * in the bits of the event's ESCR mask.
 *
 * Most events count an occurrence once when it has at least one bit that the ESCR's mask selects.
 * IOQ_allocation and IOQ_active_entries combine the groups of their mask by the equation in the event's
 * description: give a request type (bits 4:0, bit 0 unless known better), ALL_READ or ALL_WRITE (5, 6), one
 * memory type (11:7), OWN or OTHER (13, 14), and PREFETCH (15) for a prefetch only. BSQ_allocation and
 * bsq_active_entries compare the coded fields (1:0, 3:2, 13:11) for equality.
 */
void nbpmu_event(struct nbpmu *pmu, unsigned lp, enum nbpmu_event event, uint16_t mask_bits, unsigned count);

/*
 * Tags that the upstream ESCRs put on a uop of logical processor lp which is an occurrence of member mask_bit
 * (0 to 15) of event (section "At-Retirement Counting"). Bit k of the result means that the retirement of the
 * uop is an occurrence of execution_event with mask bit k (NBOGUSk) or 4 + k (BOGUSk). For uop_type the
 * result is 1 when the retirement is an occurrence of front_end_event, for the replay events when
 * replay_event can find the replay. 0: not tagged.
 */
unsigned nbpmu_tags(const struct nbpmu *pmu, unsigned lp, enum nbpmu_event event, unsigned mask_bit);

/*
 * What MSR_TC_PRECISE_EVENT, MSR_PEBS_ENABLE or MSR_PEBS_MATRIX_VERT holds, by which the processor tags uops.
 * It is no access: nothing changes, and nothing can be wrong with it. 0: any other address.
 */
uint64_t nbpmu_tagging_register(struct nbpmu *pmu, uint32_t msr);

/* ---- Time ---- */

/*
 * Let clocks pass; the reported events belong to the first of them. The result is that of as many single
 * clocks, and takes time in proportion to what changes, not to clocks. Returns the logical processors whose
 * local APIC receives a PMI (performance counter LVT entry): bit 0 for LP0, bit 1 for LP1.
 */
unsigned nbpmu_advance(struct nbpmu *pmu, uint64_t clocks);

/*
 * Let up to *clocks clocks (1 or more) pass, each of which has the reported events. *clocks becomes the
 * number that passed, 1 or more: it is smaller when the set of active events may have changed; then report
 * the events again and call again for the rest. Returns PMIs as nbpmu_advance() does.
 */
unsigned nbpmu_repeat(struct nbpmu *pmu, uint64_t *clocks);

/*
 * No local APIC accepted the PMIs that the latest call raised (all LVT entries masked). Optional: clocks that
 * only repeat these PMIs may then be skipped as quiet ones, until nbpmu_lvtpc_unmasked().
 */
void nbpmu_pmi_undelivered(struct nbpmu *pmu);

/*
 * Software cleared the mask bit of LVTPC in the local APIC of logical processor lp. True when the PMI of an
 * earlier overflow is still requested and comes at once.
 */
bool nbpmu_lvtpc_unmasked(struct nbpmu *pmu, unsigned lp);

/* ---- Fast paths ---- */

/* First member of struct nbpmu, for the inline functions below and nobody else. */
struct nbpmu_head {
    uint64_t active_events, quiet;
};

/*
 * Set of events that could move a counter as the registers stand: bit e for event e. Other events need not be
 * reported. Bit NBPMU_NO_EVENT means that clocks matter even without events; while it is clear, clocks
 * without reported events need not be passed to nbpmu_advance(). The set changes only in calls of
 * nbpmu_wrmsr(), nbpmu_rdmsr(), nbpmu_reset(), nbpmu_init_received(), nbpmu_advance() and nbpmu_repeat().
 */
static inline uint64_t nbpmu_active_events(const struct nbpmu *pmu)
{
    return ((const struct nbpmu_head *)pmu)->active_events;
}

/*
 * Quiet clocks: how many clocks without events may pass by nbpmu_skip() instead of nbpmu_advance(), because
 * each of them does to the counters what the one before did. Any other call may change the number.
 */
static inline uint64_t nbpmu_quiet(const struct nbpmu *pmu)
{
    return ((const struct nbpmu_head *)pmu)->quiet;
}

/* Let quiet clocks pass, at most nbpmu_quiet(): a subtraction. The model catches up by itself. */
static inline void nbpmu_skip(struct nbpmu *pmu, uint64_t clocks)
{
    ((struct nbpmu_head *)pmu)->quiet -= clocks;
}

/* ---- Looking in ---- */

typedef void nbpmu_trace_fn(void *context, const char *line);

/*
 * Call fn with one readable line, without newline, for each visible change: register write, overflow, start
 * and stop by cascade, PMI. A PMI that repeats unchanged in skipped clocks is traced once. Null ends the
 * trace.
 */
void nbpmu_set_trace(struct nbpmu *pmu, nbpmu_trace_fn *fn, void *context);

/* Address of the ESCR that a counter (0 to 17) counts with ESCR select 0 to 7 in its CCCR; 0 when there is
 * none. */
uint32_t nbpmu_escr_route(unsigned counter, unsigned select);
/* The counter whose overflow starts this one through CASCADE, or through bit 11 (extended cascading); -1:
 * none. */
int nbpmu_cascade_source(const struct nbpmu *pmu, unsigned counter);
int nbpmu_extended_source(const struct nbpmu *pmu, unsigned counter);
/* The event that an event select (0 to 63) means in the ESCR at this address; NBPMU_NO_EVENT when none. */
enum nbpmu_event nbpmu_event_of(uint32_t escr_msr, unsigned select);

/* A counter after the latest clock. */
struct nbpmu_view {
    uint64_t value;     /* 40 bits */
    unsigned increment; /* 0 to 15: what the latest clock added, after threshold, complement and edge */
    bool ovf;           /* OVF in its CCCR */
    bool enabled;       /* it counts in the next clock: by ENABLE or because a cascade has started it */
};

/* Look at a counter, 0 to 17, as for a waveform. Unlike RDMSR this disturbs nothing. */
void nbpmu_look(const struct nbpmu *pmu, unsigned counter, struct nbpmu_view *view);

#ifdef __cplusplus
}
#endif

#endif
