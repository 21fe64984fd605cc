/*
 * Errata of the counters that strike at certain moments. Each is a variant.
 *
 * E1, as O8 has it: an access opens the counter's input, whether or not the counter is enabled, and the value
 * of the selected event is added; nothing is added for a null event with COMPARE = 0.
 *
 * E1, torn write: a write to a running counter loads the high half first, then the low half. Events that
 * arrive in between can carry from the old low half into the new high half. Writing a second time repairs the
 * value.
 *
 * E2: a counter that is disabled in the clock of a carry from bit 31 into bit 32 loses that carry. The clock
 * after the carry therefore matters even without events: it ends the danger.
 *
 * E9: a PMI comes without OVF. It is not known when; here every E9_PERIODth overflow that finds OVF clear and
 * raises a PMI leaves OVF clear.
 *
 * E20: with a preset of -8 to -1 a counter of retired instructions, branches or uops raises its PMI before
 * the first instruction after the enabling write retires, at whatever privilege level. Here 8 counts come in
 * the clock after that write and one in the next clock, which raises the PMI (R46). Other presets do not show
 * it: the totals of F8 are the same in every run.
 */
#include "errata.h"
#include "state.h"
#include "stages.h"
#include "match.h"
#include "qualify.h"
#include "filter.h"
#include "fast_forward.h"

#define LOW_HALF   FIELD_MASK64(31, 0)
#define E1_EVENTS  16 /* events that arrive between the writes of the two halves */
#define E9_PERIOD  29
#define E20_PRESET 8

static bool is_running(const struct nbpmu *pmu, unsigned n)
{
    return pmu->running & (1u << n);
}

uint64_t nbpmu_torn_write(const struct nbpmu *pmu, unsigned n, uint64_t value)
{
    bool carries = (pmu->counter[n].value & LOW_HALF) + E1_EVENTS > LOW_HALF;
    if (!pmu->variants.e1_torn_write || !is_running(pmu, n) || !carries)
        return value;
    return (value + LOW_HALF + 1) & COUNTER_MASK;
}

/* The value that the counter's event shows while lp makes its access: a state, or one occurrence of anything
 * that could happen now. */
static unsigned value_at_access(const struct nbpmu *pmu, const struct nbpmu_counter *counter, unsigned lp)
{
    if (counter->escr_index == NO_ESCR)
        return 0;
    const struct nbpmu_escr *escr = &pmu->escr[counter->escr_index];
    if (escr->of_clock)
        return nbpmu_escr_value(pmu, escr);
    return nbpmu_can_count(pmu, counter->escr_index) &&
           pmu->stages->qualifies(pmu, escr, lp, pmu->lp[lp].cpl) && pmu->stages->clock_qualifies(pmu, escr);
}

void nbpmu_add_at_access(struct nbpmu *pmu, unsigned n, unsigned lp)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    unsigned value = value_at_access(pmu, counter, lp);
    if (counter->cccr & CCCR_COMPARE)
        value = nbpmu_passes_threshold(counter, value);
    if (pmu->stages->gate_open(pmu, n, nbpmu_active_count(pmu)))
        counter->value = (counter->value + value) & COUNTER_MASK;
}

static bool is_retirement(enum nbpmu_event event)
{
    return event == NBPMU_INSTR_RETIRED || event == NBPMU_INSTR_COMPLETED || event == NBPMU_UOPS_RETIRED ||
           event == NBPMU_BRANCH_RETIRED;
}

uint32_t nbpmu_retiring(const struct nbpmu *pmu)
{
    uint32_t retiring = 0;
    for (unsigned n = 0; n < PMC_COUNTERS && pmu->variants.early_counts; n++) {
        int escr_index = pmu->counter[n].escr_index;
        if (is_running(pmu, n) && escr_index != NO_ESCR && is_retirement(pmu->escr[escr_index].event))
            retiring |= 1u << n;
    }
    return retiring;
}

void nbpmu_count_early(struct nbpmu *pmu, uint32_t retiring_before)
{
    uint32_t enabled = nbpmu_retiring(pmu) & ~retiring_before;
    for (unsigned n = 0; enabled; n++, enabled >>= 1) {
        if (enabled & 1) {
            bool near_overflow = pmu->counter[n].value > COUNTER_MASK - E20_PRESET;
            pmu->counter[n].early = near_overflow ? E20_PRESET + 1 : 0;
        }
    }
    if (pmu->variants.early_counts)
        nbpmu_find_demand(pmu);
}

unsigned nbpmu_with_early_counts(struct nbpmu *pmu, struct nbpmu_counter *counter, unsigned value)
{
    unsigned now = counter->early > E20_PRESET ? E20_PRESET : counter->early;
    counter->early -= now;
    if (now) {
        pmu->changed = true;
        pmu->stale = true; /* the last one ends the demand for clocks */
    }
    return value + now < NBPMU_VALUE_MAX ? value + now : NBPMU_VALUE_MAX;
}

bool nbpmu_carry_at_risk(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    return pmu->variants.e2_lost_carry && (counter->value & LOW_HALF) < counter->last_increment;
}

void nbpmu_lose_carry(struct nbpmu *pmu, unsigned n, bool was_running)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (was_running && !is_running(pmu, n) && nbpmu_carry_at_risk(pmu, counter))
        counter->value = (counter->value - (LOW_HALF + 1)) & COUNTER_MASK;
}

bool nbpmu_leaves_unflagged(struct nbpmu *pmu, unsigned n)
{
    if (!pmu->variants.e9_unflagged || !(pmu->counter[n].cccr & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)))
        return false;
    pmu->changed = true;
    return ++pmu->interrupting_overflows % E9_PERIOD == 0;
}
