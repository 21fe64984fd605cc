/*
 * The table of a PMU with a fault: each stage that its row names is replaced, and so are those in which the
 * parts of a stage are called that a row can name instead.
 */
#include "faults.h"

#include <stdlib.h>

static const struct nbpmu_fault_row *row_of(const struct nbpmu *pmu)
{
    return fault_of(pmu)->row;
}

/* A stage of a counter: the fault's function where the fault strikes, the sound function elsewhere. */
#define PLACED(type, name, parameters, arguments, ...)                                 \
    static type placed_##name parameters                                               \
    {                                                                                  \
        return strikes(pmu, n) ? row_of(pmu)->name arguments : nbpmu_##name arguments; \
    }
NBPMU_STAGES_OF_COUNTERS(PLACED)

/* ---- Accesses, INIT and HLT: what happens to a counter may do something to it, or to another ---- */

/* What happens in front of a write, which makes known what has changed. */
#define BEFORE_WRITE (CCCR_WRITTEN | COMPARE_SET | OVF_CLEARED | ENABLE_CLEARED | ENABLE_SET)

static void happens(struct nbpmu *pmu, unsigned lp, unsigned first, unsigned last, unsigned what)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    const struct nbpmu_fault_row *row = fault->row;
    if (!(fault->when & what) || ((fault->when & BY_LP1) && lp != 1) ||
        ((fault->when & BY_USER) && pmu->lp[lp].cpl == 0))
        return;
    for (unsigned n = first; n <= last; n++) {
        if (!strikes(pmu, n))
            continue;
        const unsigned victim = fault->other ? fault->other - 1u : n;
        pmu->counter[victim].cccr &= ~row->clears;
        if (row->then)
            row->then(pmu, victim);
    }
    if (!(what & BEFORE_WRITE))
        nbpmu_refresh(pmu);
}

static void write_cccr(struct nbpmu *pmu, unsigned lp, unsigned n, uint64_t value)
{
    const struct nbpmu_fault_row *row = row_of(pmu);
    const uint32_t before = pmu->counter[n].cccr, kept = (uint32_t)pmu->stages->cccr_kept(pmu, n);
    uint32_t now = (uint32_t)value & kept;
    if (row->cccr_holds && strikes(pmu, n))
        now = row->cccr_holds(pmu, n, now) & kept;
    const uint32_t set = now & ~before, cleared = before & ~now;
    happens(pmu, lp, n, n,
            CCCR_WRITTEN | (set & CCCR_COMPARE ? COMPARE_SET : 0) | (cleared & CCCR_OVF ? OVF_CLEARED : 0) |
                (cleared & CCCR_ENABLE ? ENABLE_CLEARED : 0) | (set & CCCR_ENABLE ? ENABLE_SET : 0));
    nbpmu_write(pmu, lp, MSR_CCCR(n), now);
}

static bool write_register(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const struct nbpmu_fault_row *row = row_of(pmu);
    const enum nbpmu_register kind = nbpmu_register_of(msr);
    const unsigned n = msr - MSR_COUNTER(0);
    if (nbpmu_write_faults(pmu, msr, value))
        return false;
    if (kind == REG_CCCR) {
        write_cccr(pmu, lp, msr - MSR_CCCR(0), value);
        return true;
    }
    if (kind == REG_COUNTER && row->counter_holds && strikes(pmu, n))
        value = row->counter_holds(pmu, n, value);
    if (kind == REG_ESCR && row->escr_holds)
        value = row->escr_holds(pmu, ESCR_INDEX(msr), value);
    const bool was_negative = kind == REG_COUNTER && pmu->counter[n].value > COUNTER_MASK / 2;
    nbpmu_write(pmu, lp, msr, value);
    if (kind == REG_COUNTER)
        happens(pmu, lp, n, n, WRITTEN);
    if (was_negative && value <= COUNTER_MASK / 2 && (pmu->counter[n].cccr & CCCR_ENABLE))
        pmu->stale = true; /* with some faults it is the sign that starts or halts another counter */
    return true;
}

