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
#include "tests/suite/expect.h"
#include "tests/suite/measure.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/witness.h"

/* Returns another counter of the measurement on the ESCR of c whose number is even, or odd, as this one;
 * null: there is none. */
static const struct measured *twin(const struct measurement *m, const struct measured *c, unsigned part)
{
    for (const struct measured *t = m->of; t < m->of + m->counters; t++)
        if (t != c && t->p.escr_msr == c->p.escr_msr && t->p.counter % 2 == part)
            return t;
    return NULL;
}

struct counted_work {
    struct measurement *m;
    void (*work)(uint32_t n);
    uint32_t n;
};

static void run_once(void *arg)
{
    const struct counted_work *w = arg;
    bool were_on = irq_off();

    measure_arm(w->m, ALL_COUNTERS);
    const struct witness_window window = witness_open();
    measure_open(w->m);
    w->work(w->n);
    measure_close(w->m);
    witness_close(&window, witness_key(witness_key(w->m->counters, (uint32_t)(uintptr_t)w->work), w->n));
    irq_restore(were_on);
}

static void run(struct measurement *m, void (*work)(uint32_t n), uint32_t n)
{
    undisturbed(run_once, &(struct counted_work){m, work, n});
}

static void use_block(struct measurement *m, enum pmc_block block, enum pmc_event_id event, uint16_t mask,
                      uint32_t filter)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (PMC_COUNTER[n].block == block && !counter_is_dead(n))
            measure_add_event(m, event, mask, n, filter);
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

static void judge_carry(const struct measured *c, const struct measured *twin, unsigned bit)
{
    const uint64_t count = counts_of(twin), sum = c->preset + count;
    const unsigned n = c->p.counter;

    expect_true(RULES(R27, R17), count > 0, "counter %C, the twin, has counted", twin->p.counter);
    expect_register(RULES(R27, R28), sum & COUNTER_MASK, c->value,
                    "counter %C from %10llH, after %llu counts of its twin %C with a carry into bit %u", n,
                    c->preset, count, twin->p.counter, bit);
    expect_equal(sum > COUNTER_MASK ? RULES(R29, R28) : RULES(R28, R29), sum > COUNTER_MASK, c->overflowed,
                 "OVF of counter %C after a carry into bit %u", n, bit);
}

/* The counters of one part start below the carry, the others from 0. */
static void carry_into(struct measurement *m, void (*work)(uint32_t n), unsigned bit, unsigned part,
                       bool above)
{
    const uint64_t below = (1ull << bit) - BEFORE_CARRY, higher = COUNTER_MASK & -(2ull << bit);

    for (struct measured *c = m->of; c < m->of + m->counters; c++)
        c->preset = c->p.counter % 2 == part ? below | (above ? higher : 0) : 0;
    run(m, work, OCCURRENCES);
    for (const struct measured *c = m->of; c < m->of + m->counters; c++)
        if (c->p.counter % 2 == part && twin(m, c, part ^ 1))
            judge_carry(c, twin(m, c, part ^ 1), bit);
}

/* Each CPUID makes one pulse of retired instructions. */
static void pulses(uint32_t n)
{
    work_exercise(&work_cpuid_leaf_0, n);
}

/* Counters with EDGE carry alike, into the last bit and out of it. */
static void edge_carries(void)
{
    struct measurement m = {.counters = 0};

    use_block(&m, BLOCK_IQ, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, CCCR_COMPARE | CCCR_EDGE);
    for (unsigned bit = COUNTER_BITS - 1; bit <= COUNTER_BITS; bit++)
        for (unsigned part = 0; part < 2; part++)
            carry_into(&m, pulses, bit, part, false);
}

static void carries(void)
{
    struct measurement m = {.counters = 0};

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmc_programming p = stimulus_prepared(stimulus_a(n), n);

        if (!counter_is_dead(n))
            measure_add(&m, &p, 0);
    }
    for (unsigned bit = FIRST_CARRY; bit <= COUNTER_BITS; bit++)
        for (unsigned part = 0; part < 2; part++)
            carry_into(&m, every_block, bit, part, bit % 2 == part);
    edge_carries();
}

