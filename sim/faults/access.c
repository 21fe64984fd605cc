/*
 * Faults of reading and writing registers (R1 to R5, R23, R29, R32, R49), of INIT (R1) and of HLT (R42).
 */
#include "defects.h"

#define REGISTER_0 MSR_COUNTER(0) /* faults of one register name it by its distance from here */

static struct nbpmu_counter *victim(struct nbpmu *pmu)
{
    return &pmu->counter[fault_of(pmu)->to];
}

static void take_one(struct nbpmu_counter *counter)
{
    counter->value = (counter->value - 1) & COUNTER_MASK;
}

static void clear_in_cccr(struct nbpmu *pmu, unsigned n, uint64_t bits)
{
    pmu->counter[n].cccr &= (uint32_t)~bits;
    nbpmu_refresh(pmu);
}

/* What a register with a stuck bit holds after a write of value. */
static uint64_t stuck(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, uint64_t value)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    return faulty(pmu, kind) ? (value & ~(1ull << fault->at)) | (uint64_t)fault->to << fault->at : value;
}

/* By R23 an edge is a change of the comparison's result, and nothing else. */
static void restart_edges(struct nbpmu *pmu, enum fault_restarts when)
{
    for (unsigned n = 0; n < PMC_COUNTERS && faulty_at(pmu, FAULT_EDGE_RESTARTS, when); n++) {
        pmu->counter[n].previous = false;
    }
}

/* ---- Writes of a counter: by R4 it takes 40 bits, and its CCCR stays as it is ---- */

static uint64_t counter_loads(const struct nbpmu *pmu, unsigned n, uint64_t value)
{
    const uint64_t low = FIELD_MASK64(31, 0);
    if (faulty_at(pmu, FAULT_COUNTER_HIGH_ONES, n) && value >> 32 == low) {
        return value & low;
    }
    if (faulty(pmu, FAULT_COUNTER_LOADS_LOW)) {
        return (pmu->counter[n].value & ~low) | (value & low);
    }
    if (faulty(pmu, FAULT_COUNTER_SIGN_EXTENDED)) {
        return (uint64_t)(int64_t)(int32_t)(value & low);
    }
    return stuck(pmu, FAULT_COUNTER_STUCK, value);
}

static void write_counter(struct nbpmu *pmu, unsigned lp, unsigned n, uint64_t value)
{
    const uint32_t counted = nbpmu_counted(pmu, n);
    const bool was_negative = pmu->counter[n].value > COUNTER_MASK / 2;
    nbpmu_write(pmu, lp, MSR_COUNTER(n), counter_loads(pmu, n, value));
    nbpmu_note_counted(pmu, n, counted);
    if (faulty_at(pmu, FAULT_COUNTER_ALIASED, n)) {
        victim(pmu)->value = pmu->counter[n].value;
    } else if (faulty_for(pmu, FAULT_COUNTER_WRITE_CLEARS_OVF, n)) {
        clear_in_cccr(pmu, n, CCCR_OVF);
    } else if (faulty(pmu, FAULT_COUNTER_WRITE_CLEARS_CCCR)) {
        clear_in_cccr(pmu, n, UINT32_MAX);
    } else if (faulty_for(pmu, FAULT_COUNTER_WRITE_DISABLES, n)) {
        clear_in_cccr(pmu, n, CCCR_ENABLE);
    }
    if (was_negative && value <= COUNTER_MASK / 2 && (pmu->counter[n].cccr & CCCR_ENABLE)) {
        defects_of(pmu)->counter[n].crossed = true;
        pmu->stale = true;
    }
    nbpmu_counter_accessed(pmu, n, true);
    nbpmu_meanwhile(pmu, n, MEANWHILE_WRITE);
}

/* ---- Writes of a CCCR: by R32 it is a plain store ---- */

/* A counter that a fault starts by bit 11 has the bit. */
uint64_t nbpmu_faulty_cccr_kept(const struct nbpmu *pmu, unsigned n)
{
    return nbpmu_cccr_kept(pmu, n) | (faulty_at(pmu, FAULT_CASCNT_FROM, n) ? CCCR_CASCNT : 0);
}

