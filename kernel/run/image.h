/* The image that runs: what boot/unpack.asm found when it unpacked it. */
#ifndef KERNEL_RUN_IMAGE_H
#define KERNEL_RUN_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

struct image {
    uint32_t crc32; /* of the bytes, computed at this start before the first of them ran (zlib's CRC-32) */
    uint32_t bytes; /* code, constants and initial data; the memory that starts as zeros is not part of it */
    bool as_built;  /* the CRC is the one computed at build time */
};

/*
 * A damaged image does not come as far as this function: boot/unpack.asm ends the run with
 * `not ok 1 - boot.image` before it jumps here. Not as_built, and all 0, is therefore a kernel that something
 * else than boot/unpack.asm has put into memory (a debugger, say).
 */
struct image image_loaded(void);

#endif
