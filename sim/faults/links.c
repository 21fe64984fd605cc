/*
 * The faults of cascades that more than one X and one Y take part in, such as chains and several starts at
 * once, and of what else happens to X and Y. By R33 a cascade starts whenever Y is armed and OVF of X is set;
 * by R38 it ends when either is cleared, and by nothing else.
 */
#include "defects.h"

/* Returns how many links lead to counter n from a counter that no other one has started. */
static unsigned depth_of(const struct nbpmu *pmu, unsigned n)
{
    unsigned depth = 0;
    while (nbpmu_linked(&pmu->counter[n]) && depth < PMC_COUNTERS) {
        enum nbpmu_link link = pmu->counter[n].linked[LINK_CASCADE] ? LINK_CASCADE : LINK_CASCNT;
        n = (unsigned)nbpmu_link_source(pmu, n, link);
        depth++;
    }
    return depth;
}

static bool is_armed(const struct nbpmu *pmu, unsigned y, enum nbpmu_link link, unsigned x)
{
    return (pmu->counter[y].cccr & nbpmu_link_bit(link)) && nbpmu_link_source(pmu, y, link) == (int)x;
}

/* Does X start a counter below n, or above it? */
static bool starts_another(const struct nbpmu *pmu, unsigned x, unsigned n, bool below)
{
    for (unsigned y = below ? 0 : n + 1; y < (below ? n : PMC_COUNTERS); y++) {
        if (is_armed(pmu, y, LINK_CASCADE, x) || is_armed(pmu, y, LINK_CASCNT, x)) {
            return true;
        }
    }
    return false;
}

/* Is a counter of n's block armed by the other kind of link, or started by another X than x? */
static bool block_uses(const struct nbpmu *pmu, unsigned n, enum nbpmu_link other_link, int x)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        const struct nbpmu_counter *counter = &pmu->counter[y];
        if (y == n || nbpmu_block_of(y) != nbpmu_block_of(n)) {
            continue;
        }
        if (x < 0 ? (counter->cccr & nbpmu_link_bit(other_link)) != 0
                  : counter->linked[LINK_CASCADE] && nbpmu_link_source(pmu, y, LINK_CASCADE) != x) {
            return true;
        }
    }
    return false;
}

bool nbpmu_link_fails(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x)
{
    const struct nbpmu_counter *y = &pmu->counter[n];
    switch (fault_of(pmu)->kind) {
    case FAULT_STARTS_NOTHING:
        return nbpmu_condition_holds(pmu, fault_of(pmu)->condition, x);
    case FAULT_CHAIN_LIMIT:
        return depth_of(pmu, x) >= fault_of(pmu)->at;
    case FAULT_FAN_OUT_LOWEST:
        return starts_another(pmu, x, n, true);
    case FAULT_FAN_OUT_HIGHEST:
        return starts_another(pmu, x, n, false);
    case FAULT_LINK_ALONE_IN_BLOCK:
        return link == fault_of(pmu)->at &&
               block_uses(pmu, n, link == LINK_CASCADE ? LINK_CASCNT : LINK_CASCADE, -1);
    case FAULT_ONE_CASCADE_A_BLOCK:
        return link == LINK_CASCADE && !y->linked[link] && block_uses(pmu, n, link, (int)x);
    case FAULT_LINK_NOT_ON_ONE_ESCR:
        return y->escr_index == pmu->counter[x].escr_index;
    case FAULT_LINK_ENDS_AT_OVF:
        return y->cccr & CCCR_OVF;
    default:
        return defects_of(pmu)->counter[x].starts_nothing;
    }
}

/* ---- One X and one Y whose link goes wrong ---- */

/* Does a fault of one link strike this one? */
static bool strikes(const struct nbpmu *pmu, enum nbpmu_fault_kind kind, unsigned n, enum nbpmu_link link)
{
    return faulty_at(pmu, kind, n) && fault_of(pmu)->to == link;
}

bool nbpmu_flag_stays(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link)
{
    return strikes(pmu, FAULT_OWN_OVF_KEEPS_RUNNING, n, link) && defects_of(pmu)->counter[n].runs_on;
}

bool nbpmu_link_strays(const struct nbpmu *pmu, unsigned n, enum nbpmu_link link, unsigned x, bool runs)
{
    const struct counter_defects *defects = defects_of(pmu)->counter;
    const unsigned other = fault_of(pmu)->to;
    const uint32_t differ = pmu->counter[n].cccr ^ pmu->counter[x].cccr;
    if (strikes(pmu, FAULT_SIGN_STARTS, n, link)) {
        return runs || defects[x].crossed;
    }
    if (faulty_at(pmu, FAULT_FOREIGN_AFTER_TWO, n)) {
        return runs || (defects[other].overflows >= 2 && (pmu->counter[other].cccr & CCCR_OVF));
    }
    return runs && !(strikes(pmu, FAULT_LINK_NEEDS_SELECT, n, link) && (differ & CCCR_ESCR_SELECT_MASK)) &&
           !(strikes(pmu, FAULT_OWN_OVF_HALTS, n, link) && defects[n].halted) &&
           !(faulty_at(pmu, FAULT_LINK_FAILS_BESIDE, n) && (pmu->counter[other].cccr & CCCR_ENABLE));
}

