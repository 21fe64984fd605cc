/*
 * Faults of the PMI (R45 to R49, R55). Those of LVTPC (R50 to R53) are in sim/inject/lapic_defects.c.
 */
#include "faults.h"

#define TO_LP0  1u
#define TO_BOTH 3u

/* ---- Families: LVTPC ---- */

/* The fields of LVTPC, but for the two bits of the delivery mode that Fixed and NMI do not use. A mask that
 * is always 0 makes storms of PMIs. */
static bool nbpmu_fault_lvtpc_bit(unsigned number, struct fault_member *member)
{
    const uint32_t bits = LVT_VECTOR(FIELD_MASK(7, 0)) | LVT_DELIVERY_NMI | LVT_MASKED;
    return nbpmu_fault_stuck_bit_of(number, bits, member) &&
           !(1u << member->fault.at == LVT_MASKED && member->fault.to == 0);
}

FAMILY(vector_bit, nbpmu_fault_stuck_bit_of(number, LVT_VECTOR(FIELD_MASK(7, 0)), member))

/* A field of LVTPC, and a logical processor. */
static bool nbpmu_fault_field_of_lvtpc(unsigned number, struct fault_member *member)
{
    static const char *const names[] = {"vector", "delivery", "mask"};
    const unsigned field = number / 2, lp = number % 2;
    return field < COUNT_OF(names) && nbpmu_fault_member(member, field, lp, "-%s-of-lp%u", names[field], lp);
}

/* ---- Where a PMI goes (R45, R48, R55) ---- */

FAULT(pmi_targets, no_target, 0)
FAULT(pmi_targets, none_in_cascade, has_bits(pmu, n, CCCR_CASCADE | CCCR_CASCNT) ? 0 : SOUND(pmi_targets))
FAULT(pmi_targets, none_forced, is_forced(pmu, n) ? 0 : SOUND(pmi_targets))
FAULT(pmi_targets, only_forced, is_forced(pmu, n) ? SOUND(pmi_targets) : 0)
FAULT(pmi_targets, forced_to_lp0,
      SOUND(pmi_targets) & (is_forced(pmu, n) && (SOUND(pmi_targets) & TO_LP0) ? TO_LP0 : TO_BOTH))
FAULT(pmi_targets, swapped, (SOUND(pmi_targets) << 1 | SOUND(pmi_targets) >> 1) & TO_BOTH)
FAULT(pmi_targets, to_both, SOUND(pmi_targets) ? TO_BOTH : 0)

/* If the twin has flags, they choose: alone, or (to = 1) together with the counter's own flags. */
static uint32_t flags_of_twin(const struct nbpmu *pmu, unsigned n, uint32_t cccr)
{
    const uint32_t flags = CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1;
    const uint32_t of_twin = pmu->counter[n < 16 ? n ^ 1 : n - 4].cccr & flags;
    if (!(cccr & flags) || !of_twin)
        return cccr;
    return fault_of(pmu)->to ? cccr | of_twin : with_field(cccr, flags, of_twin);
}

/* ---- When a PMI comes (R46, R47) ---- */

unsigned nbpmu_fault_count_late(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    pmu->counter[n].request = REQUEST_NONE;
    const unsigned raised = nbpmu_count(pmu, n, increment);
    pmu->counter[n].request = REQUEST_NEXT_COUNT;
    pmu->changed = true;
    return raised;
}

FAULT(count, one_count_late,
      pmu->counter[n].value == 0 && is_due(pmu, n) ? nbpmu_fault_count_late(pmu, n, increment) : SOUND(count))

/* A PMI of counter n that is about to come is lost. */
static unsigned lost_if(struct nbpmu *pmu, unsigned n, bool lost, unsigned raised)
{
    if (!raised || !lost)
        return raised;
    pmu->counter[n].raised = false;
    return 0;
}

FAULT(count, lost_above_cpl_0, lost_if(pmu, n, pmu->lp[0].cpl || pmu->lp[1].cpl, SOUND(count)))

static unsigned lost_in_same_clock(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const unsigned raised = lost_if(pmu, n, defects_of(pmu)->raised, nbpmu_count(pmu, n, increment));
    defects_of(pmu)->raised |= raised;
    return raised;
}

/* After `at` others since ENABLE was 0, which are noted. */
static unsigned lost_in_a_row(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const unsigned raised = nbpmu_count(pmu, n, increment);
    return lost_if(pmu, n, raised && (*noted_of(pmu, n))++ % 256 == fault_of(pmu)->at, raised);
}

AFTER(count, lost_by_several, if (increment > 1 && is_due(pmu, n)) pmu->counter[n].request = REQUEST_NONE)

