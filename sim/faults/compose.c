/*
 * The table of a PMU with a composed fault: the function of its stage, which calls the sound one and gives
 * what the deviation makes of the result, if the fault acts now (acts.c); and what notes the accesses and
 * events that conditions and histories ask for.
 */
#include "faults.h"

#include <string.h>

static const struct nbpmu_composition *composition_of(const struct nbpmu *pmu)
{
    return &fault_of(pmu)->composition;
}

static bool is_stage(const struct nbpmu *pmu, enum stage stage)
{
    return stage_of(composition_of(pmu)) == stage;
}

static bool deviates_by(const struct nbpmu *pmu, enum deviation deviation)
{
    return deviation_of(composition_of(pmu)) == deviation;
}

static bool is_effect(const struct nbpmu *pmu)
{
    return deviation_of(composition_of(pmu)) >= DEVIATION_CLEARS_COUNTER;
}

static struct life *life_of(const struct nbpmu *pmu, unsigned n)
{
    return &defects_of(pmu)->composed.at[n];
}

static struct life *life_of_escr(const struct nbpmu *pmu, int escr_index)
{
    return &defects_of(pmu)->composed.at[PMC_COUNTERS + escr_index];
}

static unsigned composed_count(struct nbpmu *pmu, unsigned n, unsigned increment);

/* ---- Side effects on a counter ---- */

static void affect(struct nbpmu_counter *counter, enum deviation deviation)
{
    switch (deviation) {
    case DEVIATION_CLEARS_COUNTER:
        counter->value = 0;
        break;
    case DEVIATION_CLEARS_CCCR:
        counter->cccr = 0;
        break;
    case DEVIATION_CLEARS_OVF:
        counter->cccr &= ~CCCR_OVF;
        break;
    case DEVIATION_CLEARS_ENABLE:
        counter->cccr &= ~CCCR_ENABLE;
        break;
    case DEVIATION_CLEARS_CASCADE:
        counter->cccr &= ~CCCR_CASCADE;
        break;
    case DEVIATION_CLEARS_BIT_11:
        counter->cccr &= ~CCCR_CASCNT;
        break;
    case DEVIATION_CLEARS_REQUEST:
        counter->request = REQUEST_NONE;
        counter->raised = false;
        break;
    case DEVIATION_RESTARTS_EDGE:
        counter->previous = false;
        break;
    case DEVIATION_COSTS_COUNT:
        counter->value = (counter->value - 1) & COUNTER_MASK;
        break;
    case DEVIATION_ADDS_COUNT:
        counter->value = (counter->value + 1) & COUNTER_MASK;
        break;
    default:
        break;
    }
}

/* The counter that what happens to counter n reaches, too; n: none. */
static unsigned also_reached(const struct nbpmu *pmu, unsigned n)
{
    return deviates_by(pmu, DEVIATION_ALSO_NEIGHBOUR) ? n ^ 1
           : deviates_by(pmu, DEVIATION_ALSO_PARTNER) ? partner_of(n)
                                                      : n;
}

/* The counters on which a side effect of counter n falls, as a bit mask. */
static uint32_t victims_of(const struct nbpmu *pmu, unsigned n)
{
    switch ((enum victim)place_of(composition_of(pmu), PLACE_ON)) {
    case ON_NEIGHBOUR:
        return 1u << (n ^ 1);
    case ON_PARTNER:
        return 1u << partner_of(n);
    case ON_OTHER_BLOCK:
        return 1u << (n + 7) % PMC_COUNTERS;
    case ON_ALL:
        return FIELD_MASK(PMC_COUNTERS - 1, 0);
    default:
        return 1u << n;
    }
}

/* Something that should change nothing else has happened to counter n. */
static void have_effect(struct nbpmu *pmu, unsigned n)
{
    const enum deviation deviation = deviation_of(composition_of(pmu));
    struct nbpmu_counter counter[PMC_COUNTERS];
    memcpy(counter, pmu->counter, sizeof counter);
    for (uint32_t victims = victims_of(pmu, n); victims; victims &= victims - 1)
        affect(&counter[nbpmu_lowest(victims)], deviation);
    if (memcmp(counter, pmu->counter, sizeof counter) == 0 || !nbpmu_fault_acts_at(pmu, n))
        return;
    memcpy(pmu->counter, counter, sizeof counter);
    pmu->stale = pmu->changed = true;
}

/* The same between clocks, where what follows from the registers is worked out at once. */
static void have_effect_at_access(struct nbpmu *pmu, unsigned n)
{
    have_effect(pmu, n);
    if (pmu->stale)
        nbpmu_refresh(pmu);
}

/* ---- Writes ---- */

