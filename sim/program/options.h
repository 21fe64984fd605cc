/*
 * The command line of p4sim.
 */
#ifndef SIM_PROGRAM_OPTIONS_H
#define SIM_PROGRAM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/cpu/core.h"
#include "sim/cpu/models.h"
#include "sim/cpu/processor_variants.h"
#include "sim/cpu/timing.h"
#include "sim/board/firmware.h"
#include "sim/inject/defect.h"

struct sim_options {
    const struct cpu_model *model;
    bool ht, trace, uart, stats;
    uint64_t limit; /* instructions */
    bool noise;
    uint32_t noise_seed;
    enum timing_kind timing_kind;
    uint32_t timing_seed;
    bool list_timing;
    struct defects defects;
    struct core_config pmu; /* the part, with the variants and the fault applied */
    struct processor_variants variants;
    const char *screen; /* file to write the text screen to, or null */
    const char *vcd;    /* file to write waveforms to, or null */
    bool vcd_all;       /* from power-up on */
    const char *kernel; /* path */
    char boot_line[FIRMWARE_LINE_MAX];
};

enum options_outcome { OPTIONS_RUN, OPTIONS_DONE /* --help or a list was printed */, OPTIONS_WRONG };

/* Parse argv. On OPTIONS_WRONG error[0..size) has one line of text. */
enum options_outcome sim_options_parse(struct sim_options *options, int argc, char **argv, char *error,
                                       size_t size);

#endif
