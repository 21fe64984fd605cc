/*
 * What a marginal part does now and then: a counter Y and the counter X that starts it do the same again and
 * again, hundreds of times for each link, and it must be right each time (unexplained.h counts).
 *
 * One round:
 *   - X and Y are preset some counts before their overflows, and read back (R4);
 *   - X's events come: X moves as far as its twin, carries and overflows, and OVF is set (R27 to R29);
 *   - Y's events come: the OVF of X has started it, by CASCADE or by bit 11 (R33 to R35). It moves as far as
 *     its twin and overflows; its OVF_PMI, if set, interrupts the logical processor that it names (R45, R46);
 *   - the OVF of X is cleared, or Y's flag: Y is halted, and its events do not move it (R38);
 *   - Y runs by ENABLE with something beside it that must keep it from counting: a threshold that nothing
 *     exceeds (R22), EDGE on a level that does not change (R23), ACTIVE_THREAD 10B while the sibling is
 *     halted (R18), an ESCR without the flag of this privilege level (R11 to R13). Its twin counts, but for
 *     the last.
 *
 * A twin is on the same ESCR, always enabled and far from its overflow. Where a block has none left, the
 * event is one whose number is known.
 *
 * From the first round to the last no CCCR is written 0, so that what goes wrong only when something has
 * happened to the counter before, or has happened often, does so here. In the second round the boot processor
 * halts, and in the third one of every fourth counter the sibling gets INIT, which takes 10 ms.
 */
#include "tests/vectors/netburst/cascade/cascade.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/companion.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/halt.h"
#include "tests/suite/measure.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/unflagged.h"
#include "tests/suite/witness.h"

#define ROUNDS           400 /* of a link by CASCADE: a hundred of each window of filters */
#define ROUNDS_BY_BIT_11 320
#define WORK             40 /* occurrences */
#define NEAR             20 /* counts to the overflow; not as near as the presets of E20 */
#define FEW_EDGES        4 /* of a level that does not change: it begins and ends, and an access opens the input */
#define LOW_HALF         UINT32_MAX
#define HALT_US          20

/* An event that WORK occurrences of the work cause at least so often. */
struct source {
    uint8_t event;
    uint16_t mask;
    const struct workload *work;
    void (*prepare)(void);
};

/* By block. What the second ESCR unit of the IQ block counts is for a Y on X's side of the block. */
static const struct source SOURCE[] = {
    [BLOCK_BPU] = {EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, &work_jmp, NULL},
    [BLOCK_MS] = {EVENT_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL, &work_call, NULL},
    [BLOCK_FLAME] = {EVENT_PACKED_SP_UOP, FIRM_ALL, &work_packed_sp, work_prepare_sse},
    [BLOCK_IQ] = {EVENT_BRANCH_RETIRED, BRANCH_RETIRED_UNTAKEN, &work_not_taken, NULL},
};
static const struct source INSTRUCTIONS = {EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, &work_nop, NULL};

/* A counter and its twin on one ESCR. */
struct counted {
    struct pmc_programming p, twin;
    bool has_twin; /* else each occurrence is one count */
    const struct source *source;
};

enum window { ABOVE_THRESHOLD, EDGES, GATED, EXCLUDED, WINDOWS };
#define PMI_TOS 5 /* nobody, LP0 or LP1 in successive rounds */

/* What one round has shown. */
struct round {
    struct cascade_link link;
    uint32_t flag;
    struct counted x, y;
    unsigned number;
    enum window window;
    bool with_window;
    uint32_t pmi; /* OVF_PMI of Y */

    uint64_t x_preset, y_preset; /* as read back */
    uint64_t x_at, x_due, y_at, y_due, y_halted_at;
    uint64_t by_rdpmc, by_fast;
    bool x_ovf, y_ovf;
    uint64_t halted_twin, window_count, window_twin;
    unsigned pmis[2];
};

static volatile struct {
    unsigned pmis[2];
    bool ovf;
    uint8_t y;
    uint32_t y_cccr;
} taken;

/* The manual's sequence: OVF is cleared, then LVTPC is unmasked. */
static void on_pmi(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    taken.ovf = pmc_overflowed(taken.y);
    msr_write(MSR_CCCR(taken.y), taken.y_cccr);
    pmi_unmask();
    taken.pmis[lp]++; /* the round goes on when it sees this, and writes the CCCR */
    if (!nmi)
        lapic_eoi();
}

/* INIT masks LVTPC. */
static void restart_sibling(void)
{
    companion_restart();
    companion_begin();
    companion_take_pmis();
}

/* ---- Programming ---- */

