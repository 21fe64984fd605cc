/* The legal differences between parts that --variant switches on. */
#ifndef SIM_VARIANTS_H
#define SIM_VARIANTS_H

#include <stdbool.h>
#include <stdio.h>

struct nbpmu_choices;
struct processor_choices;

/* Write one line for each variant: name and meaning. */
void variant_list(FILE *out);

/* Set the choice that the variant called name stands for. False when there is no such variant. */
bool variant_choose(const char *name, struct nbpmu_choices *pmu, struct processor_choices *processor);

#endif
