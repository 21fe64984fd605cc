/*
 * Composed faults of accesses, of INIT and of HLT: what a register holds after a write, what is read, and
 * what is #GP; and the notes of accesses and events for which conditions and histories ask.
 */
#include "compose.h"

/* ---- Writes ---- */

static bool is_by(const struct nbpmu *pmu, unsigned lp)
{
    return is_at(composition_of(pmu), PLACE_LP, lp) && is_at_cpl(composition_of(pmu), pmu->lp[lp].cpl);
}

static bool is_access(const struct nbpmu *pmu, unsigned lp, enum access access)
{
    const bool by_rdpmc =
        access >= ACCESS_RDPMC && place_of(composition_of(pmu), PLACE_ACCESS) == ACCESS_RDPMC;
    return is_by(pmu, lp) && (by_rdpmc || is_at(composition_of(pmu), PLACE_ACCESS, access));
}

/* What is at address msr, and which one. */
static enum nbpmu_register register_at(uint32_t msr, unsigned *n)
{
    const enum nbpmu_register kind = nbpmu_register_of(msr);
    *n = kind == REG_COUNTER ? msr - MSR_COUNTER(0) : kind == REG_CCCR ? msr - MSR_CCCR(0) : 0;
    return kind;
}

static bool writes_stage(const struct nbpmu *pmu, enum nbpmu_register kind)
{
    return (is_stage(pmu, STAGE_COUNTER_WRITE) && kind == REG_COUNTER) ||
           (is_stage(pmu, STAGE_CCCR_WRITE) && kind == REG_CCCR) ||
           (is_stage(pmu, STAGE_ESCR_WRITE) && kind == REG_ESCR);
}

/* Does the fault act on a write of the register at msr? */
static bool acts_on_write(const struct nbpmu *pmu, uint32_t msr)
{
    unsigned n;
    return register_at(msr, &n) == REG_ESCR ? nbpmu_fault_acts_in_escr(pmu, &pmu->escr[ESCR_INDEX(msr)])
                                            : nbpmu_fault_acts_at(pmu, n);
}

/* The ESCR with the next address that this part has. */
static uint32_t next_escr(const struct nbpmu *pmu, uint32_t msr)
{
    unsigned escr_index = (unsigned)ESCR_INDEX(msr);
    do
        escr_index = (escr_index + 1) % ESCR_INDICES;
    while (!nbpmu_fault_has_place(&pmu->part, PLACE_ESCR, escr_index));
    return ESCR_MSR(escr_index);
}

/* The other register that the write reaches too; 0: none. */
static uint32_t also_written(const struct nbpmu *pmu, uint32_t msr)
{
    unsigned n;
    const enum nbpmu_register kind = register_at(msr, &n);
    const unsigned also = also_reached(pmu, n);
    if (also == n)
        return 0;
    if (kind != REG_ESCR)
        return msr - n + also;
    return deviates_by(pmu, DEVIATION_ALSO_NEXT) ? next_escr(pmu, msr)
           : nbpmu_escr_exists(msr ^ 1)          ? msr ^ 1
                                                 : 0;
}

static uint64_t held_at(const struct nbpmu *pmu, uint32_t msr)
{
    unsigned n;
    const enum nbpmu_register kind = register_at(msr, &n);
    return kind == REG_COUNTER ? pmu->counter[n].value
           : kind == REG_CCCR  ? pmu->counter[n].cccr
                               : pmu->escr[ESCR_INDEX(msr)].value;
}

/* The bits of a value that the register keeps. */
static uint64_t kept_at(const struct nbpmu *pmu, uint32_t msr)
{
    unsigned n;
    const enum nbpmu_register kind = register_at(msr, &n);
    return kind == REG_COUNTER ? COUNTER_MASK
           : kind == REG_CCCR  ? nbpmu_cccr_kept(pmu, n)
                               : nbpmu_escr_kept(pmu, msr);
}

/* Is there another register that does not hold the value yet? */
static bool differs_at(const struct nbpmu *pmu, uint32_t also, uint64_t value)
{
    return also && (held_at(pmu, also) ^ value) & kept_at(pmu, also);
}

