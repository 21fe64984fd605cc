/*
 * Counters on one ESCR whose CCCRs differ in one field, and CCCRs rewritten in that field while they count
 * (18.15.3, 18.15.5.2; R6, R17, R18, R21 to R23, R31, R38, R45).
 *
 * "Each counter has its own CCCR", and what an enabled counter counts is filtered by its fields as they are.
 * So counters that share an ESCR, and so get the same values, must each count by their own filter. All 18
 * counters run at once, each with the event of its block. On each ESCR one counter has the CCCR A and another
 * one has B, which differs from A in one field. By most fields one of the two counts all events or all
 * clocks, and the other one nothing. Then, without a pause, each CCCR is rewritten from A to B or from B to
 * A, and the work is done once more. In the next round the counters change places, and a third counter on
 * the ESCR does so, too. OVF must be set where FORCE_OVF is and something is counted, and nowhere
 * else. A counter with OVF_PMI must raise its PMI when its neighbours overflow without OVF_PMI, and a counter
 * that overflows without OVF_PMI must raise none when its neighbours have OVF_PMI and do not overflow; all
 * others had OVF_PMI until just before. A PMI must go to the logical processor that the counter's own flags
 * name, while those of all its neighbours name the other one, whether or not the neighbours overflow as well.
 */
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/count.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/sibling.h"
#include "tests/suite/sleeper.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/window.h"

#define WORK       40  /* occurrences of each block's event */
#define CLOCKS     100 /* at least so many pass while the work is done */
#define EDGES      4   /* at most, of all clocks: the ESCR gets and loses its event meanwhile */
#define SOON       12  /* counts to an overflow: more than those for which a PMI may come early (E20) */
#define ROUNDS     2
#define PLAIN_RUNS 3
#define TRIES      6 /* a disturbance does not repeat */
#define PHASES     2 /* before and after the CCCRs are rewritten */

/* ACTIVE_THREAD is "any" in a CCCR as it is programmed: what inverts that. */
#define TO_NONE       CCCR_ACTIVE_MASK
#define TO_SINGLE     CCCR_ACTIVE_THREAD(ACTIVE_ANY ^ ACTIVE_SINGLE)
#define TO_BOTH       CCCR_ACTIVE_THREAD(ACTIVE_ANY ^ ACTIVE_BOTH)
#define NO_CLOCK      (CCCR_COMPARE | CCCR_THRESHOLD(15))
#define EVERY_CLOCK   (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15))
#define OTHERWISE_SET (EVERY_CLOCK | CCCR_FORCE_OVF | CCCR_OVF_PMI_T0)

/* What a CCCR lets through. */
enum passes { EVENTS, FEW, NONE, ALL_CLOCKS, ONE_EDGE, PULSES };
/* What the other logical processor does; with ALONE it does not matter whether there is one. */
enum sibling { ALONE, HALTED, RUNNING };

