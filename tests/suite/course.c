/* Playing courses: the counters of a block are programmed, and one step after the other is done and judged.
 */
#include "course.h"

#include "companion.h"
#include "expect.h"
#include "frame.h"
#include "kernel/run/pmi.h"
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "machine.h"
#include "needs.h"
#include "bits.h"
#include "halt.h"
#include "measure.h"
#include "pmc/msr.h"
#include "pmi_counter.h"
#include "repeat.h"
#include "setting.h"
#include "witness.h"

#define NOBODY      0xFF
#define NEAR        20 /* counts to an overflow; not as near as the presets of E20 */
#define TO_BIT_32   ((1ull << 32) - NEAR)
#define FAR_VALUE   (1ull << 30)
#define HALT_US     20
#define FILTER_BITS (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE)
#define INERT_BITS  (CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE)
#define LINKS       (CCCR_CASCADE | CCCR_CASCNT)
#define ESCRS       (2 * COURSE_KINDS)

/* Kinds 0 and 2 are counted by ESCRs of one unit, 1 and 3 by those of another one. Where it can be, one
 * occurrence of kind 3 is one count. The other event has another select and another mask. */
#define CLOCKS                                                                                         \
    {                                                                                                  \
        EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, true, true, true, EVENT_FSB_DATA_ACTIVITY, 2, \
            &work_jmp, NULL                                                                            \
    }
#define REPLAYS                                                                                         \
    {                                                                                                   \
        EVENT_MOB_LOAD_REPLAY, 0x3A, false, false, false, EVENT_MOB_LOAD_REPLAY, 2, &work_partial_load, \
            work_finish_mmx                                                                             \
    }
static const struct course_kind KINDS[][COURSE_KINDS] = {
    [BLOCK_BPU] = {CLOCKS, REPLAYS, CLOCKS, REPLAYS},
    [BLOCK_MS] = {{EVENT_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_DELIVER | UOP_QUEUE_FROM_ROM | 1, true, false, true,
                   EVENT_TC_MS_XFER, TC_MS_XFER_CISC, &work_call, NULL},
                  {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL, true, false, false,
                   EVENT_RETIRED_MISPRED_BRANCH_TYPE, BRANCH_TYPE_INDIRECT, &work_call, NULL},
                  {EVENT_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_ROM, true, false, true, EVENT_TC_MS_XFER,
                   TC_MS_XFER_CISC, &work_cpuid_leaf_0, NULL},
                  {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CONDITIONAL, true, false, false,
                   EVENT_RETIRED_MISPRED_BRANCH_TYPE, BRANCH_TYPE_CALL, &work_not_taken, NULL}},
    [BLOCK_FLAME] = {{EVENT_MEMORY_COMPLETE, MEMORY_COMPLETE_LSC, true, false, false, EVENT_LOAD_PORT_REPLAY,
                      2, &work_split_load, NULL},
                     {EVENT_PACKED_SP_UOP, FIRM_ALL, true, false, false, EVENT_PACKED_DP_UOP, FIRM_ALL,
                      &work_packed_sp, work_prepare_sse},
                     {EVENT_MEMORY_COMPLETE, MEMORY_COMPLETE_SSC, true, false, false, EVENT_LOAD_PORT_REPLAY,
                      1, &work_split_store, NULL},
                     {EVENT_SCALAR_SP_UOP, FIRM_ALL, true, false, false, EVENT_PACKED_DP_UOP, FIRM_ALL,
                      &work_scalar_sp, work_prepare_sse}},
    [BLOCK_IQ] = {{EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, true, false, true, EVENT_MISPRED_BRANCH_RETIRED,
                   2, &work_nop, NULL},
                  {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN, true, true, false, EVENT_MACHINE_CLEAR,
                   MACHINE_CLEAR_SMCLEAR, &work_cpuid_leaf_0, NULL},
                  {EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, true, false, true, EVENT_UOPS_RETIRED, 2,
                   &work_nop, NULL},
                  {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_UNTAKEN, true, false, false, EVENT_MACHINE_CLEAR,
                   MACHINE_CLEAR_SMCLEAR, &work_not_taken, NULL}},
};

static const struct course_kind *course_kind(unsigned counter, unsigned kind)
{
    return &KINDS[PMC_COUNTER[counter].block][kind];
}

