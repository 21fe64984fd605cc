/*
 * tests/suite/repeat.c: an observation is made again beside a witness, and no other way; a reference is the
 * least of two; NMIs that are too many must come twice, and end the vector if the board has one in each
 * measurement. The trials are scripted.
 */
#include <string.h>
#include "kernel/run/pmi.h"
#include "kernel/x86/cpu.h"
#include "pmc/netburst/setup.h"
#include "tests/host/support/host_test.h"
#include "tests/suite/expect.h"
#include "tests/suite/repeat.h"

static unsigned stops, tries, interrupts, nmis, nmis_come; /* nmis_come: in so many waits */
static unsigned others_come;                               /* other interrupts, in one wait of so many */
static uint64_t clocks;

STUB(void, pmc_stop_all, (void), (void)stops++);
STUB(uint64_t, rdtsc, (void), clocks);
STUB(uint32_t, pmi_count, (void), 0);
STUB(struct unexpected_interrupts, unexpected_interrupts, (void),
     (struct unexpected_interrupts){.nmi = nmis, .other = interrupts});

#define WAIT 100u /* clocks */

void pmi_wait_for_delivery(void)
{
    clocks += WAIT;
    nmis += nmis_come > 0;
    nmis_come -= nmis_come > 0;
    interrupts += others_come && clocks / WAIT % others_come == 0;
}

static jmp_buf given_up;
static bool gives_up; /* that is due */

void expect_too_disturbed(const char *why)
{
    assert_string_equal(why, "NMIs of the board pass for PMIs");
    assert_true(gives_up);
    gives_up = false;
    longjmp(given_up, 1);
}

/* One letter for each trial: a capital is its value, a small one the value beside an interrupt. */
static void scripted(const void *arg, struct observation *out)
{
    const char step = ((const char *)arg)[tries++];

    assert_true(step != '\0');
    assert_int_equal(stops, tries); /* the counters were stopped for this trial */
    interrupts += step >= 'a';
    out->v[0] = (uint8_t)step;
    if (step >= 'a')
        out->v[1] = 5;
}

/* Each script is measured to its end. */
TEST(an_observation_beside_a_witness_is_made_again)
{
    static const struct {
        const char *script;
        char value;
    } rows[] = {{"A", 'A'}, {"aB", 'B'}, {"abcdefgH", 'H'}, {"abcdefgh", 'h'}};

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        stops = tries = 0;
        const struct observation o = observe(scripted, rows[i].script);
        assert_int_equal(o.v[0], rows[i].value);
        assert_int_equal(tries, strlen(rows[i].script));
        assert_int_equal(o.v[1], rows[i].value == 'h' ? 5 : 0); /* a trial that does not set it */
    }
}

/* What is not expected adds. */
TEST(a_reference_is_the_least_of_two)
{
    static const struct {
        const char *script;
        char value;
    } rows[] = {{"AA", 'A'}, {"AB", 'A'}, {"BA", 'A'}, {"aCB", 'B'}, {"CaaB", 'B'}};

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        stops = tries = 0;
        assert_int_equal(reference(scripted, rows[i].script), rows[i].value);
        assert_int_equal(tries, strlen(rows[i].script));
    }
}

/* The numbers of PMIs of each call, as digits. */
static unsigned scripted_pmis(void *arg)
{
    return (unsigned)((const char *)arg)[tries++] - '0';
}

/* It takes ten waits. */
static unsigned always_too_many(void *unused)
{
    (void)unused;
    clocks += 10 * WAIT;
    return 2;
}

TEST(too_many_nmis_must_come_twice_and_too_few_count_at_once)
{
    static const struct {
        const char *script;
        unsigned pmis, calls;
    } rows[] = {{"1", 1, 1}, {"0", 0, 1}, {"21", 1, 2}, {"20", 0, 2}, {"23", 3, 2}};

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        char script[4] = "";

        memcpy(script, rows[i].script, strlen(rows[i].script));
        tries = 0;
        assert_int_equal(pmis_as_nmis(scripted_pmis, script, 1), rows[i].pmis);
        assert_int_equal(tries, rows[i].calls);
    }
}

/* NMIs that come all the time, without LVTPC, too, excuse too many. */
TEST(among_nmis_too_many_are_measured_until_they_are_not)
{
    char script[] = "2222221222222222222222";

    tries = 0;
    nmis_come = 100;
    assert_int_equal(pmis_as_nmis(scripted_pmis, script, 1), 1);
    assert_int_equal(tries, 7);
}

/* That is so where an NMI comes in each measurement; one now and then explains no surplus in all of them. */
TEST(nmis_excuse_a_surplus_in_each_measurement_if_one_comes_in_each)
{
    nmis_come = 20 + 20;
    gives_up = true;
    if (setjmp(given_up) == 0)
        (void)pmis_as_nmis(always_too_many, NULL, 1);
    assert_false(gives_up);
    nmis_come = 20 + 19;
    assert_int_equal(pmis_as_nmis(always_too_many, NULL, 1), 2);
    nmis_come = 0;
}

TEST(interrupts_come_often_if_several_of_twenty_waits_have_one)
{
    static const struct {
        unsigned one_in;
        bool often;
    } rows[] = {{1, true}, {6, true}, {11, false}, {0, false}};

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        clocks = 0;
        others_come = rows[i].one_in;
        assert_int_equal(interrupts_come_often(), rows[i].often);
    }
    others_come = 0;
    nmis_come = 3;
    assert_true(interrupts_come_often());
    nmis_come = 0;
}
