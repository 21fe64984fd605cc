/*
 * A row of the covering array on the processor that works: X overflows, the ESCR of S gets its event, the
 * work runs in two halves with something between them, and the ESCR loses its event.
 *
 * The ESCR begins and ends the events for S, T and P alike. A counter that counts the absence of events ends
 * by its CCCR after that; the clocks of WRMSRs lie between its end and its twin's.
 */
#include "pairs_course.h"

#include "kernel/board/clock.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/trap.h"
#include "pmc/msr.h"
#include "tests/suite/pmi_counter.h"

#define EARLY_WORK  20    /* before X overflows */
#define PATIENCE_US 10000 /* for what the other processor does in a few microseconds */
#define HALTED_US   20
#define INIT_US     50 /* after which a processor waits for a start-up IPI */
#define STRETCH_US  3  /* to make the clocks of two WRMSRs a small part of all */
#define DEADLINE_US 20000000

void pairs_wait(volatile bool *flag, bool until)
{
    struct timeout patience = timeout_in_us(PATIENCE_US);

    while (*flag != until && !timeout_passed(&patience))
        cpu_relax();
}

static void exercise(void *arg)
{
    frame_exercise(arg);
}

static void half_of_work(const struct pairs_course *c)
{
    struct frame frame;

    frame_init(&frame, 0); /* frame_exercise() does not execute its WRMSRs */
    frame_phase(&frame, 0, c->life->event->work, c->life->n);
    if (pairs_has(&c->life->row, CPL, 0))
        exercise(&frame);
    else
        ring_run(c->life->row.level[FEATURE_CPL], exercise, &frame);
    if (c->life->complemented)
        delay_us(STRETCH_US);
}

static void halt_a_while(const struct pairs_course *c)
{
    irq_off();
    timer_interrupt_in_us(HALTED_US, INTERRUPT_WAKE);
    cpu_halt_until_interrupt();
    if (!pairs_has(&c->life->row, WORKER, SIBLING))
        timer_interrupt_in_us(DEADLINE_US, INTERRUPT_TIMER);
    irq_on();
}

/* Until INIT has taken effect it is open how many processors are active, and whose events there are. */
static void stop_sibling(const struct pairs_course *c)
{
    msr_write(c->life->s.escr_msr, c->life->s.escr & ESCR_CPL_MASK);
    smp_stop_sibling();
    delay_us(INIT_US);
    msr_write(c->life->s.escr_msr, c->life->s.escr);
}

/* Can the overflow come just now? Clocks without an event come in all of the first half. */
static bool may_overflow_now(const struct pairs_course *c)
{
    const struct pairs_row *row = &c->life->row;
    const bool overflows =
        pairs_has(row, FORCE, ON) || pairs_has(row, PRESET, NEAR) || pairs_has(row, PRESET, LAST);

    return overflows && !c->seen.ovf_at_half && (!c->life->complemented || pairs_has(row, FILTER, FALLING));
}

/* Clear these bits. Switch the ESCR's event off first where an overflow is possible, or the write would lose
 * it (R32). */
static void rewrite_cccr(struct pairs_course *c, uint32_t without)
{
    const uint32_t msr = MSR_CCCR(c->life->row.counter);
    const bool pause = may_overflow_now(c);
    uint64_t cccr;

    if (pause)
        msr_write(c->life->s.escr_msr, c->life->s.escr & ESCR_CPL_MASK);
    cccr = msr_read(msr);
    c->seen.ovf_half_way = without && (cccr & CCCR_OVF);
    msr_write(msr, cccr & ~(uint64_t)without);
    if (pause)
        msr_write(c->life->s.escr_msr, c->life->s.escr);
}

static void half_way(struct pairs_course *c)
{
    const unsigned n = c->life->row.counter;
    uint64_t value;

    switch (c->life->row.level[FEATURE_MEANWHILE]) {
    case PAIR_MEANWHILE_RDMSR:
        pmc_read(n);
        break;
    case PAIR_MEANWHILE_RDPMC:
        rdpmc_try(n, &value);
        break;
    case PAIR_MEANWHILE_CCCR:
        rewrite_cccr(c, 0);
        break;
    case PAIR_MEANWHILE_ESCR:
        msr_write(c->life->s.escr_msr, c->life->s.escr);
        break;
    case PAIR_MEANWHILE_ACKNOWLEDGE:
        rewrite_cccr(c, CCCR_OVF);
        break;
    case PAIR_MEANWHILE_PAIR:
    case PAIR_MEANWHILE_BLOCK:
    case PAIR_MEANWHILE_ELSEWHERE:
        pmc_start(&c->life->disturber);
        break;
    case PAIR_MEANWHILE_HLT:
        halt_a_while(c);
        break;
    case PAIR_MEANWHILE_INIT:
        stop_sibling(c);
        break;
    case PAIR_MEANWHILE_ACCESS:
        c->access = true;
        pairs_wait(&c->access, false);
        break;
    default:
        break;
    }
}

/* S, armed, must not count before X has overflowed; then X overflows. */
static void let_x_overflow(struct pairs_course *c)
{
    const uint32_t no_event = c->life->s.escr & ESCR_CPL_MASK;

    msr_write(c->life->s.escr_msr, c->life->s.escr);
    work_exercise(c->life->event->work, EARLY_WORK);
    msr_write(c->life->s.escr_msr, no_event);
    c->seen.early = (pmc_read(c->life->row.counter) - c->life->preset) & COUNTER_MASK;
    msr_write(c->life->x.escr_msr, c->life->x.escr);
    if (c->life->links.z != PMC_NONE)
        msr_write(c->life->z.escr_msr, c->life->z.escr);
    work_exercise(c->life->x_event->work, PAIRS_X_WORK);
    msr_write(c->life->x.escr_msr, 0);
    if (c->life->links.z != PMC_NONE)
        msr_write(c->life->z.escr_msr, 0);
    c->seen.x_overflowed = pmc_overflowed((unsigned)c->life->links.x);
}

void pairs_course(struct pairs_course *c)
{
    const uint32_t cccr = MSR_CCCR(c->life->row.counter), no_event = c->life->s.escr & ESCR_CPL_MASK;

    if (c->life->event->prepare && c->life->event != &STIMULUS[STIMULUS_UNCACHED_READS])
        c->life->event->prepare();
    if (c->life->links.x != PMC_NONE)
        let_x_overflow(c);
    if (c->life->disturbed)
        msr_write(c->life->disturber.escr_msr, c->life->disturber.escr);
    if (c->life->has_plain)
        pmc_start(&c->life->plain);
    pmc_start(&c->life->t);
    if (c->life->links.x == PMC_NONE)
        pmc_start(&c->life->s);
    msr_write(c->life->s.escr_msr, c->life->s.escr);
    half_of_work(c);
    c->seen.ovf_at_half = msr_read(cccr) & CCCR_OVF;
    half_way(c);
    half_of_work(c);
    msr_write(c->life->s.escr_msr, no_event);
    if (c->life->complemented) { /* T, which started first, ends first: both count for as long */
        msr_write(MSR_CCCR(c->life->t.counter), 0);
        msr_write(cccr, msr_read(cccr) & ~(uint64_t)(CCCR_ENABLE | CCCR_CASCADE | CCCR_CASCNT));
    }
    if (!pairs_has(&c->life->row, PMI, NONE))
        pmi_wait_for_delivery();
}