/* A write ends what is drawn for all that happens between two writes of the register. */
static void end_window(const struct nbpmu *pmu, uint32_t msr)
{
    unsigned n;
    const enum nbpmu_register kind = register_at(msr, &n);
    const enum act_scope act = nbpmu_fault_stages[stage_of(composition_of(pmu))].act;
    if (kind == REG_ESCR && act == ACT_ESCR)
        life_of_escr(pmu, ESCR_INDEX(msr))->act.drawn = false;
    if (kind == REG_CCCR && act == ACT_CCCR)
        life_of(pmu, n)->act.drawn = false;
}

static void note_write(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint32_t cccr_before, uint32_t cccr)
{
    unsigned n;
    const enum nbpmu_register kind = register_at(msr, &n);
    struct life *life = life_of(pmu, n);
    if (kind == REG_ESCR && pmu->escr[ESCR_INDEX(msr)].value == 0) {
        life_of_escr(pmu, ESCR_INDEX(msr))->acts = 0;
        life_of_escr(pmu, ESCR_INDEX(msr))->happened = false;
    }
    if (kind == REG_COUNTER) {
        life->loaded = pmu->counter[n].value;
        nbpmu_fault_happened(pmu, n, HAPPENED_WRITE);
    }
    if (kind != REG_CCCR)
        return;
    life->by_lp1 = lp == 1;
    life->was_read = life->waits = false;
    if (cccr_before & ~cccr & CCCR_OVF)
        nbpmu_fault_happened(pmu, n, HAPPENED_OVF_CLEARED);
    if (cccr == 0) {
        life->acts = 0;
        life->happened = false;
    }
}

/* A write of an ESCR does something to the counters that can select it. */
static void affect_by_escr(struct nbpmu *pmu, uint32_t msr)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (nbpmu_counter_reaches(n, msr) &&
            is_at(composition_of(pmu), PLACE_ESCR, (unsigned)ESCR_INDEX(msr)))
            nbpmu_fault_affect_at_access(pmu, n);
}

/* By a condition, a place that is a counter, or what has happened, how an ESCR acts may change with every
 * write. */
static void decode_again(struct nbpmu *pmu)
{
    for (int escr_index = 0; escr_index < (int)ESCR_INDICES; escr_index++)
        if (pmu->escr[escr_index].value)
            nbpmu_decode(pmu, &pmu->escr[escr_index], ESCR_MSR(escr_index));
    nbpmu_refresh(pmu);
}

/* A write that clears OVF ends the request of a PMI (R49). */
static void keep_request(struct nbpmu *pmu, unsigned n, const struct nbpmu_counter *before)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const bool ended = counter->request != before->request || counter->raised != before->raised;
    if (ended && nbpmu_fault_acts_at(pmu, n)) {
        counter->request = before->request;
        counter->raised = before->raised;
    }
}

static bool composed_write(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    unsigned n;
    const enum nbpmu_register kind = register_at(msr, &n);
    const uint32_t cccr = pmu->counter[n].cccr;
    if (nbpmu_write_faults(pmu, msr, value) || kind == REG_NONE)
        return nbpmu_write(pmu, lp, msr, value);
    const bool concerned = writes_stage(pmu, kind) && is_by(pmu, lp);
    uint32_t also = 0;
    if (concerned && !is_effect(pmu)) {
        const uint64_t kept = kept_at(pmu, msr);
        const uint64_t held = nbpmu_deviating_register(composition_of(pmu), held_at(pmu, msr), value & kept);
        also = also_written(pmu, msr);
        if (((held ^ value) & kept || differs_at(pmu, also, value)) && acts_on_write(pmu, msr))
            value = held;
        else
            also = 0;
    }
    end_window(pmu, msr);
    if (kind == REG_CCCR && is_stage(pmu, STAGE_FIELD) && (value & ~(uint64_t)cccr & CCCR_ENABLE))
        life_of(pmu, n)->kept = (uint32_t)(value & nbpmu_cccr_kept(pmu, n));
    const struct nbpmu_counter counter = pmu->counter[n];
    nbpmu_write(pmu, lp, msr, value);
    if (kind == REG_CCCR && is_stage(pmu, STAGE_AGAIN) && deviates_by(pmu, DEVIATION_KEPT))
        keep_request(pmu, n, &counter);
    if (also)
        nbpmu_write(pmu, lp, also, value);
    const uint32_t written = pmu->counter[n].cccr;
    if (concerned && is_effect(pmu) && kind == REG_ESCR)
        affect_by_escr(pmu, msr);
    else if (concerned && is_effect(pmu))
        nbpmu_fault_affect_at_access(pmu, n);
    note_write(pmu, lp, msr, cccr, written);
    if (pmu->stages->decode_escr != nbpmu_decode_escr && kind != REG_COUNTER)
        decode_again(pmu);
    return true;
}