static void prepare_counted(struct counted *c, unsigned counter, const struct source *source, uint32_t used)
{
    c->source = source;
    pmc_program(&c->p, (enum pmc_event_id)source->event, source->mask, escr_self_all(), counter);
    c->has_twin = false;
    for (unsigned n = 0; n < PMC_COUNTERS && !c->has_twin; n++)
        if (!(used >> n & 1) && PMC_COUNTER[n].block == PMC_COUNTER[counter].block &&
            PMC_COUNTER[n].side == PMC_COUNTER[counter].side)
            c->has_twin =
                pmc_program(&c->twin, (enum pmc_event_id)source->event, source->mask, escr_self_all(), n);
}

static void prepare(struct round *r, const struct cascade_link *link)
{
    const struct pmc_counter *x = &PMC_COUNTER[link->x], *y = &PMC_COUNTER[link->y];
    const struct source *source = &SOURCE[y->block];
    const uint32_t used = 1u << link->x | 1u << link->y;

    *r = (struct round){.link = *link, .flag = link->extended ? CCCR_CASCNT : CCCR_CASCADE};
    prepare_counted(&r->y, link->y, x->side == y->side ? &INSTRUCTIONS : source, used);
    prepare_counted(&r->x, link->x, source, used | (r->y.has_twin ? 1u << r->y.twin.counter : 0));
}

static void begin_twin(struct counted *c)
{
    msr_write(c->p.escr_msr, 0);
    if (!c->has_twin)
        return;
    pmc_preset(c->twin.counter, 0);
    msr_write(MSR_CCCR(c->twin.counter), pmc_cccr_enabled(&c->twin));
}

/* The events of a counter come, with these flags of its ESCR. Returns how far its twin has moved. */
static uint64_t give_events(struct counted *c, uint32_t flags)
{
    struct frame frame;

    frame_init(&frame, idle_counter(c->p.counter, c->p.counter));
    frame_phase(&frame, 0, c->source->work, WORK);
    frame.start[1] = (struct msr_write){c->p.escr_msr, (c->p.escr & ~ESCR_CPL_MASK) | flags};
    frame.stop[0] = (struct msr_write){c->p.escr_msr, 0};
    const uint64_t before = c->has_twin ? pmc_read(c->twin.counter) : 0;
    bool were_on = irq_off();
    frame_run(&frame);
    irq_restore(were_on);
    return c->has_twin ? (pmc_read(c->twin.counter) - before) & COUNTER_MASK : WORK;
}

/* ---- A round ---- */

/* Hundreds of PMIs are no storm: in a round without one there is a pause. */
static void wait_for_pmi(struct round *r)
{
    const unsigned lp = r->pmi == CCCR_OVF_PMI_T1 ? 1 : 0;

    if (!r->pmi)
        pmi_wait_for_delivery();
    struct pmi_patience patience = pmi_patience();

    while (r->pmi && taken.pmis[lp] == 0 && !pmi_patience_over(&patience))
        continue;
    if (taken.pmis[smp_self() ^ 1])
        companion_woken();
}

static void count_window(struct round *r)
{
    static const uint32_t FILTER[] = {
        [ABOVE_THRESHOLD] = CCCR_COMPARE | CCCR_THRESHOLD_MASK,
        [EDGES] = CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE,
    };
    struct pmc_programming p = r->y.p;

    if (r->window < COUNT_OF(FILTER))
        p.cccr |= FILTER[r->window];
    else if (r->window == GATED)
        pmc_set_active_thread(&p, ACTIVE_BOTH);
    if (r->window == GATED)
        companion_settle();
    msr_write(MSR_CCCR(p.counter), r->y.p.cccr);
    pmc_preset(p.counter, 0);
    msr_write(MSR_CCCR(p.counter), pmc_cccr_enabled(&p));
    r->window_twin = give_events(&r->y, r->window == EXCLUDED ? escr_self(false, true) : escr_self_all());
    if (r->window == GATED && companion_has_woken())
        witness_add(WITNESS_INTERRUPT);
    msr_write(MSR_CCCR(p.counter), r->y.p.cccr);
    r->window_count = pmc_read(p.counter);
}

