/*
 * Example 18-2: sample one logical processor after 4096 instructions of the other (18.15.5.7; R12, R33, R35,
 * R45).
 *
 * As printed the example cannot work (pmu-rules 7.3), so the vectors run its corrected programmings, rows A
 * to F of pmu-rules 7.4. X counts 4096 events of LP0; Y then counts instructions of LP1 and interrupts LP1
 * every so many of them, and the handler records where LP1 was. LP1 runs a loop of known extent all the
 * while. Before the 4096th event Y must stay still whatever LP1 does. If it moves, it was started too early.
 * If it moves while LP1 is halted, it counts the wrong logical processor.
 *
 * What the printed values do follows from the manual as well: counter 16 counts the instructions of LP1, from
 * a number of 32 bits, which 4096 of them bring to 2^32 and not to an overflow. Y never starts.
 */
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "pmc/netburst/examples.h"
#include "tests/suite/expect.h"
#include "tests/suite/unflagged.h"
#include "tests/suite/machine.h"
#include "tests/suite/repeat.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/companion.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/witness.h"

#define SAMPLES         32    /* PMIs taken; then Y is disarmed, so that no storm lasts (E7) */
#define SAMPLE_DISTANCE 1000  /* instructions between two of them; the handler itself retires far fewer */
#define FEW             4     /* instructions by which X's count may differ each time X is enabled */
#define WAIT_US         50000 /* many times what LP1 needs for as many instructions */
/* Laps of LP1 in which the next sample must come: a PMI may be 60 us late. */
#define SAMPLE_LAPS ((SAMPLE_DISTANCE + 200000) / SPIN_LAP_INSTRUCTIONS)

static struct {
    const struct example_18_2 *row;
    uint64_t reload;
    volatile unsigned taken, elsewhere, unflagged;
    volatile uint32_t first_lap, last_lap; /* of LP1 at the first sample and at the last one */
    uint32_t eip[SAMPLES];
} sampling;

static void take_sample(struct trap_frame *frame, unsigned lp, bool nmi)
{
    unsigned y = sampling.row->y;

    if (lp != 1 || sampling.taken >= SAMPLES) {
        sampling.elsewhere += lp != 1;
        msr_write(MSR_CCCR(y), 0);
    } else {
        sampling.last_lap = companion_laps();
        if (sampling.taken == 0)
            sampling.first_lap = sampling.last_lap;
        sampling.unflagged += !pmc_overflowed(y);
        sampling.eip[sampling.taken++] = frame->eip;
        /* Only OVF is cleared: it is open whether Y runs by OVF of X or by an ENABLE that its start has set
         * (10.1a, 10.1c). */
        msr_write(MSR_CCCR(y), msr_read(MSR_CCCR(y)) & ~(uint64_t)CCCR_OVF);
        pmc_preset(y, sampling.reload);
        pmi_unmask();
    }
    if (!nmi)
        lapic_eoi();
}

/*
 * Make n of X's events on LP0: branches in rows E and F, instructions in all others. The frame starts X, and
 * at its end takes the event from X's ESCR.
 */
static void run_x(const struct example_18_2 *row, uint32_t n)
{
    struct frame frame;

    frame_init(&frame, 0);
    if (ESCR_GET_EVENT_SELECT(row->escr_x) == PMC_EVENT[EVENT_BRANCH_RETIRED].select) {
        frame_phase(&frame, 0, &work_loop, n);
    } else {
        frame_phase(&frame, 0, &work_loop, n / work_loop.instructions);
        frame_phase(&frame, 1, &work_nop, n % work_loop.instructions);
    }
    frame.start[1] = (struct msr_write){MSR_CCCR(row->x), row->cccr_x};
    frame.stop[1] = (struct msr_write){row->escr_x_msr, 0};
    frame_measure(&frame);
}

/* instr_retired may count otherwise as the machine was when the counter was enabled (note 1 of Table 19-29).
 * So what X counts is observed. */
