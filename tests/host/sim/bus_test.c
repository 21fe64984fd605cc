/*
 * The bus queues, with the clocks worked out by hand: 12 transactions are in the IOQ, which ends them in
 * their order; a buffer that is needed is waited for; and models 3 and 4 show the BSQ in even clocks.
 */
#include "tests/host/support/host_test.h"
#include "sim/cpu/core.h"

#define LATENCY 200u

static unsigned entries(const struct bus_queue *queue)
{
    unsigned sum = 0;
    for (unsigned kind = 0; kind < BUS_KINDS; kind++)
        sum += queue->of[0][kind] + queue->of[1][kind];
    return sum;
}

/* What a bus with 14 reads, all allocated in clock 101, shows in this clock. */
static void expect_shown(unsigned model, uint64_t clock, unsigned bsq_shows, unsigned ioq_shows)
{
    struct bus bus = {.model = (uint8_t)model};
    struct bus_queue bsq, ioq;
    for (unsigned i = 0; i < 14; i++)
        bus_add(&bus, 101, BUS_LINE_READ, i % 2, LATENCY);
    bus_look(&bus, clock, &bsq, &ioq);
    assert_int_equal(entries(&bsq), bsq_shows);
    assert_int_equal(entries(&ioq), ioq_shows);
}

/* One is issued every 30 clocks, from clock 101 on; the first is done in 301, and the next ones 60 clocks
 * after each other. So the 12th is issued in 431, when 3 are done, and the 13th and 14th in 461 and 491. */
TEST(transactions_pass_through_the_queues)
{
    expect_shown(2, 101, 14, 1);
    expect_shown(2, 130, 14, 1);
    expect_shown(2, 131, 14, 2);
    expect_shown(2, 300, 14, 7);
    expect_shown(2, 301, 13, 6);
    expect_shown(2, 491, 10, 10);
    expect_shown(2, 301 + 12 * 60, 1, 1);
    expect_shown(2, 301 + 13 * 60, 0, 0);
}

/* With a bus that is slower than these reads come, the 13th waits until the first is done. */
TEST(the_in_order_queue_holds_12)
{
    struct bus bus = {.model = 2};
    struct bus_queue bsq, ioq;
    for (unsigned i = 0; i < 14; i++)
        bus_add(&bus, 100, BUS_LINE_READ, 0, 1000);
    bus_look(&bus, 1099, &bsq, &ioq);
    assert_int_equal(entries(&bsq), 14);
    assert_int_equal(entries(&ioq), 12);
}

TEST(models_3_and_4_show_the_bsq_in_even_clocks)
{
    expect_shown(4, 101, 0, 1);
    expect_shown(4, 102, 14, 1);
    expect_shown(4, 301, 14, 6);
    expect_shown(4, 302, 13, 6);
    expect_shown(6, 101, 14, 1);
}

TEST(a_miss_waits_for_a_buffer)
{
    struct bus bus = {.model = 2};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(bus_room(&bus, 100, BUS_LINE_READ), 100);
        bus_add(&bus, 100, BUS_LINE_READ, 0, LATENCY);
    }
    assert_int_equal(bus_room(&bus, 100, BUS_LINE_READ), 300 + 8);
    assert_int_equal(bus_room(&bus, 100, BUS_LINE_WRITE), 100);
    bus.model = 3;
    assert_int_equal(bus_room(&bus, 100, BUS_LINE_READ), 100);
}
