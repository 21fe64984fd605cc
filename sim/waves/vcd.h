/*
 * Writes a value change dump (IEEE 1364-2005, clause 18): the file format of waveform viewers.
 */
#ifndef SIM_WAVES_VCD_H
#define SIM_WAVES_VCD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

#endif