static bool read_register(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value)
{
    const enum nbpmu_register kind = nbpmu_register_of(msr);
    const unsigned n = kind == REG_CCCR ? msr - MSR_CCCR(0) : msr - MSR_COUNTER(0);
    if (!nbpmu_read(pmu, lp, msr, value))
        return false;
    if (kind == REG_COUNTER || kind == REG_CCCR)
        happens(pmu, lp, n, n, kind == REG_CCCR ? CCCR_READ : lp == 1 ? RDMSR_BY_LP1 : RDMSR_BY_LP0);
    return true;
}

static bool read_counter(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    const unsigned n = ecx & ~RDPMC_FAST;
    if (!nbpmu_read_counter(pmu, lp, cr4_pce, ecx, value))
        return false;
    happens(pmu, lp, n, n, ecx & RDPMC_FAST ? RDPMC_SHORT : RDPMC_FULL);
    return true;
}

static void init(struct nbpmu *pmu)
{
    happens(pmu, 0, 0, PMC_COUNTERS - 1, INIT);
    nbpmu_init(pmu);
}

static void change_lp(struct nbpmu *pmu, unsigned lp, bool active, unsigned cpl)
{
    if (pmu->lp[lp].active && !active)
        happens(pmu, lp, 0, PMC_COUNTERS - 1, HALTS);
    else if (pmu->lp[lp].cpl != cpl)
        happens(pmu, lp, 0, PMC_COUNTERS - 1, CPL_CHANGES);
    nbpmu_change_lp(pmu, lp, active, cpl);
}

/* ---- The CCCR by which a counter acts ---- */

uint32_t nbpmu_fault_acting_cccr(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_fault_row *row = row_of(pmu);
    const uint32_t cccr = pmu->counter[n].cccr;
    if (!strikes(pmu, n))
        return cccr;
    if (row->acts_by)
        return row->acts_by(pmu, n, cccr);
    return !row->beside || (cccr & row->beside) ? (cccr & ~row->dead) | row->taken : cccr;
}

/* A stage that acts by these bits of the CCCR. */
#define ACTING(type, name, parameters, arguments, bits)                                                    \
    static type acting_##name parameters                                                                   \
    {                                                                                                      \
        struct nbpmu_counter *counter = &pmu->counter[n];                                                  \
        const uint32_t cccr = counter->cccr;                                                               \
        counter->cccr = (cccr & ~(uint32_t)(bits)) | (nbpmu_fault_acting_cccr(pmu, n) & (uint32_t)(bits)); \
        const type result = nbpmu_##name arguments;                                                        \
        counter->cccr = (counter->cccr & ~(uint32_t)(bits)) | (cccr & (uint32_t)(bits));                   \
        return result;                                                                                     \
    }
NBPMU_STAGE_route(ACTING, CCCR_ESCR_SELECT_MASK) NBPMU_STAGE_gate_open(ACTING, CCCR_ACTIVE_MASK)
    NBPMU_STAGE_filter(ACTING, FIELD_MASK(24, 18)) NBPMU_STAGE_count(ACTING, CCCR_FORCE_OVF)
        NBPMU_STAGE_pmi_targets(ACTING, CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)

    /* ---- ESCRs, links, overflows, time ---- */

    static void decode_escr(const struct nbpmu *pmu, struct nbpmu_escr *escr, uint32_t msr)
{
    const struct nbpmu_fault_row *row = row_of(pmu);
    const uint32_t value = escr->value;
    escr->value = row->escr_acts_by ? row->escr_acts_by(pmu, escr) : value;
    nbpmu_decode_escr(pmu, escr, msr);
    escr->value = value;
    escr->mask = row->mask ? row->mask(pmu, escr, escr->mask) : escr->mask;
}

