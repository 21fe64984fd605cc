/*
 * Probes of cascading: what the manual leaves open about the start of Y (questions 10.1 to 10.3, 10.6, 11.2
 * and 11.7; R30, R33, R34, R36 to R39, E14).
 *
 * Counter 12 is X and counts taken branches, counter 14 is Y and counts instructions, unless clocks are
 * needed. Y "runs" when it counts the instructions that are executed. A probe judges nothing; its lines go to
 * the sheet.
 */
#include "tests/vectors/netburst/cascade/cascade.h"
#include "pmc/msr.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "tests/suite/repeat.h"
#include "tests/suite/sheet.h"
#include "tests/suite/stimulus.h"
#include "kernel/lib/lib.h"

#define X 12
#define Y 14

static const struct cascade_link link_12_14 = {X, Y, false};

/*
 * Level: Y runs while OVF of X is set, whenever Y was armed (R39). Latch: Y needs an overflow of X that
 * happens while Y is armed.
 */
static void start_form(void)
{
    struct cascade c;

    cascade_program(&c, &link_12_14);
    cascade_arm(&c);
    msr_write(MSR_CCCR(Y), 0);
    cascade_starts(&c);
    pmc_arm_cascade(&c.y);
    sheet_line("10.1a", cascade_y_runs(&c) ? "follows OVF of X (level)"
                                           : "takes an overflow while Y is armed (latch)");

    pmc_clear(&machine_cpu);
    cascade_arm(&c);
    bool started = cascade_starts(&c);
    const bool reads_enable = msr_read(MSR_CCCR(Y)) & CCCR_ENABLE;
    pmc_halt_by_overflow_flag(X);
    bool halted = !cascade_y_runs(&c);
    pmc_stop(X);
    pmc_preset(X, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_X));
    bool again = cascade_starts(&c);
    if (started && halted)
        sheet_line("10.1b", again ? "starts Y again" : "does not start Y again");
    else
        sheet_line("10.1b", started ? "Y did not halt before" : "Y did not start before");

    if (!reads_enable) {
        sheet_line("10.1c", "0");
        return;
    }
    pmc_clear(&machine_cpu);
    cascade_arm(&c);
    cascade_starts(&c);
    msr_write(MSR_CCCR(Y), msr_read(MSR_CCCR(Y)) & ~(uint64_t)CCCR_CASCADE);
    sheet_line("10.1c", "1, and written back without CASCADE Y %s",
               cascade_y_runs(&c) ? "counts on" : "halts");
}

/* ---- Clocks: here X is counter 0 and Y counter 2, both in the BPU block ---- */

#define LAPS 2000 /* of work_loop */

/* One write of X's CCCR := 0 stops both counters, so X - Y is 400 and the clocks that Y missed. */
static void latency_trial(const void *arg, struct observation *out)
{
    const struct cascade *c = arg;
    struct frame frame = c->frame;

    cascade_arm(c);
    frame.start[1] = (struct msr_write){MSR_CCCR(c->link.x), pmc_cccr_enabled(&c->x)};
    frame.stop[1] = (struct msr_write){MSR_CCCR(c->link.x), machine_off()};
    frame_measure(&frame);
    out->v[0] = pmc_read(c->link.x) - pmc_read(c->link.y);
}

struct standing {
    const struct cascade *c;
    uint32_t cccr; /* of Y, in the frame's last start write */
};

/* Clocks of Y from the write of its CCCR to the end, with OVF of X set. */
static uint32_t standing_clocks(const void *arg)
{
    const struct standing *s = arg;
    const struct cascade *c = s->c;
    struct frame frame = c->frame;

    pmc_stop_all();
    pmc_arm(&c->y, 0);
    pmc_arm(&c->x, COUNTER_OVERFLOW_IN(1));
    pmc_start(&c->x);
    cascade_exercise(c, c->a, VISIBLE);
    frame.start[1] = (struct msr_write){MSR_CCCR(c->link.y), s->cccr};
    frame.stop[1] = (struct msr_write){c->y.escr_msr, 0};
    frame_measure(&frame);
    return (uint32_t)pmc_read(c->link.y);
}

