/*
 * kernel/firmware/acpi.c and smbios.c over a memory of this test's own: valid tables, and tables as a
 * defective BIOS has them. Where the entry point of SMBIOS is found, by a BIOS and under UEFI, and the names
 * of the board and the BIOS. Layouts typed from ACPI 2.0 (5.2.5 to 5.2.10) and from the SMBIOS reference
 * specification 2.3 (2.1, 3.1, 3.3.1 to 3.3.3).
 */
#include <stdio.h>
#include <string.h>
#include "tests/host/support/host_test.h"
#include "kernel/firmware/firmware.h"
#include "tests/host/support/physical.h"

#define MADT  0xE2000u
#define XSDT  0xE3000u
#define DECOY 0xE4000u

static uint8_t loaders_rsdp[36];
static size_t loaders_rsdp_length;

/* The copy of the root pointer that the loader hands over, if any. */
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

/* SMBIOS, below. */
#define TABLE 0xE8000u
static uint32_t table_end;
static struct smbios found;
static unsigned efi_bytes; /* of a pointer of UEFI; 0 without UEFI */

BEFORE_EACH(set_up)
{
    image_clear();
    memset(&found, 0x5A, sizeof found);
    table_end = TABLE;
    efi_bytes = 0;
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
    assert_true(acpi_present());
    image_memory[RSDP + 32]++;
    expect(0);
    image_memory[RSDP + 28] = 1; /* the XSDT above 4 GB */
    assert_false(acpi_present());
    image_put(RSDP + 16, RSDT, 4);
    image_fix_checksum(RSDP, 20, RSDP + 8);
    expect(2);
    assert_true(acpi_present());
}

/* Which table is damaged, and how; one that is not listed is not damaged. */
TEST(what_is_wrong_with_a_table)
{
    assert_null(acpi_damage("APIC"));
    assert_null(acpi_damage("FACP"));
    image_memory[MADT + 9]++;
    assert_string_equal(acpi_damage("APIC"), "its checksum is wrong");
    assert_null(acpi_damage("FACP"));
    image_put(MADT + 4, 35, 4);
    assert_string_equal(acpi_damage("APIC"), "its length is wrong");
    image_memory[RSDT + 9]++;
    assert_string_equal(acpi_damage("APIC"), "neither the RSDT nor the XSDT is whole");
    assert_string_equal(acpi_damage("FACP"), "neither the RSDT nor the XSDT is whole");
    image_memory[RSDP + 8]++;
    assert_null(acpi_damage("APIC"));
}

/* A whole table that comes after a damaged one is found. */
TEST(a_whole_table_after_a_damaged_one)
{
    put_local_apic(DECOY + 44, 9, 1);
    image_put_table(DECOY, "APIC", 52);
    image_memory[DECOY + 9]++;
    image_put_root(DECOY, MADT);
    assert_null(acpi_damage("APIC"));
    expect(2);
    image_put_root(MADT, DECOY);
    assert_null(acpi_damage("APIC"));
    expect(2);
}

/* ---- Soft off: FADT and DSDT (ACPI 2.0, 5.2.8, 7.3.4, 17.2) ---- */

#define FADT 0xE5000u
#define DSDT 0xE6000u

static void put_fadt(uint32_t length)
{
    image_put(FADT + 40, DSDT, 4);
    image_put(FADT + 48, 0xB2, 4);
    image_memory[FADT + 52] = 0xF1;
    image_put(FADT + 64, 0x404, 4);
    image_put(FADT + 68, 0x504, 4);
    image_put_table(FADT, "FACP", length);
    image_put_root(FADT, MADT);
}

/* The DSDT with these bytes at its end, after a name that is only used there. */
static void put_dsdt(const void *bytes, size_t length)
{
    memset(image_memory + DSDT, 0, 0x200);
    memcpy(image_memory + DSDT + 36, "_S5_0", 5);
    memcpy(image_memory + DSDT + 41, bytes, length);
    image_put_table(DSDT, "DSDT", (uint32_t)(41 + length));
}