static bool link_runs(struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    const struct nbpmu_fault_row *row = row_of(pmu);
    const bool armed = pmu->counter[n].cccr & nbpmu_link_bit(link);
    const int x = armed ? pmu->stages->link_source(pmu, n, link) : -1;
    const bool runs = nbpmu_link_runs(pmu, n, link);
    if (x < 0 || !strikes(pmu, row->of_x ? (unsigned)x : n))
        return runs;
    if (runs)
        return !row->link_fails || !row->link_fails(pmu, n, link, (unsigned)x);
    return row->link_strays && row->link_strays(pmu, n, link, (unsigned)x);
}

static bool add(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint64_t before = pmu->counter[n].value;
    const bool overflow = nbpmu_add(pmu, n, increment);
    pmu->stale |= row_of(pmu)->links_at(pmu, before) != row_of(pmu)->links_at(pmu, pmu->counter[n].value);
    return overflow;
}

static void overflow(struct nbpmu *pmu, unsigned n)
{
    const bool again = pmu->counter[n].cccr & CCCR_OVF;
    defects_of(pmu)->overflowing |= 1u << n;
    if (again && nbpmu_fault_awaits(pmu, n))
        pmu->stale = true; /* with some faults it is this overflow that starts or halts another counter */
    if (row_of(pmu)->overflow)
        placed_overflow(pmu, n);
    else
        nbpmu_overflow(pmu, n);
}

/* A fault may change which counters a clock affects: every running counter takes part. */
static uint32_t due(struct nbpmu *pmu)
{
    defects_of(pmu)->overflowing = 0;
    defects_of(pmu)->raised = 0;
    return pmu->running;
}

/* Up to the next value at which the model or the fault does something. */
static uint64_t distance(const struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    uint64_t least = nbpmu_distance(pmu, n);
    if (fault->row->distance && (!fault->only || fault->only == n + 1)) {
        uint64_t deviation = fault->row->distance(pmu, n);
        least = deviation < least ? deviation : least;
    }
    if (nbpmu_fault_follows_sign(fault)) {
        uint64_t sign = nbpmu_distance_to_carry_into(COUNTER_BITS - 1, pmu->counter[n].value);
        least = sign < least ? sign : least;
    }
    return least;
}

/* ---- The table ---- */

static struct nbpmu_stages stages_of(const struct nbpmu_fault_row *row)
{
    struct nbpmu_stages stages = nbpmu_sound_stages;
    stages.every_clock = true;
    stages.write = write_register;
    stages.read = read_register;
    stages.read_counter = read_counter;
    stages.init = init;
    stages.change_lp = change_lp;
    stages.due = due;
    if (row->dead || row->taken || row->acts_by) {
        stages.route = acting_route;
        stages.gate_open = acting_gate_open;
        stages.filter = acting_filter;
        stages.count = acting_count;
        stages.pmi_targets = acting_pmi_targets;
    }
#define PLACE(type, name, ...)   stages.name = row->name ? placed_##name : stages.name;
#define REPLACE(type, name, ...) stages.name = row->name ? row->name : stages.name;
    NBPMU_STAGES_OF_COUNTERS(PLACE)
    NBPMU_STAGES_OF_ALL(REPLACE)
    if (row->link_fails || row->link_strays)
        stages.link_runs = link_runs;
    if (row->links_at)
        stages.add = add;
    if (row->escr_acts_by || row->mask)
        stages.decode_escr = decode_escr;
    stages.overflow = overflow;
    stages.distance = distance;
    return stages;
}

bool nbpmu_set_fault(struct nbpmu *pmu, const struct nbpmu_fault *fault)
{
    struct defects *defects = NULL;
    const bool composed = is_composed(fault) && !nbpmu_fault_is_of_lvtpc(fault);
    if (composed || (fault->row && !fault->row->lvtpc)) {
        defects = calloc(1, sizeof *defects);
        if (!defects)
            return false;
        defects->fault = *fault;
        defects->stages = composed ? nbpmu_fault_composed(&fault->composition) : stages_of(fault->row);
    }
    free(pmu->defects);
    pmu->defects = defects;
    pmu->stages = !defects                      ? &nbpmu_sound_stages
                  : fault->once_in && !composed ? nbpmu_fault_rated(defects)
                                                : &defects->stages;
    nbpmu_reset(pmu);
    return true;
}