static struct {
    const struct course *course;
    struct course_state state;
    struct course_seen seen;
    struct {
        uint8_t twin;     /* NOBODY: none */
        uint8_t escr;     /* number of its ESCR; NOBODY: none */
        uint64_t before;  /* its value before the step */
        uint64_t twin_at; /* the value of its twin */
        uint64_t counted; /* in the last step of events */
    } actor[COURSE_ACTORS];
    struct {
        uint32_t msr, value, other; /* its event, another one; ESCR[3:0] clear */
        uint32_t holds;             /* between two steps */
        const struct course_kind *kind;
    } escr[ESCRS];
    unsigned escrs;
    uint8_t started_17_by; /* the counter that starts 17 by CASCADE (question 10.2) */
    /* What do_events() does. */
    struct msr_write formers[ESCRS], events[ESCRS];
    unsigned writes;
    bool has_former;
    struct frame frame;
    uint8_t level;
    uint32_t prepared;     /* set of the ESCRs whose kind is prepared */
    bool live;             /* the ESCRs have their events before the worker begins */
    bool twice;            /* the work is done twice at its CPL, and twice at CPL 0 */
    uint32_t reads_differ; /* set of actors */
    bool interrupt;        /* sent to itself before the next events */
    bool unmask;           /* LVTPC, just before the next events */
    bool waits_at_cpl_3;   /* while the sibling works */
    uint32_t pmi_bits;     /* the OVF_PMI flags that the machine has */
    unsigned taken[2];     /* PMIs on LP0 and LP1 before the step */
} play;

/* ---- Programming ---- */

static void add_escr(unsigned counter, const struct course_kind *kind)
{
    struct pmc_programming p;
    unsigned i = 0;

    pmc_program(&p, (enum pmc_event_id)kind->event, kind->mask, 0, counter);
    while (i < play.escrs && play.escr[i].msr != p.escr_msr)
        i++;
    if (i < play.escrs)
        return;
    play.escr[i].msr = p.escr_msr;
    play.escr[i].value = p.escr;
    play.escr[i].kind = kind;
    pmc_program(&p, (enum pmc_event_id)kind->other_event, kind->other_mask, 0, counter);
    play.escr[i].other = p.escr;
    play.escr[i].holds = 0;
    play.escrs++;
}

/* The counter's ESCR select for a kind. */
static uint32_t select_of(unsigned counter, unsigned number)
{
    const struct course_kind *kind = course_kind(counter, number);
    struct pmc_programming p = {.cccr = 0};

    pmc_program(&p, (enum pmc_event_id)kind->event, kind->mask, 0, counter);
    return p.cccr & CCCR_ESCR_SELECT_MASK;
}

/* A counter on the actor's side that nobody has. */
static uint8_t twin_for(const struct course *c, unsigned counter, uint32_t taken)
{
    for (unsigned i = 0; i < c->actors; i++)
        taken |= 1u << c->actor[i].counter;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!(taken >> n & 1) && PMC_COUNTER[n].block == PMC_COUNTER[counter].block &&
            PMC_COUNTER[n].side == PMC_COUNTER[counter].side)
            return (uint8_t)n;
    return NOBODY;
}

/* The actor's ESCR select decides what it counts. */
static void route(unsigned i)
{
    struct course_counter *c = &play.state.actor[i];
    const struct pmc_escr *escr = pmc_escr_for(c->number, (unsigned)CCCR_GET_ESCR_SELECT(c->cccr));

    c->escr = escr ? escr->msr : 0;
    c->kind = NULL;
    play.actor[i].escr = NOBODY;
    for (unsigned e = 0; e < play.escrs; e++)
        if (play.escr[e].msr == c->escr) {
            c->kind = play.escr[e].kind;
            play.actor[i].escr = (uint8_t)e;
        }
}

/* The twin starts anew with the actor's ESCR and filter. Where the filter's result follows from a plain
 * count, or is nothing, its filter is another one, and it has the OVF_PMI flags that the actor has not, but
 * never overflows: a neighbour's bits must not act. */
static void program_twin(unsigned i)
{
    const struct course_counter *c = &play.state.actor[i];
    const uint32_t filter = c->cccr & FILTER_BITS;
    uint32_t cccr = (c->cccr & CCCR_ESCR_SELECT_MASK) | filter | CCCR_ACTIVE_THREAD(ACTIVE_ANY) |
                    (~c->cccr & play.pmi_bits);

    if (play.actor[i].twin == NOBODY)
        return;
    if (!(filter & CCCR_COMPARE))
        cccr ^= INERT_BITS;
    else if (course_is_sparse(filter))
        cccr = (cccr & ~FILTER_BITS) | (course_passes_none(c) ? CCCR_COMPARE : 0);
    msr_write(MSR_CCCR(play.actor[i].twin), 0);
    play.actor[i].twin_at = pmc_read(play.actor[i].twin);
    msr_write(MSR_CCCR(play.actor[i].twin), cccr | CCCR_ENABLE);
}

