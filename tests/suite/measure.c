/* Programs and arms counters, has work done, and reads values and OVFs. */
#include "measure.h"

#include "companion.h"
#include "documented.h"
#include "expect.h"
#include "kernel/console/console.h"
#include "kernel/lib/lib.h"
#include "kernel/run/run.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "machine.h"
#include "bits.h"
#include "pmc/msr.h"
#include "repeat.h"
#include "setting.h"
#include "stimulus.h"
#include "witness.h"

static void counter_name(const void *item, char *out, size_t size)
{
    format(out, size, "%u", counter_number(item));
}

const struct items every_counter = {
    .first = PMC_COUNTER, .size = sizeof PMC_COUNTER[0], .count = PMC_COUNTERS, .name = counter_name};

unsigned counter_number(const void *item)
{
    return ((const struct pmc_counter *)item)->number;
}

uint32_t above(unsigned threshold)
{
    return CCCR_COMPARE | CCCR_THRESHOLD(threshold);
}

uint32_t at_or_below(unsigned threshold)
{
    return CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(threshold);
}

uint32_t overflows(void)
{
    uint32_t set = 0;

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        set |= (uint32_t)pmc_overflowed(n) << n;
    return set;
}

unsigned twin_of(unsigned counter)
{
    static const uint8_t OF_THREE[] = {16, 12, 17, 14, 13, 15};

    return counter < 12 ? counter ^ 1 : OF_THREE[counter - 12];
}

/* ---- Where work is done ---- */

unsigned place_lp(struct place place)
{
    return smp_self() ^ place.on_sibling;
}

/* ---- Several counters ---- */

#define FRAME_ESCRS 2 /* that the frame itself writes */

void measure_add(struct measurement *m, const struct pmc_programming *p, uint64_t preset)
{
    unsigned i = 0;

    m->of[m->counters++] = (struct measured){.p = *p, .preset = preset};
    while (i < m->escrs && m->escr[i].msr != p->escr_msr)
        i++;
    if (i == m->escrs)
        m->escr[m->escrs++] = (struct msr_write){p->escr_msr, p->escr};
}

void measure_add_event(struct measurement *m, enum pmc_event_id event, uint16_t mask, unsigned counter,
                       uint32_t filter)
{
    struct pmc_programming p;

    if (!pmc_program(&p, event, mask, escr_self_all(), counter))
        bail_out("%s cannot be counted on counter %u", PMC_EVENT[event].name, counter);
    p.cccr |= filter;
    measure_add(m, &p, 0);
}

uint64_t counts_of(const struct measured *c)
{
    return (c->value - c->preset) & COUNTER_MASK;
}

/* Write the ESCRs from this one on. mask: all ones for their events, 0 for no event. */
static void write_escrs(const struct measurement *m, unsigned from, uint32_t mask)
{
    for (unsigned i = from; i < m->escrs; i++)
        msr_write(m->escr[i].msr, m->escr[i].value & mask);
}

/* Identities of work that is no workload. */
enum { KEY_ARM = 1, KEY_CLOSE, KEY_STARTS, KEY_STOPS, KEY_BY_CCCR };

/* What makes no difference differs from one measurement to the next: whether all other counters have OVF, and
 * run; and in CCCRs CASCADE, the fields that do nothing without COMPARE, and OVF_PMI, of a counter that does
 * not overflow. */
static struct circumstances {
    uint32_t others, beside, pmi;
} draw_circumstances(bool plain)
{
    static uint32_t number;

    if (plain)
        return (struct circumstances){.beside = 0};
    const uint32_t drawn = ++number * 2654435761u; /* evenly distributed in its upper bits (Knuth) */
    return (struct circumstances){
        .others = number % 5 == 0 ? 0 : CCCR_OVF | (number % 4 < 2 ? CCCR_ENABLE : 0),
        .beside = (number % 2 ? CCCR_CASCADE : 0) |
                  (number % 3 == 0 ? CCCR_THRESHOLD(drawn >> 28) | (drawn & 1u << 27 ? CCCR_COMPLEMENT : 0) |
                                         (drawn & 1u << 26 ? CCCR_EDGE : 0)
                                   : 0),
        .pmi = (drawn & 1u << 25 ? CCCR_OVF_PMI_T0 : 0) | (drawn & 1u << 24 ? CCCR_OVF_PMI_T1 : 0)};
}

