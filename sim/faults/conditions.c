/*
 * The conditions of composed faults: what must hold, of the counter at hand or around it, when the fault
 * would have its effect.
 */
#include "faults.h"

static bool is_gated(const struct nbpmu *pmu, unsigned n)
{
    return CCCR_GET_ACTIVE_THREAD(pmu->counter[n].cccr) != ACTIVE_ANY;
}

/* Does one of the first so many counters, but for n, count by the ESCR of n? */
static bool shares_escr_with_first(const struct nbpmu *pmu, unsigned n, unsigned count)
{
    const int escr_index = pmu->counter[n].escr_index;
    for (unsigned other = 0; other < count && escr_index != NO_ESCR; other++)
        if (other != n && (pmu->running >> other & 1) && pmu->counter[other].escr_index == escr_index)
            return true;
    return false;
}

static bool shares_escr(const struct nbpmu *pmu, unsigned n)
{
    return shares_escr_with_first(pmu, n, PMC_COUNTERS);
}

static bool escr_is_taken(const struct nbpmu *pmu, unsigned n)
{
    return shares_escr_with_first(pmu, n, n);
}

/* Does another counter wait for the overflow of counter n? */
static bool is_awaited(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++)
        for (enum nbpmu_link link = 0; link < LINKS; link++)
            if (has_bits(pmu, y, nbpmu_link_bit(link)) && nbpmu_link_source(pmu, y, link) == (int)n)
                return true;
    return false;
}

static bool is_started(const struct nbpmu *pmu, unsigned n)
{
    return nbpmu_linked(&pmu->counter[n]);
}

static bool is_negative(const struct nbpmu *pmu, unsigned n)
{
    return pmu->counter[n].value > COUNTER_MASK / 2;
}

static bool is_positive(const struct nbpmu *pmu, unsigned n)
{
    return !is_negative(pmu, n);
}

/* Another counter, in the block of n or outside of it, has these bits of the CCCR. */
static bool other_has_bits(const struct nbpmu *pmu, unsigned n, bool of_block, uint32_t bits)
{
    for (unsigned other = 0; other < PMC_COUNTERS; other++)
        if (other != n && (nbpmu_block_of(other) == nbpmu_block_of(n)) == of_block &&
            has_bits(pmu, other, bits))
            return true;
    return false;
}

static bool block_has_ovf(const struct nbpmu *pmu, unsigned n)
{
    return other_has_bits(pmu, n, true, CCCR_OVF);
}

static bool foreign_has_ovf(const struct nbpmu *pmu, unsigned n)
{
    return other_has_bits(pmu, n, false, CCCR_OVF);
}

static bool partner_has_ovf(const struct nbpmu *pmu, unsigned n)
{
    return has_bits(pmu, partner_of(n), CCCR_OVF);
}

static bool neighbour_is_enabled(const struct nbpmu *pmu, unsigned n)
{
    return has_bits(pmu, n ^ 1, CCCR_ENABLE);
}

static bool neighbour_runs(const struct nbpmu *pmu, unsigned n)
{
    return pmu->running >> (n ^ 1) & 1;
}

static bool runs_alone(const struct nbpmu *pmu, unsigned n)
{
    return !(pmu->running & ~(1u << n));
}

/* In a clock the counters count in the order of their numbers. */
static bool other_overflows(const struct nbpmu *pmu, unsigned n)
{
    return defects_of(pmu)->overflowing & ((1u << n) - 1);
}

static bool has_several(const struct nbpmu *pmu, unsigned n)
{
    return escr_of(pmu, n).sum > 1;
}

static bool has_4_or_more(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_escr escr = escr_of(pmu, n);
    return escr.sum + escr.level >= 4;
}

static bool runs(const struct nbpmu *pmu, unsigned n)
{
    return pmu->running >> n & 1;
}

static bool has_event_without(const struct nbpmu_escr *escr, uint32_t bits)
{
    return ESCR_GET_EVENT_SELECT(escr->value) && !(escr->value & bits);
}

static bool has_no_flags(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return has_event_without(escr, ESCR_CPL_MASK);
}

