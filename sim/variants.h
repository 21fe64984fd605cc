/* The legal differences between parts that --variant switches on (struct nbpmu_choices), for messages. */
#ifndef SIM_VARIANTS_H
#define SIM_VARIANTS_H

#include <stdio.h>

/* One line for each variant: name and what it means. */
void variant_list(FILE *out);

/* The names alone, separated by blanks, for a message; cut when they do not fit into size bytes. */
void variant_names(char *out, size_t size);

#endif
