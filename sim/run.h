/*
 * One run of p4sim: load the kernel, run the machine, judge what it wrote.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/engine/warm.h"
#include "sim/machine/machine.h"
#include "options.h"
#include "verdict.h"

#define TEXT_MAX 1000 /* longest line on stderr */

struct kernel_file {
    uint8_t *bytes;
    size_t length;
};

/* What a run leaves for later ones with the same kernel. */
struct past_run {
    struct warm warm;
    struct kernel_file kernel;
};

/* True with one line in text[0..size) if something that was printed on standard output is lost: a full disk,
 * for example. */
bool output_lost(char *text, size_t size);

/* Run in *machine, which is all zero. text[0..size) gets the line for stderr, which says how the run ended.
 */
enum verdict_status run_cold(struct machine *machine, const struct sim_options *options, char *text,
                             size_t size);

/* Run without output, and keep the engines in *past. The memory of *machine is then to be filled with 0, and
 * used for run_warm(). False with one line in text[0..size) when the run did not come to its end. */
bool run_to_warm(struct past_run *past, struct machine *machine, const struct sim_options *options,
                 char *text, size_t size);

/* As run_cold(), with the engines of that run if this one has the same kernel. Once only: they have then run
 * again. */
enum verdict_status run_warm(struct past_run *past, struct machine *machine,
                             const struct sim_options *options, char *text, size_t size);

#endif
