/*
 * Probes of counting while logical processors are halted (pmu-rules 9.6, questions 11.5 and 11.9; R13, R18,
 * R20, R42).
 *
 * The local APIC timer wakes us from HLT. A probe judges nothing; its lines go to the sheet.
 */
#include "kernel/x86/cpu.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "tests/suite/halt.h"
#include "pmc/msr.h"
#include "tests/suite/sheet.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/measure.h"

#define HALTED_US 50

/*
 * What is counted with ACTIVE_THREAD = 00B, over a halt in which no logical processor of the core is active:
 * every clock (COMPLEMENT with threshold 15), and a thread-independent event of all privilege levels.
 */
static void clocks(void)
{
    struct pmc_programming every_clock, mode;
    const uint32_t everyone = escr_self_all() | (machine_cpu.ht ? escr_sibling(true, true) : 0);
    const uint16_t all_modes = 0xFF;

    pmc_program(&every_clock, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, everyone, 12);
    pmc_program(&mode, EVENT_TC_DELIVER_MODE, all_modes, everyone, 4);
    every_clock.cccr |= at_or_below(15);
    pmc_set_active_thread(&every_clock, ACTIVE_NONE);
    pmc_set_active_thread(&mode, ACTIVE_NONE);
    pmc_arm(&every_clock, 0);
    pmc_arm(&mode, 0);
    unsigned fault = msr_try_write(MSR_CCCR(12), pmc_cccr_enabled(&every_clock));
    fault |= msr_try_write(MSR_CCCR(4), pmc_cccr_enabled(&mode));
    halt_for_us(HALTED_US);
    sheet_line("11.5", "%s%llu clocks in %u us", fault ? "faults, " : "counts ", pmc_read(12), HALTED_US);
    sheet_line("11.9a", "counts %llu", pmc_read(4));
}

static struct frame work_frame;

static void run_work(void *arg)
{
    (void)arg;
    frame_exercise(&work_frame);
}

#define UOPS 100

/* Only the OS bits are set, and the work runs at CPL 3. If it is counted, the halted sibling is at CPL 0. */
static void halted_cpl(void)
{
    struct pmc_programming p;

    stimulus_prepare(STIMULUS_PACKED_SP);
    pmc_program(&p, EVENT_PACKED_SP_UOP, FIRM_ALL, escr_self(true, false) | escr_sibling(true, false), 8);
    frame_init(&work_frame, 0);
    frame_phase(&work_frame, 0, &work_packed_sp, UOPS);
    pmc_arm(&p, 0);
    pmc_start(&p);
    ring_run(3, run_work, NULL);
    pmc_stop(8);
    sheet_line("11.9b", pmc_read(8) >= UOPS / 2 ? "counted" : "not counted");
}

static const struct vector probes_halted_rows[] = {
    PROBE("probe.halted.clocks", "clocks while every logical processor is halted",
          .also = "R18 R20 R42 11.5 11.9", .needs = NEED_LAPIC, .stages = STAGE_COUNT, .run = clocks),
    PROBE("probe.halted.cpl", "the privilege level of a halted logical processor", .also = "R13 11.9",
          .needs = NEED_SMT | NEED_SSE2, .stages = STAGE_FLAGS, .run = halted_cpl),
};
VECTOR_GROUP(probes_halted);
