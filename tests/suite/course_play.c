/*
 * Playing courses: the counters of a block are programmed, and one step after the other is done to the
 * machine and judged. What each step does is a row of PLAY.
 */
#include "course_play.h"

#include "companion.h"
#include "course_steps.h"
#include "documented.h"
#include "expect.h"
#include "frame.h"
#include "kernel/run/pmi.h"
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "bits.h"
#include "halt.h"
#include "machine.h"
#include "needs.h"
#include "measure.h"
#include "pmc/msr.h"
#include "pmi_counter.h"
#include "repeat.h"
#include "rules.h"
#include "setting.h"
#include "witness.h"

#define HALT_US 20 /* course_steps.c says so in words */
#define ESCRS   (2 * COURSE_EVENTS)

/* What causes the events of course_events.c. */
struct course_cause {
    const struct workload *work;
    void (*prepare)(void);
};
static const struct course_cause CAUSES[][COURSE_EVENTS] = {
    [BLOCK_BPU] = {{&work_jmp, NULL},
                   {&work_partial_load, work_finish_mmx},
                   {&work_jmp, NULL},
                   {&work_partial_load, work_finish_mmx}},
    [BLOCK_MS] = {{&work_call, NULL},
                  {&work_call, NULL},
                  {&work_cpuid_leaf_0, NULL},
                  {&work_not_taken, NULL}},
    [BLOCK_FLAME] = {{&work_split_load, NULL},
                     {&work_packed_sp, work_prepare_sse},
                     {&work_split_store, NULL},
                     {&work_scalar_sp, work_prepare_sse}},
    [BLOCK_IQ] = {{&work_nop, NULL}, {&work_cpuid_leaf_0, NULL}, {&work_nop, NULL}, {&work_not_taken, NULL}},
};

static uint8_t counter_that_starts_17; /* by CASCADE (question 10.2) */

void course_17_is_started_by(unsigned counter)
{
    counter_that_starts_17 = (uint8_t)counter;
}

/* ---- Programming ---- */

static void add_escr(struct course_player *p, unsigned counter, unsigned number)
{
    const struct course_event *event = course_event(counter, number);
    struct pmc_programming as, other;
    unsigned i = 0;

    pmc_program(&as, (enum pmc_event_id)event->event, event->mask, 0, counter);
    while (i < p->escrs && p->escr[i].msr != as.escr_msr)
        i++;
    if (i < p->escrs)
        return;
    pmc_program(&other, (enum pmc_event_id)event->other_event, event->other_mask, 0, counter);
    /* A tag value without TAG_ENABLE tags nothing (R15). */
    const uint32_t documented = (uint32_t)escr_documented(pmc_escr_at(as.escr_msr)),
                   inert = ESCR_TAG_VALUE(number % 2 ? 5 : 10) & documented;
    p->escr[p->escrs++] = (struct course_escr){.msr = as.escr_msr,
                                               .value = as.escr | inert,
                                               .other = other.escr,
                                               .documented = documented,
                                               .event = event,
                                               .cause = &CAUSES[PMC_COUNTER[counter].block][number]};
}

/* The actor's ESCR select decides what it counts. */
static void route(struct course_player *p, unsigned i)
{
    struct course_counter *c = &p->state.actor[i];
    const struct pmc_escr *escr = pmc_escr_for(c->number, (unsigned)CCCR_GET_ESCR_SELECT(c->cccr));

    c->escr = escr ? escr->msr : 0;
    c->event = NULL;
    p->actor[i].escr = COURSE_NOBODY;
    for (unsigned e = 0; e < p->escrs; e++)
        if (p->escr[e].msr == c->escr) {
            c->event = p->escr[e].event;
            p->actor[i].escr = (uint8_t)e;
        }
}

/* The twin starts anew with the actor's ESCR and filter. Where the filter's result follows from a plain
 * count, or is nothing, its filter is another one, and it has the OVF_PMI flags that the actor has not, but
 * never overflows: a neighbour's bits must not act. */
static void program_twin(struct course_player *p, unsigned i)
{
    const struct course_counter *c = &p->state.actor[i];
    const uint32_t filter = c->cccr & COURSE_FILTER;
    uint32_t cccr = (c->cccr & CCCR_ESCR_SELECT_MASK) | filter | CCCR_ACTIVE_THREAD(ACTIVE_ANY) |
                    (~c->cccr & p->pmi_bits);

    if (p->actor[i].twin == COURSE_NOBODY)
        return;
    if (!(filter & CCCR_COMPARE))
        cccr ^= COURSE_INERT;
    else if (course_is_sparse(c))
        cccr = (cccr & ~COURSE_FILTER) | (course_passes_none(c) ? CCCR_COMPARE : 0);
    msr_write(MSR_CCCR(p->actor[i].twin), 0);
    p->actor[i].twin_at = pmc_read(p->actor[i].twin);
    p->actor[i].twin_cccr = cccr | CCCR_ENABLE;
    msr_write(MSR_CCCR(p->actor[i].twin), p->actor[i].twin_cccr);
}

