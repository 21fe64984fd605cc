/*
 * Any two features of a counter's life at once (18.15, 18.16; the rules of each feature).
 *
 * A defect may show only where two features meet: a filter that fails in a counter started by a cascade, a
 * PMI that is lost when the sibling does the work. So a covering array (pairs.h) lists rows in which any two
 * levels of any two features meet on every block, and each level on every counter that can have it. With the
 * boot word `thorough` more rows follow, in which any three meet.
 *
 * A counter lives through its rows one after the other. Who takes part in a row is in pairs_row.h; what must
 * come of it follows from its rules and from the counter's twin, which sees the same events without the
 * features (pairs_judge.h). A row is judged wrong when it was wrong several times in a row. The failure names
 * the features that met.
 *
 * In a row X overflows, the ESCR of S gets its event, the work runs in two halves with something between
 * them, and the ESCR loses its event. One logical processor works; the other one is halted or waits for
 * requests. The ESCR begins and ends the events for S, T and P alike. A counter that counts the absence of
 * events ends by its CCCR after that; the clocks of WRMSRs lie between its end and its twin's.
 */
#include "kernel/board/clock.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pairs_judge.h"
#include "pmc/msr.h"
#include "tests/suite/count.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/selection.h"
#include "tests/suite/sibling.h"

/* How often a row must be wrong: a disturbance does not repeat. Any NMI looks like a PMI where PMIs are NMIs.
 */
#define TRIES       3
#define NMI_TRIES   40
#define SIBLING_US  100000
#define EARLY_WORK  20    /* occurrences before X overflows */
#define PATIENCE_US 10000 /* for what the other processor does in a few microseconds */
#define HALTED_US   20
#define INIT_US     50 /* so long after INIT a processor waits for a start-up IPI */
#define STRETCH_US  3  /* to make the clocks of two WRMSRs a small part of all */
#define DEADLINE_US 20000000

struct course {
    const struct pairs_life *life;
    struct pairs_seen seen;
    /* What the two logical processors tell each other. */
    volatile bool running; /* the other one runs */
    volatile bool access;  /* the other one shall access every register of S, and clear this flag */
    volatile bool stop;    /* the other one shall end */
    volatile bool done;    /* the work is done */
};

/* ---- The logical processor that works ---- */

/* Wait, bounded, until the flag has this value. */
static void wait_until(volatile bool *flag, bool until)
{
    struct timeout patience = timeout_in_us(PATIENCE_US);

    while (*flag != until && !timeout_passed(&patience))
        cpu_relax();
}

static void exercise(void *arg)
{
    frame_exercise(arg);
}

static void half_of_work(const struct course *c)
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

static void halt_a_while(const struct course *c)
{
    irq_off();
    timer_interrupt_in_us(HALTED_US, INTERRUPT_WAKE);
    cpu_halt_until_interrupt();
    if (!pairs_has(&c->life->row, WORKER, SIBLING))
        timer_interrupt_in_us(DEADLINE_US, INTERRUPT_TIMER);
    irq_on();
}

/* Until INIT has taken effect it is open how many processors are active, and whose events there are. */
static void stop_sibling(const struct course *c)
{
    msr_write(c->life->s.escr_msr, c->life->s.escr & ESCR_CPL_MASK);
    smp_stop_sibling();
    delay_us(INIT_US);
    msr_write(c->life->s.escr_msr, c->life->s.escr);
}

/* Can the overflow come just now? Clocks without an event come in all of the first half. */
static bool may_overflow_now(const struct course *c)
{
    const struct pairs_row *row = &c->life->row;
    const bool overflows =
        pairs_has(row, FORCE, ON) || pairs_has(row, PRESET, NEAR) || pairs_has(row, PRESET, LAST);

    return overflows && !c->seen.ovf_at_half && (!c->life->complemented || pairs_has(row, FILTER, FALLING));
}

/* Clear these bits. Switch the ESCR's event off first where an overflow is possible, or the write would lose
 * it (R32). */
static void rewrite_cccr(struct course *c, uint32_t without)
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

static void half_way(struct course *c)
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
        wait_until(&c->access, false);
        break;
    default:
        break;
    }
}

/* S, armed, must not count before X has overflowed; then X overflows. */
static void let_x_overflow(struct course *c)
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

static void run_course(struct course *c)
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

/* ---- Both logical processors ---- */

static struct course course;

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
    run_course(&course);
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
    wait_until(&course.running, true);
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
    require_true(HARNESS, smp_start(work_beside_us, 0), "the sibling takes work");
    attend();
    require_true(HARNESS, smp_wait(SIBLING_US) && smp_park(), "the sibling's work returns");
}

static void work_here(void)
{
    if (!pairs_has(&course.life->row, OTHER, RUNNING)) {
        work();
        return;
    }
    require_true(HARNESS, smp_start(attend_on_sibling, 0), "the sibling takes work");
    wait_until(&course.running, true);
    work();
    course.stop = true;
    require_true(HARNESS, smp_wait(SIBLING_US) && smp_park(), "the sibling attends no longer");
}

