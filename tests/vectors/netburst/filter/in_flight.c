/*
 * The CCCR of a counter that runs is rewritten (18.15.3, 18.15.5.2, 18.15.5.5; R17, R18, R21 to R23, R31,
 * R32, R38).
 *
 * "The events that an enabled counter actually counts are filtered by the following flags": the flags as they
 * are, not as they were when the counter was enabled. So each counter S runs without a pause while its CCCR
 * is written again and again, with one field changed or with all of them: ENABLE, ESCR select, ACTIVE_THREAD,
 * COMPARE, COMPLEMENT, THRESHOLD, EDGE, FORCE_OVF, OVF_PMI, OVF. After each write the work must count for S
 * as for a counter on the same ESCR that was stopped and programmed anew, or not at all: while ENABLE is
 * clear, whatever else is set, and while ACTIVE_THREAD lets nothing through. OVF follows from the count and
 * from what was written, and the CCCR reads as written.
 *
 * The fields are drawn from a fixed sequence of random numbers. All blocks take part at once, so that a write
 * which reaches another counter shows there. The ESCRs have their events only while the work runs, so reading
 * adds nothing (E1); after half of the turns they keep their event and lose their flags only. COMPLEMENT
 * counts clocks before and after the work, too, so its counts may differ by the clocks between two readings.
 * EDGE may count one more or less at either end (R25).
 */
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/count.h"
#include "tests/suite/counter_group.h"
#include "tests/suite/expect.h"
#include "tests/suite/window.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"

#define TURNS      48 /* of a flight; two thirds of them if both logical processors are active */
#define TRIES      3  /* a disturbance does not repeat */
#define HALT       12 /* of so many turns two clear ENABLE: one alone, one with other changes */
#define WORK       20 /* occurrences of each block's event in a turn */
#define BEFORE     50 /* counts to the only overflow that is not forced */
#define EDGES      2
#define SIBLING_US 100000
#define SKEW       2000 /* clocks by which the two readings of S and of the other counter may differ */

#define OTHER       FIELD_MASK(28, 28) /* in a setting: S selects the other ESCR; reserved in a CCCR */
#define OVF_PMI     (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)
#define ALL_FIELDS  (~(CCCR_RESERVED_LOW | CCCR_RESERVED_MID | CCCR_CASCADE | CCCR_CASCNT) | OTHER)
#define FILTER_BITS (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE)

/* The second event of each block, by another ESCR than the first. The work may or may not cause it. */
static const struct {
    uint8_t event;
    uint16_t mask;
} SECOND[] = {
    [BLOCK_BPU] = {EVENT_MOB_LOAD_REPLAY, 0},
    [BLOCK_MS] = {EVENT_UOP_QUEUE_WRITES, 7},
    [BLOCK_FLAME] = {EVENT_MEMORY_COMPLETE, 0},
    [BLOCK_IQ] = {EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS},
};

struct subject {
    uint8_t n, fresh; /* S, and the counter that is programmed anew */
    struct pmc_programming p[2];
    uint32_t setting, cccr; /* as chosen, and the CCCR as written */
    uint64_t before;        /* S when it was last read */
    uint64_t s, r;          /* S and the counter that is programmed anew, before the work */
};

static struct {
    struct subject s[PMC_COUNTERS];
    unsigned subjects;
    bool both_active;
    volatile bool landed;
    uint32_t random;
    const char *wrong; /* the first wrong quantity or null, and its rules */
    uint32_t rules;
    uint64_t low, high, observed;
    uint32_t was, is;
    unsigned n;
} flight;

static uint32_t next_random(void)
{
    flight.random = flight.random * 1664525 + 1013904223;
    return flight.random >> 4 ^ flight.random << 16;
}