static void frame_alone(const void *arg, struct observation *out)
{
    const struct example_18_2 *row = arg;

    pmc_clear(&machine_cpu);
    msr_write(row->escr_x_msr, row->escr_x);
    run_x(row, 0);
    out->v[0] = pmc_read(row->x);
}

/* What the frame itself adds to X. */
static uint32_t overhead_of(const struct example_18_2 *row)
{
    return (uint32_t)observe(frame_alone, row).v[0];
}

static void set_up(const struct example_18_2 *row, bool sample)
{
    pmc_clear(&machine_cpu);
    sampling.row = row;
    sampling.reload = COUNTER_OVERFLOW_IN(SAMPLE_DISTANCE - 1); /* PMI on the count after the overflow: R46 */
    sampling.taken = sampling.elsewhere = sampling.unflagged = 0;
    require_true(R4, example_18_2(row, sample, SAMPLE_DISTANCE), "the counters hold their presets");
}

struct events {
    const struct example_18_2 *row;
    uint32_t n; /* events of X, the frame's own included */
};

enum { OF_X, OVF_OF_X, OF_Y, Y_GOES_ON };

static void count_x(const void *arg, struct observation *out)
{
    const struct events *events = arg;
    const struct example_18_2 *row = events->row;

    set_up(row, false);
    run_x(row, events->n);
    uint64_t before = pmc_read(row->y);
    companion_wait_laps(20);
    out->v[OF_X] = pmc_read(row->x);
    out->v[OVF_OF_X] = pmc_overflowed(row->x);
    out->v[Y_GOES_ON] = pmc_read(row->y) - before >= 19 * SPIN_LAP_INSTRUCTIONS;
    if (!out->v[Y_GOES_ON]) {
        msr_write(MSR_CCCR(row->y), 0); /* an access to a counter that selects an event may add to it (E1) */
        out->v[OF_Y] = pmc_read(row->y);
    }
}

/* After 4095 events of LP0 Y has not moved, however many instructions LP1 retired. With the 4096th X
 * overflows. */
static void check_start(const struct example_18_2 *row, uint32_t overhead)
{
    const struct events one_less = {row, EXAMPLE_18_2_X - 1 - overhead},
                        all = {row, EXAMPLE_18_2_X - overhead};

    struct observation o = observe(count_x, &one_less);
    expect_register(RULES(R27, R12), COUNTER_OVERFLOW_IN(1), o.v[OF_X], "X (%C) after 4095 events of LP0",
                    row->x);
    expect_true(R28, !o.v[OVF_OF_X], "OVF of X (%C) stays 0 after 4095", row->x);
    expect_true(RULES(R37, R33), !o.v[Y_GOES_ON], "Y (%C) does not count before the 4096th, with LP1 running",
                row->y);
    expect_register(RULES(R37, R33), 0, o.v[OF_Y], "Y (%C) before the 4096th, with LP1 running", row->y);

    o = observe(count_x, &all);
    expect_register(RULES(R27, R12), 0, o.v[OF_X], "X (%C) after 4096 events of LP0", row->x);
    expect_true(RULES(R29, R28), o.v[OVF_OF_X], "OVF of X (%C) after 4096", row->x);
    expect_true(RULES(R34, R35, R33), o.v[Y_GOES_ON], "Y (%C) counts the instructions of LP1", row->y);
}

/* While LP1 is halted, instructions of LP0 must not move Y. An SMI makes LP1 execute some hundred
 * instructions before it halts again, and is nowhere seen if it comes between two measurements. */
#define LP0_INSTRUCTIONS_LEAST 20000
#define LP1_WOKEN_MOST         5000
static void check_lp1_only(const struct example_18_2 *row)
{
    struct frame frame;

    frame_init(&frame, 0);
    frame_phase(&frame, 0, &work_loop, LP0_INSTRUCTIONS_LEAST);
    delay_us(50); /* the sibling is back in HLT */
    uint64_t before = pmc_read(row->y);
    frame_exercise(&frame);
    expect_between(R12, 0, LP1_WOKEN_MOST, pmc_read(row->y) - before, "counts of Y (%C) while only LP0 runs",
                   row->y);
}

