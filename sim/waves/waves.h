/*
 * Waveforms of a run: what the PMU of the boot processor's core and the logical processors of this core did,
 * clock by clock, as a value change dump (--vcd).
 */
#ifndef SIM_WAVES_WAVES_H
#define SIM_WAVES_WAVES_H

#include <stdbool.h>
#include <stddef.h>
#include "sim/machine/machine.h"

/* The longest id that a file has whole. */
#define WAVES_ID_MAX 63u

/*
 * machine_run(), with waveforms in a new file at path, and beside it what GTKWave is to show of them
 * (save_file.h). vector is where the id of the vector that runs is, empty before the first. The file begins
 * with the announcement of the first vector, or when the first counter is enabled; from_start: at power-up.
 * The run is the same as without waveforms. False with one line in error[0..size)
 * when the file cannot be written; the machine has then not run, or has run to its end.
 */
bool waves_run(struct machine *machine, const char *path, bool from_start, const char *vector, char *error,
               size_t size);

#endif
