/*
 * The PMI (18.15.5.8, R45 to R54).
 *
 * A PMI comes at the count after the overflow: a counter preset to -99 overflows with the 99th event and
 * interrupts with the 100th. When there is no 100th event there is no PMI. A PMI with the 99th means that the
 * overflow itself interrupts, no PMI with the 100th that it is lost. The events are branches not taken, of
 * which the frame has none, and the frame serialises before the 100th: two events of one clock may be one
 * count (question 11.4). The local APIC masks LVTPC as it delivers. The handler of pmi_counter.h leaves LVTPC
 * masked, so there is at most one PMI.
 */
#include "kernel/smp/smp.h"
#include "tests/suite/expect.h"
#include "tests/suite/bits.h"
#include "tests/suite/repeat.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/unflagged.h"

#define LAST_IN_A_ROW 99 /* the events after it come in the next phase of the frame */

struct pmi_case {
    struct pmc_programming p;
    struct frame frame;
    uint32_t events;
};

/* What the counter holds after so many events. */
static uint64_t count_after(uint32_t events)
{
    return COUNTER_OVERFLOW_IN(99 - (int64_t)events);
}

static void pmi_trial(const void *arg, struct observation *out)
{
    const struct pmi_case *c = arg;

    pmc_arm(&c->p, COUNTER_OVERFLOW_IN(99));
    pmi_arm();
    frame_measure(&c->frame);
    pmi_wait_for_delivery();
    out->v[0] = pmc_read(c->p.counter);
    out->v[1] = pmc_overflowed(c->p.counter);
    out->v[2] = pmi_taken(smp_self());
    out->v[3] = pmi_found_unmasked(smp_self());
    pmi_disarm();
}

static void next_count(void)
{
    struct pmi_case c = {.p = stimulus_program(STIMULUS_NOT_TAKEN, 12)};
    /* Measure the overhead with real events: E20 may add counts with the first event. */
    uint32_t overhead = (uint32_t)count_of(&c.p, &work_not_taken, RUN_SHORT) - RUN_SHORT;

    c.p.cccr |= ovf_pmi_to(smp_self());
    for (uint32_t events = 98; events <= 100; events++) {
        uint32_t in_a_row = events < LAST_IN_A_ROW ? events : LAST_IN_A_ROW;
        c.frame = frame_of(&c.p, &work_not_taken, in_a_row - overhead);
        frame_phase(&c.frame, 1, &work_not_taken, events - in_a_row);
        c.events = events;
        struct observation o = observe(pmi_trial, &c);
        expect_register(RULES(R43, R27), count_after(events), o.v[0], "counter 12 after %u events of 99",
                        events);
        const bool ovf = o.v[1], came = o.v[2] || events < 100;
        expect_equal(events >= 99 ? RULES(R29, R28) : R28, events >= 99,
                     events >= 99 ? unflagged_accepts(12, ovf, came) : ovf, "OVF after %u events of 99",
                     events);
        expect_equal(events < 100 ? RULES(R47, R46) : RULES(R46, R45), events >= 100, o.v[2],
                     "PMIs after %u events, preset -99", events);
        if (events >= 100)
            expect_equal(R51, 0, o.v[3], "PMIs that left LVTPC unmasked");
    }
}

static const struct vector pmi_rows[] = {
    CHECK("pmi.next-count", "preset -99: OVF with the 99th branch, PMI with the 100th, LVTPC masked by it",
          .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = next_count),
};
VECTOR_GROUP(pmi);