/* clang-format off */
static const struct difference {
    const char *name;
    uint32_t rules;
    uint32_t both, field; /* bits of A and B that differ from the usual CCCR; bits that differ in B */
    uint8_t a, b;         /* enum passes */
    uint8_t sibling;      /* enum sibling */
} DIFFERENCES[] = {
    {"THRESHOLD 0, 1", RULES(R6, R22), CCCR_COMPARE, CCCR_THRESHOLD(1), EVENTS, FEW, ALONE},
    {"THRESHOLD 0, 2", RULES(R6, R22), CCCR_COMPARE, CCCR_THRESHOLD(2), EVENTS, FEW, ALONE},
    {"THRESHOLD 0, 4", RULES(R6, R22), CCCR_COMPARE, CCCR_THRESHOLD(4), EVENTS, FEW, ALONE},
    {"THRESHOLD 0, 8", RULES(R6, R22), CCCR_COMPARE, CCCR_THRESHOLD(8), EVENTS, FEW, ALONE},
    {"COMPARE", RULES(R6, R21), CCCR_THRESHOLD(15), CCCR_COMPARE, EVENTS, NONE, ALONE},
    {"COMPLEMENT", RULES(R6, R22), NO_CLOCK, CCCR_COMPLEMENT, NONE, ALL_CLOCKS, ALONE},
    {"EDGE", RULES(R6, R23), EVERY_CLOCK, CCCR_EDGE, ALL_CLOCKS, ONE_EDGE, ALONE},
    {"FORCE_OVF", RULES(R31, R6), 0, CCCR_FORCE_OVF, EVENTS, EVENTS, ALONE},
    {"FORCE_OVF beside COMPARE", RULES(R31, R6), CCCR_COMPARE, CCCR_FORCE_OVF, EVENTS, EVENTS, ALONE},
    {"FORCE_OVF, counting clocks", RULES(R31, R6), EVERY_CLOCK, CCCR_FORCE_OVF, ALL_CLOCKS, ALL_CLOCKS, ALONE},
    {"FORCE_OVF, counting nothing", RULES(R31, R6), NO_CLOCK, CCCR_FORCE_OVF, NONE, NONE, ALONE},
    {"FORCE_OVF beside EDGE", RULES(R31, R6), CCCR_COMPARE | CCCR_EDGE, CCCR_FORCE_OVF, PULSES, PULSES, ALONE},
    {"COMPARE at threshold 0 beside FORCE_OVF", RULES(R31, R6), CCCR_FORCE_OVF, CCCR_COMPARE, EVENTS, EVENTS, ALONE},
    {"COMPARE beside FORCE_OVF", RULES(R31, R21), CCCR_FORCE_OVF | CCCR_THRESHOLD(15), CCCR_COMPARE, EVENTS, NONE, ALONE},
    {"ENABLE", RULES(R38, R6), 0, CCCR_ENABLE, EVENTS, NONE, ALONE},
    {"ENABLE beside all but EDGE", RULES(R38, R6), OTHERWISE_SET, CCCR_ENABLE, ALL_CLOCKS, NONE, ALONE},
    {"ENABLE beside EDGE", RULES(R38, R6), CCCR_EDGE, CCCR_ENABLE, EVENTS, NONE, ALONE},
    {"ESCR select", RULES(R17, R6), 0, CCCR_ESCR_SELECT_MASK, EVENTS, NONE, ALONE},
    {"ESCR select beside COMPARE", RULES(R17, R6), CCCR_COMPARE, CCCR_ESCR_SELECT_MASK, EVENTS, NONE, ALONE},
    {"ACTIVE_THREAD any, both", RULES(R18, R6), 0, TO_BOTH, EVENTS, NONE, HALTED},
    {"ACTIVE_THREAD any, both, beside COMPARE", RULES(R18, R6), CCCR_COMPARE, TO_BOTH, EVENTS, NONE, HALTED},
    {"ACTIVE_THREAD single, both, counting clocks", RULES(R18, R6), EVERY_CLOCK ^ TO_SINGLE, CCCR_ACTIVE_MASK, ALL_CLOCKS, NONE, HALTED},
    {"ACTIVE_THREAD single, none", RULES(R18, R6), TO_SINGLE, CCCR_ACTIVE_THREAD(ACTIVE_SINGLE), EVENTS, NONE, HALTED},
    {"ACTIVE_THREAD any, single", RULES(R18, R6), 0, TO_SINGLE, EVENTS, NONE, RUNNING},
    {"ACTIVE_THREAD any, single, beside COMPARE", RULES(R18, R6), CCCR_COMPARE, TO_SINGLE, EVENTS, NONE, RUNNING},
    {"ACTIVE_THREAD both, single, counting clocks", RULES(R18, R6), EVERY_CLOCK ^ TO_BOTH, CCCR_ACTIVE_MASK, ALL_CLOCKS, NONE, RUNNING},
    {"ACTIVE_THREAD both, single, beside FORCE_OVF", RULES(R18, R31), CCCR_FORCE_OVF ^ TO_BOTH, CCCR_ACTIVE_MASK, EVENTS, NONE, RUNNING},
    {"ACTIVE_THREAD any, none", RULES(R18, R6), 0, TO_NONE, EVENTS, NONE, RUNNING},
};
/* clang-format on */

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
static uint32_t cccr[PHASES][PMC_COUNTERS]; /* the CCCRs as run() writes them */

/* What a run has shown. */
struct seen {
    uint64_t counts[PHASES][PMC_COUNTERS];
    uint32_t overflows[PHASES];
};

/* Program all counters, each with the event of its block. */
static void prepare(void)
{
    pmc_clear(&machine_cpu);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        program[n] = stimulus_program(stimulus_a(n), n);
        pmc_preset(n, n % 3 ? 0 : COUNTER_OVERFLOW_IN(1ull << 38)); /* FORCE_OVF acts at any value */
        cccr[0][n] = cccr[1][n] = pmc_cccr_enabled(&program[n]);
    }
}

/* The counters run from the first phase to the end of the last one. The ESCRs have their events while the
 * work is done alone, and in phases before `first` not at all. */
static void run(struct seen *seen, unsigned first)
{
    struct frame frame;

    frame_init(&frame, 0); /* its WRMSRs are not executed */
    frame_phase(&frame, 0, &work_call, WORK);
    frame_phase(&frame, 1, &work_packed_sp, WORK);
    frame_phase(&frame, 2, &work_jmp, WORK);
    work_prepare_sse();
    const bool were_on = irq_off();
    for (unsigned phase = 0; phase < PHASES; phase++) {
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            msr_write(MSR_CCCR(n), cccr[phase][n]);
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            seen->counts[phase][n] = pmc_read(n);
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            msr_write(program[n].escr_msr, phase < first ? 0 : program[n].escr);
        frame_exercise(&frame);
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            msr_write(program[n].escr_msr, 0);
        seen->overflows[phase] = window_overflows();
        if (phase == PHASES - 1)
            pmc_stop_all();
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            seen->counts[phase][n] = (pmc_read(n) - seen->counts[phase][n]) & COUNTER_MASK;
    }
    irq_restore(were_on);
}

