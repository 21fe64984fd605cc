/*
 * The image of physical memory below 1 MB, for tests of code that reads firmware tables: phys_ptr() of
 * kernel/firmware/memory_map.c over bytes that a test fills.
 */
#ifndef TESTS_HOST_SUPPORT_PHYSICAL_H
#define TESTS_HOST_SUPPORT_PHYSICAL_H

#include <stdint.h>

#define IMAGE_TOP 0x100000u

extern uint8_t image_memory[IMAGE_TOP];

/* Fill the image with zeros. */
void image_clear(void);

/* Store the low bytes of value at this address, little-endian. */
void image_put(uint32_t at, uint32_t value, unsigned bytes);

/* Set the checksum byte at sum_at so that the `length` bytes from `at` on add up to 0. */
void image_fix_checksum(uint32_t at, uint32_t length, uint32_t sum_at);

#endif
