/*
 * Several cascades that start in one clock (18.15.2, 18.15.5.6; R33, R34, R35, R37, R38).
 *
 * All counters on one side of a block overflow in one clock, because they have one ESCR and one preset, and
 * count on alike. Each starts counters of the other side. Those share an ESCR as well, so they must count
 * alike. Then OVF of one X after the other is cleared: what it started must stop, and all others must go on.
 * The last OVF of a block stays set while the next block has its turn. A counter that lags behind was not
 * started, or was stopped with another one.
 */
#include "cascade_twins.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

#define SIDE_MOST  3
#define NEAR_COUNT TWINNED_COUNT
#define FAR        COUNTER_OVERFLOW_IN(1ull << 39)

struct sides {
    struct twinned t; /* the events and the work of both sides */
    uint8_t xs[SIDE_MOST], ys[SIDE_MOST];
    int started_by[SIDE_MOST]; /* PMC_NONE: not armed */
    uint64_t at[SIDE_MOST];
    unsigned count;
    bool extended; /* by bit 11 where the counter has it, else by CASCADE */
};

static unsigned members_of_side(unsigned counter, uint8_t members[SIDE_MOST])
{
    unsigned count = 0;

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (PMC_COUNTER[n].block == PMC_COUNTER[counter].block &&
            PMC_COUNTER[n].side == PMC_COUNTER[counter].side)
            members[count++] = n;
    return count;
}

/* Which counter of the other side starts this one; who starts 17 by CASCADE is open. */
static int partner(const struct sides *s, unsigned y, bool *extended)
{
    const struct pmc_counter *c = &PMC_COUNTER[y];
    const bool has_extended = (machine_meets() & NEED_EXTENDED_CASCADE) && c->extended_from != PMC_NONE &&
                              PMC_COUNTER[c->extended_from].side != c->side;
    const bool has_plain = c->cascade_from_alternative == PMC_NONE;

    *extended = has_extended && (s->extended || !has_plain);
    return *extended ? c->extended_from : has_plain ? c->cascade_from : PMC_NONE;
}

static void arm(struct sides *s)
{
    struct pmc_programming y = s->t.y.p, x = s->t.x.p;

    x.escr = y.escr = 0;
    for (unsigned i = 0; i < s->count; i++) {
        bool extended;

        y.counter = s->ys[i];
        s->started_by[i] = partner(s, y.counter, &extended);
        require_true(R4, pmc_arm(&y, FAR), "counter %u holds its preset", y.counter);
        s->at[i] = FAR;
        if (extended)
            pmc_arm_extended_cascade(&y);
        else if (s->started_by[i] != PMC_NONE)
            pmc_arm_cascade(&y);
    }
    for (unsigned i = 0; i < s->count; i++) {
        x.counter = s->xs[i];
        require_true(R4, pmc_arm(&x, COUNTER_OVERFLOW_IN(NEAR_COUNT)), "counter %u holds its preset",
                     x.counter);
        pmc_start(&x);
    }
}

static void work_with(const struct watched *w)
{
    msr_write(w->p.escr_msr, w->p.escr);
    work_exercise(w->work, w->laps);
    msr_write(w->p.escr_msr, 0);
}

/* X's events: each X overflows, and counts on with the others (R37). */
static bool overflow(const struct sides *s)
{
    uint64_t first;

    work_with(&s->t.x);
    first = pmc_read(s->xs[0]);
    if (!expect_true(RULES(R27, R37), first > 0 && first < FAR, "counter %u counts on after its overflow",
                     s->xs[0]))
        return false;
    for (unsigned i = 0; i < s->count; i++)
        if (!expect_true(RULES(R29, R28), pmc_overflowed(s->xs[i]), "OVF of counter %u", s->xs[i]) ||
            !expect_register(RULES(R27, R28), first, pmc_read(s->xs[i]),
                             "counter %u, which overflowed with counter %u", s->xs[i], s->xs[0]))
            return false;
    return true;
}

/* Y's events: every Y whose X is in `overflowed` moves alike, all others hold their values. */
static bool step(struct sides *s, unsigned overflowed, uint32_t rules, const char *when)
{
    uint64_t expected = 0;

    work_with(&s->t.y);
    for (unsigned i = 0; i < s->count; i++) {
        const uint64_t now = pmc_read(s->ys[i]), moved_by = (now - s->at[i]) & COUNTER_MASK;
        const bool counts = s->started_by[i] != PMC_NONE && overflowed >> s->started_by[i] & 1;

        s->at[i] = now;
        if (counts && expected == 0) {
            expected = moved_by;
            if (!expect_true(rules, moved_by >= NEAR_COUNT, "counter %u counts, %s", s->ys[i], when))
                return false;
        } else if (!expect_equal(rules, counts ? expected : 0, moved_by, "events of counter %u, %s", s->ys[i],
                                 when)) {
            return false;
        }
    }
    return true;
}

static bool together(struct sides *s)
{
    unsigned overflowed = 0;

    arm(s);
    if (!step(s, overflowed, RULES(R33, R37, R34), "before X has overflowed"))
        return false;
    if (!overflow(s))
        return false;
    for (unsigned i = 0; i < s->count; i++)
        overflowed |= 1u << s->xs[i];
    if (!step(s, overflowed, RULES(R33, R34, R35, R37), "all X having overflowed in one clock"))
        return false;
    for (unsigned i = 0; i + 1 < s->count; i++) {
        pmc_halt_by_overflow_flag(s->xs[i]);
        overflowed &= ~(1u << s->xs[i]);
        if (!step(s, overflowed, RULES(R38, R33), "OVF of X after X cleared"))
            return false;
    }
    return true;
}

static void together_each(void)
{
    static const uint8_t first_x[] = {0, 2, 4, 6, 8, 10, 12, 14};

    for (unsigned i = 0; i < 2 * COUNT_OF(first_x); i++) {
        struct sides s = {.extended = i % 2};
        const uint8_t x = first_x[i / 2];
        const struct cascade_link link = {x, x ^ 2, false};

        if (PMC_COUNTER[x].block == BLOCK_BPU && counter_is_dead(1))
            continue;
        if (s.extended && PMC_COUNTER[x].block != BLOCK_IQ)
            continue;
        twinned_program(&s.t, &link, UOPS_ON_X);
        s.count = members_of_side(x, s.xs);
        members_of_side(x ^ 2, s.ys);
        if (!together(&s))
            return;
    }
}

static const struct vector cascade_together_rows[] = {
    CHECK("cascade.together", "counters that overflow in one clock each start their own", .deadline_ms = 5000,
          .run = together_each),
};
VECTOR_GROUP(cascade_together);
