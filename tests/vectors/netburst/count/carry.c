/*
 * A counter adds what its ESCR presents, over all of its 40 bits (18.15.2, 18.15.5.5; R27, R28).
 *
 * The ESCRs get their events only when all counters run, and lose them before anything is read. So all
 * counters of an ESCR see exactly the same events, however often silicon counts an occurrence, and each is
 * judged by a twin on its ESCR that starts from 0:
 *   - A counter that starts just below 2^b, with all higher bits 0 or all 1, must have advanced as far as its
 *     twin when the carry has gone into bit b. OVF must be set exactly if the carry went out of bit 39. Twins
 *     change places, so a carry that is lost, that sticks or that goes too far shows on each counter. In the
 *     IQ block the same is asked of counters with EDGE.
 *   - Ten million clocks pass, and a million instructions retire. A counter that loses one count in many has
 *     advanced less than its twin. Retired instructions are exact, so there the number itself is known.
 */
#include "kernel/x86/cpu.h"
#include "kernel/run/pmi.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"
#include "pmc/out_of_line.h"

/* All counters: what they count, from where, and what they held in the end. A counter that is dead (E4), and
 * one that has nothing to count, is left out. */
struct all {
    struct pmc_programming p[PMC_COUNTERS];
    bool used[PMC_COUNTERS];
    uint64_t preset[PMC_COUNTERS], value[PMC_COUNTERS];
    bool overflowed[PMC_COUNTERS];
};

OUT_OF_LINE static uint64_t advance(const struct all *all, unsigned n)
{
    return (all->value[n] - all->preset[n]) & COUNTER_MASK;
}

/* Returns another counter of the same ESCR that takes this part, or n itself if there is none. */
static unsigned twin_of(const struct all *all, unsigned n, unsigned part)
{
    for (unsigned t = 0; t < PMC_COUNTERS; t++)
        if (t != n && all->used[t] && all->p[t].escr_msr == all->p[n].escr_msr && t % 2 == part)
            return t;
    return n;
}

static void run_all(struct all *all, void (*work)(uint32_t n), uint32_t n)
{
    pmc_stop_all();
    bool were_on = irq_off();
    for (unsigned c = 0; c < PMC_COUNTERS; c++) {
        struct pmc_programming silent = all->p[c];

        silent.escr = 0;
        if (!all->used[c])
            continue;
        pmc_arm(&silent, all->preset[c]);
        pmc_start(&silent);
    }
    for (unsigned c = 0; c < PMC_COUNTERS; c++)
        if (all->used[c] && msr_read(all->p[c].escr_msr) == 0)
            msr_write(all->p[c].escr_msr, all->p[c].escr);
    work(n);
    for (unsigned c = 0; c < PMC_COUNTERS; c++)
        if (all->used[c])
            msr_write(all->p[c].escr_msr, 0);
    for (unsigned c = 0; c < PMC_COUNTERS; c++) {
        all->value[c] = pmc_read(c);
        all->overflowed[c] = pmc_overflowed(c);
    }
    irq_restore(were_on);
}

static void use_block(struct all *all, enum pmc_block block, enum pmc_event_id event, uint16_t mask)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (PMC_COUNTER[n].block != block || counter_is_dead(n))
            continue;
        all->used[n] = true;
        pmc_program(&all->p[n], event, mask, escr_self_all(), n);
    }
}

/* ---- Carries ---- */

#define FIRST_CARRY  6 /* the twins, which count from 0, carry into the bits below */
#define BEFORE_CARRY 20
#define OCCURRENCES  64 /* of each block's event */

/* Work that makes events for every block: CALLs and taken branches, packed_SP uops, and clocks. */
static void every_block(uint32_t n)
{
    work_exercise(&work_call, n);
    work_exercise(&work_packed_sp, n);
}

static void judge_carry(const struct all *all, unsigned n, unsigned twin, unsigned bit)
{
    const uint64_t counted = advance(all, twin), sum = all->preset[n] + counted;

    expect_register(RULES(R27, R28), sum & COUNTER_MASK, all->value[n],
                    "counter %u from %10llH, after %llu counts of its twin %u with a carry into bit %u", n,
                    all->preset[n], counted, twin, bit);
    expect_equal(sum > COUNTER_MASK ? RULES(R29, R28) : R28, sum > COUNTER_MASK, all->overflowed[n],
                 "OVF of counter %u after a carry into bit %u", n, bit);
}

/* The counters of one part start below the carry, the others from 0. */
static void carry_into(struct all *all, void (*work)(uint32_t n), unsigned bit, unsigned part, bool above)
{
    const uint64_t below = (1ull << bit) - BEFORE_CARRY, higher = COUNTER_MASK & -(2ull << bit);

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        all->preset[n] = n % 2 == part ? below | (above ? higher : 0) : 0;
    run_all(all, work, OCCURRENCES);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        unsigned twin = twin_of(all, n, part ^ 1);

        if (all->used[n] && n % 2 == part && twin != n)
            judge_carry(all, n, twin, bit);
    }
}

/* Each CPUID makes one pulse of retired instructions. */
static void pulses(uint32_t n)
{
    work_exercise(&work_cpuid_leaf_0, n);
}