/* ---- Before and after ---- */

/* Program and preset a counter whose ESCR does not have its event yet. */
static void prepare(struct pmc_programming p, uint64_t preset)
{
    p.escr = 0;
    require_true(R4, pmc_arm(&p, preset), "counter %u holds a preset", p.counter);
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

static struct pairs_seen live(const struct pairs_life *life)
{
    course = (struct course){.life = life};
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

/* ---- The rows of a counter, and the vectors ---- */

static bool sibling_waits; /* for a start-up IPI, after INIT */

static void bring_sibling_back(void)
{
    if (sibling_waits)
        require_true(HARNESS, smp_restart(), "the sibling comes back after INIT");
    sibling_waits = false;
}

static struct pairs_wrong live_from(struct pairs_life *life, uint64_t preset)
{
    life->preset = preset;
    struct pairs_seen seen = live(life);
    sibling_waits |= pairs_has(&life->row, MEANWHILE, INIT);
    return pairs_judge(life, &seen);
}

/* Count the work once from a far preset; this count gives the presets for LAST and BIT_32. Before the
 * overflow by the last count comes a run that ends one count before it. */
static struct pairs_wrong live_once(struct pairs_life *life)
{
    const struct pairs_row *row = &life->row;
    uint64_t counted = 0;

    if (!pairs_has(row, MEANWHILE, INIT))
        bring_sibling_back();
    if (pairs_has(row, PRESET, LAST) || pairs_has(row, PRESET, BIT_32)) {
        life->preset = pairs_preset(row, 0);
        counted = live(life).moved;
    }
    if (life->complemented && !pairs_is_edge(row)) {
        counted -=
            counted / 8; /* clocks do not end with the events: a carry in the last one might be lost (E2) */
    } else if (pairs_has(row, PRESET, LAST)) {
        struct pairs_wrong wrong = live_from(life, pairs_preset(row, counted + 1));
        if (wrong.quantity)
            return wrong;
    }
    return live_from(life, pairs_preset(row, counted));
}

static void live_row(const struct pairs_row *row)
{
    struct pairs_life life;
    struct pairs_wrong wrong;
    const unsigned most = pairs_has(row, LVTPC, NMI) ? NMI_TRIES : TRIES;
    unsigned tries = 0;

    pairs_arrange(&life, row);
    do
        wrong = live_once(&life);
    while (wrong.quantity && ++tries < most);
    if (!wrong.quantity)
        return;
    char words[300];
    pairs_words(row, words, sizeof words);
    bring_sibling_back();
    expect_between(wrong.rules, wrong.low, wrong.high, wrong.observed, "row %u, counter %u (%s): %s",
                   row->number, row->counter, words, wrong.quantity);
}

static void live_rows(unsigned counter, bool with_init)
{
    const struct pairs_table *table = pairs_table_of(counter);
    const unsigned rows = table->pairs + (selection_is_thorough() ? table->triples : 0u);
    struct pairs_row row;

    for (unsigned i = 0; i < rows; i++)
        if (pairs_row_of(table, i, counter, &row) && pairs_has(&row, MEANWHILE, INIT) == with_init)
            live_row(&row);
}

static void pairs(const void *item)
{
    const unsigned counter = counter_number(item);

    if (PMC_COUNTER[counter].block == BLOCK_BPU) {
        skip_if_dead(1); /* counter 1 is S, a twin or an X */
        stimulus_prepare(STIMULUS_UNCACHED_READS);
    }
    live_rows(counter, false);
}

/* The rows with INIT, by blocks: to start the sibling again takes longer than they do. */
static void pairs_with_init(void)
{
    const bool dead = counter_is_dead(1);

    stimulus_prepare(STIMULUS_UNCACHED_READS);
    sibling_waits = false;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (!(dead && PMC_COUNTER[n].block == BLOCK_BPU))
            live_rows(n, true);
        if (n + 1 == PMC_COUNTERS || PMC_COUNTER[n + 1].block != PMC_COUNTER[n].block)
            bring_sibling_back();
    }
}

#define PAIRS_ALSO "R1 R2 R5 R8 R24 R26 R36 R38 R42 R43 R44 R47 R51 R56"

static const struct vector pairs_rows[] = {
    CHECK("pairs", "any two features of a counter's life at once, each as without the other",
          .also = PAIRS_ALSO, .needs = NEED_SSE2, .deadline_ms = 20000, .run_item = pairs,
          .items = &every_counter),
    CHECK("pairs.init", "any feature of a counter's life with INIT of the sibling", .also = PAIRS_ALSO,
          .needs = NEED_SSE2 | NEED_SIBLING, .deadline_ms = 20000, .run = pairs_with_init),
};
VECTOR_GROUP(pairs);
