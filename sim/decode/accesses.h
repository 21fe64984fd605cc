/*
 * The accesses to memory of one instruction, for the checks of its segments. Cold: libcapstone decodes it
 * each time.
 */
#ifndef SIM_DECODE_ACCESSES_H
#define SIM_DECODE_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

/* In libunicorn's order. */
enum segment_register { SEGMENT_ES, SEGMENT_CS, SEGMENT_SS, SEGMENT_DS, SEGMENT_FS, SEGMENT_GS, SEGMENTS };

struct access {
    enum segment_register segment;
    bool writes;          /* or reads and writes */
    bool is_stack;        /* by ESP, or SP if the stack has 16 bits */
    bool has_16_bits;     /* of any other access: its offset */
    uint16_t bytes;       /* 1 or more */
    uint16_t base, index; /* libunicorn registers, 0 = none */
    uint8_t scale;
    uint32_t offset;
};

#define ACCESSES 3u /* of one instruction, at most */

struct decoder;

/* Returns how many accesses the instruction at code makes. */
unsigned decode_accesses(struct decoder *decoder, const uint8_t *code, uint32_t address, bool code16,
                         struct access *accesses);

#endif