static void program(const struct course *course)
{
    uint32_t taken = 0;

    play.course = course;
    play.escrs = 0;
    play.taken[0] = play.taken[1] = 0;
    play.interrupt = play.unmask = false;
    play.pmi_bits = CCCR_OVF_PMI_T0 | (machine_meets() & NEED_SIBLING ? CCCR_OVF_PMI_T1 : 0);
    play.state = (struct course_state){.actors = course->actors,
                                       .ht = machine_cpu.ht,
                                       .e3 = machine_has_erratum(PMC_E3),
                                       .e5 = machine_has_erratum(PMC_E5),
                                       .e9 = machine_has_erratum(PMC_E9),
                                       .self = smp_self()};
    for (unsigned i = 0; i < course->actors; i++) {
        const struct course_actor *a = &course->actor[i];

        add_escr(a->counter, course_kind(a->counter, a->kind));
        play.actor[i].twin = twin_for(course, a->counter, taken);
        if (play.actor[i].twin != NOBODY)
            taken |= 1u << play.actor[i].twin;
    }
    for (unsigned i = 0; i < course->actors; i++) /* what an ESCR select that is rewritten may reach */
        for (unsigned kind = 0; kind < COURSE_KINDS; kind++)
            add_escr(course->actor[i].counter, course_kind(course->actor[i].counter, kind));
    for (unsigned e = 0; e < play.escrs; e++)
        msr_write(play.escr[e].msr, 0);
    for (unsigned i = course->actors; i-- > 0;) {
        const struct course_actor *a = &course->actor[i];
        const struct pmc_counter *n = &PMC_COUNTER[a->counter];
        struct course_counter *c = &play.state.actor[i];

        *c = (struct course_counter){
            .number = a->counter,
            .alternate =
                n->cascade_from_alternative == PMC_NONE ? (uint8_t)n->cascade_from : play.started_17_by,
            .source = (uint8_t)n->extended_from,
            .cccr = a->cccr | select_of(a->counter, a->kind),
            .has_twin = play.actor[i].twin != NOBODY,
            .at = COUNTER_OVERFLOW_IN(course_complements(a->cccr) ? FAR_VALUE : NEAR)};
        route(i);
        require_true(R4, pmc_preset(a->counter, c->at), "counter %C holds its preset", a->counter);
        if (c->has_twin)
            pmc_preset(play.actor[i].twin, 0);
        program_twin(i);
        play.actor[i].counted = 0;
        msr_write(MSR_CCCR(a->counter), c->cccr);
    }
}

/* ---- Steps ---- */

static void run_phases(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < (play.twice ? 2 : 1); i++) /* more than the way from one CPL to the other */
        frame_exercise(&play.frame);
}

static void begin_events(void *unused)
{
    (void)unused;
    for (unsigned e = 0; play.has_former && e < play.writes; e++)
        msr_write(play.formers[e].msr, play.formers[e].value);
    for (unsigned e = 0; e < play.writes; e++)
        msr_write(play.events[e].msr, play.events[e].value);
}

/* What the length of the work depends on. */
static uint32_t work_key(void)
{
    return witness_key(frame_key(&play.frame), play.level | play.live << 2 | play.twice << 3 |
                                                   play.has_former << 4 | play.writes << 5);
}

static void do_events(void)
{
    const bool in_frame = play.level == 0 && !play.live && !play.twice &&
                          play.writes + (play.has_former ? play.writes : 0) <= FRAME_WRITES;

    for (unsigned e = 0; e < play.escrs; e++)
        if ((play.prepared >> e & 1) && play.escr[e].kind->prepare)
            play.escr[e].kind->prepare();
    const struct witness_window window = witness_open();

    if (!in_frame && !play.live)
        begin_events(NULL);
    if (play.unmask) {
        pmi_unmask();
        (void)lvtpc_read(); /* the write may take effect late (E15), but not after this */
    }
    play.unmask = false;
    if (in_frame) {
        frame_execute(&play.frame); /* nothing is executed beside the work */
        witness_close(&window, work_key());
        return;
    }
    if (play.level)
        ring_run(play.level, run_phases, NULL);
    else
        run_phases(NULL);
    if (play.twice)
        run_phases(NULL);
    for (unsigned e = 0; e < play.writes; e++)
        msr_write(play.events[e].msr, play.events[e].value & ESCR_CPL_MASK);
    witness_close(&window, work_key());
}

/* ESCR[3:0] of a step of events. */
static uint32_t flags_of(const struct course_step *step)
{
    uint32_t (*const worker)(bool, bool) = step->by_sibling ? escr_sibling : escr_self;
    uint32_t (*const other)(bool, bool) = step->by_sibling ? escr_self : escr_sibling;

    switch (step->how) {
    case 'O':
        return worker(true, false);
    case 'U':
        return worker(false, true);
    case 'N':
        return 0;
    case 'X':
        return machine_cpu.ht ? other(true, true) : 0;
    case 'S':
        return machine_cpu.ht ? other(true, false) : 0;
    case 'A':
        return worker(true, true) | (machine_cpu.ht ? other(true, true) : 0);
    default:
        return worker(true, true);
    }
}