static bool has_no_os(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return has_event_without(escr, ESCR_T0_OS | ESCR_T1_OS);
}

static bool has_no_mask(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return has_event_without(escr, ESCR_EVENT_MASK_MASK);
}

/* All bits of the mask that the ESCR has on this part. */
static bool mask_is_full(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    const uint64_t kept = nbpmu_escr_kept(pmu, ESCR_MSR((int)(escr - pmu->escr) % (int)ESCR_INDICES));
    return escr->value && (kept & ~(uint64_t)escr->value & ESCR_EVENT_MASK_MASK) == 0;
}

/* A PMI that is due comes with the next count. */
static bool pmi_is_due(const struct nbpmu *pmu, unsigned n)
{
    return is_due(pmu, n);
}

static bool is_counting(const struct nbpmu *pmu, unsigned n)
{
    return (pmu->running >> n & 1) && pmu->counter[n].last_increment;
}

/* The counter that could start n, by the flag that its CCCR has. -1: none. */
static int x_of(const struct nbpmu *pmu, unsigned n)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    return cccr & CCCR_CASCADE  ? nbpmu_cascade_source(pmu, n)
           : cccr & CCCR_CASCNT ? nbpmu_extended_source(pmu, n)
                                : -1;
}

static bool x_has_ovf(const struct nbpmu *pmu, unsigned n)
{
    const int x = x_of(pmu, n);
    return x >= 0 && has_bits(pmu, (unsigned)x, CCCR_OVF);
}

static bool x_is_enabled(const struct nbpmu *pmu, unsigned n)
{
    const int x = x_of(pmu, n);
    return x >= 0 && has_bits(pmu, (unsigned)x, CCCR_ENABLE);
}

static bool x_is_armed(const struct nbpmu *pmu, unsigned n)
{
    const int x = x_of(pmu, n);
    return x >= 0 && has_bits(pmu, (unsigned)x, CCCR_CASCADE | CCCR_CASCNT);
}

/* A counter of its block, but for its X, runs. */
static bool block_runs(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned other = 0; other < PMC_COUNTERS; other++)
        if (other != n && (int)other != x_of(pmu, n) && nbpmu_block_of(other) == nbpmu_block_of(n) &&
            runs(pmu, other))
            return true;
    return false;
}

static bool block_was_started(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned other = 0; other < PMC_COUNTERS; other++)
        if (other != n && nbpmu_block_of(other) == nbpmu_block_of(n) && is_started(pmu, other) &&
            x_of(pmu, other) != x_of(pmu, n))
            return true;
    return false;
}

static bool x_is_started(const struct nbpmu *pmu, unsigned n)
{
    const int x = x_of(pmu, n);
    return x >= 0 && is_started(pmu, (unsigned)x);
}

static bool was_written_by_lp1(const struct nbpmu *pmu, unsigned n)
{
    return defects_of(pmu)->composed.at[n].by_lp1;
}

static bool was_written_by_lp0(const struct nbpmu *pmu, unsigned n)
{
    return !was_written_by_lp1(pmu, n);
}

static bool was_read(const struct nbpmu *pmu, unsigned n)
{
    return defects_of(pmu)->composed.at[n].was_read;
}

static bool lp1_is_active(const struct nbpmu *pmu, unsigned n)
{
    return pmu->lp[1].active;
}

static bool lp_is_halted(const struct nbpmu *pmu, unsigned n)
{
    return !pmu->lp[0].active || !pmu->lp[1].active;
}

static bool is_above_cpl_0(const struct nbpmu *pmu, unsigned n)
{
    return (pmu->lp[0].active && pmu->lp[0].cpl) || (pmu->lp[1].active && pmu->lp[1].cpl);
}

