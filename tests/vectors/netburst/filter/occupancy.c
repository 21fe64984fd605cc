/*
 * Values up to 15 and the threshold (18.15.5.2; R8, R10, R14, R21, R22, R27): how many transactions are in
 * the queues of the bus, which IOQ_active_entries and bsq_active_entries present in each clock.
 *
 * A workload reads and writes memory past the caches as fast as it can. How full the queues get depends on
 * the processor and the board, and differs from run to run. So counters 2 and 3, which alone reach these
 * events, watch the same clocks in one window, and what they count must fit together:
 *   - with the same filter both count the same;
 *   - a clock above t + 1 is above t. Transactions enter and leave the in-order queue one by one, so that
 *     where it reaches more than t + 1, there are also clocks of just t + 1;
 *   - each clock above t adds at least t + 1 to the plain count;
 *   - the queue rises above t when there are clocks above t, and no more often;
 *   - it falls to t or below as often as it rises above t, because COMPLEMENT passes exactly the clocks that
 *     the threshold does not;
 *   - the clocks above t and those not above t are all clocks.
 * Over several runs the numbers are only about the same:
 *   - the clocks above 0, 1, ... 15, each as a share of the plain count of its own run, add up to 1;
 *   - the reads and the writes in the queue, and those that enter it, each counted alone, are not many more
 *     than both together;
 *   - the queue cannot rise above 0, 1, ... 14 more often than transactions enter it.
 * A queue that shows nothing fails: each line that is read or written past the caches is a transaction, which
 * is in the queue for a clock at least (Table 19-28). How full the queues get beyond that is open (10.20): a
 * value that neither reaches is not exercised.
 */
#include "kernel/lib/lib.h"
#include "tests/suite/exercised.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/sheet.h"
#include "tests/suite/companion.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/witness.h"

#define VALUES     16
#define ALL_CLOCKS at_or_below(VALUES - 1)
#define GLITCHES   32 /* of a logical processor that wakes or halts (F22) */

struct queue {
    const char *name;
    uint8_t active, allocation; /* events; the latter must be in the even ESCR, with the same mask */
    bool usr;                   /* watched with the USR flag alone */
    uint16_t mask;
    uint16_t n;     /* the n of the workload */
    uint16_t lines; /* lines of memory that it moves and that match the mask */
    const struct workload *work;
};

#define IOQ_REQUEST (1u << 0)
#define IOQ_READ    (1u << 5)
#define IOQ_WRITE   (1u << 6)
#define IOQ_ALL     0xAFE1u /* any memory type, ours, also prefetches */
#define BSQ_READS   0x308Cu /* of a whole line, write-back memory */

static const struct queue QUEUE[] = {
    {"ioq", EVENT_IOQ_ACTIVE_ENTRIES, EVENT_IOQ_ALLOCATION, false, IOQ_ALL, 48, 48 * 4, &work_read_write},
    {"bsq", EVENT_BSQ_ACTIVE_ENTRIES, EVENT_BSQ_ALLOCATION, false, BSQ_READS, 3, 3 * 32, &work_read_burst},
};

/* A forced counter, or one that has gone through 0, has OVF, and no other one. */
static void expect_ovf(const struct measured *c)
{
    const bool forced = c->p.cccr & CCCR_FORCE_OVF && counts_of(c) > 0;

    expect_true(forced ? R31 : RULES(R29, R28), c->overflowed == (forced || c->value < c->preset),
                "OVF of counter %C, from %10llH to %10llH", c->p.counter, c->preset, c->value);
}

/* From one window to the next something differs that changes no count: the counters overflow in it, or not,
 * and they have CASCADE and FORCE_OVF, or not. */
#define NEAR 20 /* counts to the overflow */

/* What counters 2 and 3 counted, with these filters, during the same clocks; the transactions that entered
 * the queue. */
struct both {
    uint64_t on2, on3, entered;
};

static struct both watch(const struct queue *q, uint32_t filter2, uint32_t filter3)
{
    const struct {
        uint8_t counter, event;
        uint32_t filter;
    } watchers[] = {
        {0, q->allocation, CCCR_COMPARE | CCCR_EDGE}, {2, q->active, filter2}, {3, q->active, filter3}};
    static uint32_t number;
    const uint32_t beside = (number / 2 % 2 ? CCCR_CASCADE : 0) | (number / 4 % 2 ? CCCR_FORCE_OVF : 0);
    const uint64_t preset = number % 2 ? COUNTER_OVERFLOW_IN(NEAR) : 0;
    struct measurement g = {.counters = 0};

