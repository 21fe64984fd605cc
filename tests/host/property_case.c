/*
 * Random cases that make things happen: a few "hot" events with ESCRs that select them, counters preset just
 * below their overflow and routed to those ESCRs, CCCR bits in all combinations; and now and then anything at
 * all.
 */
#include "property_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "naive.h"
#include "sim/cpu_models.h"
#include "sim/variants.h"

#define HOT         3
#define SETUP_STEPS 24 /* mostly writes; then mostly clocks */

struct race {
    uint64_t random;
    bool narrate;
    struct pmu *model;
    struct naive naive;
    struct pmu_lp lps[PMU_LPS];
    const struct naive_event *hot[HOT];
    uint16_t code; /* what the coded fields of the BSQ events mostly hold */
    struct property_result result;
};

/* ---- Chance ---- */

static uint64_t next(struct race *race) /* xorshift64* */
{
    race->random ^= race->random >> 12;
    race->random ^= race->random << 25;
    race->random ^= race->random >> 27;
    return race->random * 0x2545F4914F6CDD1Dull;
}

static unsigned below(struct race *race, unsigned n)
{
    return (unsigned)((next(race) >> 32) % n);
}

static bool chance(struct race *race, unsigned percent)
{
    return below(race, 100) < percent;
}

static uint64_t maybe(struct race *race, unsigned percent, uint64_t bits)
{
    return chance(race, percent) ? bits : 0;
}

/* The generator's state for one step of a seed, 0 for the case itself; never 0 (splitmix64). */
static uint64_t state_for(uint64_t seed, unsigned step)
{
    uint64_t z = seed * 0x9E3779B97F4A7C15ull + step * 0xD1B54A32D192ED03ull;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return (z ^ z >> 31) | 1;
}

/* ---- The part and its events ---- */

/* Errata E1, E2 and E9 say that something can go wrong; when it does is the model's own choice, not a rule.
 */
static bool has_a_rule(const char *variant)
{
    static const char *const irregular[] = {"e1-torn-write", "e2-lost-carry", "e9-unflagged"};

    for (unsigned i = 0; i < sizeof(irregular) / sizeof(irregular[0]); i++)
        if (strcmp(variant, irregular[i]) == 0)
            return false;
    return true;
}

static struct pmu_config choose_part(struct race *race)
{
    struct pmu_config config = {0};
    const struct cpu_model *cpu;
    unsigned count = 0;
    char names[1024], *rest;

    while (CPU_MODELS[count].signature != 0)
        count++;
    cpu = &CPU_MODELS[below(race, count)];
    config.model = cpu_model_number(cpu);
    config.stepping = cpu_model_stepping(cpu);
    config.ht = cpu->ht && chance(race, 80);
    config.exact_masks = cpu->exact_masks;
    if (race->narrate)
        fprintf(stderr, "part: %04X, Hyper-Threading %s;", cpu->signature, config.ht ? "on" : "off");
    variant_names(names, sizeof(names));
    for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        if (!has_a_rule(name) || chance(race, 88))
            continue;
        variant_apply(&config, name);
        if (race->narrate)
            fprintf(stderr, " %s", name);
    }
    if (race->narrate)
        fprintf(stderr, "\n");
    return config;
}

/* The first counter from here on that some select value routes to this ESCR; *select is that value. */
static unsigned counter_of(uint32_t escr, unsigned from, unsigned *select)
{
    for (unsigned i = 0; i < PMC_COUNTERS; i++)
        for (*select = 0; *select < 8; ++*select)
            if (naive_route((from + i) % PMC_COUNTERS, *select) == escr)
                return (from + i) % PMC_COUNTERS;
    return 0;
}

static void choose_events(struct race *race)
{
    unsigned count = 0, select;

    while (NAIVE_EVENTS[count].event != PMU_NO_EVENT)
        count++;
    for (unsigned i = 0; i < HOT; i++)
        race->hot[i] = &NAIVE_EVENTS[below(race, count)];
    for (unsigned block = counter_of(race->hot[0]->escr0, 0, &select) / 4;
         counter_of(race->hot[1]->escr0, 0, &select) / 4 != block;)
        race->hot[1] = &NAIVE_EVENTS[below(race, count)]; /* two of one block, for the cascades */
    race->code = (uint16_t)(next(race) & next(race));
}