TEST(soft_off)
{
    static const struct {
        const char *aml;
        size_t length;
        int a, b; /* SLP_TYP; negative: not found */
    } rows[] = {
        {"\x08_S5_\x12\x06\x04\x00\x00\x00\x00", 12, 0, 0},         /* Bochs and QEMU */
        {"\x08_S5_\x12\x0A\x04\x0A\x07\x0A\x05\x00\x00", 14, 7, 5}, /* numbers in a byte */
        {"\x08\\_S5_\x12\x40\x01\x02\x01\x0A\x0D", 13, 1, 5},       /* a longer length; three bits */
        {"\x08_S5_\x12\x06\x04\x0A\x07\x0A", 11, -1, -1},           /* cut short */
        {"\x08_S5_\x12\x06\x04\x0B\x07\x00\x00", 12, -1, -1},       /* no number of a byte */
        {"\x08_S4_\x12\x06\x04\x00\x00\x00\x00", 12, -1, -1},
    };
    struct soft_off off;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        put_fadt(116);
        put_dsdt(rows[i].aml, rows[i].length);
        assert_int_equal(acpi_soft_off(&off), rows[i].a >= 0);
        if (rows[i].a < 0)
            continue;
        assert_true(off.type_a == rows[i].a && off.type_b == rows[i].b);
        assert_true(off.pm1a == 0x404 && off.pm1b == 0x504 && off.smi_command == 0xB2 &&
                    off.acpi_enable == 0xF1);
    }
}

