/*
 * kernel/firmware/acpi.c over a memory of this test's own: valid tables, and tables as a defective BIOS has
 * them. Layouts typed from ACPI 2.0 (5.2.5 to 5.2.10).
 */
#include <string.h>
#include "tests/host/support/host_test.h"
#include "kernel/firmware/firmware.h"
#include "tests/host/support/physical.h"

#define MADT  0xE2000u
#define XSDT  0xE3000u
#define DECOY 0xE4000u

static uint8_t loaders_rsdp[36];
static size_t loaders_rsdp_length;

/* The only memory there is: the first megabyte. */
STUB(const uint8_t *, multiboot_rsdp, (size_t * length), *length = loaders_rsdp_length,
     loaders_rsdp_length > 0 ? loaders_rsdp : NULL);

static void put_local_apic(uint32_t at, uint8_t id, uint32_t flags)
{
    image_memory[at] = 0;
    image_memory[at + 1] = 8;
    image_memory[at + 2] = id;
    image_memory[at + 3] = id;
    image_put(at + 4, flags, 4);
}

/* An I/O APIC between two enabled processors (0, 1) and a disabled one (6). */
static void put_madt(void)
{
    put_local_apic(MADT + 44, 0, 1);
    image_memory[MADT + 52] = 1;
    image_memory[MADT + 53] = 12;
    put_local_apic(MADT + 64, 6, 0);
    put_local_apic(MADT + 72, 1, 1);
    image_put_table(MADT, "APIC", 80);
}

BEFORE_EACH(set_up)
{
    image_clear();
    loaders_rsdp_length = 0;
    put_madt();
    image_put_root(0xFFFFFFF0, MADT); /* a table outside memory comes first */
}

static struct processor_list list;

/* So many processors, with APIC ids from 0 on; 0: the tables are not believed. */
static void expect(unsigned processors)
{
    list = (struct processor_list){.count = 99, .io_apic_count = 99};
    assert_int_equal(acpi_processors(&list), processors > 0);
    assert_int_equal(list.count, processors);
    for (unsigned i = 0; i < processors && i < FIRMWARE_PROCESSORS; i++)
        assert_int_equal(list.apic_ids[i], i);
}

TEST(sound_tables)
{
    expect(2);
}

TEST(root_pointer_in_the_ebda)
{
    memmove(image_memory + 0x9FC00, image_memory + RSDP, 20);
    memset(image_memory + RSDP, 0, 20);
    expect(0);
    image_put(0x40E, 0x9FC0, 2);
    expect(2);
}

TEST(root_pointer_from_the_loader)
{
    memcpy(loaders_rsdp, image_memory + RSDP, 20);
    memset(image_memory + RSDP, 0, 20);
    loaders_rsdp_length = 19;
    expect(0);
    loaders_rsdp_length = 20;
    expect(2);
}

/* Revision 2: the XSDT is used when the whole structure is sound, else the RSDT. */
TEST(xsdt_is_preferred)
{
    put_local_apic(DECOY + 44, 9, 1);
    image_put_table(DECOY, "APIC", 52);
    image_put(XSDT + 36, DECOY, 4);
    image_put(XSDT + 40, 1, 4); /* above 4 GB: not the table below that has the same low half */
    image_put(XSDT + 44, MADT, 4);
    image_put_table(XSDT, "XSDT", 52);
    image_memory[RSDP + 15] = 2;
    image_put(RSDP + 16, 0, 4); /* no RSDT */
    image_put(RSDP + 20, 36, 4);
    image_put(RSDP + 24, XSDT, 4);
    image_fix_checksum(RSDP, 20, RSDP + 8);
    image_fix_checksum(RSDP, 36, RSDP + 32);
    expect(2);
    image_memory[RSDP + 32]++;
    expect(0);
    image_put(RSDP + 16, RSDT, 4);
    image_fix_checksum(RSDP, 20, RSDP + 8);
    expect(2);
}

