/* The legal differences between parts that --variant switches on (struct nbpmu_choices), for messages. */
#ifndef SIM_VARIANTS_H
#define SIM_VARIANTS_H

#include <stdio.h>

/* Write one line for each variant: name and meaning. */
void variant_list(FILE *out);

/* Write the names alone, separated by blanks, to out; they are cut when they need more than size bytes. */
void variant_names(char *out, size_t size);

#endif
