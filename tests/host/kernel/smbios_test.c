/* kernel/firmware/smbios.c: the names of the board and the BIOS, in sound tables and in defective ones. */
#include "smbios_table.h"

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
