/* CRC-32 as Ethernet and zip have it. Portable C: the host tests compile the same file. */
#ifndef KERNEL_LIB_CRC32_H
#define KERNEL_LIB_CRC32_H

#include <stddef.h>
#include <stdint.h>

/*
 * The CRC of everything so far and n bytes more: polynomial 04C11DB7H reflected, start and final XOR
 * FFFFFFFFH included, so that a CRC starts as 0 and is the result at any time (zlib's convention).
 */
uint32_t crc32_update(uint32_t crc, const void *data, size_t n);

#endif
