/*
 * The cascade matrix: X and Y that differ, on every link (18.15.5.2, 18.15.5.5 to 18.15.5.7; R4, R27 to R29,
 * R31, R33 to R38).
 *
 * Each link is used several times. X and Y have events from different ESCRs, several counts in a clock among
 * them, and bits of their CCCRs that the other one does not have: COMPARE, OVF_PMI (LVTPC stays masked),
 * CASCADE and bit 11, FORCE_OVF. A plain twin runs beside each of them on its ESCR (cascade_twins.h). What
 * happens to X and Y is a course of steps. The courses together have
 *
 *   - a second and a third overflow of X and of Y, with OVF left set or acknowledged each time. Each overflow
 *     sets OVF, and a Y that runs is not started once more: it counts on with its twin;
 *   - an OVF of Y that is cleared while Y runs, which changes nothing else, or together with CASCADE by one
 *     write, which halts Y;
 *   - an X that is written across the sign while Y is armed, which is no overflow;
 *   - every other counter of the block enabled, and overflowing twice, before X does: Y waits for X alone;
 *   - a Y of counters 12, 15, 16 and 17 that is armed by both of its links, and both of its X's overflow.
 *
 * Each step judges the movement of X and Y against their twins, and the OVF of each. The OVF of all other
 * counters is judged at the end. A PMI without OVF (E9) happens now and then, so an X or Y that interrupts
 * may miss its OVF in one course; one that misses it in three courses in a row has failed.
 */
#include "cascade_twins.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/window.h"
#include "tests/suite/machine.h"

/* ---- Events ---- */

#define LAPS             20   /* a little more than TWINNED_COUNT */
#define SEVERAL_LAPS     60   /* where three events may come in one clock */
#define REPLAYS_ANY      0x3A /* NO_STA, NO_STD, PARTIAL_DATA, UNALGN_ADDR */
#define QUEUE_WRITES_ANY 7

static const struct kind {
    uint8_t event;
    bool sure; /* it occurs at least once a lap */
    uint16_t mask;
    const struct workload *work;
    void (*prepare)(void);
} KINDS[][3] = {
    [BLOCK_BPU] = {{EVENT_GLOBAL_POWER_EVENTS, true, GLOBAL_POWER_RUNNING, &work_jmp, 0},
                   {EVENT_MOB_LOAD_REPLAY, false, REPLAYS_ANY, &work_partial_load, work_finish_mmx},
                   {EVENT_GLOBAL_POWER_EVENTS, true, GLOBAL_POWER_RUNNING, &work_jmp, 0}},
    [BLOCK_MS] = {{EVENT_RETIRED_BRANCH_TYPE, true, BRANCH_TYPE_CALL, &work_call, 0},
                  {EVENT_UOP_QUEUE_WRITES, true, QUEUE_WRITES_ANY, &work_call, 0},
                  {EVENT_RETIRED_BRANCH_TYPE, true, BRANCH_TYPE_RETURN, &work_return, 0}},
    [BLOCK_FLAME] = {{EVENT_MEMORY_COMPLETE, true, MEMORY_COMPLETE_LSC, &work_split_load, 0},
                     {EVENT_PACKED_SP_UOP, true, FIRM_ALL, &work_packed_sp, work_prepare_sse},
                     {EVENT_MEMORY_COMPLETE, true, MEMORY_COMPLETE_SSC, &work_split_store, 0}},
    [BLOCK_IQ] = {{EVENT_UOPS_RETIRED, true, UOPS_RETIRED_NBOGUS, &work_nop, 0},
                  {EVENT_BRANCH_RETIRED, true, BRANCH_RETIRED_TAKEN, &work_jmp, 0},
                  {EVENT_INSTR_RETIRED, true, INSTR_RETIRED_NBOGUS, &work_nop, 0}},
};
/* The kinds of X and of Y. Counters of one side have only one ESCR for kinds 0 and 2, so they use the first
 * TWO_ESCRS rows alone. */
#define TWO_ESCRS 4
static const uint8_t PAIRS[][2] = {{0, 1}, {1, 0}, {2, 1}, {1, 2}, {0, 2}};

