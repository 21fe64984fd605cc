/*
 * tests/suite/repeat.c: the outcome that is OBSERVE_AHEAD observations ahead of every other decides, of
 * equally frequent ones the first that was seen, and all values of an observation count. The trials are
 * scripted.
 */
#include "pmc/netburst/setup.h"
#include "tests/host/support/host_test.h"
#include "tests/suite/repeat.h"

static unsigned stops, tries;

STUB(void, pmc_stop_all, (void), (void)stops++);

/* One letter for each trial, the last one again and again. */
static void scripted(const void *arg, struct observation *out)
{
    const char *script = arg;

    assert_int_equal(stops, tries + 1); /* the counters were stopped for this trial */
    out->v[0] = (uint8_t)script[tries];
    if (script[tries + 1] != '\0')
        tries++;
    else
        stops--;
}

static char observed(const char *script)
{
    stops = tries = 0;
    return (char)observe(scripted, script).v[0];
}

/* Which outcome a script has, after how many observations, and how many of them are outvoted. */
static const struct {
    const char *script;
    char outcome;
    unsigned observations, outvoted;
} COURSES[] = {
    {"AAAB", 'A', OBSERVE_AHEAD, 0}, /* the first outcomes agree */
    {"ABBBB", 'B', 5, 1},            /* a disturbed first trial */
    {"AABBBBB", 'B', 7, 2},          /* until one outcome is ahead of every other */
    {"ABCAABBBBBB", 'B', 10, 4},     /* 3 A against 6 B */
    /* Of equally frequent outcomes the first is returned; 15 different ones are kept apart. */
    {"ABABABABABABABAB", 'A', OBSERVE_MOST, OBSERVE_MOST / 2},
    {"ABCDEFGHIJKLMNPP", 'P', OBSERVE_MOST, OBSERVE_MOST - 2},
};

TEST(the_vote)
{
    for (size_t i = 0; i < COUNT_OF(COURSES); i++) {
        (void)observe_tally();
        assert_int_equal(observed(COURSES[i].script), COURSES[i].outcome);
        struct tally tally = observe_tally();
        assert_int_equal(tally.observations, COURSES[i].observations);
        assert_int_equal(tally.outvoted, COURSES[i].outvoted);
    }
}

/* Which value differs, and in which of its bits. */
struct difference {
    unsigned index;
    uint64_t bit;
};

static void differing_once(const void *arg, struct observation *out)
{
    const struct difference *d = arg;

    out->v[d->index] = tries++ == 0 ? d->bit : 0;
}

TEST(every_bit_of_every_value_makes_another_outcome)
{
    for (unsigned index = 0; index < OBSERVED_VALUES; index++)
        for (unsigned bit = 0; bit < 64; bit++) {
            const struct difference d = {index, 1ull << bit};

            stops = tries = 0;
            (void)observe_tally();
            assert_int_equal(observe(differing_once, &d).v[index], 0);
            assert_int_equal(observe_tally().outvoted, 1);
        }
}

STUB(static void, setting_nothing, (const void *arg, struct observation *out));

TEST(values_that_a_trial_does_not_set_are_0)
{
    struct observation o = observe(setting_nothing, NULL);

    for (unsigned i = 0; i < OBSERVED_VALUES; i++)
        assert_int_equal(o.v[i], 0);
}

TEST(the_tally_begins_again_when_it_was_read)
{
    (void)observe_tally();
    (void)observed("ABBBB");
    (void)observed("A");
    assert_int_equal(observe_tally().observations, 5 + OBSERVE_AHEAD);
    assert_int_equal(observe_tally().observations, 0);
    assert_int_equal(observe_tally().outvoted, 0);
}
