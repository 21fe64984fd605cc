/*
 * Probe of the start latency of a cascade in each block (question 10.1d, 10.1e; R37).
 *
 * X and Y count clocks: an event whose count in a clock never exceeds 15, compared, complemented, threshold
 * 15, is true in every clock (F34), whatever it is, so that every block has clocks. One write of X's CCCR :=
 * 0 ends both (R39), so X - Y is what Y missed after the overflow. A probe judges nothing; its lines go to
 * the sheet.
 */
#include "kernel/lib/lib.h"
#include "pmc/msr.h"
#include "tests/suite/machine.h"
#include "tests/suite/repeat.h"
#include "tests/suite/sheet.h"
#include "tests/suite/stimulus.h"

#define EVERY_CLOCK (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15))
#define AHEAD       5000  /* clocks to X's overflow: far more than a WRMSR takes */
#define LAPS        20000 /* of work_loop: more clocks than that */
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
    s.frame = frame_of(&s.x, &work_loop, LAPS);
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

static const struct vector probes_start_rows[] = {
    PROBE("probe.cascade.start-latency", "clocks from X's overflow to Y's first, in each block",
          .also = "R37 R39 10.1", .needs = NEED_SSE2, .deadline_ms = 3000, .run = start_latencies),
};
VECTOR_GROUP(probes_start);