static bool is_by(const struct nbpmu *pmu, unsigned lp)
{
    return is_at(composition_of(pmu), PLACE_LP, lp) &&
           is_at(composition_of(pmu), PLACE_CPL, pmu->lp[lp].cpl > 0);
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

/* The other register that the write reaches too; 0: none. */
static uint32_t also_written(const struct nbpmu *pmu, uint32_t msr)
{
    unsigned n;
    const enum nbpmu_register kind = register_at(msr, &n);
    const unsigned also = also_reached(pmu, n);
    if (also == n)
        return 0;
    if (kind == REG_ESCR)
        return nbpmu_escr_exists(msr ^ 1) ? msr ^ 1 : 0;
    return msr - n + also;
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

static void note_write(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint32_t cccr_before)
{
    unsigned n;
    const enum nbpmu_register kind = register_at(msr, &n);
    struct life *life = life_of(pmu, n);
    if (kind == REG_ESCR)
        life_of_escr(pmu, ESCR_INDEX(msr))->happened = false;
    if (kind == REG_COUNTER) {
        life->loaded = pmu->counter[n].value;
        nbpmu_fault_happened(pmu, n, HAPPENED_WRITE);
    }
    if (kind != REG_CCCR)
        return;
    const uint32_t cccr = pmu->counter[n].cccr;
    life->by_lp1 = lp == 1;
    life->was_read = life->waits = false;
    if (cccr_before & ~cccr & CCCR_OVF)
        nbpmu_fault_happened(pmu, n, HAPPENED_OVF_CLEARED);
    if (cccr == 0) {
        life->acts = 0;
        life->happened = false;
    }
}

/* With conditions, or a place that is a counter, how an ESCR acts may change with every write. */
static void decode_again(struct nbpmu *pmu)
{
    for (int escr_index = 0; escr_index < (int)ESCR_INDICES; escr_index++)
        if (pmu->escr[escr_index].value)
            nbpmu_decode(pmu, &pmu->escr[escr_index], ESCR_MSR(escr_index));
    nbpmu_refresh(pmu);
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
        const uint64_t before = kind == REG_COUNTER ? pmu->counter[n].value
                                : kind == REG_CCCR  ? cccr
                                                    : pmu->escr[ESCR_INDEX(msr)].value;
        const uint64_t kept = kind == REG_COUNTER ? COUNTER_MASK
                              : kind == REG_CCCR  ? nbpmu_cccr_kept(pmu, n)
                                                  : nbpmu_escr_kept(pmu, msr);
        const uint64_t held = nbpmu_deviating_register(composition_of(pmu), before, value & kept);
        also = also_written(pmu, msr);
        if (((held ^ value) & kept || also) && acts_on_write(pmu, msr))
            value = held;
        else
            also = 0;
    }
    end_window(pmu, msr);
    if (kind == REG_CCCR && is_stage(pmu, STAGE_FIELD) && (value & ~(uint64_t)cccr & CCCR_ENABLE))
        life_of(pmu, n)->kept = (uint32_t)(value & nbpmu_cccr_kept(pmu, n));
    nbpmu_write(pmu, lp, msr, value);
    if (also)
        nbpmu_write(pmu, lp, also, value);
    note_write(pmu, lp, msr, cccr);
    if (concerned && is_effect(pmu))
        have_effect_at_access(pmu, n);
    if ((is_stage(pmu, STAGE_EVENT_SELECT) || is_stage(pmu, STAGE_EVENT_MASK)) && kind != REG_COUNTER)
        decode_again(pmu);
    return true;
}

/* ---- Reads ---- */

static void note_read(const struct nbpmu *pmu, unsigned n)
{
    life_of(pmu, n)->was_read = true;
    nbpmu_fault_happened(pmu, n, HAPPENED_READ);
}

/* What is read of counter n; `width` bits of it are given. */
static uint64_t read_value(struct nbpmu *pmu, unsigned n, uint64_t value, uint64_t width)
{
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
    const bool differs = (deviating ^ value) & width;
    return (differs && nbpmu_fault_acts_at(pmu, n) ? deviating : value) & width;
}

static void read_counter_stage(struct nbpmu *pmu, unsigned lp, unsigned n, enum access access,
                               uint64_t *value, uint64_t width)
{
    if (is_stage(pmu, STAGE_COUNTER_READ) && is_access(pmu, lp, access)) {
        if (is_effect(pmu))
            have_effect_at_access(pmu, n);
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
            have_effect_at_access(pmu, n);
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

static void happens_to_all(struct nbpmu *pmu, bool concerned, enum happening what)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (concerned)
            have_effect(pmu, n);
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
    const bool halts = pmu->lp[lp].active && !active;
    nbpmu_change_lp(pmu, lp, active, cpl);
    if (halts)
        happens_to_all(pmu, is_stage(pmu, STAGE_HLT) && is_at(composition_of(pmu), PLACE_LP, lp),
                       HAPPENED_HLT);
}

/* ---- From an event to the value ---- */

#define EVENT_SELECTS 64

static void composed_decode_escr(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    nbpmu_decode_escr(pmu, escr, msr);
    const struct nbpmu_escr sound = *escr;
    if (is_stage(pmu, STAGE_EVENT_MASK)) {
        escr->mask = (uint16_t)nbpmu_deviating_set(composition, escr->mask);
    } else {
        const unsigned select = (unsigned)ESCR_GET_EVENT_SELECT(escr->value);
        unsigned acting = (unsigned)nbpmu_deviating_number(composition, select);
        if (acting == select)
            acting = nbpmu_deviating_index(composition, select, EVENT_SELECTS) % EVENT_SELECTS;
        escr->value = (escr->value & ~ESCR_SELECT_MASK) | ESCR_EVENT_SELECT(acting);
        nbpmu_decode_escr(pmu, escr, msr);
        escr->value = sound.value;
    }
    if (memcmp(escr, &sound, sizeof sound) == 0 || !nbpmu_fault_acts_in_escr(pmu, escr))
        *escr = sound;
}

/* A truth about this ESCR. */
static bool truth_of_escr(const struct nbpmu *pmu, const struct nbpmu_escr *escr, bool sound)
{
    const bool deviating = nbpmu_deviating_truth(composition_of(pmu), sound);
    return deviating != sound && nbpmu_fault_acts_in_escr(pmu, escr) ? deviating : sound;
}

static bool composed_matches(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned bits)
{
    return truth_of_escr(pmu, escr, nbpmu_matches(pmu, escr, bits));
}

static bool composed_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp,
                               unsigned cpl)
{
    const bool sound = nbpmu_qualifies(pmu, escr, lp, cpl);
    const struct nbpmu_composition *composition = composition_of(pmu);
    return is_at(composition, PLACE_LP, lp) && is_at(composition, PLACE_CPL, cpl > 0)
               ? truth_of_escr(pmu, escr, sound)
               : sound;
}

static bool composed_clock_qualifies(const struct nbpmu *pmu, const struct nbpmu_escr *escr)
{
    return truth_of_escr(pmu, escr, nbpmu_clock_qualifies(pmu, escr));
}

static unsigned composed_tag(const struct nbpmu *pmu, const struct nbpmu_escr *escr, unsigned lp)
{
    const unsigned sound = nbpmu_tag(pmu, escr, lp);
    const unsigned deviating = sound ? (unsigned)nbpmu_deviating_set(composition_of(pmu), sound) : 0;
    return deviating != sound && is_at(composition_of(pmu), PLACE_LP, lp) &&
                   nbpmu_fault_acts_in_escr(pmu, escr)
               ? deviating
               : sound;
}

/* The ESCRs by ESCR select: the neighbour is the other ESCR of the pair, the next one that of the next
 * select. */
#define ESCR_SELECTS 8

static uint32_t composed_route(struct nbpmu *pmu, unsigned n)
{
    const uint32_t sound = nbpmu_route(pmu, n);
    const unsigned select = (unsigned)CCCR_GET_ESCR_SELECT(pmu->counter[n].cccr);
    uint32_t deviating = 0;
    if (deviates_by(pmu, DEVIATION_NEXT))
        deviating = nbpmu_escr_route(n, (select + 1) % ESCR_SELECTS);
    else if (deviates_by(pmu, DEVIATION_NEIGHBOUR))
        deviating = sound ^ nbpmu_escr_exists(sound ^ 1);
    return sound && deviating != sound && nbpmu_fault_acts_at(pmu, n) ? deviating : sound;
}

/* Single results are counted: a clock that deviates must not be repeated without asking. */
static void count_clock(struct nbpmu *pmu)
{
    const enum history history = (enum history)composition_of(pmu)->history;
    pmu->changed |= history == HISTORY_AFTER || history == HISTORY_EVERY;
}

static unsigned number_of_counter(struct nbpmu *pmu, unsigned n, unsigned sound)
{
    const unsigned deviating = (unsigned)nbpmu_deviating_number(composition_of(pmu), sound);
    if (deviating == sound)
        return sound;
    count_clock(pmu);
    return nbpmu_fault_acts_at(pmu, n) ? deviating : sound;
}

/* The value of a clock is what the filter gets. */
static unsigned composed_value(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    return nbpmu_filter(pmu, n, number_of_counter(pmu, n, value), gate_open);
}

/* ---- The CCCR by which a counter acts ---- */

static uint32_t acting_cccr(struct nbpmu *pmu, unsigned n, uint32_t concerned)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    const uint32_t cccr = pmu->counter[n].cccr, field = (uint32_t)nbpmu_fault_bits(composition) & concerned;
    uint32_t deviating = (uint32_t)nbpmu_deviating_number(composition, cccr);
    if (deviates_by(pmu, DEVIATION_NEIGHBOUR))
        deviating = with_field(cccr, field, pmu->counter[n ^ 1].cccr);
    else if (deviates_by(pmu, DEVIATION_KEPT))
        deviating = with_field(cccr, field, cccr & CCCR_ENABLE ? life_of(pmu, n)->kept : cccr);
    return (deviating ^ cccr) & concerned && nbpmu_fault_acts_at(pmu, n) ? deviating : cccr;
}