/* What goes wrong only until the counter is read must not be over now. */
static void rearm(struct course_player *p, unsigned i)
{
    const struct course_counter *c = &p->state.actor[i];

    msr_write(MSR_CCCR(c->number), 0);
    msr_write(MSR_CCCR(c->number), c->cccr);
    p->unread |= (uint32_t)p->rearms << i;
}

/* An actor to which nothing has happened yet that this would undo. */
static void rearm_some(struct course_player *p, unsigned i)
{
    struct course_counter *c = &p->state.actor[i];

    if (!p->rearms || c->ovf != NO || c->started != NO || c->request != NO || course_complements(c->cccr))
        return;
    rearm(p, i);
    c->edge_known = false;
}

static void program_actor(struct course_player *p, unsigned i)
{
    const struct course_actor *a = &p->course->actor[i];
    const struct pmc_counter *n = &PMC_COUNTER[a->counter];
    struct course_counter *c = &p->state.actor[i];

    *c = (struct course_counter){.number = a->counter,
                                 .alternate = n->cascade_from_alternative == PMC_NONE
                                                  ? (uint8_t)n->cascade_from
                                                  : counter_that_starts_17,
                                 .source = (uint8_t)n->extended_from,
                                 .cccr = a->cccr | course_select(a->counter, a->event),
                                 .has_twin = p->actor[i].twin != COURSE_NOBODY,
                                 .at = a->start};
    route(p, i);
    require_true(R4, pmc_preset(a->counter, c->at), "counter %C holds its preset", a->counter);
    if (c->has_twin)
        pmc_preset(p->actor[i].twin, 0);
    program_twin(p, i);
    rearm(p, i);
}

/* What a counter holds that is neither actor nor twin. No two hold the same. */
static uint64_t bystander_value(unsigned n)
{
    return (COUNTER_MASK & 0xA5A5A5A5A5u) + n;
}

/* The other counters hold something that must stay as it is. Those of other blocks are enabled and wait, but
 * their ESCRs have no event; in a course without twins they are stopped. */
static void program_bystanders(struct course_player *p)
{
    const struct course_actor *const actor = p->course->actor;
    const unsigned block = PMC_COUNTER[actor[0].counter].block;
    uint32_t used = 0;
    bool twins = false;

    for (unsigned i = 0; i < p->course->actors; i++) {
        const bool has_twin = p->actor[i].twin != COURSE_NOBODY;

        used |= 1u << actor[i].counter | (has_twin ? 1u << p->actor[i].twin : 0);
        twins |= has_twin;
    }
    p->bystanders = ~used & ALL_COUNTERS;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (!(p->bystanders >> n & 1))
            continue;
        p->bystander[n] =
            CCCR_ACTIVE_MASK | (PMC_COUNTER[n].block == block || !twins ? 0 : CCCR_ENABLE | CCCR_CASCADE);
        msr_write(MSR_COUNTER(n), bystander_value(n));
        msr_write(MSR_CCCR(n), p->bystander[n]);
    }
}

static bool restarts; /* of all courses of the run; see struct course_state */

static void program(struct course_player *p, const struct course *course)
{
    uint8_t twins[COURSE_ACTORS];

    *p = (struct course_player){.course = course,
                                .rearms = (course->actor[0].counter + course->actor[0].event) % 2,
                                .pmi_bits =
                                    CCCR_OVF_PMI_T0 | (machine_meets() & NEED_SIBLING ? CCCR_OVF_PMI_T1 : 0),
                                .state = {.actors = course->actors,
                                          .ht = machine_cpu.ht,
                                          .e3 = machine_has_erratum(PMC_E3),
                                          .e5 = machine_has_erratum(PMC_E5),
                                          .e9 = machine_has_erratum(PMC_E9),
                                          .restarts = restarts,
                                          .self = smp_self()}};
    course_twins(course, twins);
    for (unsigned i = 0; i < course->actors; i++) {
        const struct course_actor *a = &course->actor[i];

        add_escr(p, a->counter, a->event);
        p->actor[i].twin = twins[i];
    }
    for (unsigned i = 0; i < course->actors; i++) /* what an ESCR select that is rewritten may reach */
        for (unsigned event = 0; event < COURSE_EVENTS; event++)
            add_escr(p, course->actor[i].counter, event);
    for (unsigned e = 0; e < p->escrs; e++)
        msr_write(p->escr[e].msr, 0);
    program_bystanders(p);
    for (unsigned i = course->actors; i-- > 0;)
        program_actor(p, i);
}

