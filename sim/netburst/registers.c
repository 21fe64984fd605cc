/*
 * RDMSR and WRMSR on the PMU's registers: what a write does, and which writes fault (R3 to R5, R30, R32;
 * pmu-rules 3.4).
 */
#include "private.h"

/* A register of the PMU by kind and number. */
enum reg_kind { REG_NONE, REG_COUNTER, REG_CCCR, REG_ESCR, REG_STORAGE };

static enum reg_kind kind_of(uint32_t msr)
{
    if (msr >= MSR_COUNTER(0) && msr < MSR_COUNTER(PMC_COUNTERS)) {
        return REG_COUNTER;
    }
    if (msr >= MSR_CCCR(0) && msr < MSR_CCCR(PMC_COUNTERS)) {
        return REG_CCCR;
    }
    if (msr == MSR_TC_PRECISE_EVENT || msr == MSR_PEBS_ENABLE || msr == MSR_PEBS_MATRIX_VERT) {
        return REG_STORAGE;
    }
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
 * 3.4); with the choice reserved_faults any that sets a reserved bit. */
static bool write_faults(const struct nbpmu *pmu, uint32_t msr, uint64_t value)
{
    bool strict = pmu->choices.reserved_faults;
    switch (kind_of(msr)) {
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

/* What a register holds after a write of value, where one of its bits is stuck. */
static uint64_t stuck(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, uint64_t value)
{
    const struct nbpmu_fault *fault = &pmu->fault;
    if (!nbpmu_faulty(pmu, kind)) {
        return value;
    }
    return (value & ~(1ull << fault->at)) | (uint64_t)fault->to << fault->at;
}

/* The 40 bits that a counter takes from a write (R4). */
static uint64_t counter_loads(const struct nbpmu *pmu, unsigned n, uint64_t value)
{
    const uint64_t low = FIELD_MASK64(31, 0);
    if (nbpmu_faulty(pmu, FAULT_COUNTER_LOADS_LOW)) {
        value = (pmu->counter[n].value & ~low) | (value & low);
    } else if (nbpmu_faulty(pmu, FAULT_COUNTER_SIGN_EXTENDED)) {
        value = (uint64_t)(int64_t)(int32_t)(value & low);
    }
    return stuck(pmu, FAULT_COUNTER_STUCK, value) & COUNTER_MASK;
}

/* A write of a counter changes neither its CCCR nor OVF (R4). */
static void write_counter(struct nbpmu *pmu, unsigned n, uint64_t value)
{
    pmu->counter[n].value = nbpmu_torn_write(pmu, n, counter_loads(pmu, n, value));
    pmu->counter[n].last_increment = 0; /* the new value came by no carry (E2) */
    if (nbpmu_faulty_at(pmu, FAULT_COUNTER_ALIASED, n)) {
        pmu->counter[pmu->fault.to].value = pmu->counter[n].value;
    } else if (nbpmu_faulty_for(pmu, FAULT_COUNTER_WRITE_CLEARS_OVF, n)) {
        pmu->counter[n].cccr &= ~CCCR_OVF;
        nbpmu_refresh(pmu);
    } else if (nbpmu_faulty(pmu, FAULT_COUNTER_WRITE_CLEARS_CCCR)) {
        pmu->counter[n].cccr = 0;
        nbpmu_refresh(pmu);
    } else if (nbpmu_faulty_for(pmu, FAULT_COUNTER_WRITE_DISABLES, n)) {
        pmu->counter[n].cccr &= ~CCCR_ENABLE;
        nbpmu_refresh(pmu);
    }
    nbpmu_counter_accessed(pmu, n, true);
    nbpmu_tracef(pmu, "counter %u (%03XH) := %010llXH", n, MSR_COUNTER(n),
                 (unsigned long long)pmu->counter[n].value);
}

/* Clearing OVF of x also clears what other counters have latched of its overflow (R38). */
static void forget_overflow(struct nbpmu *pmu, unsigned x)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        for (enum nbpmu_link link = 0; link < LINKS; link++) {
            if (pmu->counter[y].latched[link] && nbpmu_link_source(pmu, y, link) == (int)x) {
                pmu->counter[y].latched[link] = false;
            }
        }
    }
}

