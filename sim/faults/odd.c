/*
 * Faults that no composition has. Each is a function in front of a stage of the model
 * (sim/netburst/stages.h), with the reason why the grammar does not spell it.
 */
#include "faults.h"

/* ---- CCCRs are written in halves (R32) ---- */

/* The condition is what the same write has in another field, which no condition of the grammar knows: they
 * are asked of registers as they are. */
static bool write_in_halves(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const bool is_low = nbpmu_register_of(msr) == REG_CCCR && (value & FIELD_MASK(23, 12));
    return nbpmu_write(pmu, lp, msr, is_low ? value & FIELD_MASK(23, 0) : value);
}

static void put_in_halves(struct nbpmu_stages *stages)
{
    stages->write = write_in_halves;
}

/* ---- RDPMC looks at some bits of its index alone (R60) ---- */

/* The index is no register and no result of a stage. */
static bool read_with_index(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value,
                            unsigned bits)
{
    return nbpmu_read_counter(pmu, lp, cr4_pce, (ecx & RDPMC_FAST) | (ecx & FIELD_MASK(bits - 1, 0)), value);
}

static bool read_by_5_bits(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    return read_with_index(pmu, lp, cr4_pce, ecx, value, 5);
}

static bool read_by_16_bits(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    return read_with_index(pmu, lp, cr4_pce, ecx, value, 16);
}

static void put_5_bits(struct nbpmu_stages *stages)
{
    stages->read_counter = read_by_5_bits;
}

static void put_16_bits(struct nbpmu_stages *stages)
{
    stages->read_counter = read_by_16_bits;
}

/* ---- The other models' mask equation (R7, E12) ---- */

/* It combines the bits of the mask as no deviation does. */
static bool match_by_other_equation(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits)
{
    if (escr->event != NBPMU_IOQ_ALLOCATION && escr->event != NBPMU_IOQ_ACTIVE_ENTRIES)
        return nbpmu_matches(pmu, escr, bits);
    return nbpmu_ioq_matches(pmu->part.model < 2, escr->mask, bits);
}

static void put_other_equation(struct nbpmu_stages *stages)
{
    stages->matches = match_by_other_equation;
}

/* ---- One kind of event is taken for another kind (R13, R14) ---- */

/* What is thread independent, or looks at no privilege level, is a property of the event, not of what a stage
 * gives. */
static bool is_ti(const struct nbpmu *pmu, enum nbpmu_event event)
{
    return nbpmu_has_ht(pmu) && nbpmu_event_info(event)->ti;
}

static bool qualify_ioq_by_cpl(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp,
                               unsigned cpl)
{
    return is_ti(pmu, escr->event) || nbpmu_causer_counts(pmu, escr, lp, cpl);
}

static void put_ioq_by_cpl(struct nbpmu_stages *stages)
{
    stages->qualifies = qualify_ioq_by_cpl;
}

static bool qualify_ti_by_causer(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp,
                                 unsigned cpl)
{
    return is_ti(pmu, escr->event) ? nbpmu_causer_counts(pmu, escr, lp, cpl)
                                   : nbpmu_qualifies(pmu, escr, lp, cpl);
}

static bool qualify_in_any_clock(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return true;
}

static unsigned tag_ti(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp)
{
    return is_ti(pmu, escr->event) ? nbpmu_tag_value(escr) : nbpmu_tag(pmu, escr, lp);
}

static void put_ti_as_ts(struct nbpmu_stages *stages)
{
    stages->qualifies = qualify_ti_by_causer;
    stages->clock_qualifies = qualify_in_any_clock;
    stages->tag = tag_ti;
}

/* R13 with the CPL of LP0 alone. The stage does not say which logical processor has let the clock count. */
static bool qualify_ti_by_lp0(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    const bool os = escr->value & (ESCR_T0_OS | ESCR_T1_OS), usr = escr->value & (ESCR_T0_USR | ESCR_T1_USR);
    const bool asked = pmu->lp[0].active || !pmu->variants.ti_halted_cpl_ignored;
    const bool lp0 = (os && usr) || (asked && (pmu->lp[0].cpl == 0 ? os : usr));
    return (lp0 || !is_ti(pmu, escr->event)) && nbpmu_clock_qualifies(pmu, escr);
}

static void put_ti_by_lp0(struct nbpmu_stages *stages)
{
    stages->clock_qualifies = qualify_ti_by_lp0;
}

/* ---- uop_type, which only tags, presents 1 in every clock (R15) ---- */

/* It makes a clock count in which nothing is reported. */
static void decode_as_clock(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    nbpmu_decode_escr(pmu, escr, msr);
    escr->of_clock |= escr->event == NBPMU_UOP_TYPE;
}

static unsigned value_of_uop_type(const struct nbpmu *pmu, unsigned n)
{
    return escr_of(pmu, n).event == NBPMU_UOP_TYPE ? 1 : nbpmu_value(pmu, n);
}

static void put_uop_type(struct nbpmu_stages *stages)
{
    stages->every_clock = true;
    stages->decode_escr = decode_as_clock;
    stages->value = value_of_uop_type;
}

const struct nbpmu_fault_row nbpmu_fault_odd[] = {
    {.name = "cccr-in-halves",
     .rule = "R32",
     .text = "a CCCR write that sets one of bits 23:12 leaves bits 31:24 clear",
     .put_into = put_in_halves},
    {.name = "rdpmc-index-5-bits",
     .rule = "R60",
     .text = "RDPMC looks at bits 4:0 of the index alone",
     .put_into = put_5_bits},
    {.name = "rdpmc-index-16-bits",
     .rule = "R60",
     .text = "RDPMC looks at bits 15:0 of the index alone",
     .put_into = put_16_bits},
    {.name = "ioq-equation",
     .rule = "R7",
     .text = "IOQ_allocation combines its mask by the other models' equation (E12)",
     .put_into = put_other_equation},
    {.name = "ioq-obeys-cpl",
     .rule = "R14",
     .text = "IOQ_active_entries, and IOQ_allocation before 0F27, look at OS and USR",
     .put_into = put_ioq_by_cpl},
    {.name = "ti-as-ts",
     .rule = "R13",
     .text = "a thread-independent event is qualified by its causer's bits",
     .part = PART_HT,
     .put_into = put_ti_as_ts},
    {.name = "ti-lp0-state-only",
     .rule = "R13",
     .text = "a thread-independent event ignores the CPL of LP1",
     .part = PART_HT,
     .put_into = put_ti_by_lp0},
    {.name = "uop-type-counts",
     .rule = "R15",
     .text = "uop_type gives the value 1 in every clock",
     .put_into = put_uop_type},
};
const unsigned nbpmu_fault_odd_count = COUNT_OF(nbpmu_fault_odd);