    number++;
    for (unsigned i = 0; i < COUNT_OF(watchers); i++) {
        struct pmc_programming p;
        pmc_program(&p, watchers[i].event, q->mask, escr_self(!q->usr, true), watchers[i].counter);
        p.cccr |= watchers[i].filter | beside;
        measure_add(&g, &p, preset);
    }
    measure(&g, q->work, q->n);
    for (unsigned i = 0; i < g.counters; i++)
        expect_ovf(&g.of[i]);
    return (struct both){counts_of(&g.of[1]), counts_of(&g.of[2]), counts_of(&g.of[0])};
}

/* A transaction is in the queue for at least one clock. Of those of the workload a tenth is enough, since a
 * board may move lines in other portions. */
#define PART 10

static void expect_transactions(const struct queue *q, uint64_t sum, uint32_t transactions)
{
    expect_between(RULES(R7, R10), transactions / PART, UINT64_MAX, sum,
                   "sum of the values of the %s while %u lines are moved past the caches", q->name,
                   transactions);
}

/* Only a Xeon 7100 has no IOQ. */
static bool is_there(const struct queue *q)
{
    return q != QUEUE || machine_cpu.ioq;
}

/* The highest value that is seen, 0 to 15; of a queue that is not there 0. */
static unsigned highest(const struct queue *q)
{
    if (!is_there(q))
        return 0;
    for (unsigned t = VALUES - 2;; t -= 2) {
        struct both clocks = watch(q, above(t), above(t > 0 ? t - 1 : 0));

        if (t == 0 || clocks.on3 > 0)
            return clocks.on2 > 0 ? t + 1 : t;
    }
}

/* The clocks above t on this counter and those not above t on the other one are together all clocks. With a
 * sibling, ACTIVE_THREAD lets the counters count as long as the sibling runs beside us: all from one clock to
 * another one, which their CCCRs cannot do. The first counter powers the queue. */
struct complement {
    struct measurement m;
    const struct queue *q;
};

static void count_gated(void *arg)
{
    struct complement *c = arg;

    pmc_clear(&machine_cpu);
    companion_settle();
    measure_start(&c->m);
    companion_spin();
    work_exercise(c->q->work, c->q->n);
    companion_end();
    companion_settle();
    measure_stop(&c->m);
}

static void complement(const struct queue *q, unsigned t, unsigned counter)
{
    const bool gated = machine_meets() & NEED_SIBLING;
    struct complement c = {.q = q};
    struct measurement *const m = &c.m;

    measure_add_event(m, q->allocation, q->mask, 0, CCCR_COMPARE | CCCR_EDGE);
    measure_add_event(m, q->active, q->mask, counter, above(t));
    measure_add_event(m, q->active, q->mask, counter ^ 1, at_or_below(t));
    measure_add_event(m, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, 12, ALL_CLOCKS);
    for (unsigned i = 1; i < m->counters && gated; i++)
        pmc_set_active_thread(&m->of[i].p, ACTIVE_BOTH);
    if (gated) /* an SMI that wakes the sibling while the CCCRs are written lets some of them count longer */
        undisturbed(count_gated, &c);
    else
        measure_by_cccr(m, q->work, 4u * q->n); /* longer than the skew on any part */
    const uint64_t above_t = counts_of(&m->of[1]), sum = above_t + counts_of(&m->of[2]);
    expect_near(RULES(R22, R6, R10), counts_of(&m->of[3]), gated ? GLITCHES : CCCR_SKEW, sum,
                "clocks with %s above %u on counter %C, %llu, and not above it on counter %C, against all",
                q->name, t, counter, above_t, counter ^ 1);
}

/* The threshold t against this queue. Returns whether there were values on both sides of it. */
static bool against(const struct queue *q, unsigned t)
{
    struct both twins = watch(q, above(t), above(t)), plain = watch(q, 0, above(t));

    /* Above 14 is 15 alone, which is what anything more is clipped to. */
    expect_equal(t == 14 ? RULES(R8, R10, R22) : RULES(R22, R6, R8), twins.on2, twins.on3,
                 "clocks with %s above %u on counter 3, as on counter 2", q->name, t);
    expect_true(RULES(R22, R8), (t + 1) * plain.on3 <= plain.on2,
                "%llu clocks with %s above %u in a sum of %llu", plain.on3, q->name, t, plain.on2);
    if (t < VALUES - 1) {
        struct both next = watch(q, above(t), above(t + 1));
        bool falls = next.on2 > next.on3 || (next.on2 == next.on3 && (q != QUEUE || next.on2 == 0));
        expect_true(RULES(R22, R6, R8), falls, "%llu clocks with %s above %u, but %llu above %u", next.on2,
                    q->name, t, next.on3, t + 1);
    } else {
        expect_equal(R22, 0, twins.on2, "clocks with %s above 15", q->name);
    }
    complement(q, t, 2);
    complement(q, t, 3);
    return twins.on2 > 0;
}

