/*
 * The conditions of the double faults: is feature B in use, on counter n or around it? The condition is asked
 * for at the moment in which feature A would have its effect, and A is broken if the condition holds.
 */
#include "catalogue.h"
#include "defects.h"

#include "pmc/count_of.h"

static bool other_runs_on_escr(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned other = 0; other < PMC_COUNTERS; other++) {
        if (other != n && (pmu->running >> other & 1) &&
            pmu->counter[other].escr_index == pmu->counter[n].escr_index) {
            return true;
        }
    }
    return false;
}

/* Does another counter wait for the overflow of counter n? */
static bool is_awaited(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        uint32_t cccr = pmu->counter[y].cccr;
        if (((cccr & CCCR_CASCADE) && nbpmu_cascade_source(pmu, y) == (int)n) ||
            ((cccr & CCCR_CASCNT) && nbpmu_extended_source(pmu, y) == (int)n)) {
            return true;
        }
    }
    return false;
}

/* Has a counter other than n OVF set, in the block of n or elsewhere? */
static bool other_ovf(const struct nbpmu *pmu, unsigned n, bool in_block)
{
    for (unsigned other = 0; other < PMC_COUNTERS; other++) {
        if (other != n && (nbpmu_block_of(other) == nbpmu_block_of(n)) == in_block &&
            (pmu->counter[other].cccr & CCCR_OVF)) {
            return true;
        }
    }
    return false;
}

/* Is an active logical processor above CPL 0? */
static bool someone_above_cpl_0(const struct nbpmu *pmu)
{
    return (pmu->lp[0].active && pmu->lp[0].cpl) || (pmu->lp[1].active && pmu->lp[1].cpl);
}

static bool in_escr(const struct nbpmu *pmu, const struct nbpmu_counter *counter,
                    enum nbpmu_fault_while condition)
{
    uint32_t escr = counter->escr_index == NO_ESCR ? 0 : pmu->escr[counter->escr_index].value;
    bool os = escr & (ESCR_T0_OS | ESCR_T1_OS), usr = escr & (ESCR_T0_USR | ESCR_T1_USR);
    switch (condition) {
    case WHILE_OS_ALONE:
        return os && !usr;
    case WHILE_USR_ALONE:
        return usr && !os;
    default:
        return (escr & ESCR_T1_ALL) && !(escr & ESCR_T0_ALL);
    }
}

/* What follows "while" in the name of a fault and in its description. */
static const struct {
    const char *name, *text;
    enum nbpmu_fault_part part;
    uint32_t cccr; /* the condition holds if one of these bits of the CCCR is set */
} CONDITIONS[] = {
    [WHILE_ALWAYS] = {"", "", PART_ANY, 0},
    [WHILE_COMPARE] = {"compare", "its CCCR has COMPARE", PART_ANY, CCCR_COMPARE},
    [WHILE_COMPLEMENT] = {"complement", "its CCCR has COMPLEMENT", PART_ANY, CCCR_COMPLEMENT},
    [WHILE_THRESHOLD] = {"threshold", "its CCCR has a threshold above 0", PART_ANY, CCCR_THRESHOLD_MASK},
    [WHILE_EDGE] = {"edge", "its CCCR has EDGE", PART_ANY, CCCR_EDGE},
    [WHILE_FORCE_OVF] = {"force-ovf", "its CCCR has FORCE_OVF", PART_ANY, CCCR_FORCE_OVF},
    [WHILE_PMI_T0] = {"pmi-t0", "its CCCR has OVF_PMI_T0", PART_ANY, CCCR_OVF_PMI_T0},
    [WHILE_PMI_T1] = {"pmi-t1", "its CCCR has OVF_PMI_T1", PART_HT, CCCR_OVF_PMI_T1},
    [WHILE_CASCADE] = {"cascade", "its CCCR has CASCADE", PART_ANY, CCCR_CASCADE},
    [WHILE_BIT_11] = {"bit-11", "its CCCR has bit 11", PART_EXTENDED, CCCR_CASCNT},
    [WHILE_GATED] = {"gated", "its ACTIVE_THREAD is not 11B", PART_HT, 0},
    [WHILE_OVF] = {"ovf", "its OVF is set", PART_ANY, CCCR_OVF},
    [WHILE_OS_ALONE] = {"os-alone", "its ESCR has OS without USR", PART_ANY, 0},
    [WHILE_USR_ALONE] = {"usr-alone", "its ESCR has USR without OS", PART_ANY, 0},
    [WHILE_T1_ALONE] = {"t1-alone", "its ESCR has T1 without T0 flags", PART_HT, 0},
    [WHILE_STARTED] = {"started", "a cascade has started it", PART_ANY, 0},
    [WHILE_AWAITED] = {"awaited", "another counter waits for its overflow", PART_ANY, 0},
    [WHILE_NEGATIVE] = {"negative", "its bit 39 is 1", PART_ANY, 0},
    [WHILE_POSITIVE] = {"positive", "its bit 39 is 0", PART_ANY, 0},
    [WHILE_ESCR_SHARED] = {"escr-shared", "another counter counts by its ESCR", PART_ANY, 0},
    [WHILE_PARTNER_OVF] = {"partner-ovf", "OVF of its cascade partner is set", PART_ANY, 0},
    [WHILE_BLOCK_OVF] = {"block-ovf", "OVF of another counter of its block is set", PART_ANY, 0},
    [WHILE_FOREIGN_OVF] = {"foreign-ovf", "OVF of a counter of another block is set", PART_ANY, 0},
    [WHILE_OVERFLOWS_MEET] = {"overflows-meet", "another counter overflows in this clock", PART_ANY, 0},
    [WHILE_SEVERAL] = {"several", "its ESCR has several occurrences in this clock", PART_ANY, 0},
    [WHILE_LP1_ACTIVE] = {"lp1-active", "LP1 is active", PART_HT, 0},
    [WHILE_LP_HALTED] = {"lp-halted", "a logical processor is halted", PART_HT, 0},
    [WHILE_ABOVE_CPL_0] = {"above-cpl-0", "a logical processor is above CPL 0", PART_ANY, 0},
};

