/*
 * The PMI of code at CPL 3 (18.15.5.8; R45, R46, R50).
 *
 * Each counter counts the events of CPL 3 alone (USR), which work at CPL 3 causes; the work then
 * waits for the PMI, fixed or as an NMI. The PMI comes once, and interrupts code at CPL 3.
 */
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"

#define PATIENCE 200000 /* laps of a loop, at least as many clocks: longer than a PMI takes */

static volatile unsigned interrupted, interrupted_cpl;

static void note_cpl(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)lp;
    if (interrupted++ == 0)
        interrupted_cpl = frame->cs & 3;
    pmi_hold();
    if (!nmi)
        lapic_eoi();
}

static void wait_at_cpl_3(void *work)
{
    work_exercise(work, PMI_EVENTS);
    for (unsigned laps = 0; interrupted == 0 && laps < PATIENCE; laps++)
        ;
}

static void interrupt(unsigned n, uint32_t delivery)
{
    const enum stimulus_id id = stimulus_a(n);
    struct pmc_programming p = stimulus_prepared(id, n);

    pmc_clear(&machine_cpu);
    pmc_set_privilege(&p, escr_self(false, true));
    p.cccr |= ovf_pmi_to(smp_self());
    interrupted = interrupted_cpl = 0;
    pmi_set_handler(note_cpl);
    lvtpc_write(delivery | LVT_VECTOR(INTERRUPT_PMI));
    pmc_arm(&p, COUNTER_OVERFLOW_IN(PMI_PRESET));
    pmc_start(&p);
    ring_run(3, wait_at_cpl_3, (void *)STIMULUS[id].work);
    pmc_stop_all();
    pmi_disarm();
}

static void at_cpl_3(void)
{
    static const uint32_t MODES[] = {LVT_DELIVERY_FIXED, LVT_DELIVERY_NMI};

    for (unsigned i = 0; i < PMC_COUNTERS * COUNT_OF(MODES); i++) {
        const unsigned n = i / COUNT_OF(MODES), mode = MODES[i % COUNT_OF(MODES)];

        if (counter_is_dead(n))
            continue;
        /* Any NMI looks like a PMI that is an NMI. */
        for (unsigned tries = 0; tries < LONG_TRIES; tries++) {
            interrupt(n, mode);
            if (interrupted == 1 && interrupted_cpl == 3)
                break;
        }
        expect_equal(RULES(R45, R46), pmi_due(smp_self(), true, interrupted), interrupted,
                     "PMIs of counter %u, USR alone, in work at CPL 3", n);
        if (interrupted)
            expect_equal(R45, 3, interrupted_cpl, "CPL of the code that the PMI of counter %u interrupts", n);
    }
}

static const struct vector pmi_cpl3_rows[] = {
    CHECK("pmi.cpl3", "a PMI interrupts code at CPL 3, whose events it comes of", .also = "R50",
          .needs = NEED_LAPIC | NEED_SSE2, .deadline_ms = 2000, .run = at_cpl_3),
};
VECTOR_GROUP(pmi_cpl3);
