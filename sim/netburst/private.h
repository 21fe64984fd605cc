/*
 * What the files of the model share with each other and with nobody else: its state (state.h), and the
 * functions that one file offers the others. README.md says which rules each file states.
 */
#ifndef SIM_NETBURST_PRIVATE_H
#define SIM_NETBURST_PRIVATE_H

#include "fault_conditions.h"
#include "fault_kinds.h"
#include "state.h"

/* Does the core have two logical processors? */
static inline bool nbpmu_has_ht(const struct nbpmu *pmu)
{
    return pmu->part.lps > 1;
}

/* Before CPUID signature F27H: R14, E10. */
static inline bool nbpmu_before_f27(const struct nbpmu_part *part)
{
    return part->model < 2 || (part->model == 2 && part->stepping < 7);
}

/* Has the PMU no fault? Asked before the faults of a rule, of which there are many and mostly none. */
static inline bool nbpmu_sound(const struct nbpmu *pmu)
{
    return pmu->fault.kind == FAULT_NONE;
}

/* Does the PMU have this fault? Asked where the rule that it breaks is stated. */
static inline bool nbpmu_faulty(const struct nbpmu *pmu, enum nbpmu_fault_kind kind)
{
    return pmu->fault.kind == kind;
}

/* The same for faults of one register, counter or link. */
static inline bool nbpmu_faulty_at(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned at)
{
    return nbpmu_faulty(pmu, kind) && pmu->fault.at == at;
}

/* fault_conditions.c: does this condition hold for counter n now? */
bool nbpmu_condition_holds(const struct nbpmu *pmu, enum nbpmu_fault_while condition, unsigned n);

/* Has the PMU a fault of this kind, which concerns every counter, and does it strike counter n now? */
static inline bool nbpmu_faulty_for(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n)
{
    return nbpmu_faulty(pmu, kind) &&
           (pmu->fault.condition == WHILE_ALWAYS || nbpmu_condition_holds(pmu, pmu->fault.condition, n));
}

/* The same for a kind of fault that is at one counter, or at whichever the condition holds for. */
static inline bool nbpmu_faulty_on(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n)
{
    return nbpmu_faulty_for(pmu, kind, n) && (pmu->fault.condition != WHILE_ALWAYS || pmu->fault.at == n);
}

/* The same for a kind of fault of a link, of counter n by this link. */
static inline bool nbpmu_faulty_link(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n,
                                     enum nbpmu_link link)
{
    return nbpmu_faulty_at(pmu, kind, link) && nbpmu_faulty_for(pmu, kind, n);
}

/* The lowest counter of a set of them, which is not empty. */
static inline unsigned nbpmu_lowest(uint32_t counters)
{
    return (unsigned)__builtin_ctz(counters);
}

/* The block of a counter: BPU, MS, FLAME, IQ. */
static inline unsigned nbpmu_block_of(unsigned n)
{
    return n < 16 ? n / 4 : 3;
}

/* Member `to` of a fault that may concern one counter or all of them. */
#define EVERY_COUNTER 0xFFu

/* add.c: what counter n holds after this increment, which is not 0; and whether it then overflows, which is
 * to be asked before. */
uint64_t nbpmu_sum(struct nbpmu *pmu, unsigned n, unsigned increment);
bool nbpmu_carries_out(const struct nbpmu *pmu, unsigned n, unsigned increment);

/* How many counts of X FAULT_LINK_LATE waits: far more than R37 leaves open. */
#define FAULTY_LATENCY 128u

/* reset.c: a logical processor has halted. */
void nbpmu_halted(struct nbpmu *pmu);

/* enable.c: with FAULT_LINK_EARLY or FAULT_LINK_LATE, does this value of X start its partners? */
bool nbpmu_link_starts_at(const struct nbpmu *pmu, uint64_t value);

/* routing.c */
bool nbpmu_counter_reaches(unsigned counter, uint32_t escr_msr);

/* event_table.c */
const struct nbpmu_event_info *nbpmu_event_info(enum nbpmu_event event);
/* Does an ESCR with this event tag uops by its mask, without tag enable? */
bool nbpmu_tags_by_mask(enum nbpmu_event event);
/* The event that an ESCR's value means on this part (model-dependent events, E10), NBPMU_NO_EVENT when none.
 */
enum nbpmu_event nbpmu_event_here(const struct nbpmu *pmu, uint32_t escr_msr, unsigned select);