/* Not of the one by which the frame fills up, whose CCCR it writes. */
static void write_others(const struct measurement *m, uint32_t cccr)
{
    uint32_t used = 1u << idle_counter(m->of[0].p.counter, m->of[m->counters - 1].p.counter);

    for (unsigned i = 0; i < m->counters; i++)
        used |= 1u << m->of[i].p.counter;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!(used >> n & 1))
            msr_write(MSR_CCCR(n), CCCR_ACTIVE_MASK | cccr);
}

/* What the programming leaves to chance: fields without COMPARE where it has no filter, and CASCADE where it
 * has nothing that might not go with it (E3, E14). */
static struct pmc_programming with_beside(const struct pmc_programming *p, uint32_t beside)
{
    const uint32_t filter = CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_EDGE | CCCR_THRESHOLD_MASK,
                   other = p->cccr & ~(CCCR_ESCR_SELECT_MASK | CCCR_ACTIVE_MASK);
    struct pmc_programming with = *p;

    if (!(other & ~filter))
        with.cccr |= other ? beside & CCCR_CASCADE : beside;
    return with;
}

/* Each ESCR holds its event while its counters run: without flags, so that they count nothing but in the IOQ
 * (R14), and with a tag value, which without TAG_ENABLE tags nothing (R15). */
static void expect_escrs_hold(const struct measurement *m)
{
    for (unsigned i = 0; i < m->escrs; i++) {
        const struct pmc_escr *const escr = pmc_escr_at(m->escr[i].msr);
        const uint64_t value =
            ((m->escr[i].value & ~ESCR_CPL_MASK) | ESCR_TAG_VALUE(i % 2 ? 5 : 10)) & escr_documented(escr);

        msr_write(escr->msr, value);
        const uint64_t holds = msr_read(escr->msr);
        msr_write(escr->msr, 0);
        expect_register(R3, value, holds, "%R, which has an event and no flags", escr->name);
    }
}

void measure_arm(struct measurement *m, uint32_t running)
{
    pmc_stop_all();
    write_escrs(m, 0, 0);
    const struct circumstances now = draw_circumstances(m->plain);
    if (now.others) {
        setting_use(SETTING_OTHER_OVF);
        write_others(m, now.others);
    }
    setting_measure();
    setting_use((m->place.level ? SETTING_CPL : 0) | (m->place.on_sibling ? SETTING_LP1 : 0));
    struct pmc_programming with[COUNT_OF(m->of)];
    bool holds[COUNT_OF(m->of)];
    for (unsigned i = 0; i < m->counters; i++) {
        with[i] = with_beside(&m->of[i].p, now.beside);
        if (m->of[i].preset == 0 && !(with[i].cccr & CCCR_FORCE_OVF))
            with[i].cccr |= now.pmi & (uint32_t)cccr_documented(with[i].counter);
        setting_counter(&with[i]);
    }
    uint32_t key = KEY_ARM;
    const struct witness_window window = witness_open();
    for (unsigned i = 0; i < m->counters; i++) {
        struct measured *c = &m->of[i];
        const bool runs = running >> c->p.counter & 1;

        key = witness_key(key, c->p.counter << 1 | runs);
        holds[i] = pmc_preset(c->p.counter, c->preset);
        /* What goes wrong only until the counter is read must not be over now. */
        msr_write(MSR_CCCR(c->p.counter), 0);
        if (runs)
            pmc_start(&with[i]);
        c->cccr = runs && !m->plain ? pmc_cccr_enabled(&with[i]) : 0;
    }
    witness_close(&window, key);
    for (unsigned i = 0; i < m->counters; i++)
        require_true(R4, holds[i], "counter %C holds its preset", m->of[i].p.counter);
    expect_escrs_hold(m);
}

