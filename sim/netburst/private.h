/*
 * What the files of the model share with each other and with sim/faults: its state (state.h), its stages
 * (stages.h), and the functions that one file offers the others. sim/README.md says which rules each file
 * states.
 */
#ifndef SIM_NETBURST_PRIVATE_H
#define SIM_NETBURST_PRIVATE_H

#include "stages.h"

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

/* Before CPUID signature F0AH, that is stepping C1: E22. */
static inline bool nbpmu_before_c1(const struct nbpmu_part *part)
{
    return part->model == 0 && part->stepping < 0xA;
}

/* Tulsa, the only core of CPUID signature F68H. */
static inline bool nbpmu_is_xeon_7100(const struct nbpmu_part *part)
{
    return part->model == 6 && part->stepping == 8;
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
/* Work out what the value of the ESCR at address msr selects. */
void nbpmu_decode(struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr);
void nbpmu_drop_posts(struct nbpmu *pmu);
/* Does a mask of IOQ_allocation select an occurrence with these bits, by the equation of models 2 and later
 * or by that of earlier ones? */
bool nbpmu_ioq_matches(bool groups_are_anded, unsigned mask, unsigned bits);

/* qualify.c */
/* Is the bit set that stands for logical processor lp at this privilege level (R12; R11 without
 * Hyper-Threading)? */
bool nbpmu_causer_counts(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);
/* May this ESCR count an event caused by lp at cpl? Always true for thread-independent events. */
bool nbpmu_qualify_cause(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp, unsigned cpl);
/* The same for each cause: bit NBPMU_CAUSE(lp, cpl) of the result. */
#define NBPMU_CAUSE(lp, cpl) (2 * (lp) + ((cpl) > 0))
uint8_t nbpmu_causes(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* Does the state of this clock let a thread-independent event of this ESCR count (R13)? */
bool nbpmu_state_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
/* Value 0..15 that the ESCR presents in this clock (R8-R10, R12, R13). */
unsigned nbpmu_escr_value(const struct nbpmu *pmu, const struct nbpmu_escr *escr);
unsigned nbpmu_active_count(const struct nbpmu *pmu);

/* tags.c: the tags of an ESCR that qualifies. */
unsigned nbpmu_tag_value(const struct nbpmu_escr *escr);
/* After a write to an ESCR, which was like before: does it go on tagging (E23)? */
void nbpmu_linger(struct nbpmu *pmu, int escr_index, const struct nbpmu_escr *before);

/* registers.c: what is at this address. */
enum nbpmu_register { REG_NONE, REG_COUNTER, REG_CCCR, REG_ESCR, REG_STORAGE };
enum nbpmu_register nbpmu_register_of(uint32_t msr);
/* Does this write fault? */
bool nbpmu_write_faults(const struct nbpmu *pmu, uint32_t msr, uint64_t value);

/* reset.c: all ESCRs 0. */
void nbpmu_clear_escrs(struct nbpmu *pmu);

/* write_masks.c */
/* Bits of the ESCR at address msr that a write keeps (R3). */
uint64_t nbpmu_escr_kept(const struct nbpmu *pmu, uint32_t msr);
/* Bits of MSR_TC_PRECISE_EVENT, MSR_PEBS_ENABLE or MSR_PEBS_MATRIX_VERT that a write keeps. */
uint64_t nbpmu_storage_kept(uint32_t msr);
/* Does every access to the ESCR at this address fault (E19)? */
bool nbpmu_escr_faults(const struct nbpmu *pmu, uint32_t msr);
/* Bits that the manual documents; a write of 1 to another one faults with the variant reserved_faults. */
uint64_t nbpmu_cccr_documented(const struct nbpmu *pmu, unsigned n);
uint64_t nbpmu_escr_documented(const struct nbpmu *pmu, uint32_t msr);

/* filter.c */
/* Does a value pass threshold and COMPLEMENT of the counter's CCCR (R22)? */
bool nbpmu_passes_threshold(const struct nbpmu_counter *counter, unsigned value);
/* State of the edge filter of a counter that starts (R25). */
void nbpmu_filter_start(const struct nbpmu *pmu, struct nbpmu_counter *counter);

/* clock.c: do the counters run with this number of active logical processors (R42)? */
bool nbpmu_clocked(const struct nbpmu *pmu, unsigned active);

/* count.c: raise the PMI of counter n. Returns the logical processors that get it. */
unsigned nbpmu_raise_pmi(struct nbpmu *pmu, unsigned n);

/* errata.c */
/* What a write of value really loads into counter n (E1). */
uint64_t nbpmu_torn_write(const struct nbpmu *pmu, unsigned n, uint64_t value);
/* Logical processor lp accessed counter n, whose input is open meanwhile: add its event's value (E1). */
void nbpmu_add_at_access(struct nbpmu *pmu, unsigned n, unsigned lp);
/* Counters that run and select an event of retirement, as a bit mask (E20). */
uint32_t nbpmu_retiring(const struct nbpmu *pmu);
/* A write of a CCCR or an ESCR, before which these were retiring, may have enabled others (E20). */
void nbpmu_count_early(struct nbpmu *pmu, uint32_t retiring_before);
/* The value of this clock with those of a counter's early counts that come in it (E20). */
unsigned nbpmu_with_early_counts(struct nbpmu *pmu, struct nbpmu_counter *counter, unsigned value);
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
/* The CCCR bit that asks for this link. */
uint32_t nbpmu_link_bit(enum nbpmu_link link);
/* Does OVF of x, as it is now, start the counters that x starts? OVF written by software does, but for the
 * variant written_ovf_no_cascade (R30). */
bool nbpmu_ovf_starts(const struct nbpmu *pmu, const struct nbpmu_counter *x);
/* Recompute everything derived; called after register writes and OVF changes. */
void nbpmu_refresh(struct nbpmu *pmu);
/* Is this ESCR powered: is a counter enabled that can select it or the other ESCR of its pair (R44)? */
bool nbpmu_powered(const struct nbpmu *pmu, int escr_index);
/* The counters whose ENABLE is set and works. */
uint32_t nbpmu_enabled_counters(const struct nbpmu *pmu);

/* fast_forward.c */
/* Apply the quiet clocks that the caller has taken, and end the quiet period. */
void nbpmu_sync(struct nbpmu *pmu);
/* How far a counter can advance from this value without a carry out of the bits below `bit`. */
uint64_t nbpmu_distance_to_carry_into(unsigned bit, uint64_t value);
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