/* ---- A step of events ---- */

/* What is executed in it. */
struct events {
    struct course_player *p;
    const struct course_step *step;
    struct msr_write formers[ESCRS], events[ESCRS], ends[ESCRS];
    unsigned writes;
    struct frame frame;
    uint32_t prepared; /* set of the ESCRs whose event is prepared */
};

static void run_phases(void *arg)
{
    const struct events *ev = arg;

    for (unsigned i = 0; i < (ev->step->how == HOW_TWICE ? 2 : 1);
         i++) /* more than the way from one CPL to the other */
        frame_exercise(&ev->frame);
}

static void begin_events(void *arg)
{
    const struct events *ev = arg;

    for (unsigned e = 0; course_is_special(ev->step) && e < ev->writes; e++)
        msr_write(ev->formers[e].msr, ev->formers[e].value);
    for (unsigned e = 0; e < ev->writes; e++)
        msr_write(ev->events[e].msr, ev->events[e].value);
}

/* What the length of the work depends on. */
static uint32_t work_key(const struct events *ev)
{
    const struct course_step *step = ev->step;

    return witness_key(frame_key(&ev->frame), step->level | (uint32_t)course_is_live(step) << 2 |
                                                  (step->how == HOW_TWICE ? 1u << 3 : 0) |
                                                  (uint32_t)course_is_special(step) << 4 |
                                                  (uint32_t)step->by_sibling << 5 | ev->writes << 6);
}

static void do_events(struct events *ev)
{
    struct course_player *p = ev->p;
    const struct course_step *step = ev->step;
    const bool live = course_is_live(step), twice = step->how == HOW_TWICE;
    const bool in_frame =
        step->level == 0 && !live && !twice && ev->writes * (course_is_special(step) ? 2 : 1) <= FRAME_WRITES;

    for (unsigned e = 0; e < p->escrs; e++)
        if ((ev->prepared >> e & 1) && p->escr[e].cause->prepare)
            p->escr[e].cause->prepare();
    const struct witness_window window = witness_open();

    if (!in_frame && !live)
        begin_events(ev);
    if (p->unmasks_lvtpc && !step->by_sibling) {
        pmi_unmask();
        (void)lvtpc_read(); /* the write may take effect late (E16), but not after this */
        p->unmasks_lvtpc = false;
    }
    if (in_frame) {
        frame_execute(&ev->frame); /* nothing is executed beside the work */
        witness_close(&window, work_key(ev));
        return;
    }
    if (step->level)
        ring_run(step->level, run_phases, ev);
    else
        run_phases(ev);
    if (twice)
        run_phases(ev);
    for (unsigned e = 0; e < ev->writes; e++)
        msr_write(ev->ends[e].msr, ev->ends[e].value);
    witness_close(&window, work_key(ev));
}

/* ESCR[3:0] of a step of events. */
static uint32_t flags_of(const struct course_player *p, const struct course_step *step)
{
    const uint8_t flags = machine_cpu.ht ? step->flags : step->flags & FLAGS_WORKER;

    return course_escr_flags(flags, p->state.self ^ step->by_sibling);
}

/* ESCR number e gets its event, and loses it after the work, but keeps its flags (R7), so that the next
 * writes and reads meet them. Where it has no flags, or no mask, it keeps its event without flags (R11, R12),
 * and where it has no event select, all bits of the mask (R7). What it has before must select nothing that is
 * executed between the two writes. So its OS flag is clear, unless the frame makes both writes and what it
 * executes between them does not cause the event. Both flags are clear if the event is not thread specific
 * and the other logical processor runs. */