/* Counters with EDGE carry alike, into the last bit and out of it. */
static void edge_carries(void)
{
    struct all all = {0};

    use_block(&all, BLOCK_IQ, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        all.p[n].cccr |= CCCR_COMPARE | CCCR_EDGE;
    for (unsigned bit = COUNTER_BITS - 1; bit <= COUNTER_BITS; bit++)
        for (unsigned part = 0; part < 2; part++)
            carry_into(&all, pulses, bit, part, false);
}

static void carries(void)
{
    struct all all = {0};

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        all.used[n] = !counter_is_dead(n);
        all.p[n] = stimulus_prepared(stimulus_a(n), n);
    }
    for (unsigned bit = FIRST_CARRY; bit <= COUNTER_BITS; bit++)
        for (unsigned part = 0; part < 2; part++)
            carry_into(&all, every_block, bit, part, bit % 2 == part);
    edge_carries();
}

/* ---- Many counts ---- */

#define MANY_CLOCKS 11000000 /* of the TSC: ten million of the core's, unless it is throttled */
#define THROTTLED   8        /* a throttled core has at least one clock in so many ticks */
#define MANY_LAPS   550000   /* of two instructions: more than 2^20 */
#define CHUNK_LAPS  25000    /* short beside the time between two SMIs */
#define MOST_TRIES  5        /* for a chunk to which an SMI or an NMI adds its instructions */
#define FEWER_LAPS  17000    /* more than 2^14 */
#define SHORT_RUNS  4

static void clocks(uint32_t ticks)
{
    for (uint64_t from = rdtsc(); rdtsc() - from < ticks;)
        work_exercise(&work_cpuid_leaf_0, work_cpuid_leaf_0.max_n / 10);
}

static void laps(uint32_t n)
{
    work_exercise(&work_loop, n);
}

static void laps_and_sleds(uint32_t n)
{
    laps(n);
    for (uint32_t done = 0; done < n; done += work_packed_sp.max_n)
        work_exercise(&work_packed_sp, work_packed_sp.max_n);
}

static void judge_twins(const struct all *all, uint64_t least)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const uint64_t counted = advance(all, n);
        unsigned twin = twin_of(all, n, n % 2 ^ 1);

        if (!all->used[n] || twin == n)
            continue;
        if (expect_true(R27, counted >= least, "counter %u has counted %llu, at least %llu", n, counted,
                        least) &&
            n > twin)
            expect_equal(R27, advance(all, twin), counted,
                         "counts of counter %u, none lost against its twin %u", n, twin);
    }
}

static void ten_million_clocks(void)
{
    struct all all = {0};

    use_block(&all, BLOCK_BPU, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING);
    run_all(&all, clocks, MANY_CLOCKS);
    judge_twins(&all, MANY_CLOCKS / THROTTLED);
}

/* Returns the count of the same code without a lap: the least of several runs, since an NMI adds to it. */
static uint64_t overhead_of(struct all *all)
{
    uint64_t least = COUNTER_MASK;

    for (unsigned run = 0; run < SHORT_RUNS; run++) {
        run_all(all, laps, 0);
        if (advance(all, 12) < least)
            least = advance(all, 12);
    }
    return least;
}

/*
 * The instructions are counted in chunks, each from where the last one ended. A chunk that counts too few
 * fails at once. One that counts too many has lasted over an SMI or an NMI, whose handler's instructions are
 * counted too; it is run again, from the same preset.
 */
static void million_instructions(void)
{
    struct all all = {.used = {[12] = true}};

    all.p[12] = stimulus_program(STIMULUS_INSTRUCTIONS, 12);
    const uint64_t due = overhead_of(&all) + CHUNK_LAPS * work_loop.instructions;
    for (unsigned laps_done = 0; laps_done < MANY_LAPS; laps_done += CHUNK_LAPS) {
        unsigned tries = 0;

        do
            run_all(&all, laps, CHUNK_LAPS);
        while (advance(&all, 12) > due && ++tries < MOST_TRIES);
        expect_equal(RULES(R27, R28), due, advance(&all, 12),
                     "instructions counted by counter 12 from %llu, %u laps of %u, none lost", all.preset[12],
                     CHUNK_LAPS, work_loop.instructions);
        all.preset[12] += due;
    }
}

/* The other blocks count conditional branches, packed_SP uops and instructions. */
static void all_others(void)
{
    struct all all = {0};

    use_block(&all, BLOCK_MS, EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CONDITIONAL);
    use_block(&all, BLOCK_FLAME, EVENT_PACKED_SP_UOP, FIRM_ALL);
    use_block(&all, BLOCK_IQ, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS);
    work_prepare_sse();
    run_all(&all, laps_and_sleds, FEWER_LAPS);
    judge_twins(&all, FEWER_LAPS - 1);
}

static void many_counts(void)
{
    ten_million_clocks();
    million_instructions();
    all_others();
}

static const struct vector carry_rows[] = {
    CHECK("overflow.carries", "every counter carries into every bit, and overflows out of bit 39 alone",
          .deadline_ms = 5000, .run = carries),
    CHECK("count.long", "of ten million clocks and a million instructions no count is lost",
          .deadline_ms = 5000, .run = many_counts),
};
VECTOR_GROUP(carry);
