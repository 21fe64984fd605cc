/*
 * Looking at a counter without disturbing it.
 */
#include "nbpmu.h"
#include "private.h"

void nbpmu_look(const struct nbpmu *pmu, unsigned n, struct nbpmu_view *view)
{
    const struct nbpmu_counter *counter = &pmu->counter[n];
    bool runs = pmu->running >> n & 1;
    bool adds = runs && nbpmu_clocked(pmu, nbpmu_active_count(pmu));
    unsigned increment = adds ? counter->last_increment : 0;
    uint64_t skipped = pmu->quiet_at_first - pmu->head.quiet; /* clocks that the counter does not hold yet */
    *view = (struct nbpmu_view){
        .value = counter->value + skipped * increment,
        .increment = increment,
        .ovf = counter->cccr & CCCR_OVF,
        .enabled = runs,
    };
}
