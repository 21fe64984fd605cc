/*
 * What GTKWave shows of a waveform file, and how: its save file. GTKWave shows nothing of its own accord.
 */
#ifndef SIM_WAVES_SAVE_FILE_H
#define SIM_WAVES_SAVE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What it shows: the vector, each logical processor, and each counter in `counters` (one bit for each). */
struct picture {
    unsigned lps;
    uint32_t counters;
    uint64_t from, to; /* clocks that fill the window */
};

/*
 * Write it beside the waveforms at `waves`: NAME.gtkw for NAME.vcd, otherwise the whole name and ".gtkw";
 * nothing if the waveforms are no file. False with one line in error[0..size) when it cannot be written.
 */
bool save_file_write(const char *waves, const struct picture *picture, char *error, size_t size);

#endif