/* Draw one field of the setting, or all of them, and set ENABLE. */
static void choose(struct subject *s)
{
    static const uint32_t FIELDS[] = {CCCR_ACTIVE_MASK,    CCCR_COMPARE, CCCR_COMPARE, CCCR_COMPLEMENT,
                                      CCCR_THRESHOLD_MASK, CCCR_EDGE,    OTHER,        CCCR_FORCE_OVF,
                                      OVF_PMI | CCCR_OVF};
    const uint32_t a = next_random(), b = next_random();
    const uint32_t often = CCCR_ACTIVE_MASK;
    const uint32_t half = CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_EDGE | CCCR_FORCE_OVF | OVF_PMI;
    const uint32_t now =
        ((a | b) & often) | (a & half) | (a & b & (next_random() | OTHER | CCCR_OVF) & ~(often | half));
    const unsigned field = next_random() % 14;
    const uint32_t change = (field < COUNT_OF(FIELDS) ? FIELDS[field] : ALL_FIELDS) & ALL_FIELDS;

    s->setting = (s->setting & ~change) | (now & change) | CCCR_ENABLE;
    s->setting &= ~CCCR_OVF | machine_ovf(s->n);
    if (!machine_cpu.ht)
        s->setting = (s->setting & ~CCCR_OVF_PMI_T1) | CCCR_ACTIVE_MASK;
}

static void expect(uint32_t rules, const struct subject *s, uint32_t was, uint64_t low, uint64_t high,
                   uint64_t observed, const char *quantity)
{
    if (flight.wrong || (observed >= low && observed <= high))
        return;
    flight.wrong = quantity;
    flight.rules = rules;
    flight.low = low;
    flight.high = high;
    flight.observed = observed;
    flight.was = was;
    flight.is = s->cccr;
    flight.n = s->n;
}

static bool counts(uint32_t setting)
{
    const unsigned active = (unsigned)CCCR_GET_ACTIVE_THREAD(setting);

    return (setting & CCCR_ENABLE) &&
           (active == ACTIVE_ANY || active == (flight.both_active ? ACTIVE_BOTH : ACTIVE_SINGLE));
}

static bool complements(uint32_t setting)
{
    return (setting & CCCR_COMPARE) && (setting & CCCR_COMPLEMENT);
}

/* Rewrite the CCCR of S in flight; stop the other counter and program it with the same filter. */
static void rewrite(struct subject *s)
{
    const struct pmc_programming *p = &s->p[s->setting & OTHER ? 1 : 0];
    const uint32_t select = p->cccr & CCCR_ESCR_SELECT_MASK, filter = s->setting & FILTER_BITS;

    s->cccr = (s->setting & ~OTHER & ~CCCR_ESCR_SELECT_MASK) | select;
    msr_write(MSR_CCCR(s->n), s->cccr);
    msr_write(MSR_CCCR(s->fresh), 0);
    msr_write(MSR_CCCR(s->fresh), select | filter | CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_ENABLE);
}

/* Write the ESCRs with these bits of their values: all, none (event select 0), or all but the flags. */
static void write_escrs(uint32_t mask)
{
    for (unsigned i = 0; i < flight.subjects; i++) {
        const struct pmc_programming *p = flight.s[i].p;

        msr_write(p[0].escr_msr, p[0].escr & mask);
        if (SECOND[PMC_COUNTER[flight.s[i].n].block].mask)
            msr_write(p[1].escr_msr, p[1].escr & mask);
    }
}

/* Returns the rules that a running counter breaks if it counts wrongly: those of the stages that have
 * changed, or else of those that there are. FORCE_OVF leaves the increment alone (R31). */
static uint32_t rules_of(uint32_t was, uint32_t setting)
{
    const uint32_t changed = was ^ setting;
    const bool routed = changed & OTHER;
    const uint32_t filtered = setting & CCCR_COMPARE ? changed & FILTER_BITS : changed & CCCR_COMPARE;

    if (filtered & CCCR_EDGE && setting & CCCR_COMPARE)
        return routed ? RULES(R17, R23, R22) : setting & CCCR_EDGE ? RULES(R23, R22) : RULES(R22, R23);
    if (filtered)
        return setting & CCCR_COMPARE ? routed ? RULES(R17, R22) : R22
               : routed               ? RULES(R17, R21, R22)
                                      : RULES(R21, R22);
    if (routed)
        return setting & CCCR_FORCE_OVF ? RULES(R17, R31) : R17;
    if (setting & CCCR_COMPARE)
        return setting & CCCR_EDGE ? RULES(R23, R22) : R22;
    return setting & CCCR_FORCE_OVF ? RULES(R31, R27, R21) : RULES(R21, R27);
}