/* The median, because the frame's WRMSRs do not always take the same time (F2). */
static uint32_t clocks_when_armed(const struct cascade *c, uint32_t cccr)
{
    const struct standing s = {c, cccr};

    return median_of(standing_clocks, &s);
}

static void latency(void)
{
    struct cascade c;

    cascade_program(&c, &(struct cascade_link){0, 2, false});
    frame_phase(&c.frame, 0, &work_loop, LAPS);
    struct observation o = observe(latency_trial, &c);
    int64_t late = (int64_t)(o.v[0] & COUNTER_MASK) - EXAMPLE_18_1_Y;
    if (late == -1)
        sheet_line("10.1d", "the clock of X's overflow");
    else if (late == 0)
        sheet_line("10.1d", "the one after X's overflow");
    else
        sheet_line("10.1d", "%d clocks after the one after X's overflow", (int)late);

    uint32_t enabled = clocks_when_armed(&c, pmc_cccr_enabled(&c.y));
    uint32_t cascaded = clocks_when_armed(&c, pmc_cccr_cascaded(&c.y));
    if (cascaded == 0)
        sheet_line("11.7", "does not start");
    else
        sheet_line("11.7", "starts at once, %d clocks later than by ENABLE (medians)",
                   (int)(enabled - cascaded));
}

/* ---- Who starts 17 (5.5.1) ---- */

static void alt17(void)
{
    static const char *const words[] = {"neither 13 nor 15", "13 (reading M)", "15 (reading P)",
                                        "both 13 and 15"};

    sheet_line("10.2", "%s", words[starts_17(13) + 2 * starts_17(15)]);
}

/*
 * OVF of X is set by the write that enables X; X itself does not overflow. X is enabled so that question 11.2
 * (does Y run while no counter is enabled?) does not mix in.
 */
static void written_ovf(void)
{
    struct cascade c;

    cascade_program(&c, &link_12_14);
    cascade_arm(&c);
    unsigned fault = msr_try_write(MSR_CCCR(X), pmc_cccr_enabled(&c.x) | CCCR_OVF);
    if (fault != NO_FAULT || !pmc_overflowed(X))
        sheet_line("10.3a", "cannot be written");
    else
        sheet_line("10.3a", cascade_y_runs(&c) ? "starts Y" : "starts nothing");
}

/* FORCE_OVF in one of the two. In X: it overflows with its first event. In Y: it should run as without. */
static const char *forced(uint32_t in_x, uint32_t in_y)
{
    struct cascade c;

    pmc_clear(&machine_cpu);
    cascade_program(&c, &link_12_14);
    c.x.cccr |= in_x;
    c.y.cccr |= in_y;
    cascade_arm(&c);
    return cascade_starts(&c) ? "starts Y" : "keeps Y from starting (E14)";
}

static void force_ovf(void)
{
    sheet_line("10.6a", "%s", forced(CCCR_FORCE_OVF, 0));
    sheet_line("10.6b", "%s", forced(0, CCCR_FORCE_OVF));
}

/* Then no counter on the ESCR of Y is enabled. Whether Y needs one is what R44 leaves open. */
static void handed_over(void)
{
    struct cascade c;

    cascade_program(&c, &link_12_14);
    cascade_arm(&c);
    cascade_starts(&c);
    pmc_stop(X);
    sheet_line("11.2", cascade_y_runs(&c) ? "Y counts on" : "Y stops");
}

/* ---- From X's overflow to Y's first clock, in each block (10.1d, 10.1e; R37) ---- */

/*
 * X and Y count clocks: an event whose count in a clock never exceeds 15, compared, complemented, threshold
 * 15, is true in every clock (F34), whatever it is, so that every block has clocks. One write of X's CCCR :=
 * 0 ends both (R39), so X - Y is what Y missed after the overflow.
 */

#define EVERY_CLOCK (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15))
#define AHEAD       5000  /* clocks to X's overflow: far more than a WRMSR takes */
#define START_LAPS  20000 /* of work_loop: more clocks than that */
#define NEVER       INT32_MAX

