/*
 * What the handler of a PMI finds, and what it adds (18.15.5.8; R43, R45, R46, R54).
 *
 * Nothing freezes a counter when its PMI is delivered: the handler's own instructions are counted. And the
 * handler runs some instructions late, so the count it finds is that of the interrupting event or more.
 */
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "tests/suite/expect.h"
#include "tests/suite/bits.h"
#include "tests/suite/number.h"
#include "tests/suite/repeat.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/witness.h"

#define PRESET        80    /* branches to the overflow: a PMI may come early for fewer than some 10 (E20) */
#define EVENTS        200   /* branches of the workload: the overflow, the PMI's event and more */
#define PATIENCE      40000 /* laps of a loop, at least as many clocks: longer than a PMI usually takes, */
#define MOST_PATIENCE 5     /* and so many times longer than any */

static const uint32_t UNMASKED = LVT_DELIVERY_FIXED | LVT_VECTOR(INTERRUPT_PMI);

/* Counter 12 overflows with its PMI enabled, and goes on. Returns whether it has wrapped. */
static bool overflow_counter_12(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    p.cccr |= ovf_pmi_to(smp_self());
    pmc_arm(&p, COUNTER_OVERFLOW_IN(PRESET));
    pmc_start(&p);
    work_exercise(&work_jmp, EVENTS);
    /* Not judged by OVF, which an overflow may lack (E9). A count that has not wrapped is still near 2^40. */
    return pmc_read(12) < COUNTER_OVERFLOW_IN(PRESET);
}

static void require_wrapped(bool wrapped)
{
    require_true(RULES(R28, R27), wrapped, "counter 12 has wrapped");
}

static uint32_t handler_branches;
static volatile uint64_t found_count;

static void working_handler(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    found_count = pmc_read(12);
    work_exercise(&work_jmp, handler_branches);
    if (!nmi)
        lapic_eoi();
}

static void handler_trial(const void *arg, struct observation *out)
{
    handler_branches = *(const uint32_t *)arg;
    found_count = COUNTER_MASK;
    pmi_set_handler(working_handler);
    lvtpc_write(UNMASKED);
    const struct witness_window window = witness_open();
    const bool wrapped = overflow_counter_12();
    /* A wait by the clock would have any number of branches. */
    unsigned waits = 0;
    do
        work_exercise(&work_loop, PATIENCE);
    while (found_count == COUNTER_MASK && ++waits < MOST_PATIENCE);
    pmc_stop(12);
    witness_close(&window, witness_key(handler_branches, waits));
    pmi_disarm();
    require_wrapped(wrapped);
    out->v[0] = pmc_read(12);
}

static void no_freeze(void)
{
    const uint32_t few = 100, many = 400;

    /* The wait for the PMI differs, so an SMI in it has no witness: each is a reference. */
    const uint64_t with_few = reference(handler_trial, &few), with_many = reference(handler_trial, &many);
    expect_equal(R43, many - few, with_many - with_few,
                 "branches counted more when the PMI's handler takes %u more", many - few);
}

static void skid(void)
{
    const uint32_t none = 0;
    struct observation o = {{0}};

    handler_trial(&none, &o);
    require_true(R45, found_count != COUNTER_MASK, "a PMI has come");
    /* The count is 0 at the overflow and 1 at the event that raises the PMI (R46). */
    expect_between(R54, 1, o.v[0], found_count,
                   "counter 12 as the handler finds it: the PMI's event and any skid");
    report_number(found_count - 1, "taken branches from the PMI's event to the handler's first read");
}

static const struct vector pmi_delivery_rows[] = {
    CHECK("pmi.no-freeze", "a PMI freezes nothing: its handler's branches are counted", .needs = NEED_LAPIC,
          .stages = STAGE_PMI, .run = no_freeze),
    CHECK("pmi.skid", "the handler finds the count of the PMI's event or more", .needs = NEED_LAPIC,
          .stages = STAGE_PMI, .run = skid),
};
VECTOR_GROUP(pmi_delivery);
