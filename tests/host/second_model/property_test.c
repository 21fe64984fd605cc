/*
 * The PMU model against a second statement of the rules: whatever is written and whatever happens, all
 * registers and PMIs must agree after every clock (naive.h, property.h). A second test shows that the
 * cases are able to find mistakes: they must notice faults of the catalogue. make test-all draws more cases.
 *
 * A failure prints the seed, the shortest form of the case that still differs, and the difference.
 * PROPERTY_SEED=n runs that one seed, PROPERTY_CASES=n so many from there or from the first.
 */
#include "tests/host/support/host_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "property.h"
#include "sim/cpu/models.h"
#include "sim/faults/nbpmu_fault.h"

#define FIRST_SEED 1
#define CASES      1000   /* take a few seconds; in one of them, a fault must show */
#define ALL_CASES  5000   /* of make test-all */
#define CLOCKS     100000 /* that must pass in CASES of them at least */
#define TWICE      20     /* cases of each fault that run twice, with clocks at once and one by one */
#define ALL_TWICE  100    /* of make test-all */

/* ---- A case ---- */

#define CASE_STEPS 90

struct property_case {
    uint64_t seed;         /* decides everything */
    bool left[CASE_STEPS]; /* steps to leave out; each step has random numbers of its own, so the others stay
                              the same */
    bool narrate;          /* print the part and every step on standard error */
    struct nbpmu_fault fault; /* fault put into the model; none by default */
    bool blind;               /* do not end with the first difference */
    bool singly;              /* clocks pass one by one in the model */
};

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
    for (uint32_t msr = MSR_COUNTER(0); msr <= MSR_PEBS_MATRIX_VERT; msr++) {
        uint64_t model = 0, naive = 0;
        bool has = nbpmu_rdmsr(race->model, 0, msr, &model);
        bool same = has == naive_rdmsr(&race->naive, msr, &naive) && model == naive;

        race->result.sum = (race->result.sum ^ model) * 0x100000001B3ull;
        if (!same && race->result.difference[0] == '\0')
            snprintf(race->result.difference, sizeof race->result.difference,
                     "%03" PRIX32 "H reads %s%" PRIX64 "H in the model, %" PRIX64 "H by the rules", msr,
                     has ? "" : "#GP ", model, naive);
    }
}

static struct property_result property_run(const struct property_case *which)
{
    struct race race = {.random = random_for(which->seed, 0),
                        .narrate = which->narrate,
                        .lps = {{true, 0}},
                        .singly = which->singly};
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
        if (which->blind)
            race.result.difference[0] = '\0';
    }
    compare(&race);
    nbpmu_free(race.model);
    return race.result;
}

/* Shorten a case that differs: leave out every step that is not needed for the difference, and every step
 * after it. */
static void property_shorten(struct property_case *which)
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

/* ---- The tests ---- */

static uint64_t environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

TEST(model_agrees_with_the_rules)
{
    uint64_t first = environment("PROPERTY_SEED", FIRST_SEED);
    uint64_t usual = host_test_all() ? ALL_CASES : CASES, clocks = 0;
    uint64_t cases = environment("PROPERTY_CASES", getenv("PROPERTY_SEED") != NULL ? 1 : usual);

    for (uint64_t seed = first; seed < first + cases; seed++) {
        struct property_case one = {.seed = seed};
        struct property_result result = property_run(&one);

        clocks += result.clocks;
        if (result.difference[0] == '\0')
            continue;
        property_shorten(&one);
        one.narrate = true;
        fail_msg("seed %" PRIu64 ": %s", seed, property_run(&one).difference);
    }
    if (cases >= CASES)
        assert_true(clocks >= CLOCKS);
}

/* Writes one value to one register of both, and compares what they say. */
static void expect_alike(struct nbpmu *pmu, struct naive *naive, uint32_t msr, uint64_t value)
{
    uint64_t model = 0, rules = 0;
    bool written = nbpmu_wrmsr(pmu, 0, msr, value), read = nbpmu_rdmsr(pmu, 0, msr, &model);

    if (written != naive_wrmsr(naive, msr, value) || read != naive_rdmsr(naive, msr, &rules) ||
        read != nbpmu_has_msr(msr) || model != rules)
        fail_msg("%03" PRIX32 "H, written with %" PRIX64 "H, reads %" PRIX64 "H in the model, %" PRIX64
                 "H by the rules, or one of them faults",
                 msr, value, model, rules);
}

