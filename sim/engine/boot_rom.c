/*
 * The contents of the boot ROM.
 */
#include "engine.h"

#include <string.h>

#define OFFSET_CODE16  0x10u
#define OFFSET_POINTER 0x40u /* 16:16 pointer that the last jump uses */
#define OFFSET_GDT     0x80u

static const uint8_t TO_REAL_32[] = {
    0xEA, OFFSET_CODE16,   0, 0,
    0,    BOOT_ROM_CODE16, 0, /* jmp CODE16:OFFSET_CODE16, relative to BOOT_ROM_BASE */
};

static const uint8_t TO_REAL_16[] = {
    0xB8, BOOT_ROM_DATA16,
    0,          /* mov ax, DATA16 */
    0x8E, 0xD8, /* mov ds, ax */
    0x8E, 0xC0, /* mov es, ax */
    0x8E, 0xD0, /* mov ss, ax */
    0x8E, 0xE0, /* mov fs, ax */
    0x8E, 0xE8, /* mov gs, ax */
    0x0F, 0x20,
    0xC0,       /* mov eax, cr0 */
    0x24, 0xFE, /* and al, ~1 */
    0x0F, 0x22,
    0xC0,       /* mov cr0, eax */
    0x31, 0xC0, /* xor ax, ax */
    0x8E, 0xD8, /* mov ds, ax */
    0x8E, 0xC0, /* mov es, ax */
    0x8E, 0xD0, /* mov ss, ax */
    0x2E, 0xFF,
    0x2E, OFFSET_POINTER,
    0 /* jmp far [cs:OFFSET_POINTER] */
};

/* Write a segment descriptor (SDM Figure 3-8). */
static void put_descriptor(uint8_t *at, uint32_t base, uint32_t limit, uint8_t type, uint8_t flags)
{
    const uint8_t bytes[8] = {(uint8_t)limit,
                              (uint8_t)(limit >> 8),
                              (uint8_t)base,
                              (uint8_t)(base >> 8),
                              (uint8_t)(base >> 16),
                              type,
                              (uint8_t)(flags << 4 | limit >> 16),
                              (uint8_t)(base >> 24)};
    memcpy(at, bytes, sizeof bytes);
}

void boot_rom_fill(uint8_t *rom)
{
    const uint8_t code = 0x9B, data = 0x93; /* present, DPL 0, accessed; code readable, data writable */
    const uint8_t pages_32bit = 0xC, bytes_16bit = 0x0;
    uint8_t *gdt = rom + OFFSET_GDT;

    memset(rom, 0, BOOT_ROM_SIZE);
    memcpy(rom, TO_REAL_32, sizeof TO_REAL_32);
    memcpy(rom + OFFSET_CODE16, TO_REAL_16, sizeof TO_REAL_16);
    put_descriptor(gdt + BOOT_ROM_CODE32, 0, 0xFFFFF, code, pages_32bit);
    put_descriptor(gdt + BOOT_ROM_CODE16, BOOT_ROM_BASE, 0xFFFF, code, bytes_16bit);
    put_descriptor(gdt + BOOT_ROM_DATA16, 0, 0xFFFF, data, bytes_16bit);
    put_descriptor(gdt + BOOT_ROM_DATA32, 0, 0xFFFFF, data, pages_32bit);
}

void boot_rom_set_segment(uint8_t *rom, uint16_t segment)
{
    uint8_t *pointer = rom + OFFSET_POINTER;
    pointer[0] = 0;
    pointer[1] = 0;
    pointer[2] = (uint8_t)segment;
    pointer[3] = (uint8_t)(segment >> 8);
}
