/*
 * tests/suite/repeat.c: the outcome that is OBSERVE_AHEAD observations ahead of every other decides, of
 * equally frequent ones the first that was seen, and all values of an observation count. The trials are
 * scripted.
 */
#include "pmc/netburst/setup.h"
#include "tests/host/support/host_test.h"
#include "tests/suite/repeat.h"

static unsigned stops, tries;

void pmc_stop_all(void)
{
    stops++;
}

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

TEST(the_first_outcomes_decide_when_they_agree)
{
    (void)observe_tally();
    assert_int_equal(observed("AAAB"), 'A');
    struct tally tally = observe_tally();
    assert_int_equal(tally.observations, OBSERVE_AHEAD);
    assert_int_equal(tally.outvoted, 0);
}

TEST(a_disturbed_first_trial_is_outvoted)
{
    (void)observe_tally();
    assert_int_equal(observed("ABBBB"), 'B');
    struct tally tally = observe_tally();
    assert_int_equal(tally.observations, 5);
    assert_int_equal(tally.outvoted, 1);
}

TEST(the_vote_goes_on_until_one_outcome_is_ahead_of_every_other)
{
    assert_int_equal(observed("AABBBBB"), 'B');
    (void)observe_tally();
    assert_int_equal(observed("ABCAABBBBBB"), 'B'); /* 3 A against 6 B */
    struct tally tally = observe_tally();
    assert_int_equal(tally.observations, 10);
    assert_int_equal(tally.outvoted, 4);
}

TEST(of_equally_frequent_outcomes_the_first_is_returned)
{
    (void)observe_tally();
    assert_int_equal(observed("ABABABABABABABAB"), 'A');
    struct tally tally = observe_tally();
    assert_int_equal(tally.observations, OBSERVE_MOST);
    assert_int_equal(tally.outvoted, OBSERVE_MOST / 2);
}

TEST(sixteen_different_outcomes_are_kept_apart)
{
    assert_int_equal(observed("ABCDEFGHIJKLMNPP"), 'P');
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

static void setting_nothing(const void *arg, struct observation *out)
{
    (void)arg;
    (void)out;
}

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
