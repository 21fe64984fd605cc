/*
 * Probes of cascading: what the manual leaves open about the start of Y
 * (questions 10.1, 10.2, 10.3, 10.6, 11.2 and 11.7; R30, R33, R34, R36 to R39, E14).
 *
 * Counter 12 is X and counts taken branches, counter 14 is Y and counts instructions, unless clocks are
 * needed. Y "runs" when it moves during instructions. Nothing is judged; the lines go to the sheet.
 */
#include "cascade.h"
#include "tests/suite/machine.h"
#include "tests/suite/observe.h"
#include "pmc/msr.h"
#include "tests/suite/probe.h"
#include "tests/suite/sheet.h"

#define X    12
#define Y    14
#define MANY 100

static const struct route route_12_14 = {X, Y, false};

static bool runs(const struct cascade *c)
{
    return probe_moves(c->route.y, STIMULUS[c->b].work, MANY);
}

/* Enable X, let it overflow, and see whether Y runs then. */
static bool starts(const struct cascade *c)
{
    pmc_start(&c->x);
    cascade_exercise(c, c->a, EXAMPLE_18_1_X);
    return runs(c);
}

/*
 * Level: Y runs while OVF(X) stands, whenever Y was armed (R39). Latch: it needs an overflow that happens
 * while it is armed.
 */
static void start_form(unsigned member)
{
    struct cascade c;

    (void)member;
    cascade_program(&c, route_12_14);
    cascade_arm(&c);
    msr_write(MSR_CCCR(Y), 0);
    starts(&c);
    pmc_arm_cascade(&c.y);
    sheet_line("10.1a", runs(&c) ? "follows OVF of X (level)" : "takes an overflow while Y is armed (latch)");

    pmc_clear(&machine_cpu);
    cascade_arm(&c);
    bool started = starts(&c);
    sheet_line("10.1c", (msr_read(MSR_CCCR(Y)) & CCCR_ENABLE) ? "1" : "0");
    pmc_halt_by_overflow_flag(X);
    bool halted = !runs(&c);
    pmc_stop(X);
    pmc_preset(X, COUNTER_OVERFLOW_IN(EXAMPLE_18_1_X));
    bool again = starts(&c);
    if (started && halted)
        sheet_line("10.1b", again ? "starts Y again" : "does not start Y again");
    else
        sheet_line("10.1b", started ? "Y did not halt before" : "Y did not start before");
}

/* ---- Clocks: X is 0, Y is 2, both in the BPU block ---- */

#define TURNS 2000 /* of the plain loop */

/* One write of X's CCCR := 0 stops both counters, so X - Y is 400 and the clocks that Y missed. */
static void latency_trial(const void *arg, struct observation *out)
{
    const struct cascade *c = arg;
    struct frame frame = c->frame;

    cascade_arm(c);
    frame.start[1] = (struct msr_write){MSR_CCCR(c->route.x), pmc_cccr_enabled(&c->x)};
    frame.stop[1] = (struct msr_write){MSR_CCCR(c->route.x), 0};
    frame_measure(&frame);
    out->v[0] = pmc_read(c->route.x) - pmc_read(c->route.y);
}

struct standing {
    const struct cascade *c;
    uint32_t cccr; /* of Y, in the frame's last start write */
};

/* Clocks of Y from its CCCR write to the end, with OVF(X) standing. */
static void standing_trial(const void *arg, struct observation *out)
{
    const struct standing *s = arg;
    const struct cascade *c = s->c;
    struct frame frame = c->frame;

    pmc_arm(&c->y, 0);
    pmc_arm(&c->x, COUNTER_OVERFLOW_IN(1));
    pmc_start(&c->x);
    cascade_exercise(c, c->a, MANY);
    frame.start[1] = (struct msr_write){MSR_CCCR(c->route.y), s->cccr};
    frame.stop[1] = (struct msr_write){c->y.escr_msr, 0};
    frame_measure(&frame);
    out->v[0] = pmc_read(c->route.y);
}

static uint64_t clocks_when_armed(const struct cascade *c, uint32_t cccr)
{
    const struct standing s = {c, cccr};

    return observe(standing_trial, &s).v[0];
}