/* The counter has overflowed by this count: noted by the stage `overflow`. */
DEED(overflow, notes_overflow, *noted_of(pmu, n) = true; SOUND(overflow))

static unsigned at_overflow(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const enum nbpmu_request request = pmu->counter[n].request;
    const bool changed = pmu->changed;
    *noted_of(pmu, n) = false;
    unsigned raised = nbpmu_count(pmu, n, increment);
    if (*noted_of(pmu, n) && is_due(pmu, n)) {
        raised |= nbpmu_raise_pmi(pmu, n);
        pmu->changed = changed || pmu->counter[n].request != request;
    }
    return raised;
}

/* ---- A PMI that stands (R49) ---- */

static bool not_again(struct nbpmu *pmu, unsigned lp)
{
    struct nbpmu seen = *pmu;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        seen.counter[n].raised &= !strikes(pmu, n);
    return nbpmu_pmi_again(&seen, lp);
}

static bool once(struct nbpmu *pmu, unsigned lp)
{
    const bool again = nbpmu_pmi_again(pmu, lp);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        pmu->counter[n].raised &= !(nbpmu_pmi_targets(pmu, n) >> lp & 1);
    return again;
}

static bool outlives_ovf(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const unsigned n = msr - MSR_CCCR(0);
    if (nbpmu_register_of(msr) != REG_CCCR || (value & CCCR_OVF))
        return nbpmu_write(pmu, lp, msr, value);
    const struct nbpmu_counter before = pmu->counter[n];
    const bool taken = nbpmu_write(pmu, lp, msr, value);
    pmu->counter[n].request = before.request;
    pmu->counter[n].raised = before.raised;
    return taken;
}

DEED(then, ends_all, for (unsigned other = 0; other < PMC_COUNTERS; other++) ends_request(pmu, other))