const struct condition nbpmu_fault_conditions[] = {
    {.name = "compare", .text = "its CCCR has COMPARE", .cccr = CCCR_COMPARE},
    {.name = "complement", .text = "its CCCR has COMPLEMENT", .cccr = CCCR_COMPLEMENT},
    {.name = "threshold", .text = "its CCCR has a threshold above 0", .cccr = CCCR_THRESHOLD_MASK},
    {.name = "edge", .text = "its CCCR has EDGE", .cccr = CCCR_EDGE},
    {.name = "force-ovf", .text = "its CCCR has FORCE_OVF", .cccr = CCCR_FORCE_OVF},
    {.name = "pmi-t0", .text = "its CCCR has OVF_PMI_T0", .cccr = CCCR_OVF_PMI_T0},
    {.name = "pmi-t1", .text = "its CCCR has OVF_PMI_T1", .cccr = CCCR_OVF_PMI_T1, .part = PART_HT},
    {.name = "cascade", .text = "its CCCR has CASCADE", .cccr = CCCR_CASCADE, .implies = "armed"},
    {.name = "bit-11",
     .text = "its CCCR has bit 11",
     .cccr = CCCR_CASCNT,
     .part = PART_EXTENDED,
     .implies = "armed"},
    {.name = "ovf", .text = "its OVF is set", .cccr = CCCR_OVF},
    {.name = "enabled", .text = "its CCCR has ENABLE", .cccr = CCCR_ENABLE},
    {.name = "armed", .text = "its CCCR has CASCADE or bit 11", .cccr = CCCR_CASCADE | CCCR_CASCNT},
    {.name = "gated", .text = "its ACTIVE_THREAD is not 11B", .holds = is_gated, .part = PART_HT},
    {.name = "os-alone",
     .text = "its ESCR has OS without USR",
     .flags = ESCR_T0_OS | ESCR_T1_OS,
     .excludes = "usr-alone"},
    {.name = "usr-alone",
     .text = "its ESCR has USR without OS",
     .flags = ESCR_T0_USR | ESCR_T1_USR,
     .excludes = "os-alone",
     .implies = "no-os"},
    {.name = "t1-alone", .text = "its ESCR has T1 without T0 flags", .flags = ESCR_T1_ALL, .part = PART_HT},
    {.name = "escr-shared",
     .text = "another counter counts by its ESCR",
     .holds = shares_escr,
     .excludes = "alone"},
    {.name = "escr-taken",
     .text = "a counter with a lower number counts by its ESCR",
     .holds = escr_is_taken,
     .excludes = "alone",
     .implies = "escr-shared"},
    {.name = "no-flags",
     .text = "its ESCR has an event and none of the four flags",
     .of_escr = has_no_flags,
     .excludes = "os-alone usr-alone t1-alone",
     .implies = "no-os"},
    {.name = "no-os",
     .text = "its ESCR has an event and no OS flag",
     .of_escr = has_no_os,
     .excludes = "os-alone"},
    /* What selects nothing has no occurrences. */
    {.name = "no-mask",
     .text = "its ESCR has an event and an empty mask",
     .of_escr = has_no_mask,
     .excludes = "full-mask several from-4"},
    {.name = "full-mask", .text = "its ESCR has all bits of its mask", .of_escr = mask_is_full},
    {.name = "runs", .text = "it is enabled, or a cascade has started it", .holds = runs},
    {.name = "due",
     .text = "its next count raises a PMI, if OVF_PMI is set",
     .holds = pmi_is_due,
     .implies = "ovf"},
    {.name = "neighbour-enabled",
     .text = "the other counter of its pair is enabled",
     .holds = neighbour_is_enabled,
     .excludes = "alone"},
    {.name = "neighbour-runs",
     .text = "the other counter of its pair runs",
     .holds = neighbour_runs,
     .excludes = "alone"},
    {.name = "alone", .text = "no other counter runs", .holds = runs_alone},
    {.name = "started", .text = "a cascade has started it", .holds = is_started, .implies = "armed x-ovf"},
    {.name = "awaited", .text = "another counter waits for its overflow", .holds = is_awaited},
    {.name = "x-ovf",
     .text = "OVF of the counter that could start it is set",
     .holds = x_has_ovf,
     .implies = "armed"},
    {.name = "x-enabled",
     .text = "the counter that could start it is enabled",
     .holds = x_is_enabled,
     .excludes = "alone",
     .implies = "armed"},
    {.name = "x-armed",
     .text = "the counter that could start it has CASCADE or bit 11 itself",
     .holds = x_is_armed,
     .implies = "armed"},
    {.name = "block-runs",
     .text = "another counter of its block runs that could not start it",
     .holds = block_runs,
     .excludes = "alone"},
    {.name = "block-started",
     .text = "a cascade has started another counter of its block, by another one",
     .holds = block_was_started,
     .excludes = "alone"},
    {.name = "x-started",
     .text = "the counter that could start it was started itself",
     .holds = x_is_started,
     .excludes = "alone",
     .implies = "armed x-armed"},
    {.name = "negative", .text = "its bit 39 is 1", .holds = is_negative, .excludes = "positive"},
    {.name = "positive", .text = "its bit 39 is 0", .holds = is_positive, .excludes = "negative"},
    {.name = "partner-ovf", .text = "OVF of its cascade partner is set", .holds = partner_has_ovf},
    {.name = "block-ovf", .text = "OVF of another counter of its block is set", .holds = block_has_ovf},
    {.name = "foreign-ovf", .text = "OVF of a counter of another block is set", .holds = foreign_has_ovf},
    {.name = "overflows-meet",
     .text = "a counter with a lower number overflows in this clock",
     .holds = other_overflows,
     .excludes = "alone"},
    {.name = "several", .text = "its ESCR has several occurrences in this clock", .holds = has_several},
    {.name = "from-4",
     .text = "its ESCR has 4 or more occurrences in this clock",
     .holds = has_4_or_more,
     .implies = "several"},
    {.name = "counting", .text = "it counted in its latest clock", .holds = is_counting, .implies = "runs"},
    {.name = "written-by-lp0",
     .text = "LP0 wrote its CCCR last",
     .holds = was_written_by_lp0,
     .part = PART_HT,
     .excludes = "written-by-lp1"},
    {.name = "written-by-lp1",
     .text = "LP1 wrote its CCCR last",
     .holds = was_written_by_lp1,
     .part = PART_HT,
     .excludes = "written-by-lp0"},
    {.name = "was-read", .text = "it was read since its CCCR was written", .holds = was_read},
    {.name = "lp1-active", .text = "LP1 is active", .holds = lp1_is_active, .part = PART_HT, .of_all = true},
    {.name = "lp-halted",
     .text = "a logical processor is halted",
     .holds = lp_is_halted,
     .part = PART_HT,
     .of_all = true},
    {.name = "above-cpl-0",
     .text = "a logical processor is above CPL 0",
     .holds = is_above_cpl_0,
     .of_all = true},
};
const unsigned nbpmu_fault_condition_count = COUNT_OF(nbpmu_fault_conditions);