/* No value was above t. Where nothing is above 0 either, it is not the board whose queues stay short. */
static void leave_thresholds(unsigned t)
{
    unsigned most = 0;
    char name[EXERCISED_NAME];

    for (unsigned i = 0; i < COUNT_OF(QUEUE); i++) {
        const unsigned reached = highest(&QUEUE[i]);

        if (is_there(&QUEUE[i]))
            expect_true(RULES(R22, R8, R10), reached > 0, "clocks with %s above 0", QUEUE[i].name);
        most = reached > most ? reached : most;
    }
    format(name, sizeof name, "values of the bus queues above %u", most < t ? most : t);
    not_exercised(name, "how full the queues get depends on the board (10.20)", 0);
}

static const uint8_t FIRST[] = {0, 4, 8, 12};
static const struct items four_thresholds = ITEMS(FIRST, .name = number_item);

static void thresholds(const void *item)
{
    unsigned first = *(const uint8_t *)item;

    work_prepare_sse();
    for (unsigned t = first; t < first + VALUES / COUNT_OF(FIRST); t++)
        if (!(is_there(&QUEUE[0]) && against(&QUEUE[0], t)) && !against(&QUEUE[1], t) && t < VALUES - 1)
            return leave_thresholds(t);
}

/* ---- The manual's example ---- */

/* The queue never holds more than one uncached read, since each starts after the one before has ended. */
static void example_below(void)
{
    struct queue q = QUEUE[0];

    q.work = &work_uncached_load;
    stimulus_prepare(STIMULUS_UNCACHED_READS);
    struct both low = watch(&q, above(6), 0), any = watch(&q, above(0), 0);
    complement(&q, 6, 2);
    stimulus_finish(STIMULUS_UNCACHED_READS);
    expect_between(RULES(R7, R10), q.n / PART, UINT64_MAX, any.on3,
                   "sum of the values of the IOQ while %u uncached reads are in it one by one", q.n);
    expect_equal(RULES(R22, R8), 0, low.on2, "clocks with more than 6 uncached reads in the IOQ");
    expect_true(RULES(R8, R22), any.on2 <= any.on3 && any.on3 <= (VALUES - 1) * any.on2,
                "%llu clocks with uncached reads in the IOQ, whose sum is %llu", any.on2, any.on3);
}

static void example(void)
{
    skip_without_ioq();
    work_prepare_sse();
    example_below();
    if (!against(&QUEUE[0], 6) && !against(&QUEUE[1], 6))
        leave_thresholds(6);
}

/* ---- Sums ---- */

/* A line may be several transactions: it is fetched ahead, or is evicted in parts. */
#define MOST_ENTRIES 4

#define WHOLE 1000u
#define ENDS  2 /* edges: one where the filter starts (R25), one of a level that has not fallen yet */

static void sums(const void *item)
{
    const struct queue *q = item;
    uint64_t parts = 0, rises = 0;

    if (q == QUEUE)
        skip_without_ioq();
    work_prepare_sse();
    struct both plain = watch(q, 0, 0);
    expect_transactions(q, plain.on2, q->lines);
    expect_equal(RULES(R6, R8, R10, R27), plain.on2, plain.on3,
                 "sum of the values of the %s on counter 3, as on counter 2", q->name);
    for (unsigned t = 0; t < VALUES; t++) {
        struct both clocks = watch(q, 0, above(t)), edges = watch(q, above(t) | CCCR_EDGE, above(t));
        /* Runs differ, so the clocks above t are taken as a share of the sum of their own run. */
        parts += share(clocks.on3, clocks.on2, WHOLE);
        rises += edges.on2;
        expect_true(t == 14 ? RULES(R8, R10, R23) : RULES(R23, R22, R8),
                    edges.on2 <= edges.on3 && (edges.on2 > 0) == (edges.on3 > 0),
                    "%s rises above %u %llu times, in %llu clocks above it", q->name, t, edges.on2,
                    edges.on3);
        struct both level = watch(q, above(t) | CCCR_EDGE, at_or_below(t) | CCCR_EDGE);
        expect_between(RULES(R22, R23), level.on2 > ENDS ? level.on2 - ENDS : 0, level.on2 + ENDS, level.on3,
                       "times that %s falls to %u or below, as often as it rises above", q->name, t);
    }
    expect_near(RULES(R8, R10, R22, R27), WHOLE, WHOLE / 16, parts,
                "clocks with %s above 0, 1 ... 15 together, in thousandths of the sum of its values",
                q->name);
    expect_between(R23, 0, MOST_ENTRIES * q->lines, rises,
                   "times that %s rises above 0, 1 ... 15 by %u lines", q->name, q->lines);
}

/* Models 0 and 1 would take the request type for either direction (E12). */
static struct both without(unsigned directions)
{
    struct queue q = QUEUE[0];

