/*
 * How PMIs are requested (18.15.5.8, 18.16.2; R31, R45, R48 to R52).
 *
 * Which logical processor a PMI goes to; unmasking LVTPC before and after OVF is cleared; FORCE_OVF; two
 * counters that overflow at once. A PMI at the wrong logical processor, one too many or one too few is a
 * failure; the handlers stop after a few, so that none becomes a storm (E7).
 */
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/observe.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/sibling.h"
#include "tests/suite/stimulus.h"

#define PRESET 80  /* events to the overflow: a PMI may come early for fewer than some 10 (E20) */
#define EVENTS 200 /* of the workload */

/* ---- Target: T0, T1, both (R45) ---- */

static void target_trial(const void *arg, struct observation *out)
{
    const struct pmc_programming *p = arg;

    pmc_arm(p, COUNTER_OVERFLOW_IN(PRESET));
    pmi_arm(LVT_DELIVERY_FIXED);
    sibling_spin_begin(SIBLING_TAKES_PMIS);
    pmc_start(p);
    work_exercise(&work_jmp, EVENTS);
    sibling_spin_wait(4);
    pmi_wait_for_delivery();
    sibling_spin_end();
    out->v[0] = pmi_taken(0);
    out->v[1] = pmi_taken(1);
    pmi_disarm();
}

static const struct target {
    const char *name;
    uint32_t flags;
} TARGET[] = {
    {"none", 0},
    {"t0", CCCR_OVF_PMI_T0},
    {"t1", CCCR_OVF_PMI_T1},
    {"both", CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1},
};
static const struct items every_target = ITEMS(TARGET, .name = named_item);

static void target(const void *item)
{
    const uint32_t flags = ((const struct target *)item)->flags;
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    p.cccr |= flags;
    struct observation o = observe(target_trial, &p);
    expect_equal("R45", pmi_due(0, flags & CCCR_OVF_PMI_T0, o.v[0]), o.v[0], "PMIs taken on LP0");
    expect_equal("R45", pmi_due(1, flags & CCCR_OVF_PMI_T1, o.v[1]), o.v[1], "PMIs taken on LP1");
}

/* Every counter has OVF_PMI of its own. Without CASCADE in its CCCR, so that E3 does not matter. */
static void each_to(unsigned counter, unsigned lp, bool with_sibling)
{
    enum stimulus_id id = stimulus_a(counter);
    struct pmc_programming p = stimulus_prepared(id, counter);

    p.cccr |= ovf_pmi_to(lp);
    pmc_arm(&p, COUNTER_OVERFLOW_IN(PRESET));
    pmi_arm(LVT_DELIVERY_FIXED);
    if (with_sibling)
        sibling_spin_begin(SIBLING_TAKES_PMIS);
    pmc_start(&p);
    work_exercise(STIMULUS[id].work, EVENTS);
    pmi_wait_for_delivery();
    if (with_sibling) {
        sibling_spin_wait(4);
        sibling_spin_end();
    }
    pmi_disarm();
    pmc_stop_all();
    for (unsigned at = 0; at < 2; at++)
        expect_equal("R45", pmi_due(at, at == lp, pmi_taken(at)), pmi_taken(at),
                     "PMIs of counter %u for LP%u, taken on LP%u", counter, lp, at);
}

static void each_counter(void)
{
    bool with_sibling = machine_meets() & NEED_SIBLING;

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (counter_is_dead(n))
            continue;
        each_to(n, smp_self(), with_sibling);
        if (with_sibling)
            each_to(n, smp_self() ^ 1, true);
    }
}

/* ---- Handler order (R49 to R52) ---- */

#define REARM_MOST 3 /* then the handler gives up and stops the counter */

static volatile unsigned rearm_taken;
static bool clear_ovf_first;

static void rearming_handler(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    rearm_taken++;
    if (rearm_taken >= REARM_MOST)
        msr_write(MSR_CCCR(12), 0);
    else if (clear_ovf_first)
        pmc_acknowledge(12, 0);
    if (rearm_taken <= REARM_MOST) /* a PMI of a counter that is off must not make a storm */
        pmi_unmask();
    if (!nmi)
        lapic_eoi();
}

static unsigned pmis_when_rearmed(bool right_order)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    pmc_clear(&machine_cpu);
    rearm_taken = 0;
    clear_ovf_first = right_order;
    p.cccr |= ovf_pmi_to(smp_self());
    pmc_arm(&p, COUNTER_OVERFLOW_IN(PRESET));
    pmi_set_handler(rearming_handler);
    pmi_unmask();
    pmc_start(&p);
    work_exercise(&work_jmp, EVENTS);
    pmi_wait_for_delivery();
    pmi_disarm();
    return rearm_taken;
}

static void rearm(void)
{
    expect_equal("R52 R49", 1, pmis_when_rearmed(true), "PMIs when OVF is cleared before LVTPC is unmasked");
    expect_between("R49", 2, REARM_MOST, pmis_when_rearmed(false),
                   "PMIs when LVTPC is unmasked with OVF standing");
}

/* ---- FORCE_OVF ---- */

static const uint64_t FORCED_FROM[] = {0, COUNTER_OVERFLOW_IN(1ull << 20)};

