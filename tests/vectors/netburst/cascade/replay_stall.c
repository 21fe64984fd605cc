/*
 * The manual's second use of extended cascading (18.15.5.7): MOB replays of thread B make thread A stall.
 *
 * Counter X counts MOB replays of B; its overflow starts Y, which counts resource stalls of A and interrupts
 * A. As printed this cannot be built, because MOB_load_replay and resource_stall live in different blocks
 * (pmu-rules 7.3, item 10). Here X counts the replays at retirement, by replay_event. B is the sibling where
 * it runs, else A itself.
 *
 * How many replays and stalls a workload makes is not known (pmu-rules 8.3), so each is first measured alone.
 * Replay tagging uses UOP_TAG without PEBS (R61, F35), and each load of the workload is replayed: X fails if
 * it counts less than a tenth of them. Whether UOP_TAG tags the uops of the sibling, too, is not said; if X
 * counts A's replays alone, B is A. More stores than the store buffer holds, to uncached memory, stall: where
 * they take clearly longer than the same stores to a line that hits, and Y counts nothing, Y fails. Where the
 * time shows no stall, the scene is not exercised. Then: no stall moves Y before X has overflowed, stalls
 * move Y afterwards, and its overflow interrupts A once. A Y that moves too early, or never although stalls
 * still occur, was not started by X; a second PMI would be a storm. The manual also sets FORCE_OVF in Y, so
 * that its first count overflows. Whether a cascade starts such a Y is open (E14). But until X has overflowed
 * it must be as still as without, and if it counts then, it must overflow and interrupt.
 */
#include "cascade.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/companion.h"
#include "tests/suite/exercised.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/unflagged.h"

#define REPLAYS 1000
#define STALLS  200
#define ENOUGH  16 /* stalled clocks: fewer are no base for a cascade */
#define LINE    64u
#define PAGE    4096u
#define ROUNDS  8 /* of a workload until an overflow; two should be enough */

struct scene {
    struct pmc_programming replays; /* upstream: MOB_load_replay of B, which tags */
    struct pmc_programming x, y;
};

static bool sibling_is_b;

static void program(struct scene *s, const struct cascade_link *link)
{
    uint32_t a = escr_self_all(), b = sibling_is_b ? escr_sibling(true, true) : a;

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
    if (sibling_is_b)
        companion_do(replay, NULL, false);
    else
        replay(NULL);
}

static uint64_t stored_in; /* clocks of the last stores, of the TSC */

/* Stores to each line of a page, which is uncached or hits. */
static void store(bool uncached)
{
    const char *why = uncached ? paging_on_as(MEMORY_UC) : NULL;

    if (why)
        skip_now("%s", why);
    work_lines_at = paging_page();
    work_lines_step = LINE;
    work_lines_mask = PAGE - LINE;
    const uint64_t began = rdtsc();
    work_exercise(&work_store, STALLS);
    stored_in = rdtsc() - began;
    paging_off();
}

static void cause_stalls(void)
{
    store(true);
}

/* The least of two. */
static uint64_t clocks_of_hits(void)
{
    store(false);
    const uint64_t first = stored_in;
    store(false);
    return stored_in < first ? stored_in : first;
}

