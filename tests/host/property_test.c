/*
 * The PMU model against a second statement of the same rules: whatever is written and whatever happens, after
 * every clock all registers and PMIs agree (naive.h, property_case.h).
 *
 * A failure prints the seed, the shortest form of the case that still differs, and the difference.
 * PROPERTY_SEED=n runs that one seed, PROPERTY_CASES=n so many from the first.
 */
#include "host_test.h"

#include <inttypes.h>
#include <stdlib.h>
#include "property_case.h"

#define FIRST_SEED 1
#define CASES      12000   /* a few seconds */
#define CLOCKS     1000000 /* at least so many have to pass in them */

static uint64_t environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

static void model_agrees_with_the_rules(void **state)
{
    uint64_t first = environment("PROPERTY_SEED", FIRST_SEED);
    uint64_t cases = environment("PROPERTY_CASES", getenv("PROPERTY_SEED") != NULL ? 1 : CASES), clocks = 0;

    (void)state;
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
    if (cases == CASES)
        assert_true(clocks >= CLOCKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(model_agrees_with_the_rules)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