static uint32_t cccr_stores(struct nbpmu *pmu, unsigned n, uint64_t value)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    uint64_t stored = stuck(pmu, FAULT_CCCR_STUCK, value) & nbpmu_faulty_cccr_kept(pmu, n);
    if (faulty_for(pmu, FAULT_CCCR_WRITE_CLEARS_COUNTER, n)) {
        counter->value = 0;
    } else if (faulty_for(pmu, FAULT_CCCR_WRITE_LOSES_OVF, n)) {
        stored &= ~CCCR_OVF;
    } else if (faulty_for(pmu, FAULT_CCCR_WRITE_KEEPS_OVF, n)) {
        stored |= counter->cccr & CCCR_OVF;
    } else if (faulty_for(pmu, FAULT_FORCE_SETS_OVF_AT_ONCE, n) && (stored & CCCR_FORCE_OVF)) {
        stored |= CCCR_OVF;
    } else if (faulty_for(pmu, FAULT_ENABLE_CLEARS_OVF, n) && (stored & ~counter->cccr & CCCR_ENABLE)) {
        stored &= ~CCCR_OVF;
    } else if (faulty(pmu, FAULT_CCCR_IN_HALVES) && (stored & FIELD_MASK64(23, 12))) {
        stored &= FIELD_MASK64(23, 0);
    }
    return (uint32_t)stored;
}

/* By R2, R3 and R57 the write disturbs no other counter, and its own only by what is written. */
static void disturb(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    const uint32_t before = pmu->counter[n].cccr;
    if (faulty_at(pmu, FAULT_ACK_CLEARS_OTHER, n) && (before & ~now & CCCR_OVF)) {
        victim(pmu)->cccr &= ~CCCR_OVF;
    } else if (faulty_at(pmu, FAULT_STOP_STOPS_OTHER, n) && (before & ~now & CCCR_ENABLE)) {
        victim(pmu)->cccr &= ~CCCR_ENABLE;
    } else if (faulty_at(pmu, FAULT_START_CLEARS_OTHER, n) && (~before & now & CCCR_ENABLE)) {
        victim(pmu)->value = 0;
    } else if (faulty_at(pmu, FAULT_CCCR_COSTS_OTHER, n) && (pmu->running >> fault_of(pmu)->to & 1)) {
        take_one(victim(pmu));
    } else if (faulty_at(pmu, FAULT_STOP_COSTS_COUNT, n) && (before & ~now & CCCR_ENABLE)) {
        take_one(&pmu->counter[n]);
    } else if (faulty_at(pmu, FAULT_CCCR_ALIASED, n)) {
        victim(pmu)->cccr = now;
    }
}

static void forget_requests(struct nbpmu *pmu)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        pmu->counter[n].request = REQUEST_NONE;
        pmu->counter[n].raised = false;
    }
}

static void write_cccr(struct nbpmu *pmu, unsigned lp, unsigned n, uint64_t value)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const struct nbpmu_counter before = *counter;
    if (lp == 1 && faulty_at(pmu, FAULT_LP1_OVF_STANDS, n)) {
        value |= before.cccr & CCCR_OVF;
    }
    uint32_t now = cccr_stores(pmu, n, value);
    disturb(pmu, n, now);
    if (!(now & CCCR_ENABLE)) {
        defects_of(pmu)->counter[n].in_a_row = 0;
        defects_of(pmu)->counter[n].forced_once = false;
    }
    if (faulty(pmu, FAULT_PMI_SERVED_BY_OTHER) && (before.cccr & ~now & CCCR_OVF)) { /* R49 */
        forget_requests(pmu);
    }
    now = nbpmu_links_before_write(pmu, n, now);
    nbpmu_meanwhile(pmu, n, MEANWHILE_CCCR_WRITE);
    if (~before.cccr & now & CCCR_COMPARE) {
        nbpmu_meanwhile(pmu, n, MEANWHILE_COMPARE_ON);
    }
    nbpmu_cccr_in_flight(pmu, n, now);
    restart_edges(pmu, RESTARTS_AT_CCCR_WRITE);
    nbpmu_write(pmu, lp, MSR_CCCR(n), now);
    if (faulty_for(pmu, FAULT_PMI_OUTLIVES_OVF, n) && !(now & CCCR_OVF)) {
        counter->request = before.request;
        counter->raised = before.raised;
    }
}

/* ---- Writes of an ESCR ---- */

