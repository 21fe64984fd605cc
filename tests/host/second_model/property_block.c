/*
 * The step of the property test that lets a block of clocks pass: on the model's side at once where it may
 * (nbpmu_take_block()), by the second statement of the rules always clock by clock.
 */
#include "property_step.h"

#include <stdio.h>
#include "sim/netburst/nbpmu_block.h"

#define BLOCK_CLOCKS  12
#define BLOCK_ENTRIES 3

void property_step_block(struct race *race)
{
    struct nbpmu_block_event events[BLOCK_ENTRIES];
    unsigned spread[BLOCK_CLOCKS][BLOCK_ENTRIES] = {{0}}, count = 0, model = 0, naive = 0;
    unsigned clocks = 1 + race_below(race, BLOCK_CLOCKS), entries = race_below(race, BLOCK_ENTRIES + 1);
    unsigned lp = race->naive.config.part.lps == 2 ? race_below(race, NBPMU_LPS) : 0;

    if (race_chance(race, 25))
        property_post_some(race); /* of the first clock */
    for (unsigned i = 0; i < entries; i++) {
        const struct naive_event *row = race->hot[race_below(race, HOT)];
        unsigned most = race_chance(race, 60) ? 1 : 1 + race_below(race, 15);

        if (row->event == NBPMU_GLOBAL_POWER_EVENTS)
            continue; /* both sides make it themselves */
        events[count] = (struct nbpmu_block_event){row->event, property_occurrence(race, row), most, 0};
        for (unsigned clock = 0; clock < clocks; clock++) {
            spread[clock][count] = clock == 0 || race_chance(race, 60) ? 1 + race_below(race, most) : 0;
            events[count].total += spread[clock][count];
        }
        count++;
    }
    drive_states(race->model, race->lps);
    bool taken = nbpmu_take_block(race->model, lp, clocks, events, count);
    if (race->narrate)
        fprintf(stderr, "  block of %u clocks with %u events by LP%u: %s\n", clocks, count, lp,
                taken ? "taken" : "clock by clock");
    for (unsigned clock = 0; clock < clocks; clock++) {
        for (unsigned i = 0; i < count; i++) {
            if (!spread[clock][i])
                continue;
            naive_post(&race->naive, (struct naive_post){events[i].event, events[i].mask_bits, lp,
                                                         race->lps[lp].cpl, spread[clock][i]});
            if (!taken)
                nbpmu_event(race->model, lp, events[i].event, events[i].mask_bits, spread[clock][i]);
        }
        naive |= naive_clock(&race->naive, race->lps);
        model |= taken ? 0 : nbpmu_advance(race->model, 1);
    }
    race->result.clocks += clocks;
    if (model != naive)
        snprintf(race->result.difference, sizeof race->result.difference,
                 "PMIs in a block to (bit 0 = LP0): %u from the model, %u by the rules", model, naive);
}