static void latency(unsigned member)
{
    struct cascade c;

    (void)member;
    cascade_program(&c, (struct route){0, 2, false});
    frame_phase(&c.frame, 0, &work_loop, TURNS);
    struct observation o = observe(latency_trial, &c);
    int64_t late = (int64_t)(o.v[0] & COUNTER_MASK) - EXAMPLE_18_1_Y;
    if (late == -1)
        sheet_line("10.1d", "the clock of X's overflow");
    else if (late == 0)
        sheet_line("10.1d", "the one after X's overflow");
    else
        sheet_line("10.1d", "%d clocks after the one after X's overflow", (int)late);

    uint64_t enabled = clocks_when_armed(&c, pmc_cccr_enabled(&c.y));
    uint64_t cascaded = clocks_when_armed(&c, pmc_cccr_cascaded(&c.y));
    if (cascaded == 0)
        sheet_line("11.7", "does not start");
    else
        sheet_line("11.7", "starts at once, %d clocks later than by ENABLE", (int)(enabled - cascaded));
}

/* ---- Who starts 17 (pmu-rules 5.5.1) ---- */

static bool starts_17(uint8_t x)
{
    struct cascade c;

    pmc_clear(&machine_cpu);
    cascade_program(&c, (struct route){x, 17, false});
    cascade_arm(&c);
    return starts(&c);
}

static void alt17(unsigned member)
{
    static const char *const words[] = {"neither 13 nor 15", "13 (reading M)", "15 (reading P)",
                                        "both 13 and 15"};

    (void)member;
    sheet_line("10.2", "%s", words[starts_17(13) + 2 * starts_17(15)]);
}

/*
 * OVF(X) comes with the write that enables X, which does not overflow itself. ENABLE(X) keeps the power
 * question out (11.2).
 */
static void written_ovf(unsigned member)
{
    struct cascade c;

    (void)member;
    cascade_program(&c, route_12_14);
    cascade_arm(&c);
    unsigned fault = msr_try_write(MSR_CCCR(X), pmc_cccr_enabled(&c.x) | CCCR_OVF);
    if (fault != NO_FAULT || !pmc_overflowed(X))
        sheet_line("10.3a", "cannot be written");
    else
        sheet_line("10.3a", runs(&c) ? "starts Y" : "starts nothing");
}

/* FORCE_OVF in one of the two: X overflows with its first event then, or Y is to run as ever. */
static const char *forced(uint32_t in_x, uint32_t in_y)
{
    struct cascade c;

    pmc_clear(&machine_cpu);
    cascade_program(&c, route_12_14);
    c.x.cccr |= in_x;
    c.y.cccr |= in_y;
    cascade_arm(&c);
    return starts(&c) ? "starts Y" : "keeps Y from starting (E14)";
}

static void force_ovf(unsigned member)
{
    (void)member;
    sheet_line("10.6a", "%s", forced(CCCR_FORCE_OVF, 0));
    sheet_line("10.6b", "%s", forced(0, CCCR_FORCE_OVF));
}

/* No counter on the ESCRs of Y is enabled then, which R44 may or may not ask for. */
static void handed_over(unsigned member)
{
    struct cascade c;

    (void)member;
    cascade_program(&c, route_12_14);
    cascade_arm(&c);
    starts(&c);
    pmc_stop(X);
    sheet_line("11.2", runs(&c) ? "Y counts on" : "Y stops");
}

static const struct vector probes_cascade_rows[] = {
    {"probe.cascade.start", "level or latch, start after start, ENABLE of Y", "R33 R36 R39 10.1 9.5.7", 0,
     true, 2000, start_form, 0},
    {"probe.cascade.latency", "from X's overflow, or from arming Y late, to Y's first clock",
     "R37 R39 10.1 11.7", 0, true, 2000, latency, 0},
    {"probe.cascade.alt17", "which counter starts 17", "R34 10.2", 0, true, 2000, alt17, 0},
    {"probe.cascade.written-ovf", "OVF of X set by a write", "R30 R33 10.3", 0, true, 1000, written_ovf, 0},
    {"probe.cascade.force-ovf", "FORCE_OVF and CASCADE together", "R31 R33 E14 10.6", 0, true, 1000,
     force_ovf, 0},
    {"probe.cascade.handed-over", "X disabled, its OVF left set", "R38 R44 11.2", 0, true, 1000, handed_over,
     0},
};
VECTOR_GROUP(probes_cascade);
