/*
 * Errata that change what a counter shows (pmu-rules 6: E1, E2, E5, E9, E13).
 *
 * All are probes: which parts have them is not known well enough for a check, and the checks work around
 * every one of them. Each probe provokes its erratum a number of times and reports how often it showed: 0 on
 * a sound part.
 */
#include "kernel/lib/lib.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "tests/suite/number.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/repeat.h"
#include "tests/suite/sheet.h"
#include "tests/suite/stimulus.h"

#define OCCASIONS 64 /* for an erratum to show */

/* ---- E1: a write to a running counter is off by a carry into bit 32 ---- */

#define FAR      COUNTER_OVERFLOW_IN(1ull << 38) /* no overflow near */
#define LOW_HALF FIELD_MASK64(31, 0)

static void write_running(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CLOCKS, 3);
    unsigned wrong_once = 0, wrong_twice = 0;

    for (unsigned i = 0; i < OCCASIONS; i++) {
        /* The old low half is about to carry when the new value is written. */
        pmc_arm(&p, FAR + LOW_HALF - 16 * i);
        pmc_start(&p);
        msr_write(MSR_COUNTER(3), FAR);
        wrong_once += pmc_read(3) - FAR > LOW_HALF;
        msr_write(MSR_COUNTER(3), FAR);
        wrong_twice += pmc_read(3) - FAR > LOW_HALF;
        pmc_stop_all();
    }
    report_number(wrong_once, "times of %u that a running counter is wrong after one write", OCCASIONS);
    report_number(wrong_twice, "times of %u that a running counter is wrong after two writes", OCCASIONS);
}

/* ---- E2: a carry into bit 32 is lost in the clock in which the counter is disabled ---- */

static uint64_t clocks_from(const struct pmc_programming *p, uint64_t preset)
{
    pmc_arm(p, preset);
    bool were_on = irq_off();
    pmc_start(p);
    work_exercise(&work_nop, 500);
    msr_write(MSR_CCCR(p->counter), 0);
    irq_restore(were_on);
    return pmc_read(p->counter);
}

static void lost_carry(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CLOCKS, 3);
    uint64_t clocks = UINT64_MAX; /* the least: without an SMI, and with the code in the trace cache */
    unsigned lost = 0;

    for (unsigned i = 0; i < LEAST_RUNS; i++) {
        uint64_t now = clocks_from(&p, 0);
        clocks = now < clocks ? now : clocks;
    }
    for (unsigned i = 0; i < OCCASIONS; i++) {
        /* From run to run the carry moves from 32 clocks before the stop to 32 clocks after it. */
        uint64_t preset = (1ull << 32) + OCCASIONS / 2 - i - clocks;
        lost += clocks_from(&p, preset) < preset;
    }
    report_number(lost, "carries into bit 32 lost of %u within %u clocks of the stop", OCCASIONS,
                  OCCASIONS / 2);
}

/* ---- E5: OVF_PMI_T1 on a part with one thread ---- */

static void t1_without_ht(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    if (machine_cpu.ht)
        skip_now("OVF_PMI_T1 is a documented bit here; course.due tests it");
    pmi_arm();
    pmc_arm(&p, COUNTER_OVERFLOW_IN(20));
    unsigned fault = msr_try_write(MSR_CCCR(12), pmc_cccr_enabled(&p) | CCCR_OVF_PMI_T1);
    uint32_t kept = msr_read(MSR_CCCR(12)) & CCCR_OVF_PMI_T1;
    work_exercise(&work_jmp, 60);
    pmi_wait_for_delivery();
    tap_comment(COMMENT_VECTOR,
                "CCCR bit 27 (OVF_PMI_T1, reserved here): exception of the write %u, reads %u; PMIs %u",
                fault, kept != 0, pmi_taken(smp_self()));
    pmi_disarm();
}

/* ---- E9: a PMI without OVF ---- */

static volatile unsigned pmis, without_ovf;

static void count_without_ovf(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    pmis++;
    without_ovf += !pmc_overflowed(12);
    pmc_acknowledge(12, COUNTER_OVERFLOW_IN(20));
    if (pmis < OCCASIONS)
        pmi_unmask();
    if (!nmi)
        lapic_eoi();
}

static void unflagged(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    pmis = without_ovf = 0;
    p.cccr |= ovf_pmi_to(smp_self());
    pmc_arm(&p, COUNTER_OVERFLOW_IN(20));
    pmi_set_handler(count_without_ovf);
    pmi_unmask();
    pmc_start(&p);
    for (unsigned i = 0; i < OCCASIONS && pmis < OCCASIONS; i++)
        work_exercise(&work_jmp, 200);
    pmc_stop_all();
    pmi_disarm();
    report_number(pmis, "PMIs of %u overflows", OCCASIONS);
    report_number(without_ovf, "PMIs of them without OVF");
}