/* An SMI or an interrupt of the board adds to X, which then starts Y too early. The length of X's events
 * shows it, as long as no PMI is taken meanwhile: LP1 takes what is due after them (R49). */
static void sample_too_early(void *arg)
{
    const struct events *events = arg;

    companion_leave_pmis();
    set_up(events->row, true);
    run_x(events->row, events->n);
    companion_take_pmis();
    companion_wait_laps(40);
}

/* The last sample's lap is read first: an interrupt may let samples come between the two reads. */
static uint32_t laps_since_sample(void)
{
    const uint32_t last = sampling.last_lap;

    return companion_laps() - last;
}

static void check_sampling(const struct example_18_2 *row, uint32_t overhead)
{
    pmi_set_handler(take_sample);
    undisturbed(sample_too_early, &(struct events){row, EXAMPLE_18_2_X - 1 - FEW - overhead});
    expect_equal(RULES(R47, R46), 0, sampling.taken, "PMIs before the 4096th event of LP0");

    set_up(row, true);
    run_x(row, EXAMPLE_18_2_X + FEW - overhead);
    struct timeout patience = timeout_in_us(WAIT_US);
    sampling.last_lap = companion_laps();
    while (sampling.taken < SAMPLES && laps_since_sample() < SAMPLE_LAPS && !timeout_passed(&patience))
        cpu_relax();
    expect_equal(R45, 0, sampling.elsewhere, "PMIs of OVF_PMI_T1 taken on LP0");
    if (sampling.taken == 0 && machine_has_erratum(PMC_E3 | PMC_E5)) {
        report_erratum(machine_has_erratum(PMC_E3) ? PMC_E3 : PMC_E5);
        expect_true(RULES(R29, R28), pmc_overflowed(row->y), "OVF of Y (%C) all the same", row->y);
        return;
    }
    expect_equal(sampling.taken ? RULES(R46, R38, R51, R55) : RULES(R55, R46), SAMPLES, sampling.taken,
                 "PMIs taken on LP1, one every %u of its instructions and their skid", SAMPLE_DISTANCE);
    expect_between(R29, 0, SAMPLES / UNFLAGGED_SELDOM, sampling.unflagged,
                   "PMIs of Y (%C) that found its OVF 0", row->y);
    /* Y counts the handler, too, which retires less than half of the distance. */
    expect_between(RULES(R46, R27),
                   (sampling.taken ? sampling.taken - 1 : 0) * (SAMPLE_DISTANCE / 2) / SPIN_LAP_INSTRUCTIONS,
                   UINT64_MAX, sampling.last_lap - sampling.first_lap,
                   "laps of LP1 from the first to the last of %u samples", sampling.taken);
    for (unsigned i = 0; i < sampling.taken; i++)
        expect_true(RULES(R45, R12),
                    sampling.eip[i] - (uint32_t)(uintptr_t)work_spin <
                        (uint32_t)(work_spin_end - (const char *)work_spin),
                    "sample %u at %8H lies in LP1's loop", i, sampling.eip[i]);
}

static void version_name(const void *item, char *out, size_t size)
{
    const struct example_18_2 *row = item;

    format(out, size, "%c.%u-%u", row->version - 'A' + 'a', row->x, row->y);
}

static unsigned version_needs(const void *item)
{
    return ((const struct example_18_2 *)item)->extended ? NEED_EXTENDED_CASCADE : 0;
}

/* The corrected programmings come first. */
static const struct items every_version = {.first = EXAMPLE_18_2,
                                           .size = sizeof EXAMPLE_18_2[0],
                                           .count = EXAMPLE_18_2_CORRECTED,
                                           .name = version_name,
                                           .needs = version_needs};

static void on_lp1(const struct example_18_2 *row, void (*check)(const struct example_18_2 *, uint32_t))
{
    uint32_t overhead = overhead_of(row);

    companion_spin();
    companion_take_pmis();
    check(row, overhead);
    companion_end();
}

static void example_version(const void *item)
{
    on_lp1(item, check_start);
    check_lp1_only(item);
}

