/*
 * RDMSR and WRMSR on the PMU's registers: which bits are kept, which fault (R3-R5, R30, R32; pmu-rules 3.4).
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
    return pmu_escr_exists(msr) ? REG_ESCR : REG_NONE;
}

static uint64_t *storage(struct pmu *pmu, uint32_t msr)
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

/* Bits of a CCCR that a write keeps (R3): 31:12, bit 11 where defined, and on 0F43H 10:8 of the last two. */
static uint64_t cccr_kept(const struct pmu *pmu, unsigned n)
{
    uint64_t kept = FIELD_MASK(31, 12);
    if (pmu_extended_source(pmu, n) >= 0) {
        kept |= CCCR_CASCNT;
    }
    if (pmu->config.exact_masks && n >= 16) {
        kept |= FIELD_MASK(10, 8);
    }
    return kept;
}

/* Bits of a CCCR that the manual documents (pmu-rules 3.2); the others fault under the generic rule. */
static uint64_t cccr_documented(const struct pmu *pmu, unsigned n)
{
    uint64_t documented = FIELD_MASK(31, 12) & ~CCCR_RESERVED_MID;
    if (pmu_extended_source(pmu, n) >= 0) {
        documented |= CCCR_CASCNT;
    }
    if (!pmu->config.ht) {
        documented &= ~CCCR_OVF_PMI_T1;
    }
    return documented;
}

/* IQ_ESCR0/1 answer on models 3 and later and hold nothing (pmu-rules 1.1). */
static bool escr_is_empty(const struct pmu *pmu, uint32_t msr)
{
    return (msr == MSR_IQ_ESCR0 || msr == MSR_IQ_ESCR1) && pmu->config.model > 2;
}

static uint64_t escr_kept(const struct pmu *pmu, uint32_t msr)
{
    uint64_t kept = FIELD_MASK(30, 0);
    if (pmu->config.exact_masks) {
        kept = pmu_escr_f43_mask(msr);
    }
    if (escr_is_empty(pmu, msr)) {
        kept = 0;
    }
    if (!pmu->config.ht && pmu->config.no_t1_storage) {
        kept &= ~ESCR_T1_ALL;
    }
    return kept;
}

static uint64_t escr_documented(const struct pmu *pmu, uint32_t msr)
{
    if (escr_is_empty(pmu, msr)) {
        return 0;
    }
    return FIELD_MASK(30, 0) & ~(pmu->config.ht ? 0 : ESCR_T1_ALL);
}

/* Does this write fault? pmu-rules 3.4: on 0F43H only bit 31 of an ESCR does; by the generic rule every
 * reserved bit. */
static bool write_faults(const struct pmu *pmu, uint32_t msr, uint64_t value)
{
    bool strict = pmu->config.reserved == PMU_RESERVED_FAULTS;
    switch (kind_of(msr)) {
    case REG_COUNTER:
        return strict && (value & ~COUNTER_MASK);
    case REG_CCCR:
        return strict && (value & ~cccr_documented(pmu, msr - MSR_CCCR(0)));
    case REG_ESCR:
        return (value & ESCR_RESERVED_31) || (strict && (value & ~escr_documented(pmu, msr)));
    case REG_STORAGE:
        return false;
    default:
        return true;
    }
}

/* What a register holds after a write of value, where one of its bits is stuck. */
static uint64_t stuck(const struct pmu *pmu, enum pmu_fault_kind kind, uint64_t value)
{
    const struct pmu_fault *fault = &pmu->config.fault;
    if (!pmu_faulty(pmu, kind)) {
        return value;
    }
    return (value & ~(1ull << fault->at)) | (uint64_t)fault->to << fault->at;
}

/* The 40 bits that a counter takes from a write (R4). */
static uint64_t counter_loads(const struct pmu *pmu, unsigned n, uint64_t value)
{
    const uint64_t low = FIELD_MASK64(31, 0);
    if (pmu_faulty(pmu, FAULT_COUNTER_LOADS_LOW)) {
        value = (pmu->counter[n].value & ~low) | (value & low);
    } else if (pmu_faulty(pmu, FAULT_COUNTER_SIGN_EXTENDED)) {
        value = (uint64_t)(int64_t)(int32_t)(value & low);
    }
    return stuck(pmu, FAULT_COUNTER_STUCK, value) & COUNTER_MASK;
}

