/*
 * The legal differences between parts that --variant switches on: names for the options of struct pmu_config
 * (pmu-rules 10, 11).
 */
#ifndef SIM_VARIANTS_H
#define SIM_VARIANTS_H

#include <stdbool.h>
#include <stdio.h>
#include "sim/netburst/pmu.h"

/* Set the option called name in config. False when there is no such name. */
bool variant_apply(struct pmu_config *config, const char *name);

/* One line per variant: name and what it means. */
void variant_list(FILE *out);

/* The names alone, separated by blanks, for a message; cut when they do not fit into size bytes. */
void variant_names(char *out, size_t size);

#endif
