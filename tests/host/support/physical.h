/*
 * The image of physical memory below 1 MB, for tests of code that reads firmware tables: phys_ptr() of
 * kernel/firmware/memory_map.c over bytes that a test fills. This header defines what it declares; each test
 * program includes it once.
 */
#ifndef TESTS_HOST_SUPPORT_PHYSICAL_H
#define TESTS_HOST_SUPPORT_PHYSICAL_H

#include <string.h>
#include "host_test.h"
#include "kernel/firmware/firmware.h"

#define IMAGE_TOP 0x100000u

static uint8_t image_memory[IMAGE_TOP];

STUB(const uint8_t *, phys_ptr, (uint32_t address, uint32_t length),
     address < IMAGE_TOP && length <= IMAGE_TOP - address ? image_memory + address : NULL);

/* Fill the image with zeros. */
static inline void image_clear(void)
{
    memset(image_memory, 0, sizeof image_memory);
}

/* Store the low bytes of value at this address, little-endian. */
static inline void image_put(uint32_t at, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        image_memory[at + i] = (uint8_t)(value >> 8 * i);
}

/* Set the checksum byte at sum_at so that the `length` bytes from `at` on add up to 0. */
static inline void image_fix_checksum(uint32_t at, uint32_t length, uint32_t sum_at)
{
    uint8_t sum = 0;

    image_memory[sum_at] = 0;
    for (uint32_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + image_memory[at + i]);
    image_memory[sum_at] = (uint8_t)-sum;
}

/* ---- ACPI (2.0, 5.2.5 to 5.2.7) ---- */

#define RSDP 0xE0010u
#define RSDT 0xE1000u

/* The header of a table, with a valid checksum, around what is there. */
static inline void image_put_table(uint32_t at, const char *signature, uint32_t length)
{
    memcpy(image_memory + at, signature, 4);
    image_put(at + 4, length, 4);
    image_fix_checksum(at, length, at + 9);
}

/* The root pointer, and an RSDT that lists these two tables. */
static inline void image_put_root(uint32_t first, uint32_t second)
{
    image_put(RSDT + 36, first, 4);
    image_put(RSDT + 40, second, 4);
    image_put_table(RSDT, "RSDT", 44);
    memcpy(image_memory + RSDP, "RSD PTR ", 8);
    image_put(RSDP + 16, RSDT, 4);
    image_fix_checksum(RSDP, 20, RSDP + 8);
}

#endif