static void play(void *arg)
{
    struct round *r = arg;
    const unsigned x = r->link.x, y = r->link.y;
    const uint32_t x_cccr = pmc_cccr_enabled(&r->x.p), armed = r->y.p.cccr | r->flag | r->pmi;

    msr_write(MSR_CCCR(x), r->x.p.cccr);
    msr_write(MSR_CCCR(y), r->y.p.cccr);
    taken.pmis[0] = taken.pmis[1] = 0;
    taken.y = (uint8_t)y;
    taken.y_cccr = armed;
    /* Not pmc_preset(), which writes twice: a write that is lost must show. Nothing counts, so E1 does not
     * matter. */
    msr_write(MSR_COUNTER(x), COUNTER_OVERFLOW_IN(NEAR));
    msr_write(MSR_COUNTER(y), COUNTER_OVERFLOW_IN(NEAR));
    r->x_preset = pmc_read(x);
    r->y_preset = pmc_read(y);
    msr_write(MSR_CCCR(y), armed);
    msr_write(MSR_CCCR(x), x_cccr);

    r->x_due = r->x_preset + give_events(&r->x, escr_self_all());
    r->x_at = pmc_read(x);
    r->x_ovf = pmc_overflowed(x);

    r->y_due = r->y_preset + give_events(&r->y, escr_self_all());
    wait_for_pmi(r);
    r->y_at = pmc_read(y);
    r->by_rdpmc = r->by_fast = 0;
    rdpmc_try(y, &r->by_rdpmc);
    rdpmc_try(y | RDPMC_FAST, &r->by_fast);
    r->y_ovf = taken.pmis[0] + taken.pmis[1] ? taken.ovf : pmc_overflowed(y);
    for (unsigned lp = 0; lp < 2; lp++)
        r->pmis[lp] = taken.pmis[lp];

    if (r->number / 2 % 2)
        msr_write(MSR_CCCR(y), r->y.p.cccr);
    else
        msr_write(MSR_CCCR(x), x_cccr);
    r->halted_twin = give_events(&r->y, escr_self_all());
    r->y_halted_at = pmc_read(y);
    if (r->with_window)
        count_window(r);
}

/* ---- Judging ---- */

/* Something that was judged: noted, and said what the next expectation is about. */
static void judge(enum action action, unsigned counter)
{
    acts_judged(action, counter, 1);
    expect_about((struct act){(uint8_t)action, (uint8_t)counter});
}

static void judge_preset(unsigned counter, uint64_t value)
{
    judge(ACTION_PRESET, counter);
    require_equal(R4, COUNTER_OVERFLOW_IN(NEAR), value, "counter %C as read after its preset", counter);
}

/* The value after an overflow. Only a carry moves the upper half. */
static void judge_value(unsigned counter, uint64_t due, uint64_t value)
{
    due &= COUNTER_MASK;
    acts_judged(ACTION_CARRY, counter, 1);
    expect_about(
        (struct act){(uint32_t)due == (uint32_t)value ? ACTION_CARRY : ACTION_COUNT, (uint8_t)counter});
    expect_register((uint32_t)due == (uint32_t)value ? RULES(R28, R27) : R27, due, value,
                    "counter %C, some counts after its overflow", counter);
}

static void judge_pmi(const struct round *r, bool wrapped)
{
    const unsigned lp = r->pmi == CCCR_OVF_PMI_T1 ? 1 : 0;
    const unsigned due = pmi_due(lp, r->pmi && wrapped && r->y_at > 0, r->pmis[lp]);

    if (due && r->pmis[lp] == 0 && machine_has_erratum(PMC_E3)) {
        report_erratum(PMC_E3);
        return;
    }
    if (due)
        judge(lp ? ACTION_PMI_LP1 : ACTION_PMI_LP0, r->link.y);
    expect_equal(due ? RULES(R46, R45, R55) : RULES(R45, R46), due, r->pmis[lp], "PMIs of counter %C on LP%u",
                 r->link.y, lp);
    expect_equal(R45, 0, r->pmis[lp ^ 1], "PMIs of counter %C on LP%u, by OVF_PMI_T%u", r->link.y, lp ^ 1,
                 lp);
}

static void judge_start(const struct round *r)
{
    const unsigned y = r->link.y;
    const enum action start = r->link.extended ? ACTION_BIT_11 : ACTION_CASCADE;

    judge(start, y);
    expect_true(cascade_rules(&r->link), r->y_at != r->y_preset,
                "counter %C counts when counter %C has overflowed", y, r->link.x);
    judge_value(y, r->y_due, r->y_at);
    judge(ACTION_READING, y);
    expect_true(RULES(R57, R60), r->by_rdpmc == r->y_at && r->by_fast == (r->y_at & LOW_HALF),
                "RDPMC of counter %C reads what RDMSR reads: %10llH, fast %8llH, not %10llH", y, r->by_rdpmc,
                r->by_fast, r->y_at);
    if (r->pmi) {
        const bool came =
            r->pmis[0] + r->pmis[1] || machine_has_erratum(PMC_E3) || machine_has_erratum(PMC_E5);

        expect_about((struct act){ACTION_OVF, (uint8_t)y}); /* not judged: E9 may excuse it */
        expect_true(R29, unflagged_accepts(y, r->y_ovf, came), "OVF of counter %C", y);
    } else {
        judge(ACTION_OVF, y);
        expect_true(R29, r->y_ovf, "OVF of counter %C", y);
    }
}