/* ---- Reads ---- */

static void note_read(const struct nbpmu *pmu, unsigned n)
{
    life_of(pmu, n)->was_read = true;
    nbpmu_fault_happened(pmu, n, HAPPENED_READ);
}

/* What is read of counter n; so many bits of it are given. */
static uint64_t read_value(struct nbpmu *pmu, unsigned n, uint64_t value, uint64_t sound_width)
{
    uint64_t width = sound_width;
    const struct nbpmu_composition *composition = composition_of(pmu);
    const struct life *life = life_of(pmu, n);
    uint64_t deviating = nbpmu_deviating_number(composition, value);
    if (deviates_by(pmu, DEVIATION_LATE)) {
        const uint64_t counted = (value - life->loaded) & COUNTER_MASK;
        const bool runs = pmu->running >> n & 1;
        deviating = runs ? value - (counted < composition->amount ? counted : composition->amount) : value;
    } else if (deviates_by(pmu, DEVIATION_NEIGHBOUR) || deviates_by(pmu, DEVIATION_NEXT) ||
               deviates_by(pmu, DEVIATION_NONE)) {
        const unsigned other = nbpmu_deviating_index(composition, n, PMC_COUNTERS);
        deviating = other < PMC_COUNTERS ? pmu->counter[other].value : 0;
    }
    if (deviates_by(pmu, DEVIATION_WIDE))
        width = COUNTER_MASK;
    const bool differs = ((deviating ^ value) & width) || (value & width) != (value & sound_width);
    return differs && nbpmu_fault_acts_at(pmu, n) ? deviating & width : value & sound_width;
}

static void read_counter_stage(struct nbpmu *pmu, unsigned lp, unsigned n, enum access access,
                               uint64_t *value, uint64_t width)
{
    if (is_stage(pmu, STAGE_COUNTER_READ) && is_access(pmu, lp, access)) {
        if (is_effect(pmu))
            nbpmu_fault_affect_at_access(pmu, n);
        else
            *value = read_value(pmu, n, pmu->counter[n].value, width);
    }
    note_read(pmu, n);
}

static uint64_t read_escr(const struct nbpmu *pmu, uint32_t msr, uint64_t value)
{
    uint64_t deviating = nbpmu_deviating_number(composition_of(pmu), value);
    if (deviates_by(pmu, DEVIATION_NEIGHBOUR) && nbpmu_escr_exists(msr ^ 1))
        deviating = pmu->escr[ESCR_INDEX(msr) ^ 1].value;
    return deviating != value && nbpmu_fault_acts_in_escr(pmu, &pmu->escr[ESCR_INDEX(msr)]) ? deviating
                                                                                            : value;
}

static bool composed_read(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value)
{
    unsigned n;
    const enum nbpmu_register kind = register_at(msr, &n);
    if (!nbpmu_read(pmu, lp, msr, value))
        return false;
    if (kind == REG_COUNTER)
        read_counter_stage(pmu, lp, n, ACCESS_RDMSR, value, COUNTER_MASK);
    if (kind == REG_CCCR && is_stage(pmu, STAGE_CCCR_READ) && is_by(pmu, lp)) {
        const uint64_t deviating = nbpmu_deviating_number(composition_of(pmu), *value);
        if (is_effect(pmu))
            nbpmu_fault_affect_at_access(pmu, n);
        else if (deviating != *value && nbpmu_fault_acts_at(pmu, n))
            *value = deviating;
    }
    if (kind == REG_ESCR && is_stage(pmu, STAGE_ESCR_READ) && is_by(pmu, lp))
        *value = read_escr(pmu, msr, *value);
    return true;
}

