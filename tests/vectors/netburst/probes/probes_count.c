/*
 * Probes of counting: what the manual leaves open about CCCR 1, the bus events, uops, clocks and
 * ACTIVE_THREAD (questions 10.4, 10.9, 10.11, 10.12 and 10.13; E4, R19).
 *
 * Each provokes the case and counts. A probe judges nothing; its lines go to the sheet.
 */
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "tests/suite/cost.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "pmc/msr.h"
#include "tests/suite/sheet.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/repeat.h"

#define LAPS 1000

/* ---- E4: counters 0 and 1 share FSB_ESCR0 ---- */

/* Does counter 1 count clocks with these ENABLE bits in CCCR 0 and CCCR 1? */
static bool counter_1_counts(bool enable_0, bool enable_1)
{
    struct pmc_programming p[2];

    pmc_clear(&machine_cpu);
    for (unsigned n = 0; n < 2; n++) {
        p[n] = stimulus_program(STIMULUS_CLOCKS, n);
        pmc_arm(&p[n], 0);
        msr_write(MSR_CCCR(n), p[n].cccr);
    }
    if (enable_0)
        pmc_start(&p[0]);
    if (enable_1)
        pmc_start(&p[1]);
    return counter_moves(1, &work_loop, LAPS);
}

static void cccr1(void)
{
    bool own = counter_1_counts(false, true), both = counter_1_counts(true, true);
    bool other = counter_1_counts(true, false), none = counter_1_counts(false, false);

    if (own && both && !other && !none)
        sheet_line("10.4", "works");
    else
        sheet_line("10.4", "does not work: counts with its own %u, CCCR 0's %u, both %u, neither %u", own,
                   other, both, none);
}

/* ---- The four doubtful FSB events on FSB_ESCR0, by the select that is printed and by the one that reaches
 * it */

#define PRINTED_SELECT 3
#define BUS_US         20 /* of port reads: each is a bus transaction */

static uint64_t fsb_count(enum pmc_event_id event, unsigned select)
{
    struct pmc_programming p;

    pmc_clear(&machine_cpu);
    pmc_program(&p, event, PMC_EVENT[event].members, escr_self_all(), 0);
    p.cccr = (p.cccr & ~CCCR_ESCR_SELECT_MASK) | CCCR_ESCR_SELECT(select);
    pmc_arm(&p, 0);
    pmc_start(&p);
    delay_us(BUS_US);
    pmc_stop(0);
    return pmc_read(0);
}

static void fsb_line(const char *point, unsigned select)
{
    sheet_line(point, "%llu, %llu, %llu, %llu", fsb_count(EVENT_B2B_CYCLES, select),
               fsb_count(EVENT_BNR, select), fsb_count(EVENT_SNOOP, select),
               fsb_count(EVENT_RESPONSE, select));
}

static void fsb(void)
{
    fsb_line("10.9a", PRINTED_SELECT);
    fsb_line("10.9b", PMC_EVENT[EVENT_BNR].cccr_select);
}

/* ---- Uops and other occurrences per instruction, in hundredths ---- */

static unsigned per_instruction(const struct pmc_programming *p, const struct workload *work)
{
    const uint32_t few = 50, many = 200; /* work_x87 allows 216 */

    return share(count_least(p, work, many) - count_least(p, work, few), many - few, 100);
}

static unsigned per_stimulus(enum stimulus_id id)
{
    struct pmc_programming p = stimulus_prepared(id, 8);
    unsigned hundredths = per_instruction(&p, STIMULUS[id].work);
    stimulus_finish(id);
    return hundredths;
}

static void uops(void)
{
    static const uint8_t ids[] = {STIMULUS_PACKED_SP, STIMULUS_PACKED_DP,   STIMULUS_SCALAR_SP,
                                  STIMULUS_SCALAR_DP, STIMULUS_MMX_64,      STIMULUS_MMX_128,
                                  STIMULUS_X87,       STIMULUS_SPLIT_LOADS, STIMULUS_SPLIT_STORES};
    struct pmc_programming retired;
    unsigned r[sizeof ids];

    for (unsigned i = 0; i < sizeof ids; i++)
        r[i] = per_stimulus(ids[i]);
    sheet_line("10.11a", "addps %u.%02u, addpd %u.%02u, addss %u.%02u, addsd %u.%02u", RATIO(r[0]),
               RATIO(r[1]), RATIO(r[2]), RATIO(r[3]));
    sheet_line("10.11b", "paddb mm %u.%02u, paddb xmm %u.%02u, fadd %u.%02u", RATIO(r[4]), RATIO(r[5]),
               RATIO(r[6]));
    sheet_line("10.11d", "LSC %u.%02u, SSC %u.%02u", RATIO(r[7]), RATIO(r[8]));

    pmc_program(&retired, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, escr_self_all(), 12);
    unsigned nop = per_instruction(&retired, &work_nop);
    sheet_line("10.11c", "%u.%02u", RATIO(nop));
}

/* ---- Clocks ---- */

#define SPAN_US 200