/* ---- Many counts ---- */

#define MANY_CLOCKS 11000000 /* of the TSC: ten million of the core's, unless it is throttled */
/* A throttled core has at least one clock in so many ticks. The least duty cycle is an eighth (SDM vol.
 * 3, 14.7.3); half of it is allowed, for stops at both ends, and for a modulation whose timer is not exact.
 */
#define THROTTLED  16
#define MANY_LAPS  550000 /* of two instructions: more than 2^20 */
#define CHUNK_LAPS 25000  /* short beside the time between two SMIs */
#define FEWER_LAPS 17000  /* more than 2^14 */

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

static void judge_twins(const struct measurement *m, uint64_t least)
{
    for (const struct measured *c = m->of; c < m->of + m->counters; c++) {
        const uint64_t count = counts_of(c);
        const struct measured *other = twin(m, c, c->p.counter % 2 ^ 1);

        if (other != NULL &&
            expect_true(R27, count >= least, "counter %C has counted %llu, at least %llu", c->p.counter,
                        count, least) &&
            c > other)
            expect_equal(R27, counts_of(other), count, "counts of counter %C, none lost against its twin %C",
                         c->p.counter, other->p.counter);
    }
}

static void ten_million_clocks(void)
{
    struct measurement m = {.counters = 0};

    use_block(&m, BLOCK_BPU, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, 0);
    run(&m, clocks, MANY_CLOCKS);
    judge_twins(&m, MANY_CLOCKS / THROTTLED);
}

/* The count of the same code without a lap. */
static uint64_t overhead(const void *measurement)
{
    struct measurement m = *(const struct measurement *)measurement;

    run(&m, laps, 0);
    return counts_of(&m.of[0]);
}

/* The instructions are counted in chunks, each from where the last one ended. A chunk that has lasted over an
 * SMI or an NMI, whose handler's instructions are counted too, is run again from the same preset. */
static void million_instructions(void)
{
    struct measurement m = {.counters = 0};

    measure_add_event(&m, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, 12, 0);
    const uint64_t due = least_of(overhead, &m) + CHUNK_LAPS * work_loop.instructions;
    for (unsigned laps_done = 0; laps_done < MANY_LAPS; laps_done += CHUNK_LAPS) {
        run(&m, laps, CHUNK_LAPS);
        expect_equal(RULES(R27, R28), due, counts_of(&m.of[0]),
                     "instructions counted by counter 12 from %llu, %u laps of %u, none lost", m.of[0].preset,
                     CHUNK_LAPS, work_loop.instructions);
        m.of[0].preset += due;
    }
}

/* The other blocks count conditional branches, packed_SP uops and instructions. */
static void all_others(void)
{
    struct measurement m = {.counters = 0};

    use_block(&m, BLOCK_MS, EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CONDITIONAL, 0);
    use_block(&m, BLOCK_FLAME, EVENT_PACKED_SP_UOP, FIRM_ALL, 0);
    use_block(&m, BLOCK_IQ, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, 0);
    work_prepare_sse();
    run(&m, laps_and_sleds, FEWER_LAPS);
    judge_twins(&m, FEWER_LAPS - 1);
}

static void many_counts(void)
{
    ten_million_clocks();
    million_instructions();
    all_others();
}

static const struct vector carry_rows[] = {
    CHECK("overflow.carries", "every counter carries into every bit, and overflows out of bit 39 alone",
          .deadline_ms = 5000, .stages = STAGE_OVERFLOW | STAGE_COUNTERS, .run = carries),
    CHECK("count.long", "of ten million clocks and a million instructions no count is lost",
          .deadline_ms = 5000, .stages = STAGE_COUNTERS, .run = many_counts),
};
VECTOR_GROUP(carry);
