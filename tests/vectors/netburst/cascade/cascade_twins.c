#include "cascade_twins.h"

#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/sibling.h"

/* The events, all of them thread specific. With the work of each more than TWINNED_COUNT clocks have one. */
#define LAPS 50
static const struct kind {
    enum pmc_event_id event;
    uint16_t mask;
    const struct workload *work;
    uint8_t laps;
} UOPS = {EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, &work_nop, LAPS},
  BRANCHES = {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN, &work_jmp, LAPS},
  OF_BLOCK[][2] = {
      /* of X and of Y */
      [BLOCK_BPU] = {{EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, &work_jmp, LAPS},
                     {EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, &work_jmp, LAPS}},
      [BLOCK_MS] = {{EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL, &work_call, LAPS},
                    {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_RETURN, &work_return, LAPS}},
      [BLOCK_FLAME] = {{EVENT_MEMORY_COMPLETE, MEMORY_COMPLETE_LSC, &work_split_load, LAPS},
                       {EVENT_MEMORY_COMPLETE, MEMORY_COMPLETE_SSC, &work_split_store, LAPS}},
};

/* Returns a free counter on the same side of the block, or the counter itself if there is none. */
static uint8_t twin_of(unsigned counter, unsigned taken, unsigned also_taken)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (n != counter && n != taken && n != also_taken &&
            PMC_COUNTER[n].block == PMC_COUNTER[counter].block &&
            PMC_COUNTER[n].side == PMC_COUNTER[counter].side)
            return n;
    return counter;
}

static void program(struct watched *w, const struct kind *kind, unsigned counter)
{
    *w = (struct watched){.work = kind->work, .laps = kind->laps, .count = TWINNED_COUNT};
    pmc_program(&w->p, kind->event, kind->mask, escr_self_all(), counter);
}

void twinned_program(struct twinned *t, const struct cascade_link *link, enum uops uops)
{
    const unsigned block = PMC_COUNTER[link->x].block;
    const bool iq = block == BLOCK_IQ;

    *t = (struct twinned){.link = *link, .x_is = "plain", .y_is = "plain"};
    program(&t->x, !iq ? &OF_BLOCK[block][0] : uops == UOPS_ON_X ? &UOPS : &BRANCHES, link->x);
    program(&t->y, !iq ? &OF_BLOCK[block][1] : uops == UOPS_ON_Y ? &UOPS : &BRANCHES, link->y);
    t->y.twin = twin_of(link->y, link->x, link->x);
    t->x.twin = twin_of(link->x, link->y, t->y.twin);
}

static void preset(struct watched *w)
{
    struct pmc_programming silent = w->p;

    silent.escr = 0;
    if (w->twin != w->p.counter) {
        silent.counter = w->twin;
        silent.cccr &= ~TWINS_LACK;
        pmc_arm(&silent, 0);
        pmc_start(&silent);
        silent.counter = w->p.counter;
        silent.cccr = w->p.cccr;
    }
    w->at = COUNTER_OVERFLOW_IN(w->count) & COUNTER_MASK;
    require_true(R4, pmc_arm(&silent, w->at), "counter %u holds its preset", w->p.counter);
    w->twin_at = w->moved = w->twin_moved = 0;
}

void twinned_arm(struct twinned *t)
{
    preset(&t->y);
    if (t->link.extended)
        pmc_arm_extended_cascade(&t->y.p);
    else
        pmc_arm_cascade(&t->y.p);
    t->armed = true;
    t->started = false;
}

void twinned_begin(struct twinned *t)
{
    pmc_stop_all();
    t->unflagged = false;
    twinned_arm(t);
    preset(&t->x);
    pmc_start(&t->x.p);
}