/* ESCR number e gets its event, and loses it after the work, but keeps its flags (R7), so that the next
 * writes and reads meet them. What it has before must select nothing that is executed between the two writes.
 * So its OS flag is clear, unless the frame makes both writes and what it executes between them does not
 * cause the event. */
static void add_write(const struct course_step *step, unsigned e, bool only)
{
    uint32_t (*const worker)(bool, bool) = step->by_sibling ? escr_sibling : escr_self;
    const uint32_t msr = play.escr[e].msr, value = play.escr[e].value,
                   event = step->how == 'E'   ? 0
                           : step->how == 'M' ? value & ~ESCR_EVENT_MASK_MASK
                                              : value,
                   former =
                       step->how == 'F'
                           ? play.escr[e].other | worker(false, true)
                           : value | worker(only && step->level == 0 && !play.escr[e].kind->always, true);
    const unsigned at = FRAME_WRITES - 1 - play.writes % FRAME_WRITES;

    play.has_former = step->how != 0;
    play.escr[e].holds = flags_of(step);
    play.formers[play.writes] = (struct msr_write){msr, former};
    play.events[play.writes++] = (struct msr_write){msr, event | flags_of(step)};
    play.frame.start[at] = play.events[play.writes - 1];
    play.frame.stop[at] = (struct msr_write){msr, flags_of(step)};
    if (play.has_former)
        play.frame.start[0] = play.formers[0];
}

/* Where the step begins. Only what counts clocks without an event has moved since the last step. */
static void read_before(void)
{
    for (unsigned i = 0; i < play.state.actors; i++) {
        play.actor[i].before = play.state.actor[i].at;
        if (!course_complements(play.state.actor[i].cccr))
            continue;
        const uint64_t from = rdtsc();

        play.actor[i].before = pmc_read(play.state.actor[i].number);
        if (play.actor[i].twin != NOBODY)
            play.actor[i].twin_at = pmc_read(play.actor[i].twin);
        play.seen.actor[i].apart = (uint32_t)(rdtsc() - from);
    }
}

static void read_actor(unsigned i)
{
    const unsigned n = play.state.actor[i].number;
    uint64_t by_rdmsr = pmc_read(n), slow = ~by_rdmsr, fast = ~by_rdmsr;

    rdpmc_try(n, &slow);
    rdpmc_try(n | RDPMC_FAST, &fast);
    msr_read(MSR_CCCR(n));
    if (!course_complements(play.state.actor[i].cccr) && (slow != by_rdmsr || fast != (uint32_t)by_rdmsr))
        play.reads_differ |= 1u << i;
}

/* The sibling reads what it has made the counters count, while this logical processor is still halted. */
static void do_and_read(void *unused)
{
    (void)unused;
    if (play.waits_at_cpl_3)
        delay_us(HALT_US);
    do_events();
    for (unsigned i = 0; i < play.state.actors; i++)
        read_actor(i);
}

static void restart_sibling(void)
{
    require_true(HARNESS, smp_restart(), "the sibling comes back after INIT");
    companion_begin();
    companion_run(play.state.runs);
}

static void give_events(const struct course_step *step)
{
    const uint32_t n = step->bits ? step->bits : COURSE_WORK;
    unsigned phases = 0;

    frame_init(&play.frame, idle_counter(play.state.actor[0].number, play.state.actor[0].number));
    play.writes = 0;
    play.prepared = 0;
    play.level = step->level;
    play.live = step->how == 'W' || step->how == 'R';
    play.twice = step->how == 'B';
    play.waits_at_cpl_3 = step->how == 'S' || step->how == 'O';
    for (unsigned i = 0; i < play.state.actors; i++)
        if ((step->who >> i & 1) && play.state.actor[i].kind)
            play.prepared |= 1u << play.actor[i].escr;
    for (unsigned e = play.escrs; e-- > 0;) { /* X, which is behind Y, overflows before Y's work */
        bool done = false;

        if (!(play.prepared >> e & 1))
            continue;
        add_write(step, e, (play.prepared & ~(1u << e)) == 0);
        for (unsigned d = e + 1; d < play.escrs; d++)
            done |= (play.prepared >> d & 1) && play.escr[d].kind->work == play.escr[e].kind->work;
        if (!done && phases < FRAME_PHASES)
            frame_phase(&play.frame, phases++, play.escr[e].kind->work, n);
        for (unsigned i = 0; i < play.state.actors; i++)
            if (play.actor[i].escr == e && step->how != 'E')
                play.seen.events |= 1u << i;
    }
    companion_settle();
    read_before();
    if (play.live) {
        if (step->by_sibling || !(machine_meets() & NEED_SIBLING))
            begin_events(NULL);
        else
            companion_do(begin_events, NULL, false);
        if (step->how == 'R')
            restart_sibling();
        else
            halt_for_us(HALT_US);
    }
    if (step->by_sibling) {
        companion_do(do_and_read, NULL, !play.waits_at_cpl_3);
    } else {
        irq_off();
        if (play.interrupt)
            lapic_send_fixed(lapic_id(), INTERRUPT_WAKE);
        play.interrupt = false;
        do_events();
    }
    irq_on();
}