    q.mask &= (uint16_t) ~(directions | (machine_has_erratum(PMC_E12) ? IOQ_REQUEST : 0));
    return watch(&q, 0, 0);
}

static void expect_both_directions(uint64_t all, uint64_t reads, uint64_t writes)
{
    expect_true(RULES(R10, R8, R9), all + all / 2 >= reads + writes,
                "in the IOQ, or entering it: %llu, reads alone %llu, writes alone %llu", all, reads, writes);
}

static void directions(void)
{
    skip_without_ioq();
    work_prepare_sse();
    struct both reads = without(IOQ_WRITE), writes = without(IOQ_READ), all = without(0);

    expect_transactions(&QUEUE[0], all.on2, QUEUE[0].lines);
    expect_both_directions(all.on2, reads.on2, writes.on2);
    expect_both_directions(all.entered, reads.entered, writes.entered);
}

/* The USR flag alone, while everything runs at CPL 0. */
static void privilege(void)
{
    struct queue q = QUEUE[0];

    skip_without_ioq();
    work_prepare_sse();
    expect_transactions(&q, watch(&q, 0, 0).on2, q.lines);
    q.usr = true;
    expect_true(R14, watch(&q, 0, 0).on2 > 0, "IOQ_active_entries counts at CPL 0 with USR alone");
}

static void probe_highest(void)
{
    work_prepare_sse();
    sheet_line("10.20", "IOQ %u, BSQ %u", highest(&QUEUE[0]), highest(&QUEUE[1]));
}

static const struct items both_queues = ITEMS(QUEUE, .name = named_item);

#define LAPS 10000 /* of work_loop: more clocks than CCCR_SKEW */

/* Privilege comes before COMPLEMENT (R26): what the flags leave out is a clock without an event. So is every
 * clock of an event whose mask or whose flags are empty (R16). */
static void complement_after_privilege(void)
{
    static const struct {
        const char *name;
        bool os, usr, mask;
    } LEFT_OUT[] = {{"USR alone", false, true, true},
                    {"event mask 0", true, true, false},
                    {"no flag", false, false, true}};

    for (unsigned k = 0; k < COUNT_OF(LEFT_OUT); k++) {
        struct measurement m = {.counters = 0};

        for (unsigned i = 0; i < 2; i++) {
            struct pmc_programming p;

            pmc_program(&p, EVENT_BRANCH_RETIRED, BRANCH_RETIRED_ALL,
                        i == 0 ? escr_self(true, true) : escr_self(LEFT_OUT[k].os, LEFT_OUT[k].usr),
                        12 + 2 * i);
            if (i == 1 && !LEFT_OUT[k].mask)
                p.escr &= ~ESCR_EVENT_MASK_MASK;
            p.cccr |= ALL_CLOCKS;
            measure_add(&m, &p, 0);
        }
        measure_by_cccr(&m, &work_loop, LAPS);
        expect_true(RULES(R26, R16), counts_of(&m.of[0]) >= LAPS, "clocks with OS and USR: %llu",
                    counts_of(&m.of[0]));
        expect_near(RULES(R26, R16), counts_of(&m.of[0]), CCCR_SKEW, counts_of(&m.of[1]),
                    "clocks by COMPLEMENT with %s, as with OS and USR", LEFT_OUT[k].name);
    }
}

static const struct vector occupancy_rows[] = {
    CHECK("filter.example",
          "threshold 6: a value of 7 or more counts 1, 0 to 6 nothing; COMPLEMENT the reverse",
          .needs = NEED_SSE2, .stages = STAGE_FILTERS, .run = example),
    CHECK("filter.values", "four thresholds against the number of transactions in a queue",
          .needs = NEED_SSE2, .deadline_ms = 2000, .stages = STAGE_FILTERS, .run_item = thresholds,
          .items = &four_thresholds),
    CHECK("filter.sum", "the values of a queue, as a sum and clock by clock", .needs = NEED_SSE2,
          .stages = STAGE_FILTERS, .run_item = sums, .items = &both_queues),
    CHECK("value.queue-directions", "reads and writes in the IOQ add up", .needs = NEED_SSE2,
          .stages = STAGE_COUNT, .run = directions),
    CHECK("value.queue-privilege", "IOQ_active_entries ignores the privilege flags", .needs = NEED_SSE2,
          .stages = STAGE_FLAGS, .run = privilege),
    CHECK("filter.privilege", "COMPLEMENT counts the clocks of events that the flags or the mask leave out",
          .stages = STAGE_FLAGS | STAGE_FILTERS, .run = complement_after_privilege),
    PROBE("probe.filter.highest", "the highest value that the bus queues reach", .also = "10.20 R10",
          .needs = NEED_SSE2, .stages = STAGE_FILTERS, .run = probe_highest),
};
VECTOR_GROUP(occupancy);