/* R4: neither CCCR nor OVF change. */
static void write_counter(struct pmu *pmu, unsigned n, uint64_t value)
{
    pmu->counter[n].value = pmu_torn_write(pmu, n, counter_loads(pmu, n, value));
    if (pmu_faulty_at(pmu, FAULT_COUNTER_ALIASED, n)) {
        pmu->counter[pmu->config.fault.to].value = pmu->counter[n].value;
    } else if (pmu_faulty(pmu, FAULT_COUNTER_WRITE_CLEARS_OVF)) {
        pmu->counter[n].cccr &= ~CCCR_OVF;
        pmu_refresh(pmu);
    } else if (pmu_faulty(pmu, FAULT_COUNTER_WRITE_CLEARS_CCCR)) {
        pmu->counter[n].cccr = 0;
        pmu_refresh(pmu);
    } else if (pmu_faulty(pmu, FAULT_COUNTER_WRITE_DISABLES)) {
        pmu->counter[n].cccr &= ~CCCR_ENABLE;
        pmu_refresh(pmu);
    }
    pmu_tracef(pmu, "counter %u (%03XH) := %010llXH", n, MSR_COUNTER(n),
               (unsigned long long)pmu->counter[n].value);
}

/* Clearing OVF(X) also clears what the latch form remembers of it (R38). */
static void forget_overflow(struct pmu *pmu, unsigned x)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        for (enum pmu_link link = 0; link < LINKS; link++) {
            if (pmu->counter[y].latched[link] && pmu_link_source(pmu, y, link) == (int)x) {
                pmu->counter[y].latched[link] = false;
            }
        }
    }
}

/* What a CCCR holds after a write of value: a plain store (R32). */
static uint32_t cccr_stores(struct pmu *pmu, unsigned n, uint64_t value)
{
    struct pmu_counter *counter = &pmu->counter[n];
    uint64_t stored = stuck(pmu, FAULT_CCCR_STUCK, value) & cccr_kept(pmu, n);
    if (pmu_faulty(pmu, FAULT_CCCR_WRITE_CLEARS_COUNTER)) {
        counter->value = 0;
    } else if (pmu_faulty(pmu, FAULT_CCCR_WRITE_LOSES_OVF)) {
        stored &= ~CCCR_OVF;
    } else if (pmu_faulty(pmu, FAULT_CCCR_WRITE_KEEPS_OVF)) {
        stored |= counter->cccr & CCCR_OVF;
    } else if (pmu_faulty(pmu, FAULT_FORCE_SETS_OVF_AT_ONCE) && (stored & CCCR_FORCE_OVF)) {
        stored |= CCCR_OVF;
    } else if (pmu_faulty(pmu, FAULT_ENABLE_CLEARS_OVF) && (stored & ~counter->cccr & CCCR_ENABLE)) {
        stored &= ~CCCR_OVF;
    }
    return (uint32_t)stored;
}

/* R30: an OVF bit that the write itself brings is not an overflow. */
static void write_cccr(struct pmu *pmu, unsigned n, uint64_t value)
{
    struct pmu_counter *counter = &pmu->counter[n];
    bool ovf_stood = counter->cccr & CCCR_OVF, was_running = pmu->running & (1u << n);
    counter->cccr = cccr_stores(pmu, n, value);
    if (pmu_faulty_at(pmu, FAULT_CCCR_ALIASED, n)) {
        pmu->counter[pmu->config.fault.to].cccr = counter->cccr;
    }
    if (!(counter->cccr & CCCR_OVF)) {
        counter->ovf_by_hardware = false;
        if (!pmu_faulty(pmu, FAULT_PMI_OUTLIVES_OVF)) {
            counter->request = REQUEST_NONE;
            counter->raised = false;
        }
        forget_overflow(pmu, n);
    } else if (!ovf_stood && pmu->config.written_ovf_pmi) {
        counter->request = REQUEST_NEXT_COUNT;
    }
    for (enum pmu_link link = 0; link < LINKS; link++) {
        if (!(counter->cccr & pmu_link_bit(link))) {
            counter->latched[link] = false;
        }
    }
    pmu_trace_cccr(pmu, n);
    pmu_refresh(pmu);
    pmu_lose_carry(pmu, n, was_running);
}