/* ---- Steps ---- */

static void write_both(struct race *race, uint32_t msr, uint64_t value)
{
    bool model = pmu_wrmsr(race->model, msr, value), naive = naive_wrmsr(&race->naive, msr, value);

    if (race->narrate)
        fprintf(stderr, "  write %03" PRIX32 "H := %" PRIX64 "H%s\n", msr, value, naive ? "" : " (#GP)");
    if (model != naive)
        snprintf(race->result.difference, sizeof(race->result.difference),
                 "writing %" PRIX64 "H to %" PRIX32 "H: the model says %s", value, msr,
                 model ? "good" : "#GP");
}

static void step_escr(struct race *race)
{
    const struct naive_event *row = race->hot[below(race, HOT)];
    uint32_t msr = row->escr0 + (row->sides == 3 ? below(race, 2) : row->sides - 1u);
    bool bsq = row->event == PMU_BSQ_ALLOCATION || row->event == PMU_BSQ_ACTIVE_ENTRIES;
    uint64_t mask = chance(race, 30) ? row->members : bsq ? race->code : next(race) & row->members;
    uint64_t value = ESCR_EVENT_SELECT(chance(race, 92) ? row->select : next(race)) |
                     ESCR_EVENT_MASK(chance(race, 92) ? mask : next(race)) |
                     maybe(race, 10, ESCR_TAG_ENABLE) | ESCR_TAG_VALUE(maybe(race, 10, next(race)));

    value |= chance(race, 60) ? (race->naive.config.ht ? ESCR_CPL_MASK : ESCR_T0_ALL) : next(race) & 0xF;
    if (chance(race, 3))
        value ^= 1ull << below(race, 64);
    write_both(race, msr, value);
    if (row->sides == 2 && chance(race, 90)) /* the odd ones want the allocation event beside them (4.1) */
        write_both(race, msr - 1,
                   ESCR_EVENT_SELECT(row->event == PMU_IOQ_ACTIVE_ENTRIES ? 0x03 : 0x05) |
                       (value & ~ESCR_SELECT_MASK & FIELD_MASK(30, 0)));
}

static void step_cccr(struct race *race)
{
    const struct naive_event *row = race->hot[below(race, HOT)];
    unsigned select, n = counter_of(row->escr0 + below(race, 2), below(race, PMC_COUNTERS), &select);
    uint64_t value = CCCR_ESCR_SELECT(chance(race, 92) ? select : next(race));

    value |= CCCR_ACTIVE_THREAD(chance(race, 75) ? ACTIVE_ANY : next(race)) | maybe(race, 60, CCCR_ENABLE) |
             maybe(race, 40, CCCR_CASCADE) | maybe(race, n >= 12 ? 30 : 2, CCCR_CASCNT) |
             maybe(race, 30, CCCR_COMPARE) | maybe(race, 30, CCCR_COMPLEMENT) |
             CCCR_THRESHOLD(chance(race, 70) ? below(race, 4) : next(race)) | maybe(race, 30, CCCR_EDGE) |
             maybe(race, 8, CCCR_FORCE_OVF) | maybe(race, 40, CCCR_OVF_PMI_T0) |
             maybe(race, race->naive.config.ht ? 40 : 2, CCCR_OVF_PMI_T1) | maybe(race, 12, CCCR_OVF);
    if (chance(race, 4))
        value ^= 1ull << below(race, 64);
    write_both(race, MSR_CCCR(n), value);
}

