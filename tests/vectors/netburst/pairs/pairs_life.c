/*
 * A row of the covering array: who does what. The counters are prepared, one logical processor works
 * (pairs_course.h), the other one is halted or waits for requests.
 */
#include "pairs_course.h"

#include "kernel/board/clock.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/sibling.h"

#define SIBLING_US 100000

bool pairs_lvtpc_open(const struct pairs_row *row, unsigned lp)
{
    if (pairs_has(row, LVTPC, MASKED))
        return false;
    return lp == smp_self() || pairs_has(row, WORKER, SIBLING) || pairs_has(row, OTHER, RUNNING);
}

static struct pairs_course course;

static uint32_t open_lvtpc(void)
{
    return (pairs_has(&course.life->row, LVTPC, NMI) ? LVT_DELIVERY_NMI : LVT_DELIVERY_FIXED) |
           LVT_VECTOR(INTERRUPT_PMI);
}

/* ---- The other logical processor, where it runs ---- */

/* Every register of S is read, and its ESCR is written as it is. */
static void access_all(void)
{
    const unsigned n = course.life->row.counter;
    uint64_t value;

    msr_read(MSR_COUNTER(n));
    rdpmc_try(n, &value);
    msr_read(MSR_CCCR(n));
    msr_write(course.life->s.escr_msr, msr_read(course.life->s.escr_msr));
}

static void attend(void)
{
    course.running = true;
    while (!course.stop && !course.done) {
        if (course.access) {
            access_all();
            course.access = false;
        }
        cpu_relax();
    }
    course.running = false;
}

/* ---- Who does it ---- */

static void work(void)
{
    pairs_course(&course);
}

static void with_lvtpc(void (*role)(void))
{
    if (pairs_lvtpc_open(&course.life->row, smp_self()))
        lvtpc_write(open_lvtpc());
    role();
    pmi_mask();
}

static void attend_on_sibling(void *unused)
{
    (void)unused;
    with_lvtpc(attend);
}

static void work_with_lvtpc(void)
{
    with_lvtpc(work);
}

static void work_beside_us(void *unused)
{
    (void)unused;
    pairs_wait(&course.running, true);
    work_with_lvtpc();
    course.done = true;
}

static void let_sibling_work(void)
{
    if (!pairs_has(&course.life->row, OTHER, RUNNING)) {
        sibling_works_alone(work_with_lvtpc);
        irq_on();
        return;
    }
    require_true("MP", smp_start(work_beside_us, 0), "the sibling takes work");
    attend();
    require_true("MP", smp_wait(SIBLING_US) && smp_park(), "the sibling's work returns");
}

static void work_here(void)
{
    if (!pairs_has(&course.life->row, OTHER, RUNNING)) {
        work();
        return;
    }
    require_true("MP", smp_start(attend_on_sibling, 0), "the sibling takes work");
    pairs_wait(&course.running, true);
    work();
    course.stop = true;
    require_true("MP", smp_wait(SIBLING_US) && smp_park(), "the sibling attends no longer");
}

/* ---- Before and after ---- */

/* Without an event in its ESCR yet. */
static void prepare(struct pmc_programming p, uint64_t preset)
{
    p.escr = 0;
    require_true("R4", pmc_arm(&p, preset), "counter %u holds a preset", p.counter);
}

static void prepare_all(void)
{
    const struct pairs_links *links = &course.life->links;

    prepare(course.life->t, 0);
    if (course.life->has_plain)
        prepare(course.life->plain, 0);
    if (course.life->disturbed)
        prepare(course.life->disturber, COUNTER_OVERFLOW_IN(PAIRS_NEAR));
    prepare(course.life->s, course.life->preset);
    if (links->x == PMC_NONE)
        return;
    msr_write(MSR_CCCR(course.life->row.counter),
              course.life->s.cccr | (links->by_bit_11 ? CCCR_CASCNT : CCCR_CASCADE));
    prepare(course.life->x, COUNTER_OVERFLOW_IN(1)); /* S must not start yet */
    if (links->z == PMC_NONE) {
        pmc_start(&course.life->x);
        return;
    }
    msr_write(MSR_CCCR(links->x), course.life->x.cccr | (links->x_by_bit_11 ? CCCR_CASCNT : CCCR_CASCADE));
    prepare(course.life->z, COUNTER_OVERFLOW_IN(1));
    pmc_start(&course.life->z);
}

static void look(void)
{
    const unsigned n = course.life->row.counter;

    course.seen.moved = (pmc_read(n) - course.life->preset) & COUNTER_MASK;
    course.seen.twin = pmc_read(course.life->t.counter);
    course.seen.plain = course.life->has_plain ? pmc_read(course.life->plain.counter) : 0;
    course.seen.x_moved = course.life->links.x == PMC_NONE ? 0 : pmc_read((unsigned)course.life->links.x) + 1;
    course.seen.disturber_overflowed =
        course.life->disturbed && pmc_overflowed(course.life->disturber.counter);
}

/* Does the counter hold its count and its CCCR? A complemented one may count at an access (E1). */
static bool holds(uint64_t count, uint64_t cccr)
{
    const unsigned n = course.life->row.counter;
    uint64_t by_rdpmc = count;

    rdpmc_try(n, &by_rdpmc);
    return msr_read(MSR_CCCR(n)) == cccr &&
           (course.life->complemented || (by_rdpmc == count && pmc_read(n) == count));
}

/* The ESCR has no event any more. So only what is written changes the counter and OVF (R4, R29, R32, R57). */
static void handle(void)
{
    const unsigned n = course.life->row.counter;
    const uint64_t count = (course.life->preset + course.seen.moved) & COUNTER_MASK;
    const uint64_t cccr = msr_read(MSR_CCCR(n));
    const uint64_t off = cccr & ~(uint64_t)(CCCR_ENABLE | CCCR_CASCADE | CCCR_CASCNT);

    course.seen.ovf = cccr & CCCR_OVF;
    msr_write(MSR_CCCR(n), cccr);
    course.seen.lasts = holds(count, cccr);
    msr_write(MSR_CCCR(n), off);
    pmc_preset(n, count);
    course.seen.lasts &= holds(count, off);
    msr_write(MSR_CCCR(n), off & ~(uint64_t)CCCR_OVF);
    course.seen.ends = !pmc_overflowed(n);
}

/* Nothing counts and no ESCR has an event. */
static void clear_used(void)
{
    pmc_stop_all();
    msr_write(course.life->s.escr_msr, 0);
    if (course.life->links.x != PMC_NONE)
        msr_write(course.life->x.escr_msr, 0);
    if (course.life->links.z != PMC_NONE)
        msr_write(course.life->z.escr_msr, 0);
    if (course.life->disturbed)
        msr_write(course.life->disturber.escr_msr, 0);
}

struct pairs_seen pairs_live(const struct pairs_life *life)
{
    course = (struct pairs_course){.life = life};
    prepare_all();
    if (machine_meets() & NEED_LAPIC) {
        pmi_arm(open_lvtpc() & LVT_DELIVERY_MASK);
        if (pairs_has(&course.life->row, LVTPC, MASKED))
            pmi_mask();
    }
    if (pairs_has(&course.life->row, WORKER, SIBLING))
        let_sibling_work();
    else
        work_here();
    if (machine_meets() & NEED_LAPIC)
        pmi_hold(); /* a written OVF may raise a PMI (question 10.3b) */
    course.seen.pmi[0] = pmi_taken(0);
    course.seen.pmi[1] = pmi_taken(1);
    course.seen.was_nmi = pmi_was_nmi();
    look();
    handle();
    clear_used();
    pmi_disarm();
    return course.seen;
}
