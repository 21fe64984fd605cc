/*
 * An overflow starts its partners and nothing else (18.15.2, 18.15.5.6, Table 18-65; R34, R35).
 *
 * All counters but X are armed at once, with CASCADE or with bit 11, on 0F43H also where that bit is
 * reserved: no effect may follow from it there (9.5.2), which other parts report (10.8d). Each is programmed
 * to count the event that stimulus_a() has for its block. X overflows, and then every block gets work. The
 * counters that X may start must have moved; any other counter that leaves its preset shows a cascade that
 * must not exist. Counter 17 may be started by 13 or by 15 (question 10.2), so cascade.17 judges it when X is
 * one of these.
 */
#include "cascade.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

/* The preset of each Y: one that is started must not overflow and start others in its turn. */
#define FAR_FROM_OVERFLOW COUNTER_OVERFLOW_IN(1ull << 39)

/* Bit 11 is reserved where it has no name, and no check writes a reserved bit: but on this part it is on
 * record that the write is harmless and the bit is not kept (pmu-rules 3.4). */
static bool ignores_reserved_bit_11(void)
{
    return machine_cpu.signature == SIGNATURE_F43;
}

static bool is_armed(unsigned y, unsigned x, bool extended)
{
    return y != x && (!extended || PMC_COUNTER[y].extended_from != PMC_NONE || ignores_reserved_bit_11());
}

static bool may_start(unsigned y, unsigned x, bool extended)
{
    if (extended)
        return PMC_COUNTER[y].extended_from == (int)x;
    return PMC_COUNTER[y].cascade_from == (int)x || PMC_COUNTER[y].cascade_from_alternative == (int)x;
}

/* n of the events that this counter counts. */
static void exercise(unsigned counter, uint32_t n)
{
    enum stimulus_id id = stimulus_a(counter);

    stimulus_prepare(id);
    work_exercise(STIMULUS[id].work, n);
}

static void arm_all(unsigned x, bool extended)
{
    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        struct pmc_programming p = stimulus_program(stimulus_a(y), y);
        if (!is_armed(y, x, extended))
            continue;
        require_true(R4, pmc_arm(&p, FAR_FROM_OVERFLOW), "counter %C holds its preset", y);
        if (extended) /* a 1 in a reserved bit may fault, by the manual */
            msr_try_write(MSR_CCCR(y), pmc_cccr_extended(&p));
        else
            pmc_arm_cascade(&p);
    }
}

static void isolate(unsigned x, bool extended)
{
    struct pmc_programming p = stimulus_program(stimulus_a(x), x);
    const bool dead_1 = counter_is_dead(1); /* its start may be as dead as its ENABLE (E4) */

    arm_all(x, extended);
    pmc_arm(&p, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_X));
    pmc_start(&p);
    exercise(x, EXAMPLE_18_1_X);
    if (!expect_true(RULES(R29, R28), pmc_overflowed(x), "OVF of counter %C", x))
        return;
    for (unsigned y = 0; y < PMC_COUNTERS; y++)
        if (PMC_COUNTER[y].block != PMC_COUNTER[x].block)
            exercise(y, VISIBLE);
    exercise(x, VISIBLE);
    pmc_stop_all(); /* an access to a counter that selects an event may add to it (E1) */

    for (unsigned y = 0; y < PMC_COUNTERS; y++) {
        if (!is_armed(y, x, extended) || (y == 1 && dead_1))
            continue;
        if (!may_start(y, x, extended))
            expect_register(extended ? RULES(R35, R33) : RULES(R34, R33), FAR_FROM_OVERFLOW, pmc_read(y),
                            "counter %C, which the overflow of %C must not start", y, x);
        else if (extended || PMC_COUNTER[y].cascade_from_alternative == PMC_NONE)
            expect_true(extended ? RULES(R35, R33) : RULES(R34, R33), pmc_read(y) != FAR_FROM_OVERFLOW,
                        "counter %C, which the overflow of %C starts, has moved", y, x);
    }
}

static void isolate_each(bool extended)
{
    for (unsigned x = 0; x < PMC_COUNTERS; x++) {
        if (counter_is_dead(x))
            continue;
        pmc_clear(&machine_cpu);
        isolate(x, extended);
    }
}

static void isolate_plain(void)
{
    isolate_each(false);
}

static void isolate_extended(void)
{
    isolate_each(true);
}

static const struct vector isolation_rows[] = {
    CHECK("cascade.only", "all others armed with CASCADE: an overflow starts its partners and nothing else",
          .deadline_ms = 5000, .stages = STAGE_CASCADE, .run = isolate_plain),
    CHECK("cascade.extended.only", "all others armed with bit 11: the same", .also = "9.5.2",
          .needs = NEED_EXTENDED_CASCADE, .deadline_ms = 5000, .stages = STAGE_EXTENDED,
          .run = isolate_extended),
};
VECTOR_GROUP(isolation);
