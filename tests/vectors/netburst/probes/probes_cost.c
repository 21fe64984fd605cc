/*
 * Probes of cost: the clocks of the accesses that vectors and drivers of the PMU are made of, and how many
 * uops retire in a clock (question 10.14; F1, F5, F6).
 *
 * The registers are those of the measurements on record: counter 12, its CCCR with ENABLE set, and its ESCR
 * with instr_retired selected. A probe judges nothing; its lines go to the sheet.
 */
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmc/msr.h"
#include "tests/suite/cost.h"
#include "tests/suite/bits.h"
#include "tests/suite/repeat.h"
#include "tests/suite/sheet.h"
#include "tests/suite/companion.h"
#include "tests/suite/stimulus.h"

#define COUNTER 12

static uint32_t read_cost(uint32_t msr)
{
    return cost_of(cost_rdmsr, &(struct cost_operands){.ecx = msr});
}

/* The register holds the value already, so no copy changes anything. */
static uint32_t write_cost(uint32_t msr, uint32_t value)
{
    msr_write(msr, value);
    return cost_of(cost_wrmsr, &(struct cost_operands){.ecx = msr, .eax = value});
}

static void registers(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_INSTRUCTIONS, COUNTER);

    pmc_arm(&p, 0);
    uint32_t counter = write_cost(MSR_COUNTER(COUNTER), 0), escr = write_cost(p.escr_msr, p.escr);
    uint32_t cccr = write_cost(MSR_CCCR(COUNTER), pmc_cccr_enabled(&p));

    pmc_stop_all();
    sheet_line("10.14a", "%u, %u, %u", read_cost(MSR_COUNTER(COUNTER)), read_cost(p.escr_msr),
               read_cost(MSR_CCCR(COUNTER)));
    sheet_line("10.14b", "%u, %u, %u", counter, escr, cccr);
}

/* Two logical processors share what executes microcode. A sibling's loop stops with the vector (companion.h).
 */
static void beside_sibling(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_INSTRUCTIONS, COUNTER);

    companion_spin();
    pmc_arm(&p, 0);
    uint32_t read = read_cost(MSR_COUNTER(COUNTER)), written = write_cost(MSR_COUNTER(COUNTER), 0);
    companion_end();
    sheet_line("10.14h", "%u, %u", read, written);
}

static void instructions(void)
{
    const struct cost_operands slow = {.ecx = COUNTER}, fast = {.ecx = COUNTER | RDPMC_FAST}, none = {0};
    uint64_t value;

    if (rdpmc_try(fast.ecx, &value) == NO_FAULT)
        sheet_line("10.14c", "%u, %u", cost_of(cost_rdpmc, &slow), cost_of(cost_rdpmc, &fast));
    else
        sheet_line("10.14c", "%u, the fast form faults", cost_of(cost_rdpmc, &slow));
    sheet_line("10.14d", "%u, %u", cost_of(cost_rdtsc, &none), cost_of(cost_cpuid, &none));
}

/* ---- The local APIC: its LVTPC, masked, and an IPI to itself ---- */

#define INTERRUPT_IPI 0xD2 /* for this probe alone */
#define IPIS          16
#define PATIENCE_US   100

static volatile uint32_t arrived;

static void ipi_handler(struct trap_frame *frame)
{
    (void)frame;
    arrived = (uint32_t)rdtsc();
    lapic_eoi();
}

/* Clocks from before the store that sends an IPI to its handler; 0 if it does not come. */
static uint32_t ipi_clocks(void)
{
    struct timeout patience = timeout_in_us(PATIENCE_US);
    uint32_t sent = (uint32_t)rdtsc();

    arrived = 0;
    lapic_send_self(INTERRUPT_IPI);
    while (arrived == 0 && !timeout_passed(&patience))
        cpu_relax();
    return arrived == 0 ? 0 : arrived - sent;
}

static void local_apic(void)
{
    struct cost_operands operands = {.eax = LVT_MASKED, .edi = lapic_address(LAPIC_LVTPC)};
    uint32_t clocks[IPIS];
    bool missing = false;

    sheet_line("10.14e", "%u, %u", cost_of(cost_load, &operands), cost_of(cost_store, &operands));
    trap_set_handler(INTERRUPT_IPI, ipi_handler);
    ipi_clocks();
    for (unsigned i = 0; i < IPIS; i++) {
        clocks[i] = ipi_clocks();
        missing |= clocks[i] == 0;
    }
    trap_set_handler(INTERRUPT_IPI, NULL);
    struct spread s = spread_of(clocks, IPIS);
    if (missing)
        sheet_line("10.14f", "does not arrive in %u us", PATIENCE_US);
    else
        sheet_line("10.14f", "%u (%u to %u)", s.median, s.least, s.most);
}

/* ---- Uops per clock ---- */

static const struct cost_operands NO_OPERANDS;

static uint32_t uops_of(cost_code *code)
{
    struct pmc_programming p;

    pmc_program(&p, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, escr_self_all(), COUNTER);
    pmc_arm(&p, 0);
    bool were_on = irq_off();
    pmc_start(&p);
    code(&NO_OPERANDS);
    pmc_stop_all();
    irq_restore(were_on);
    return (uint32_t)pmc_read(COUNTER);
}

/* Uops retired per clock, in hundredths. */
static unsigned uops_per_clock(cost_code *code)
{
    uint32_t clocks = clocks_of(code, &NO_OPERANDS);

    return share(uops_of(code) - uops_of(cost_nothing), clocks, 100);
}

static void throughput(void)
{
    unsigned nop = uops_per_clock(laps_nop), branch = uops_per_clock(laps_jmp);

    work_prepare_sse();
    unsigned sse = uops_per_clock(laps_addps);
    work_prepare_fp();
    unsigned x87 = uops_per_clock(laps_fadd);
    sheet_line("10.14g", "nop %u.%02u, jmp %u.%02u, addps %u.%02u, fadd %u.%02u", RATIO(nop), RATIO(branch),
               RATIO(sse), RATIO(x87));
}

static const struct vector probes_cost_rows[] = {
    PROBE("probe.cost.registers", "clocks of RDMSR and WRMSR", .also = "10.14", .run = registers),
    PROBE("probe.cost.sibling", "clocks of RDMSR and WRMSR while the sibling runs", .also = "10.14",
          .needs = NEED_SIBLING, .run = beside_sibling),
    PROBE("probe.cost.instructions", "clocks of RDPMC, RDTSC and CPUID", .also = "10.14",
          .run = instructions),
    PROBE("probe.cost.apic", "clocks of a local APIC access and an IPI", .also = "10.14", .needs = NEED_LAPIC,
          .run = local_apic),
    PROBE("probe.cost.uops", "uops retired per clock", .also = "10.14", .needs = NEED_SSE2,
          .deadline_ms = 3000, .stages = STAGE_COUNT, .run = throughput),
};
VECTOR_GROUP(probes_cost);