static uint64_t value_of(const struct course_step *step)
{
    const uint64_t counted = play.actor[step->who].counted;

    switch (step->how) {
    case 'Z':
        return COUNTER_OVERFLOW_IN(counted > NEAR && counted < FAR_VALUE ? counted : NEAR);
    case 'P':
        return 0;
    case 'C':
        return TO_BIT_32;
    case 'F':
        return COUNTER_OVERFLOW_IN(FAR_VALUE);
    default:
        return COUNTER_OVERFLOW_IN(NEAR);
    }
}

static void write_cccr(void *arg)
{
    const struct course_step *step = arg;
    const struct course_counter *c = &play.state.actor[step->who];
    const uint32_t cccr = (uint32_t)msr_read(MSR_CCCR(c->number));
    const uint32_t base = (cccr & ~CCCR_ENABLE) | (c->cccr & CCCR_ENABLE);
    const uint32_t written = step->what == 'k' ? (base & ~CCCR_ESCR_SELECT_MASK) |
                                                     select_of(c->number, (unsigned)(step->how - '0'))
                                               : (base ^ (step->bits & ~CCCR_OVF)) & ~(step->bits & CCCR_OVF);

    play.seen.read_as_enabled = cccr != base;
    play.seen.written = written;
    msr_write(MSR_CCCR(c->number), written);
}

static void write_value(void *arg)
{
    const struct course_step *step = arg;
    const struct course_counter *c = &play.state.actor[step->who];

    play.seen.preset = value_of(step);
    play.seen.twice = course_complements(c->cccr) || (uint32_t)c->at > UINT32_MAX - 2 * NEAR;
    if (play.seen.twice)
        pmc_preset(c->number, play.seen.preset); /* E1: written twice */
    else
        msr_write(MSR_COUNTER(c->number), play.seen.preset);
}

static void read_registers(void *arg)
{
    read_actor(((const struct course_step *)arg)->who);
}

static void write_lvtpc(void *arg)
{
    const struct course_step *step = arg;

    if (step->how == 'F')
        pmi_unmask();
    else if (step->how == 'M')
        pmi_mask();
    else
        *(step->how == 'U' ? &play.unmask : &play.interrupt) = true;
}

static void set_ovf_of_others(void)
{
    uint32_t ours = 0;

    for (unsigned i = 0; i < play.state.actors; i++)
        ours |=
            1u << play.state.actor[i].number | (play.actor[i].twin == NOBODY ? 0 : 1u << play.actor[i].twin);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!(ours >> n & 1))
            msr_write(MSR_CCCR(n), CCCR_ACTIVE_MASK | CCCR_OVF);
}

static void by(const struct course_step *step, void (*fn)(void *))
{
    if (step->by_sibling)
        companion_do(fn, (void *)(uintptr_t)step, (step - play.course->step) % 2);
    else
        fn((void *)(uintptr_t)step);
    irq_on();
}

static void act(const struct course_step *step)
{
    switch (step->what) {
    case 'e':
        give_events(step);
        break;
    case 'w':
    case 'k':
        by(step, write_cccr);
        break;
    case 'v':
        by(step, write_value);
        break;
    case 'r':
        by(step, read_registers);
        break;
    case 'l':
        by(step, write_lvtpc);
        break;
    case 'o':
        set_ovf_of_others();
        break;
    case 'h':
        halt_for_us(HALT_US);
        break;
    case 'i':
        restart_sibling();
        break;
    default:
        companion_run(step->how == 'R');
        break;
    }
}

/* ---- What a step has shown ---- */

/* Until the PMIs that may come have come. One that no rule explains is seen at the end. */
static void wait_for_pmis(const struct course_step *step, const struct course_pmis *due)
{
    struct pmi_patience patience = pmi_patience();

    if (step == &play.course->step[play.course->steps - 1])
        pmi_wait_for_delivery();
    else
        while (((due->may_come[0] && pmi_taken(0) == play.taken[0]) ||
                (due->may_come[1] && pmi_taken(1) == play.taken[1])) &&
               !pmi_patience_over(&patience))
            continue;
    for (unsigned lp = 0; lp < 2; lp++) {
        play.seen.pmis[lp] = pmi_taken(lp) - play.taken[lp];
        play.taken[lp] += play.seen.pmis[lp];
    }
    if (play.seen.pmis[play.state.self ^ 1])
        companion_woken();
}

