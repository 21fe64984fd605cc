#include "all_counters.h"

#include "expect.h"
#include "machine.h"
#include "pmc/msr.h"
#include "stimulus.h"
#include "pmc/out_of_line.h"

#define FIRST_PRESET 60 /* ALL_ENOUGH is above the last one: FIRST_PRESET + 2 * 17 */

struct pmc_programming all_program[PMC_COUNTERS];
static bool dead_1;

bool all_counters_judge(unsigned n)
{
    return n != 1 || !dead_1;
}

uint64_t all_counters_preset(unsigned n)
{
    return COUNTER_OVERFLOW_IN(FIRST_PRESET + 2 * n);
}

void all_counters_arm(void)
{
    dead_1 = counter_is_dead(1);
    pmc_clear(&machine_cpu);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct pmc_programming silent = all_program[n] = stimulus_program(stimulus_a(n), n);

        silent.escr = 0;
        require_true(R4, pmc_arm(&silent, all_counters_preset(n)), "%s holds a preset",
                     PMC_COUNTER[n].counter_name);
    }
}

void all_counters_work(uint32_t n, void (*meanwhile)(void))
{
    struct frame frame;

    stimulus_prepare(STIMULUS_PACKED_SP);
    frame_init(&frame, 0); /* its WRMSRs are not executed */
    frame_phase(&frame, 0, &work_call, n);
    frame_phase(&frame, 1, &work_packed_sp, n);
    frame_phase(&frame, 2, &work_jmp, n);
    for (unsigned c = 0; c < PMC_COUNTERS; c++)
        msr_write(all_program[c].escr_msr, all_program[c].escr);
    frame_exercise(&frame);
    if (meanwhile)
        meanwhile();
    for (unsigned c = 0; c < PMC_COUNTERS; c++)
        msr_write(all_program[c].escr_msr, 0);
    stimulus_finish(STIMULUS_PACKED_SP);
}

void all_counters_read(uint64_t value[PMC_COUNTERS])
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        value[n] = pmc_read(n);
}

OUT_OF_LINE uint64_t all_counters_progress(unsigned n, uint64_t value)
{
    return (value - all_counters_preset(n)) & COUNTER_MASK;
}
