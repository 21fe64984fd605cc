/*
 * kernel/firmware/smbios.c: where the entry point of the tables is found, by a BIOS and under UEFI, and the
 * names of the board and the BIOS, in sound tables and in defective ones. Layouts typed from the SMBIOS
 * reference specification 2.3 (2.1, 3.1, 3.3.1 to 3.3.3).
 */
#include <string.h>
#include "kernel/firmware/firmware.h"
#include "tests/host/support/host_test.h"
#include "tests/host/support/physical.h"

#define ENTRY 0xF1230u
#define TABLE 0xE8000u

static uint32_t table_end;
static struct smbios found;

STUB(const uint8_t *, multiboot_rsdp, (size_t * length), *length = 0, NULL);

/* UEFI's tables; efi_bytes is 0 without UEFI. */
#define SYSTEM        0x7000u
#define CONFIGURATION 0x8004u
static unsigned efi_bytes;

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

/* Append a structure: the fields after its header, and texts, each ended by a newline here. */
static void add(uint8_t type, const char *fields, size_t count, const char *texts)
{
    uint32_t at = table_end;

    image_memory[at] = type;
    image_memory[at + 1] = (uint8_t)(4 + count);
    image_put(at + 2, type, 2);
    memcpy(image_memory + at + 4, fields, count);
    at += 4 + (uint32_t)count;
    for (; *texts != '\0'; texts++)
        image_memory[at++] = *texts == '\n' ? 0 : (uint8_t)*texts;
    if (image_memory[at - 1] != 0 || at == table_end + 4 + count)
        image_memory[at++] = 0;
    image_memory[at++] = 0;
    table_end = at;
    put_entry(ENTRY, TABLE, table_end - TABLE);
}

BEFORE_EACH(clear)
{
    image_clear();
    memset(&found, 0x5A, sizeof found);
    table_end = TABLE;
    efi_bytes = 0;
}

static void add_board(void)
{
    add(0, "\1\2\0\xF0\3\7", 6, "Phoenix\n6.00 PG\n09/12/2003\n");
    add(1, "\1\2\3\0", 4, "ACME\nDesktop\n1\n");
    add(2, "\2\1\0\0", 4, "P4P800\nASUSTeK\n");
    add(127, "", 0, "");
}

static void assert_nothing_found(const char *reason)
{
    const char *said = smbios_read(&found);

    assert_non_null(said);
    assert_non_null(strstr(said, reason));
    for (size_t i = 0; i < sizeof found; i++)
        assert_int_equal(((const char *)&found)[i], 0);
}

TEST(a_sound_board_is_named)
{
    add_board();
    assert_null(smbios_read(&found));
    assert_string_equal(found.board_vendor, "ASUSTeK");
    assert_string_equal(found.board, "P4P800");
    assert_string_equal(found.bios_vendor, "Phoenix");
    assert_string_equal(found.bios_version, "6.00 PG");
    assert_string_equal(found.bios_date, "09/12/2003");
}

TEST(the_system_stands_in_for_a_board)
{
    add(1, "\1\2\3\0", 4, "ACME\nDesktop\n1\n");
    assert_null(smbios_read(&found));
    assert_string_equal(found.board_vendor, "ACME");
    assert_string_equal(found.board, "Desktop");
    assert_string_equal(found.bios_vendor, "");
    /* A board whose texts are blank or missing does not take that away. */
    add(2, "\1\5\0\0", 4, "   \nx\n");
    assert_null(smbios_read(&found));
    assert_string_equal(found.board_vendor, "ACME");
    assert_string_equal(found.board, "Desktop");
}

TEST(the_board_wins_in_any_order)
{
    add(2, "\1\2\0\0", 4, "MSI\n865PE Neo2\n");
    add(1, "\1\2\3\0", 4, "ACME\nDesktop\n1\n");
    add(2, "\1\2\0\0", 4, "riser\nsecond board\n");
    assert_null(smbios_read(&found));
    assert_string_equal(found.board_vendor, "MSI");
    assert_string_equal(found.board, "865PE Neo2");
}