static void judge_halt(const struct round *r)
{
    const unsigned y = r->link.y;

    judge(ACTION_HALT, y);
    expect_register(RULES(R38, R33), r->y_at, r->y_halted_at,
                    r->number / 2 % 2
                        ? "counter %C, its flag cleared, after more of its events"
                        : "counter %C, OVF of what started it cleared, after more of its events",
                    y);
}

static void judge_window(const struct round *r)
{
    static const struct {
        uint8_t action, rule;
        const char *what;
    } OF[] = {
        [ABOVE_THRESHOLD] = {ACTION_THRESHOLD, R22, "counts of counter %C above threshold 15"},
        [EDGES] = {ACTION_EDGE, R23, "edges of a level that does not change, on counter %C"},
        [GATED] = {ACTION_GATE, R18, "counts of counter %C with ACTIVE_THREAD 10B, the sibling halted"},
        [EXCLUDED] = {ACTION_QUALIFICATION, 0, "counts of counter %C at CPL 0 by USR alone"},
    };
    const unsigned y = r->link.y;
    const uint32_t rule =
        r->window == EXCLUDED ? rules_of_flags(PMC_EVENT[r->y.source->event].thread) : OF[r->window].rule;

    judge((enum action)OF[r->window].action, y);
    expect_between(rule, 0, r->window == EDGES ? FEW_EDGES : 0, r->window_count, OF[r->window].what, y);
    if (r->window != EXCLUDED)
        require_true(R7, r->window_twin >= WORK, "the twin of counter %C counts meanwhile: %llu", y,
                     r->window_twin);
}

static void judge_round(const struct round *r)
{
    judge_preset(r->link.x, r->x_preset);
    judge_preset(r->link.y, r->y_preset);
    require_true(R7, r->x_due >= r->x_preset + WORK, "counter %C has its %u events", r->link.x, WORK);
    judge_value(r->link.x, r->x_due, r->x_at);
    judge(ACTION_OVF, r->link.x);
    require_true(R29, r->x_ovf, "OVF of counter %C", r->link.x);
    judge_start(r);
    judge_pmi(r, (r->y_due & COUNTER_MASK) < r->y_preset);
    judge_halt(r);
    if (r->with_window)
        judge_window(r);
}

static void play_rounds(const struct cascade_link *link, unsigned rounds, bool with_windows)
{
    static const uint32_t PMI[PMI_TOS] = {0, CCCR_OVF_PMI_T0, CCCR_OVF_PMI_T1, CCCR_OVF_PMI_T0,
                                          CCCR_OVF_PMI_T1};
    const bool sibling = machine_meets() & NEED_SIBLING, lapic = machine_meets() & NEED_LAPIC;
    struct round r;

    pmc_stop_all();
    prepare(&r, link);
    begin_twin(&r.x);
    begin_twin(&r.y);
    if (r.y.source->prepare)
        r.y.source->prepare();
    for (unsigned i = 0; i < rounds; i++) {
        const uint32_t pmi = PMI[i % PMI_TOS];

        r.number = i;
        r.pmi = !lapic || (pmi == CCCR_OVF_PMI_T1 && !sibling) ? 0 : pmi;
        r.window = (enum window)(i / 4 % WINDOWS);
        r.with_window = with_windows && !(r.window == GATED && !sibling);
        if (i == 1 && lapic) {
            halt_for_us(HALT_US);
            irq_on();
        }
        if (i == 2 && sibling && link->y % 4 == 0)
            restart_sibling();
        undisturbed(play, &r);
        judge_round(&r);
    }
}

static void again(const void *item)
{
    const unsigned y = counter_number(item);
    const bool sibling = machine_meets() & NEED_SIBLING, lapic = machine_meets() & NEED_LAPIC;
    const struct pmc_counter *c = &PMC_COUNTER[y];

    if (c->block == BLOCK_BPU)
        end_if_dead(1);
    const struct cascade_link link =
        y == 17 ? link_of_17() : (struct cascade_link){(uint8_t)c->cascade_from, (uint8_t)y, false};
    if (lapic) {
        pmi_arm();
        pmi_set_handler(on_pmi);
    }
    if (sibling) {
        companion_begin();
        companion_take_pmis();
    }
    uart_drain();
    play_rounds(&link, ROUNDS, true);
    if (machine_meets() & NEED_EXTENDED_CASCADE && c->extended_from != PMC_NONE)
        play_rounds(&(struct cascade_link){(uint8_t)c->extended_from, (uint8_t)y, true}, ROUNDS_BY_BIT_11,
                    false);
    if (sibling)
        companion_end();
    if (lapic)
        pmi_disarm();
}

static const struct vector again_rows[] = {
    CHECK("again", "hundreds of starts, halts, overflows and PMIs of a counter: none goes wrong",
          .needs = NEED_SSE2, .deadline_ms = 10000, .stages = STAGE_COURSES, .run_item = again,
          .items = &every_counter),
};
VECTOR_GROUP(again);
