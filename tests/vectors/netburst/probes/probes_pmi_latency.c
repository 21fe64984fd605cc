/*
 * Probes of the PMI in time: how late it comes, whether it comes early, and whether it comes after its
 * counter was disabled (question 10.15; F7, F26, F27, R54).
 *
 * Each handler below takes one PMI and leaves LVTPC masked, so that no storm can follow (E7). A probe judges
 * nothing; its lines go to the sheet.
 */
#include "kernel/board/board.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/cost.h"
#include "tests/suite/bits.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/repeat.h"
#include "tests/suite/sheet.h"
#include "tests/suite/stimulus.h"

#define CLOCKS      3    /* the counter of clocks */
#define AHEAD       6000 /* clocks to the overflow: the enabling WRMSR itself takes some (F3) */
#define OVERFLOWS   32
#define PATIENCE_US 100

static volatile bool taken;

static void wait_for_pmi(void)
{
    struct timeout patience = timeout_in_us(PATIENCE_US);

    while (!taken && !timeout_passed(&patience))
        cpu_relax();
}

static void arm(const struct pmc_programming *p, uint64_t preset, pmi_handler *handler)
{
    taken = false;
    pmc_arm(p, preset);
    pmi_set_handler(handler);
    pmi_unmask();
}

static void disarm(void)
{
    pmc_stop_all();
    pmi_disarm();
}

static struct pmc_programming clocks_with_pmi(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CLOCKS, CLOCKS);

    p.cccr |= ovf_pmi_to(smp_self());
    return p;
}

/* ---- Latency: the counter goes on after its overflow, so what the handler reads first is the time ---- */

static volatile uint32_t found;

static void reading_handler(struct trap_frame *frame, unsigned lp, bool nmi)
{
    uint64_t value;

    (void)frame;
    (void)lp;
    rdpmc_try(CLOCKS, &value);
    found = (uint32_t)value;
    taken = true;
    if (!nmi)
        lapic_eoi();
}

/* The way through the IDT to that read alone, by INT n, with no PMI on the way. */
static uint32_t software_interrupt(const struct pmc_programming *p)
{
    uint64_t before;

    arm(p, 0, reading_handler);
    pmi_mask();
    pmc_start(p);
    rdpmc_try(CLOCKS, &before);
    __asm__ volatile("int %0" : : "i"(INTERRUPT_PMI) : "memory");
    disarm();
    return found - (uint32_t)before;
}

static void latency(void)
{
    struct pmc_programming p = clocks_with_pmi();
    uint32_t late[OVERFLOWS], by_int[OVERFLOWS];
    unsigned came = 0;

    for (unsigned i = 0; i < OVERFLOWS; i++) {
        arm(&p, COUNTER_OVERFLOW_IN(AHEAD + i), reading_handler);
        pmc_start(&p);
        wait_for_pmi();
        disarm();
        if (taken)
            late[came++] = found;
        by_int[i] = software_interrupt(&p);
    }
    if (came == 0) {
        sheet_line("10.15a", "no PMI came");
        return;
    }
    struct spread s = spread_of(late, came), through_idt = spread_of(by_int, OVERFLOWS);
    sheet_line("10.15a", "%u (%u to %u), %u of %u came; INT n alone %u", s.median, s.least, s.most, came,
               OVERFLOWS, through_idt.median);
}

/* ---- Early: too few instructions are executed for the preset, so that no PMI is due at all ---- */

#define PRESETS  16
#define REPEATED 4

static void taking_handler(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    taken = true;
    pmc_stop_all();
    if (!nmi)
        lapic_eoi();
}

static void nothing(void *unused)
{
    (void)unused;
}

/* Instructions at CPL 3, which alone are counted: those of `nothing` and of the way back. */
static void visit_cpl_3(const struct pmc_programming *p, uint64_t preset)
{
    arm(p, preset, taking_handler);
    pmc_start(p);
    ring_run(3, nothing, NULL);
    pmi_wait_for_delivery();
}

static void early(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_INSTRUCTIONS, 12);
    unsigned least = 0, most = 0, times = 0;

    p.cccr |= ovf_pmi_to(smp_self());
    pmc_set_privilege(&p, escr_self(false, true));
    visit_cpl_3(&p, 0);
    unsigned executed = (unsigned)pmc_read(12);
    disarm();
    for (unsigned n = executed + 1; n <= PRESETS; n++)
        for (unsigned i = 0; i < REPEATED; i++) {
            visit_cpl_3(&p, COUNTER_OVERFLOW_IN(n));
            disarm();
            if (!taken)
                continue;
            least = times == 0 ? n : least;
            most = n;
            times++;
        }
    if (times == 0)
        sheet_line("10.15b", "none of -%u to -%u", executed + 1, PRESETS);
    else
        sheet_line("10.15b", "-%u to -%u, %u of %u times", least, most, times, (most - least + 1) * REPEATED);
}

/* ---- In flight: the overflow comes at the stop, or some hundred clocks before it ---- */

#define STEP 16 /* clocks between the overflows of which two come after each other */

static volatile bool was_disabled;
static volatile uint32_t taken_at;

static void timing_handler(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    taken_at = (uint32_t)rdtsc();
    was_disabled = (msr_read(MSR_CCCR(CLOCKS)) & CCCR_ENABLE) == 0;
    taken = true;
    if (!nmi)
        lapic_eoi();
}

/* Start, and stop some hundred clocks later. Returns the TSC at the stop. */
static uint32_t run_to_stop(const struct pmc_programming *p)
{
    pmc_start(p);
    work_exercise(&work_nop, 500);
    uint32_t stopped = (uint32_t)rdtsc();
    msr_write(MSR_CCCR(CLOCKS), 0);
    return stopped;
}

static void in_flight(void)
{
    struct pmc_programming p = clocks_with_pmi();
    unsigned pmis = 0, after = 0;
    uint32_t latest = 0;

    arm(&p, 0, timing_handler);
    run_to_stop(&p);
    uint64_t clocks = pmc_read(CLOCKS);
    for (unsigned i = 0; i < OVERFLOWS; i++) {
        uint64_t overflow = clocks > STEP * i ? clocks - STEP * i : 1;

        arm(&p, COUNTER_OVERFLOW_IN(overflow), timing_handler);
        uint32_t stopped = run_to_stop(&p);
        wait_for_pmi();
        pmis += taken;
        if (taken && was_disabled) {
            after++;
            latest = taken_at - stopped > latest ? taken_at - stopped : latest;
        }
    }
    disarm();
    if (after == 0)
        sheet_line("10.15c", "none of %u", pmis);
    else
        sheet_line("10.15c", "%u of %u, the last %u clocks after the stop began", after, pmis, latest);
}

static const struct vector probes_pmi_latency_rows[] = {
    PROBE("probe.pmi.latency", "clocks from the overflow to the handler", .also = "R46 R54 10.15",
          .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = latency),
    PROBE("probe.pmi.early", "PMIs before as many counts as the preset", .also = "R46 R47 10.15",
          .needs = NEED_LAPIC, .deadline_ms = 2000, .stages = STAGE_PMI, .run = early),
    PROBE("probe.pmi.in-flight", "PMIs after the counter was disabled", .also = "R46 R54 10.15",
          .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = in_flight),
};
VECTOR_GROUP(probes_pmi_latency);