/* What a CCCR holds after a write of value: a plain store (R32). */
static uint32_t cccr_stores(struct nbpmu *pmu, unsigned n, uint64_t value)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    uint64_t stored = stuck(pmu, FAULT_CCCR_STUCK, value) & nbpmu_cccr_kept(pmu, n);
    if (nbpmu_faulty_for(pmu, FAULT_CCCR_WRITE_CLEARS_COUNTER, n)) {
        counter->value = 0;
    } else if (nbpmu_faulty_for(pmu, FAULT_CCCR_WRITE_LOSES_OVF, n)) {
        stored &= ~CCCR_OVF;
    } else if (nbpmu_faulty(pmu, FAULT_CCCR_IN_HALVES) && (stored & FIELD_MASK64(23, 12))) {
        stored &= FIELD_MASK64(23, 0);
    } else if (nbpmu_faulty_for(pmu, FAULT_CCCR_WRITE_KEEPS_OVF, n)) {
        stored |= counter->cccr & CCCR_OVF;
    } else if (nbpmu_faulty_for(pmu, FAULT_FORCE_SETS_OVF_AT_ONCE, n) && (stored & CCCR_FORCE_OVF)) {
        stored |= CCCR_OVF;
    } else if (nbpmu_faulty_for(pmu, FAULT_ENABLE_CLEARS_OVF, n) && (stored & ~counter->cccr & CCCR_ENABLE)) {
        stored &= ~CCCR_OVF;
    }
    return (uint32_t)stored;
}

static void forget_requests(struct nbpmu *pmu)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        pmu->counter[n].request = REQUEST_NONE;
        pmu->counter[n].raised = false;
    }
}

/* OVF set by this write is not an overflow (R30). */
static void write_cccr(struct nbpmu *pmu, unsigned n, uint64_t value)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const uint32_t before = counter->cccr;
    bool ovf_stood = before & CCCR_OVF, was_running = pmu->running & (1u << n);
    counter->cccr = cccr_stores(pmu, n, value);
    nbpmu_disturb_by_cccr(pmu, n, before);
    if (nbpmu_faulty_at(pmu, FAULT_CCCR_ALIASED, n)) {
        pmu->counter[pmu->fault.to].cccr = counter->cccr;
    }
    if (!(counter->cccr & CCCR_ENABLE)) {
        counter->in_a_row = 0;
        counter->forced_once = false;
    }
    if (!(counter->cccr & CCCR_OVF)) {
        if (ovf_stood && nbpmu_faulty(pmu, FAULT_PMI_SERVED_BY_OTHER)) { /* R49 */
            forget_requests(pmu);
        }
        counter->ovf_by_hardware = false;
        if (!nbpmu_faulty_for(pmu, FAULT_PMI_OUTLIVES_OVF, n)) {
            counter->request = REQUEST_NONE;
            counter->raised = false;
        }
        forget_overflow(pmu, n);
    } else if (!ovf_stood && pmu->choices.written_ovf_pmi) {
        counter->request = REQUEST_NEXT_COUNT;
    }
    for (enum nbpmu_link link = 0; link < LINKS; link++) {
        if (!(counter->cccr & nbpmu_link_bit(link))) {
            counter->latched[link] = false;
        }
    }
    nbpmu_cccr_written(pmu, n, before);
    nbpmu_trace_cccr(pmu, n);
    nbpmu_refresh(pmu);
    nbpmu_lose_carry(pmu, n, was_running);
}