/* A stage that acts by some bits of the CCCR gets those of the fault. */
static uint32_t lend_cccr(struct nbpmu *pmu, unsigned n, uint32_t bits)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    pmu->counter[n].cccr = with_field(cccr, bits, acting_cccr(pmu, n, bits));
    return cccr;
}

static void return_cccr(struct nbpmu *pmu, unsigned n, uint32_t bits, uint32_t cccr)
{
    pmu->counter[n].cccr = with_field(pmu->counter[n].cccr, bits, cccr);
}

static uint32_t field_route(struct nbpmu *pmu, unsigned n)
{
    const uint32_t cccr = lend_cccr(pmu, n, CCCR_ESCR_SELECT_MASK), msr = nbpmu_route(pmu, n);
    return_cccr(pmu, n, CCCR_ESCR_SELECT_MASK, cccr);
    return msr;
}

static bool field_gate_open(struct nbpmu *pmu, unsigned n, unsigned active)
{
    const uint32_t cccr = lend_cccr(pmu, n, CCCR_ACTIVE_MASK);
    const bool open = nbpmu_gate_open(pmu, n, active);
    return_cccr(pmu, n, CCCR_ACTIVE_MASK, cccr);
    return open;
}

#define FILTER_FIELDS (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE)

static unsigned field_filter(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const uint32_t cccr = lend_cccr(pmu, n, FILTER_FIELDS);
    const unsigned increment = nbpmu_filter(pmu, n, value, gate_open);
    return_cccr(pmu, n, FILTER_FIELDS, cccr);
    return increment;
}

