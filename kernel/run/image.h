/* Checksum and size of the running image. */
#ifndef KERNEL_RUN_IMAGE_H
#define KERNEL_RUN_IMAGE_H

#include <stdint.h>

struct image {
    uint32_t crc32; /* zlib's CRC-32 of the bytes */
    uint32_t bytes; /* code, constants and initial data; neither .bss nor the CRC itself is part of them */
};

/*
 * The CRC was stored when the image was built. boot/check.asm has verified it at this start: it does not
 * enter the kernel of a damaged image, but ends with `not ok 1 - boot.image`.
 */
struct image image_loaded(void);

#endif