/* By R23 the edge filter of a counter sees its own ESCR alone. */
static void restart_edges_of_twin(struct nbpmu *pmu, int escr_index)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (pmu->counter[n].escr_index == (escr_index ^ 1)) {
            pmu->counter[n].previous = false;
        }
    }
}

static void write_escr(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    int escr_index = ESCR_INDEX(msr);
    value = stuck(pmu, FAULT_ESCR_STUCK, value);
    const bool full = (~value & ESCR_EVENT_MASK_MASK) == 0;
    if (faulty_at(pmu, FAULT_ESCR_FULL_MASK, (unsigned)escr_index) && full) {
        value &= ~(uint64_t)ESCR_CPL_MASK;
    } else if (faulty_at(pmu, FAULT_ESCR_FULL_COUNTS, (unsigned)escr_index)) {
        defects_of(pmu)->full_mask = full;
    }
    if (faulty_at(pmu, FAULT_ESCR_ALIASED, (unsigned)escr_index)) {
        struct nbpmu_escr *other = &pmu->escr[fault_of(pmu)->to];
        other->value = (uint32_t)(value & nbpmu_escr_kept(pmu, msr));
        nbpmu_decode(pmu, other, ESCR_MSR(fault_of(pmu)->to));
    } else if (faulty(pmu, FAULT_ESCR_RESTARTS_TWINS_EDGE)) {
        restart_edges_of_twin(pmu, escr_index);
    }
    for (unsigned n = 0; n < PMC_COUNTERS && faulty_at(pmu, FAULT_ESCR_CLEARS_OVF, (unsigned)escr_index);
         n++) {
        if (nbpmu_counter_reaches(n, msr)) {
            pmu->counter[n].cccr &= ~CCCR_OVF;
        }
    }
    nbpmu_write(pmu, lp, msr, value);
}

/* ---- Either logical processor reaches every register (R5) ---- */

static bool loses_write(const struct nbpmu *pmu, uint32_t msr)
{
    unsigned n = msr - MSR_COUNTER(0);
    return faulty(pmu, FAULT_LP1_WRITES_LOST) || faulty_at(pmu, FAULT_LP1_WRITE_LOST, msr - REGISTER_0) ||
           (faulty_at(pmu, FAULT_LP1_PRESET_LOST, n) && (pmu->running & (1u << n)));
}

static uint64_t content(const struct nbpmu *pmu, uint32_t msr)
{
    switch (nbpmu_register_of(msr)) {
    case REG_COUNTER:
        return pmu->counter[msr - MSR_COUNTER(0)].value;
    case REG_CCCR:
        return pmu->counter[msr - MSR_CCCR(0)].cccr;
    case REG_ESCR:
        return pmu->escr[ESCR_INDEX(msr)].value;
    default:
        return 0;
    }
}

/* By R3 a write that is refused changes nothing. */
static void refuse(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    defects_of(pmu)->refused = true;
    if (faulty_at(pmu, FAULT_GAP_WRITES, msr - REGISTER_0)) {
        nbpmu_write(pmu, lp, REGISTER_0 + fault_of(pmu)->to, value);
    } else if (nbpmu_register_of(msr) == REG_ESCR &&
               faulty_at(pmu, FAULT_REFUSED_STORES, (unsigned)ESCR_INDEX(msr))) {
        nbpmu_write(pmu, lp, msr, value & ~(uint64_t)ESCR_RESERVED_31);
    }
}

bool nbpmu_faulty_write(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    if (lp == 1 && loses_write(pmu, msr)) {
        return true;
    }
    if (faulty_at(pmu, FAULT_LP1_READS_OLD, msr - REGISTER_0)) {
        defects_of(pmu)->old = content(pmu, msr);
    }
    if (nbpmu_write_faults(pmu, msr, value)) {
        refuse(pmu, lp, msr, value);
        return false;
    }
    if (defects_of(pmu)->refused && faulty(pmu, FAULT_WRITE_LOST_AFTER_REFUSED)) {
        defects_of(pmu)->refused = false;
        return true;
    }
    switch (nbpmu_register_of(msr)) {
    case REG_COUNTER:
        write_counter(pmu, lp, msr - MSR_COUNTER(0), value);
        break;
    case REG_CCCR:
        if (value >> 32 && faulty_at(pmu, FAULT_CCCR_HIGH_LOST, msr - MSR_CCCR(0))) {
            break;
        }
        write_cccr(pmu, lp, msr - MSR_CCCR(0), value);
        break;
    case REG_ESCR:
        write_escr(pmu, lp, msr, value);
        break;
    default:
        nbpmu_write(pmu, lp, msr, value);
        break;
    }
    return true;
}

