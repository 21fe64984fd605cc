/*
 * RDMSR and WRMSR on the PMU's registers: what a write does, and which writes fault (R3 to R5, R30, R32;
 * pmu-rules 3.4).
 */
#include "private.h"

enum nbpmu_register nbpmu_register_of(uint32_t msr)
{
    if (msr >= MSR_COUNTER(0) && msr < MSR_COUNTER(PMC_COUNTERS))
        return REG_COUNTER;
    if (msr >= MSR_CCCR(0) && msr < MSR_CCCR(PMC_COUNTERS))
        return REG_CCCR;
    if (msr == MSR_TC_PRECISE_EVENT || msr == MSR_PEBS_ENABLE || msr == MSR_PEBS_MATRIX_VERT)
        return REG_STORAGE;
    return nbpmu_escr_exists(msr) ? REG_ESCR : REG_NONE;
}

static uint64_t *storage(struct nbpmu *pmu, uint32_t msr)
{
    switch (msr) {
    case MSR_TC_PRECISE_EVENT:
        return &pmu->precise_event;
    case MSR_PEBS_ENABLE:
        return &pmu->pebs_enable;
    default:
        return &pmu->pebs_matrix_vert;
    }
}

/* Does this write fault? By default only one that sets bit 31 of an ESCR, as recorded on 0F43H (pmu-rules
 * 3.4); with the variant reserved_faults any that sets a reserved bit. */
bool nbpmu_write_faults(const struct nbpmu *pmu, uint32_t msr, uint64_t value)
{
    bool strict = pmu->variants.reserved_faults;
    switch (nbpmu_register_of(msr)) {
    case REG_COUNTER:
        return strict && (value & ~COUNTER_MASK);
    case REG_CCCR:
        return strict && (value & ~nbpmu_cccr_documented(pmu, msr - MSR_CCCR(0)));
    case REG_ESCR:
        return nbpmu_escr_faults(pmu, msr) || (value & ESCR_RESERVED_31) ||
               (strict && (value & ~nbpmu_escr_documented(pmu, msr)));
    case REG_STORAGE:
        return false;
    default:
        return true;
    }
}

/* A counter takes 40 bits (R4); the write changes neither its CCCR nor OVF. */
static void write_counter(struct nbpmu *pmu, unsigned n, uint64_t value)
{
    pmu->counter[n].value = nbpmu_torn_write(pmu, n, value & COUNTER_MASK);
    pmu->counter[n].last_increment = 0; /* the new value came by no carry (E2) */
    nbpmu_tracef(pmu, "counter %u (%03XH) := %010llXH", n, MSR_COUNTER(n),
                 (unsigned long long)pmu->counter[n].value);
}

/* Clearing OVF of x also clears what other counters have latched of its overflow (R38). */
static void forget_overflow(struct nbpmu *pmu, unsigned x)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        for (enum nbpmu_link link = 0; link < LINKS; link++)
            if (pmu->counter[y].latched[link] && pmu->stages->link_source(pmu, y, link) == (int)x)
                pmu->counter[y].latched[link] = false;
    }
}

/* OVF after a write of value. Before stepping C1 of model 0 a write never sets it, and only one that has both
 * OVF and ENABLE clears it (E22). */
static uint32_t ovf_after(const struct nbpmu *pmu, uint32_t before, uint64_t value)
{
    if (!nbpmu_before_c1(&pmu->part))
        return (uint32_t)value & CCCR_OVF;
    return (value & CCCR_OVF) && (value & CCCR_ENABLE) ? 0 : before & CCCR_OVF;
}

