/*
 * The program p4sim, which main.c runs: its options, what it says about itself, and what it says at the end
 * of a run.
 */
#ifndef SIM_PROGRAM_PROGRAM_H
#define SIM_PROGRAM_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "sim/cpu/core.h"
#include "sim/cpu/models.h"
#include "sim/board/firmware.h"
#include "sim/inject/inject.h"

/* ---- about.c: What p4sim says about itself ---- */

/* What `p4sim --help` prints. */
extern const char P4SIM_HELP[];

/* The version and the commit, as tools/identity names them, and a line feed. */
#define P4SIM_VERSION_SIZE 128 /* SIM_VERSION_SIZE in the Makefile */
extern const char P4SIM_VERSION[P4SIM_VERSION_SIZE];

/* ---- options.c: The command line of p4sim ---- */

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
    uint32_t programs;      /* register programs to try the fault on; 0: boot a kernel */
    struct core_config pmu; /* the part, with the variants and the fault applied */
    struct processor_variants variants;
    const char *screen;          /* file to write the text screen to, or null */
    const char *vcd;             /* file to write waveforms to, or null */
    bool vcd_all;                /* from power-up on */
    const char *kernel;          /* path */
    char found_kernel[PATH_MAX]; /* that path, if the command line names none */
    char boot_line[FIRMWARE_LINE_MAX];
};

enum options_outcome { OPTIONS_RUN, OPTIONS_DONE /* --help or a list was printed */, OPTIONS_WRONG };

/* Parse argv. On OPTIONS_WRONG error[0..size) has one line of text. */
enum options_outcome sim_options_parse(struct sim_options *options, int argc, char **argv, char *error,
                                       size_t size);

/*
 * ---- verdict.c ----
 * The verdict of a run. The END line on the serial output and the value that was written to isa-debug-exit
 * must agree.
 */

enum verdict_status { STATUS_PASS = 0, STATUS_FAIL = 1, STATUS_BROKEN = 2, STATUS_SKIP = 77 };

/* What the serial output has said up to now. */
struct serial_watch {
    char line[256];
    size_t length;
    char vector[64];    /* id of the vector that was announced last, empty before the first */
    char end[16];       /* the word of the END line, empty before it */
    char bail_out[200]; /* reason of a `Bail out!` line, empty without one */
    bool bailed_out;
    char untested[200];     /* the first line about what was not tested and why; empty without one */
    char unexplained[32];   /* "4 unexplained" of the totals; empty without any */
    char not_exercised[32]; /* "4 not exercised" of the totals; empty without any */
    char skip[128];         /* reason of a plan without points, `1..0 # SKIP reason`; empty without one */
};

void serial_watch_byte(struct serial_watch *watch, uint8_t byte);

/*
 * The status of a run that ended by writing exit_value to isa-debug-exit. Writes one line of text to
 * text[0..size).
 */
enum verdict_status verdict_of(const struct serial_watch *watch, uint32_t exit_value, char *text,
                               size_t size);

/* ---- near.c: Names that are nearly right: what was probably meant by a name that no list has ---- */

#define NEAR_NAME_MAX 64 /* longer names are never near */

/* Write "; did you mean NAME?" into hint[0..size) with the name nearest to wanted among the first words of
 * the lines that list prints; nothing when none is near: one error in three characters, at most three. */
void near_hint(const char *wanted, void (*list)(FILE *out), char *hint, size_t size);
/* The same of names that are separated by any of these characters. */
void near_hint_of(const char *wanted, const char *names, const char *separators, char *hint, size_t size);

/*
 * ---- crash.c ----
 * The last resort against a crash of libunicorn: one line that says where the guest was, and the exit status
 * of a broken run.
 */

/* From now on a signal that ends p4sim (a bad access, a failed assertion) is answered so. A build with
 * sanitizers keeps their own reports. */
void crash_watch(const struct machine *machine);

#endif