static void add_write(struct events *ev, unsigned e, bool only)
{
    const struct course_step *step = ev->step;
    struct course_escr *escr = &ev->p->escr[e];
    const enum pmc_event_id of_former =
        (enum pmc_event_id)(step->how == HOW_OTHER_FIRST ? escr->event->other_event : escr->event->event);
    const bool beside = machine_cpu.ht && PMC_EVENT[of_former].thread != 'S' &&
                        (ev->p->state.runs || course_waits_at_cpl_3(step));
    const unsigned by = ev->p->state.self ^ step->by_sibling;
    const uint32_t flags = flags_of(ev->p, step),
                   worker = course_escr_flags(beside ? 0 : FLAG_WORKER_USR, by),
                   worker_os = course_escr_flags(beside ? 0 : FLAG_WORKER_OS, by),
                   event = step->how == HOW_NO_SELECT ? 0
                           : step->how == HOW_NO_MASK ? escr->value & ~ESCR_EVENT_MASK_MASK
                                                      : escr->value,
                   former = step->how == HOW_OTHER_FIRST
                                ? escr->other | worker
                                : escr->value | worker |
                                      (only && step->level == 0 && !escr->event->always ? worker_os : 0);
    const unsigned at = FRAME_WRITES - 1 - ev->writes % FRAME_WRITES;

    escr->holds = step->how == HOW_NO_SELECT ? flags | (escr->documented & (uint32_t)ESCR_EVENT_MASK_MASK)
                  : step->how == HOW_NO_MASK || flags == 0 ? event & escr->documented
                                                           : flags | (event & ESCR_TAG_VALUE_MASK);
    ev->formers[ev->writes] = (struct msr_write){escr->msr, former};
    ev->events[ev->writes] = (struct msr_write){escr->msr, event | flags};
    ev->ends[ev->writes] = (struct msr_write){escr->msr, escr->holds};
    ev->frame.start[at] = ev->events[ev->writes];
    ev->frame.stop[at] = ev->ends[ev->writes];
    ev->writes++;
    if (course_is_special(step))
        ev->frame.start[0] = ev->formers[0];
}

/* Where the step begins. Only what counts clocks without an event has moved since the last step. */
static void read_before(struct course_player *p)
{
    for (unsigned i = 0; i < p->state.actors; i++) {
        p->actor[i].before = p->state.actor[i].at;
        if (!course_complements(p->state.actor[i].cccr))
            continue;
        const uint64_t from = rdtsc();

        p->actor[i].before = pmc_read(p->state.actor[i].number);
        if (p->actor[i].twin != COURSE_NOBODY)
            p->actor[i].twin_at = pmc_read(p->actor[i].twin);
        p->seen.actor[i].apart = (uint32_t)(rdtsc() - from);
    }
}

/* Bits of the actor's ESCR that are not as they were written. */
static uint32_t escr_differs(const struct course_player *p, unsigned i)
{
    if (!p->state.actor[i].event)
        return 0;
    const struct course_escr *escr = &p->escr[p->actor[i].escr];

    return escr->holds ^ (uint32_t)msr_read(escr->msr);
}

struct reading {
    unsigned counter;
    uint64_t slow, fast; /* what the two forms of RDPMC gave; unchanged by #GP */
};

static void read_by_rdpmc(void *reading)
{
    struct reading *r = reading;

    rdpmc_try(r->counter, &r->slow);
    rdpmc_try(r->counter | RDPMC_FAST, &r->fast);
}

/* At the CPL that follows from the actor and its event. */
static void read_actor(struct course_player *p, unsigned i)
{
    const unsigned n = p->state.actor[i].number, level = (n / 2 + p->course->actor[i].event) % 4;
    const uint64_t by_rdmsr = pmc_read(n);
    struct reading r = {n, ~by_rdmsr, ~by_rdmsr};

    if (level) {
        const uint32_t cr4 = cr4_read();

        cr4_write(cr4 | CR4_PCE);
        ring_run(level, read_by_rdpmc, &r);
        cr4_write(cr4);
    } else {
        read_by_rdpmc(&r);
    }
    msr_read(MSR_CCCR(n));
    if (!course_complements(p->state.actor[i].cccr) && (r.slow != by_rdmsr || r.fast != (uint32_t)by_rdmsr))
        p->reads_differ |= 1u << i;
    p->actor[i].escr_differs |= escr_differs(p, i);
}

/* The sibling reads what it has made the counters count, while this logical processor is still halted. */
static void do_and_read(void *arg)
{
    struct events *ev = arg;

    if (course_waits_at_cpl_3(ev->step))
        delay_us(HALT_US);
    do_events(ev);
    for (unsigned i = 0; i < ev->p->state.actors; i++)
        read_actor(ev->p, i);
}

static void restart_sibling(const struct course_player *p)
{
    companion_restart();
    companion_begin();
    companion_run(p->state.runs);
}

