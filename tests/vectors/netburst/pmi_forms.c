/*
 * PMIs in their other forms (18.15.5.8, 18.16.2; R31, R45, R48 to R52).
 *
 * To which logical processor; re-arming in the right and in the wrong order; FORCE_OVF; two counters at once.
 */
#include "tests/suite/expect.h"
#include "kernel/run/pmi.h"
#include "kernel/x86/cpu.h"
#include "kernel/lib/format.h"
#include "kernel/x86/lapic.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/trap.h"
#include "tests/suite/machine.h"
#include "tests/suite/observe.h"
#include "pmc/msr.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/stimulus.h"

/* ---- Target: T0, T1, both (R45) ---- */

static struct spin spin;

static void spin_with_lvtpc(void *arg)
{
    lvtpc_write(LVT_DELIVERY_FIXED | LVT_VECTOR(VECTOR_PMI));
    work_spin(arg);
    lvtpc_write(LVT_DELIVERY_FIXED | LVT_VECTOR(VECTOR_PMI) | LVT_MASKED);
}

static void target_trial(const void *arg, struct observation *out)
{
    const struct pmc_programming *p = arg;

    pmc_arm(p, COUNTER_OVERFLOW_IN(50));
    pmi_arm(LVT_DELIVERY_FIXED);
    spin = (struct spin){0, 0};
    expect_true(smp_start(spin_with_lvtpc, &spin), "the sibling takes work");
    spin_wait(&spin, 2);
    pmc_start(p);
    work_exercise(&work_jmp, 100);
    spin_wait(&spin, 4);
    pmi_settle();
    spin.stop = 1;
    expect_true(smp_wait(100000), "the sibling ends its loop");
    out->v[0] = pmi_taken(0);
    out->v[1] = pmi_taken(1);
    pmi_disarm();
}

static unsigned targets(void)
{
    return 4;
}

/* Member bit 0 is OVF_PMI_T0, bit 1 OVF_PMI_T1. */
static void target_suffix(unsigned member, char *out, size_t size)
{
    static const char *const name[] = {"none", "t0", "t1", "both"};

    format(out, size, "%s", name[member]);
}

static const struct family every_target = {targets, target_suffix, 0};

/* PMIs to expect on lp by the OVF_PMI flag of it: E5, where OVF_PMI_T1 may do nothing. */
static unsigned due_on(unsigned lp, bool flag, uint64_t taken)
{
    if (flag && lp == 1 && taken == 0 && machine_has_erratum(PMC_E5)) {
        report_erratum(PMC_E5);
        return 0;
    }
    return flag;
}

static void target(unsigned member)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    p.cccr |= (member & 1 ? ovf_pmi_to(0) : 0) | (member & 2 ? ovf_pmi_to(1) : 0);
    struct observation o = observe(target_trial, &p);
    expect_equal(member & 1, o.v[0], "PMIs taken on LP0");
    expect_equal(due_on(1, member >> 1, o.v[1]), o.v[1], "PMIs taken on LP1");
}

/* Every counter has OVF_PMI of its own. Without CASCADE in its CCCR, so that E3 does not matter. */
static void each_to(unsigned counter, unsigned lp, bool with_sibling)
{
    enum stimulus_id id = stimulus_a(counter);
    struct pmc_programming p = stimulus_program(id, counter);

    p.cccr |= ovf_pmi_to(lp);
    stimulus_prepare(id);
    pmc_arm(&p, COUNTER_OVERFLOW_IN(50));
    pmi_arm(LVT_DELIVERY_FIXED);
    if (with_sibling) {
        spin = (struct spin){0, 0};
        expect_true(smp_start(spin_with_lvtpc, &spin), "the sibling takes work");
        spin_wait(&spin, 2);
    }
    pmc_start(&p);
    work_exercise(STIMULUS[id].work, 100);
    pmi_settle();
    if (with_sibling) {
        spin_wait(&spin, 4);
        spin.stop = 1;
        expect_true(smp_wait(100000), "the sibling ends its loop");
    }
    pmi_disarm();
    pmc_stop_all();
    for (unsigned at = 0; at < 2; at++)
        expect_equal(due_on(at, at == lp, pmi_taken(at)), pmi_taken(at),
                     "PMIs of counter %u for LP%u, taken on LP%u", counter, lp, at);
}

static void each_counter(unsigned member)
{
    bool with_sibling = machine_meets() & NEED_SIBLING;

    (void)member;
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
    if (rearm_taken <= REARM_MOST) /* a PMI of a counter that is off is none of ours: a storm ends here */
        lvtpc_write(LVT_DELIVERY_FIXED | LVT_VECTOR(VECTOR_PMI));
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
    pmc_arm(&p, COUNTER_OVERFLOW_IN(10));
    pmi_set_handler(rearming_handler);
    lvtpc_write(LVT_DELIVERY_FIXED | LVT_VECTOR(VECTOR_PMI));
    pmc_start(&p);
    work_exercise(&work_jmp, 40);
    pmi_settle();
    pmi_disarm();
    return rearm_taken;
}

static void rearm(unsigned member)
{
    (void)member;
    expect_equal(1, pmis_when_rearmed(true), "PMIs when OVF is cleared before LVTPC is unmasked");
    expect_between(2, REARM_MOST, pmis_when_rearmed(false),
                   "PMIs when LVTPC is unmasked with OVF standing (R49)");
}

/* ---- FORCE_OVF ---- */