/* 16 and 17 are the third counters of their ESCRs. */
static bool is_b(unsigned n, unsigned round)
{
    return n < 16 ? (n ^ round) & 1 : round;
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
    bool overflows;
};

/* Of counter n with B or A; plain: its count without a filter. */
static struct bounds bounds_of(const struct difference *d, unsigned n, bool b, uint64_t plain,
                               const uint64_t counts[PMC_COUNTERS])
{
    const bool clocks = PMC_COUNTER[n].block == BLOCK_BPU; /* their number differs from run to run */
    const uint64_t spread = clocks ? plain / 2 : stimulus_spread(stimulus_a(n), plain);
    const uint32_t set = d->both ^ (b ? d->field : 0);
    const unsigned passes = b ? d->b : d->a;
    struct bounds bounds = {0, 0, (set & CCCR_FORCE_OVF) && passes != NONE && counts[n] > 0};

    switch (passes) {
    case EVENTS: /* COMPARE counts the events of a clock once, and at most three retire in a clock */
        bounds.low = set & CCCR_COMPARE ? (uint32_t)plain / 3 : plain - spread;
        bounds.high = plain + 2 * spread;
        break;
    case FEW: /* only events that share a clock, which threshold 0 counts once */
        bounds.high = clocks ? 0 : plain + spread - counts[window_twin(n)];
        break;
    case ALL_CLOCKS:
        bounds.low = CLOCKS + plain / 2;
        bounds.high = COUNTER_MASK;
        break;
    case ONE_EDGE:
        bounds.high = EDGES;
        break;
    case PULSES: /* events of adjacent clocks are one */
        bounds.low = !clocks;
        bounds.high = clocks ? EDGES : plain + 2 * spread;
        break;
    default: /* what the gate stops may count at an access (E1) */
        bounds.high = set & CCCR_COMPLEMENT ? ACCESSES_ADD : 0;
        break;
    }
    return bounds;
}

/* What is wrong after a change in flight alone is not wrong between neighbours. */
static uint32_t rules_of(const struct difference *d, unsigned phase)
{
    const bool leads = (uint8_t)d->rules == R6;

    return d->rules >> (phase && leads ? 8 : 0);
}

static const char *const WHEN[PHASES] = {"", ", rewritten so in flight"};

/* Returns whether all was right. */
static bool differ(const struct difference *d, unsigned round, const uint64_t plain[PMC_COUNTERS])
{
    struct seen seen;
    struct bounds bounds[PHASES][PMC_COUNTERS];
    bool right = false;

    for (unsigned tries = 0; !right && tries < TRIES; tries++) {
        prepare();
        for (unsigned phase = 0; phase < PHASES; phase++)
            for (unsigned n = 0; n < PMC_COUNTERS; n++)
                cccr[phase][n] = (cccr[phase][n] ^ d->both) ^ (is_b(n, round) != phase ? field_of(d, n) : 0);
        run(&seen, 0);
        right = true;
        for (unsigned phase = 0; phase < PHASES; phase++)
            for (unsigned n = 0; n < PMC_COUNTERS; n++) {
                const uint64_t *counts = seen.counts[phase];
                const struct bounds due = bounds_of(d, n, is_b(n, round) != phase, plain[n], counts);

                bounds[phase][n] = due;
                right &= !(alive >> n & 1) || (counts[n] >= due.low && counts[n] <= due.high &&
                                               (seen.overflows[phase] >> n & 1) == due.overflows);
            }
    }
    for (unsigned n = 0; n < PHASES * PMC_COUNTERS && !right; n++) {
        const unsigned phase = n / PMC_COUNTERS, counter = n % PMC_COUNTERS;
        const struct bounds *due = &bounds[phase][counter];

        if (!(alive >> counter & 1))
            continue;
        expect_between(
            rules_of(d, phase), due->low, due->high, seen.counts[phase][counter],
            "counts of counter %u, its CCCR %8H%s, others of its ESCR different in %s; plainly %llu", counter,
            cccr[phase][counter], WHEN[phase], d->name, plain[counter]);
        expect_equal(RULES(R31, R28), due->overflows, seen.overflows[phase] >> counter & 1,
                     "OVF of counter %u, its CCCR %8H%s, others of its ESCR different in %s", counter,
                     cccr[phase][counter], WHEN[phase], d->name);
    }
    return right;
}