/* What the ESCRs are written, and what work is done. */
static void plan_events(struct events *ev)
{
    struct course_player *p = ev->p;
    const struct course_step *step = ev->step;
    unsigned phases = 0;

    frame_init(&ev->frame, idle_counter(p->state.actor[0].number, p->state.actor[0].number));
    for (unsigned i = 0; i < p->state.actors; i++)
        if ((step->actors >> i & 1) && p->state.actor[i].event)
            ev->prepared |= 1u << p->actor[i].escr;
    for (unsigned e = p->escrs; e-- > 0;) { /* X, which is behind Y, overflows before Y's work */
        bool done = false;

        if (!(ev->prepared >> e & 1))
            continue;
        for (unsigned d = e + 1; d < p->escrs; d++)
            done |= (ev->prepared >> d & 1) && p->escr[d].cause->work == p->escr[e].cause->work;
        if (!done && phases == FRAME_PHASES) {
            ev->prepared &= ~(1u << e); /* there is no room for its work */
            continue;
        }
        add_write(ev, e, (ev->prepared & ~(1u << e)) == 0);
        if (!done)
            frame_phase(&ev->frame, phases++, p->escr[e].cause->work, step->occurrences);
        for (unsigned i = 0; i < p->state.actors; i++)
            if (p->actor[i].escr == e && step->how != HOW_NO_SELECT)
                p->seen.events |= 1u << i;
    }
}

static void play_events(struct course_player *p, const struct course_step *step)
{
    struct events ev = {.p = p, .step = step};

    plan_events(&ev);
    companion_settle();
    read_before(p);
    if (course_is_live(step)) {
        if (step->by_sibling || !(machine_meets() & NEED_SIBLING))
            begin_events(&ev);
        else
            companion_do(begin_events, &ev, false);
        if (step->how == HOW_INIT)
            restart_sibling(p);
        else
            halt_for_us(HALT_US);
    }
    if (step->by_sibling) {
        companion_do(do_and_read, &ev, !course_waits_at_cpl_3(step));
    } else {
        irq_off();
        if (p->interrupts_itself)
            lapic_send_fixed(lapic_id(), INTERRUPT_WAKE);
        p->interrupts_itself = false;
        do_events(&ev);
    }
    irq_on();
}

/* ---- The other steps ---- */

static void play_cccr(struct course_player *p, const struct course_step *step)
{
    const struct course_counter *c = &p->state.actor[step->actor];

    rearm_some(p, step->actor);
    const uint32_t cccr = (uint32_t)msr_read(MSR_CCCR(c->number));
    const uint32_t held = CCCR_ENABLE | CCCR_ACTIVE_MASK, base = (cccr & ~held) | (c->cccr & held);

    p->seen.written = (base & ~step->fields) | step->bits;
    p->seen.read_as_enabled = cccr & ~p->seen.written & CCCR_ENABLE;
    msr_write(MSR_CCCR(c->number), p->seen.written);
}

static void write_counter(struct course_player *p, unsigned actor, uint64_t value)
{
    const struct course_counter *c = &p->state.actor[actor];

    p->seen.preset = value;
    p->seen.preset_twice = course_complements(c->cccr) || (uint32_t)c->at > UINT32_MAX - 2 * COURSE_NEAR;
    if (p->seen.preset_twice)
        pmc_preset(c->number, value); /* E1: written twice */
    else
        msr_write(MSR_COUNTER(c->number), value);
    rearm_some(p, actor);
}

static void play_counter(struct course_player *p, const struct course_step *step)
{
    write_counter(p, step->actor, step->value);
}

/* So that as many counts as in the last step of events, and `more`, end at 0. */
static void write_back(struct course_player *p, const struct course_step *step, unsigned more)
{
    const uint64_t counted = p->actor[step->actor].counted;

    write_counter(
        p, step->actor,
        COUNTER_OVERFLOW_IN(counted > COURSE_NEAR && counted < COURSE_FAR ? counted + more : COURSE_NEAR));
}

static void play_counter_back(struct course_player *p, const struct course_step *step)
{
    write_back(p, step, 0);
}

static void play_counter_short(struct course_player *p, const struct course_step *step)
{
    write_back(p, step, 1);
}

static void play_read(struct course_player *p, const struct course_step *step)
{
    read_actor(p, step->actor);
}

static void play_unmask(struct course_player *p, const struct course_step *step)
{
    (void)p;
    (void)step;
    pmi_unmask();
}

static void play_unmask_later(struct course_player *p, const struct course_step *step)
{
    (void)step;
    p->unmasks_lvtpc = true;
}

static void play_unmask_as_nmi(struct course_player *p, const struct course_step *step)
{
    (void)p;
    (void)step;
    pmi_unmask_as(LVT_DELIVERY_NMI);
}

static void play_eoi_late(struct course_player *p, const struct course_step *step)
{
    (void)p;
    (void)step;
    pmi_delay_eoi();
}

static void play_eoi(struct course_player *p, const struct course_step *step)
{
    (void)p;
    (void)step;
    pmi_eoi();
}

static void play_mask(struct course_player *p, const struct course_step *step)
{
    (void)p;
    (void)step;
    pmi_mask();
}

static void play_ipi(struct course_player *p, const struct course_step *step)
{
    (void)step;
    p->interrupts_itself = true;
}

