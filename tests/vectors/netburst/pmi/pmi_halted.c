/*
 * PMIs to a halted logical processor (18.15.5.8, 18.16.2; R45, R50).
 *
 * A PMI ends HLT like any interrupt. This processor halts with the PMI of its own counter on the way, and,
 * where there is a sibling, while the sibling's instructions bring a counter to its overflow; the local APIC
 * timer ends the halt if the PMI does not, and that is the failure.
 */
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "tests/suite/expect.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/halt.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/companion.h"
#include "tests/suite/stimulus.h"

#define HALT_MOST_US 5000  /* longer than an SMI, and many times what SPIN_PRESET instructions take */
#define OWN_HALTS    60    /* by the PMI of the own counter: a PMI that ends none is seen here alone */
#define WAIT_LAPS    40000 /* of a loop, at least as many clocks: longer than a PMI takes (F7) */
#define SPIN_PRESET  40000 /* instructions of the sibling: they last until this processor has halted; */
#define RELAX_PRESET 3000  /* at CPL 3 a third of its loop is PAUSE, which lasts longer */

static const uint32_t MODES[] = {LVT_DELIVERY_FIXED, LVT_DELIVERY_NMI};

static volatile bool interrupted;

static void wake_up(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    interrupted = true;
    pmi_hold();
    if (!nmi)
        lapic_eoi();
}

static void listen(uint32_t mode)
{
    interrupted = false;
    pmi_set_handler(wake_up);
    lvtpc_write(mode | LVT_VECTOR(INTERRUPT_PMI));
}

static void expect_woken(bool in_time, const char *by, uint32_t mode)
{
    if (in_time || pmi_due(smp_self(), true, 0) > 0)
        expect_true(RULES(R50, R45), in_time, "HLT ended by a PMI %s, delivery mode %8H", by, mode);
}

static void own_overflow(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);
    bool in_time = true;

    p.cccr |= ovf_pmi_to(smp_self());
    for (unsigned i = 0; i < OWN_HALTS && in_time; i++) {
        listen(LVT_DELIVERY_FIXED);
        irq_off();
        pmi_overflow(&p, &work_jmp);
        in_time = halt_until(&interrupted, HALT_MOST_US);
        pmc_stop_all();
    }
    pmi_disarm();
    expect_woken(in_time, "that was due before it", LVT_DELIVERY_FIXED);
}

/* The sibling's loop is at CPL 3, or at CPL 0. */
static void sibling_overflow(uint32_t mode, bool at_cpl_3)
{
    struct pmc_programming p = stimulus_program(STIMULUS_INSTRUCTIONS, 12);

    pmc_set_privilege(&p, escr_sibling(!at_cpl_3, true));
    p.cccr |= ovf_pmi_to(smp_self());
    pmc_arm(&p, COUNTER_OVERFLOW_IN(at_cpl_3 ? RELAX_PRESET : SPIN_PRESET));
    if (at_cpl_3) {
        companion_begin();
        companion_run(true);
        companion_settle();
    } else {
        companion_spin();
    }
    listen(mode);
    irq_off();
    pmc_start(&p);
    bool in_time = halt_until(&interrupted, HALT_MOST_US);
    pmc_stop_all();
    companion_end();
    pmi_disarm();
    expect_woken(in_time,
                 at_cpl_3 ? "of the sibling's instructions at CPL 3" : "of the sibling's instructions", mode);
}

static void overflow_and_wait(void *unused)
{
    (void)unused;
    work_exercise(&work_jmp, PMI_EVENTS);
    work_exercise(&work_loop, WAIT_LAPS);
}

/* Our counter interrupts the sibling, which is halted, and takes the PMI while we are still at CPL 3. */
static void to_the_sibling(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);
    const unsigned sibling = smp_self() ^ 1;

    p.cccr |= ovf_pmi_to(sibling);
    pmi_arm();
    pmi_hold();
    companion_begin();
    companion_take_pmis();
    companion_settle();
    pmc_arm(&p, COUNTER_OVERFLOW_IN(PMI_PRESET));
    pmc_start(&p);
    ring_run(3, overflow_and_wait, NULL);
    const unsigned taken = pmi_taken(sibling);
    pmc_stop_all();
    companion_leave_pmis();
    companion_end();
    pmi_disarm();
    expect_equal(RULES(R45, R50), pmi_due(sibling, true, taken), taken,
                 "PMIs that have ended HLT of LP%u, while LP%u is at CPL 3", sibling, smp_self());
}

static void wakes(void)
{
    own_overflow();
    if (machine_meets() & NEED_SIBLING)
        to_the_sibling();
    for (unsigned i = 0; i < COUNT_OF(MODES) && machine_meets() & NEED_SIBLING; i++)
        for (unsigned at_cpl_3 = 0; at_cpl_3 < 2; at_cpl_3++)
            sibling_overflow(MODES[i], at_cpl_3);
}

static const struct vector pmi_halted_rows[] = {
    CHECK("pmi.halted.wakes", "a PMI ends HLT", .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = wakes),
};
VECTOR_GROUP(pmi_halted);