/* Returns the rules that a wrong OVF breaks: of FORCE_OVF if it is set, or if it was cleared and OVF came. */
static uint32_t rules_of_ovf(uint32_t was, uint32_t setting, bool by_force, bool due)
{
    if (by_force || (!due && was & CCCR_FORCE_OVF && !(setting & CCCR_FORCE_OVF)))
        return RULES(R31, R32);
    return RULES(R32, R29, R28);
}

static void judge(struct subject *s, uint32_t was)
{
    const uint64_t now = pmc_read(s->n), fresh = (pmc_read(s->fresh) - s->r) & COUNTER_MASK;
    const uint64_t cccr = msr_read(MSR_CCCR(s->n)), moved = (now - s->s) & COUNTER_MASK;
    const bool edge = s->setting & CCCR_COMPARE && s->setting & CCCR_EDGE;
    const bool forced = s->setting & CCCR_FORCE_OVF, wrapped = now < s->before;
    uint64_t spread = 0;

    if (!counts(s->setting)) {
        expect(s->setting & CCCR_ENABLE ? R18 : R38, s, was, 0, complements(s->setting) ? ACCESSES_ADD : 0,
               moved, "counts, which must be none");
    } else {
        if (edge)
            spread = EDGES;
        else if (complements(s->setting))
            spread = SKEW;
        expect(rules_of(was, s->setting), s, was, fresh > spread ? fresh - spread : 0, fresh + spread, moved,
               "counts, as a counter that was programmed anew");
        if (!(s->setting & (CCCR_COMPARE | OTHER)))
            expect(R27, s, was, WORK - STIMULUS[stimulus_a(s->n)].slack, COUNTER_MASK, fresh,
                   "counts of the counter that was programmed anew");
        if ((s->setting & (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK)) ==
            (CCCR_COMPARE | CCCR_THRESHOLD_MASK))
            expect(R22, s, was, 0, 0, moved, "counts above 15");
    }
    /* What COMPLEMENT counts at other times may overflow just when the CCCR is written. */
    const bool at_once = complements(was) || complements(s->setting);
    const bool by_force = forced && counts(s->setting);
    /* Whether a forced counter overflows by what an access adds (E1) is open. */
    const uint64_t at_access = complements(s->setting) ? ACCESSES_ADD : 0;
    const bool due = (s->setting & CCCR_OVF) || (by_force && moved > at_access) || (wrapped && !at_once);
    const bool may = due || (at_once && (wrapped || (forced && now != s->before)));
    expect(rules_of_ovf(was, s->setting, by_force, may), s, was, due, may, cccr >> 31, "OVF");
    expect(RULES(R32, R3), s, was, s->cccr & ~CCCR_OVF, s->cccr & ~CCCR_OVF, cccr & ~(uint64_t)CCCR_OVF,
           "reads");
    s->before = now;
}

/* Rewrite all subjects, do the work and judge. */
static void rewrite_and_work(unsigned number, const uint32_t was[PMC_COUNTERS])
{
    struct frame frame;

    frame_init(&frame, 0); /* its WRMSRs are not executed */
    frame_phase(&frame, 0, &work_call, WORK);
    frame_phase(&frame, 1, &work_packed_sp, WORK);
    frame_phase(&frame, 2, &work_jmp, WORK);
    for (unsigned i = 0; i < flight.subjects; i++)
        rewrite(&flight.s[i]);
    for (unsigned i = 0; i < flight.subjects; i++) {
        struct subject *s = &flight.s[i];

        s->s = pmc_read(s->n);
        s->r = pmc_read(s->fresh);
        if (!complements(was[i]) && !complements(s->setting))
            expect(R32, s, was[i], s->before, s->before, s->s, "reads, before the next event");
    }
    write_escrs(~0u);
    frame_exercise(&frame);
    write_escrs(number % 2 ? 0 : ~ESCR_CPL_MASK);
    for (unsigned i = 0; i < flight.subjects; i++)
        judge(&flight.s[i], was[i]);
}

