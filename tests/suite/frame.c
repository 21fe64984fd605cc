/*
 * Fills the measured frame of tests/workloads/frame.asm, runs it, and writes the straight lines that some
 * workloads jump to.
 */
#include "frame.h"

#include "expect.h"
#include "kernel/console/console.h"
#include "kernel/x86/cpu.h"
#include "witness.h"

/* Laid out as the SLED macro of workload.inc does: room for copies of a template, and for the JMP EDI that
 * follows the template. */
struct sled {
    uint8_t *room;
    const uint8_t *template;
    uint32_t copies, bytes;
};
extern const struct sled sleds_begin[], sleds_end[];

#define JMP_EDI_BYTES 2

void sleds_lay_out(void)
{
    for (const struct sled *s = sleds_begin; s < sleds_end; s++) {
        uint8_t *to = s->room;
        for (uint32_t i = 0; i < s->copies; i++)
            for (uint32_t b = 0; b < s->bytes; b++)
                *to++ = s->template[b];
        for (uint32_t b = 0; b < JMP_EDI_BYTES; b++)
            *to++ = s->template[s->bytes + b];
    }
}

void frame_init(struct frame *frame, unsigned idle_counter)
{
    frame->idle = (struct msr_write){MSR_CCCR(idle_counter), 0};
    for (unsigned i = 0; i < 2; i++)
        frame->start[i] = frame->stop[i] = frame->idle;
    for (unsigned i = 0; i < FRAME_PHASES; i++)
        frame_phase(frame, i, &work_nothing, 0);
}

void frame_phase(struct frame *frame, unsigned index, const struct workload *work, uint32_t n)
{
    /* n comes from a calibration, so a counter that counts wrongly shows here first. Nothing is called else:
     * this may be counted, and expect.h promises no number of branches. */
    if (n > work->max_n) {
        require_between(HARNESS, 0, work->max_n, n, "occurrences wanted of a workload after calibration");
        n = work->max_n; /* only a probe gets here */
    }
    frame->phase[index] = (struct phase){work->entry, n};
}

void frame_count(struct frame *frame, const struct pmc_programming *p_start,
                 const struct pmc_programming *first, const struct pmc_programming *second)
{
    frame->start[1] = (struct msr_write){MSR_CCCR(p_start->counter), pmc_cccr_enabled(p_start)};
    if (first)
        frame->stop[0] = (struct msr_write){first->escr_msr, 0};
    if (second)
        frame->stop[1] = (struct msr_write){second->escr_msr, 0};
}

uint32_t frame_key(const struct frame *frame)
{
    /* Whether it costs time that the bus is watched is not known. Only with paging are there uncached
     * accesses. */
    const bool counts = frame->start[1].msr != frame->idle.msr;
    uint32_t key = cpu_index() | (paging_is_on() ? 2u | (uint32_t)counts << 2 : 0);

    for (unsigned i = 0; i < FRAME_PHASES; i++)
        key = witness_key(witness_key(key, (uint32_t)(uintptr_t)frame->phase[i].entry), frame->phase[i].n);
    return key;
}

void frame_run(const struct frame *frame)
{
    const struct witness_window window = witness_open();

    frame_execute(frame);
    witness_close(&window, frame_key(frame));
}

void frame_measure(const struct frame *frame)
{
    struct frame warm_up = *frame;

    for (unsigned i = 0; i < 2; i++)
        warm_up.start[i] = warm_up.stop[i] = frame->idle;
    uart_drain();
    bool were_on = irq_off();
    frame_run(&warm_up);
    frame_run(frame);
    irq_restore(were_on);
}

void work_exercise(const struct workload *work, uint32_t n)
{
    struct frame frame;

    frame_init(&frame, 0); /* frame_exercise() does not execute its WRMSRs */
    frame_phase(&frame, 0, work, n);
    frame_exercise(&frame);
}