/* What software does to a running set-up: read a CCCR, change one thing, write it back. */
static void step_modify(struct race *race)
{
    static const uint64_t BITS[] = {CCCR_OVF,        CCCR_OVF,       CCCR_ENABLE,    CCCR_ENABLE,
                                    CCCR_CASCADE,    CCCR_CASCNT,    CCCR_COMPARE,   CCCR_EDGE,
                                    CCCR_COMPLEMENT, CCCR_FORCE_OVF, CCCR_OVF_PMI_T0};
    unsigned n = below(race, PMC_COUNTERS);
    uint64_t value = 0;

    for (unsigned i = 0; i < PMC_COUNTERS && value == 0; i++, n = (n + 1) % PMC_COUNTERS)
        naive_rdmsr(&race->naive, MSR_CCCR(n), &value);
    write_both(race, MSR_CCCR((n + PMC_COUNTERS - 1) % PMC_COUNTERS),
               value ^ BITS[below(race, sizeof(BITS) / sizeof(BITS[0]))]);
}

static void step_counter(struct race *race)
{
    unsigned select, n = counter_of(race->hot[below(race, HOT)]->escr0 + below(race, 2),
                                    below(race, PMC_COUNTERS), &select);
    uint64_t value = chance(race, 85)   ? COUNTER_OVERFLOW_IN(1 + below(race, 6))
                     : chance(race, 90) ? next(race) & COUNTER_MASK
                                        : next(race);

    write_both(race, MSR_COUNTER(n), value);
}

/* Some register, something in it. */
static void step_anything(struct race *race)
{
    uint32_t msr = MSR_COUNTER(0) + below(race, MSR_PEBS_MATRIX_VERT + 1 - MSR_COUNTER(0));

    write_both(race, msr, msr < MSR_TC_PRECISE_EVENT ? next(race) & next(race) : next(race) & 0x1FFF);
}

static void step_processors(struct race *race)
{
    for (unsigned lp = 0; lp < (race->naive.config.ht ? PMU_LPS : 1u); lp++)
        race->lps[lp] = (struct pmu_lp){chance(race, 75), chance(race, 60) ? 0 : 1 + below(race, 3)};
}

/* What an occurrence of the event carries (pmu_post_mask() in sim/pmu.h). */
static uint16_t occurrence(struct race *race, const struct naive_event *row)
{
    unsigned bits;

    switch (row->event) {
    case PMU_IOQ_ALLOCATION:
    case PMU_IOQ_ACTIVE_ENTRIES:
        return (uint16_t)(1u << below(race, 5) | 1u << (5 + below(race, 2)) | 1u << (7 + below(race, 5)) |
                          1u << (13 + below(race, 2)) | maybe(race, 10, 0x8000));
    case PMU_BSQ_ALLOCATION:
    case PMU_BSQ_ACTIVE_ENTRIES:
        return (race->code | maybe(race, 20, 1u << below(race, 16))) & row->members;
    case PMU_EXECUTION_EVENT:
        return (uint16_t)((next(race) & row->members) | 1);
    default:
        do
            bits = 1u << below(race, 16);
        while ((bits & row->members) == 0);
        return (uint16_t)bits;
    }
}

/* An event the model does not listen to need not be posted to it (pmu_listening() in sim/pmu.h). */
static bool post_some(struct race *race)
{
    uint64_t listening = pmu_listening(race->model);
    bool posted = false;

    for (unsigned posts = below(race, 4); posts > 0; posts--) {
        const struct naive_event *row = race->hot[below(race, HOT)];
        struct naive_post post = {
            row->event, occurrence(race, row), race->naive.config.ht ? below(race, PMU_LPS) : 0,
            chance(race, 60) ? 0 : 1 + below(race, 3), chance(race, 70) ? 1 : 1 + below(race, 15)};

        if (row->event == PMU_GLOBAL_POWER_EVENTS)
            continue; /* made by both themselves */
        naive_post(&race->naive, post);
        if ((listening >> post.event & 1) != 0 || chance(race, 50)) {
            pmu_post_mask(race->model, post.event, post.bits, post.lp, post.cpl, post.count);
            posted = true;
        }
        if (race->narrate)
            fprintf(stderr, "  post %s %XH x %u by LP%u at CPL %u\n", pmu_event_name(post.event), post.bits,
                    post.count, post.lp, post.cpl);
    }
    return posted || (listening >> PMU_NO_EVENT & 1) != 0;
}

