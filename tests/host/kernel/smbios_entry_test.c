/* kernel/firmware/smbios.c: where the entry point of the tables is found, by a BIOS and under UEFI. */
#include "smbios_table.h"

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
    clear();
    put_efi(8);
    image_memory[SYSTEM]++; /* not a system table */
    assert_nothing_found("no SMBIOS entry point");
    clear();
    put_efi(8);
    put_pointer(SYSTEM + 104, 1); /* the list ends before it */
    assert_nothing_found("no SMBIOS entry point");
    clear();
    put_efi(8);
    image_memory[CONFIGURATION + 2 * 16 + 8 + 4] = 1; /* above 4 GB */
    assert_nothing_found("no SMBIOS entry point");
    clear();
    put_efi(8);
    image_memory[EFI_ENTRY + 16 + 14]++; /* its checksum is wrong */
    assert_nothing_found("no SMBIOS entry point");
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