static const uint64_t FORCED_FROM[] = {0, COUNTER_OVERFLOW_IN(1ull << 20)};

/* Every counter, from a count that could not overflow by itself, positive and negative. */
static void force_far_away(unsigned counter, uint64_t preset)
{
    enum stimulus_id id = stimulus_a(counter);
    struct pmc_programming p = stimulus_program(id, counter);

    p.cccr |= CCCR_FORCE_OVF;
    stimulus_prepare(id);
    pmc_arm(&p, preset);
    msr_write(MSR_CCCR(counter), p.cccr);
    expect_true(!pmc_overflowed(counter), "OVF of counter %u with FORCE_OVF, not enabled yet", counter);
    pmc_start(&p);
    work_exercise(STIMULUS[id].work, 20);
    pmc_stop(counter);
    expect_true(pmc_read(counter) >= preset + 20, "counter %u counted with FORCE_OVF", counter);
    expect_true(pmc_overflowed(counter), "OVF of counter %u with FORCE_OVF, from %10llH", counter, preset);
}

/* No frame's own CALLs: n is exact. With FORCE_OVF every increment is an overflow, and the count advances
 * normally (R31). */
static void force_overflow(unsigned member)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CALLS, 4);

    (void)member;
    p.cccr |= CCCR_FORCE_OVF;
    for (uint32_t n = 0; n <= 2; n++) {
        struct frame frame;

        pmc_clear(&machine_cpu);
        frame_init(&frame, idle_counter(4, 4));
        frame_phase(&frame, 0, &work_call, n);
        frame_count(&frame, &p, 0, &p);
        pmc_arm(&p, 5);
        bool were_on = irq_off();
        frame_run(&frame);
        irq_restore(were_on);
        expect_equal(n > 0, pmc_overflowed(4), "OVF of counter 4 after %u CALLs with FORCE_OVF", n);
        expect_register(5 + n, pmc_read(4), "counter 4, preset 5, after %u CALLs", n);
    }
    for (unsigned counter = 0; counter < PMC_COUNTERS; counter++)
        for (unsigned i = 0; i < sizeof FORCED_FROM / sizeof FORCED_FROM[0]; i++)
            if (!counter_is_dead(counter))
                force_far_away(counter, FORCED_FROM[i]);
}

static void force_pmi(unsigned member)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CALLS, 4);

    (void)member;
    p.cccr |= CCCR_FORCE_OVF | ovf_pmi_to(smp_self());
    pmc_arm(&p, 0);
    pmi_arm(LVT_DELIVERY_FIXED);
    pmc_start(&p);
    uint64_t before = pmc_read(4);
    work_exercise(&work_call, 20);
    pmi_settle();
    expect_true(pmc_read(4) - before >= 20, "counter 4 counts on");
    expect_equal(1, pmi_taken(smp_self()), "PMIs with FORCE_OVF and a handler that leaves LVTPC masked");
}

/* ---- Two counters overflow in the same workload ---- */

static void two_counters(unsigned member)
{
    struct pmc_programming first = stimulus_program(STIMULUS_TAKEN, 12);
    struct pmc_programming second = stimulus_program(STIMULUS_TAKEN, 14);

    (void)member;
    first.cccr |= ovf_pmi_to(smp_self());
    second.cccr |= ovf_pmi_to(smp_self());
    pmc_arm(&first, COUNTER_OVERFLOW_IN(20));
    pmc_arm(&second, COUNTER_OVERFLOW_IN(20));
    pmi_arm(LVT_DELIVERY_FIXED);
    pmc_start(&first);
    pmc_start(&second);
    work_exercise(&work_jmp, 60);
    pmi_settle();
    expect_true(pmc_overflowed(12) && pmc_overflowed(14), "OVF of both counters");
    expect_equal(1, pmi_taken(smp_self()), "PMIs before LVTPC is unmasked again");
    /* One is served; the other one's request still stands (R49). */
    pmc_acknowledge(12, 0);
    lvtpc_write(LVT_DELIVERY_FIXED | LVT_VECTOR(VECTOR_PMI));
    work_exercise(&work_jmp, 4);
    pmi_settle();
    expect_equal(2, pmi_taken(smp_self()), "PMIs after one OVF was cleared and LVTPC unmasked");
}

static const struct vector pmi_forms_rows[] = {
    {"pmi.target", "OVF_PMI_T0 and OVF_PMI_T1 interrupt their logical processor and no other", "R45 R56 E5",
     NEED_SIBLING | NEED_LAPIC, false, 5000, target, &every_target},
    {"pmi.each", "every counter interrupts the logical processor its OVF_PMI names", "R45 E5", NEED_LAPIC,
     false, 5000, each_counter, 0},
    {"pmi.rearm", "OVF cleared before LVTPC is unmasked: one PMI; the other way round: another",
     "R49 R51 R52", NEED_LAPIC, false, 1000, rearm, 0},
    {"overflow.force", "FORCE_OVF: OVF with the first count, the count itself unchanged", "R31", 0, false,
     1000, force_overflow, 0},
    {"pmi.force", "FORCE_OVF and OVF_PMI, bounded by LVTPC's own mask", "R31 R48 R51 E7", NEED_LAPIC, false,
     1000, force_pmi, 0},
    {"pmi.two-counters", "two overflows: both OVF, and the second PMI after the first is served",
     "R45 R49 R51", NEED_LAPIC, false, 1000, two_counters, 0},
};
VECTOR_GROUP(pmi_forms);
