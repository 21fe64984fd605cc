/* The image that runs. */
#ifndef KERNEL_RUN_IMAGE_H
#define KERNEL_RUN_IMAGE_H

#include <stdint.h>

struct image {
    uint32_t crc32; /* zlib's CRC-32 of the bytes */
    uint32_t bytes; /* code, constants and initial data; neither .bss nor the CRC itself is part of them */
};

/*
 * The CRC is the one that was stored when the image was built. The bytes had it at this start too:
 * boot/check.asm enters no kernel that has another one, and a damaged image ends with `not ok 1 - boot.image`
 * there.
 */
struct image image_loaded(void);

#endif