/* Every counter, from a count that could not overflow by itself, positive and negative. */
static void force_far_away(unsigned counter, uint64_t preset)
{
    enum stimulus_id id = stimulus_a(counter);
    struct pmc_programming p = stimulus_prepared(id, counter);

    p.cccr |= CCCR_FORCE_OVF;
    pmc_arm(&p, preset);
    msr_write(MSR_CCCR(counter), p.cccr);
    expect_true("R31", !pmc_overflowed(counter), "OVF of counter %u with FORCE_OVF, not enabled yet",
                counter);
    pmc_start(&p);
    work_exercise(STIMULUS[id].work, 20);
    pmc_stop(counter);
    expect_true("R27 R31", pmc_read(counter) >= preset + 20, "counter %u counted with FORCE_OVF", counter);
    expect_true("R31", pmc_overflowed(counter), "OVF of counter %u with FORCE_OVF, from %10llH", counter,
                preset);
}

/* With FORCE_OVF every increment is an overflow, and the count advances normally (R31). The frame has no
 * CALLs of its own, but a forced counter may count before its first event (E20). */
static void force_overflow(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CALLS, 4);

    p.cccr |= CCCR_FORCE_OVF;
    for (uint32_t n = 0; n <= 2; n++) {
        struct frame frame = frame_of(&p, &work_call, n);

        pmc_clear(&machine_cpu);
        pmc_arm(&p, 5);
        frame_measure(&frame);
        uint64_t count = pmc_read(4);
        expect_between("R27 R31", 5 + n, 5 + stimulus_most(STIMULUS_CALLS, n), count,
                       "counter 4, preset 5, after %u CALLs", n);
        expect_equal("R31", count != 5, pmc_overflowed(4), "OVF of counter 4 after %u CALLs with FORCE_OVF",
                     n);
    }
    for (unsigned counter = 0; counter < PMC_COUNTERS; counter++)
        for (unsigned i = 0; i < COUNT_OF(FORCED_FROM); i++)
            if (!counter_is_dead(counter))
                force_far_away(counter, FORCED_FROM[i]);
}

static void force_pmi(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CALLS, 4);

    p.cccr |= CCCR_FORCE_OVF | ovf_pmi_to(smp_self());
    pmc_arm(&p, 0);
    pmi_arm(LVT_DELIVERY_FIXED);
    pmc_start(&p);
    uint64_t before = pmc_read(4);
    work_exercise(&work_call, 20);
    pmi_wait_for_delivery();
    expect_true("R43 R27", pmc_read(4) - before >= 20, "counter 4 counts on");
    expect_equal("R48 R51", 1, pmi_taken(smp_self()),
                 "PMIs with FORCE_OVF and a handler that leaves LVTPC masked");
}

/* ---- Two counters overflow in the same workload ---- */

static void two_counters(void)
{
    struct pmc_programming first = stimulus_program(STIMULUS_TAKEN, 12);
    struct pmc_programming second = stimulus_program(STIMULUS_TAKEN, 14);

    first.cccr |= ovf_pmi_to(smp_self());
    second.cccr |= ovf_pmi_to(smp_self());
    pmc_arm(&first, COUNTER_OVERFLOW_IN(PRESET));
    pmc_arm(&second, COUNTER_OVERFLOW_IN(PRESET));
    pmi_arm(LVT_DELIVERY_FIXED);
    pmc_start(&first);
    pmc_start(&second);
    work_exercise(&work_jmp, EVENTS);
    pmi_wait_for_delivery();
    require_true("R29 R28", pmc_overflowed(12) && pmc_overflowed(14), "OVF of both counters");
    expect_equal("R51 R46", 1, pmi_taken(smp_self()), "PMIs before LVTPC is unmasked again");
    /* One overflow is served; the request of the other one is still there (R49). */
    pmc_acknowledge(12, 0);
    pmi_unmask();
    work_exercise(&work_jmp, 4);
    pmi_wait_for_delivery();
    expect_equal("R49", 2, pmi_taken(smp_self()), "PMIs after one OVF was cleared and LVTPC unmasked");
}

static const struct vector pmi_requests_rows[] = {
    CHECK("pmi.target", "OVF_PMI_T0 and OVF_PMI_T1 interrupt their logical processor and no other",
          .rules = "R45 R56 E5", .needs = NEED_SIBLING | NEED_LAPIC, .deadline_ms = 5000, .run_item = target,
          .items = &every_target),
    CHECK("pmi.each", "every counter interrupts the logical processor its OVF_PMI names", .rules = "R45 E5",
          .needs = NEED_LAPIC, .deadline_ms = 5000, .run = each_counter),
    CHECK("pmi.rearm", "OVF cleared before LVTPC is unmasked: one PMI; the other way round: another",
          .rules = "R49 R51 R52", .needs = NEED_LAPIC, .run = rearm),
    CHECK("overflow.force", "FORCE_OVF: OVF with the first count, the count itself unchanged",
          .rules = "R27 R31", .run = force_overflow),
    CHECK("pmi.force", "FORCE_OVF and OVF_PMI, bounded by LVTPC's own mask",
          .rules = "R27 R31 R43 R48 R51 E7", .needs = NEED_LAPIC, .run = force_pmi),
    CHECK("pmi.two-counters", "two overflows: both OVF, and the second PMI after the first is served",
          .rules = "R28 R29 R45 R46 R49 R51", .needs = NEED_LAPIC, .run = two_counters),
};
VECTOR_GROUP(pmi_requests);