static void play_halt(struct course_player *p, const struct course_step *step)
{
    (void)p;
    (void)step;
    halt_for_us(HALT_US);
}

static void play_init(struct course_player *p, const struct course_step *step)
{
    (void)step;
    restart_sibling(p);
}

static void play_loop(struct course_player *p, const struct course_step *step)
{
    (void)p;
    (void)step;
    companion_run(true);
}

static void play_park(struct course_player *p, const struct course_step *step)
{
    (void)p;
    (void)step;
    companion_run(false);
}

static void play_unused_ovf(struct course_player *p, const struct course_step *step)
{
    (void)step;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (p->bystanders >> n & 1) {
            msr_write(MSR_COUNTER(n), msr_read(MSR_COUNTER(n)));
            msr_write(MSR_CCCR(n), p->bystander[n] | CCCR_OVF);
            p->bystander[n] |= (uint32_t)msr_read(MSR_CCCR(n)) & CCCR_OVF; /* not every part sets it */
        }
}

static void (*const PLAY[COURSE_STEP_KINDS])(struct course_player *, const struct course_step *) = {
    [STEP_EVENTS] = play_events,
    [STEP_CCCR] = play_cccr,
    [STEP_COUNTER] = play_counter,
    [STEP_COUNTER_SHORT] = play_counter_short,
    [STEP_COUNTER_BACK] = play_counter_back,
    [STEP_READ] = play_read,
    [STEP_LVTPC_FIXED] = play_unmask,
    [STEP_LVTPC_NMI] = play_unmask_as_nmi,
    [STEP_LVTPC_LATER] = play_unmask_later,
    [STEP_LVTPC_MASKED] = play_mask,
    [STEP_EOI_LATE] = play_eoi_late,
    [STEP_EOI] = play_eoi,
    [STEP_IPI] = play_ipi,
    [STEP_HALT] = play_halt,
    [STEP_INIT] = play_init,
    [STEP_LOOP] = play_loop,
    [STEP_PARK] = play_park,
    [STEP_UNUSED_OVF] = play_unused_ovf,
};

struct errand {
    struct course_player *p;
    const struct course_step *step;
};

static void do_errand(void *arg)
{
    const struct errand *errand = arg;

    PLAY[errand->step->kind](errand->p, errand->step);
}

/* What the sibling does beside events, it does while this logical processor waits at CPL 3 or halts, by
 * turns. */
static void play_step(struct course_player *p, const struct course_step *step)
{
    struct errand errand = {p, step};

    if (step->by_sibling && !course_does(step, DOES_EVENTS))
        companion_do(do_errand, &errand, (step - p->course->step) % 2);
    else
        do_errand(&errand);
    irq_on();
}

/* ---- What a step has shown ---- */

/* Until the PMIs that may come have come. One that no rule explains is seen at the end. */
static void wait_for_pmis(struct course_player *p, const struct course_step *step,
                          const struct course_pmis *due)
{
    struct pmi_patience patience = pmi_patience();

    if (step == &p->course->step[p->course->steps - 1])
        pmi_wait_for_delivery();
    else
        while (((due->may_come[0] && pmi_taken(0) == p->taken[0]) ||
                (due->may_come[1] && pmi_taken(1) == p->taken[1])) &&
               !pmi_patience_over(&patience))
            continue;
    for (unsigned lp = 0; lp < 2; lp++) {
        p->seen.pmis[lp] = pmi_taken(lp) - p->taken[lp];
        if (p->seen.pmis[lp] == 0)
            continue;
        p->seen.nmis[lp] = pmi_taken_as_nmis(lp) - p->taken_as_nmis[lp];
        p->seen.found_unmasked[lp] = pmi_found_unmasked(lp) - p->found_unmasked[lp];
        p->taken[lp] += p->seen.pmis[lp];
        p->taken_as_nmis[lp] += p->seen.nmis[lp];
        p->found_unmasked[lp] += p->seen.found_unmasked[lp];
    }
    p->seen.owes_eoi = pmi_owes_eoi();
    if (p->seen.pmis[p->state.self ^ 1])
        companion_woken();
}

/* Has nothing moved the actor since its CCCR was 0, and is it not read yet? */
static bool stays_unread(const struct course_player *p, const struct course_step *step, unsigned i)
{
    const bool writes = course_does(step, DOES_CCCR) && step->actor == i;

    return (p->unread >> i & 1) && !course_does(step, DOES_EVENTS | DOES_READ) &&
           !course_complements(p->state.actor[i].cccr | (writes ? p->seen.written : 0));
}

