/* The processors that --cpu names, for the command line. */
#ifndef SIM_PROCESSORS_H
#define SIM_PROCESSORS_H

#include <stddef.h>
#include <stdio.h>
#include "sim/cpu/models.h"

/* Write one line for each processor: signature, core, brand, logical processors. */
void processor_list(FILE *out);

/* Write the signatures alone, each after a blank, to out; they are cut when they need more than size bytes.
 */
void processor_names(char *out, size_t size);

/* The processor whose signature is text, four hex digits. Null when there is none. */
const struct cpu_model *processor_named(const char *text);

#endif