static unsigned field_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint32_t cccr = lend_cccr(pmu, n, CCCR_FORCE_OVF);
    const unsigned raised = composed_count(pmu, n, increment);
    return_cccr(pmu, n, CCCR_FORCE_OVF, cccr);
    return raised;
}

static unsigned field_pmi_targets(struct nbpmu *pmu, unsigned n)
{
    const uint32_t bits = CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1, cccr = lend_cccr(pmu, n, bits);
    const unsigned targets = nbpmu_pmi_targets(pmu, n);
    return_cccr(pmu, n, bits, cccr);
    return targets;
}

/* ---- The gate, and the filter in its three parts ---- */

static bool truth_of_counter(struct nbpmu *pmu, unsigned n, bool sound)
{
    const bool deviating = nbpmu_deviating_truth(composition_of(pmu), sound);
    if (deviating == sound)
        return sound;
    count_clock(pmu);
    return nbpmu_fault_acts_at(pmu, n) ? deviating : sound;
}

static bool composed_gate_open(struct nbpmu *pmu, unsigned n, unsigned active)
{
    const bool sound = nbpmu_gate_open(pmu, n, active);
    if (!deviates_by(pmu, DEVIATION_KEPT))
        return truth_of_counter(pmu, n, sound);
    struct life *life = life_of(pmu, n);
    if (!life->knows_kept)
        life->kept = active;
    life->knows_kept = true;
    const bool kept = nbpmu_gate_open(pmu, n, life->kept);
    return kept != sound && nbpmu_fault_acts_at(pmu, n) ? kept : sound;
}

/* A counter that starts looks anew at who is active. */
static bool counts_with_kept_gate(struct nbpmu *pmu, unsigned n)
{
    const bool counts = nbpmu_counts(pmu, n);
    life_of(pmu, n)->knows_kept &= !counts || (pmu->running >> n & 1);
    return counts;
}

/* Does the value pass threshold and COMPLEMENT (R22)? */
static bool passes(struct nbpmu *pmu, unsigned n, unsigned value)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    unsigned threshold = (unsigned)CCCR_GET_THRESHOLD(counter->cccr);
    bool above = value > threshold;
    if (is_stage(pmu, STAGE_THRESHOLD) && deviation_of(composition_of(pmu)) >= DEVIATION_ZERO) {
        const bool deviating = value > (unsigned)nbpmu_deviating_number(composition_of(pmu), threshold);
        if (deviating != above) {
            count_clock(pmu);
            above = nbpmu_fault_acts_at(pmu, n) ? deviating : above;
        }
    } else if (is_stage(pmu, STAGE_THRESHOLD)) {
        above = truth_of_counter(pmu, n, above);
    }
    if (!(counter->cccr & CCCR_COMPLEMENT))
        return above;
    const bool result = counter->complements && !above;
    return is_stage(pmu, STAGE_COMPLEMENT) ? truth_of_counter(pmu, n, result) : result;
}

/* Is this change of the result counted? `always` counts either change, `inverted` the falling one. */
static bool counts_change(struct nbpmu *pmu, unsigned n, bool before, bool now)
{
    return before != now && truth_of_counter(pmu, n, now);
}

/* The edge filter's state follows as in the sound filter (question 11.6). */
static unsigned composed_filter(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (!(counter->cccr & CCCR_COMPARE) || (is_stage(pmu, STAGE_EDGE) && !(counter->cccr & CCCR_EDGE)))
        return nbpmu_filter(pmu, n, value, gate_open);
    const bool before = counter->previous, now = passes(pmu, n, value);
    /* A value above every threshold, or 0, leads the sound filter to the result that the fault makes. */
    const bool is_above = now != (bool)(counter->cccr & CCCR_COMPLEMENT);
    const bool complements = counter->complements;
    const uint32_t threshold = counter->cccr & CCCR_THRESHOLD_MASK;
    counter->complements = true;
    counter->cccr &= ~CCCR_THRESHOLD_MASK;
    unsigned increment = nbpmu_filter(pmu, n, is_above, gate_open);
    counter->cccr |= threshold;
    counter->complements = complements;
    if (is_stage(pmu, STAGE_EDGE) && gate_open)
        increment = counts_change(pmu, n, before, now);
    return increment;
}