/* The identity of the work of a measurement, and of what is done around it. Whether it costs time that an
 * ESCR selects an event, and one unit's ESCR more than another's, is not known. */
static uint32_t work_key(const struct measurement *m, const struct frame *phases, uint32_t mask)
{
    uint32_t key = witness_key(frame_key(phases), m->place.level | m->counters << 8 | (mask != 0) << 24);

    for (unsigned i = 0; i < m->escrs; i++)
        key = witness_key(key, m->escr[i].msr);
    return key;
}

/* May what is executed take longer while it is counted? Whether an access to memory or to the bus costs as
 * much while its unit is watched is not known. The IQ's counters watch no such unit, but with paging there
 * are uncached accesses. */
static bool may_cost_time(const struct measurement *m)
{
    bool watches_accesses = paging_is_on();

    for (unsigned i = 0; i < m->counters; i++)
        watches_accesses |= PMC_COUNTER[m->of[i].p.counter].block != BLOCK_IQ;
    return watches_accesses;
}

/* It was first executed without events. */
static void close_work(const struct witness_window *window, const struct measurement *m,
                       const struct frame *phases, uint32_t mask)
{
    const uint32_t key = work_key(m, phases, mask);

    if (mask && !may_cost_time(m))
        witness_rehearsed(key, work_key(m, phases, 0));
    witness_close(window, key);
}

/* Run the phases once, here, with the events that mask lets through. */
static void pass(const struct measurement *m, struct frame frame, uint32_t mask)
{
    for (unsigned i = 0; i < FRAME_ESCRS && i < m->escrs; i++) {
        frame.start[i] = (struct msr_write){m->escr[i].msr, m->escr[i].value & mask};
        frame.stop[i] = (struct msr_write){m->escr[i].msr, 0};
    }
    struct witness_window window = witness_open();

    write_escrs(m, FRAME_ESCRS, mask);
    frame_execute(&frame);
    write_escrs(m, FRAME_ESCRS, 0);
    witness_note(&window);
    close_work(&window, m, &frame, mask);
}

void measure_open(const struct measurement *m)
{
    write_escrs(m, 0, ~0u);
}

/* Nothing that has been counted, and no access, changes a CCCR, but for OVF. */
static void expect_cccrs_hold(const struct measurement *m)
{
    for (unsigned i = 0; i < m->counters; i++) {
        const struct measured *c = &m->of[i];
        const uint32_t msr = MSR_CCCR(c->p.counter);
        const uint64_t judged = pmc_judged_bits(&machine_cpu, msr) & ~(uint64_t)CCCR_OVF;

        if (c->cccr)
            expect_register(RULES(R3, R32), c->cccr & judged, msr_read(msr) & judged,
                            "CCCR of counter %C, which runs", c->p.counter);
    }
}

void measure_close(struct measurement *m)
{
    const struct witness_window window = witness_open();

    write_escrs(m, 0, 0);
    uint32_t key = witness_key(KEY_CLOSE, m->escrs);
    for (unsigned i = 0; i < m->counters; i++) {
        struct measured *c = &m->of[i];

        key = witness_key(key, c->p.counter);
        c->overflowed = pmc_overflowed(c->p.counter);
        c->value = pmc_read(c->p.counter);
    }
    witness_close(&window, key);
    expect_cccrs_hold(m);
}

struct placed_work {
    const struct measurement *m;
    const struct frame *phases; /* its WRMSRs are not executed */
    uint32_t mask;
};

static void run_phases(void *phases)
{
    frame_exercise(phases);
}

/* Run the phases once with the events that mask lets through, at the CPL of the place. */
static void run_placed(void *arg)
{
    const struct placed_work *work = arg;
    const struct measurement *m = work->m;

    if (m->paged)
        paging_on();
    struct witness_window window = witness_open();
    write_escrs(m, 0, work->mask);
    if (m->place.level == 0)
        frame_exercise(work->phases);
    else
        ring_run(m->place.level, run_phases, (void *)(uintptr_t)work->phases);
    write_escrs(m, 0, 0);
    witness_note(&window);
    close_work(&window, m, work->phases, work->mask);
    if (m->paged)
        paging_off();
}