/* Without tables that are whole, or with registers that are no ports, the board is not switched off so. */
TEST(no_soft_off)
{
    struct soft_off off;

    put_fadt(71);
    put_dsdt("\x08_S5_\x12\x06\x04\x00\x00\x00\x00", 12);
    assert_false(acpi_soft_off(&off));
    put_fadt(72);
    assert_true(acpi_soft_off(&off));
    image_memory[DSDT + 9]++;
    assert_false(acpi_soft_off(&off));
    image_memory[DSDT + 9]--;
    image_put(FADT + 64, 0x10404, 4);
    image_put_table(FADT, "FACP", 72);
    assert_false(acpi_soft_off(&off));
    set_up();
    assert_false(acpi_soft_off(&off));
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

/* One I/O APIC is between the processors. After them come another one, one that is too short to hold its
 * address, and a third. */
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

/* ---- SMBIOS ---- */

#define ENTRY 0xF1230u

/* UEFI's tables; efi_bytes is 0 without UEFI. */
#define SYSTEM        0x7000u
#define CONFIGURATION 0x8004u

STUB(uint32_t, multiboot_efi_system_table, (unsigned *pointer_bytes), *pointer_bytes = efi_bytes,
     efi_bytes > 0 ? SYSTEM : 0);

/* "_DMI_" at this address, with a valid checksum. */
static void put_entry(uint32_t at, uint32_t table, unsigned length)
{
    memcpy(image_memory + at, "_DMI_", 5);
    image_put(at + 6, length, 2);
    image_put(at + 8, table & 0xFFFF, 2);
    image_put(at + 10, table >> 16, 2);
    image_put(at + 12, 3, 2);
    image_memory[at + 14] = 0x23;
    image_fix_checksum(at, 15, at + 5);
}

/* A structure: the fields after its header, and texts, each ended by a newline here. */
struct structure {
    uint8_t type;
    const char *fields;
    size_t count;
    const char *texts;
};

static void add(struct structure s)
{
    uint32_t at = table_end;

    image_memory[at] = s.type;
    image_memory[at + 1] = (uint8_t)(4 + s.count);
    image_put(at + 2, s.type, 2);
    memcpy(image_memory + at + 4, s.fields, s.count);
    at += 4 + (uint32_t)s.count;
    for (; *s.texts != '\0'; s.texts++)
        image_memory[at++] = *s.texts == '\n' ? 0 : (uint8_t)*s.texts;
    if (image_memory[at - 1] != 0 || at == table_end + 4 + s.count)
        image_memory[at++] = 0;
    image_memory[at++] = 0;
    table_end = at;
    put_entry(ENTRY, TABLE, table_end - TABLE);
}

static void expect_board(const char *name)
{
    assert_null(smbios_read(&found));
    assert_string_equal(found.board, name);
}

static void assert_nothing_found(const char *reason)
{
    const char *said = smbios_read(&found);

    assert_non_null(said);
    assert_non_null(strstr(said, reason));
    for (size_t i = 0; i < sizeof found; i++)
        assert_int_equal(((const char *)&found)[i], 0);
}

#define BIOS      0, "\1\2\0\xF0\3\7", 6, "Phoenix\n6.00 PG\n09/12/2003\n"
#define MACHINE   1, "\1\2\3\0", 4, "ACME\nDesktop\n1\n"
#define BOARD(of) 2, "\1\2\0\0", 4, of
#define LAST      127, "", 0, ""

/* Structures, and the names that are found: vendor and name of the board; vendor, version and date of the
 * BIOS. */
static const struct {
    struct structure of[4];
    const char *names[5];
} SOUND[] = {
    {{{BIOS}, {MACHINE}, {2, "\2\1\0\0", 4, "P4P800\nASUSTeK\n"}, {LAST}},
     {"ASUSTeK", "P4P800", "Phoenix", "6.00 PG", "09/12/2003"}},
    /* The system stands in for a board, also for one whose texts are blank or missing. */
    {{{MACHINE}}, {"ACME", "Desktop", "", "", ""}},
    {{{MACHINE}, {2, "\1\5\0\0", 4, "   \nx\n"}}, {"ACME", "Desktop", "", "", ""}},
    /* The board wins in any order, and the first of two. */
    {{{BOARD("MSI\n865PE Neo2\n")}, {MACHINE}, {BOARD("riser\nsecond board\n")}},
     {"MSI", "865PE Neo2", "", "", ""}},
    /* Texts are made harmless, and cut. */
    {{{BOARD("a\x1B[2Jb\xFF\tc   \n0123456789012345678901234567890123456789too long\n")}},
     {"a?[2Jb??c", "0123456789012345678901234567890123456789", "", "", ""}},
    /* Old, short structures lack fields (3 stands where the number of the date would be); one has no texts at
       all. */
    {{{0, "\1\2", 2, "Aw\3rd\n4.51\nnot the date\n"}, {2, "", 0, ""}}, {"", "", "Aw?rd", "4.51", ""}},
    /* Nothing counts behind the end mark. */
    {{{LAST}, {BOARD("MSI\nboard\n")}}, {"", "", "", "", ""}},
};

static void add_all(size_t row)
{
    for (size_t i = 0; i < COUNT_OF(SOUND[row].of) && SOUND[row].of[i].texts != NULL; i++)
        add(SOUND[row].of[i]);
}

TEST(sound_structures)
{
    for (size_t i = 0; i < COUNT_OF(SOUND); i++) {
        const char *const read[] = {found.board_vendor, found.board, found.bios_vendor, found.bios_version,
                                    found.bios_date};

        set_up();
        add_all(i);
        assert_null(smbios_read(&found));
        for (size_t n = 0; n < COUNT_OF(read); n++) {
            char due[SMBIOS_CHARS];

            snprintf(due, sizeof due, "%s", SOUND[i].names[n]);
            assert_string_equal(read[n], due);
        }
    }
}

/* Entries before the damaged one are used; later ones are ignored. */
TEST(damaged_structures_end_the_table)
{
    uint32_t second;

    add((struct structure){BIOS});
    second = table_end;
    for (unsigned length = 0; length < 4; length++) {
        table_end = second;
        add((struct structure){3, "\1\2\3\3", 4, "damaged\nchassis\n"});
        add((struct structure){2, "\1\2\3\3", 4, "MSI\nboard\n"});
        image_memory[second + 1] = (uint8_t)length; /* shorter than its header */
        expect_board("");
        assert_string_equal(found.bios_vendor, "Phoenix");
    }
    table_end = second;
    add((struct structure){BOARD("MSI\nboard\n")});
    image_memory[second + 1] = 200; /* longer than what is left */
    expect_board("");
}

/* Wherever the table is cut, only whole structures are used. */
TEST(a_cut_table)
{
    uint32_t bios_end;

    add((struct structure){BIOS});
    bios_end = table_end;
    add((struct structure){BOARD("MSI\nboard\n")});
    for (uint32_t end = TABLE; end < table_end; end++) {
        put_entry(ENTRY, TABLE, end - TABLE);
        expect_board("");
        assert_string_equal(found.bios_vendor, end < bios_end ? "" : "Phoenix");
    }
}

/* ---- The entry point: under UEFI (specification 2.10: 4.3 EFI_SYSTEM_TABLE, 4.6 EFI_CONFIGURATION_TABLE),
 * and by a BIOS ---- */

#define EFI_ENTRY 0x9000u /* "_SM_", "_DMI_" is 16 bytes after it */

static void put_pointer(uint32_t at, uint32_t value)
{
    memset(image_memory + at, 0, efi_bytes);
    image_put(at, value & 0xFFFF, 2);
    image_put(at + 2, value >> 16, 2);
}

/* A system table with three configuration tables, SMBIOS's in the middle. */
static void put_efi(unsigned bytes)
{
    static const uint8_t guid[] = {0x31, 0x2D, 0x9D, 0xEB, 0x88, 0x2D, 0xD3, 0x11,
                                   0x9A, 0x16, 0x00, 0x90, 0x27, 0x3F, 0xC1, 0x4D};

    add_all(0);
    memset(image_memory + ENTRY, 0, 16);
    efi_bytes = bytes;
    memcpy(image_memory + SYSTEM, "IBI SYST", 8);
    put_pointer(SYSTEM + (bytes == 8 ? 104 : 64), 3);
    put_pointer(SYSTEM + (bytes == 8 ? 112 : 68), CONFIGURATION);
    memcpy(image_memory + CONFIGURATION + 16 + bytes, guid, sizeof guid);
    put_pointer(CONFIGURATION + 2 * 16 + bytes, EFI_ENTRY);
    memcpy(image_memory + EFI_ENTRY, "_SM_", 4);
    put_entry(EFI_ENTRY + 16, TABLE, table_end - TABLE);
}

TEST(uefi_says_where_it_is)
{
    for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
        set_up();
        put_efi(bytes);
        expect_board("P4P800");
    }
}

