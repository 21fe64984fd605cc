/*
 * tests/suite/witness.c: what is a witness of a disturbance and what is none, from which length on, and how
 * often undisturbed() measures. Clock, PMIs and interrupts of the board are replaced. What is known of each
 * work stays from test to test, so each test has work of its own.
 */
#include "kernel/run/pmi.h"
#include "kernel/x86/cpu.h"
#include "tests/host/support/host_test.h"
#include "tests/suite/witness.h"

static uint64_t tsc;
static uint32_t pmis;
static struct unexpected_interrupts came;

STUB(uint64_t, rdtsc, (void), tsc);
STUB(uint32_t, pmi_count, (void), pmis);
STUB(struct unexpected_interrupts, unexpected_interrupts, (void), came);

/* Windows that this program has closed, those of them without a PMI, and those of these with a witness. */
static struct {
    unsigned all, quiet, witnessed;
} closed;

static uint32_t new_work(void)
{
    static uint32_t works;

    return witness_key(0, ++works);
}

/* One execution of this work, which takes so many clocks and PMIs. */
static void execute(uint32_t key, uint32_t clocks, unsigned pmis_inside)
{
    const unsigned before = witness_seen();

    witness_begin();
    const struct witness_window window = witness_open();
    tsc += clocks;
    pmis += pmis_inside;
    witness_close(&window, key);
    closed.all++;
    closed.quiet += pmis_inside == 0;
    closed.witnessed += pmis_inside == 0 && witness_seen() != 0;
    witness_add(before);
}

/* Is it too long? */
static bool is_long(uint32_t key, uint32_t clocks, unsigned pmis_inside)
{
    witness_begin();
    execute(key, clocks, pmis_inside);
    return witness_seen() == WITNESS_TIME;
}

#define RECENT 256u

/* End the count of recent windows, none of which is long from here on. */
static void end_recent(void)
{
    static uint32_t key;

    key = key ? key : new_work();
    do
        (void)is_long(key, 100, 0);
    while (closed.all % RECENT != 0);
}

BEFORE_EACH(begin)
{
    end_recent();
    end_recent();
    witness_beside_sibling(false);
    witness_without_nmis(false);
    witness_begin();
    (void)witness_disturbances();
}

/* ---- Interrupts ---- */

/* A PMI without a handler may be the judged PMU's. */
TEST(an_interrupt_of_the_board_is_a_witness)
{
    uint32_t *const interrupt[] = {&came.other, &came.nmi};

    for (unsigned i = 0; i < 2; i++) {
        witness_begin();
        assert_int_equal(witness_seen(), 0);
        ++*interrupt[i];
        assert_int_equal(witness_seen(), WITNESS_INTERRUPT);
        assert_int_equal(witness_seen(), WITNESS_INTERRUPT); /* until the next measurement */
    }
    witness_begin();
    came.pmi++;
    assert_int_equal(witness_seen(), 0);
    witness_add(WITNESS_TIME);
    assert_int_equal(witness_seen(), WITNESS_TIME);
}

TEST(nmis_are_no_witness_while_lvtpc_delivers_them)
{
    came.nmi++;
    witness_without_nmis(true);
    assert_int_equal(witness_seen(), WITNESS_INTERRUPT); /* it came before */
    witness_begin();
    came.nmi += 2;
    assert_int_equal(witness_seen(), 0);
    witness_without_nmis(false);
    assert_int_equal(witness_seen(), 0);
    witness_without_nmis(true);
    came.other++;
    assert_int_equal(witness_seen(), WITNESS_INTERRUPT);
    witness_without_nmis(false);
    witness_begin();
    came.nmi++;
    assert_int_equal(witness_seen(), WITNESS_INTERRUPT);
}

/* ---- Time ---- */

/* Caches are cold. */
TEST(the_first_execution_is_not_judged_and_nobodys_least)
{
    const uint32_t key = new_work();

    assert_false(is_long(key, 100000, 0));
    assert_false(is_long(key, 1000, 0));
    assert_true(is_long(key, 99999, 0));
}

/* Work that was rehearsed has a length to be compared with at once, also if the rehearsal was disturbed; and
 * if it is longer each time, it is so. */
