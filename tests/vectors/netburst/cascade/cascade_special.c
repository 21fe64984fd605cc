/*
 * Cascades with the features of X and Y for which no exact number is to be had (18.15.3, 18.15.5.2, 18.17.2;
 * R16, R22, R31, R33, R37, R38).
 *
 * COMPLEMENT counts clocks, and perhaps also while the ESCR has no event (question 11.1). So an X with
 * COMPLEMENT must have overflowed after many clocks and started Y, and a started Y with COMPLEMENT must count
 * about as many clocks as its twin, which is read right after it.
 *
 * FORCE_OVF makes each count an overflow. Whether the cascade starts then is open (10.6, E14). But each
 * counter must count as its twin does, OVF must be set by the first count, and a Y that does start must count
 * with its twin.
 */
#include "cascade_twins.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

#define ALL_CLOCKS at_or_below(15) /* R16 */
#define ANY_NUMBER (1u << 30)
#define FAR        (1ull << 39) /* events */
#define CPUIDS     60           /* of at least 200 clocks each, so many more than the skew */

static void count_clocks(struct watched *w)
{
    w->p.cccr |= ALL_CLOCKS;
    w->work = &work_cpuid_leaf_0;
    w->laps = CPUIDS;
    w->slack = COUNTER_GROUP_SKEW;
}

static bool halts(struct twinned *t)
{
    twinned_halt(t, t->link.x / 2 % 2);
    return twinned_step(t, Y_EVENTS, HERE);
}

static bool complemented_x(const struct cascade_link *link)
{
    struct twinned t;

    twinned_program(&t, link, UOPS_ON_X);
    count_clocks(&t.x);
    t.x.slack = ANY_NUMBER; /* X begins later than its twin */
    t.x_is = "COMPLEMENT";
    twinned_begin(&t);
    if (!twinned_step(&t, X_EVENTS, HERE) || !twinned_has_started(&t) || !twinned_step(&t, Y_EVENTS, HERE) ||
        !twinned_y_has_counted(&t, TWINNED_COUNT))
        return false;
    /* X would overflow again when OVF is cleared. */
    twinned_halt(&t, false);
    return twinned_step(&t, Y_EVENTS, HERE);
}

static bool complemented_y(const struct cascade_link *link)
{
    struct twinned t;

    twinned_program(&t, link, UOPS_ON_X);
    count_clocks(&t.y);
    t.y_is = "COMPLEMENT";
    twinned_begin(&t);
    if (!twinned_step(&t, Y_EVENTS, HERE))
        return false;
    t.y.slack = ANY_NUMBER; /* Y starts within this step, and counts without an event */
    if (!twinned_step(&t, X_EVENTS, HERE) || !twinned_has_started(&t))
        return false;
    t.y.slack = COUNTER_GROUP_SKEW;
    return twinned_step(&t, Y_EVENTS, HERE) && twinned_y_has_counted(&t, 2 * COUNTER_GROUP_SKEW) && halts(&t);
}

static bool forced(const struct cascade_link *link, bool x)
{
    struct twinned t;

    twinned_program(&t, link, UOPS_ON_X);
    struct watched *w = x ? &t.x : &t.y;
    t.may_not_start = true;
    w->p.cccr |= CCCR_FORCE_OVF;
    w->count = FAR;
    *(x ? &t.x_is : &t.y_is) = "FORCE_OVF";
    twinned_begin(&t);
    return twinned_step(&t, Y_EVENTS, HERE) && twinned_step(&t, X_EVENTS, HERE) &&
           twinned_step(&t, Y_EVENTS, HERE) && halts(&t);
}

/* One of two neighbouring links, and every extended one. */
static bool is_chosen(const struct cascade_link *link)
{
    return link->x % 2 == 0 || link->extended;
}

static bool complemented(const struct cascade_link *link)
{
    return !is_chosen(link) || (complemented_x(link) && complemented_y(link));
}

static bool forced_either(const struct cascade_link *link)
{
    return !is_chosen(link) || (forced(link, true) && forced(link, false));
}

static void complemented_each(void)
{
    twinned_each_link(complemented);
}

static void forced_each(void)
{
    twinned_each_link(forced_either);
}

static const struct vector cascade_special_rows[] = {
    CHECK("cascade.complement", "X or Y counts clocks by COMPLEMENT: X starts Y, and Y counts and halts",
          .also = "R16 R36", .deadline_ms = 5000, .run = complemented_each),
    CHECK("cascade.forced", "X or Y has FORCE_OVF: each counts and overflows as without a cascade",
          .also = "R36 E14", .deadline_ms = 5000, .run = forced_each),
};
VECTOR_GROUP(cascade_special);
