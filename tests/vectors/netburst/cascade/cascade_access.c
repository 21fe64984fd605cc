/*
 * Registers of a cascade that are written while Y runs, and a cascade that is used again (18.15.5.4,
 * 18.15.5.5; R4, R29, R33, R38, R58), and PMIs of X and Y at once (18.15.5.8, 18.16.2; R45, R46, R55, E3).
 *
 * Y gets a new preset while it runs, then X does: Y must go on from its preset, and OVF of X must stay. A
 * counter is written while its ESCR has no event, as the erratum E1 asks. Then OVF of X is acknowledged,
 * which halts Y; Y is armed anew, and the next overflow of X must start it as the first one did. Whether a Y
 * that stayed armed is started again is open (10.1b) and not judged.
 *
 * When X and Y interrupt, each must do so once, and the cascade works meanwhile. Y may not interrupt on the
 * parts of E3.
 */
#include "cascade_twins.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/lapic.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/sibling.h"

#define NEW_Y 5000
#define NEW_X 7000
/* A counter that runs is written with this distance to its overflow, so that no carry is near (E1). */
#define AGAIN_COUNT 20

static void rewrite(struct watched *w, uint64_t value)
{
    require_true(RULES(R58, R4), pmc_preset(w->p.counter, value),
                 "counter %u, which runs, holds what is written", w->p.counter);
    w->at = value;
    w->count = 0;
}

static bool used_again(const struct cascade_link *link)
{
    struct twinned t;

    twinned_program(&t, link, UOPS_ON_Y);
    twinned_begin(&t);
    if (!twinned_step(&t, X_EVENTS, HERE) || !twinned_step(&t, Y_EVENTS, HERE))
        return false;
    rewrite(&t.y, NEW_Y);
    if (!twinned_step(&t, X_EVENTS | Y_EVENTS, HERE))
        return false;
    rewrite(&t.x, NEW_X);
    if (!expect_true(RULES(R4, R29), pmc_overflowed(link->x), "OVF of X (%u -> %u) stays when X is written",
                     link->x, link->y) ||
        !twinned_step(&t, Y_EVENTS, HERE))
        return false;

    pmc_acknowledge(link->x, COUNTER_OVERFLOW_IN(AGAIN_COUNT));
    t.x.at = COUNTER_OVERFLOW_IN(AGAIN_COUNT);
    t.x.moved = 0;
    t.x.count = AGAIN_COUNT;
    t.armed = t.started = false;
    if (!twinned_step(&t, Y_EVENTS, HERE))
        return false;
    t.y_is = "armed again";
    t.y.count = TWINNED_COUNT;
    twinned_arm(&t);
    if (!twinned_step(&t, Y_EVENTS, HERE) || !twinned_step(&t, X_EVENTS, HERE) ||
        !twinned_step(&t, X_EVENTS | Y_EVENTS, HERE))
        return false;
    return twinned_y_has_counted(&t, TWINNED_COUNT);
}

/*
 * X and Y on one ESCR, where their link allows it (R41). Y starts in the middle of a step, so there it may
 * count any part of it; from the next step on it counts with its twin.
 */
static bool same_event(const struct cascade_link *link)
{
    struct twinned t;

    if (PMC_COUNTER[link->x].side != PMC_COUNTER[link->y].side)
        return true;
    twinned_program(&t, link, UOPS_ON_X);
    t.y.p.escr_msr = t.x.p.escr_msr;
    t.y.p.escr = t.x.p.escr;
    t.y.p.cccr = t.x.p.cccr;
    t.y_is = "the event of X";
    twinned_begin(&t);
    t.y.slack = UINT16_MAX;
    if (!twinned_step(&t, X_EVENTS, HERE))
        return false;
    t.y.slack = 0;
    t.y.count = 0;
    return twinned_step(&t, X_EVENTS, HERE) && twinned_y_has_counted(&t, t.y.laps);
}

static bool used_again_or_shared(const struct cascade_link *link)
{
    return used_again(link) && same_event(link);
}

static void used_again_each(void)
{
    twinned_each_link(used_again_or_shared);
}

/* One PMI, unless an erratum of this part explains that there is none (E5: at LP1). */
static bool interrupted(const struct twinned *t, const char *name, unsigned lp, unsigned excused)
{
    excused |= lp == 1 ? PMC_E5 : 0;
    if (pmi_taken(lp) == 0 && machine_has_erratum(excused)) {
        report_erratum(machine_has_erratum(PMC_E3 & excused) ? PMC_E3 : PMC_E5);
        return true;
    }
    return expect_equal(RULES(R55, R45, R46), 1, pmi_taken(lp), "PMIs of %s (%u -> %u) at LP%u", name,
                        t->link.x, t->link.y, lp);
}

/* Armed, with LVTPC unmasked: X overflows and interrupts, Y starts, overflows and interrupts. */
static bool interrupt_both(struct twinned *t, unsigned x_lp, unsigned y_lp)
{
    if (!twinned_step(t, X_EVENTS, HERE))
        return false;
    pmi_wait_for_delivery();
    if (!interrupted(t, "X", x_lp, 0) ||
        (x_lp != y_lp &&
         !expect_equal(RULES(R47, R46, R45), 0, pmi_taken(y_lp), "PMIs at LP%u before Y counts", y_lp)) ||
        !twinned_step(t, X_EVENTS | Y_EVENTS, HERE))
        return false;
    if (t->unflagged)
        return true;
    pmi_wait_for_delivery();
    return interrupted(t, "X", x_lp, 0) && (x_lp == y_lp || interrupted(t, "Y", y_lp, PMC_E3));
}

/*
 * X interrupts one logical processor and Y the other one. Where there is one alone, both interrupt it, and
 * its LVTPC stays masked after the first PMI.
 */
static bool both_interrupt(const struct cascade_link *link)
{
    const unsigned flip = smp_has_sibling(), x_lp = smp_self() ^ (flip & (link->x ^ link->y >> 1)),
                   y_lp = x_lp ^ flip;
    struct twinned t;
    bool sound;

    twinned_program(&t, link, UOPS_ON_X);
    t.x_is = t.y_is = "interrupts";
    t.x.p.cccr |= ovf_pmi_to(x_lp);
    t.y.p.cccr |= ovf_pmi_to(y_lp);
    for (unsigned tries = 0; tries < TWINNED_TRIES; tries++) {
        twinned_begin(&t);
        pmi_arm(LVT_DELIVERY_FIXED);
        if (flip)
            sibling_spin_begin(SIBLING_TAKES_PMIS);
        sound = interrupt_both(&t, x_lp, y_lp);
        if (flip)
            sibling_spin_end();
        pmc_stop_all();
        pmi_disarm();
        if (!sound || !t.unflagged)
            return sound;
    }
    return twinned_expect_flagged(&t);
}

/* One of two neighbouring links, and every extended one. */
static bool both_interrupt_here(const struct cascade_link *link)
{
    return (link->x % 2 && !link->extended) || both_interrupt(link);
}

static void both_interrupt_each(void)
{
    twinned_each_link(both_interrupt_here);
}

static const struct vector cascade_access_rows[] = {
    CHECK("cascade.again", "X and Y are written while they run; the cascade is armed and starts again",
          .also = "R36 R41", .deadline_ms = 5000, .run = used_again_each),
    CHECK("cascade.pmi.both", "X and Y interrupt once each, and the cascade works", .also = "R36 E3 E5",
          .needs = NEED_LAPIC, .deadline_ms = 5000, .run = both_interrupt_each),
};
VECTOR_GROUP(cascade_access);
