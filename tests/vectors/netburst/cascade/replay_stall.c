/*
 * The manual's second use of extended cascading (18.15.5.7): MOB replays of thread B make thread A stall.
 *
 * Counter X counts MOB replays of B; its overflow starts Y, which counts resource stalls of A and interrupts
 * A. As printed this cannot be built, because MOB_load_replay and resource_stall live in different blocks
 * (pmu-rules 7.3, item 10). Here X counts the replays at retirement, by replay_event. B is the sibling where
 * it runs, else A itself.
 *
 * How many replays and stalls a workload makes is not known (pmu-rules 8.3), so each is first measured alone.
 * If one of them does not count, there is nothing to cascade and the vector is skipped. Replay tagging uses
 * UOP_TAG without PEBS (R61). Then: no stall moves Y before X has overflowed, stalls move Y afterwards, and
 * its overflow interrupts A once. A Y that moves too early, or never although stalls still occur, was not
 * started by X; a second PMI would be a storm. The manual also sets FORCE_OVF in Y, so that its first count
 * overflows. Whether a cascade starts such a Y is open (E14). But until X has overflowed it must be as still
 * as without, and if it counts then, it must overflow and interrupt.
 */
#include "cascade.h"
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/companion.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/unflagged.h"

#define REPLAYS 1000
#define STALLS  200
#define ENOUGH  16 /* fewer counts than this are no base for a cascade */
#define ROUNDS  8  /* of a workload until an overflow; two should be enough */

struct scene {
    struct pmc_programming replays; /* upstream: MOB_load_replay of B, which tags */
    struct pmc_programming x, y;
};

static bool sibling_is_b(void)
{
    return machine_meets() & NEED_SIBLING;
}

static void program(struct scene *s, const struct cascade_link *link)
{
    uint32_t a = escr_self_all(), b = sibling_is_b() ? escr_sibling(true, true) : a;

    pmc_program(&s->replays, EVENT_MOB_LOAD_REPLAY, MOB_REPLAY_TAGGED, b, 0);
    pmc_program(&s->x, EVENT_REPLAY_EVENT, REPLAY_NBOGUS, b, link->x);
    pmc_program(&s->y, EVENT_RESOURCE_STALL, RESOURCE_STALL_SBFULL, a, link->y);
}

static void replay(void *arg)
{
    (void)arg;
    work_exercise(&work_partial_load, REPLAYS);
    work_finish_mmx();
}

static void cause_replays(void)
{
    if (sibling_is_b())
        companion_do(replay, NULL, false);
    else
        replay(NULL);
}

static void cause_stalls(void)
{
    work_exercise(&work_split_store, STALLS);
}

/* Everything is stopped and at 0, replays are tagged, and the upstream counter counts, which its ESCR needs
 * (R44). */
static void begin(const struct scene *s)
{
    pmc_clear(&machine_cpu);
    msr_write(MSR_PEBS_MATRIX_VERT, PEBS_MATRIX_LOADS);
    msr_write(MSR_PEBS_ENABLE, PEBS_ENABLE_UOP_TAG | PEBS_REPLAY_MOB);
    pmc_arm(&s->replays, 0);
    pmc_start(&s->replays);
}

static uint64_t alone(const struct scene *s, const struct pmc_programming *p, void (*cause)(void))
{
    begin(s);
    pmc_arm(p, 0);
    pmc_start(p);
    cause();
    return pmc_read(p->counter);
}

/*
 * Arm X and Y so that about half a workload overflows each (Y with FORCE_OVF: preset 0), and start X. Returns
 * Y's preset; does not return when there is too little to count.
 */