static void look(const struct course_step *step)
{
    for (unsigned i = 0; i < play.state.actors; i++) {
        const unsigned n = play.state.actor[i].number;
        const uint64_t before = step->what == 'e'                     ? play.actor[i].before
                                : step->what == 'v' && step->who == i ? play.seen.preset
                                                                      : play.state.actor[i].at;
        const uint64_t from = rdtsc(), value = pmc_read(n);

        play.seen.actor[i].value = value;
        play.seen.actor[i].own = (value - before) & COUNTER_MASK;
        if (play.actor[i].twin != NOBODY && step->what == 'e') {
            const uint64_t twin = pmc_read(play.actor[i].twin);

            play.seen.actor[i].twin = (twin - play.actor[i].twin_at) & COUNTER_MASK;
            play.actor[i].twin_at = twin;
            play.seen.actor[i].apart += (uint32_t)(rdtsc() - from);
        }
        play.seen.actor[i].cccr = (uint32_t)msr_read(MSR_CCCR(n));
        play.seen.actor[i].differs = play.reads_differ >> i & 1;
        if (play.state.actor[i].kind)
            play.seen.actor[i].escr_changed =
                play.escr[play.actor[i].escr].holds ^ (uint32_t)msr_read(play.escr[play.actor[i].escr].msr);
        if (step->what == 'e')
            play.actor[i].counted = play.seen.actor[i].own;
    }
}

static bool wants_companion(const struct course *course)
{
    for (unsigned i = 0; i < course->steps; i++)
        if (course->step[i].by_sibling || course->step[i].what == 's' || course->step[i].what == 'i' ||
            (course->step[i].what == 'e' && course->step[i].how == 'R'))
            return true;
    return false;
}

/* Play the course once. */
static struct course_wrong play_once(const struct course *course)
{
    struct course_wrong wrong = {.quantity = NULL};
    unsigned before = 0; /* witnessed in the last step, which left the counters as they are */
    const bool with_companion = wants_companion(course), lapic = machine_meets() & NEED_LAPIC;

    pmc_stop_all();
    if (lapic) {
        pmi_arm(LVT_DELIVERY_FIXED);
        pmi_mask();
    }
    if (with_companion)
        companion_begin();
    program(course);
    for (unsigned i = 0; i < course->steps && !wrong.quantity; i++) {
        const struct course_step *step = &course->step[i];

        play.seen = (struct course_seen){.events = 0};
        play.reads_differ = 0;
        witness_begin();
        act(step);
        look(step);
        const struct course_pmis due = course_judge(&play.state, step, &play.seen, &wrong);
        wait_for_pmis(step, &due);
        course_judge_pmis(&play.state, &due, play.seen.pmis,
                          lapic && (play.unmask || !(lvtpc_read() & LVT_MASKED)), &wrong);
        wrong.step = (uint8_t)(i + 1);
        const unsigned seen = witness_seen();
        witness_add(before);
        before = seen;
        if (step->what == 'w' || step->what == 'k') {
            route(step->who);
            program_twin(step->who);
        }
    }
    pmc_stop_all();
    if (with_companion)
        companion_end();
    if (lapic && wrong.quantity)
        pmi_disarm(); /* the step that failed has not waited for PMIs in flight */
    else if (lapic)
        pmi_mask();
    for (unsigned e = 0; e < play.escrs; e++)
        msr_write(play.escr[e].msr, 0);
    return wrong;
}

static struct act act_of(const struct course *course, const struct course_wrong *wrong)
{
    return (struct act){wrong->action, course->actor[wrong->actor].counter};
}

/* Play the course, again as long as it goes wrong beside a witness. */
static struct course_wrong play_course(const struct course *course)
{
    struct course_wrong wrong;
    unsigned tries = 0;

    do {
        wrong = play_once(course);
    } while (wrong.quantity && expect_is_witnessed(act_of(course, &wrong), wrong.observed < wrong.low) &&
             ++tries < WITNESSED_MOST);
    return wrong;
}

/* ---- Shortening ---- */

#define SHORTENING_MS 300

/* What an actor had in use when the course was played last, at its end; of a step, at any time (setting.h).
 */