void measure_run(struct measurement *m, const struct frame *phases)
{
    const bool here = m->place.level == 0 && !m->place.on_sibling;
    struct placed_work elsewhere = {m, phases, 0};

    uart_drain();
    bool were_on = irq_off();
    if (here && m->paged)
        paging_on();
    for (unsigned events = 0; events < 2; events++) {
        elsewhere.mask = events ? ~0u : 0;
        if (here)
            pass(m, *phases, elsewhere.mask);
        else if (m->place.on_sibling)
            companion_do(run_placed, &elsewhere, true);
        else
            run_placed(&elsewhere);
    }
    if (here && m->paged)
        paging_off();
    irq_restore(were_on);
    measure_close(m);
}

void measure_work(struct measurement *m, const struct workload *work, uint32_t n)
{
    struct frame frame;

    /* Unused writes of the frame go to the CCCR of a counter that is off. */
    frame_init(&frame, idle_counter(m->of[0].p.counter, m->of[m->counters - 1].p.counter));
    frame_phase(&frame, 0, work, n);
    measure_run(m, &frame);
}

struct measured_work {
    struct measurement *m;
    const struct workload *work;
    uint32_t n;
};

static void measure_once(void *arg)
{
    const struct measured_work *w = arg;

    measure_arm(w->m, ALL_COUNTERS);
    measure_work(w->m, w->work, w->n);
}

void measure(struct measurement *m, const struct workload *work, uint32_t n)
{
    undisturbed(measure_once, &(struct measured_work){m, work, n});
}

static struct witness_window starts; /* of the measurement that runs */

void measure_start(const struct measurement *m)
{
    for (unsigned i = 0; i < m->counters; i++)
        require_true(R4, pmc_arm(&m->of[i].p, m->of[i].preset), "counter %C holds its preset",
                     m->of[i].p.counter);
    starts = witness_open();
    for (unsigned i = 0; i < m->counters; i++)
        pmc_start(&m->of[i].p);
    witness_note(&starts);
}

void measure_stop(struct measurement *m)
{
    const struct witness_window stops = witness_open();

    for (unsigned i = 0; i < m->counters; i++)
        msr_write(MSR_CCCR(m->of[i].p.counter), 0);
    witness_close(&stops, witness_key(KEY_STOPS, m->counters));
    witness_close(&starts, witness_key(KEY_STARTS, m->counters));
    measure_close(m);
}

static void measure_by_cccr_once(void *arg)
{
    const struct measured_work *w = arg;

    pmc_clear(&machine_cpu);
    work_exercise(w->work, w->n);
    bool were_on = irq_off();
    struct witness_window window = witness_open();
    measure_start(w->m);
    work_exercise(w->work, w->n);
    measure_stop(w->m);
    witness_close(&window, witness_key(witness_key(KEY_BY_CCCR, (uint32_t)(uintptr_t)w->work), w->n));
    irq_restore(were_on);
}

void measure_by_cccr(struct measurement *m, const struct workload *work, uint32_t n)
{
    undisturbed(measure_by_cccr_once, &(struct measured_work){m, work, n});
}

void count_on_all(const struct pmc_programming *p, enum pmc_event_id event, const struct workload *work,
                  uint32_t n, uint64_t count[2])
{
    for (unsigned side = 0; side < 2; side++) {
        struct measurement m = {.counters = 0};

        for (unsigned c = 0; c < PMC_COUNTERS; c++) {
            struct pmc_programming one;

            if (PMC_COUNTER[c].block != PMC_COUNTER[p->counter].block || PMC_COUNTER[c].side != side ||
                counter_is_dead(c) || !pmc_program(&one, event, 0, 0, c))
                continue;
            one.escr = p->escr;
            one.cccr = p->cccr;
            measure_add(&m, &one, 0);
        }
        measure(&m, work, n);
        count[side] = counts_of(&m.of[0]);
        for (unsigned i = 1; i < m.counters; i++)
            expect_equal(R17, count[side], counts_of(&m.of[i]),
                         "%s on counter %C, as on counter %C of the same ESCR", PMC_EVENT[event].name,
                         m.of[i].p.counter, m.of[0].p.counter);
    }
}