/* clang-format off */
const struct nbpmu_fault_row nbpmu_fault_pmis[] = {
    {"pmi-swapped", "R45", "OVF_PMI_T0 interrupts LP1 and OVF_PMI_T1 LP0", HT, .pmi_targets = swapped},
    {"pmi-to-both", "R45", "every PMI goes to both logical processors", HT, .pmi_targets = to_both},
    {"pmi-unasked", "R45", "an overflow interrupts LP0 without OVF_PMI", .taken = CCCR_OVF_PMI_T0},
    {"pmi-t0-dead", "R45", "OVF_PMI_T0 has no effect", .dead = CCCR_OVF_PMI_T0},
    {"pmi-t1-dead", "R45", "OVF_PMI_T1 has no effect", HT, .dead = CCCR_OVF_PMI_T1},
    {"pmi-missing", "R45", "this counter raises no PMI", EVERY(counter), .pmi_targets = no_target},
    {"pmi-t0-missing", "R45", "OVF_PMI_T0 of this counter has no effect", EVERY(counter), .dead = CCCR_OVF_PMI_T0},
    {"pmi-t1-missing", "R45", "OVF_PMI_T1 of this counter has no effect", HT, EVERY(counter), .dead = CCCR_OVF_PMI_T1},
    {"pmi-lost-in-hlt", "R45", "a PMI to a halted logical processor is lost", LVTPC(LOST_IN_HLT)},
    {"pmi-does-not-wake", "R45", "a PMI does not end HLT", LVTPC(NO_WAKE)},
    {"pmi-forced-one-target", "R45", "with FORCE_OVF and both OVF_PMI flags only LP0 is interrupted", HT,
     .pmi_targets = forced_to_lp0},
    {"pmi-count-late", "R46", "the PMI comes two counts after the overflow", .count = one_count_late},
    {"pmi-lost-by-several", "R46", "an overflow of this counter by an increment above 1 raises no PMI", EVERY(counter),
     .count = lost_by_several},
    {"pmi-lost-above-cpl-0", "R46", "a PMI of this counter is lost while a logical processor is above CPL 0",
     EVERY(counter), .count = lost_above_cpl_0},
    {"pmi-only-forced", "R46", "no PMI without FORCE_OVF", .pmi_targets = only_forced},
    {"pmi-once", "R46", "with ENABLE set all the time a counter raises one PMI alone", .at = 1, .count = lost_in_a_row,
     .cccr_holds = forgets_when_disabled},
    {"pmi-32nd-lost", "R46", "with ENABLE set all the time the 32nd PMI of a counter is lost", .at = 31,
     .count = lost_in_a_row, .cccr_holds = forgets_when_disabled},
    {"pmi-same-clock-lost", "R46", "of two counters that raise a PMI in one clock one requests none",
     .count = lost_in_same_clock},
    {"pmi-at-overflow", "R47", "the PMI comes with the overflow, without a further count", .overflow = notes_overflow,
     .count = at_overflow},
    {"pmi-by-twin", "R45", "a PMI of this counter goes where the flags of its twin say, if that has any", HT,
     EVERY(counter), .acts_by = flags_of_twin},
    {"pmi-by-twin-too", "R45", "a PMI of this counter goes where its flags and those of its twin say", HT,
     EVERY(counter), .to = 1, .acts_by = flags_of_twin},
    {"force-pmi-dead", "R48", "a forced overflow of this counter raises no PMI", EVERY(counter),
     .pmi_targets = none_forced},
    {"force-without-pmi", "R48", "a forced overflow raises no PMI", .pmi_targets = none_forced},
    {"pmi-not-again", "R49", "no PMI when LVTPC is unmasked with OVF standing", .pmi_again = not_again},
    {"pmi-again-once", "R49", "with OVF standing only the first unmasking of an LVTPC gives a PMI", .pmi_again = once},
    {"pmi-outlives-ovf", "R49", "the PMI request stands though OVF was cleared", .write = outlives_ovf},
    {"pmi-served-by-other", "R49", "clearing OVF of one counter ends the PMI requests of all", .when = OVF_CLEARED,
     .then = ends_all},
    {"lvtpc-nmi-as-fixed", "R50", "LVTPC delivers an NMI as a fixed interrupt", LVTPC(NMI_AS_FIXED)},
    {"lvtpc-fixed-as-nmi", "R50", "LVTPC delivers a fixed interrupt as an NMI", LVTPC(FIXED_AS_NMI)},
    {"lvtpc-mask-ignored", "R50", "a masked LVTPC delivers all the same", LVTPC(MASK_IGNORED)},
    {"lvtpc-bit", "R50", "this bit of LVTPC is stuck", EVERY(lvtpc_bit), LVTPC(BIT_STUCK)},
    {"lvtpc-vector", "R50", "this bit of the vector on which a PMI is delivered is stuck", EVERY(vector_bit),
     LVTPC(VECTOR_STUCK)},
    {"lvtpc-shared", "R50", "a write of LVTPC reaches that of the other logical processor too", HT, LVTPC(SHARED)},
    {"lvtpc-shares", "R50",
     "a write of this field of LVTPC by this logical processor reaches that of the other one too", HT,
     EVERY(field_of_lvtpc), LVTPC(SHARES_FIELD)},
    {"lvtpc-nmi-sticks", "R50", "LVTPC that was written fixed over NMI, without a mask between, delivers NMIs",
     LVTPC(NMI_STICKS)},
    {"lvtpc-last", "R50", "this field of LVTPC acts on this logical processor as either of them wrote it last", HT,
     EVERY(field_of_lvtpc), LVTPC(LAST_FIELD)},
    {"lvtpc-ignores-tpr", "R50", "a fixed PMI ignores TPR", LVTPC(IGNORES_TPR)},
    {"lvtpc-nmi-not-masking", "R51", "delivering a PMI as NMI leaves LVTPC unmasked", LVTPC(NMI_NOT_MASKING)},
    {"lvtpc-forgets", "R51", "delivering a PMI clears vector and delivery mode of LVTPC", LVTPC(FORGETS)},
    {"lvtpc-masks-both", "R51", "delivering a PMI masks LVTPC of both logical processors", HT, LVTPC(MASKS_BOTH)},
    {"lvtpc-unmasks-other-by-lp0", "R51", "unmasking LVTPC of LP0 clears the mask that a PMI has set in that of LP1",
     HT, .to = 0, LVTPC(UNMASKS_OTHER)},
    {"lvtpc-unmasks-other-by-lp1", "R51", "unmasking LVTPC of LP1 clears the mask that a PMI has set in that of LP0",
     HT, .to = 1, LVTPC(UNMASKS_OTHER)},
    {"lvtpc-not-self-masking", "R51", "delivering a PMI leaves LVTPC unmasked", LVTPC(NOT_SELF_MASKING)},
    {"pmi-eoi-ignored", "R52", "EOI does not end the service of a PMI", LVTPC(PMI_EOI_IGNORED)},
    {"lvtpc-survives-svr", "R53", "LVTPC stays unmasked with the local APIC software-disabled", LVTPC(SURVIVES_SVR)},
    {"cascade-pmi-lost", "R55", "a counter in cascade mode raises no PMI (E3 on every part)",
     .pmi_targets = none_in_cascade},
    {.name = NULL},
};
