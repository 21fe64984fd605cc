/*
 * Counters on one ESCR whose CCCRs differ in one field (18.15.3, 18.15.5.2; R6, R17, R18, R21 to R23, R31,
 * R38, R45).
 *
 * "Each counter has its own CCCR." So counters that share an ESCR, and so get the same values, must each
 * count by their own filter. All 18 counters run at once, each with the event of its block. On each ESCR one
 * counter has the CCCR A and another one has B, which differs from A in one field. By most fields one of the
 * two counts all events or all clocks, and the other one nothing. Then they change places; a third counter on
 * the ESCR has A twice and B once. OVF must be set where FORCE_OVF is, and nowhere else. A counter with
 * OVF_PMI must raise its PMI when its neighbours overflow without OVF_PMI, and a counter that overflows
 * without OVF_PMI must raise none when its neighbours have OVF_PMI and do not overflow.
 */
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/count.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/window.h"

#define WORK       40  /* occurrences of each block's event */
#define CLOCKS     100 /* at least so many pass while the work is done */
#define EDGES      4   /* at most, of all clocks: the ESCR gets and loses its event meanwhile */
#define SOON       12  /* counts to an overflow: more than those for which a PMI may come early (E20) */
#define ROUNDS     3
#define PLAIN_RUNS 3
#define TRIES      6 /* a disturbance does not repeat */
#define ANY_MASK   CCCR_ACTIVE_THREAD(ACTIVE_ANY ^ ACTIVE_BOTH)

/* What a CCCR lets through. */
enum passes { EVENTS, FEW, NONE, ALL_CLOCKS, ONE_EDGE };

static const struct difference {
    const char *name, *rules;
    uint32_t both, field; /* bits that A and B have beside the usual; bits that differ in B */
    uint8_t a, b;         /* enum passes */
} DIFFERENCES[] = {
    {"THRESHOLD 0, 1", "R6 R22", CCCR_COMPARE, CCCR_THRESHOLD(1), EVENTS, FEW},
    {"THRESHOLD 0, 2", "R6 R22", CCCR_COMPARE, CCCR_THRESHOLD(2), EVENTS, FEW},
    {"THRESHOLD 0, 4", "R6 R22", CCCR_COMPARE, CCCR_THRESHOLD(4), EVENTS, FEW},
    {"THRESHOLD 0, 8", "R6 R22", CCCR_COMPARE, CCCR_THRESHOLD(8), EVENTS, FEW},
    {"COMPARE", "R6 R21", CCCR_THRESHOLD(15), CCCR_COMPARE, EVENTS, NONE},
    {"COMPLEMENT", "R6 R22", CCCR_COMPARE | CCCR_THRESHOLD(15), CCCR_COMPLEMENT, NONE, ALL_CLOCKS},
    {"EDGE", "R6 R23", CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15), CCCR_EDGE, ALL_CLOCKS, ONE_EDGE},
    {"FORCE_OVF", "R31 R6", 0, CCCR_FORCE_OVF, EVENTS, EVENTS},
    {"ENABLE", "R38 R6", 0, CCCR_ENABLE, EVENTS, NONE},
    {"ACTIVE_THREAD", "R18 R6", 0, ANY_MASK, EVENTS, NONE},
    {"ESCR select", "R17 R6", 0, CCCR_ESCR_SELECT_MASK, EVENTS, NONE},
};

/* Events of another ESCR of the block, for its ESCR select; that ESCR is never written. */
static const struct {
    uint8_t event;
    uint16_t mask;
} OTHER[] = {
    [BLOCK_BPU] = {EVENT_MOB_LOAD_REPLAY, 0},
    [BLOCK_MS] = {EVENT_UOP_QUEUE_WRITES, 0},
    [BLOCK_FLAME] = {EVENT_MEMORY_COMPLETE, 0},
    [BLOCK_IQ] = {EVENT_UOPS_RETIRED, 0},
};

static uint32_t alive; /* the counters that are not dead */
static struct pmc_programming program[PMC_COUNTERS];
static uint32_t cccr[PMC_COUNTERS]; /* the CCCRs as run() writes them */

/* Program all counters, each with the event of its block. */
static void prepare(void)
{
    pmc_clear(&machine_cpu);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        program[n] = stimulus_program(stimulus_a(n), n);
        cccr[n] = pmc_cccr_enabled(&program[n]);
    }
}

static void run(uint64_t counts[PMC_COUNTERS], uint32_t *overflows)
{
    struct frame frame;

    frame_init(&frame, 0); /* its WRMSRs are not executed */
    frame_phase(&frame, 0, &work_call, WORK);
    frame_phase(&frame, 1, &work_packed_sp, WORK);
    frame_phase(&frame, 2, &work_jmp, WORK);
    work_prepare_sse();
    const bool were_on = irq_off();
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        msr_write(MSR_CCCR(n), cccr[n]);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        msr_write(program[n].escr_msr, program[n].escr);
    frame_exercise(&frame);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        msr_write(program[n].escr_msr, 0);
    irq_restore(were_on);
    *overflows = window_overflows();
    pmc_stop_all();
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        counts[n] = pmc_read(n);
}

/* In the third round the third counters of the ESCRs that have three differ, too. */
static bool is_b(unsigned n, unsigned round)
{
    return n < 16 ? (n ^ round) & 1 : round == 2;
}

static uint32_t field_of(const struct difference *d, unsigned n)
{
    struct pmc_programming other;

    if (d->field != CCCR_ESCR_SELECT_MASK)
        return d->field;
    pmc_program(&other, OTHER[PMC_COUNTER[n].block].event, OTHER[PMC_COUNTER[n].block].mask, 0, n);
    return (other.cccr ^ program[n].cccr) & CCCR_ESCR_SELECT_MASK;
}

