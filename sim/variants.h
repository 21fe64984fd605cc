/* The legal differences between parts that --variant switches on. */
#ifndef SIM_VARIANTS_H
#define SIM_VARIANTS_H

#include <stdbool.h>
#include <stdio.h>

struct nbpmu_variants;
struct processor_variants;

/* Write one line for each variant: name and meaning. */
void variant_list(FILE *out);

/* Set the variant called name, in one structure or the other. False when there is none of that name. */
bool variant_set(const char *name, struct nbpmu_variants *pmu, struct processor_variants *processor);

#endif