/* match.c */
/* Can an occurrence of its event give this ESCR a value other than 0? */
bool nbpmu_can_count(const struct nbpmu *pmu, int escr_index);
/* Work out the event and mask that the value of the ESCR at address msr selects (R7). */
void nbpmu_decode(struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr);
void nbpmu_drop_posts(struct nbpmu *pmu);

/* qualify.c */
/* Is the event thread independent (Table 19-34)? */
bool nbpmu_is_ti(const struct nbpmu *pmu, enum nbpmu_event event);
/* May this ESCR count an event caused by lp at cpl? Always true for thread-independent events, which
 * nbpmu_qualify_clock() decides about. */
bool nbpmu_qualify_cause(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);
/* The same for each cause: bit NBPMU_CAUSE(lp, cpl) of the result. */
#define NBPMU_CAUSE(lp, cpl) (2 * (lp) + ((cpl) > 0))
uint8_t nbpmu_causes(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* Does the state of this clock let a thread-independent event of this ESCR count (R13)? */
bool nbpmu_qualify_clock(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* Value 0..15 that the ESCR presents in this clock (R8-R10, R12, R13). */
unsigned nbpmu_escr_value(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* Does this ESCR's value come from the state of the clock instead of reported events? */
bool nbpmu_value_of_clock(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
unsigned nbpmu_active_count(const struct nbpmu *pmu);
/* How many active logical processors counter n sees when there are this many: a faulty one may see the number
 * of an earlier clock. */
unsigned nbpmu_active_seen(struct nbpmu *pmu, unsigned n, unsigned active);
bool nbpmu_gate_open(const struct nbpmu *pmu, uint32_t cccr, unsigned active);

/* write_masks.c */
/* Bits of the CCCR of counter n, or of the ESCR at address msr, that a write keeps (R3). */
uint64_t nbpmu_cccr_kept(const struct nbpmu *pmu, unsigned n);
uint64_t nbpmu_escr_kept(const struct nbpmu *pmu, uint32_t msr);
/* Bits of MSR_TC_PRECISE_EVENT, MSR_PEBS_ENABLE or MSR_PEBS_MATRIX_VERT that a write keeps. */
uint64_t nbpmu_storage_kept(uint32_t msr);
/* Does every access to the ESCR at this address fault (E19)? */
bool nbpmu_escr_faults(const struct nbpmu *pmu, uint32_t msr);
/* Bits that the manual documents; a write of 1 to another one faults with the choice reserved_faults. */
uint64_t nbpmu_cccr_documented(const struct nbpmu *pmu, unsigned n);
uint64_t nbpmu_escr_documented(const struct nbpmu *pmu, uint32_t msr);

/* sharing.c */
/* Is a write by logical processor 1 lost? */
bool nbpmu_loses_write(const struct nbpmu *pmu, uint32_t msr);
/* What logical processor lp writes to a register when it writes value, and logical processor 1 reads where
 * the register holds value. */
uint64_t nbpmu_written_by(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value);
uint64_t nbpmu_read_by_lp1(struct nbpmu *pmu, uint32_t msr, uint64_t value);

/* filter.c */
/* Increment of this clock (0..15) for a value; keeps the edge filter's state. */
unsigned nbpmu_filter(struct nbpmu *pmu, struct nbpmu_counter *counter, unsigned value, bool gate_open);
/* Does a value pass threshold and COMPLEMENT of the counter's CCCR (R22)? */
bool nbpmu_passes_threshold(const struct nbpmu *pmu, const struct nbpmu_counter *counter, unsigned value);
/* State of the edge filter of a counter that starts (R25). */
void nbpmu_filter_start(const struct nbpmu *pmu, struct nbpmu_counter *counter);

/* clock.c: do the counters run with this number of active logical processors (R42)? */
bool nbpmu_clocked(const struct nbpmu *pmu, unsigned active);

/* count.c */
/* Advance counter n by increment (1..15). Returns the logical processors that get a PMI. */
unsigned nbpmu_count(struct nbpmu *pmu, unsigned n, unsigned increment);

/* disturb.c: faults of a write of the CCCR of counter n, which held `before`; of a write of an ESCR; of an
 * RDPMC. */
void nbpmu_disturb_by_cccr(struct nbpmu *pmu, unsigned n, uint32_t before);
void nbpmu_disturb_by_escr(struct nbpmu *pmu, unsigned escr_index);
void nbpmu_disturb_by_rdpmc(struct nbpmu *pmu, unsigned n);

/* errata.c */
/* What a write of value really loads into counter n (E1). */
uint64_t nbpmu_torn_write(const struct nbpmu *pmu, unsigned n, uint64_t value);
/* Logical processor lp accessed counter n, whose input is open meanwhile: add its event's value (E1). */
void nbpmu_add_at_access(struct nbpmu *pmu, unsigned n, unsigned lp);
/* Counters that run and select an event of retirement, as a bit mask (E20). */
uint32_t nbpmu_retiring(const struct nbpmu *pmu);
/* A write of a CCCR or an ESCR, before which these were retiring, may have enabled others (E20). */
void nbpmu_count_early(struct nbpmu *pmu, uint32_t retiring_before);
/* How many of a counter's early counts come in this clock (E20). */
unsigned nbpmu_early_counts(struct nbpmu *pmu, struct nbpmu_counter *counter);
/* Did the latest clock carry into bit 32 of this counter, so that a stop now would lose it (E2)? */
bool nbpmu_carry_at_risk(const struct nbpmu *pmu, const struct nbpmu_counter *counter);
/* After a write to the CCCR of counter n: when it disabled the counter, perhaps lose a carry (E2). */
void nbpmu_lose_carry(struct nbpmu *pmu, unsigned n, bool was_running);
/* Does this overflow of counter n leave OVF as it is (E9)? */
bool nbpmu_leaves_unflagged(struct nbpmu *pmu, unsigned n);

/* enable.c */
/* Was this counter started by another one? */
static inline bool nbpmu_linked(const struct nbpmu_counter *counter)
{
    return counter->linked[LINK_CASCADE] || counter->linked[LINK_CASCNT];
}
/* The counter that can start n through link, or -1; the CCCR bit that asks for it. */
int nbpmu_link_source(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link);
uint32_t nbpmu_link_bit(enum nbpmu_link link);
/* Recompute everything derived; called after register writes and OVF changes. */
void nbpmu_refresh(struct nbpmu *pmu);
/* Is this ESCR powered: is a counter enabled that can select it or the other ESCR of its pair (R44)? */
bool nbpmu_powered(const struct nbpmu *pmu, int escr_index);

/* fault_links.c: the defects of cascades that need to know more than X and Y. */
/* Does this X not start counter n, which is armed? */
bool nbpmu_link_fails(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x);
/* Tell of an overflow, after OVF was set; of an access to a counter; of a write of a CCCR that held
 * `before`. */
void nbpmu_overflowed(struct nbpmu *pmu, unsigned n);
void nbpmu_counter_accessed(struct nbpmu *pmu, unsigned n, bool written);
void nbpmu_cccr_written(struct nbpmu *pmu, unsigned n, uint32_t before);
/* Has the start of another counter halted this one? */
bool nbpmu_halted_by_start(const struct nbpmu *pmu, unsigned n);
/* Let a started counter count the event of X. */
void nbpmu_take_escr_of_x(struct nbpmu *pmu, unsigned n);

/* fast_forward.c */
/* Apply the quiet clocks that the caller has taken, and end the quiet period. */
void nbpmu_sync(struct nbpmu *pmu);
/* How many clocks that repeat the latest increments can pass before a running counter overflows; at most
 * limit. */
uint64_t nbpmu_clocks_before_carry(const struct nbpmu *pmu, uint64_t limit);
/* Add the latest increments `clocks` times. */
void nbpmu_repeat_increments(struct nbpmu *pmu, uint64_t clocks);
/* Announce as many quiet clocks as can follow the latest clock. */
void nbpmu_extend_quiet_clocks(struct nbpmu *pmu);

/* demand.c */
/* Recompute the active events and which counters each ESCR and each clock concerns. */
void nbpmu_find_demand(struct nbpmu *pmu);

/* trace.c */
void nbpmu_tracef(const struct nbpmu *pmu, const char *format, ...) __attribute__((format(printf, 2, 3)));
void nbpmu_trace_escr(const struct nbpmu *pmu, uint32_t msr);
void nbpmu_trace_cccr(const struct nbpmu *pmu, unsigned n);

/* escr_table.c */
const char *nbpmu_escr_name(uint32_t msr);
/* Write mask recorded for an ESCR on 0F43H (pmu-rules 3.4). */
uint32_t nbpmu_escr_f43_mask(uint32_t msr);
bool nbpmu_escr_exists(uint32_t msr);

#endif
