/*
 * A case of the property test: choosing a random part with random variants, running its steps, shortening it.
 */
#include "property.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pmc/count_of.h"
#include "sim/cpu/models.h"

#define SETUP_STEPS 24 /* the first steps are mostly writes, later ones mostly clocks */
#define COMPARED \
    40 /* percent of the steps; not all, since reading a register ends the model's quiet clocks */

/* The generator's state for one step of a seed, 0 for the case itself; never 0 (splitmix64). */
static struct random random_for(uint64_t seed, unsigned step)
{
    uint64_t z = seed * 0x9E3779B97F4A7C15ull + step * 0xD1B54A32D192ED03ull;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return (struct random){(z ^ z >> 31) | 1};
}

/* ---- The part and its events ---- */

/* Is there a rule for what this variant does? Not for the errata E1 and E9: no rule says when they strike. */
static bool has_a_rule(const char *variant)
{
    static const char *const irregular[] = {"e1-torn-write", "e1-write-adds", "e1-access-adds",
                                            "e9-unflagged"};

    for (unsigned i = 0; i < COUNT_OF(irregular); i++)
        if (strcmp(variant, irregular[i]) == 0)
            return false;
    return true;
}

static struct model_config choose_part(struct race *race)
{
    struct model_config config = {0};
    const struct cpu_model *cpu;
    const char *variant;
    unsigned count = 0;

    while (CPU_MODELS[count].signature != 0)
        count++;
    cpu = &CPU_MODELS[race_below(race, count)];
    if (!nbpmu_part_of_signature(cpu->signature, cpu->ht && race_chance(race, 80) ? 2 : 1, &config.part))
        abort();
    if (race->narrate)
        fprintf(stderr, "part: %04X, Hyper-Threading %s;", cpu->signature,
                config.part.lps == 2 ? "on" : "off");
    for (unsigned i = 0; (variant = nbpmu_variant_name(i, NULL)) != NULL; i++) {
        if (!has_a_rule(variant) || race_chance(race, 88))
            continue;
        nbpmu_set_variant(&config.variants, variant);
        if (race->narrate)
            fprintf(stderr, " %s", variant);
    }
    if (race->narrate)
        fprintf(stderr, "\n");
    return config;
}

static void choose_events(struct race *race)
{
    unsigned count = 0, select;

    while (NAIVE_EVENTS[count].event != NBPMU_NO_EVENT)
        count++;
    for (unsigned i = 0; i < HOT; i++)
        race->hot[i] = &NAIVE_EVENTS[race_below(race, count)];
    for (unsigned block = property_counter(race->hot[0]->escr0, 0, &select) / 4;
         property_counter(race->hot[1]->escr0, 0, &select) / 4 != block;)
        race->hot[1] = &NAIVE_EVENTS[race_below(race, count)]; /* two of one block, for the cascades */
    race->code = (uint16_t)(race_random(race) & race_random(race));
}

/* Compare every register of both sides. */
static void compare(struct race *race)
{
    for (uint32_t msr = MSR_COUNTER(0); msr <= MSR_PEBS_MATRIX_VERT && race->result.difference[0] == '\0';
         msr++) {
        uint64_t model = 0, naive = 0;
        bool has = nbpmu_rdmsr(race->model, 0, msr, &model);

        if (has != naive_rdmsr(&race->naive, msr, &naive) || model != naive)
            snprintf(race->result.difference, sizeof race->result.difference,
                     "%03" PRIX32 "H reads %s%" PRIX64 "H in the model, %" PRIX64 "H by the rules", msr,
                     has ? "" : "#GP ", model, naive);
    }
}

struct property_result property_run(const struct property_case *which)
{
    struct race race = {.random = random_for(which->seed, 0), .narrate = which->narrate, .lps = {{true, 0}}};
    struct model_config config = choose_part(&race);

    choose_events(&race);
    race.lps[1].active = config.part.lps == 2;
    naive_reset(&race.naive, &config);
    race.model = nbpmu_new(&config.part, &config.variants);
    if (race.model == NULL)
        abort();
    nbpmu_set_fault(race.model, &which->fault);
    compare(&race);
    while (race.result.steps < CASE_STEPS && race.result.difference[0] == '\0') {
        unsigned step = race.result.steps++;

        if (which->left[step])
            continue;
        race.random = random_for(which->seed, step + 1);
        property_step(&race, step < SETUP_STEPS);
        if (race_chance(&race, COMPARED))
            compare(&race);
    }
    compare(&race);
    nbpmu_free(race.model);
    return race.result;
}

void property_shorten(struct property_case *which)
{
    bool shorter = true;

    for (unsigned step = property_run(which).steps; step < CASE_STEPS; step++)
        which->left[step] = true;
    while (shorter) {
        shorter = false;
        for (unsigned step = CASE_STEPS; step-- > 0;) {
            if (which->left[step])
                continue;
            which->left[step] = true;
            if (property_run(which).difference[0] != '\0')
                shorter = true;
            else
                which->left[step] = false;
        }
    }
}