static void sample_version(const void *item)
{
    on_lp1(item, check_sampling);
}

/* ---- As printed ---- */

#define BEFORE_2_32 2000 /* laps of LP1 that end before the counter reaches 2^32, */
#define BEYOND_2_32 2100 /* and after it */

struct printed {
    struct example_18_2 row;
    uint32_t laps; /* of work_loop, on LP1 */
};

enum { PRINTED_X, PRINTED_OVF_OF_X, PRINTED_Y, PRINTED_OVF_OF_Y };

static void execute(void *frame)
{
    const bool were_on = irq_off();

    frame_run(frame);
    irq_restore(were_on);
}

/* LP1 does step 6, its work, and takes the event from the ESCR; LP0 runs on meanwhile. */
static void as_printed(const void *arg, struct observation *out)
{
    const struct printed *printed = arg;
    const struct example_18_2 *row = &printed->row;
    struct frame frame;

    pmc_clear(&machine_cpu);
    require_true(R4, example_18_2(row, true, SAMPLE_DISTANCE), "the counters hold their presets");
    frame_init(&frame, 0);
    frame_phase(&frame, 0, &work_loop, printed->laps);
    frame.start[1] = (struct msr_write){MSR_CCCR(row->x), row->cccr_x};
    frame.stop[1] = (struct msr_write){row->escr_y_msr, 0};
    companion_do(execute, &frame, false);
    out->v[PRINTED_X] = pmc_read(row->x);
    out->v[PRINTED_OVF_OF_X] = pmc_overflowed(row->x);
    out->v[PRINTED_Y] = pmc_read(row->y);
    out->v[PRINTED_OVF_OF_Y] = pmc_overflowed(row->y);
}

static void printed_values(void)
{
    static const uint32_t LAPS[] = {BEFORE_2_32, BEYOND_2_32};
    struct printed printed = {.row = EXAMPLE_18_2[EXAMPLE_18_2_ROWS - 1]};
    const struct example_18_2 *row = &printed.row;
    const uint64_t preset = row->preset_x;

    companion_begin();
    printed.row.preset_x = 0;
    const uint64_t frame = observe(as_printed, &printed).v[PRINTED_X];
    printed.row.preset_x = preset;
    for (unsigned i = 0; i < COUNT_OF(LAPS); i++) {
        const uint32_t n = LAPS[i] * work_loop.instructions;

        printed.laps = LAPS[i];
        const struct observation o = observe(as_printed, &printed);
        expect_register(RULES(R12, R27), preset + frame + n, o.v[PRINTED_X],
                        "X (%C) from %10llH, after %u instructions of LP1 in a frame of %llu", row->x, preset,
                        n, frame);
        expect_true(R28, !o.v[PRINTED_OVF_OF_X], "OVF of X (%C) stays 0", row->x);
        expect_register(RULES(R37, R33), 0, o.v[PRINTED_Y], "Y (%C) is not started", row->y);
        expect_true(R28, !o.v[PRINTED_OVF_OF_Y], "OVF of Y (%C) stays 0", row->y);
    }
    companion_end();
}

static const struct vector extended_rows[] = {
    CHECK("cascade.18-2", "4096 events of LP0 on X, then instructions of LP1 on Y", .also = "EX18-2",
          .needs = NEED_SIBLING | NEED_LP0, .deadline_ms = 5000, .run_item = example_version,
          .items = &every_version),
    CHECK("cascade.18-2.sample", "the same, LP1 interrupted every 1000 of its instructions",
          .also = "EX18-2 E3 E5", .needs = NEED_SIBLING | NEED_LP0, .deadline_ms = 5000,
          .run_item = sample_version, .items = &every_version),
    CHECK("cascade.18-2.printed", "the values as printed: X counts LP1 and does not overflow at 2^32",
          .also = "EX18-2", .needs = NEED_SIBLING | NEED_LP0 | NEED_EXTENDED_CASCADE, .deadline_ms = 5000,
          .run = printed_values),
};
VECTOR_GROUP(extended);