TEST(texts_are_made_harmless)
{
    add(2, "\1\2\0\0", 4, "a\x1B[2Jb\xFF\tc   \n0123456789012345678901234567890123456789too long\n");
    assert_null(smbios_read(&found));
    assert_string_equal(found.board_vendor, "a?[2Jb??c");
    assert_int_equal(strlen(found.board), SMBIOS_CHARS - 1);
    assert_memory_equal(found.board, "0123456789012345678901234567890123456789", SMBIOS_CHARS - 1);
}

/* Old, short structures lack fields; one has no texts at all. */
TEST(short_structures_have_less)
{
    add(0, "\1\2", 2, "Aw\3rd\n4.51\nnot the date\n"); /* 3 where the number of the date would be */
    add(2, "", 0, "");
    assert_null(smbios_read(&found));
    assert_string_equal(found.bios_vendor, "Aw?rd");
    assert_string_equal(found.bios_version, "4.51");
    assert_string_equal(found.bios_date, "");
    assert_string_equal(found.board, "");
}

/* Entries before the damaged one are used; later ones are ignored. */
TEST(damaged_structures_end_the_table)
{
    uint32_t second;

    add(0, "\1\2\0\xF0\3\7", 6, "Phoenix\n6.00 PG\n09/12/2003\n");
    second = table_end;
    for (unsigned length = 0; length < 4; length++) {
        table_end = second;
        add(3, "\1\2\3\3", 4, "damaged\nchassis\n");
        add(2, "\1\2\3\3", 4, "MSI\nboard\n");
        image_memory[second + 1] = (uint8_t)length; /* shorter than its header */
        assert_null(smbios_read(&found));
        assert_string_equal(found.bios_vendor, "Phoenix");
        assert_string_equal(found.board, "");
    }
    table_end = second;
    add(2, "\1\2\0\0", 4, "MSI\nboard\n");
    image_memory[second + 1] = 200; /* longer than what is left */
    assert_null(smbios_read(&found));
    assert_string_equal(found.board, "");
}

/* Wherever the table is cut, only whole structures are used. */
TEST(a_cut_table)
{
    uint32_t bios_end;

    add(0, "\1\2\0\xF0\3\7", 6, "Phoenix\n6.00 PG\n09/12/2003\n");
    bios_end = table_end;
    add(2, "\1\2\0\0", 4, "MSI\nboard\n");
    for (uint32_t end = TABLE; end < table_end; end++) {
        put_entry(ENTRY, TABLE, end - TABLE);
        assert_null(smbios_read(&found));
        assert_string_equal(found.bios_vendor, end < bios_end ? "" : "Phoenix");
        assert_string_equal(found.board, "");
    }
}

TEST(nothing_behind_the_end_mark)
{
    add(127, "", 0, "");
    add(2, "\1\2\0\0", 4, "MSI\nboard\n");
    assert_null(smbios_read(&found));
    assert_string_equal(found.board, "");
}

/* ---- The entry point ---- */

TEST(nothing_there)
{
    assert_nothing_found("no SMBIOS entry point");
}

/* ---- Under UEFI (specification 2.10: 4.3 EFI_SYSTEM_TABLE, 4.6 EFI_CONFIGURATION_TABLE) ---- */

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

    add_board();
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
        clear();
        put_efi(bytes);
        assert_null(smbios_read(&found));
        assert_string_equal(found.board, "P4P800");
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
        clear();
        put_efi(8);
        image_memory[wrong[i].at] = (uint8_t)wrong[i].value;
        assert_nothing_found("no SMBIOS entry point");
    }
    clear();
    put_efi(4);
    put_pointer(SYSTEM + 64, 0xFFFFFFFF); /* a list that reaches outside memory */
    put_pointer(SYSTEM + 68, IMAGE_TOP - 20);
    assert_nothing_found("no SMBIOS entry point");
}

TEST(a_wrong_sum_is_no_entry)
{
    add_board();
    image_memory[ENTRY + 5]++;
    assert_nothing_found("no SMBIOS entry point");
    /* An entry further up is found then. */
    put_entry(ENTRY + 0x40, TABLE, table_end - TABLE);
    assert_null(smbios_read(&found));
    assert_string_equal(found.board, "P4P800");
}

TEST(an_entry_at_the_very_end)
{
    add_board();
    image_memory[ENTRY] = 0;
    put_entry(IMAGE_TOP - 16, TABLE, table_end - TABLE);
    assert_null(smbios_read(&found));
    assert_string_equal(found.board, "P4P800");
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