/* ---- Bits ---- */

#define OVF_PMI       (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)
#define LINKS         (CCCR_CASCADE | CCCR_CASCNT)
#define ARMED_BY_BOTH 3

static const struct bits {
    const char *name;
    uint32_t cccr;
} X_BITS[] =
    {
        /* This row shows little where FORCE_OVF keeps Y from starting (E14). A later row has its course. */
        {"FORCE_OVF", CCCR_FORCE_OVF},
        {"plain", 0},
        {"COMPARE", CCCR_COMPARE},
        {"OVF_PMI_T0", CCCR_OVF_PMI_T0},
        {"armed itself", LINKS},
        {"OVF_PMI and COMPARE", OVF_PMI | CCCR_COMPARE},
        {"OVF_PMI, armed itself", OVF_PMI | LINKS},
},
  Y_BITS[] = {
      {"plain", 0},
      {"COMPARE", CCCR_COMPARE},
      {"OVF_PMI", OVF_PMI},
      [ARMED_BY_BOTH] = {"armed by both links", LINKS},
      {"COMPLEMENT, THRESHOLD", CCCR_COMPLEMENT | CCCR_THRESHOLD(15)},
};

/* Returns the bits that this counter of this part has. */
static uint32_t bits_of(uint32_t bits, unsigned counter)
{
    if (!(machine_meets() & NEED_EXTENDED_CASCADE) || PMC_COUNTER[counter].extended_from == PMC_NONE)
        bits &= ~CCCR_CASCNT;
    return machine_cpu.ht ? bits : bits & ~CCCR_OVF_PMI_T1;
}

/* ---- Courses ---- */

/*
 *   x y b   X, Y, both get their events
 *   s       X must have overflowed by now and started Y; if that is not sure and has not happened, the course
 *           ends here
 *   X Y     X, Y is written near its overflow
 *   p m     X is written: a positive value; near its overflow, and then 0
 *   a A     OVF of X is acknowledged, and X is written near its overflow; Y is armed anew
 *   r       OVF of Y is cleared
 *   h o w   Y is halted: by its flag; by OVF of X; by its flag and its own OVF in one write
 *   N       all other counters of the block overflow twice
 *   Z       the other counter that starts Y overflows
 */
static const struct course {
    const char *name, *steps;
} COURSES[] =
    {
        {"OVF of X stands through three overflows", "yxsyXxyXxbYyYbhXxb"},
        {"OVF of X acknowledged three times", "xsyayAxsyayAxsbay"},
        {"OVF of Y cleared", "xsbrbYbrYbwb"},
        {"X written across the sign", "ypyxymyXxsboyhb"},
        {"others overflow", "pNyXxsbhb"},
},
  BY_BOTH = {"armed by both links, both X overflow", "yxsbZbwb"};

/* A counter that runs is written this far from its overflow, so that no carry falls into the write (E1). */
#define NEAR_COUNT 20

struct life {
    struct twinned t;
    bool sure;        /* an event of X and of Y occurs in each lap */
    int other_source; /* starts Y by its other flag if Y is armed by both, else PMC_NONE */
    uint32_t others;  /* set of counters besides X and Y that overflow */
};

static void rewrite(struct watched *w, uint64_t value)
{
    const bool overflowed = w->moved >= (w->p.cccr & CCCR_FORCE_OVF ? 1 : w->count);

    require_true(RULES(R58, R4), pmc_preset(w->p.counter, value),
                 "counter %u, which runs, holds what is written", w->p.counter);
    w->at = value;
    if (!overflowed)
        twinned_ovf_cleared(w);
}