static unsigned composed_increment(struct nbpmu *pmu, unsigned n, unsigned value, bool gate_open)
{
    const unsigned sound = nbpmu_filter(pmu, n, value, gate_open);
    const unsigned also = also_reached(pmu, n);
    if (also == n)
        return number_of_counter(pmu, n, sound);
    if (sound && nbpmu_fault_acts_at(pmu, n)) {
        struct nbpmu_counter *other = &pmu->counter[also];
        other->value = (other->value + sound) & COUNTER_MASK;
        pmu->changed = true;
    }
    return sound;
}

/* ---- The sum and its carries ---- */

static bool carries_into(const struct nbpmu *pmu, unsigned n, unsigned increment, unsigned bit)
{
    const uint64_t below = 1ull << bit;
    return (pmu->counter[n].value & (below - 1)) + increment >= below;
}

static bool composed_add(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    struct nbpmu_counter *counter = &pmu->counter[n];
    const int bit = place_of(composition, PLACE_BIT);
    const bool carries = is_stage(pmu, STAGE_CARRY) && carries_into(pmu, n, increment, (unsigned)bit);
    const bool overflow = nbpmu_add(pmu, n, increment);
    const uint64_t sum = counter->value;
    if (is_stage(pmu, STAGE_SUM)) {
        const uint64_t deviating = nbpmu_deviating_number(composition, sum);
        if (deviating != sum && nbpmu_fault_acts_at(pmu, n)) {
            counter->value = deviating;
            pmu->changed = true;
        }
    } else if (carries && nbpmu_fault_acts_at(pmu, n)) {
        pmu->changed = true;
        if (deviates_by(pmu, DEVIATION_NEVER))
            counter->value = (sum - (1ull << bit)) & COUNTER_MASK;
        else
            pmu->counter[n ^ 1].value = (pmu->counter[n ^ 1].value + (1ull << bit)) & COUNTER_MASK;
    }
    return overflow;
}

/* Something that is due comes so many counts later. Is it time? */
static bool is_late(struct nbpmu *pmu, unsigned n, bool now)
{
    struct life *life = life_of(pmu, n);
    const bool comes = life->waits && --life->left == 0;
    pmu->changed |= life->waits;
    if (comes)
        life->waits = false;
    if (now && !life->waits && nbpmu_fault_acts_at(pmu, n)) {
        life->waits = true;
        life->left = composition_of(pmu)->amount;
        now = false;
    }
    return comes || now;
}

static bool composed_carry_out(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint64_t before = pmu->counter[n].value, after = before + increment;
    const bool sound = nbpmu_add(pmu, n, increment);
    if (deviates_by(pmu, DEVIATION_LATE))
        return is_late(pmu, n, sound);
    if (!deviates_by(pmu, DEVIATION_EARLY))
        return truth_of_counter(pmu, n, sound);
    /* From below 2^40 - 1 up to it, or further. */
    const bool early = before < COUNTER_MASK && after >= COUNTER_MASK;
    return early != sound && nbpmu_fault_acts_at(pmu, n) ? early : sound;
}

static bool linked_add(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const bool early = deviates_by(pmu, DEVIATION_EARLY);
    const uint64_t at = early ? COUNTER_MASK : composition_of(pmu)->amount, before = pmu->counter[n].value;
    const bool overflow = nbpmu_add(pmu, n, increment);
    const uint64_t after = pmu->counter[n].value;
    pmu->stale |= early ? (before == at) != (after == at) : (before < at) != (after < at);
    return overflow;
}

/* ---- Overflow, OVF, and the PMI ---- */

static uint32_t due_of_clock(struct nbpmu *pmu)
{
    defects_of(pmu)->overflowing = 0;
    return nbpmu_due(pmu);
}

/* By counter n, and by others in the same clock. */
static void composed_overflow(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    defects_of(pmu)->overflowing |= 1u << n;
    const bool concerned = is_stage(pmu, STAGE_OVF), stood = counter->cccr & CCCR_OVF;
    if (concerned && deviates_by(pmu, DEVIATION_LATE)) {
        struct life *life = life_of(pmu, n);
        if (!stood && !life->waits && nbpmu_fault_acts_at(pmu, n)) {
            life->waits = pmu->changed = true;
            life->left = composition_of(pmu)->amount;
        } else if (stood || !life->waits) {
            nbpmu_overflow(pmu, n);
        }
    } else if (concerned && deviates_by(pmu, DEVIATION_NEVER) && !stood && nbpmu_fault_acts_at(pmu, n)) {
        pmu->changed = true;
    } else {
        nbpmu_overflow(pmu, n);
        if (concerned && deviates_by(pmu, DEVIATION_INVERTED) && stood && nbpmu_fault_acts_at(pmu, n)) {
            counter->cccr &= ~CCCR_OVF;
            pmu->stale = true;
        }
        const unsigned also = also_reached(pmu, n);
        if (concerned && also != n && !has_bits(pmu, also, CCCR_OVF) && nbpmu_fault_acts_at(pmu, n)) {
            pmu->counter[also].cccr |= CCCR_OVF;
            pmu->stale = true;
        }
        if (concerned && is_effect(pmu))
            have_effect(pmu, n);
    }
    nbpmu_fault_happened(pmu, n, HAPPENED_OVERFLOW);
}