struct bounds {
    uint64_t low, high;
};

static struct bounds bounds_of(const struct difference *d, unsigned n, bool b,
                               const uint64_t plain[PMC_COUNTERS], const uint64_t counts[PMC_COUNTERS])
{
    const bool clocks = PMC_COUNTER[n].block == BLOCK_BPU; /* their number differs from run to run */
    const uint64_t spread = clocks ? plain[n] / 2 : stimulus_spread(stimulus_a(n), plain[n]);
    struct bounds bounds = {0, 0};

    switch (b ? d->b : d->a) {
    case EVENTS: /* COMPARE counts the events of a clock once, and at most three retire in a clock */
        bounds.low = d->both & CCCR_COMPARE ? (uint32_t)plain[n] / 3 : plain[n] - spread;
        bounds.high = plain[n] + 2 * spread;
        break;
    case FEW: /* only events that share a clock, which threshold 0 counts once */
        bounds.high = clocks ? 0 : plain[n] + spread - counts[window_twin(n)];
        break;
    case ALL_CLOCKS:
        bounds.low = CLOCKS + plain[n] / 2;
        bounds.high = COUNTER_MASK;
        break;
    case ONE_EDGE:
        bounds.high = EDGES;
        break;
    }
    return bounds;
}

static void differ(const struct difference *d, unsigned round, const uint64_t plain[PMC_COUNTERS])
{
    uint64_t counts[PMC_COUNTERS];
    struct bounds bounds[PMC_COUNTERS];
    uint32_t overflows, due = 0;
    bool right = false;

    for (unsigned tries = 0; !right && tries < TRIES; tries++) {
        prepare();
        for (unsigned n = 0; n < PMC_COUNTERS; n++) {
            const bool b = is_b(n, round);

            cccr[n] = (cccr[n] | d->both) ^ (b ? field_of(d, n) : 0);
            due |= (uint32_t)(b && (d->field & CCCR_FORCE_OVF)) << n;
        }
        run(counts, &overflows);
        right = ((overflows ^ due) & alive) == 0;
        for (unsigned n = 0; n < PMC_COUNTERS; n++) {
            bounds[n] = bounds_of(d, n, is_b(n, round), plain, counts);
            right &= !(alive >> n & 1) || (counts[n] >= bounds[n].low && counts[n] <= bounds[n].high);
        }
    }
    for (unsigned n = 0; n < PMC_COUNTERS && !right; n++)
        if (alive >> n & 1) {
            expect_between(
                d->rules, bounds[n].low, bounds[n].high, counts[n],
                "counts of counter %u, its CCCR %8H, others of its ESCR different in %s; plainly %llu", n,
                cccr[n], d->name, plain[n]);
            expect_equal("R31 R28", due >> n & 1, overflows >> n & 1,
                         "OVF of counter %u, its CCCR %8H, others of its ESCR different in %s", n, cccr[n],
                         d->name);
        }
}

/* Returns the PMIs taken while the counters in `overflow` overflow and those in `flags` have OVF_PMI. */
static unsigned interrupt(uint32_t overflow, uint32_t flags)
{
    uint64_t counts[PMC_COUNTERS];
    uint32_t overflows;

    prepare();
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (flags >> n & 1)
            cccr[n] |= ovf_pmi_to(smp_self());
        pmc_preset(n, overflow >> n & 1 ? COUNTER_OVERFLOW_IN(SOON) : 0);
    }
    pmi_arm(LVT_DELIVERY_FIXED);
    run(counts, &overflows);
    pmi_wait_for_delivery();
    const unsigned taken = pmi_taken(smp_self());
    pmi_disarm();
    return taken;
}

static void each_by_its_own(void)
{
    uint64_t plain[PMC_COUNTERS], counts[PMC_COUNTERS];
    uint32_t overflows;

    alive = counter_is_dead(1) ? WINDOW_ALL & ~2u : WINDOW_ALL;
    for (unsigned i = 0; i < PLAIN_RUNS; i++) { /* the least count is taken: an SMI or NMI adds events */
        prepare();
        run(counts, &overflows);
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            plain[n] = i == 0 || counts[n] < plain[n] ? counts[n] : plain[n];
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (alive >> n & 1)
            require_true("R27", plain[n] >= WORK, "counter %u counts %llu of %u events", n, plain[n], WORK);
    for (const struct difference *d = DIFFERENCES; d < DIFFERENCES + COUNT_OF(DIFFERENCES); d++)
        for (unsigned round = 0; round < ROUNDS; round++)
            if (d->field != ANY_MASK || (machine_meets() & NEED_SIBLING))
                differ(d, round, plain);
}

static void pmi_by_its_own(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t flagged = 0;

        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            flagged |= (uint32_t)is_b(n, round) << n;
        expect_equal("R45 R6", 0, interrupt(~flagged & WINDOW_ALL, flagged),
                     "PMIs while counters without OVF_PMI overflow and those with it, %5H, do not", flagged);
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!counter_is_dead(n))
            expect_equal("R45 R6", 1, interrupt(WINDOW_ALL, 1u << n),
                         "PMIs while all counters overflow, and counter %u alone has OVF_PMI", n);
}

static const struct vector differ_rows[] = {
    CHECK("filter.differ", "counters on one ESCR, their CCCRs different in one field: each by its own",
          .rules = "R6 R17 R18 R21 R22 R23 R27 R28 R31 R38", .needs = NEED_SSE2, .deadline_ms = 5000,
          .run = each_by_its_own),
    CHECK("pmi.differ", "OVF_PMI of one counter, not of its neighbours", .rules = "R6 R45",
          .needs = NEED_SSE2 | NEED_LAPIC, .deadline_ms = 5000, .run = pmi_by_its_own),
};
VECTOR_GROUP(differ);