static uint64_t start(struct scene *s, bool force_ovf)
{
    uint64_t cold = alone(s, &s->y, cause_stalls), warm = alone(s, &s->y, cause_stalls);
    uint64_t stalls = cold < warm ? cold : warm, replays = alone(s, &s->x, cause_replays);

    if (stalls < ENOUGH)
        skip_now("%u split stores make %llu resource stalls (SBFULL)", STALLS, stalls);
    if (replays < ENOUGH)
        skip_now("replay_event counts %llu of %u MOB replays when PEBS is off", replays, REPLAYS);
    uint64_t preset = force_ovf ? 0 : COUNTER_OVERFLOW_IN(stalls / 2);
    s->y.cccr |= ovf_pmi_to(smp_self()) | (force_ovf ? CCCR_FORCE_OVF : 0);
    begin(s);
    pmc_arm(&s->y, preset);
    pmc_arm(&s->x, COUNTER_OVERFLOW_IN(replays / 2));
    pmc_arm_extended_cascade(&s->y);
    pmi_arm(LVT_DELIVERY_FIXED);
    pmc_start(&s->x);
    return preset;
}

/* An access to a counter that selects an event may add to it (E1), so it selects none meanwhile. */
static uint64_t read_armed(const struct pmc_programming *p)
{
    msr_write(p->escr_msr, 0);
    uint64_t value = pmc_read(p->counter);
    msr_write(p->escr_msr, p->escr);
    return value;
}

static void overflow(unsigned counter, void (*cause)(void))
{
    for (unsigned i = 0; i < ROUNDS && !pmc_overflowed(counter); i++)
        cause();
}

static void stalls_after_replays(const struct cascade_link *link, bool force_ovf)
{
    struct scene s;

    program(&s, link);
    uint64_t preset = start(&s, force_ovf);
    cause_stalls();
    if (!pmc_overflowed(link->x)) {
        expect_register(RULES(R37, R33), preset, read_armed(&s.y),
                        "Y (%C) after stalls, before X (%C) has overflowed", link->y, link->x);
        expect_equal(RULES(R28, R33), 0, pmc_overflowed(link->y), "OVF of Y (%C), before X has overflowed",
                     link->y);
        expect_equal(RULES(R46, R33), 0, pmi_taken(smp_self()), "PMIs of Y (%C), before X has overflowed",
                     link->y);
    }
    overflow(link->x, cause_replays);
    if (!pmc_overflowed(link->x))
        skip_now("replay_event does not count again what it counted before");
    overflow(link->y, cause_stalls);
    cause_stalls(); /* the count after the overflow (R46) */
    pmi_wait_for_delivery();
    const unsigned pmis = pmi_taken(smp_self());
    if (force_ovf && pmis == 0 && moved(link->y, preset) <= ACCESSES_ADD) {
        tap_comment(COMMENT_VECTOR, "FORCE_OVF keeps Y (%u) from starting (E14)", link->y);
        return;
    }
    if (!pmc_overflowed(link->y) && pmis == 0 && alone(&s, &s.y, cause_stalls) < ENOUGH)
        skip_now("resource stalls (SBFULL) come and go");
    expect_true(RULES(R35, R33, R29),
                unflagged_accepts(link->y, pmc_overflowed(link->y), pmis > 0 || machine_has_erratum(PMC_E3)),
                "Y (%C) counts stalls once X (%C) has overflowed, and overflows", link->y, link->x);
    if (pmis == 0 && machine_has_erratum(PMC_E3))
        report_erratum(PMC_E3);
    else
        expect_equal(RULES(R55, R46, R51), 1, pmis, "PMIs of Y (%C), LVTPC left masked", link->y);
}

static void with_overflow(const void *link)
{
    stalls_after_replays(link, false);
}

static void with_force_ovf(const void *link)
{
    stalls_after_replays(link, true);
}

static const struct vector replay_stall_rows[] = {
    CHECK("cascade.replay-stall", "stalls of one thread counted after replays of the other, then a PMI",
          .also = "EX18-2", .needs = NEED_EXTENDED_CASCADE | NEED_LAPIC | NEED_SSE2, .deadline_ms = 2000,
          .run_item = with_overflow, .items = &extended_links),
    CHECK("cascade.replay-stall.forced", "the same with FORCE_OVF in Y, as the manual has it",
          .also = "EX18-2 E14", .needs = NEED_EXTENDED_CASCADE | NEED_LAPIC | NEED_SSE2, .deadline_ms = 2000,
          .run_item = with_force_ovf, .items = &extended_links),
};
VECTOR_GROUP(replay_stall);
