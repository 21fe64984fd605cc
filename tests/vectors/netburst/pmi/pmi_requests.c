/*
 * How PMIs are requested (18.15.5.8; R31, R48 to R52).
 *
 * Unmasking LVTPC before and after OVF is cleared; FORCE_OVF. A PMI too many or too few is a failure; the
 * handlers stop after a few, so that none becomes a storm (E7).
 */
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/stimulus.h"

#define PRESET 80  /* events to the overflow: a PMI may come early for fewer than some 10 (E20) */
#define EVENTS 200 /* of the workload */

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
    expect_equal(RULES(R52, R49), 1, pmis_when_rearmed(true),
                 "PMIs when OVF is cleared before LVTPC is unmasked");
    expect_equal(R49, REARM_MOST, pmis_when_rearmed(false),
                 "PMIs until the handler gives up, LVTPC unmasked with OVF standing");
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
    expect_true(R31, !pmc_overflowed(counter), "OVF of counter %u with FORCE_OVF, not enabled yet", counter);
    pmc_start(&p);
    work_exercise(STIMULUS[id].work, 20);
    pmc_stop(counter);
    expect_true(RULES(R27, R31), pmc_read(counter) >= preset + 20, "counter %u counted with FORCE_OVF",
                counter);
    expect_true(R31, pmc_overflowed(counter), "OVF of counter %u with FORCE_OVF, from %10llH", counter,
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
        expect_between(RULES(R27, R31), 5 + n, 5 + stimulus_most(STIMULUS_CALLS, n), count,
                       "counter 4, preset 5, after %u CALLs", n);
        expect_equal(R31, count != 5, pmc_overflowed(4), "OVF of counter 4 after %u CALLs with FORCE_OVF", n);
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
    expect_true(RULES(R43, R27), pmc_read(4) - before >= 20, "counter 4 counts on");
    expect_equal(RULES(R48, R51), 1, pmi_taken(smp_self()),
                 "PMIs with FORCE_OVF and a handler that leaves LVTPC masked");
}

static const struct vector pmi_requests_rows[] = {
    CHECK("pmi.rearm", "OVF cleared before LVTPC is unmasked: one PMI; the other way round: a PMI each time",
          .also = "R51", .needs = NEED_LAPIC, .run = rearm),
    CHECK("overflow.force", "FORCE_OVF: OVF with the first count, the count itself unchanged",
          .run = force_overflow),
    CHECK("pmi.force", "FORCE_OVF and OVF_PMI, bounded by LVTPC's own mask", .also = "R31 E7",
          .needs = NEED_LAPIC, .run = force_pmi),
};
VECTOR_GROUP(pmi_requests);
