/*
 * kernel/firmware/multiboot.c and memory_map.c: the boot line, the system table of UEFI, and the memory that
 * may be read for tables.
 */
#include <string.h>
#include "kernel/firmware/memory_map.h"
#include "kernel/firmware/multiboot.h"
#include "multiboot_info.h"

/* A page of reserved memory at each megabyte from 1 MB on, as far as the map holds. */
TEST(a_long_map_is_read_to_its_end)
{
    const unsigned rows = (ROOM - (MAP - INFO)) / 24;

    put_mb1(0, 0, 2);
    put(44, rows * 24, 4);
    for (unsigned i = 0; i < rows; i++) {
        unsigned at = MAP - INFO + 24 * i;
        put(at, 20, 4);
        put(at + 4, (uint64_t)(i + 1) << 20, 8);
        put(at + 12, 0x1000, 8);
        put(at + 20, 2, 4);
    }
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

/* Add a second entry to the map of put_mb1(). */
static void put_second_entry(uint64_t base, uint64_t length, uint32_t type)
{
    const unsigned at = MAP - INFO + 24;

    put(44, 2 * 24, 4);
    put(at, 20, 4);
    put(at + 4, base, 8);
    put(at + 12, length, 8);
    put(at + 20, type, 4);
}

/* 128 MB, of which the BIOS keeps the last 128 KB for its tables. */
#define RAM_TOP   0x07FE0000u
#define INSTALLED 0x08000000u

TEST(tables_lie_in_the_map)
{
    put_mb1(0x100000, RAM_TOP - 0x100000, 1);
    put_second_entry(RAM_TOP, 0x10000, 3);
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