static void look(struct course_player *p, const struct course_step *step)
{
    const bool events = course_does(step, DOES_EVENTS);

    for (unsigned i = 0; i < p->state.actors; i++) {
        const unsigned n = p->state.actor[i].number;
        const uint64_t before = events                                                ? p->actor[i].before
                                : course_does(step, DOES_COUNTER) && step->actor == i ? p->seen.preset
                                                                                      : p->state.actor[i].at;

        if (stays_unread(p, step, i)) {
            p->seen.actor[i].value = before;
            p->seen.actor[i].cccr = (uint32_t)msr_read(MSR_CCCR(n));
            continue;
        }
        p->unread &= ~(1u << i);
        const uint64_t from = rdtsc(), value = pmc_read(n);

        p->seen.actor[i].value = value;
        p->seen.actor[i].own = (value - before) & COUNTER_MASK;
        if (p->actor[i].twin != COURSE_NOBODY && events) {
            const uint64_t twin = pmc_read(p->actor[i].twin);

            p->seen.actor[i].twin = (twin - p->actor[i].twin_at) & COUNTER_MASK;
            p->actor[i].twin_at = twin;
            p->seen.actor[i].apart += (uint32_t)(rdtsc() - from);
        }
        p->seen.actor[i].cccr = (uint32_t)msr_read(MSR_CCCR(n));
        p->seen.actor[i].differs = p->reads_differ >> i & 1;
        p->seen.actor[i].escr_changed = p->actor[i].escr_differs | escr_differs(p, i);
        if (events && (step->actors >> i & 1))
            p->actor[i].counted = p->seen.actor[i].own;
    }
}

static bool wants_companion(const struct course *course)
{
    for (unsigned i = 0; i < course->steps; i++)
        if (course->step[i].by_sibling || course->step[i].how == HOW_INIT ||
            course_does(&course->step[i], DOES_SIBLING))
            return true;
    return false;
}

static bool uses_nmis(const struct course *course)
{
    for (unsigned i = 0; i < course->steps; i++)
        if (course_does(&course->step[i], DOES_NMIS))
            return true;
    return false;
}

/* One step: done, looked at and judged. */
static void play_and_judge(struct course_player *p, const struct course_step *step, bool lapic,
                           struct course_wrong *wrong)
{
    p->seen = (struct course_seen){.events = 0};
    p->reads_differ = 0;
    for (unsigned i = 0; i < p->state.actors; i++)
        p->actor[i].escr_differs = 0;
    play_step(p, step);
    look(p, step);
    const struct course_pmis due = course_judge(&p->state, step, &p->seen, wrong);
    restarts = p->state.restarts;
    wait_for_pmis(p, step, &due);
    course_judge_pmis(&p->state, step, &p->seen, &due, lapic && !(lvtpc_read() & LVT_MASKED), wrong);
}

/* What fails is printed with the registers that hold something. */
static void clear_bystanders(const struct course_player *p)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (p->bystanders >> n & 1)
            msr_write(MSR_COUNTER(n), 0);
}

/* The rules by which the steps change nothing but what they are about. With a write of a counter its CCCR may
 * be written, twice (rearm_some()). */
static uint32_t rules_of_bystanders(const struct course_player *p)
{
    const struct course *course = p->course;
    uint32_t rules = 0;

    for (unsigned i = 0; i < course->steps; i++) {
        if (p->rearms && course_does(&course->step[i], DOES_COUNTER))
            rules = rules_with(rules, R32);
        rules = rules_with(rules, course_row(&course->step[i])->alters);
    }
    return rules ? rules : RULES(R28, R27);
}

/* Has what happened to the actors changed another counter, or its CCCR? */
static void judge_bystanders(const struct course_player *p, struct course_wrong *wrong)
{
    const unsigned counter = p->course->actor[0].counter,
                   idle = idle_counter(counter, counter); /* its CCCR is written in the steps of events */

    for (unsigned n = 0; n < PMC_COUNTERS && !wrong->quantity; n++) {
        if (!(p->bystanders >> n & 1))
            continue;
        const uint64_t value = pmc_read(n), cccr = msr_read(MSR_CCCR(n));
        const bool holds = value == bystander_value(n);

        if (holds && (!((cccr ^ p->bystander[n]) & pmc_judged_bits(&machine_cpu, MSR_CCCR(n))) || n == idle))
            continue;
        *wrong = (struct course_wrong){.quantity = "what another counter holds",
                                       .rules = rules_of_bystanders(p),
                                       .low = holds ? p->bystander[n] : bystander_value(n),
                                       .high = holds ? p->bystander[n] : bystander_value(n),
                                       .observed = holds ? cccr : value,
                                       .action = ACTION_OTHER,
                                       .step = p->course->steps,
                                       .is_register = holds,
                                       .bystander = (uint8_t)(n + 1)};
    }
    if (!wrong->quantity && rules_are_noted())
        rules_held(rules_of_bystanders(p));
}