static void with_events(const struct twinned *t, unsigned escrs, struct place place)
{
    const struct watched *worked = escrs & Y_EVENTS ? &t->y : &t->x;
    struct msr_write escr[2];
    struct frame frame;
    struct placed_work work = {.place = place, .phases = &frame, .escr = escr};

    frame_init(&frame, 0); /* its WRMSRs are not executed */
    frame_phase(&frame, 0, worked->work, worked->laps);
    if (escrs & X_EVENTS)
        escr[work.escrs++] = (struct msr_write){t->x.p.escr_msr, t->x.p.escr};
    if (escrs & Y_EVENTS)
        escr[work.escrs++] = (struct msr_write){t->y.p.escr_msr, t->y.p.escr};
    if (t->sibling_spins)
        sibling_spin_begin(SIBLING_MASKED);
    bool were_on = irq_off();
    place_run(&work);
    irq_restore(were_on);
    if (t->sibling_spins)
        sibling_spin_end();
}

/* What a counter and its twin counted in a step. */
struct counted {
    uint64_t own, twin;
};

static struct counted counted(struct watched *w)
{
    uint64_t own = pmc_read(w->p.counter), twin = w->twin == w->p.counter ? own : pmc_read(w->twin);
    struct counted c = {(own - w->at) & COUNTER_MASK, (twin - w->twin_at) & COUNTER_MASK};

    if (w->twin == w->p.counter)
        c.twin = c.own;
    w->at = own;
    w->twin_at = twin;
    w->moved += c.own;
    w->twin_moved += c.twin;
    return c;
}

/* The rules by which X counts as its twin does, and so does Y once it is started; the most specific rule
 * comes first. */
static uint32_t rules_of_x(const struct pmc_programming *p)
{
    if (p->cccr & CCCR_FORCE_OVF)
        return p->cccr & CCCR_COMPARE ? RULES(R31, R22, R27) : RULES(R31, R27);
    return !(p->cccr & CCCR_COMPARE) ? R27 : p->cccr & CCCR_EDGE ? RULES(R23, R27) : RULES(R22, R27);
}

/* Returns the rules that a wrong count of a started Y breaks. A Y that stands still does not run (R33), or
 * what was done last has halted it: its link works, as cascade.18-1 shows. A Y that runs started late, or
 * miscounts. */
static uint32_t rules_of_y(const struct twinned *t, bool runs)
{
    const uint32_t cccr = t->y.p.cccr;

    if (!runs && t->rules)
        return t->rules;
    if (!runs)
        return t->link.extended ? RULES(R33, R35, R37) : RULES(R33, R34, R37);
    if (!(cccr & CCCR_COMPARE))
        return cccr & CCCR_EDGE ? RULES(R21, R37, R33) : RULES(R37, R27, R33);
    return cccr & CCCR_EDGE ? RULES(R23, R37, R33) : RULES(R22, R37, R33);
}

static bool close_to(uint64_t twin, uint64_t own, uint32_t slack)
{
    return own <= twin + slack && own + slack >= twin;
}

/* OVF is set exactly when the counter has counted enough; by FORCE_OVF with the first count (R31). */
static bool flag_is_right(struct twinned *t, const struct watched *w, const char *name, bool *overflowed)
{
    const uint64_t enough = w->count && (w->p.cccr & CCCR_FORCE_OVF) ? 1 : w->count;
    const bool due = enough && w->moved >= enough;

    *overflowed = pmc_overflowed(w->p.counter);
    if (due && !*overflowed && (w->p.cccr & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)))
        return t->unflagged = true;
    /* What an access adds (E1) could carry as well, and whether that is an overflow is open. */
    if (enough == 0 || w->slack)
        return true;
    return expect_equal(w->p.cccr & CCCR_FORCE_OVF ? RULES(R31, R28)
                        : due                      ? RULES(R29, R28)
                        : w->moved                 ? R28
                                                   : RULES(R4, R28),
                        due, *overflowed, "OVF of %s (" TWINNED ") after %llu of %llu events", name,
                        TWINNED_ARGS(t), w->moved, enough);
}