/* A count of a counter whose OVF comes late. */
static unsigned count_to_late_ovf(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct life *life = life_of(pmu, n);
    const bool waited = life->waits;
    const unsigned raised = composed_count(pmu, n, increment);
    pmu->changed |= waited;
    if (waited && life->waits && --life->left == 0) {
        life->waits = false;
        nbpmu_overflow(pmu, n);
    }
    return raised;
}

static unsigned force_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    const bool forced = truth_of_counter(pmu, n, cccr & CCCR_FORCE_OVF);
    pmu->counter[n].cccr = with_field(cccr, CCCR_FORCE_OVF, forced ? CCCR_FORCE_OVF : 0);
    const unsigned raised = composed_count(pmu, n, increment);
    return_cccr(pmu, n, CCCR_FORCE_OVF, cccr);
    return raised;
}

/* The PMI that is due waits for so many counts more. */
static unsigned late_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct life *life = life_of(pmu, n);
    if (!is_due(pmu, n)) {
        life->waits = false;
        return nbpmu_count(pmu, n, increment);
    }
    if (!life->waits) {
        if (!nbpmu_fault_acts_at(pmu, n))
            return nbpmu_count(pmu, n, increment);
        life->waits = true;
        life->left = composition_of(pmu)->amount;
    } else if (life->left == 0) {
        life->waits = false;
        return nbpmu_count(pmu, n, increment);
    }
    life->left--;
    return nbpmu_fault_count_late(pmu, n, increment);
}

static unsigned composed_count(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const enum nbpmu_request before = counter->request;
    if (is_stage(pmu, STAGE_REQUEST) && deviates_by(pmu, DEVIATION_LATE))
        return late_count(pmu, n, increment);
    const bool was_due = is_due(pmu, n), changed = pmu->changed;
    unsigned raised = nbpmu_count(pmu, n, increment);
    if (is_stage(pmu, STAGE_REQUEST) && raised && deviates_by(pmu, DEVIATION_NEVER) &&
        nbpmu_fault_acts_at(pmu, n)) {
        counter->raised = false;
        raised = 0;
    }
    const bool is_early = is_stage(pmu, STAGE_REQUEST) && deviates_by(pmu, DEVIATION_EARLY);
    if (is_early && is_due(pmu, n) && (!was_due || raised) && nbpmu_fault_acts_at(pmu, n)) {
        raised |= nbpmu_raise_pmi(pmu, n);
        pmu->changed = changed || counter->request != before;
    }
    if (raised) {
        nbpmu_fault_happened(pmu, n, HAPPENED_PMI);
        if (is_stage(pmu, STAGE_REQUEST) && is_effect(pmu))
            have_effect(pmu, n);
    }
    return raised;
}

static unsigned composed_pmi_targets(struct nbpmu *pmu, unsigned n)
{
    const unsigned sound = nbpmu_pmi_targets(pmu, n);
    const unsigned deviating = sound ? (unsigned)nbpmu_deviating_set(composition_of(pmu), sound) : 0;
    return deviating != sound && nbpmu_fault_acts_at(pmu, n) ? deviating : sound;
}

/* A request ends when OVF is cleared, or another one is due. */
static unsigned requested_pmi_targets(struct nbpmu *pmu, unsigned n)
{
    if (!defects_of(pmu)->rate.asked_again)
        life_of(pmu, n)->act.drawn = false;
    return composed_pmi_targets(pmu, n);
}

static bool composed_pmi_again(struct nbpmu *pmu, unsigned lp)
{
    defects_of(pmu)->rate.asked_again = true;
    const bool sound = nbpmu_pmi_again(pmu, lp);
    defects_of(pmu)->rate.asked_again = false;
    if (!is_stage(pmu, STAGE_AGAIN) || !is_at(composition_of(pmu), PLACE_LP, lp) || !sound)
        return sound;
    return !nbpmu_fault_acts_anywhere(pmu);
}

/* ---- Who counts ---- */

static bool is_of_link(const struct nbpmu *pmu, enum nbpmu_link link)
{
    return is_at(composition_of(pmu), PLACE_LINK, link);
}

/* An act of a counter that runs: it ends when the sound result changes, or when both agree that it does not
 * run. */