/* One byte or length at a time: checksums, signatures, and lengths that reach outside memory, are shorter
 * than the header, or are absurd. */
TEST(bad_tables)
{
    static const uint32_t sums[] = {RSDP + 8, RSDT + 9, MADT + 9}, signatures[] = {RSDP + 7, RSDT, MADT + 3};
    static const uint32_t lengths[] = {0, 35, 0x10001, 0xFFFFFFFF}, tables[] = {RSDT, MADT};

    for (size_t i = 0; i < COUNT_OF(sums); i++) {
        set_up();
        image_memory[sums[i]]++;
        expect(0);
        set_up();
        image_memory[signatures[i]] ^= 0x20;
        image_fix_checksum(RSDP, 20, RSDP + 8);
        image_fix_checksum(RSDT, 44, RSDT + 9);
        image_fix_checksum(MADT, 80, MADT + 9);
        expect(0);
    }
    for (size_t i = 0; i < COUNT_OF(lengths) * COUNT_OF(tables); i++) {
        const uint32_t table = tables[i % 2], length = lengths[i / 2];

        set_up();
        image_put(table + 4, length, 4);
        if (length < 0x20000)
            image_fix_checksum(table, length < 36 ? 36 : length, table + 9);
        expect(0);
    }
}

/* The first processor is before the bad entry and is kept; the walk ends there. The last one is a
 * processor's, too short to hold its flags. */
TEST(bad_entries)
{
    static const struct {
        uint32_t at;
        uint8_t size;
    } rows[] = {{MADT + 53, 0}, {MADT + 53, 1}, {MADT + 53, 200}, {MADT + 73, 7}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        set_up();
        image_memory[rows[i].at] = rows[i].size;
        image_fix_checksum(MADT, 80, MADT + 9);
        expect(1);
    }
}

/* One between the processors, and behind them an I/O APIC, another too short to hold its address, and a
 * third. */
TEST(io_apics)
{
    image_put(MADT + 56, 0xFEC80000, 4);
    for (uint32_t i = 0; i < 3; i++) {
        image_put(MADT + 80 + 12 * i, i == 1 ? 0x0701 : 0x0C01, 2);
        image_put(MADT + 84 + 12 * i, 0xFEC00000 + 0x10000 * i, 4);
    }
    image_memory[MADT + 99] = 5; /* what the short one leaves of its 12 bytes is an entry of another type */
    image_memory[MADT + 100] = 5;
    image_put_table(MADT, "APIC", 80 + 36);
    expect(2);
    assert_int_equal(list.io_apic_count, 3);
    assert_int_equal(list.io_apics[0], 0xFEC80000);
    assert_int_equal(list.io_apics[1], 0xFEC00000);
    assert_int_equal(list.io_apics[2], 0xFEC20000);
    image_put_table(MADT, "APIC", 80 + 11);
    expect(2);
    assert_int_equal(list.io_apic_count, 1);
}

/* Every length of the table: bytes after its end never change the result, and the walk always ends. */
TEST(every_truncation)
{
    for (uint32_t length = 36; length < 80; length++) {
        set_up();
        image_put_table(MADT, "APIC", length);
        expect(length >= 52 ? 1 : 0);
    }
}

TEST(more_processors_than_kept)
{
    enum { MANY = 40 };

    for (uint32_t i = 0; i < MANY; i++)
        put_local_apic(MADT + 44 + 8 * i, (uint8_t)i, 1);
    image_put_table(MADT, "APIC", 44 + 8 * MANY);
    expect(MANY);
}

TEST(ebda_that_is_none)
{
    static const uint16_t segments[] = {0, 0x0001, 0x004F, 0xA000, 0xFFFF};

    for (size_t i = 0; i < COUNT_OF(segments); i++) {
        image_put(0x40E, segments[i], 2);
        assert_int_equal(ebda_base(), 0);
    }
    image_put(0x40E, 0x9FC0, 2);
    assert_int_equal(ebda_base(), 0x9FC00);
}