bool twinned_step(struct twinned *t, unsigned escrs, struct place place)
{
    bool overflowed, flag;

    with_events(t, escrs, place);
    struct counted x = counted(&t->x), y = counted(&t->y);
    if (!close_to(x.twin, x.own, t->x.slack))
        return expect_equal(rules_of_x(&t->x.p), x.twin, x.own,
                            "events of X (" TWINNED "), against its twin %u", TWINNED_ARGS(t), t->x.twin);
    if (!flag_is_right(t, &t->x, "X", &overflowed))
        return false;
    if (t->may_not_start && y.own == 0)
        t->started = false;
    if (t->started && !close_to(y.twin, y.own, t->y.slack))
        return expect_equal(rules_of_y(t, y.own), y.twin, y.own,
                            "events of Y, started (" TWINNED "), against its twin %u", TWINNED_ARGS(t),
                            t->y.twin);
    if (!t->started && !close_to(0, y.own, t->y.slack))
        return expect_equal(t->armed ? RULES(R33, R37, R34) : R38, 0, y.own, "events of Y, %s (" TWINNED ")",
                            t->armed ? "before X has overflowed" : "halted", TWINNED_ARGS(t));
    if (!flag_is_right(t, &t->y, "Y", &flag))
        return false;
    if (t->started)
        rules_held(rules_of_y(t, true));
    rules_held(t->started ? rules_of_y(t, false) : t->armed ? RULES(R33, R37, R34) : R38);
    rules_held(rules_of_x(&t->x.p));
    t->started = t->armed && overflowed;
    return true;
}

bool twinned_expect_flagged(const struct twinned *t)
{
    return expect_true(RULES(R29, R28), !t->unflagged,
                       "OVF of a counter with OVF_PMI is set, in one of %u runs (" TWINNED ")", TWINNED_TRIES,
                       TWINNED_ARGS(t));
}

bool twinned_has_started(const struct twinned *t)
{
    return expect_true(RULES(R29, R28, R27), t->started, "X has counted %llu events (" TWINNED ")",
                       t->x.count, TWINNED_ARGS(t));
}

bool twinned_y_has_counted(const struct twinned *t, uint64_t least)
{
    return expect_true(rules_of_y(t, t->y.moved), t->y.moved >= least,
                       "Y, started, has counted %llu events (" TWINNED ")", least, TWINNED_ARGS(t));
}

#define E20_PRESETS 8

bool twinned_is_near(const struct watched *w)
{
    return w->moved < w->count && w->moved + E20_PRESETS >= w->count;
}

void twinned_ovf_cleared(struct watched *w)
{
    w->moved = 0;
    w->count = COUNTER_MASK + 1 - w->at;
}

void twinned_halt(struct twinned *t, enum halt how)
{
    const bool counts_here = t->y.p.escr & escr_self(true, false);

    msr_write(t->y.p.escr_msr, t->y.p.escr);
    if (how == HALT_BY_OVF_OF_X && t->started) {
        pmc_halt_by_overflow_flag(t->link.x);
        t->x.count = 0;
    } else if (how == HALT_AND_CLEAR_OVF) {
        msr_write(MSR_CCCR(t->link.y), t->y.p.cccr & ~(CCCR_CASCADE | CCCR_CASCNT));
    } else {
        pmc_halt_by_cascade_flag(&t->y.p);
    }
    if (counts_here)
        msr_write(t->y.p.escr_msr, 0);
    t->armed = t->started = false;
    counted(&t->y); /* forgets what Y counted since the last step */
    if (how == HALT_AND_CLEAR_OVF)
        twinned_ovf_cleared(&t->y);
}

void twinned_each_link(bool (*fn)(const struct cascade_link *link))
{
    const struct items *kinds[] = {&plain_links, &extended_links};
    const unsigned tables = machine_meets() & NEED_EXTENDED_CASCADE ? 2 : 1;
    const bool no_bpu = counter_is_dead(1);

    for (unsigned k = 0; k < tables; k++) {
        const struct cascade_link *links = kinds[k]->first;
        for (unsigned i = 0; i < kinds[k]->count; i++)
            if (!(no_bpu && PMC_COUNTER[links[i].x].block == BLOCK_BPU) && !fn(&links[i]))
                return;
    }
}