/* Bit by bit what each part keeps and what faults, of all addresses around (R3, R4; pmu-rules 2.3, 3.4). The
 * cases write most ESCRs of most parts too seldom. */
TEST(every_bit_of_every_register)
{
    for (unsigned i = 0; CPU_MODELS[i].signature != 0; i++) {
        for (unsigned way = 0; way < 8; way++) {
            struct model_config config = {.variants = {.reserved_faults = way & 2, .no_t1_storage = way & 4}};
            struct naive naive;
            struct nbpmu *pmu;

            if (!nbpmu_part_of_signature(CPU_MODELS[i].signature, 1 + (way & 1), &config.part))
                continue;
            pmu = nbpmu_new(&config.part, &config.variants);
            assert_non_null(pmu);
            naive_reset(&naive, &config);
            for (uint32_t msr = MSR_COUNTER(0) - 0x10; msr < MSR_PEBS_MATRIX_VERT + 0x10; msr++) {
                for (unsigned bit = 0; bit < 64; bit++)
                    expect_alike(pmu, &naive, msr, 1ull << bit);
                expect_alike(pmu, &naive, msr, ~(1ull << 31));
                expect_alike(pmu, &naive, msr, ~0ull);
                expect_alike(pmu, &naive, msr, 0);
            }
            nbpmu_free(pmu);
        }
    }
}

static bool shows(const struct nbpmu_fault *fault)
{
    for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
        struct property_case one = {.seed = seed, .fault = *fault};

        if (property_run(&one).difference[0] != '\0')
            return true;
    }
    return false;
}

/* One or two faults, easy and hard ones, for each stage that a clock goes through. */
TEST(faults_of_the_model_show)
{
    char names[] =
        "escr-starts-counting counter-alias-3-4 counter-sign-extended counter-write-clears-ovf "
        "cccr-write-loses-ovf select-off mask-first-member value-one-line value-wraps os-usr-swapped "
        "t0-t1-swapped ts-as-ti ti-as-ts ti-lp0-state-only ioq-obeys-cpl uop-type-counts "
        "escr-feeds-one route-dead-CRU_ESCR2 gate.inverted,while=gated threshold-reached "
        "complement-obeys-cpl complement-below gate-before-complement edge-falling edge-once "
        "wraps-at-39 step-over-missed ovf-missing-14 ovf-at-carry-32 complement-dead-6 "
        "edge-ignores-complement gate-ignored-9 force-dead-2 pmi-t1-missing-14 unqualified-MS_ESCR1 "
        "usr-is-cpl-3 ioq-equation escr-alias-PMH_ESCR0 ovf-late ovf-not-sticky force-ignored "
        "cascade-broken-12-14 cascade-foreign-3-0 link-source.neighbour@link=bit-11@counter=12 cascnt-early "
        "cascade-late "
        "cascade-stops-x cascade-not-mutual cascade-outlives-flag cascnt-outlives-ovf "
        "one-halted-stops-all pmi-swapped pmi-count-late pmi-at-overflow pmi-not-again "
        "pmi-outlives-ovf cascade-pmi-lost";

    for (const char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
        struct nbpmu_fault fault = {0};

        char error[1000];

        if (!nbpmu_fault_compose(name, &fault, error, sizeof error))
            fail_msg("there is no fault '%s': %s", name, error);
        if (!shows(&fault))
            fail_msg("'%s' shows in none of %d cases", name, CASES);
    }
}

/* What the rules do not say, the model says itself: with a fault, too, many clocks are as many single ones.
 * Each fault has cases of its own. */
TEST(many_clocks_equal_single_ones_with_a_fault)
{
    char names[] =
        "wraps-at-32 wraps-at-39 step-over-missed overflow-stops ovf-missing-12 ovf-early ovf-late "
        "ovf-not-sticky cascade-early cascade-late";

    uint64_t seed = FIRST_SEED;

    for (const char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " "))
        for (unsigned i = 0; i < (host_test_all() ? ALL_TWICE : TWICE); i++, seed++) {
            struct property_case one = {.seed = seed, .blind = true}, other;

            assert_true(nbpmu_fault_find(name, &one.fault));
            other = one;
            other.singly = true;
            if (property_run(&one).sum != property_run(&other).sum)
                fail_msg("seed %" PRIu64 " with %s", seed, name);
        }
}