/* ---- Reads: they disturb neither the counter (R57) nor OVF (R29) ---- */

bool nbpmu_faulty_read(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value)
{
    if (faulty_at(pmu, FAULT_GAP_READS, msr - REGISTER_0)) { /* R3 */
        return nbpmu_read(pmu, lp, REGISTER_0 + fault_of(pmu)->to, value);
    }
    if (!nbpmu_read(pmu, lp, msr, value)) {
        return false;
    }
    if (nbpmu_register_of(msr) == REG_COUNTER) {
        unsigned n = msr - MSR_COUNTER(0);
        if (faulty_for(pmu, FAULT_RDMSR_CLEARS, n)) {
            pmu->counter[n].value = 0;
        }
        if (faulty_at(pmu, FAULT_READ_RESTARTS_EDGE, n)) { /* R57 */
            pmu->counter[n].previous = false;
        }
        nbpmu_counter_accessed(pmu, n, false);
        nbpmu_meanwhile(pmu, n, lp == 1 ? MEANWHILE_LP1_READ : MEANWHILE_RDMSR);
    } else if (nbpmu_register_of(msr) == REG_CCCR) {
        unsigned n = msr - MSR_CCCR(0);
        nbpmu_meanwhile(pmu, n, MEANWHILE_CCCR_READ);
        if (faulty_for(pmu, FAULT_CCCR_READ_CLEARS_OVF, n) ||
            (lp == 1 && faulty(pmu, FAULT_LP1_READ_CLEARS_OVF))) {
            clear_in_cccr(pmu, n, CCCR_OVF);
        }
    }
    if (lp == 1 && faulty(pmu, FAULT_LP1_READS_ZERO)) {
        *value = 0;
    } else if (lp == 1 && faulty_at(pmu, FAULT_LP1_READS_OLD, msr - REGISTER_0)) {
        *value = defects_of(pmu)->old;
    }
    return true;
}

/* ---- INIT and HLT change no register ---- */

/* What a fault clears of each counter, or of every ESCR. */
static void clear(struct nbpmu *pmu, enum fault_clears what)
{
    static const uint32_t cccr_bits[] = {
        [CLEARS_CCCRS] = UINT32_MAX,     [CLEARS_OVF] = CCCR_OVF,       [CLEARS_ENABLE] = CCCR_ENABLE,
        [CLEARS_CASCADE] = CCCR_CASCADE, [CLEARS_BIT_11] = CCCR_CASCNT, [CLEARS_REQUESTS] = 0,
    };
    if (what == CLEARS_ESCRS) {
        nbpmu_clear_escrs(pmu);
    } else if (what == CLEARS_REQUESTS) {
        forget_requests(pmu);
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        pmu->counter[n].cccr &= ~cccr_bits[what];
        if (what == CLEARS_COUNTERS) {
            pmu->counter[n].value = 0;
        }
    }
    nbpmu_refresh(pmu);
}

void nbpmu_faulty_init(struct nbpmu *pmu)
{
    if (faulty(pmu, FAULT_INIT_CLEARS)) {
        clear(pmu, fault_of(pmu)->at);
    }
    restart_edges(pmu, RESTARTS_AT_INIT);
    nbpmu_init(pmu);
}

void nbpmu_faulty_change_lp(struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl)
{
    if (pmu->lp[lp].active && !active && faulty(pmu, FAULT_HLT_CLEARS)) {
        clear(pmu, fault_of(pmu)->at);
    }
    for (unsigned n = 0; n < PMC_COUNTERS && pmu->lp[lp].active && !active; n++) {
        nbpmu_meanwhile(pmu, n, MEANWHILE_HLT);
    }
    if (pmu->lp[lp].active && !active) {
        restart_edges(pmu, RESTARTS_AT_HLT);
    } else if (pmu->lp[lp].cpl != cpl) {
        restart_edges(pmu, RESTARTS_AT_CPL);
    }
    nbpmu_change_lp(pmu, lp, active, cpl);
}