/* An NMI or an SMI seldom lasts longer than a turn. So if a turn goes wrong, the former CCCRs are written
 * back and the turn is tried again. */
static void turn(unsigned number)
{
    uint32_t was[PMC_COUNTERS], cccr_was[PMC_COUNTERS];

    for (unsigned i = 0; i < flight.subjects; i++) {
        struct subject *s = &flight.s[i];

        was[i] = s->setting;
        cccr_was[i] = s->cccr;
        if (number % HALT != 1)
            choose(s);
        if (number % (HALT / 2) == 1)
            s->setting &= ~CCCR_ENABLE;
    }
    rewrite_and_work(number, was);
    for (unsigned tries = 1; flight.wrong && tries < TRIES; tries++) {
        flight.wrong = 0;
        for (unsigned i = 0; i < flight.subjects; i++) {
            msr_write(MSR_CCCR(flight.s[i].n), cccr_was[i]);
            flight.s[i].before = pmc_read(flight.s[i].n);
        }
        rewrite_and_work(number, was);
    }
}

static void add(unsigned n)
{
    struct subject *s = &flight.s[flight.subjects++];
    const unsigned block = PMC_COUNTER[n].block;

    *s = (struct subject){.n = (uint8_t)n, .fresh = (uint8_t)window_twin(n)};
    s->p[0] = stimulus_program(stimulus_a(n), n);
    pmc_program(&s->p[1], SECOND[block].event, SECOND[block].mask, escr_self_all(), n);
    s->setting = CCCR_ENABLE | CCCR_ACTIVE_THREAD(ACTIVE_ANY);
    s->before = COUNTER_OVERFLOW_IN(BEFORE);
    pmc_preset(n, s->before);
    s->cccr = s->p[0].cccr | s->setting;
    msr_write(MSR_CCCR(n), s->cccr);
}

static void stay_active(void *unused)
{
    (void)unused;
    while (!flight.landed)
        cpu_relax();
}

static void fly(uint32_t subjects, bool both_active)
{
    pmc_clear(&machine_cpu);
    flight.wrong = 0;
    flight.subjects = 0;
    flight.random = 7 * subjects + both_active;
    flight.both_active = both_active;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (subjects >> n & 1)
            add(n);
    if (both_active) {
        flight.landed = false;
        require_true(HARNESS, smp_start(stay_active, 0), "the sibling takes work");
    }
    for (unsigned number = 0; number < (both_active ? TURNS * 2 / 3 : TURNS) && !flight.wrong; number++)
        turn(number);
    flight.landed = true;
    if (both_active)
        require_true(HARNESS, smp_wait(SIBLING_US) && smp_park(), "the sibling's work returns");
}

static void fly_repeatedly(uint32_t subjects, bool both_active)
{
    unsigned tries = 0;

    do
        fly(subjects, both_active);
    while (flight.wrong && ++tries < TRIES);
    if (flight.wrong)
        expect_between(flight.rules, flight.low, flight.high, flight.observed,
                       "counter %u, CCCR rewritten from %8H to %8H while it runs%s: %s", flight.n, flight.was,
                       flight.is, both_active ? ", both processors active" : "", flight.wrong);
}

/* Of the counters of a set no two share an ESCR, and none is programmed anew for another one. */
static const uint32_t SUBJECTS[] = {0x05555, 0x0AAAA, 0x30000};

static void rewritten(void)
{
    const uint32_t alive = counter_is_dead(1) ? ~3u : ~0u;

    work_prepare_sse();
    for (unsigned i = 0; i < COUNT_OF(SUBJECTS); i++) {
        fly_repeatedly(SUBJECTS[i] & alive, false);
        if (machine_meets() & NEED_SIBLING)
            fly_repeatedly(SUBJECTS[i] & alive, true);
    }
}

static const struct vector in_flight_rows[] = {
    CHECK("filter.in-flight", "the CCCR of a counter that runs, rewritten with a change: what it now says",
          .also = "R6 R26", .needs = NEED_SSE2, .deadline_ms = 5000, .run = rewritten),
};
VECTOR_GROUP(in_flight);
