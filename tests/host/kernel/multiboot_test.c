/*
 * kernel/firmware/multiboot.c and memory_map.c: the boot line, the system table of UEFI, the memory that may
 * be read for tables, and the framebuffer that a loader hands over. The information lies below 4 GB, field by
 * field after the structure in the appendix of the Multiboot specification (the masks at offset 112) and
 * chapter 3.6.12 of Multiboot2's.
 */
#include <string.h>
#include <sys/mman.h>
#include "kernel/firmware/firmware.h"
#include "kernel/framebuffer/framebuffer.h"
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

static void put(unsigned at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        info[at + i] = (uint8_t)(value >> 8 * i);
}

/* The 32 bytes are equal in both versions: 1024x768x32 at E0000000H, red above green above blue. */
static void put_framebuffer(unsigned at)
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

/* The last entry of Multiboot 1's map, with so many before it. */
static void put_entry(unsigned before, uint64_t base, uint64_t length, uint32_t type)
{
    const unsigned at = MAP - INFO + 24 * before;

    put(44, 24 * (before + 1), 4);
    put(at, 20, 4);
    put(at + 4, base, 8);
    put(at + 12, length, 8);
    put(at + 20, type, 4);
}

/* Multiboot 1 with a framebuffer and a map of one entry. */
static void put_mb1(uint64_t base, uint64_t length, uint32_t type)
{
    memset(info, 0, ROOM);
    put(0, 1u << 6 | 1u << 12, 4);
    put(48, MAP, 4);
    put_entry(0, base, length, type);
    put_framebuffer(88);
}

#define MB2_SCREEN 8u /* where the tag begins */

/* Multiboot 2 with a framebuffer alone, and the end tag. */
static void put_mb2(void)
{
    memset(info, 0, ROOM);
    put(0, 8 + 40 + 8, 4);
    put(MB2_SCREEN, 8, 4);
    put(MB2_SCREEN + 4, 38, 4);
    put_framebuffer(MB2_SCREEN + 8);
    put(48 + 4, 8, 4);
}

/* A page of reserved memory at each megabyte from 1 MB on, as far as the map holds. */
TEST(a_long_map_is_read_to_its_end)
{
    const unsigned rows = (ROOM - (MAP - INFO)) / 24;

    put_mb1(0, 0, 2);
    for (unsigned i = 0; i < rows; i++)
        put_entry(i, (uint64_t)(i + 1) << 20, 0x1000, 2);
    assert_true(multiboot_read(MB1_MAGIC, INFO));
    assert_in_range(rows, 80, 256);
    assert_non_null(phys_ptr(rows << 20, 0x1000));
    assert_null(phys_ptr(rows << 20, 0x1001));
}

/* A line of so many characters, by both versions. */
static void read_line(uint32_t magic, unsigned length)
{
    memset(info, 0, ROOM);
    if (magic == MB1_MAGIC) {
        put(0, 1u << 2, 4);
        put(16, MAP, 4);
        memset(info + (MAP - INFO), 'x', length);
    } else {
        put(0, 8 + 8 + length + 1 + 16, 4);
        put(8, 1, 4);
        put(12, 8 + length + 1, 4);
        memset(info + 16, 'x', length);
    }
    assert_true(multiboot_read(magic, INFO));
}

TEST(a_line_that_is_cut_is_known)
{
    static const uint32_t magic[] = {MB1_MAGIC, MB2_MAGIC};

    for (unsigned i = 0; i < 2; i++) {
        read_line(magic[i], BOOT_LINE_MAX);
        assert_int_equal(strlen(multiboot_boot_line()), BOOT_LINE_MAX);
        assert_false(multiboot_boot_line_cut());
        read_line(magic[i], BOOT_LINE_MAX + 1);
        assert_int_equal(strlen(multiboot_boot_line()), BOOT_LINE_MAX);
        assert_true(multiboot_boot_line_cut());
    }
}

/* Multiboot 2, tags 11 and 12: the system table of a UEFI of 32 and of 64 bits. */
static void assert_efi(unsigned type, unsigned size, uint64_t table, uint32_t address, unsigned bytes)
{
    unsigned pointer;

    put_mb2();
    put(MB2_SCREEN, type, 4);
    put(MB2_SCREEN + 4, size, 4);
    put(MB2_SCREEN + 8, table, 8);
    put(MB2_SCREEN + 16, 0, 8); /* an end tag for both sizes */
    put(MB2_SCREEN + 20, 8, 4);
    assert_true(multiboot_read(MB2_MAGIC, INFO));
    assert_true(multiboot_under_uefi());
    assert_int_equal(multiboot_efi_system_table(&pointer), address);
    assert_int_equal(pointer, bytes);
}

TEST(the_system_table_of_uefi)
{
    unsigned pointer;

    assert_efi(11, 12, 0x7F00018, 0x7F00018, 4);
    assert_efi(12, 16, 0x7F00018, 0x7F00018, 8);
    assert_efi(12, 16, 0x107F00018, 0, 4); /* above 4 GB */
    assert_efi(11, 11, 0x7F00018, 0, 4);   /* too short for a pointer */
    assert_efi(12, 15, 0x7F00018, 0, 4);
    put_mb2();
    assert_true(multiboot_read(MB2_MAGIC, INFO));
    assert_false(multiboot_under_uefi());
    assert_int_equal(multiboot_efi_system_table(&pointer), 0);
}

