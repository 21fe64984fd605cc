/*
 * A cascade starts Y whatever else X and Y are programmed for, and a started Y obeys all of its own CCCR
 * (18.15.5.2, 18.15.5.5, 18.15.5.6; R22, R23, R28, R33, R37, R38).
 *
 * X and Y get each filter: thresholds, COMPLEMENT, EDGE, and filter fields that without COMPARE do nothing.
 * Beside each of them runs a twin on the same ESCR with the same filter, started by its own ENABLE
 * (cascade_twins.h). X must count with its twin and set OVF when it has counted enough. Y must hold its
 * preset until then, count with its twin afterwards, and stop as soon as it is halted. A wrong number means
 * that the cascade disturbs a filter, or the filter the cascade.
 */
#include "cascade_twins.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

/* Does the filter pass something whatever the clocks of the events? Where it may not, X and its twin decide
 * whether X overflows. */
enum passes { ALWAYS, PULSES /* EDGE: when something serialises between the events */, PERHAPS };

static const struct feature {
    const char *name;
    uint32_t cccr;
    uint8_t passes;
    uint8_t slack; /* COMPLEMENT may count an access (E1) */
} FEATURES[] = {
    {"COMPARE", CCCR_COMPARE, ALWAYS, 0},
    {"threshold 1", CCCR_COMPARE | CCCR_THRESHOLD(1), PERHAPS, 0},
    {"threshold 15", CCCR_COMPARE | CCCR_THRESHOLD(15), PERHAPS, 0},
    {"EDGE", CCCR_COMPARE | CCCR_EDGE, PULSES, 0},
    {"EDGE and threshold 1", CCCR_COMPARE | CCCR_EDGE | CCCR_THRESHOLD(1), PERHAPS, 0},
    {"EDGE and COMPLEMENT", CCCR_COMPARE | CCCR_EDGE | CCCR_COMPLEMENT, PERHAPS, ACCESSES_ADD},
    {"filter without COMPARE", CCCR_EDGE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15), ALWAYS, 0},
};

/*
 * Make Y's events while X has not overflowed, X's events until it has, both, and both with Y halted. A filter
 * that must pass something is expected to have passed it, or else the twins would agree that nothing
 * happened.
 */
static bool life(struct twinned *t, bool x_counts, bool y_counts, bool by_overflow_flag)
{
    twinned_begin(t);
    if (!twinned_step(t, Y_EVENTS, HERE))
        return false;
    if (!twinned_step(t, X_EVENTS, HERE))
        return false;
    if (twinned_is_near(&t->x))
        return true;
    if (x_counts && !twinned_has_started(t))
        return false;
    if (!t->started)
        return twinned_step(t, Y_EVENTS, HERE);
    if (!twinned_step(t, X_EVENTS | Y_EVENTS, HERE))
        return false;
    if (y_counts && !twinned_y_has_counted(t, 1))
        return false;
    twinned_halt(t, by_overflow_flag);
    return twinned_step(t, X_EVENTS | Y_EVENTS, HERE);
}

static bool is_several(const struct cascade_link *link)
{
    return PMC_COUNTER[link->x].block >= BLOCK_FLAME;
}

/* Give the counter the filter. Returns whether the filter must pass something. */
static bool filter(struct watched *w, const struct feature *f)
{
    w->p.cccr |= f->cccr;
    w->slack = f->slack;
    if (f->passes == PULSES && PMC_COUNTER[w->p.counter].block == BLOCK_IQ) {
        w->work = &work_cpuid_leaf_0; /* instructions and a taken branch in each lap */
        w->laps = TWINNED_COUNT + 1;
        return true;
    }
    return f->passes == ALWAYS;
}

/* Try each feature on X beside a feature on Y; which features meet differs from link to link. */
static bool filtered(const struct cascade_link *link)
{
    const unsigned shift = link->x + link->y;
    struct twinned plain[2];

    twinned_program(&plain[0], link, UOPS_ON_X);
    twinned_program(&plain[1], link, UOPS_ON_Y);

    for (unsigned i = 0; i < COUNT_OF(FEATURES); i++) {
        const struct feature *fx = &FEATURES[i], *fy = &FEATURES[(i + shift) % COUNT_OF(FEATURES)];
        struct twinned t = plain[(i + shift / 2) % 2];

        t.x_is = fx->name;
        t.y_is = fy->name;
        const bool x_counts = filter(&t.x, fx), y_counts = filter(&t.y, fy);
        if (!life(&t, x_counts, y_counts, i % 2))
            return false;
    }
    return true;
}

/* Uops and split accesses come several at once: with one of two neighbouring presets X steps over 0. So does
 * Y. */
#define NEIGHBOURS 2

static bool stepped_over(const struct cascade_link *link)
{
    for (unsigned i = 0; i < 2 * NEIGHBOURS && is_several(link); i++) {
        struct twinned t;

        twinned_program(&t, link, i % 2 ? UOPS_ON_X : UOPS_ON_Y);
        t.x.count = t.y.count = TWINNED_COUNT + i / 2;
        if (!life(&t, true, true, i % 2))
            return false;
    }
    return true;
}

static void filtered_each(void)
{
    twinned_each_link(filtered);
}

static void stepped_over_each(void)
{
    twinned_each_link(stepped_over);
}

static const struct vector cascade_features_rows[] = {
    CHECK("cascade.filtered", "X and Y with each filter: X starts Y, and Y counts as its twin does",
          .deadline_ms = 5000, .run = filtered_each),
    CHECK("cascade.steps", "X and Y that step over 0 overflow as others do", .also = "R36",
          .deadline_ms = 5000, .run = stepped_over_each),
};
VECTOR_GROUP(cascade_features);