static uint32_t in_use(const struct course *course, unsigned actor)
{
    static const struct {
        char what, how;
        uint32_t word;
    } STEPS[] = {{'s', 'R', SETTING_LP1}, {'h', 0, SETTING_HALT},   {'e', 'W', SETTING_HALT},
                 {'i', 0, SETTING_INIT},  {'e', 'R', SETTING_INIT}, {'o', 0, SETTING_OTHER_OVF},
                 {'r', 0, SETTING_RDPMC}, {'l', 'F', SETTING_PMI},  {'l', 'U', SETTING_PMI}};
    const struct course_counter *c = &play.state.actor[actor];
    uint32_t words = setting_of_cccr(c->cccr) | (c->ovf == NO ? 0 : SETTING_OVF) |
                     (c->started == NO ? 0 : SETTING_STARTED) |
                     (play.actor[actor].twin == NOBODY ? 0 : SETTING_SHARED) |
                     (play.actor[actor].before > COUNTER_MASK / 2 ? SETTING_NEGATIVE : SETTING_POSITIVE);

    for (unsigned i = 0; i < play.state.actors; i++) {
        const struct course_counter *other = &play.state.actor[i];

        if (i == actor)
            continue;
        words |= (other->ovf == NO ? 0 : SETTING_BLOCK_OVF) | (other->escr == c->escr ? SETTING_SHARED : 0);
        if ((other->cccr & CCCR_CASCADE && other->alternate == c->number) ||
            (other->cccr & CCCR_CASCNT && other->source == c->number))
            words |= SETTING_AWAITED;
    }
    for (unsigned i = 0; i < course->steps; i++) {
        const struct course_step *step = &course->step[i];

        words |= (step->level ? SETTING_CPL : 0) | (step->by_sibling ? SETTING_LP1 : 0);
        if (step->what == 'e' && (step->who >> actor & 1))
            words |= setting_of_escr(ESCR_EVENT_SELECT(1) | flags_of(step));
        for (unsigned n = 0; n < COUNT_OF(STEPS); n++)
            if (step->what == STEPS[n].what && step->how == STEPS[n].how)
                words |= STEPS[n].word;
    }
    return words;
}

struct shortening {
    struct course best, passes;
    struct course_wrong wrong; /* with the best */
    struct timeout patience;
    bool passed, shorter; /* shorter: the best has changed */
    uint32_t words;       /* in_use() of the actor that goes wrong */
    uint32_t needs;       /* those without which a course has passed */
};

/* The simpler course becomes the best if it still fails in the same way; it is played only once, so anything
 * else may be a disturbance. If it passes, the failure needs what it lacks: `without`, or if that is 0 the
 * one word that it lost. */
static void try_simpler(struct shortening *s, const struct course *simpler, uint32_t without)
{
    if (timeout_passed(&s->patience))
        return;
    const struct course_wrong wrong = play_course(simpler);
    if (wrong.quantity && strcmp(wrong.quantity, s->wrong.quantity) != 0)
        return;
    if (wrong.quantity) {
        s->best = *simpler;
        s->best.steps = wrong.step;
        s->wrong = wrong;
        s->shorter = true;
        s->words = in_use(&s->best, wrong.actor);
        return;
    }
    const uint32_t lost = without ? without : s->words & ~in_use(simpler, s->wrong.actor);

    s->passes = *simpler;
    s->passed = true;
    if (without || (lost & (lost - 1)) == 0)
        s->needs |= lost;
}

static void leave_out_steps(struct shortening *s, unsigned width)
{
    for (unsigned end = s->best.steps; end >= width;
         end = end - 1 < s->best.steps ? end - 1 : s->best.steps) {
        struct course simpler = s->best;

        for (unsigned i = 0; i < width; i++)
            course_without(&simpler, end - 1 - i);
        try_simpler(s, &simpler, 0);
    }
}

static void leave_out_bits_of_actors(struct shortening *s)
{
    for (unsigned bit = 0; bit < s->best.actors * 32u; bit++) {
        struct course simpler = s->best;
        uint32_t *cccr = &simpler.actor[bit / 32].cccr;
        const uint32_t was = *cccr;

        *cccr = 1u << bit % 32 & CCCR_ACTIVE_MASK ? was | CCCR_ACTIVE_MASK
                                                  : was & ~(1u << bit % 32 & ~CCCR_ENABLE);
        if (*cccr != was)
            try_simpler(s, &simpler,
                        bit / 32 == s->wrong.actor ? setting_of_cccr(was) & ~setting_of_cccr(*cccr) : 0);
    }
}

