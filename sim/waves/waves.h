/*
 * Waveforms of a run (--vcd).
 */
#ifndef SIM_WAVES_WAVES_H
#define SIM_WAVES_WAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "sim/machine/machine.h"

/*
 * ---- vcd.c, for GTKWave ----
 * What GTKWave shows of a waveform file, and how: its save file. GTKWave shows nothing of its own accord.
 */

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

/*
 * ---- vcd.c ----
 * Writes a value change dump (IEEE 1364-2005, clause 18): the file format of waveform viewers.
 */

#define VCD_SIGNALS 96u /* numbers, at most */

struct vcd {
    FILE *file;
    uint64_t clock; /* of the last change */
    uint64_t bytes, limit;
    bool full; /* it has as many bytes as it may have, and nothing is written any more */
    unsigned signals;
    struct {
        unsigned bits;
        uint64_t value; /* the last value in the file */
    } signal[VCD_SIGNALS];
    bool has_text;
};

/* Start the waveform file, which the caller has opened. Nothing is written beyond `limit` bytes. `comment`
 * names the time unit. */
void vcd_begin(struct vcd *vcd, FILE *file, uint64_t limit, const char *comment);

/* The declarations: a scope, the signals in it, and its end. The result is what the functions for values call
 * the signal. A file has at most one signal of text, which GTKWave and other viewers show as it is. */
void vcd_scope(struct vcd *vcd, const char *name);
unsigned vcd_number(struct vcd *vcd, const char *name, unsigned bits);
void vcd_text(struct vcd *vcd, const char *name);
void vcd_end_scope(struct vcd *vcd);
/* The end of the declarations: the file begins at this clock, with every number 0 and the text a dash. */
void vcd_declared(struct vcd *vcd, uint64_t clock);

/* A signal has this value from clock on. The clocks of the calls never fall. */
void vcd_set(struct vcd *vcd, uint64_t clock, unsigned signal, uint64_t value);
/* The same for the text, which must have no blanks. It is written even if it has not changed. */
void vcd_set_text(struct vcd *vcd, uint64_t clock, const char *text);

/* The last clock of the file. */
void vcd_end(struct vcd *vcd, uint64_t clock);

/*
 * ---- waves.c ----
 * Waveforms of a run: what the PMU of the boot processor's core and the logical processors of this core did,
 * clock by clock, as a value change dump (--vcd).
 */

/* The longest id that a file has whole. */
#define WAVES_ID_MAX 63u

/*
 * machine_run(), with waveforms in a new file at path, and beside it what GTKWave is to show of them
 * (save_file_write()). vector is where the id of the vector that runs is, empty before the first. The file
 * begins with the announcement of the first vector, or when the first counter is enabled; from_start: at
 * power-up. The run is the same as without waveforms. False with one line in error[0..size) when the file
 * cannot be written; the machine has then not run, or has run to its end.
 */
bool waves_run(struct machine *machine, const char *path, bool from_start, const char *vector, char *error,
               size_t size);

#endif