static void clock_rates(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CLOCKS, 3);
    uint64_t misc_enable;

    if (machine_cpu.ht)
        sheet_line("10.12a", "%u per core, Hyper-Threading", machine_cpu.threads_per_core);
    else
        sheet_line("10.12a", "1 per core, cores per package %u", machine_cpu.cores_per_package);
    if (msr_try_read(MSR_IA32_MISC_ENABLE, &misc_enable) == NO_FAULT)
        sheet_line("10.12b", "%8llH", misc_enable);
    else
        sheet_line("10.12b", "RDMSR faults");

    pmc_arm(&p, 0);
    pmc_start(&p);
    struct progress span = progress_of(pmc_read, 3, delay_us, SPAN_US);
    uint32_t thousandths = share(span.value, span.ticks, 1000);
    sheet_line("10.12c", "%u.%03u over %u ticks", thousandths / 1000, thousandths % 1000, span.ticks);
}

/* ---- ACTIVE_THREAD on a part with one thread: writing another value than 11B may fault ---- */

static const char *counts_with(unsigned active)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CLOCKS, 3);

    pmc_clear(&machine_cpu);
    pmc_arm(&p, 0);
    pmc_set_active_thread(&p, active);
    if (msr_try_write(MSR_CCCR(3), pmc_cccr_enabled(&p)) != NO_FAULT)
        return "faults";
    return counter_moves(3, &work_loop, LAPS) ? "counts" : "does not";
}

static void active_thread(void)
{
    if (machine_cpu.ht)
        sheet_line("10.13a", "not probed: all four values are documented on this part");
    else
        sheet_line("10.13a", "00B %s, 01B %s, 10B %s", counts_with(ACTIVE_NONE), counts_with(ACTIVE_SINGLE),
                   counts_with(ACTIVE_BOTH));
}

/* ---- How many counts an occurrence makes (question 10.11; F15, F17, F18) ---- */

/* Two lengths of a workload are counted, and the difference is divided: what the frame adds cancels. */

#define FEW  20
#define MANY 120

struct slope {
    const struct pmc_programming *p;
    const struct workload *work;
};

static uint32_t more(const void *arg)
{
    const struct slope *slope = arg;
    const uint64_t few = count_once(slope->p, slope->work, FEW);

    return (uint32_t)(count_once(slope->p, slope->work, MANY) - few);
}

/* Counts per occurrence in hundredths, on the first counter that can count them: the median, because an event
 * may differ from run to run. */
static unsigned per_occurrence(enum stimulus_id id)
{
    unsigned counter = 0;

    while (!stimulus_reaches(id, counter))
        counter++;
    const struct pmc_programming p = stimulus_prepared(id, counter);
    const struct slope slope = {&p, STIMULUS[id].work};
    const uint32_t median = median_of(more, &slope);

    stimulus_finish(id);
    return share(median, MANY - FEW, 100);
}

static void microcode(void)
{
    unsigned transfers = per_occurrence(STIMULUS_MICROCODE), assists = per_occurrence(STIMULUS_X87_ASSISTS);
    unsigned clears = per_occurrence(STIMULUS_SELF_MODIFYING);

    sheet_line("10.11e", "tc_ms_xfer %u.%02u, x87_assist %u.%02u, SMCLEAR %u.%02u", RATIO(transfers),
               RATIO(assists), RATIO(clears));
}

static void branches(void)
{
    unsigned calls = per_occurrence(STIMULUS_CALLS), returns = per_occurrence(STIMULUS_RETURNS);

    sheet_line("10.11f", "CALL %u.%02u, RETURN %u.%02u", RATIO(calls), RATIO(returns));
}

static void bus(void)
{
    skip_without_ioq();
    unsigned reads = per_occurrence(STIMULUS_UNCACHED_READS);

    sheet_line("10.11g", "%u.%02u", RATIO(reads));
}

static const struct vector probes_count_rows[] = {
    PROBE("probe.count.cccr1", "ENABLE of CCCR 1", .also = "R33 E4 10.4", .stages = STAGE_COUNT,
          .run = cccr1),
    PROBE("probe.count.fsb", "events printed with a select that does not reach their ESCR",
          .also = "R17 10.9", .stages = STAGE_COUNT, .run = fsb),
    PROBE("probe.count.uops", "occurrences per instruction", .also = "R8 R27 10.11", .needs = NEED_SSE2,
          .deadline_ms = 3000, .stages = STAGE_COUNT, .run = uops),
    PROBE("probe.count.clock", "threads, IA32_MISC_ENABLE, core clock and TSC", .also = "R42 10.12",
          .stages = STAGE_COUNT, .run = clock_rates),
    PROBE("probe.count.active-thread", "ACTIVE_THREAD without Hyper-Threading", .also = "R19 10.13",
          .stages = STAGE_COUNT, .run = active_thread),
    PROBE("probe.slope.microcode", "counts per CPUID, x87 stack fault and store into code",
          .also = "R27 10.11", .deadline_ms = 2000, .stages = STAGE_COUNT, .run = microcode),
    PROBE("probe.slope.branches", "counts per CALL and RET", .also = "10.11", .deadline_ms = 2000,
          .stages = STAGE_COUNT, .run = branches),
    PROBE("probe.slope.bus", "IOQ_allocation per uncached read", .also = "10.11", .deadline_ms = 2000,
          .stages = STAGE_COUNT, .run = bus),
};
VECTOR_GROUP(probes_count);
