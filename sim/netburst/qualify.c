/*
 * Whose clocks and occurrences count: privilege level and logical processor (R11-R14), ACTIVE_THREAD (R18,
 * R19), and the value that results (R8-R10).
 */
#include "private.h"

#define GLOBAL_POWER_RUNNING 1u /* mask bit 0 of global_power_events */

/* R14: the CPL bits have no say for these. */
static bool cpl_ignored(const struct pmu *pmu, enum pmu_event event)
{
    if (pmu_faulty(pmu, FAULT_IOQ_OBEYS_CPL)) {
        return false;
    }
    return event == PMU_IOQ_ACTIVE_ENTRIES || (event == PMU_IOQ_ALLOCATION && pmu_before_f27(&pmu->config));
}

/* R12, and R11 where there is only logical processor 0: the bit of the causer's number and privilege. */
static bool causer_counts(const struct pmu *pmu, uint32_t escr, unsigned lp, unsigned cpl)
{
    if (cpl == 1 || cpl == 2) {
        if (pmu_faulty(pmu, FAULT_USR_IS_CPL_3)) {
            return false;
        }
        cpl = pmu_faulty(pmu, FAULT_CPL_1_2_AS_0) ? 0 : cpl;
    }
    bool os = (cpl == 0) != pmu_faulty(pmu, FAULT_OS_USR_SWAPPED);
    bool t1 = pmu->config.ht && (lp == 1) != pmu_faulty(pmu, FAULT_T0_T1_SWAPPED);
    uint64_t t0_bit = os ? ESCR_T0_OS : ESCR_T0_USR, t1_bit = os ? ESCR_T1_OS : ESCR_T1_USR;
    if (pmu_faulty(pmu, FAULT_CPL_IGNORED)) {
        t0_bit = ESCR_T0_ALL;
        t1_bit = ESCR_T1_ALL;
    } else if (pmu_faulty(pmu, FAULT_TS_AS_TI)) {
        t0_bit = t1_bit |= t0_bit;
    }
    return escr & (t1 ? t1_bit : t0_bit);
}

bool pmu_qualify_cause(const struct pmu *pmu, const struct pmu_escr *escr, unsigned lp, unsigned cpl)
{
    if (cpl_ignored(pmu, escr->event)) {
        return true;
    }
    if (pmu->config.ht && pmu_event_info(escr->event)->ti && !pmu_faulty(pmu, FAULT_TI_AS_TS)) {
        return true; /* R13 looks at the clock, not at the causer */
    }
    unsigned slot = (unsigned)(escr - pmu->escr);
    if (pmu_faulty_at(pmu, FAULT_ESCR_UNQUALIFIED, slot)) {
        return true;
    }
    if (lp == 1 && pmu_faulty_at(pmu, FAULT_ESCR_T1_DEAD, slot)) {
        return false;
    }
    return causer_counts(pmu, escr->value, lp, cpl);
}

/* Is some logical processor at CPL 0 (os) or above (usr) in this clock? */
static bool someone_at(const struct pmu *pmu, const struct pmu_lp lps[PMU_LPS], bool os)
{
    unsigned last = pmu_faulty(pmu, FAULT_TI_LP0_STATE_ONLY) ? 0 : PMU_LPS - 1;
    for (unsigned lp = 0; lp <= last; lp++) {
        bool asked = lps[lp].active || !pmu->config.ti_halted_cpl_ignored;
        if (asked && (lps[lp].cpl == 0) == os) {
            return true;
        }
    }
    return false;
}

