/*
 * The PMU model against a second statement of the rules: whatever is written and whatever happens, all
 * registers and PMIs must agree after every clock (naive.h, property.h). A second test shows that the
 * cases are able to find mistakes: they must notice faults of the catalogue.
 *
 * A failure prints the seed, the shortest form of the case that still differs, and the difference.
 * PROPERTY_SEED=n runs that one seed, PROPERTY_CASES=n so many from there or from the first.
 */
#include "tests/host/support/host_test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "property.h"
#include "sim/cpu/models.h"

#define FIRST_SEED  1
#define CASES       5000   /* take a few seconds */
#define CLOCKS      500000 /* that must pass in them at least */
#define FAULT_CASES 3000   /* cases in one of which a fault must show */

static uint64_t environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

TEST(model_agrees_with_the_rules)
{
    uint64_t first = environment("PROPERTY_SEED", FIRST_SEED);
    uint64_t cases = environment("PROPERTY_CASES", getenv("PROPERTY_SEED") != NULL ? 1 : CASES), clocks = 0;

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
    for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + FAULT_CASES; seed++) {
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
        "escr-feeds-one route-dead-CRU_ESCR2 active-thread-1-active-2 threshold-reached "
        "complement-obeys-cpl complement-below gate-before-complement edge-falling edge-once "
        "wraps-at-39 step-over-missed ovf-missing-14 ovf-at-carry-32 complement-dead-6 "
        "edge-ignores-complement gate-ignored-9 force-dead-2 pmi-t1-missing-14 unqualified-MS_ESCR1 "
        "usr-is-cpl-3 ioq-equation escr-alias-PMH_ESCR0 ovf-late ovf-not-sticky force-ignored "
        "cascade-broken-12-14 cascade-foreign-3-0 cascnt-swapped-17-12 cascnt-early cascade-late "
        "cascade-stops-x cascade-not-mutual cascade-outlives-flag cascnt-outlives-ovf "
        "one-halted-stops-all pmi-swapped pmi-count-late pmi-at-overflow pmi-not-again "
        "pmi-outlives-ovf cascade-pmi-lost";

    for (const char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
        struct nbpmu_fault fault = {0};

        if (!nbpmu_fault_find(name, &fault))
            fail_msg("the catalogue has no fault '%s'", name);
        if (!shows(&fault))
            fail_msg("'%s' shows in none of %d cases", name, FAULT_CASES);
    }
}