/* A CCCR is a plain store (R32). OVF set by this write is not an overflow (R30). */
static void write_cccr(struct nbpmu *pmu, unsigned n, uint64_t value)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    bool ovf_stood = counter->cccr & CCCR_OVF, was_running = pmu->running & (1u << n);
    value = (value & ~(uint64_t)CCCR_OVF) | ovf_after(pmu, counter->cccr, value);
    counter->cccr = (uint32_t)(value & pmu->stages->cccr_kept(pmu, n));
    if (!(counter->cccr & CCCR_OVF)) {
        counter->ovf_by_hardware = false;
        counter->request = REQUEST_NONE;
        counter->raised = false;
        forget_overflow(pmu, n);
    } else if (!ovf_stood && pmu->variants.written_ovf_pmi) {
        counter->request = REQUEST_NEXT_COUNT;
    }
    for (enum nbpmu_link link = 0; link < LINKS; link++)
        if (!(counter->cccr & nbpmu_link_bit(link)))
            counter->latched[link] = false;
    nbpmu_trace_cccr(pmu, n);
    nbpmu_refresh(pmu);
    nbpmu_lose_carry(pmu, n, was_running);
}

static void write_escr(struct nbpmu *pmu, uint32_t msr, uint64_t value)
{
    struct nbpmu_escr *escr = &pmu->escr[ESCR_INDEX(msr)], before = *escr;
    escr->value = (uint32_t)(value & nbpmu_escr_kept(pmu, msr));
    nbpmu_decode(pmu, escr, msr);
    nbpmu_linger(pmu, ESCR_INDEX(msr), &before);
    escr->sum = 0;
    escr->level = false;
    nbpmu_trace_escr(pmu, msr);
    nbpmu_refresh(pmu);
}

bool nbpmu_has_msr(uint32_t msr)
{
    return nbpmu_register_of(msr) != REG_NONE;
}

/* R5: either logical processor reaches every register. */
bool nbpmu_write(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    if (nbpmu_write_faults(pmu, msr, value))
        return false;
    switch (nbpmu_register_of(msr)) {
    case REG_COUNTER:
        write_counter(pmu, msr - MSR_COUNTER(0), value);
        if (pmu->variants.e1_write_adds || pmu->variants.e1_access_adds)
            nbpmu_add_at_access(pmu, msr - MSR_COUNTER(0), lp);
        break;
    case REG_CCCR:
        write_cccr(pmu, msr - MSR_CCCR(0), value);
        break;
    case REG_ESCR:
        write_escr(pmu, msr, value);
        break;
    default:
        *storage(pmu, msr) = value & nbpmu_storage_kept(msr);
        break;
    }
    return true;
}

bool nbpmu_wrmsr(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    nbpmu_sync(pmu);
    uint32_t retiring = nbpmu_retiring(pmu);
    bool taken = pmu->stages->write(pmu, lp, msr, value);
    nbpmu_count_early(pmu, retiring);
    return taken;
}

/* ENABLE of a counter that a cascade has started reads as written or, with the variant enable_reads_back, as
 * 1 (R36). */
static uint64_t read_cccr(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    bool started = nbpmu_linked(counter);
    return counter->cccr | (started && pmu->variants.enable_reads_back ? CCCR_ENABLE : 0);
}

bool nbpmu_read(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value)
{
    (void)lp; /* R5 */
    switch (nbpmu_register_of(msr)) {
    case REG_COUNTER:
        *value = pmu->counter[msr - MSR_COUNTER(0)].value;
        return true;
    case REG_CCCR:
        *value = read_cccr(pmu, &pmu->counter[msr - MSR_CCCR(0)]);
        return true;
    case REG_ESCR:
        *value = pmu->escr[ESCR_INDEX(msr)].value;
        return !nbpmu_escr_faults(pmu, msr);
    case REG_STORAGE:
        *value = *storage(pmu, msr);
        return true;
    default:
        return false;
    }
}

bool nbpmu_rdmsr(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value)
{
    nbpmu_sync(pmu);
    bool exists = pmu->stages->read(pmu, lp, msr, value);
    if (exists && nbpmu_register_of(msr) == REG_COUNTER && pmu->variants.e1_access_adds)
        nbpmu_add_at_access(pmu, msr - MSR_COUNTER(0), lp);
    return exists;
}