/* Has the ESCR some of these flags, and no other? */
static bool has_flags(const struct nbpmu_escr *escr, uint32_t bits)
{
    const uint32_t flags = escr->value & ESCR_CPL_MASK;
    return flags && !(flags & ~bits);
}

bool nbpmu_fault_condition_is_of_escr(uint8_t condition)
{
    return condition_of(condition)->flags || condition_of(condition)->of_escr;
}

bool nbpmu_fault_condition_holds_of_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr,
                                         uint8_t condition)
{
    const struct condition *row = condition_of(condition);
    const bool holds = row->flags ? has_flags(escr, row->flags) : row->of_escr(pmu, escr);
    return holds != (bool)(condition & CONDITION_NOT);
}

bool nbpmu_fault_condition_holds(const struct nbpmu *pmu, uint8_t condition, unsigned n)
{
    const struct condition *row = condition_of(condition);
    const int escr_index = pmu->counter[n].escr_index;
    if (nbpmu_fault_condition_is_of_escr(condition))
        return escr_index != NO_ESCR
                   ? nbpmu_fault_condition_holds_of_escr(pmu, &pmu->escr[escr_index], condition)
                   : condition & CONDITION_NOT;
    const bool holds = row->cccr ? has_bits(pmu, n, row->cccr) : row->holds(pmu, n);
    return holds != (bool)(condition & CONDITION_NOT);
}
