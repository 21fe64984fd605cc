/*
 * RDMSR and WRMSR on the PMU's registers: what a write does, which bits it keeps, and which writes fault (R3
 * to R5, R30, R32; pmu-rules 3.2 to 3.4); and RDPMC (R57, R60).
 */
#include "registers.h"
#include "state.h"
#include "stages.h"
#include "event_table.h"
#include "match.h"
#include "tags.h"
#include "errata.h"
#include "filter.h"
#include "enable.h"
#include "fast_forward.h"
#include "trace.h"

/* ---- Bits that a write keeps, and bits that the manual documents (R3; pmu-rules 3.2 to 3.4) ---- */

/* The write masks of 0F43H are known by record (pmu-rules 3.4). */
static bool has_recorded_masks(const struct nbpmu *pmu)
{
    return pmu->part.model == 4 && pmu->part.stepping == 3;
}

/* Bits of a CCCR that a write keeps (R3): 31:12, bit 11 where defined, and on 0F43H 10:8 of the last two. */
uint64_t nbpmu_cccr_kept(const struct nbpmu *pmu, unsigned n)
{
    uint64_t kept = FIELD_MASK(31, 12);
    if (nbpmu_extended_source(pmu, n) >= 0)
        kept |= CCCR_CASCNT;
    if (has_recorded_masks(pmu) && n >= 16)
        kept |= FIELD_MASK(10, 8);
    return kept;
}

/* Bits of a CCCR that the manual documents (pmu-rules 3.2); the others fault under the generic rule. */
static uint64_t cccr_documented(const struct nbpmu *pmu, unsigned n)
{
    uint64_t documented = FIELD_MASK(31, 12) & ~CCCR_RESERVED_MID;
    if (nbpmu_extended_source(pmu, n) >= 0)
        documented |= CCCR_CASCNT;
    if (!nbpmu_has_ht(pmu))
        documented &= ~CCCR_OVF_PMI_T1;
    return documented;
}

/* IQ_ESCR0/1 answer on models 3 and later and hold nothing (pmu-rules 1.1). */
static bool escr_is_empty(const struct nbpmu *pmu, uint32_t msr)
{
    return (msr == MSR_IQ_ESCR0 || msr == MSR_IQ_ESCR1) && pmu->part.model > 2;
}

/* E19: perfctr's authors met the fault on 0F33H, which a Nocona of the same model does not show (F32). */
static bool escr_faults(const struct nbpmu *pmu, uint32_t msr)
{
    return pmu->variants.iq_escr_faults && escr_is_empty(pmu, msr);
}

/* Recorded on 0F43H (pmu-rules 2.3), and assumed on other parts. */
static uint64_t storage_kept(uint32_t msr)
{
    switch (msr) {
    case MSR_TC_PRECISE_EVENT:
        return FIELD_MASK(17, 5);
    case MSR_PEBS_ENABLE:
        return FIELD_MASK(26, 0);
    default:
        return FIELD_MASK(12, 0);
    }
}

uint64_t nbpmu_escr_kept(const struct nbpmu *pmu, uint32_t msr)
{
    uint64_t kept = FIELD_MASK(30, 0);
    if (has_recorded_masks(pmu))
        kept = nbpmu_escr_f43_mask(msr);
    if (escr_is_empty(pmu, msr))
        kept = 0;
    if (!nbpmu_has_ht(pmu) && pmu->variants.no_t1_storage)
        kept &= ~ESCR_T1_ALL;
    return kept;
}

static uint64_t escr_documented(const struct nbpmu *pmu, uint32_t msr)
{
    if (escr_is_empty(pmu, msr))
        return 0;
    return FIELD_MASK(30, 0) & ~(nbpmu_has_ht(pmu) ? 0 : ESCR_T1_ALL);
}

/* ---- Access ---- */

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

uint64_t nbpmu_tagging_register(struct nbpmu *pmu, uint32_t msr)
{
    return nbpmu_register_of(msr) == REG_STORAGE ? *storage(pmu, msr) : 0;
}

/* Does this write fault? By default only one that sets bit 31 of an ESCR, as recorded on 0F43H (pmu-rules
 * 3.4); with the variant reserved_faults any that sets a reserved bit of a CCCR or an ESCR. Those of counters
 * are ignored on all models (F31). */
bool nbpmu_write_faults(const struct nbpmu *pmu, uint32_t msr, uint64_t value)
{
    bool strict = pmu->variants.reserved_faults;
    switch (nbpmu_register_of(msr)) {
    case REG_COUNTER:
        return false;
    case REG_CCCR:
        return strict && (value & ~cccr_documented(pmu, msr - MSR_CCCR(0)));
    case REG_ESCR:
        return escr_faults(pmu, msr) || (value & ESCR_RESERVED_31) ||
               (strict && (value & ~escr_documented(pmu, msr)));
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
    if (was_running && pmu->variants.edge_restarts)
        nbpmu_filter_start(pmu, counter);
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
        *storage(pmu, msr) = value & storage_kept(msr);
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
        return !escr_faults(pmu, msr);
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

/* ---- RDPMC: who may read which counter, and which of its bits (pmu-rules 3.5) ---- */

/* R60: RDPMC is allowed at CPL 0, and elsewhere with CR4.PCE, for ECX[30:0] = 0..17. The fast form gives the
 * low half. R57: the counter goes on undisturbed. */
bool nbpmu_read_counter(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    unsigned n = ecx & ~RDPMC_FAST;
    if ((pmu->lp[lp].cpl > 0 && !cr4_pce) || n >= PMC_COUNTERS)
        return false;
    *value = pmu->counter[n].value & (ecx & RDPMC_FAST ? FIELD_MASK64(31, 0) : COUNTER_MASK);
    if (pmu->variants.e1_access_adds)
        nbpmu_add_at_access(pmu, n, lp);
    return true;
}

bool nbpmu_rdpmc(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    nbpmu_sync(pmu);
    return pmu->stages->read_counter(pmu, lp, cr4_pce, ecx, value);
}
