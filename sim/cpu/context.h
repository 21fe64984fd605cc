/*
 * State of libunicorn 2.0 and 2.1 for which it has no functions, by way of the copy that uc_context_save()
 * makes:
 *
 * - the hidden parts of the segment registers. uc_reg_write() refuses many segments that the processor loads
 *   when it enters a handler, and crashes when the descriptor's page is not mapped.
 * - of an exception, the error code, and a note that an exception is "in flight". libunicorn leaves the
 * delivery to its user and never clears the note: it takes the next exception for a double fault.
 */
#ifndef SIM_CPU_CONTEXT_H
#define SIM_CPU_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/decode/insn.h"

struct processor;

/* A segment register. */
struct segment {
    uint16_t selector;
    uint32_t base;
    uint32_t limit; /* in bytes */
    uint32_t flags; /* second word of the descriptor (SDM vol. 3, Figure 3-8) */
};

#define SEGMENT_BIG        (1u << 22) /* bits of segment.flags: D/B */
#define SEGMENT_DPL(flags) ((uint8_t)((flags) >> 13 & 3))

/* Find the layout of the copy, in a new engine that has not run. False when it is not that of
 * libunicorn 2.0.1 or 2.1.1. */
bool context_init(struct processor *processor);
void context_free(struct processor *processor);

/* Read CS, and whether the engine is in virtual-8086 mode. Returns the CPL. */
uint8_t context_code_segment(const struct processor *processor, struct segment *cs);
/* Read all segment registers. Returns the CPL. */
uint8_t context_segments(const struct processor *processor, struct segment segments[SEGMENTS]);
/* Read SS. */
void context_stack_segment(const struct processor *processor, struct segment *ss);

/* Load CS and SS. The CPL becomes the DPL of SS, and RPL of CS. */
void context_load_segments(struct processor *processor, const struct segment *cs, const struct segment *ss);

/* libunicorn raised an exception and has stopped: clear the note. Returns the error code. */
uint32_t context_take_exception(struct processor *processor);

#endif
