/*
 * The loader's map of physical memory: what is RAM, what is free below 640 KB, and which addresses may be
 * read.
 */
#include "firmware.h"
#include <stddef.h>

#define RANGES_MAX 256u /* the map of UEFI can be long, and its tables are listed last */
#define ONE_MB     0x100000u
#define LOW_END    0xA0000u
#define PAGE       0x1000u
#define FIRST_LOW  0x8000u     /* a BIOS keeps its data in lower pages */
#define MODULE     0x1000000u  /* 16 MB: the memory modules of the time end on a multiple of it */
#define DEVICES    0xFEC00000u /* I/O APIC, local APIC, ROM: never memory to read tables from */

static struct range {
    uint32_t begin, end;
    bool ram;
} ranges[RANGES_MAX];
static unsigned count;
static uint64_t ram_bytes;

void memory_map_clear(void)
{
    count = 0;
    ram_bytes = 0;
}

bool memory_map_empty(void)
{
    return count == 0;
}

void memory_map_add(uint64_t base, uint64_t length, bool ram)
{
    uint64_t end = base + length;

    if (ram && end >= base)
        ram_bytes += length;
    if (base >= DEVICES || length == 0 || end < base || count == RANGES_MAX)
        return;
    if (end > DEVICES)
        end = DEVICES;
    ranges[count++] = (struct range){(uint32_t)base, (uint32_t)end, ram};
}

void memory_map_add_firmware(void)
{
    uint32_t top = 0;

    for (unsigned i = 0; i < count; i++) {
        if (!ranges[i].ram)
            return;
        if (ranges[i].end > top)
            top = ranges[i].end;
    }
    memory_map_add(top, -top % MODULE, false);
}

uint64_t memory_map_ram_kb(void)
{
    return ram_bytes >> 10;
}

bool memory_map_touches_ram(uint64_t begin, uint64_t length)
{
    for (unsigned i = 0; i < count; i++)
        if (ranges[i].ram && begin < ranges[i].end && ranges[i].begin < begin + length)
            return true;
    return false;
}

static bool within(uint32_t begin, uint32_t end, uint32_t address, uint32_t length)
{
    return address >= begin && address < end && length <= end - address;
}

const uint8_t *phys_ptr(uint32_t address, uint32_t length)
{
    bool good = within(0, ONE_MB, address, length);

    for (unsigned i = 0; i < count && !good; i++)
        good = within(ranges[i].begin, ranges[i].end, address, length);
    return good ? (const uint8_t *)(uintptr_t)address : NULL;
}

/* Find the first free RAM of this size, aligned to it, in [begin, 640 KB); 0 when there is none. */
static uint32_t find_low(uint32_t begin, uint32_t size)
{
    for (uint32_t at = (begin + size - 1) & ~(size - 1); at + size <= LOW_END; at += size) {
        bool ram = false, reserved = false;

        for (unsigned i = 0; i < count; i++) {
            const struct range *range = &ranges[i];
            ram = ram || (range->ram && within(range->begin, range->end, at, size));
            reserved = reserved || (!range->ram && range->begin < at + size && at < range->end);
        }
        if (ram && !reserved)
            return at;
    }
    return 0;
}

uint32_t memory_map_low_page(void)
{
    return find_low(FIRST_LOW, PAGE);
}

uint32_t memory_map_low_area(uint32_t bytes)
{
    uint32_t page = memory_map_low_page();

    return page > 0 ? find_low(page + PAGE, bytes) : 0;
}