TEST(a_uefi_without_it)
{
    static const struct {
        uint32_t at, value; /* a byte that is not as it should be */
    } wrong[] = {
        {SYSTEM, 'X'},                       /* not a system table */
        {SYSTEM + 104, 1},                   /* the list ends before it */
        {CONFIGURATION + 2 * 16 + 8 + 4, 1}, /* above 4 GB */
        {EFI_ENTRY + 16 + 14, 0x24},         /* its checksum is wrong */
    };

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        set_up();
        put_efi(8);
        image_memory[wrong[i].at] = (uint8_t)wrong[i].value;
        assert_nothing_found("no SMBIOS entry point");
    }
    set_up();
    put_efi(4);
    put_pointer(SYSTEM + 64, 0xFFFFFFFF); /* a list that reaches outside memory */
    put_pointer(SYSTEM + 68, IMAGE_TOP - 20);
    assert_nothing_found("no SMBIOS entry point");
}

TEST(a_wrong_sum_is_no_entry)
{
    add_all(0);
    image_memory[ENTRY + 5]++;
    assert_nothing_found("no SMBIOS entry point");
    /* An entry further up is found then. */
    put_entry(ENTRY + 0x40, TABLE, table_end - TABLE);
    expect_board("P4P800");
}

TEST(an_entry_at_the_very_end)
{
    add_all(0);
    image_memory[ENTRY] = 0;
    put_entry(IMAGE_TOP - 16, TABLE, table_end - TABLE);
    expect_board("P4P800");
    /* An entry at an address that is no multiple of 16 is not found. */
    image_memory[IMAGE_TOP - 16] = 0;
    put_entry(IMAGE_TOP - 40, TABLE, table_end - TABLE);
    assert_nothing_found("no SMBIOS entry point");
}

TEST(a_table_outside_of_memory)
{
    put_entry(ENTRY, IMAGE_TOP - 4, 5);
    assert_nothing_found("outside of memory");
    put_entry(ENTRY, 0xFFFFFFF0u, 0xFFFF);
    assert_nothing_found("outside of memory");
}