TEST(the_first_execution_after_a_rehearsal_is_judged)
{
    static const struct {
        uint32_t rehearsal, clocks[7];
        bool is_long[7];
    } rows[] = {
        {1000, {4000, 7000, 7001}, {false, false, true}},
        {1000, {4001, 20000, 1500, 4500, 4501}, {true, true, false, false, true}},
        {20000, {1000, 4000, 4001}, {false, false, true}},
        {1000, {9000, 9000, 9000, 9000, 9000, 9000, 9000}, {true, true, true, true, true, true, false}},
    };

    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const uint32_t rehearsal = new_work(), key = new_work();

        (void)witness_run();
        (void)is_long(rehearsal, rows[r].rehearsal, 0);
        for (unsigned i = 0; i < COUNT_OF(rows[r].clocks) && rows[r].clocks[i]; i++) {
            witness_rehearsed(key, rehearsal);
            assert_int_equal(is_long(key, rows[r].clocks[i], 0), rows[r].is_long[i]);
            assert_false(witness_run_is_long());
        }
    }
    const uint32_t key = new_work();

    witness_rehearsed(key, new_work()); /* of which nothing is known */
    assert_false(is_long(key, 100000, 0));
}

/* reference/witnesses: 3,000 clocks, and 5,000 beside a sibling that works, which has a least of its own. */
TEST(longer_by_more_than_a_threshold_is_long)
{
    static const uint32_t threshold[] = {3000, 5000};
    const uint32_t key = new_work();

    for (unsigned beside = 0; beside < 2; beside++) {
        const uint32_t least = beside ? 50000 : 1000;

        witness_beside_sibling(beside);
        assert_false(is_long(key, least, 0));
        assert_false(is_long(key, least + threshold[beside], 0));
        assert_true(is_long(key, least + threshold[beside] + 1, 0));
    }
    witness_beside_sibling(false);
    assert_true(is_long(key, 4001, 0));
}

/* A PMI that comes or is lost makes work longer or shorter, and is no witness of itself. */
TEST(work_with_another_number_of_pmis_is_other_work)
{
    const uint32_t key = new_work();

    for (unsigned inside = 0; inside < 3; inside++)
        assert_false(is_long(key, 1000 + 5000 * inside, inside));
    for (unsigned inside = 0; inside < 3; inside++) {
        assert_false(is_long(key, 4000 + 5000 * inside, inside));
        assert_true(is_long(key, 4001 + 5000 * inside, inside));
    }
}

/* A PMI takes 3,000 to 5,000 clocks, an SMI 7,000 at least (5 us at 1.4 GHz). An SMI can bring the only PMI
 * that this work ever has. */
TEST(work_is_long_if_pmis_do_not_explain_its_length)
{
    for (unsigned inside = 1; inside < 3; inside++) {
        const uint32_t key = new_work(), explained = 1000 + 3000 + 6000 * inside;

        (void)is_long(key, 1000, 0);
        assert_false(is_long(key, explained, inside));
        for (unsigned i = 0; i < 3; i++)
            assert_true(is_long(key, explained + 1, inside));
        assert_false(is_long(new_work(), explained + 1, inside)); /* nobody knows how long it is */
    }
}

TEST(the_parts_of_a_key_and_their_order_matter)
{
    const uint32_t key = witness_key(witness_key(0, 7), 8);

    assert_int_equal(key, witness_key(witness_key(0, 7), 8));
    assert_int_not_equal(key, witness_key(witness_key(0, 8), 7));
    assert_int_not_equal(key, witness_key(0, 7));
    assert_int_not_equal(key, witness_key(witness_key(0, 7), 9));
}

/* A processor that was throttled is slower from then on. */
TEST(six_long_ones_in_succession_are_the_new_least)
{
    const uint32_t key = new_work();

    (void)is_long(key, 1000, 0);
    for (unsigned i = 0; i < 5; i++)
        assert_true(is_long(key, 20000, 0));
    assert_false(is_long(key, 4000, 0)); /* no longer in succession */
    for (unsigned i = 0; i < 6; i++)
        assert_true(is_long(key, i == 3 ? 19000 : 20000, 0));
    assert_false(is_long(key, 22000, 0));
    assert_true(is_long(key, 22001, 0));
    assert_false(is_long(key, 1000, 0)); /* fast again, at once */
    assert_true(is_long(key, 4001, 0));
}