/* ---- One counter ---- */

bool counter_moves(unsigned counter, const struct workload *work, uint32_t n)
{
    uint64_t before = pmc_read(counter);

    work_exercise(work, n);
    return pmc_read(counter) != before;
}

unsigned idle_counter(unsigned used, unsigned also_used)
{
    /* A counter of another block shares no ESCR with the ones in use, and none of them can start it. */
    unsigned n = 0;

    while (PMC_COUNTER[n].block == PMC_COUNTER[used].block ||
           PMC_COUNTER[n].block == PMC_COUNTER[also_used].block)
        n++;
    return n;
}

struct frame frame_of(const struct pmc_programming *p, const struct workload *work, uint32_t n)
{
    struct frame frame;

    frame_init(&frame, idle_counter(p->counter, p->counter));
    frame_phase(&frame, 0, work, n);
    frame_count(&frame, p, NULL, p);
    return frame;
}

struct alone {
    const struct pmc_programming *p;
    const struct frame *frame;
};

static void alone_trial(const void *arg, struct observation *out)
{
    const struct alone *alone = arg;

    setting_measure();
    setting_counter(alone->p);
    pmc_arm(alone->p, 0);
    frame_measure(alone->frame);
    out->v[0] = pmc_read(alone->p->counter);
}

uint64_t count_alone(const struct pmc_programming *p, enum count_as as, const struct frame *phases)
{
    struct frame frame = *phases;
    struct alone alone = {p, &frame};

    frame_count(&frame, p, as == COUNT_AS_Y ? p : NULL, as == COUNT_AS_X ? p : NULL);
    return reference(alone_trial, &alone);
}

uint64_t count_of(const struct pmc_programming *p, const struct workload *work, uint32_t n)
{
    const struct frame frame = frame_of(p, work, n);
    const struct alone alone = {p, &frame};

    return reference(alone_trial, &alone);
}

static void cleared_trial(const void *arg, struct observation *out)
{
    pmc_clear(&machine_cpu);
    alone_trial(arg, out);
}

static uint64_t count_on_cleared(const void *arg)
{
    return observe(cleared_trial, arg).v[0];
}

uint64_t count_once(const struct pmc_programming *p, const struct workload *work, uint32_t n)
{
    const struct frame frame = frame_of(p, work, n);
    const struct alone alone = {p, &frame};

    return count_on_cleared(&alone);
}

uint64_t count_least(const struct pmc_programming *p, const struct workload *work, uint32_t n)
{
    const struct frame frame = frame_of(p, work, n);
    const struct alone alone = {p, &frame};

    return least_of(count_on_cleared, &alone);
}

uint32_t rules_of_flags(char thread)
{
    return !machine_cpu.ht ? R11 : thread == 'I' ? R13 : R12;
}

void expect_excluded(struct pmc_programming p, enum pmc_event_id event, const char *name, count_fn *count,
                     const struct workload *work, uint32_t n)
{
    const uint32_t flags[] = {0, escr_self(false, true), machine_cpu.ht ? escr_sibling(true, true) : 0};
    unsigned tried = PMC_EVENT[event].thread == 'S' ? COUNT_OF(flags) : 1;

    for (unsigned i = 0; i < tried; i++) {
        pmc_set_privilege(&p, flags[i]);
        expect_equal(rules_of_flags(PMC_EVENT[event].thread), 0, count(&p, work, n),
                     "counter %C, %s at CPL 0 of LP%u with ESCR[3:0] = %1H", p.counter, name, smp_self(),
                     flags[i]);
    }
}
