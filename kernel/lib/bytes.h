/* Little-endian fields at any address, as firmware tables, partition tables and file systems have them. */
#ifndef KERNEL_LIB_BYTES_H
#define KERNEL_LIB_BYTES_H

#include <stdint.h>

static inline uint16_t load16le(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t load32le(const uint8_t *at)
{
    return load16le(at) | (uint32_t)load16le(at + 2) << 16;
}

static inline uint64_t load64le(const uint8_t *at)
{
    return load32le(at) | (uint64_t)load32le(at + 4) << 32;
}

#endif