TEST(work_ends_where_its_end_was_noted)
{
    const uint32_t key = new_work();

    for (unsigned i = 0; i < 3; i++) {
        witness_begin();
        struct witness_window window = witness_open();
        tsc += i == 2 ? 4001 : 1000;
        witness_note(&window);
        tsc += 100000 * i;
        witness_close(&window, key);
        closed.all++;
        closed.quiet++;
        closed.witnessed += i == 2;
        assert_int_equal(witness_seen(), i == 2 ? WITNESS_TIME : 0);
    }
}

/* ---- What the first execution of a work was like ---- */

/* The lengths of one work in successive runs, which are numbered from 1; so shown by the last run. */
TEST(a_first_execution_was_long_if_a_later_run_is_much_faster)
{
    static const struct {
        uint32_t clocks[4];
        bool run_was_long[4];
    } rows[] = {
        {{20000, 1000}, {true, false}},
        {{4000, 1000}, {false, false}}, /* cold, perhaps */
        {{4001, 1000}, {true, false}},
        {{20000, 20000, 1000}, {true, true, false}},
        {{1000, 20000, 1000}, {false, false, false}}, /* had its witness at once */
        {{20000, 1000, 1000}, {false, false, false}}, /* the second has said it */
        {{20000, 18000, 1000}, {true, true, false}},
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        const uint32_t work = new_work();
        unsigned run[4] = {0}, runs = 0;

        for (; runs < 4 && rows[i].clocks[runs]; runs++) {
            run[runs] = witness_run();
            execute(work, rows[i].clocks[runs], 0);
        }
        for (unsigned r = 0; r < runs; r++)
            assert_int_equal(witness_was_long(run[r]), rows[i].run_was_long[r]);
        assert_false(witness_was_long(run[0] - 1)); /* it did nothing of the kind */
        assert_false(witness_run_is_long());
    }
}

TEST(a_run_may_show_it_of_itself)
{
    static const struct {
        uint32_t first, second;
        bool is_long;
    } rows[] = {{4000, 1000, false}, {4001, 1000, true}, {1000, 20000, false}};

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        const uint32_t work = new_work();

        witness_run();
        execute(work, rows[i].first, 0);
        execute(work, rows[i].second, 0);
        assert_int_equal(witness_run_is_long(), rows[i].is_long);
        witness_run();
        execute(work, 1000, 0);
        assert_false(witness_run_is_long());
    }
}

/* ---- What is measured again ---- */

/* One letter for each measurement, the last one again and again: of fixed work; I beside an interrupt, T too
 * long, B both. */
static const char *script;
static unsigned measured;
static uint32_t scripted_work;

static void scripted(void *unused)
{
    (void)unused;
    measured++;
    witness_expectation();
    came.other += *script == 'I' || *script == 'B';
    execute(scripted_work, *script == 'T' || *script == 'B' ? 20000 : 1000, 0);
    if (script[1] != '\0')
        script++;
}

static unsigned measurements(const char *steps)
{
    script = steps;
    measured = 0;
    undisturbed(scripted, NULL);
    return measured;
}

static void know_work(void)
{
    scripted_work = new_work();
    execute(scripted_work, 1000, 0);
}

TEST(a_disturbed_measurement_is_made_again)
{
    static const struct {
        const char *steps;
        unsigned measured, by_interrupt, by_time, seen;
    } rows[] = {
        {"-I", 1, 0, 0, 0},
        {"I-", 2, 1, 0, 0},
        {"TI-", 3, 1, 1, 0},
        {"BTT-", 4, 1, 2, 0},
        {"IIIIIII-", 8, 7, 0, 0},
        {"I", 8, 8, 0, WITNESS_INTERRUPT}, /* judged all the same */
        {"IIIIIIIT-", 8, 7, 1, WITNESS_TIME},
    };

    assert_int_equal(WITNESSED_MOST, 8);
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        know_work();
        witness_begin();
        const unsigned expectations = witness_expectations();
        assert_int_equal(measurements(rows[i].steps), rows[i].measured);
        assert_int_equal(witness_seen(), rows[i].seen);
        const struct disturbances d = witness_disturbances();
        assert_int_equal(d.by_interrupt, rows[i].by_interrupt);
        assert_int_equal(d.by_time, rows[i].by_time);
        assert_int_equal(witness_disturbances().by_interrupt + witness_disturbances().by_time, 0);
        assert_int_equal(witness_expectations(), expectations + 1);
    }
}