/* Too few stalls were counted. If the time shows them all the same, that is a failure. Does not return. */
static _Noreturn void judge_too_few_stalls(uint64_t stalls, uint64_t clocks)
{
    const uint64_t hits = clocks_of_hits();

    if (clocks < 2 * hits)
        not_exercised_now("resource stalls after replays", "its stores take no longer than stores that hit",
                          stalls);
    require_between(RULES(R7, R12), ENOUGH, UINT64_MAX, stalls,
                    "resource stalls (SBFULL) of %u stores that take %llu clocks, and %llu if they hit",
                    STALLS, clocks, hits);
    expect_end();
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

/* Replays of B. Where only A's are counted, B is A from now on. */
static uint64_t count_replays(struct scene *s, const struct cascade_link *link)
{
    uint64_t replays = alone(s, &s->x, cause_replays);

    if (replays < REPLAYS / 10 && sibling_is_b) {
        const uint64_t of_sibling = replays;

        sibling_is_b = false;
        program(s, link);
        replays = alone(s, &s->x, cause_replays);
        if (replays >= REPLAYS / 10)
            not_exercised("replay_event of the other logical processor",
                          "which threads bit 24 of MSR_PEBS_ENABLE tags is not said", of_sibling);
    }
    require_between(RULES(R7, R44), REPLAYS / 10, UINT64_MAX, replays,
                    "replay_event of %u loads that are replayed (MOB), by UOP_TAG, on X (%C)", REPLAYS,
                    link->x);
    return replays;
}

/*
 * Arm X and Y so that about half a workload overflows each (Y with FORCE_OVF: preset 0), and start X. Returns
 * Y's preset; does not return when there is too little to count.
 */
static uint64_t start(struct scene *s, const struct cascade_link *link, bool force_ovf)
{
    const uint64_t cold = alone(s, &s->y, cause_stalls), cold_clocks = stored_in;
    const uint64_t warm = alone(s, &s->y, cause_stalls), stalls = cold < warm ? cold : warm;

    if (stalls < ENOUGH)
        judge_too_few_stalls(stalls, stored_in < cold_clocks ? stored_in : cold_clocks);
    const uint64_t replays = count_replays(s, link);
    uint64_t preset = force_ovf ? 0 : COUNTER_OVERFLOW_IN(stalls / 2);
    s->y.cccr |= ovf_pmi_to(smp_self()) | (force_ovf ? CCCR_FORCE_OVF : 0);
    begin(s);
    pmc_arm(&s->y, preset);
    pmc_arm(&s->x, COUNTER_OVERFLOW_IN(replays / 2));
    pmc_arm_extended_cascade(&s->y);
    pmi_arm();
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

    sibling_is_b = machine_meets() & NEED_SIBLING;
    program(&s, link);
    uint64_t preset = start(&s, link, force_ovf);
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
    require_true(RULES(R28, R29), pmc_overflowed(link->x),
                 "OVF of X (%C) after %u times the replays of which half are due", link->x, ROUNDS);
    overflow(link->y, cause_stalls);
    cause_stalls(); /* the count after the overflow (R46) */
    pmi_wait_for_delivery();
    const unsigned pmis = pmi_taken(smp_self());
    if (force_ovf && pmis == 0 && moved(link->y, preset) <= ACCESSES_ADD) {
        tap_comment(COMMENT_VECTOR, "FORCE_OVF keeps Y (%u) from starting (E14)", link->y);
        return;
    }
    if (!pmc_overflowed(link->y) && pmis == 0) {
        const uint64_t stalls = alone(&s, &s.y, cause_stalls);

        if (stalls < ENOUGH)
            judge_too_few_stalls(stalls, stored_in);
    }
    expect_true(force_ovf ? RULES(R31, R35, R33, R29) : RULES(R35, R33, R29),
                unflagged_accepts(link->y, pmc_overflowed(link->y), pmis > 0 || machine_has_erratum(PMC_E3)),
                "Y (%C) counts stalls once X (%C) has overflowed, and overflows", link->y, link->x);
    if (pmis == 0 && machine_has_erratum(PMC_E3))
        report_erratum(PMC_E3);
    else
        expect_equal(force_ovf ? RULES(R48, R55, R45, R51) : RULES(R55, R46, R45, R51), 1, pmis,
                     "PMIs of Y (%C), LVTPC left masked", link->y);
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
          .stages = STAGE_PMI | STAGE_EXTENDED | STAGE_THREADS, .run_item = with_overflow,
          .items = &extended_links),
    CHECK("cascade.replay-stall.forced", "the same with FORCE_OVF in Y, as the manual has it",
          .also = "EX18-2 E14", .needs = NEED_EXTENDED_CASCADE | NEED_LAPIC | NEED_SSE2, .deadline_ms = 2000,
          .stages = STAGE_PMI | STAGE_EXTENDED | STAGE_THREADS, .run_item = with_force_ovf,
          .items = &extended_links),
};
VECTOR_GROUP(replay_stall);