static void step_clocks(struct race *race)
{
    unsigned clocks = chance(race, 75) ? 1 : 1 + below(race, 40), model = 0, naive = 0;
    bool needed = post_some(race);

    if (race->narrate)
        fprintf(stderr, "  %u clock%s, LP0 %s at CPL %u, LP1 %s at CPL %u\n", clocks, clocks > 1 ? "s" : "",
                race->lps[0].active ? "active" : "halted", race->lps[0].cpl,
                race->lps[1].active ? "active" : "halted", race->lps[1].cpl);
    for (unsigned i = 0; i < clocks; i++)
        naive |= naive_clock(&race->naive, race->lps);
    if (needed || chance(race, 50))
        model = pmu_clock(race->model, race->lps, clocks);
    race->result.clocks += clocks;
    if (model != naive)
        snprintf(race->result.difference, sizeof(race->result.difference),
                 "PMIs to (bit 0 = LP0): %u from the model, %u by the rules", model, naive);
}

static void step_unmask(struct race *race)
{
    unsigned lp = below(race, race->naive.config.ht ? PMU_LPS : 1);
    bool naive = naive_lvtpc_unmasked(&race->naive, lp), model = pmu_lvtpc_unmasked(race->model, lp);

    if (race->narrate)
        fprintf(stderr, "  LVTPC of LP%u unmasked\n", lp);
    if (model != naive)
        snprintf(race->result.difference, sizeof(race->result.difference),
                 "LVTPC of LP%u unmasked: %s PMI from the model", lp, model ? "a" : "no");
}

static void step_reset(struct race *race)
{
    struct pmu_config config = race->naive.config;

    if (race->narrate)
        fprintf(stderr, "  RESET\n");
    pmu_reset(race->model);
    naive_reset(&race->naive, &config);
}

/* Every register of both. */
static void compare(struct race *race)
{
    for (uint32_t msr = MSR_COUNTER(0); msr <= MSR_PEBS_MATRIX_VERT && race->result.difference[0] == '\0';
         msr++) {
        uint64_t model = 0, naive = 0;
        bool has = pmu_rdmsr(race->model, msr, &model);

        if (has != naive_rdmsr(&race->naive, msr, &naive) || model != naive)
            snprintf(race->result.difference, sizeof(race->result.difference),
                     "%03" PRIX32 "H reads %s%" PRIX64 "H in the model, %" PRIX64 "H by the rules", msr,
                     has ? "" : "#GP ", model, naive);
    }
}

struct property_result property_run(const struct property_case *which)
{
    static const struct {
        unsigned setup, later; /* how often, in 1000 */
        void (*go)(struct race *);
    } STEP[] = {{320, 40, step_escr},   {400, 60, step_cccr},   {180, 40, step_counter},
                {20, 110, step_modify}, {5, 10, step_anything}, {30, 60, step_processors},
                {5, 40, step_unmask},   {0, 4, step_reset},     {40, 636, step_clocks}};
    struct race race = {.random = state_for(which->seed, 0), .narrate = which->narrate, .lps = {{true, 0}}};
    struct pmu_config config = choose_part(&race);

    choose_events(&race);
    race.lps[1].active = config.ht;
    naive_reset(&race.naive, &config);
    config.fault = which->fault;
    race.model = pmu_new(&config);
    if (race.model == NULL)
        abort();
    compare(&race);
    while (race.result.steps < CASE_STEPS && race.result.difference[0] == '\0') {
        unsigned step = race.result.steps++, kind = 0, dice;

        if (which->left[step])
            continue;
        race.random = state_for(which->seed, step + 1);
        for (dice = below(&race, 1000); dice >= (step < SETUP_STEPS ? STEP[kind].setup : STEP[kind].later);
             kind++)
            dice -= step < SETUP_STEPS ? STEP[kind].setup : STEP[kind].later;
        STEP[kind].go(&race);
        compare(&race);
    }
    pmu_free(race.model);
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
