/*
 * One run of p4sim: load the kernel, run the machine, judge what it wrote.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include "sim/machine/machine.h"
#include "options.h"
#include "verdict.h"

#define TEXT_MAX 1000 /* longest line on stderr */

/* True with one line in text[0..size) if something that was printed on standard output is lost: a full disk,
 * for example. */
bool output_lost(char *text, size_t size);

/* Run in *machine, which is all zero. text[0..size) gets the line for stderr, which says how the run ended.
 */
enum verdict_status run_kernel(struct machine *machine, const struct sim_options *options, char *text,
                               size_t size);

#endif
