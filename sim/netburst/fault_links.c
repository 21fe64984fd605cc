/*
 * The defects of cascades in which more has a part than one X and one Y: chains, several starts at once, and
 * what else happens to the two. By R33 a cascade starts whenever Y is armed and OVF of X is set; by R38 it
 * ends when either is cleared, and by nothing else.
 */
#include "private.h"

/* The links of a counter that was started, back to one that was not. */
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
    switch (pmu->fault.kind) {
    case FAULT_STARTS_NOTHING:
        return nbpmu_condition_holds(pmu, pmu->fault.condition, x);
    case FAULT_CHAIN_LIMIT:
        return depth_of(pmu, x) >= pmu->fault.at;
    case FAULT_FAN_OUT_LOWEST:
        return starts_another(pmu, x, n, true);
    case FAULT_FAN_OUT_HIGHEST:
        return starts_another(pmu, x, n, false);
    case FAULT_LINK_ALONE_IN_BLOCK:
        return link == pmu->fault.at &&
               block_uses(pmu, n, link == LINK_CASCADE ? LINK_CASCNT : LINK_CASCADE, -1);
    case FAULT_ONE_CASCADE_A_BLOCK:
        return link == LINK_CASCADE && !y->linked[link] && block_uses(pmu, n, link, (int)x);
    case FAULT_LINK_NOT_ON_ONE_ESCR:
        return y->escr_index == pmu->counter[x].escr_index;
    case FAULT_LINK_ENDS_AT_OVF:
        return y->cccr & CCCR_OVF;
    default:
        return pmu->counter[x].starts_nothing;
    }
}

void nbpmu_overflowed(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *x = &pmu->counter[n];
    if (nbpmu_faulty(pmu, FAULT_STEP_STARTS_NOTHING)) {
        x->starts_nothing = x->value != 0 && !(x->cccr & CCCR_FORCE_OVF);
    }
    if (!nbpmu_faulty(pmu, FAULT_MEETING_STARTS_FIRST) && !nbpmu_faulty(pmu, FAULT_MEETING_STARTS_NONE)) {
        return;
    }
    for (unsigned other = 0; other < PMC_COUNTERS; other++) {
        if (other != n && (pmu->overflowing >> other & 1) && nbpmu_block_of(other) == nbpmu_block_of(n)) {
            x->starts_nothing = true;
            pmu->counter[other].starts_nothing |= nbpmu_faulty(pmu, FAULT_MEETING_STARTS_NONE);
        }
    }
}

void nbpmu_counter_accessed(struct nbpmu *pmu, unsigned n, bool written)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (nbpmu_linked(counter) &&
        nbpmu_faulty(pmu, written ? FAULT_WRITE_HALTS_STARTED : FAULT_READ_HALTS_STARTED)) {
        counter->cccr &= ~(uint32_t)(CCCR_CASCADE | CCCR_CASCNT);
        nbpmu_refresh(pmu);
    } else if (written && (counter->cccr & CCCR_OVF) && nbpmu_faulty(pmu, FAULT_WRITE_OF_X_HALTS)) {
        counter->starts_nothing = true;
        nbpmu_refresh(pmu);
    }
}

/* Clearing the flag of a counter that was started halts all that its X started. */
static void halt_others_of_x(struct nbpmu *pmu, unsigned n, uint32_t before)
{
    const struct nbpmu_counter *y = &pmu->counter[n];
    for (enum nbpmu_link link = 0; link < LINKS; link++) {
        if (y->linked[link] && (before & ~y->cccr & nbpmu_link_bit(link))) {
            pmu->counter[nbpmu_link_source(pmu, n, link)].starts_nothing = true;
        }
    }
}

void nbpmu_cccr_written(struct nbpmu *pmu, unsigned n, uint32_t before)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (!(counter->cccr & CCCR_OVF)) {
        bool acknowledged = (before & CCCR_OVF) && (counter->cccr & CCCR_ENABLE);
        bool stays = counter->starts_nothing && (counter->cccr & CCCR_ENABLE);
        counter->starts_nothing = nbpmu_faulty(pmu, FAULT_LINK_ONCE) && (acknowledged || stays);
        if (acknowledged && nbpmu_faulty(pmu, FAULT_OVF_HALTS_NEIGHBOUR)) {
            pmu->counter[n ^ 1].starts_nothing |= (pmu->counter[n ^ 1].cccr & CCCR_OVF) != 0;
        }
    }
    if (nbpmu_linked(counter) && (before & ~counter->cccr & (CCCR_CASCADE | CCCR_CASCNT))) {
        if (nbpmu_faulty(pmu, FAULT_FLAG_TAKES_ENABLE)) {
            counter->cccr &= ~(uint32_t)CCCR_ENABLE;
        } else if (nbpmu_faulty(pmu, FAULT_FLAG_SETS_ENABLE)) {
            counter->cccr |= CCCR_ENABLE;
        }
    }
    if (nbpmu_faulty(pmu, FAULT_FLAG_HALTS_ALL)) {
        halt_others_of_x(pmu, n, before);
    }
}

bool nbpmu_halted_by_start(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned y = 0; y < PMC_COUNTERS && nbpmu_faulty(pmu, FAULT_START_HALTS_TWIN); y++) {
        if (y != n && nbpmu_linked(&pmu->counter[y]) &&
            pmu->counter[y].escr_index == pmu->counter[n].escr_index) {
            return true;
        }
    }
    return false;
}

void nbpmu_take_escr_of_x(struct nbpmu *pmu, unsigned n)
{
    struct nbpmu_counter *y = &pmu->counter[n];
    if (!nbpmu_linked(y) || !nbpmu_faulty(pmu, FAULT_START_TAKES_ESCR)) {
        return;
    }
    int x = nbpmu_link_source(pmu, n, y->linked[LINK_CASCADE] ? LINK_CASCADE : LINK_CASCNT);
    y->escr_index = pmu->counter[x].escr_index;
}