/* 128 MB, of which the BIOS keeps the last 128 KB for its tables. */
#define RAM_TOP   0x07FE0000u
#define INSTALLED 0x08000000u

TEST(tables_lie_in_the_map)
{
    put_mb1(0x100000, RAM_TOP - 0x100000, 1);
    put_entry(1, RAM_TOP, 0x10000, 3);
    assert_true(multiboot_read(MB1_MAGIC, INFO));
    assert_non_null(phys_ptr(RAM_TOP - 1, 1));
    assert_non_null(phys_ptr(RAM_TOP, 0x10000));
    assert_null(phys_ptr(RAM_TOP, 0x10001));
    assert_null(phys_ptr(INSTALLED - 1, 1)); /* a map that lists more than RAM is complete */
}

TEST(tables_lie_above_a_map_of_ram_alone)
{
    put_mb1(0x100000, RAM_TOP - 0x100000, 1);
    assert_true(multiboot_read(MB1_MAGIC, INFO));
    assert_non_null(phys_ptr(RAM_TOP, INSTALLED - RAM_TOP));
    assert_null(phys_ptr(RAM_TOP, INSTALLED - RAM_TOP + 1));
    assert_null(phys_ptr(INSTALLED, 1));
    assert_int_equal(memory_map_ram_kb(),
                     (RAM_TOP - 0x100000) >> 10); /* the area above RAM does not count as RAM */

    put_mb1(0x100000, INSTALLED - 0x100000, 1); /* the BIOS keeps nothing */
    assert_true(multiboot_read(MB1_MAGIC, INFO));
    assert_non_null(phys_ptr(INSTALLED - 1, 1));
    assert_null(phys_ptr(INSTALLED, 1));

    put_mb1(0xFD000000u, 0x1F00000, 1); /* never in the address range of devices */
    assert_true(multiboot_read(MB1_MAGIC, INFO));
    assert_null(phys_ptr(0xFEC00000u, 1));
}

/* ---- Framebuffers, and which descriptions of one are refused ---- */

/* Is a framebuffer described? It is that of put_framebuffer(). */
static bool described(uint32_t magic)
{
    struct framebuffer f;

    assert_int_equal(multiboot_read(magic, INFO), magic != 0);
    if (!framebuffer_find(&f))
        return false;
    assert_true(f.address == 0xE0000000 && f.pitch == 4096 && f.width == 1024 && f.height == 768 &&
                f.bits == 32);
    assert_true(f.red.position == 16 && f.green.position == 8 && f.blue.position == 0);
    assert_true(f.red.size == 8 && f.green.size == 8 && f.blue.size == 8);
    return true;
}

TEST(both_versions)
{
    put_mb1(0x100000, 0x1000000, 1);
    assert_true(described(MB1_MAGIC));
    put(0, 1u << 6, 4); /* no framebuffer */
    assert_false(described(MB1_MAGIC));
    put_mb2();
    assert_true(described(MB2_MAGIC));
    assert_false(described(0)); /* no magic of either version: the earlier information is gone */
    put(MB2_SCREEN, 99, 4);     /* an undefined tag */
    assert_false(described(MB2_MAGIC));
}

TEST(other_types_are_left_alone)
{
    static const uint8_t TYPES[] = {0, 2, 3}; /* palette, EGA text, none */
    for (unsigned i = 0; i < COUNT_OF(TYPES); i++) {
        put_mb1(0x100000, 0x1000000, 1);
        put(88 + 21, TYPES[i], 1);
        assert_false(described(MB1_MAGIC));
        put_mb2();
        put(MB2_SCREEN + 8 + 21, TYPES[i], 1);
        assert_false(described(MB2_MAGIC));
    }
}

TEST(nonsense_is_refused)
{
    put_mb1(0x100000, 0x1000000, 1);
    put(88, 0xB8000, 8); /* the text screen, described as pixels */
    put(88 + 8, 160, 4);
    put(88 + 12, 80, 4);
    put(88 + 16, 25, 4);
    put(88 + 20, 24, 1);
    assert_false(described(MB1_MAGIC));
    put_mb2();
    put(MB2_SCREEN + 8 + 4, 1, 4); /* above 4 GB */
    assert_false(described(MB2_MAGIC));
    for (unsigned size = 0; size < 38; size++) { /* a tag too short for the masks, or for a tag */
        put_mb2();
        put(MB2_SCREEN + 4, size, 4);
        if (size >= 8)
            put(0, 8 + size, 4);
        assert_false(described(MB2_MAGIC));
    }
}

/* A framebuffer (3 MB at E0000000H) that overlaps RAM of the map is not used. */
TEST(ram_is_not_drawn_into)
{
    static const struct {
        uint32_t base, length, type;
        bool used;
    } rows[] = {
        {0xE0000000u, 1, 1, false},
        {0xE02FFFFFu, 0x1000, 1, false},
        {0x100000, 0xE0000000u, 1, false},
        {0x100000, 0xDFF00000u, 1, true},
        {0xE0300000u, 0x1000, 1, true},
        {0xE0000000u, 0x1000, 2, true}, /* reserved: where a framebuffer belongs */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        put_mb1(rows[i].base, rows[i].length, rows[i].type);
        assert_int_equal(described(MB1_MAGIC), rows[i].used);
    }
}