struct block {
    const char *name;
    uint8_t x, y;
    enum pmc_event_id event;
    uint16_t mask;
};
static const struct block BLOCKS[] = {
    {"BPU", 0, 2, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING},
    {"MS", 4, 6, EVENT_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_ROM},
    {"FLAME", 8, 10, EVENT_PACKED_SP_UOP, FIRM_ALL},
    {"IQ", 12, 14, EVENT_UOPS_RETIRED, UOPS_RETIRED_NBOGUS},
};

struct start {
    struct pmc_programming x, y;
    struct frame frame;
};

static void start_trial(const void *arg, struct observation *out)
{
    const struct start *s = arg;

    pmc_arm(&s->y, 0);
    pmc_arm_cascade(&s->y);
    pmc_arm(&s->x, COUNTER_OVERFLOW_IN(AHEAD));
    frame_measure(&s->frame);
    uint64_t y = pmc_read(s->y.counter);
    out->v[0] = y > 0;
    out->v[1] = y > 0 ? pmc_read(s->x.counter) - y : 0; /* how long both ran may differ from run to run */
}

/* Clocks from X's overflow to the first that Y counts: 1 is the next one. */
static int32_t start_latency(const struct block *block)
{
    struct start s;

    pmc_program(&s.x, block->event, block->mask, escr_self_all(), block->x);
    pmc_program(&s.y, block->event, block->mask, escr_self_all(), block->y);
    s.x.cccr |= EVERY_CLOCK;
    s.y.cccr |= EVERY_CLOCK;
    s.frame = frame_of(&s.x, &work_loop, START_LAPS);
    s.frame.stop[1] = (struct msr_write){MSR_CCCR(block->x), machine_off()};
    struct observation o = observe(start_trial, &s);
    return o.v[0] ? (int32_t)o.v[1] + 1 : NEVER;
}

static void start_latencies(void)
{
    char text[80];
    size_t length = 0;

    for (unsigned i = 0; i < COUNT_OF(BLOCKS); i++) {
        int32_t latency = start_latency(&BLOCKS[i]);

        length += format(text + length, sizeof text - length, "%s%s ", i > 0 ? ", " : "", BLOCKS[i].name);
        if (latency == NEVER)
            length += format(text + length, sizeof text - length, "never");
        else
            length += format(text + length, sizeof text - length, "%d", latency);
    }
    sheet_line("10.1e", "%s", text);
}

static const struct vector probes_cascade_rows[] = {
    PROBE("probe.cascade.start", "level or latch, start after start, ENABLE of Y",
          .also = "R33 R36 R39 10.1 9.5.7", .deadline_ms = 2000, .stages = STAGE_CASCADE, .run = start_form),
    PROBE("probe.cascade.latency", "from X's overflow, or from arming Y late, to Y's first clock",
          .also = "R37 R39 10.1 11.7", .deadline_ms = 2000, .stages = STAGE_CASCADE, .run = latency),
    PROBE("probe.cascade.alt17", "which counter starts 17", .also = "R34 10.2", .deadline_ms = 2000,
          .stages = STAGE_CASCADE, .run = alt17),
    PROBE("probe.cascade.written-ovf", "OVF of X set by a write", .also = "R30 R33 10.3",
          .stages = STAGE_CASCADE, .run = written_ovf),
    PROBE("probe.cascade.force-ovf", "FORCE_OVF and CASCADE together", .also = "R31 R33 E14 10.6",
          .stages = STAGE_CASCADE, .run = force_ovf),
    PROBE("probe.cascade.handed-over", "X disabled, its OVF left set", .also = "R38 R44 11.2",
          .stages = STAGE_CASCADE, .run = handed_over),
    PROBE("probe.cascade.start-latency", "clocks from X's overflow to Y's first, in each block",
          .also = "R37 R39 10.1", .needs = NEED_SSE2, .deadline_ms = 3000, .stages = STAGE_CASCADE,
          .run = start_latencies),
};
VECTOR_GROUP(probes_cascade);