static void write_escr(struct nbpmu *pmu, uint32_t msr, uint64_t value)
{
    struct nbpmu_escr *escr = &pmu->escr[ESCR_INDEX(msr)];
    escr->value = (uint32_t)(stuck(pmu, FAULT_ESCR_STUCK, value) & nbpmu_escr_kept(pmu, msr));
    nbpmu_decode(pmu, escr, msr);
    escr->sum = 0;
    escr->level = false;
    if (nbpmu_faulty_at(pmu, FAULT_ESCR_ALIASED, (unsigned)ESCR_INDEX(msr))) {
        pmu->escr[pmu->fault.to].value = escr->value;
        nbpmu_decode(pmu, &pmu->escr[pmu->fault.to], ESCR_MSR(pmu->fault.to));
    }
    nbpmu_disturb_by_escr(pmu, (unsigned)ESCR_INDEX(msr));
    nbpmu_trace_escr(pmu, msr);
    nbpmu_refresh(pmu);
}

bool nbpmu_has_msr(uint32_t msr)
{
    return kind_of(msr) != REG_NONE;
}

/* R5: either logical processor reaches every register. */
bool nbpmu_wrmsr(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    nbpmu_sync(pmu);
    if (lp == 1 && nbpmu_loses_write(pmu, msr)) {
        return true;
    }
    value = nbpmu_written_by(pmu, lp, msr, value);
    if (write_faults(pmu, msr, value)) {
        return false;
    }
    uint32_t retiring = nbpmu_retiring(pmu);
    switch (kind_of(msr)) {
    case REG_COUNTER:
        write_counter(pmu, msr - MSR_COUNTER(0), value);
        if (pmu->choices.e1_write_adds || pmu->choices.e1_access_adds) {
            nbpmu_add_at_access(pmu, msr - MSR_COUNTER(0), lp);
        }
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
    nbpmu_count_early(pmu, retiring);
    return true;
}

/* ENABLE of a counter that a cascade has started reads as written or, with the choice enable_reads_back, as
 * 1 (R36). */
static uint64_t read_cccr(const struct nbpmu *pmu, const struct nbpmu_counter *counter)
{
    bool started = nbpmu_linked(counter);
    return counter->cccr | (started && pmu->choices.enable_reads_back ? CCCR_ENABLE : 0);
}

/* The faults that make reading change something. By R57 reading a counter does not disturb it, by R29
 * reading its CCCR does not clear OVF. */
static void after_read(struct nbpmu *pmu, unsigned n, enum reg_kind kind)
{
    if (kind == REG_COUNTER && nbpmu_faulty_for(pmu, FAULT_RDMSR_CLEARS, n)) {
        pmu->counter[n].value = 0;
    } else if (kind == REG_CCCR && nbpmu_faulty_for(pmu, FAULT_CCCR_READ_CLEARS_OVF, n)) {
        pmu->counter[n].cccr &= ~CCCR_OVF;
        nbpmu_refresh(pmu);
    }
}

static bool read_register(struct nbpmu *pmu, uint32_t msr, uint64_t *value)
{
    switch (kind_of(msr)) {
    case REG_COUNTER:
        *value = pmu->counter[msr - MSR_COUNTER(0)].value;
        after_read(pmu, msr - MSR_COUNTER(0), REG_COUNTER);
        nbpmu_counter_accessed(pmu, msr - MSR_COUNTER(0), false);
        return true;
    case REG_CCCR:
        *value = read_cccr(pmu, &pmu->counter[msr - MSR_CCCR(0)]);
        after_read(pmu, msr - MSR_CCCR(0), REG_CCCR);
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
    bool exists = read_register(pmu, msr, value);
    if (exists && kind_of(msr) == REG_COUNTER && pmu->choices.e1_access_adds) {
        nbpmu_add_at_access(pmu, msr - MSR_COUNTER(0), lp);
    }
    if (exists && lp == 1) {
        *value = nbpmu_read_by_lp1(pmu, msr, *value);
    }
    return exists;
}