/* By R29 OVF stays set, by R37 X counts on, and by R33 Y runs already. */
void nbpmu_overflowed_again(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    const uint32_t cccr = counter->cccr;
    counter->cccr &= faulty_at(pmu, FAULT_OVF_TOGGLES, n)   ? ~CCCR_OVF
                     : faulty_at(pmu, FAULT_AGAIN_STOPS, n) ? ~CCCR_ENABLE
                                                            : UINT32_MAX;
    pmu->stale |= counter->cccr != cccr;
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        for (enum nbpmu_link link = 0; link < LINKS; link++) {
            if (!(pmu->counter[y].cccr & nbpmu_link_bit(link)) || nbpmu_link_source(pmu, y, link) != (int)n) {
                continue;
            }
            const bool started = pmu->counter[y].linked[link];
            if (started && strikes(pmu, FAULT_AGAIN_CLEARS, y, link)) {
                pmu->counter[y].value = 0;
            }
            defects_of(pmu)->counter[n].starts_nothing |= started && strikes(pmu, FAULT_AGAIN_HALTS, y, link);
            pmu->stale = true; /* with some faults it is this overflow that starts or halts Y */
        }
    }
}

/* ---- What happens to X and Y ---- */

void nbpmu_overflowed(struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_counter *x = &pmu->counter[n];
    struct counter_defects *defects = defects_of(pmu)->counter;
    bool first = faulty(pmu, FAULT_MEETING_STARTS_FIRST), none = faulty(pmu, FAULT_MEETING_STARTS_NONE);
    if (faulty(pmu, FAULT_STEP_STARTS_NOTHING)) {
        defects[n].starts_nothing = x->value != 0 && !(x->cccr & CCCR_FORCE_OVF);
    }
    for (unsigned other = 0; other < PMC_COUNTERS && (first || none); other++) {
        if (other != n && (defects_of(pmu)->overflowing >> other & 1) &&
            nbpmu_block_of(other) == nbpmu_block_of(n)) {
            defects[n].starts_nothing = true;
            defects[other].starts_nothing |= none;
        }
    }
}

void nbpmu_counter_accessed(struct nbpmu *pmu, unsigned n, bool written)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (nbpmu_linked(counter) &&
        faulty(pmu, written ? FAULT_WRITE_HALTS_STARTED : FAULT_READ_HALTS_STARTED)) {
        counter->cccr &= ~(uint32_t)(CCCR_CASCADE | CCCR_CASCNT);
        nbpmu_refresh(pmu);
    } else if (written && (counter->cccr & CCCR_OVF) && faulty(pmu, FAULT_WRITE_OF_X_HALTS)) {
        defects_of(pmu)->counter[n].starts_nothing = true;
        nbpmu_refresh(pmu);
    }
}

/* The fault: clearing the flag of a started counter halts all counters that its X started. */
static void halt_others_of_x(struct nbpmu *pmu, unsigned n, uint32_t cleared)
{
    for (enum nbpmu_link link = 0; link < LINKS; link++) {
        if (pmu->counter[n].linked[link] && (cleared & nbpmu_link_bit(link))) {
            defects_of(pmu)->counter[nbpmu_link_source(pmu, n, link)].starts_nothing = true;
        }
    }
}

uint32_t nbpmu_links_before_write(struct nbpmu *pmu, unsigned n, uint32_t now)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    struct counter_defects *defects = defects_of(pmu)->counter;
    const uint32_t cleared = counter->cccr & ~now;
    if (nbpmu_linked(counter) && (cleared & CCCR_OVF)) {
        defects[n].halted = true;
        defects[n].runs_on = cleared & (CCCR_CASCADE | CCCR_CASCNT);
    }
    if (now == 0) {
        defects[n].overflows = 0;
        defects[n].crossed = defects[n].halted = defects[n].runs_on = false;
    }
    if (!(now & CCCR_OVF)) {
        bool acknowledged = (cleared & CCCR_OVF) && (now & CCCR_ENABLE);
        bool stays = defects[n].starts_nothing && (now & CCCR_ENABLE);
        defects[n].starts_nothing = faulty(pmu, FAULT_LINK_ONCE) && (acknowledged || stays);
        if (acknowledged && faulty(pmu, FAULT_OVF_HALTS_NEIGHBOUR)) {
            defects[n ^ 1].starts_nothing |= (pmu->counter[n ^ 1].cccr & CCCR_OVF) != 0;
        }
    }
    if (faulty(pmu, FAULT_FLAG_HALTS_ALL)) {
        halt_others_of_x(pmu, n, cleared);
    }
    if (!nbpmu_linked(counter) || !(cleared & (CCCR_CASCADE | CCCR_CASCNT))) {
        return now;
    }
    return faulty(pmu, FAULT_FLAG_TAKES_ENABLE)  ? now & ~(uint32_t)CCCR_ENABLE
           : faulty(pmu, FAULT_FLAG_SETS_ENABLE) ? now | (uint32_t)CCCR_ENABLE
                                                 : now;
}

bool nbpmu_halted_by_start(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS && faulty(pmu, FAULT_START_HALTS_TWIN); y++) {
        if (y != n && nbpmu_linked(&pmu->counter[y]) &&
            pmu->counter[y].escr_index == pmu->counter[n].escr_index) {
            return true;
        }
    }
    return false;
}