bool nbpmu_condition_holds(const struct nbpmu *pmu, enum nbpmu_fault_while condition, unsigned n)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    switch (condition) {
    case WHILE_ALWAYS:
        return true;
    case WHILE_OS_ALONE:
    case WHILE_USR_ALONE:
    case WHILE_T1_ALONE:
        return in_escr(pmu, counter, condition);
    case WHILE_GATED:
        return CCCR_GET_ACTIVE_THREAD(counter->cccr) != ACTIVE_ANY;
    case WHILE_STARTED:
        return nbpmu_linked(counter);
    case WHILE_AWAITED:
        return is_awaited(pmu, n);
    case WHILE_NEGATIVE:
        return counter->value > COUNTER_MASK / 2;
    case WHILE_POSITIVE:
        return counter->value <= COUNTER_MASK / 2;
    case WHILE_ESCR_SHARED:
        return other_runs_on_escr(pmu, n);
    case WHILE_PARTNER_OVF:
        return n < 16 && (pmu->counter[n ^ 2].cccr & CCCR_OVF);
    case WHILE_BLOCK_OVF:
        return other_ovf(pmu, n, true);
    case WHILE_FOREIGN_OVF:
        return other_ovf(pmu, n, false);
    case WHILE_OVERFLOWS_MEET:
        return defects_of(pmu)->overflowing & ~(1u << n);
    case WHILE_SEVERAL:
        return counter->escr_index != NO_ESCR && pmu->escr[counter->escr_index].sum > 1;
    case WHILE_LP1_ACTIVE:
        return pmu->lp[1].active;
    case WHILE_LP_HALTED:
        return !pmu->lp[0].active || !pmu->lp[1].active;
    case WHILE_ABOVE_CPL_0:
        return someone_above_cpl_0(pmu);
    default:
        return counter->cccr & CONDITIONS[condition].cccr;
    }
}

_Static_assert(COUNT_OF(CONDITIONS) == FAULT_CONDITIONS, "every condition has a name");

static bool condition(unsigned number, struct fault_member *member)
{
    if (number == WHILE_ALWAYS) {
        return false; /* faults that need no second feature have rows of their own */
    }
    member->condition = (uint8_t)number;
    member->part = member->part == PART_ANY ? CONDITIONS[number].part : member->part;
    member->text = CONDITIONS[number].text;
    snprintf(member->suffix, sizeof member->suffix, "-while-%s", CONDITIONS[number].name);
    return true;
}

const struct fault_family nbpmu_every_condition = {FAULT_CONDITIONS, condition};
