/*
 * X one count short of its overflow starts nothing, whatever else happens to Y (18.15.5.5, 18.15.5.6; R33,
 * R37).
 *
 * X is enabled and holds -1, and its ESCR has no event. Y is armed, and Y's events come, at CPL 3. Everything
 * else that could let Y start is there at the same time: OVF of Y itself and of all counters but X and the
 * twins, which software wrote; CASCADE in X, so that X waits for Y as Y waits for X (R40); and Y's twin,
 * which is enabled on the same ESCR and overflows meanwhile. Y must hold its preset, and X its -1.
 *
 * What an OVF that software wrote starts is open (R30). Here it could start X alone, which runs by ENABLE
 * anyhow and has nothing to count.
 */
#include "cascade_twins.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

#define USER_LEVEL 3

/* OVF in Y's CCCR and in those that have no part. */
static void write_overflow_flags(const struct twinned *t)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (!pmc_has_register(&machine_cpu, MSR_CCCR(n)))
            continue;
        if (n == t->link.y)
            msr_write(MSR_CCCR(n), msr_read(MSR_CCCR(n)) | CCCR_OVF);
        else if (n != t->link.x && n != t->x.twin && n != t->y.twin)
            msr_write(MSR_CCCR(n), CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_OVF);
    }
}

/* Y's twin begins again near its overflow. */
static void let_twin_overflow(const struct twinned *t)
{
    struct pmc_programming twin = t->y.p;

    twin.counter = t->y.twin;
    twin.escr = 0;
    require_true(R4, pmc_arm(&twin, COUNTER_OVERFLOW_IN(TWINNED_COUNT)), "counter %u holds a preset",
                 twin.counter);
    pmc_start(&twin);
}

static void let_y_have_events(const struct twinned *t)
{
    const struct msr_write escr = {t->y.p.escr_msr, t->y.p.escr};
    struct frame frame;

    frame_init(&frame, 0); /* its WRMSRs are not executed */
    frame_phase(&frame, 0, t->y.work, t->y.laps);
    bool were_on = irq_off();
    place_run(
        &(struct placed_work){.place = {USER_LEVEL, false}, .phases = &frame, .escr = &escr, .escrs = 1});
    irq_restore(were_on);
}

static bool short_of(const struct cascade_link *link)
{
    struct twinned t;

    twinned_program(&t, link, UOPS_ON_Y);
    t.x.count = 1;
    if (!link->extended)
        t.x.p.cccr |= CCCR_CASCADE;
    twinned_begin(&t);
    if (t.y.twin != link->y)
        let_twin_overflow(&t);
    write_overflow_flags(&t);
    let_y_have_events(&t);
    return expect_register(RULES(R37, R33), t.y.at, pmc_read(link->y),
                           "Y (%u), X (%u) one count short of its overflow", link->y, link->x) &&
           expect_register(RULES(R7, R27), t.x.at, pmc_read(link->x), "X (%u) without an event", link->x) &&
           expect_true(RULES(R28, R29), t.y.twin == link->y || pmc_overflowed(t.y.twin),
                       "OVF of Y's twin, counter %u", t.y.twin);
}

static void short_of_each(void)
{
    twinned_each_link(short_of);
}

static const struct vector cascade_short_rows[] = {
    CHECK("cascade.short", "X one count short of its overflow starts no Y, whatever else happens to Y",
          .also = "R34 R35", .deadline_ms = 5000, .run = short_of_each),
};
VECTOR_GROUP(cascade_short);