/* R13, Table 18-67: only the unions of the OS and of the USR bits matter. */
bool pmu_qualify_clock(const struct pmu *pmu, uint32_t escr, const struct pmu_lp lps[PMU_LPS])
{
    if (pmu_faulty(pmu, FAULT_TI_T0_BITS_ONLY)) {
        escr &= ~ESCR_T1_ALL;
    }
    bool os = escr & (ESCR_T0_OS | ESCR_T1_OS);
    bool usr = escr & (ESCR_T0_USR | ESCR_T1_USR);
    if (pmu_faulty(pmu, FAULT_TI_UNQUALIFIED) || pmu_faulty(pmu, FAULT_TI_AS_TS)) {
        return true;
    }
    if (os && usr) {
        return !pmu->config.ti_halted_not_counted || pmu_active_count(pmu, lps) > 0;
    }
    return (os && someone_at(pmu, lps, true)) || (usr && someone_at(pmu, lps, false));
}

/* global_power_events RUNNING: a qualified logical processor is not halted. */
static bool running_counts(const struct pmu *pmu, const struct pmu_escr *escr,
                           const struct pmu_lp lps[PMU_LPS])
{
    unsigned last = pmu->config.ht ? 1 : 0;
    for (unsigned lp = 0; lp <= last; lp++) {
        if (lps[lp].active && causer_counts(pmu, escr->value, lp, lps[lp].cpl)) {
            return escr->mask & GLOBAL_POWER_RUNNING;
        }
    }
    return false;
}

bool pmu_value_of_clock(const struct pmu *pmu, const struct pmu_escr *escr)
{
    return escr->event == PMU_GLOBAL_POWER_EVENTS ||
           (escr->event == PMU_UOP_TYPE && pmu_faulty(pmu, FAULT_UOP_TYPE_COUNTS)); /* R15 */
}

/* R8, R10: what of a sum the four lines carry. */
static unsigned on_the_lines(const struct pmu *pmu, unsigned value)
{
    if (pmu_faulty(pmu, FAULT_ONE_LINE)) {
        return 1;
    }
    if (pmu_faulty(pmu, FAULT_LOWEST_LINE)) {
        return value & 1;
    }
    if (pmu_faulty(pmu, FAULT_VALUE_WRAPS)) {
        return value & PMU_VALUE_MAX;
    }
    if (pmu_faulty(pmu, FAULT_LINE_DEAD)) {
        return value & PMU_VALUE_MAX & ~(1u << pmu->config.fault.at);
    }
    return value > PMU_VALUE_MAX ? PMU_VALUE_MAX : value;
}

unsigned pmu_escr_value(const struct pmu *pmu, const struct pmu_escr *escr, const struct pmu_lp lps[PMU_LPS])
{
    if (pmu_value_of_clock(pmu, escr)) {
        return escr->event != PMU_GLOBAL_POWER_EVENTS || running_counts(pmu, escr, lps);
    }
    unsigned value = escr->sum + (escr->level ? 1 : 0); /* R9 */
    if (value == 0) {
        return 0;
    }
    if (pmu->config.ht && pmu_event_info(escr->event)->ti && !pmu_qualify_clock(pmu, escr->value, lps)) {
        return 0;
    }
    return on_the_lines(pmu, value);
}

unsigned pmu_active_count(const struct pmu *pmu, const struct pmu_lp lps[PMU_LPS])
{
    return (lps[0].active ? 1u : 0u) + (pmu->config.ht && lps[1].active ? 1u : 0u);
}

/* Table of R18. */
static bool active_passes(unsigned field, unsigned active)
{
    switch (field) {
    case ACTIVE_NONE:
        return active == 0;
    case ACTIVE_SINGLE:
        return active == 1;
    case ACTIVE_BOTH:
        return active == 2;
    default:
        return active >= 1;
    }
}

/* R18; R19: without HT at most one is ever active. */
bool pmu_gate_open(const struct pmu *pmu, uint32_t cccr, unsigned active)
{
    unsigned field = (unsigned)CCCR_GET_ACTIVE_THREAD(cccr);
    if (!pmu->config.ht && pmu->config.active_thread_ignored) {
        field = ACTIVE_ANY;
    }
    bool wrong = pmu_faulty_at(pmu, FAULT_ACTIVE_CELL, field) && pmu->config.fault.to == active;
    return active_passes(field, active) != wrong;
}
