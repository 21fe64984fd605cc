/* CRC-32 as Ethernet and zip have it. Portable C: the host tests compile the same file. */
#ifndef KERNEL_LIB_CRC32_H
#define KERNEL_LIB_CRC32_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the CRC of the data so far, whose CRC is crc, and n more bytes. The polynomial is 04C11DB7H,
 * reflected. The start value and the final XOR (FFFFFFFFH) are included, so that a CRC starts as 0 and is
 * valid after any call (zlib's convention).
 */
uint32_t crc32_update(uint32_t crc, const void *data, size_t n);

#endif
