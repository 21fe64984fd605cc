/*
 * A cascade whose X and Y count one privilege level, one logical processor, or with one ACTIVE_THREAD alone
 * (18.15.1, 18.16.2, 18.16.4; R11, R12, R18, R33, R37, R38).
 *
 * Work that X must not count comes first: Y, which its overflow would start, must hold its preset. Then X
 * counts enough. Work that a started Y must not count follows, and at last work that it must. X and Y are
 * judged beside their twins (cascade_twins.h). A Y that moves too early was started by events that X does not
 * count. A Y that moves where its twin does not has lost its qualification by being started.
 */
#include "cascade_twins.h"
#include "kernel/board/clock.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

/* How one side of a cascade is qualified, where work must not count, and where it must. */
enum flags { USR, OS, SIBLING, BY_GATE };
struct side {
    const char *name;
    enum flags flags;
    uint8_t active;                   /* ACTIVE_THREAD */
    struct place silent, counted;     /* where work is done */
    bool spins_silent, spins_counted; /* whether the sibling runs meanwhile */
};

/* clang-format off */
static const struct side
    ONLY_USR     = {"USR alone",     USR,     ACTIVE_ANY,    {0, false}, {3, false}, false, false},
    ONLY_OS      = {"OS alone",      OS,      ACTIVE_ANY,    {3, false}, {0, false}, false, false},
    ONLY_SIBLING = {"sibling alone", SIBLING, ACTIVE_ANY,    {0, false}, {0, true},  false, false},
    WHILE_BOTH   = {"both active",   BY_GATE, ACTIVE_BOTH,   {0, false}, {0, false}, false, true},
    WHILE_SINGLE = {"single active", BY_GATE, ACTIVE_SINGLE, {0, false}, {0, false}, true,  false};
/* clang-format on */

static void qualify(struct watched *w, const struct side *side)
{
    const uint32_t flags[] = {
        [USR] = escr_self(false, true),
        [OS] = escr_self(true, false),
        [SIBLING] = machine_cpu.ht ? escr_sibling(true, true) : 0,
        [BY_GATE] = escr_self_all(),
    };

    pmc_set_privilege(&w->p, flags[side->flags]);
    pmc_set_active_thread(&w->p, side->active);
}

#define Y_COUNT   40 /* far more than count on the way to CPL 3 and back */
#define SETTLE_US 50 /* a sibling that has just halted may still be on its way (F22) */

/* Work that must not count. With OS alone the way to CPL 3 and back counts, so there the twin decides. */
static bool step_silent(struct twinned *t, unsigned escr, const struct side *side, struct watched *w)
{
    const uint64_t before = w->moved;

    if (side->active == ACTIVE_BOTH)
        delay_us(SETTLE_US);
    t->sibling_spins = side->spins_silent;
    return twinned_step(t, escr, side->silent) &&
           (side->flags == OS ||
            expect_equal(side->flags == BY_GATE ? R18 : RULES(R12, R11, R13), before, w->moved,
                         "counts of %u, none due (" TWINNED ")", w->p.counter, TWINNED_ARGS(t)));
}

static bool step_counted(struct twinned *t, unsigned escr, const struct side *side)
{
    t->sibling_spins = side->spins_counted;
    return twinned_step(t, escr, side->counted);
}

/* X and Y change places from one link to its neighbour: 0 -> 2 and 1 -> 3, 12 -> 14 and 13 -> 15 ... */
static bool is_turned(const struct cascade_link *link)
{
    return (link->x ^ link->y >> 1) & 1;
}

static bool qualified(const struct cascade_link *link, const struct side *x, const struct side *y)
{
    struct twinned t;

    twinned_program(&t, link, UOPS_ON_X);
    t.x_is = x->name;
    t.y_is = y->name;
    qualify(&t.x, x);
    qualify(&t.y, y);
    t.y.count = Y_COUNT;
    twinned_begin(&t);
    if (!step_counted(&t, Y_EVENTS, y))
        return false;
    /* With OS alone a few events count on the way to CPL 3: X could end them close to its overflow (E20). */
    if ((x->flags != OS && !step_silent(&t, X_EVENTS, x, &t.x)) || !step_counted(&t, X_EVENTS, x))
        return false;
    if (!twinned_has_started(&t))
        return false;
    if (!step_silent(&t, Y_EVENTS, y, &t.y))
        return false;
    if (twinned_is_near(&t.y))
        return true;
    if (!step_counted(&t, X_EVENTS | Y_EVENTS, y))
        return false;
    if (!twinned_y_has_counted(&t, Y_COUNT))
        return false;
    twinned_halt(&t, is_turned(link));
    return step_counted(&t, Y_EVENTS, y);
}

static bool by_turns(const struct cascade_link *link, const struct side *one, const struct side *other)
{
    return is_turned(link) ? qualified(link, other, one) : qualified(link, one, other);
}

static bool by_level(const struct cascade_link *link)
{
    return (is_turned(link) || qualified(link, &ONLY_USR, &ONLY_USR)) && by_turns(link, &ONLY_USR, &ONLY_OS);
}

static bool by_processor(const struct cascade_link *link)
{
    return (is_turned(link) || qualified(link, &ONLY_SIBLING, &ONLY_SIBLING)) &&
           by_turns(link, &ONLY_SIBLING, &ONLY_OS);
}

static bool by_gate(const struct cascade_link *link)
{
    return by_turns(link, &WHILE_BOTH, &WHILE_SINGLE);
}

static void by_level_each(void)
{
    twinned_each_link(by_level);
}

static void by_processor_each(void)
{
    twinned_each_link(by_processor);
}

static void by_gate_each(void)
{
    twinned_each_link(by_gate);
}

static const struct vector cascade_places_rows[] = {
    CHECK("cascade.level", "X and Y that count one privilege level: X starts Y, and Y stays so",
          .also = "R36", .deadline_ms = 5000, .run = by_level_each),
    CHECK("cascade.processor", "X and Y of which the sibling's events count: the same", .also = "R36",
          .needs = NEED_SIBLING, .deadline_ms = 5000, .run = by_processor_each),
    CHECK("cascade.gated", "X and Y with ACTIVE_THREAD single and both: the same", .also = "R36",
          .needs = NEED_SIBLING, .deadline_ms = 5000, .run = by_gate_each),
};
VECTOR_GROUP(cascade_places);
