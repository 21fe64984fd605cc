#include "pmi_subject.h"

#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/machine.h"
#include "tests/suite/measure.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/stimulus.h"

static const uint32_t MOB_ANY = 1u << 1 | 1u << 3 | 1u << 4 | 1u << 5;

/* The frame has no branch that is not taken, and it serialises between its phases. So in the IQ block the
 * last count is alone in its clock. */
void subject_choose(struct subject *s, unsigned n)
{
    static const struct {
        enum pmc_event_id event;
        uint16_t mask;
        const struct workload *work;
    } OF_BLOCK[] = {
        [BLOCK_BPU] = {EVENT_MOB_LOAD_REPLAY, MOB_ANY, &work_partial_load},
        [BLOCK_MS] = {EVENT_TC_MS_XFER, TC_MS_XFER_CISC, &work_cpuid_leaf_0},
        [BLOCK_FLAME] = {EVENT_PACKED_SP_UOP, FIRM_ALL, &work_packed_sp},
        [BLOCK_IQ] = {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_UNTAKEN, &work_not_taken},
    };
    const unsigned block = PMC_COUNTER[n].block;

    s->work = OF_BLOCK[block].work;
    s->event = OF_BLOCK[block].event;
    s->mask = OF_BLOCK[block].mask;
    s->cpl = s->f->flags & SIBLING ? escr_sibling(true, true) : escr_self(s->f->os, s->f->usr);
    if (s->f->flags & UOPS) {
        s->event = EVENT_UOPS_RETIRED;
        s->mask = UOPS_RETIRED_NBOGUS;
        s->work = &work_call;
    } else if (s->f->flags & APART && block == BLOCK_IQ) {
        s->mask = BRANCH_RETIRED_TAKEN;
        s->work = &work_cpuid_leaf_0;
    }
    pmc_program(&s->p, s->event, s->mask, s->cpl, n);
    s->p.cccr |= s->f->cccr;
    if (s->f->flags & SINGLE)
        pmc_set_active_thread(&s->p, ACTIVE_SINGLE);
    work_prepare_sse();
    frame_init(&s->phases, 0);
    frame_phase(&s->phases, 0, s->work, WORK - 1);
    frame_phase(&s->phases, 1, s->work, 1);
}

/* Set up what the feature needs of other counters. All CCCRs are 0. */
static void surround(const struct subject *s, uint64_t preset)
{
    const unsigned n = s->p.counter;

    for (unsigned other = 0; other < PMC_COUNTERS; other++) {
        uint32_t cccr = CCCR_ACTIVE_THREAD(ACTIVE_ANY);
        if (other == n)
            continue;
        if (s->f->flags & OTHERS_OVF)
            msr_write(MSR_CCCR(other), cccr | CCCR_OVF);
        else if (s->f->flags & TWIN && other == (n < 16 ? n ^ 1u : n - 4)) {
            pmc_preset(other, preset - 1);
            msr_write(MSR_CCCR(other), s->p.cccr | CCCR_ENABLE);
        } else if (s->f->flags & AWAITED && other == (n ^ 2u))
            msr_write(MSR_CCCR(other), cccr | CCCR_CASCADE);
    }
}

/* Let the partner of the counter count clocks and overflow, which starts the counter. */
static void start_by_cascade(const struct subject *s, const struct pmc_programming *p)
{
    struct pmc_programming x;

    pmc_arm_cascade(p);
    pmc_program(&x, s->event, s->mask, s->cpl, (unsigned)PMC_COUNTER[p->counter].cascade_from);
    x.cccr |= CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15); /* clocks (R16) */
    pmc_arm(&x, COUNTER_OVERFLOW_IN(ONE_CLOCK));
    pmc_start(&x);
}

uint64_t subject_count(const struct subject *s, uint64_t preset, unsigned to)
{
    struct pmc_programming p = s->p;
    const struct msr_write escr = {p.escr_msr, p.escr};
    const struct placed_work work = {
        .place = {s->f->level, s->f->flags & SIBLING}, .phases = &s->phases, .escr = &escr, .escrs = 1};

    pmc_stop_all();
    for (unsigned lp = 0; lp < 2; lp++)
        if (to >> lp & 1)
            p.cccr |= ovf_pmi_to(smp_self() ^ lp);
    surround(s, preset);
    pmi_arm(LVT_DELIVERY_FIXED);
    pmc_arm(&p, preset);
    msr_write(p.escr_msr, 0);
    irq_off();
    if (s->f->flags & STARTED)
        start_by_cascade(s, &p);
    else
        pmc_start(&p);
    place_run(&work);
    irq_on();
    pmi_wait_for_delivery();
    if (s->f->flags & CLOCKS) /* clocks go on without the event (question 11.1) */
        msr_write(MSR_CCCR(p.counter), msr_read(MSR_CCCR(p.counter)) & ~(uint64_t)CCCR_ENABLE);
    return pmc_read(p.counter);
}