/* The counters in `overflow` overflow; those in `here` have OVF_PMI for this logical processor, those in
 * `there` for the sibling. Until then it was the other way round, or, without `there`, the others had
 * OVF_PMI. Returns the PMIs taken here. */
static unsigned interrupt(uint32_t overflow, uint32_t here, uint32_t there)
{
    struct seen seen;

    prepare();
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const uint32_t self = ovf_pmi_to(smp_self()), sibling = ovf_pmi_to(smp_self() ^ 1);
        const bool is_here = here >> n & 1, is_there = there >> n & 1;

        cccr[0][n] |= !is_here ? self : there ? sibling : 0;
        cccr[1][n] |= is_here ? self : is_there ? sibling : 0;
        pmc_preset(n, overflow >> n & 1 ? COUNTER_OVERFLOW_IN(SOON) : 0);
    }
    pmi_arm(LVT_DELIVERY_FIXED);
    if (there)
        sleeper_open();
    run(&seen, 1);
    pmi_wait_for_delivery();
    const unsigned taken = pmi_taken(smp_self());
    pmi_disarm();
    return taken;
}

/* The least count of some plain runs is taken: an SMI or NMI adds events. */
static void count_plainly(uint64_t plain[PMC_COUNTERS])
{
    struct seen seen;

    for (unsigned i = 0; i < PLAIN_RUNS; i++) {
        prepare();
        run(&seen, 0);
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            plain[n] = i == 0 || seen.counts[0][n] < plain[n] ? seen.counts[0][n] : plain[n];
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (alive >> n & 1)
            require_true(R27, plain[n] >= WORK, "counter %u counts %llu of %u events", n, plain[n], WORK);
}

/* Ends with the first difference that is wrong. */
static bool differ_while(enum sibling sibling)
{
    uint64_t plain[PMC_COUNTERS] = {0};
    bool right = true;

    count_plainly(plain);
    for (const struct difference *d = DIFFERENCES; d < DIFFERENCES + COUNT_OF(DIFFERENCES); d++)
        for (unsigned round = 0; round < ROUNDS && right && d->sibling == sibling; round++)
            right = differ(d, round, plain);
    return right;
}

static void each_by_its_own(void)
{
    alive = counter_is_dead(1) ? WINDOW_ALL & ~2u : WINDOW_ALL;
    if (!differ_while(ALONE) || !(machine_meets() & NEED_SIBLING) || !differ_while(HALTED))
        return;
    sibling_spin_begin(SIBLING_MASKED);
    differ_while(RUNNING);
    sibling_spin_end();
}

/* The PMI of counter n goes to one logical processor, those of all others to the other one: n overflows
 * alone, or together with them. */
static void pmi_to_its_own(void)
{
    const unsigned self = smp_self();

    sleeper_begin();
    for (unsigned i = 0; i < 2 * PMC_COUNTERS; i++) {
        const unsigned n = i / 2, its_lp = self ^ i % 2;
        const bool all = (i ^ n) % 2;
        const uint32_t its = 1u << n, others = WINDOW_ALL & ~its;

        if (counter_is_dead(n))
            continue;
        interrupt(all ? WINDOW_ALL : its, its_lp == self ? its : others, its_lp == self ? others : its);
        for (unsigned lp = 0; lp < 2; lp++)
            expect_equal(RULES(R45, R56, R6), pmi_due(lp, all || lp == its_lp, pmi_taken(lp)), pmi_taken(lp),
                         "PMIs on LP%u, that of counter %u to LP%u, those of the others not; %s", lp, n,
                         its_lp, all ? "all overflow" : "it overflows alone");
    }
    sleeper_end();
}

static void pmi_by_its_own(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t flagged = 0;

        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            flagged |= (uint32_t)is_b(n, round) << n;
        expect_equal(RULES(R45, R6), 0, interrupt(~flagged & WINDOW_ALL, flagged, 0),
                     "PMIs while counters that have lost OVF_PMI overflow and those with it, %5H, do not",
                     flagged);
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!counter_is_dead(n)) {
            const unsigned taken = interrupt(WINDOW_ALL, 1u << n, 0);
            expect_equal(RULES(R45, R6), pmi_due(smp_self(), true, taken), taken,
                         "PMIs while all counters overflow, and counter %u alone has OVF_PMI, set in flight",
                         n);
        }
    if (machine_meets() & NEED_SIBLING)
        pmi_to_its_own();
}

static const struct vector differ_rows[] = {
    CHECK("filter.differ", "counters on one ESCR, their CCCRs different in one field: each by its own",
          .needs = NEED_SSE2, .deadline_ms = 5000, .run = each_by_its_own),
    CHECK("pmi.differ", "OVF_PMI of one counter, not of its neighbours", .also = "E5",
          .needs = NEED_SSE2 | NEED_LAPIC, .deadline_ms = 5000, .run = pmi_by_its_own),
};
VECTOR_GROUP(differ);