static bool acts_in_run(struct nbpmu *pmu, unsigned n, bool sound, bool deviating)
{
    struct act *act = &life_of(pmu, n)->act;
    if (act->sound != sound || (!sound && deviating == sound))
        act->drawn = false;
    act->sound = sound;
    return deviating != sound && nbpmu_fault_acts_at(pmu, n);
}

static bool starts_of(struct nbpmu *pmu, unsigned n, enum nbpmu_link link, int x)
{
    struct nbpmu_counter *source = &pmu->counter[x], before = *source;
    source->cccr |= CCCR_OVF;
    source->ovf_by_hardware = true;
    const bool latched = pmu->counter[n].latched[link];
    pmu->counter[n].latched[link] = true;
    const bool runs = nbpmu_link_runs(pmu, n, link);
    *source = before;
    pmu->counter[n].latched[link] = latched;
    return runs;
}

static bool composed_link_runs(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    struct nbpmu_counter *y = &pmu->counter[n];
    const bool sound = nbpmu_link_runs(pmu, n, link);
    const int x = y->cccr & nbpmu_link_bit(link) ? nbpmu_link_source(pmu, n, link) : -1;
    bool deviating = sound;
    if (x < 0 || !is_of_link(pmu, link))
        return sound;
    const uint64_t value = pmu->counter[x].value;
    switch (deviation_of(composition_of(pmu))) {
    case DEVIATION_NEVER:
        deviating = false;
        break;
    case DEVIATION_ALWAYS:
        deviating = starts_of(pmu, n, link, x);
        break;
    case DEVIATION_INVERTED:
        deviating = !sound && starts_of(pmu, n, link, x);
        break;
    case DEVIATION_EARLY:
        deviating = sound || (value == COUNTER_MASK && starts_of(pmu, n, link, x));
        break;
    case DEVIATION_LATE:
        deviating = sound && value >= composition_of(pmu)->amount;
        break;
    case DEVIATION_KEPT:
        deviating = sound || y->linked[link];
        break;
    default: /* what else a start does */
        if (sound && !y->linked[link]) {
            life_of(pmu, n)->act.drawn = false;
            have_effect(pmu, n);
        }
        return sound;
    }
    return acts_in_run(pmu, n, sound, deviating) ? deviating : sound;
}

/* A counter that this link cannot start has no other source either. */
static int other_source(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const int sound = nbpmu_link_source(pmu, n, link);
    if (sound < 0 || !is_of_link(pmu, link))
        return sound;
    const unsigned other = nbpmu_deviating_index(composition_of(pmu), (unsigned)sound, PMC_COUNTERS);
    return other < PMC_COUNTERS && other != n ? (int)other : -1;
}

/* The source is wrong as long as the counter runs, or does not. */
static bool source_link_runs(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const bool sound = nbpmu_link_runs(pmu, n, link);
    const int other = pmu->counter[n].cccr & nbpmu_link_bit(link) ? other_source(pmu, n, link) : -1;
    const bool is_open = pmu->variants.force_ovf_breaks_cascade && other >= 0 &&
                         (has_bits(pmu, n, CCCR_FORCE_OVF) || has_bits(pmu, (unsigned)other, CCCR_FORCE_OVF));
    const bool deviating =
        is_of_link(pmu, link) ? other >= 0 && !is_open && nbpmu_ovf_starts(pmu, &pmu->counter[other]) : sound;
    return acts_in_run(pmu, n, sound, deviating) ? deviating : sound;
}

static bool composed_counts(struct nbpmu *pmu, unsigned n)
{
    const uint32_t cccr = pmu->counter[n].cccr;
    const bool sound = nbpmu_counts(pmu, n);
    bool deviating = sound || (pmu->running >> n & 1); /* kept: it cannot stop */
    if (deviates_by(pmu, DEVIATION_NEVER)) {
        pmu->counter[n].cccr &= ~CCCR_ENABLE;
        deviating = nbpmu_counts(pmu, n);
        pmu->counter[n].cccr = cccr;
    } else if (deviates_by(pmu, DEVIATION_ALWAYS)) {
        deviating = sound || pmu->counter[n].has_event;
    }
    return acts_in_run(pmu, n, sound, deviating) ? deviating : sound;
}

/* ---- Time: what may be skipped ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool asks_for_sign(const struct nbpmu_composition *composition)
{
    for (unsigned i = 0; i < NBPMU_FAULT_CONDITIONS; i++)
        if (composition->condition[i]) {
            const char *name = nbpmu_fault_conditions[composition->condition[i] - 1].name;
            if (strcmp(name, "negative") == 0 || strcmp(name, "positive") == 0)
                return true;
        }
    return false;
}

/* Up to the next value at which the model or the fault does something. */
static uint64_t composed_distance(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_composition *composition = composition_of(pmu);
    const uint64_t value = pmu->counter[n].value, sound = nbpmu_distance(pmu, n);
    const int bit = place_of(composition, PLACE_BIT);
    uint64_t distance = sound;
    if (asks_for_sign(composition))
        distance = least(distance, nbpmu_distance_to_carry_into(COUNTER_BITS - 1, value));
    if (is_stage(pmu, STAGE_CARRY))
        distance = least(distance, nbpmu_distance_to_carry_into((unsigned)bit, value));
    if (is_stage(pmu, STAGE_SUM))
        distance = deviates_by(pmu, DEVIATION_BIT_0) && bit > 0
                       ? least(distance, nbpmu_distance_to_carry_into((unsigned)bit, value))
                       : 0;
    if (deviates_by(pmu, DEVIATION_EARLY))
        distance = least(distance, sound - (sound > 0));
    if (is_stage(pmu, STAGE_LINK) && deviates_by(pmu, DEVIATION_LATE))
        distance = least(distance, (composition->amount - 1 - value) & COUNTER_MASK);
    return distance;
}