static void write_escr(struct pmu *pmu, uint32_t msr, uint64_t value)
{
    struct pmu_escr *escr = &pmu->escr[ESCR_SLOT(msr)];
    escr->value = (uint32_t)(stuck(pmu, FAULT_ESCR_STUCK, value) & escr_kept(pmu, msr));
    pmu_decode(pmu, escr, msr);
    escr->sum = 0;
    escr->level = false;
    if (pmu_faulty_at(pmu, FAULT_ESCR_ALIASED, (unsigned)ESCR_SLOT(msr))) {
        pmu->escr[pmu->config.fault.to].value = escr->value;
        pmu_decode(pmu, &pmu->escr[pmu->config.fault.to], ESCR_MSR(pmu->config.fault.to));
    }
    pmu_trace_escr(pmu, msr);
    pmu_refresh(pmu);
}

bool pmu_has_msr(const struct pmu *pmu, uint32_t msr)
{
    (void)pmu;
    return kind_of(msr) != REG_NONE;
}

bool pmu_readable_by(const struct pmu *pmu, unsigned lp)
{
    return !(lp == 1 && pmu_faulty(pmu, FAULT_LP1_READS_ZERO));
}

bool pmu_writable_by(const struct pmu *pmu, unsigned lp)
{
    return !(lp == 1 && pmu_faulty(pmu, FAULT_LP1_WRITES_LOST));
}

bool pmu_wrmsr(struct pmu *pmu, uint32_t msr, uint64_t value)
{
    pmu_settle(pmu);
    if (write_faults(pmu, msr, value)) {
        return false;
    }
    switch (kind_of(msr)) {
    case REG_COUNTER:
        write_counter(pmu, msr - MSR_COUNTER(0), value);
        break;
    case REG_CCCR:
        write_cccr(pmu, msr - MSR_CCCR(0), value);
        break;
    case REG_ESCR:
        write_escr(pmu, msr, value);
        break;
    default:
        /* pmu-rules 2.3: PEBS_ENABLE ignores 63:27; the same width is assumed for its neighbours. */
        *storage(pmu, msr) = value & FIELD_MASK(26, 0);
        break;
    }
    return true;
}

/* R36: ENABLE of a counter that a cascade started reads 0, or as a choice 1. */
static uint64_t read_cccr(const struct pmu *pmu, const struct pmu_counter *counter)
{
    bool started = pmu_linked(counter);
    return counter->cccr | (started && pmu->config.enable_reads_back ? CCCR_ENABLE : 0);
}

/* R57: reading does not disturb the counter. R29: nor does reading its CCCR clear OVF. */
static void after_read(struct pmu *pmu, struct pmu_counter *counter, enum reg_kind kind)
{
    if (kind == REG_COUNTER && pmu_faulty(pmu, FAULT_RDMSR_CLEARS)) {
        counter->value = 0;
    } else if (kind == REG_CCCR && pmu_faulty(pmu, FAULT_CCCR_READ_CLEARS_OVF)) {
        counter->cccr &= ~CCCR_OVF;
        pmu_refresh(pmu);
    }
}

bool pmu_rdmsr(struct pmu *pmu, uint32_t msr, uint64_t *value)
{
    pmu_settle(pmu);
    switch (kind_of(msr)) {
    case REG_COUNTER:
        *value = pmu->counter[msr - MSR_COUNTER(0)].value;
        after_read(pmu, &pmu->counter[msr - MSR_COUNTER(0)], REG_COUNTER);
        return true;
    case REG_CCCR:
        *value = read_cccr(pmu, &pmu->counter[msr - MSR_CCCR(0)]);
        after_read(pmu, &pmu->counter[msr - MSR_CCCR(0)], REG_CCCR);
        return true;
    case REG_ESCR:
        *value = pmu->escr[ESCR_SLOT(msr)].value;
        return true;
    case REG_STORAGE:
        *value = *storage(pmu, msr);
        return true;
    default:
        return false;
    }
}