/* Write another counter of the block near its overflow, and let it run on an ESCR of its side. */
static void begin_other(struct life *l, unsigned n)
{
    const uint64_t near = COUNTER_OVERFLOW_IN(NEAR_COUNT);
    struct watched *w = &l->t.x;

    if (PMC_COUNTER[n].side != PMC_COUNTER[l->t.link.x].side &&
        PMC_COUNTER[n].side == PMC_COUNTER[l->t.link.y].side)
        w = &l->t.y;
    struct pmc_programming p = w->p;
    const bool runs = (l->others >> n & 1) || n == l->t.x.twin || n == l->t.y.twin;
    l->others |= 1u << n;
    if (runs) {
        if (n == l->t.x.twin)
            l->t.x.twin_at = near;
        if (n == l->t.y.twin)
            l->t.y.twin_at = near;
        require_true(RULES(R58, R4), pmc_preset(n, near), "counter %u, which runs, holds what is written", n);
        return;
    }
    p.counter = n;
    p.escr_msr = (p.escr_msr & ~1u) | PMC_COUNTER[n].side;
    p.escr = 0;
    p.cccr &= ~TWINS_LACK;
    require_true(R4, pmc_arm(&p, near), "counter %u holds its preset", n);
    pmc_start(&p);
}

/* Give events to the ESCR of X and then to that of Y, and if these are on one side to the ESCR of the other
 * side, too: the counters that begin_other() has started overflow. */
static bool step_others(struct life *l)
{
    struct twinned *t = &l->t;
    const bool third = PMC_COUNTER[t->link.x].side == PMC_COUNTER[t->link.y].side;
    const uint32_t other_escr = t->x.p.escr_msr ^ 1;

    if (third)
        msr_write(other_escr, t->x.p.escr);
    const bool sound = twinned_step(t, X_EVENTS, HERE);
    if (third)
        msr_write(other_escr, 0);
    return sound && twinned_step(t, Y_EVENTS, HERE);
}

static bool others_overflow(struct life *l)
{
    const struct twinned *t = &l->t;

    for (unsigned times = 0; times < 2; times++) {
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            if (PMC_COUNTER[n].block == PMC_COUNTER[t->link.x].block && n != t->link.x && n != t->link.y &&
                (int)n != l->other_source)
                begin_other(l, n);
        if (!step_others(l))
            return false;
    }
    return true;
}

static bool act(struct life *l, char step)
{
    struct twinned *t = &l->t;
    const uint32_t y_cccr = MSR_CCCR(t->link.y);
    const uint64_t near = COUNTER_OVERFLOW_IN(NEAR_COUNT);

    switch (step) {
    case 'x':
        return twinned_step(t, X_EVENTS, HERE);
    case 'y':
        return twinned_step(t, Y_EVENTS, HERE);
    case 'b':
        return twinned_step(t, X_EVENTS | Y_EVENTS, HERE);
    case 'X':
        rewrite(&t->x, near);
        break;
    case 'Y':
        rewrite(&t->y, near);
        break;
    case 'p':
        rewrite(&t->x, 5);
        break;
    case 'm':
        rewrite(&t->x, near);
        rewrite(&t->x, 0);
        break;
    case 'a':
        pmc_acknowledge(t->link.x, near);
        t->x.at = near;
        twinned_ovf_cleared(&t->x);
        t->armed = t->started = false;
        break;
    case 'A':
        t->y.count = TWINNED_COUNT;
        twinned_arm(t);
        t->rules = RULES(R39, R33, R34); /* its X has been acknowledged */
        break;
    case 'r':
        msr_write(y_cccr, msr_read(y_cccr) & ~(uint64_t)CCCR_OVF);
        twinned_ovf_cleared(&t->y);
        t->rules = RULES(R38, R33); /* which names no halt by OVF of Y */
        break;
    case 'w':
        twinned_halt(t, HALT_AND_CLEAR_OVF);
        break;
    case 'h':
    case 'o':
        twinned_halt(t, step == 'o' ? HALT_BY_OVF_OF_X : HALT_BY_FLAG);
        break;
    case 'N':
        return others_overflow(l);
    default:
        begin_other(l, (unsigned)l->other_source);
        return step_others(l);
    }
    return true;
}

