/*
 * Multiboot information in memory below 4 GB, laid out field by field after the structure in the appendix of
 * the Multiboot specification (the masks at offset 112) and chapter 3.6.12 of Multiboot2's.
 */
#ifndef TESTS_HOST_KERNEL_MULTIBOOT_INFO_H
#define TESTS_HOST_KERNEL_MULTIBOOT_INFO_H

#include <string.h>
#include <sys/mman.h>
#include "tests/host/support/host_test.h"

#define MB1_MAGIC 0x2BADB002u
#define MB2_MAGIC 0x36D76289u
#define INFO      0x20000000u /* the kernel trusts addresses below 4 GB */
#define MAP       (INFO + 0x800)
#define ROOM      0x1000u

static uint8_t *info;

BEFORE_EACH(map_info)
{
    if (info)
        return;
    info = mmap((void *)(uintptr_t)INFO, ROOM, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    assert_ptr_not_equal(info, MAP_FAILED);
}

static inline void put(unsigned at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        info[at + i] = (uint8_t)(value >> 8 * i);
}

/* The 32 bytes are equal in both versions: 1024x768x32 at E0000000H, red above green above blue. */
static inline void put_framebuffer(unsigned at)
{
    static const uint8_t MASKS[] = {16, 8, 8, 8, 0, 8};

    put(at, 0xE0000000u, 8);
    put(at + 8, 4096, 4);
    put(at + 12, 1024, 4);
    put(at + 16, 768, 4);
    put(at + 20, 32, 1);
    put(at + 21, 1, 1);
    memcpy(info + at + 24, MASKS, sizeof MASKS);
}

/* Multiboot 1 with a framebuffer and a map of one entry. */
static inline void put_mb1(uint64_t base, uint64_t length, uint32_t type)
{
    memset(info, 0, ROOM);
    put(0, 1u << 6 | 1u << 12, 4);
    put(44, 24, 4);
    put(48, MAP, 4);
    put(MAP - INFO, 20, 4);
    put(MAP - INFO + 4, base, 8);
    put(MAP - INFO + 12, length, 8);
    put(MAP - INFO + 20, type, 4);
    put_framebuffer(88);
}

#define MB2_SCREEN 8u /* where the tag begins */

/* Multiboot 2 with a framebuffer alone, and the end tag. */
static inline void put_mb2(void)
{
    memset(info, 0, ROOM);
    put(0, 8 + 40 + 8, 4);
    put(MB2_SCREEN, 8, 4);
    put(MB2_SCREEN + 4, 38, 4);
    put_framebuffer(MB2_SCREEN + 8);
    put(48 + 4, 8, 4);
}

#endif
