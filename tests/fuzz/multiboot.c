/*
 * Multiboot information (kernel/firmware/multiboot.c), version 1 or 2 by the lowest bit of the first byte.
 * The other bytes are the information and what it points to. They lie below 4 GB as on the real machine, and
 * end at a page that must not be touched. Version 1's addresses are trusted by the code, so the test changes
 * them to point into this memory.
 *
 * Whatever the information holds: nothing beyond it is read, the boot line and the copy of the root pointer
 * are as long as firmware.h says, and neither the I/O APIC's addresses nor a reserved page are taken for
 * memory.
 */
#include "fuzz.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include "kernel/firmware/firmware.h"
#include "kernel/framebuffer/framebuffer.h"

#define MB1_MAGIC 0x2BADB002u
#define MB2_MAGIC 0x36D76289u
#define PAGE      4096u
#define AREA      0x4000u
#define ARENA     0x20000000u
#define ROOM      (4 * PAGE)
#define DEVICES   0xFEC00000u
#define LOW_END   0xA0000u

/* Words of version 1's information (3.3 of the specification). */
enum {
    MB1_FLAGS = 0,
    MB1_LINE = 4,
    MB1_MAP_LENGTH = 11,
    MB1_MAP_ADDRESS = 12,
    MB1_NAME = 16,
    MB1_WORDS = 17
};
#define MB1_HAS_SCREEN (1u << 12)
#define MB1_SCREEN_END 118u /* end of the masks of the framebuffer */

static uint8_t *arena(void)
{
    static uint8_t *mapped;

    if (mapped == NULL) {
        void *wanted = (void *)(uintptr_t)ARENA;
        mapped =
            mmap(wanted, ROOM + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        assert(mapped == wanted && mprotect(mapped, ROOM, PROT_READ | PROT_WRITE) == 0);
    }
    return mapped;
}

/* Change the addresses of the information to point into [base, base + size). The last byte there becomes 0,
 * so that the strings end. */
static void relocate_mb1(uint8_t *info, uint32_t base, uint32_t size)
{
    uint32_t words[MB1_WORDS], left;

    memcpy(words, info, sizeof words);
    words[MB1_LINE] = base + words[MB1_LINE] % size;
    words[MB1_NAME] = base + words[MB1_NAME] % size;
    words[MB1_MAP_ADDRESS] = base + words[MB1_MAP_ADDRESS] % size;
    left = base + size - words[MB1_MAP_ADDRESS];
    if (words[MB1_MAP_LENGTH] > left)
        words[MB1_MAP_LENGTH] = left;
    memcpy(info, words, sizeof words);
    if (size < MB1_SCREEN_END) {
        words[MB1_FLAGS] &= ~MB1_HAS_SCREEN;
        memcpy(info, words, sizeof words);
    }
    info[size - 1] = '\0';
}

static void check(void)
{
    size_t length;
    struct framebuffer framebuffer;
    uint32_t page = memory_map_low_page(), area = memory_map_low_area(AREA);
    uint8_t drive;

    assert(strlen(multiboot_boot_line()) <= BOOT_LINE_MAX &&
           strlen(multiboot_loader_name()) <= MULTIBOOT_NAME_MAX);
    assert((multiboot_rsdp(&length) != NULL) == (length > 0) && length <= 36);
    assert(page % PAGE == 0 && page + PAGE <= LOW_END);
    assert(!framebuffer_find(&framebuffer) || framebuffer_usable(&framebuffer));
    assert(area % AREA == 0 && area + AREA <= LOW_END && (area == 0 || area >= page + PAGE));
    multiboot_boot_drive(&drive);
    assert(phys_ptr(DEVICES, 1) == NULL && phys_ptr(DEVICES - 1, 2) == NULL);
    assert(phys_ptr(DEVICES - 1, UINT32_MAX) == NULL);
    assert(phys_ptr(PAGE, PAGE) == (const uint8_t *)(uintptr_t)PAGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool second = size > 0 && (data[0] & 1) != 0;
    uint32_t length = size > ROOM ? ROOM : (uint32_t)(size > 0 ? size - 1 : 0), total;
    uint8_t *info = arena() + ROOM - length;

    if (length < (second ? sizeof total : MB1_WORDS * sizeof(uint32_t) + 1))
        return 0;
    memcpy(info, data + 1, length);
    if (second) {
        memcpy(&total, info, sizeof total);
        total = total > length ? length : total;
        memcpy(info, &total, sizeof total);
    } else {
        relocate_mb1(info, (uint32_t)(uintptr_t)info, length);
    }
    assert(multiboot_read(second ? MB2_MAGIC : MB1_MAGIC, (uint32_t)(uintptr_t)info));
    check();
    return 0;
}