/* Play the course once. */
static struct course_wrong play_once(struct course_player *p, const struct course *course)
{
    struct course_wrong wrong = {.quantity = NULL};
    unsigned before = 0; /* witnessed in the last step, which left the counters as they are */
    const bool with_companion = wants_companion(course), lapic = machine_meets() & NEED_LAPIC;

    pmc_stop_all();
    if (lapic) {
        pmi_use_vector_too(course->steps % 2);
        pmi_arm();
        pmi_mask();
        witness_without_nmis(uses_nmis(course));
    }
    if (with_companion)
        companion_begin();
    program(p, course);
    for (unsigned i = 0; i < course->steps && !wrong.quantity; i++) {
        const struct course_step *step = &course->step[i];

        witness_begin();
        play_and_judge(p, step, lapic, &wrong);
        wrong.step = (uint8_t)(i + 1);
        const unsigned seen = witness_seen();
        witness_add(before);
        before = seen;
        if (course_does(step, DOES_CCCR)) {
            route(p, step->actor);
            program_twin(p, step->actor);
        }
    }
    judge_bystanders(p, &wrong);
    pmc_stop_all();
    clear_bystanders(p);
    if (with_companion)
        companion_end();
    pmi_use_vector_too(false);
    if (lapic && wrong.quantity)
        pmi_disarm(); /* the step that failed has not waited for PMIs in flight */
    else if (lapic) {
        pmi_eoi();
        pmi_mask();
        witness_without_nmis(false);
    }
    for (unsigned e = 0; e < p->escrs; e++)
        msr_write(p->escr[e].msr, 0);
    return wrong;
}

struct act course_act(const struct course *course, const struct course_wrong *wrong)
{
    return (struct act){wrong->action, course->actor[wrong->actor].counter};
}

struct play {
    struct course_player *p;
    const struct course *course;
    unsigned expectations;
    struct course_wrong wrong;
};

/* Returns how many PMIs were too many: an NMI of the board passes for a PMI while LVTPC delivers NMIs. */
static unsigned play_among_nmis(void *arg)
{
    struct play *play = arg;
    const struct course_wrong *wrong = &play->wrong;

    witness_expectations_again(play->expectations);
    play->wrong = play_once(play->p, play->course);
    return wrong->quantity && (wrong->action == ACTION_PMI_LP0 || wrong->action == ACTION_PMI_LP1) &&
                   wrong->observed > wrong->high
               ? (unsigned)(wrong->observed - wrong->high)
               : 0;
}

struct course_wrong course_play(struct course_player *p, const struct course *course)
{
    struct play play = {.p = p, .course = course, .expectations = witness_expectations()};
    unsigned tries = 0;

    do {
        if (uses_nmis(course))
            pmis_as_nmis(play_among_nmis, &play, 0);
        else
            play_among_nmis(&play);
    } while (play.wrong.quantity &&
             expect_is_witnessed(course_act(course, &play.wrong), play.wrong.observed < play.wrong.low) &&
             ++tries < WITNESSED_MOST);
    return play.wrong;
}

/* ---- What was in use ---- */

static uint32_t in_use_beside(const struct course_player *p, unsigned actor)
{
    const struct course_counter *c = &p->state.actor[actor];
    uint32_t words = 0;

    for (unsigned i = 0; i < p->state.actors; i++) {
        const struct course_counter *other = &p->state.actor[i];

        if (i == actor)
            continue;
        words |= (other->ovf == NO ? 0 : SETTING_BLOCK_OVF) | (other->escr == c->escr ? SETTING_SHARED : 0) |
                 (course_starts(c, other) ? SETTING_AWAITED : 0);
    }
    return words;
}

uint32_t course_in_use(const struct course_player *p, unsigned actor)
{
    const struct course_counter *c = &p->state.actor[actor];
    uint32_t words = setting_of_cccr(c->cccr) | (c->ovf == NO ? 0 : SETTING_OVF) |
                     (c->started == NO ? 0 : SETTING_STARTED) | in_use_beside(p, actor) |
                     (p->actor[actor].before > COUNTER_MASK / 2 ? SETTING_NEGATIVE : SETTING_POSITIVE);

    for (unsigned i = 0; i < p->course->steps; i++) {
        const struct course_step *step = &p->course->step[i];

        words |= course_setting(step);
        if (course_does(step, DOES_EVENTS) && (step->actors >> actor & 1))
            words |= setting_of_escr(ESCR_EVENT_SELECT(1) | flags_of(p, step));
    }
    return words;
}