/* Bits that a step writes, and what is special in it. */
static void simplify_steps(struct shortening *s)
{
    for (unsigned i = 0; i < s->best.steps; i++) {
        struct course simpler = s->best;
        struct course_step *step = &simpler.step[i];

        for (unsigned bit = 0; step->what == 'w' && bit < 32; bit++) {
            simpler = s->best;
            step->bits &= ~(1u << bit);
            if (step->bits != s->best.step[i].bits)
                try_simpler(s, &simpler, 0);
        }
        simpler = s->best;
        if (step->what == 'e' && step->how) {
            step->how = 0;
            try_simpler(s, &simpler, 0);
        }
        simpler = s->best;
        if (step->level) {
            step->level = 0;
            try_simpler(s, &simpler, 0);
        }
        simpler = s->best;
        if (step->by_sibling) {
            step->by_sibling = false;
            try_simpler(s, &simpler, s->words & (SETTING_LP1 | SETTING_T1_ALONE));
        }
    }
}

/* Leave out what the failure does not need: steps, by halves and in the end one by one, then bits, then what
 * is special in a step; again, as long as that makes something else needless. */
static void shorten(struct shortening *s)
{
    s->patience = timeout_in_us(SHORTENING_MS * 1000);
    s->best.steps = s->wrong.step;
    s->words = in_use(&s->best, s->wrong.actor);
    for (unsigned width = (s->best.steps + 1u) / 2; width > 1; width /= 2)
        leave_out_steps(s, width);
    do {
        s->shorter = false;
        leave_out_steps(s, 1);
        leave_out_bits_of_actors(s);
        simplify_steps(s);
    } while (s->shorter);
}

static void report_shortest(const struct shortening *s)
{
    char text[COURSE_TEXT];

    course_print(&s->best, text, sizeof text);
    tap_comment(COMMENT_VECTOR, "shortest course that fails: course=%s", text);
    course_print(&s->passes, text, sizeof text);
    if (s->passed)
        tap_comment(COMMENT_VECTOR, "nearest course that passes: course=%s", text);
}

bool course_expect(const struct course *course, const char *name)
{
    struct shortening s = {.best = *course, .wrong = play_course(course)};
    char text[COURSE_TEXT];

    if (!s.wrong.quantity) /* course_judge.c has noted the rules */
        return true;
    if (expect_decides())
        shorten(&s);
    const struct course_wrong *wrong = &s.wrong;
    const struct course_counter *c = &play.state.actor[wrong->actor];
    const unsigned n = course->actor[wrong->actor].counter;

    setting_only(s.needs & s.words ? s.needs & s.words : s.words);
    if (c->escr)
        setting_counter(&(struct pmc_programming){.counter = (uint8_t)n, .escr_msr = c->escr});
    course_print(&s.best, text, sizeof text);
    expect_about(act_of(course, wrong));
    if (wrong->is_register)
        expect_register(wrong->rules, wrong->low, wrong->observed, "%R of counter %C, step %u of %s (%s)",
                        PMC_COUNTER[n].cccr_name, n, wrong->step, text, name);
    else
        expect_between(wrong->rules, wrong->low, wrong->high, wrong->observed,
                       "counter %C, step %u of %s (%s): %s", n, wrong->step, text, name, wrong->quantity);
    if (expect_decides())
        report_shortest(&s);
    return false;
}

void course_17_is_started_by(unsigned counter)
{
    play.started_17_by = (uint8_t)counter;
}

bool course_adapt(struct course *course)
{
    const bool sibling = machine_meets() & NEED_SIBLING, lapic = machine_meets() & NEED_LAPIC;
    const bool extended = machine_meets() & NEED_EXTENDED_CASCADE;
    uint32_t lacks = sibling ? 0 : CCCR_OVF_PMI_T1;
    unsigned kept = 0;

    if (!extended)
        lacks |= CCCR_CASCNT;
    for (unsigned i = 0; i < course->actors; i++) {
        course->actor[i].cccr &= ~lacks;
        if (!sibling)
            course->actor[i].cccr |= CCCR_ACTIVE_MASK; /* R19 */
        if (PMC_COUNTER[course->actor[i].counter].extended_from == PMC_NONE)
            course->actor[i].cccr &= ~CCCR_CASCNT;
    }
    for (unsigned i = 0; i < course->steps; i++) {
        struct course_step step = course->step[i];

        if (!sibling && (step.what == 'i' || step.what == 's'))
            continue;
        if (!lapic && (step.what == 'l' || step.what == 'h'))
            continue;
        if ((!lapic && step.how == 'W') || (!sibling && step.what == 'e' && step.how == 'R'))
            step.how = 0;
        if (!sibling)
            step.by_sibling = false;
        if (step.what == 'w') {
            step.bits &= ~lacks & (sibling ? ~0u : ~CCCR_ACTIVE_MASK);
            if (PMC_COUNTER[course->actor[step.who].counter].extended_from == PMC_NONE)
                step.bits &= ~CCCR_CASCNT;
        }
        course->step[kept++] = step;
    }
    course->steps = (uint8_t)kept;
    return course->steps > 0;
}
