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

static void rewrite(struct watched *w, uint64_t value)
{
    require_true(pmc_preset(w->p.counter, value), "counter %u, which runs, holds what is written",
                 w->p.counter);
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
    if (!expect_true(pmc_overflowed(link->x), "OVF of X (%u -> %u) stays when X is written", link->x,
                     link->y) ||
        !twinned_step(&t, Y_EVENTS, HERE))
        return false;

    pmc_acknowledge(link->x, COUNTER_OVERFLOW_IN(TWINNED_COUNT));
    t.x.at = COUNTER_OVERFLOW_IN(TWINNED_COUNT);
    t.x.moved = 0;
    t.x.count = TWINNED_COUNT;
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

static void used_again_each(void)
{
    twinned_each_link(used_again);
}

/* The PMI of one of the two; of Y where an erratum does not take it away. */
static bool interrupted(const struct twinned *t, const char *name, unsigned lp, unsigned excused)
{
    if (pmi_taken(lp) == 0 && machine_has_erratum(excused)) {
        report_erratum(excused & PMC_E3 ? PMC_E3 : PMC_E5);
        return true;
    }
    return expect_equal(1, pmi_taken(lp), "PMIs of %s (%u -> %u) at LP%u", name, t->link.x, t->link.y, lp);
}

/*
 * X interrupts this processor and Y the other one, or where there is no other one this one, whose LVTPC the
 * first PMI leaves masked.
 */
static bool both_interrupt(const struct cascade_link *link)
{
    const unsigned self = smp_self(), other = smp_has_sibling() ? self ^ 1 : self;
    struct twinned t;
    bool sound;

    twinned_program(&t, link, UOPS_ON_X);
    t.x_is = t.y_is = "interrupts";
    t.x.p.cccr |= ovf_pmi_to(self);
    t.y.p.cccr |= ovf_pmi_to(other);
    twinned_begin(&t);
    pmi_arm(LVT_DELIVERY_FIXED);
    if (other != self)
        sibling_spin_begin(SIBLING_TAKES_PMIS);
    sound = twinned_step(&t, X_EVENTS, HERE);
    if (sound) {
        pmi_wait_for_delivery();
        sound = interrupted(&t, "X", self, self == 1 ? PMC_E5 : 0) &&
                (other == self || expect_equal(0, pmi_taken(other), "PMIs at LP%u before Y counts", other)) &&
                twinned_step(&t, X_EVENTS | Y_EVENTS, HERE);
    }
    if (sound && t.started) {
        pmi_wait_for_delivery();
        sound = interrupted(&t, "X", self, self == 1 ? PMC_E5 : 0) &&
                (other == self || interrupted(&t, "Y", other, PMC_E3 | (other == 1 ? PMC_E5 : 0)));
    }
    if (other != self)
        sibling_spin_end();
    pmc_stop_all();
    pmi_disarm();
    return sound;
}

static void both_interrupt_each(void)
{
    twinned_each_link(both_interrupt);
}

static const struct vector cascade_access_rows[] = {
    CHECK("cascade.again", "X and Y are written while they run; the cascade is armed and starts again",
          .rules = "R4 R29 R33 R34 R35 R38 R58", .deadline_ms = 5000, .run = used_again_each),
    CHECK("cascade.pmi.both", "X and Y interrupt once each, and the cascade works",
          .rules = "R45 R46 R55 E3 E5", .needs = NEED_LAPIC, .deadline_ms = 5000, .run = both_interrupt_each),
};
VECTOR_GROUP(cascade_access);