/* Counters that the fault may move in a clock without an event, or that take note of such a clock. */
static uint32_t clocked_by(const struct nbpmu_composition *composition)
{
    const enum deviation deviation = deviation_of(composition);
    const bool sets = deviation == DEVIATION_BIT_1 || deviation == DEVIATION_ALWAYS ||
                      deviation == DEVIATION_INVERTED || deviation == DEVIATION_NEIGHBOUR ||
                      deviation == DEVIATION_KEPT;
    const uint64_t stages = 1ull << STAGE_VALUE | 1ull << STAGE_INCREMENT | 1ull << STAGE_THRESHOLD |
                            1ull << STAGE_COMPLEMENT | 1ull << STAGE_EDGE | 1ull << STAGE_FIELD;
    const bool keeps_gate = stage_of(composition) == STAGE_GATE && deviation == DEVIATION_KEPT;
    return keeps_gate || (sets && (stages >> stage_of(composition) & 1)) ? FIELD_MASK(PMC_COUNTERS - 1, 0)
                                                                         : 0;
}

/* ---- The table ---- */

static void add_stage(struct nbpmu_stages *stages, const struct nbpmu_composition *composition)
{
    switch (stage_of(composition)) {
    case STAGE_REFUSAL:
        stages->write = refusing_write;
        stages->read = refusing_read;
        stages->read_counter = refusing_read_counter;
        break;
    case STAGE_EVENT_SELECT:
    case STAGE_EVENT_MASK:
        stages->decode_escr = composed_decode_escr;
        break;
    case STAGE_MATCH:
        stages->matches = composed_matches;
        break;
    case STAGE_QUALIFY:
        stages->qualifies = composed_qualifies;
        break;
    case STAGE_CLOCK_QUALIFY:
        stages->clock_qualifies = composed_clock_qualifies;
        break;
    case STAGE_TAG:
        stages->tag = composed_tag;
        break;
    case STAGE_ROUTE:
        stages->route = composed_route;
        break;
    case STAGE_FIELD:
        stages->route = field_route;
        stages->gate_open = field_gate_open;
        stages->filter = field_filter;
        stages->count = field_count;
        stages->pmi_targets = field_pmi_targets;
        break;
    case STAGE_VALUE:
        stages->filter = composed_value;
        break;
    case STAGE_GATE:
        stages->gate_open = composed_gate_open;
        if (deviation_of(composition) == DEVIATION_KEPT)
            stages->counts = counts_with_kept_gate;
        break;
    case STAGE_THRESHOLD:
    case STAGE_COMPLEMENT:
    case STAGE_EDGE:
        stages->filter = composed_filter;
        break;
    case STAGE_INCREMENT:
        stages->filter = composed_increment;
        break;
    case STAGE_SUM:
    case STAGE_CARRY:
        stages->add = composed_add;
        break;
    case STAGE_CARRY_OUT:
        stages->add = composed_carry_out;
        break;
    case STAGE_FORCE:
        stages->count = force_count;
        break;
    case STAGE_OVF:
        if (deviation_of(composition) == DEVIATION_LATE)
            stages->count = count_to_late_ovf;
        break;
    case STAGE_TARGETS:
        stages->pmi_targets = requested_pmi_targets;
        break;
    case STAGE_LINK_SOURCE:
        stages->link_runs = source_link_runs;
        break;
    case STAGE_LINK:
        stages->link_runs = composed_link_runs;
        if (deviation_of(composition) == DEVIATION_EARLY || deviation_of(composition) == DEVIATION_LATE)
            stages->add = linked_add;
        break;
    case STAGE_ENABLE:
        stages->counts = composed_counts;
        break;
    default: /* accesses, INIT, HLT, overflows and PMIs are noted with every fault; LVTPC is not here */
        break;
    }
}

struct nbpmu_stages nbpmu_fault_composed(const struct nbpmu_composition *composition)
{
    struct nbpmu_stages stages = nbpmu_sound_stages;
    stages.write = composed_write;
    stages.read = composed_read;
    stages.read_counter = composed_read_counter;
    stages.init = composed_init;
    stages.change_lp = composed_change_lp;
    stages.overflow = composed_overflow;
    stages.count = composed_count;
    stages.pmi_again = composed_pmi_again;
    stages.due = due_of_clock;
    stages.distance = composed_distance;
    stages.clocked = clocked_by(composition);
    add_stage(&stages, composition);
    return stages;
}
