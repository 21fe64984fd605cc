/*
 * In what the events of healthy parts may differ: how often an occurrence counts, what happens beside it. The
 * PMU itself has its own choices (struct nbpmu_choices). All false is the default, which is what the facts of
 * docs/pmu-rules.md, section 12, make likeliest.
 */
#ifndef SIM_CPU_PROCESSOR_CHOICES_H
#define SIM_CPU_PROCESSOR_CHOICES_H

#include <stdbool.h>

struct processor_choices {
    bool tc_ms_xfer_twice;  /* a transfer to the microcode ROM counts twice; default: once (F15) */
    bool replay_needs_pebs; /* replay tagging needs bit 25 of MSR_PEBS_ENABLE as well (F35) */
};

/* Set the choice called name. False when there is none of that name. */
bool processor_choose(struct processor_choices *choices, const char *name);

/*
 * Name of choice number index, counted from 0, as processor_choose() takes it, and in *meaning a line about
 * it. Null after the last one. Both texts are constants.
 */
const char *processor_choice_name(unsigned index, const char **meaning);

#endif