/* It is a witness of other values, a reference perhaps. */
TEST(what_was_witnessed_before_a_measurement_stays)
{
    know_work();
    witness_add(WITNESS_TIME);
    assert_int_equal(measurements("-"), 1);
    assert_int_equal(witness_seen(), WITNESS_TIME);
    came.other++;
    assert_int_equal(measurements("-"), 1);
    assert_int_equal(witness_seen(), WITNESS_TIME | WITNESS_INTERRUPT);
}

static unsigned outer;
static bool disturbed_outside;

static void nesting(void *unused)
{
    (void)unused;
    outer++;
    came.other += disturbed_outside && outer == 1;
    undisturbed(scripted, NULL);
}

/* What the inner one has made good is none of the outer one's business. */
TEST(measurements_nest)
{
    static const struct {
        const char *steps;
        bool outside;
        unsigned outer, inner, seen;
    } rows[] = {
        {"II-", false, 1, 3, 0},
        {"IIIIIIII-", false, 2, 9, 0},
        {"-", true, 2, 2, 0},
        {"I", false, 8, 64, WITNESS_INTERRUPT},
    };

    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        know_work();
        witness_begin();
        script = rows[i].steps;
        disturbed_outside = rows[i].outside;
        outer = measured = 0;
        undisturbed(nesting, NULL);
        assert_int_equal(outer, rows[i].outer);
        assert_int_equal(measured, rows[i].inner);
        assert_int_equal(witness_seen(), rows[i].seen);
    }
}

/* ---- A machine on which much is long ---- */

/* Windows of which so many are long, not in succession. */
static void long_ones(unsigned wanted)
{
    for (unsigned i = 0; i < wanted; i++) {
        execute(scripted_work, 1000, 0);
        execute(scripted_work, 20000, 0);
    }
    execute(scripted_work, 1000, 0);
}

/* TM1 makes an eighth of the windows, 32 of 256, longer by one stop of the clocks; an SMI takes 15,000. */
TEST(a_stop_of_the_clocks_is_no_witness_on_a_hot_processor)
{
    const uint32_t stop = 4 * 1500; /* 4 us */

    witness_clock(1500000);
    know_work();
    end_recent();
    long_ones(30);
    assert_true(is_long(scripted_work, 1000 + 3001, 0));
    assert_false(is_long(scripted_work, 1000 + 3001, 0)); /* the 32nd: from this one on it is hot, */
    assert_false(is_long(scripted_work, 1000 + stop, 0));
    assert_true(is_long(scripted_work, 1000 + stop + 1, 0));
    end_recent();
    assert_false(is_long(scripted_work, 1000 + stop, 0)); /* in the 256 after these, too, */
    end_recent();
    assert_true(is_long(scripted_work, 1000 + 3001, 0)); /* and no longer */
    witness_clock(3000000);
}

/* At work of which half has a witness nothing can be judged. Work with PMIs says nothing. */
TEST(more_than_half_of_all_quiet_windows_are_too_many)
{
    know_work();
    assert_true(closed.witnessed > 10 && closed.witnessed < closed.quiet / 2);
    assert_false(witness_too_many());
    witness_begin();
    while (closed.witnessed < closed.quiet - closed.witnessed) {
        const struct witness_window window = witness_open();

        came.other++;
        witness_close(&window, scripted_work);
        closed.quiet++;
        closed.witnessed++; /* although the measurement had a witness before */
    }
    for (unsigned i = 0; i < 10; i++) {
        came.other++;
        execute(scripted_work, 1000, 1);
    }
    assert_false(witness_too_many());
    const struct witness_window window = witness_open();
    came.other++;
    witness_close(&window, scripted_work);
    assert_true(witness_too_many());
}