/* Returns false when an expectation failed. */
static bool play(struct life *l, const char *steps)
{
    struct twinned *t = &l->t;

    l->others = 0;
    t->rules = 0;
    twinned_begin(t);
    for (; *steps && !t->unflagged; steps++) {
        if (*steps != 's') {
            if (!act(l, *steps))
                return false;
        } else if (!t->started) {
            return !l->sure || t->may_not_start || t->unflagged || twinned_has_started(t);
        }
    }
    const uint32_t judged = ~(1u << t->link.x | 1u << t->link.y | (l->sure ? 0 : l->others));
    return expect_register(RULES(R29, R28), l->others & judged, window_overflows() & judged,
                           "OVF of all but X and Y, one bit a counter (" TWINNED ")", TWINNED_ARGS(t));
}

/* ---- Lives ---- */

static uint8_t x_of_17;

static int other_source_of(const struct cascade_link *link)
{
    if (!(machine_meets() & NEED_EXTENDED_CASCADE) || PMC_COUNTER[link->y].extended_from == PMC_NONE)
        return PMC_NONE;
    if (!link->extended)
        return PMC_COUNTER[link->y].extended_from;
    return link->y == 17 ? x_of_17 : PMC_COUNTER[link->y].cascade_from;
}

static const char *program(struct watched *w, const struct kind *kind, const struct bits *bits)
{
    pmc_program(&w->p, (enum pmc_event_id)kind->event, kind->mask, escr_self_all(), w->p.counter);
    w->p.cccr |= bits_of(bits->cccr, w->p.counter);
    w->work = kind->work;
    w->laps = PMC_COUNTER[w->p.counter].block >= BLOCK_FLAME ? SEVERAL_LAPS : LAPS;
    if (kind->prepare)
        kind->prepare();
    return bits->name;
}

static bool live(const struct cascade_link *link, const struct bits *x_bits, const struct bits *y_bits,
                 const uint8_t pair[2], const struct course *course)
{
    const struct kind *kinds = KINDS[PMC_COUNTER[link->x].block];
    struct life l = {.other_source = y_bits->cccr == LINKS ? other_source_of(link) : PMC_NONE};

    twinned_program(&l.t, link, UOPS_ON_X);
    l.t.x_is = program(&l.t.x, &kinds[pair[0]], x_bits);
    l.t.y_is = program(&l.t.y, &kinds[pair[1]], y_bits);
    l.t.y.p.cccr &= ~(link->extended ? CCCR_CASCNT : CCCR_CASCADE); /* which twinned_arm() sets */
    l.t.course = course->name;
    l.sure = kinds[pair[0]].sure && kinds[pair[1]].sure;
    l.t.may_not_start = x_bits->cccr & CCCR_FORCE_OVF;
    for (unsigned tries = 0; tries < TWINNED_TRIES; tries++)
        if (!play(&l, course->steps))
            return false;
        else if (!l.t.unflagged)
            return true;
    return twinned_expect_flagged(&l.t);
}

/* Play a course for each row of X_BITS, each time another course with other events. */
static bool lives(const struct cascade_link *link)
{
    for (unsigned i = 0; i < COUNT_OF(X_BITS); i++) {
        const unsigned pairs =
            PMC_COUNTER[link->x].side == PMC_COUNTER[link->y].side ? TWO_ESCRS : COUNT_OF(PAIRS);

        if (!live(link, &X_BITS[i], &Y_BITS[(i + 2 * link->y) % COUNT_OF(Y_BITS)],
                  PAIRS[(i + link->x) % pairs], &COURSES[(i + link->y) % COUNT_OF(COURSES)]))
            return false;
    }
    return other_source_of(link) == PMC_NONE ||
           live(link, &X_BITS[1], &Y_BITS[ARMED_BY_BOTH], PAIRS[link->y % TWO_ESCRS], &BY_BOTH);
}

static void matrix(void)
{
    const struct cascade_link to_17 = link_of_17();

    x_of_17 = to_17.x;
    if (lives(&to_17))
        twinned_each_link(lives);
}

static const struct vector cascade_matrix_rows[] = {
    CHECK("cascade.matrix", "X and Y that differ, and overflow three times: X starts Y, once", .also = "R36",
          .deadline_ms = 20000, .run = matrix),
};
VECTOR_GROUP(cascade_matrix);