/* ---- E13: instructions that instr_retired counts twice ---- */

static unsigned percent_counted(const struct workload *work)
{
    const unsigned few = 10, many = 60;
    struct pmc_programming p = stimulus_program(STIMULUS_INSTRUCTIONS, 12);
    uint64_t low = count_of(&p, work, few), high = count_of(&p, work, many);

    return share(high - low, many - few, 100);
}

static void counted_twice(void)
{
    unsigned fldcw = percent_counted(&work_fldcw), emms = percent_counted(&work_emms);
    unsigned sfence = percent_counted(&work_sfence), mfence = percent_counted(&work_mfence);

    sheet_line("10.11h", "fldcw %u.%02u, emms %u.%02u, sfence %u.%02u, mfence %u.%02u", RATIO(fldcw),
               RATIO(emms), RATIO(sfence), RATIO(mfence));
}

/* ---- O8 (N15): accesses to a counter that is off ---- */

/*
 * "Accessing a performance counter also enables the counter input", so an access to a counter that is
 * disabled, and whose CCCR selects an event, adds the event's value of that clock (question 10.17; F29, E1).
 * A second counter on the same ESCR is enabled, because an ESCR without an enabled counter may be off (R44).
 */

#define READS  64
#define WRITES 16
#define VALUE  1000

enum access { BY_RDMSR, BY_RDPMC, BY_WRMSR };

/* What accesses to a counter add to VALUE while its CCCR selects the event and does not enable it. */
static int64_t added(const struct pmc_programming *running, const struct pmc_programming *probed,
                     enum access access, unsigned times)
{
    uint64_t value;
    bool were_on = irq_off();

    pmc_arm(running, 0);
    pmc_arm(probed, VALUE);
    pmc_start(running);
    msr_write(MSR_CCCR(probed->counter), probed->cccr);
    for (unsigned i = 0; i < times; i++)
        if (access == BY_RDMSR)
            msr_try_read(MSR_COUNTER(probed->counter), &value);
        else if (access == BY_RDPMC)
            rdpmc_try(probed->counter, &value);
        else
            msr_write(MSR_COUNTER(probed->counter), VALUE);
    msr_write(MSR_CCCR(probed->counter), 0);
    value = pmc_read(probed->counter);
    pmc_stop_all();
    irq_restore(were_on);
    return (int64_t)value - VALUE;
}

/* The line of an event, counted by both counters. */
static void report_shift(const char *question, const struct pmc_programming *running,
                         const struct pmc_programming *probed)
{
    int64_t most = 0, untouched = added(running, probed, BY_RDMSR, 0);

    for (unsigned i = 0; i < WRITES; i++) {
        int64_t now = added(running, probed, BY_WRMSR, 1);

        most = now > most ? now : most;
    }
    sheet_line(question, "%u RDMSR add %d, %u RDPMC %d, a WRMSR at most %d, no access %d", READS,
               (int)added(running, probed, BY_RDMSR, READS), READS,
               (int)added(running, probed, BY_RDPMC, READS), (int)most, (int)untouched);
}

static void live(void)
{
    struct pmc_programming running = stimulus_program(STIMULUS_CLOCKS, 2);
    struct pmc_programming probed = stimulus_program(STIMULUS_CLOCKS, 3);

    report_shift("10.17a", &running, &probed);
    pmc_program(&running, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, escr_self_all(), 12);
    pmc_program(&probed, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, escr_self_all(), 13);
    report_shift("10.17b", &running, &probed);
}

static const struct vector errata_rows[] = {
    PROBE("probe.erratum.write-running", "does a write to a running counter hold", .also = "R58 E1",
          .stages = STAGE_COUNT, .run = write_running),
    PROBE("probe.erratum.lost-carry", "is a carry lost when the counter is stopped in its clock",
          .also = "R59 E2", .stages = STAGE_OVERFLOW, .run = lost_carry),
    PROBE("probe.erratum.t1", "OVF_PMI_T1 on a part with one thread a core", .also = "R45 E5",
          .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = t1_without_ht),
    PROBE("probe.erratum.unflagged", "does a PMI come without OVF", .also = "R29 E9", .needs = NEED_LAPIC,
          .stages = STAGE_PMI, .run = unflagged),
    PROBE("probe.erratum.recounted", "which instructions instr_retired counts twice", .also = "E13 10.11",
          .deadline_ms = 2000, .stages = STAGE_COUNT, .run = counted_twice),
    PROBE("probe.erratum.live-select", "what an access adds to a disabled counter that selects an event",
          .also = "E1 R58 10.17", .stages = STAGE_COUNT, .run = live),
};
VECTOR_GROUP(errata);