static bool composed_read_counter(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    const unsigned n = ecx & ~RDPMC_FAST;
    const bool fast = ecx & RDPMC_FAST;
    if (!nbpmu_read_counter(pmu, lp, cr4_pce, ecx, value))
        return false;
    read_counter_stage(pmu, lp, n, fast ? ACCESS_RDPMC_FAST : ACCESS_RDPMC_FULL, value,
                       fast ? FIELD_MASK64(31, 0) : COUNTER_MASK);
    return true;
}

/* ---- #GP. What should be refused and is not takes what it can: the bits that exist, the index modulo ----
 */

static bool is_refused(const struct nbpmu *pmu, unsigned lp, enum access access, bool sound)
{
    const bool refused = nbpmu_deviating_truth(composition_of(pmu), sound);
    return is_access(pmu, lp, access) && refused != sound && nbpmu_fault_acts_anywhere(pmu) ? refused : sound;
}

static bool refusing_write(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const bool sound = nbpmu_write_faults(pmu, msr, value);
    if (nbpmu_register_of(msr) == REG_NONE)
        return false;
    if (is_refused(pmu, lp, ACCESS_WRMSR, sound))
        return false;
    return nbpmu_write(pmu, lp, msr, sound ? value & ~(uint64_t)ESCR_RESERVED_31 : value) || sound;
}

static bool refusing_read(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value)
{
    const bool good = nbpmu_read(pmu, lp, msr, value);
    return nbpmu_register_of(msr) == REG_NONE ? good : !is_refused(pmu, lp, ACCESS_RDMSR, !good);
}

static bool refusing_read_counter(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    const bool fast = ecx & RDPMC_FAST, good = nbpmu_read_counter(pmu, lp, cr4_pce, ecx, value);
    if (is_refused(pmu, lp, fast ? ACCESS_RDPMC_FAST : ACCESS_RDPMC_FULL, !good))
        return false;
    const uint32_t exists = (ecx & RDPMC_FAST) | (ecx & ~RDPMC_FAST) % PMC_COUNTERS;
    return good || nbpmu_read_counter(pmu, lp, true, exists, value);
}

/* ---- INIT and HLT ---- */

static void affect_all(struct nbpmu *pmu)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        nbpmu_fault_affect(pmu, n);
    if (pmu->stale)
        nbpmu_refresh(pmu);
}

static void happens_to_all(struct nbpmu *pmu, bool concerned, enum happening what)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (concerned)
            nbpmu_fault_affect(pmu, n);
        nbpmu_fault_happened(pmu, n, what);
    }
    if (pmu->stale)
        nbpmu_refresh(pmu);
}

static void composed_init(struct nbpmu *pmu)
{
    happens_to_all(pmu, is_stage(pmu, STAGE_INIT), HAPPENED_INIT);
    nbpmu_init(pmu);
}

static void composed_change_lp(struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl)
{
    const bool halts = pmu->lp[lp].active && !active, changes = !halts && pmu->lp[lp].cpl != cpl;
    nbpmu_change_lp(pmu, lp, active, cpl);
    if (halts)
        happens_to_all(pmu, is_stage(pmu, STAGE_HLT) && is_at(composition_of(pmu), PLACE_LP, lp),
                       HAPPENED_HLT);
    if (changes && is_stage(pmu, STAGE_CPL) && is_at(composition_of(pmu), PLACE_LP, lp))
        affect_all(pmu);
}

/* ---- The table ---- */

void nbpmu_fault_compose_registers(struct nbpmu_stages *stages, const struct nbpmu_composition *composition)
{
    const bool refuses = stage_of(composition) == STAGE_REFUSAL;
    stages->write = refuses ? refusing_write : composed_write;
    stages->read = refuses ? refusing_read : composed_read;
    stages->read_counter = refuses ? refusing_read_counter : composed_read_counter;
    stages->init = composed_init;
    stages->change_lp = composed_change_lp;
}
