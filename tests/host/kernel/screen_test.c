/*
 * kernel/console/screen.c over a device that only stores its cells: which line of the log is in which row,
 * and how many cells are drawn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "screen_cells.h"

TEST(without_a_screen_nothing_happens)
{
    memset(&shown, 0, sizeof shown);
    screen_init(NULL);
    say("a line\n");
    screen_bottom("1/2", SCREEN_GREEN);
    screen_verdict("a name", "PASS", "one\ntwo", true, SCREEN_GREEN);
    assert_int_equal(shown.draws, 0);
}

TEST(text_and_line_ends)
{
    use_vga();
    say("one\r\ntwo\n\n");
    say("tab\there, \x7F\xE4\n");
    assert_string_equal(row(0), "one");
    assert_string_equal(row(1), "two");
    assert_string_equal(row(2), "");
    assert_string_equal(row(3), "tab?here, ??");
    assert_int_equal(shown.cell[0][0] >> 8, SCREEN_NORMAL);
}

TEST(a_long_line_goes_on_in_the_next_row)
{
    char line[82];
    use_vga();
    memset(line, 'a', 80);
    screen_write(line, 80);
    say("\nb"); /* a full row and its line end: no empty row */
    assert_int_equal(strlen(row(0)), 80);
    assert_string_equal(row(1), "b");
    memset(line, 'c', 80);
    screen_write(line, 80);
    assert_int_equal(strlen(row(1)), 80);
    assert_string_equal(row(2), "c");
}

/* After any number of lines the screen holds the last ones, in order, on more than a third of its rows. */
TEST(the_last_lines_stay)
{
    use_vga();
    screen_bottom("the bottom", SCREEN_GREEN);
    for (unsigned last = 0; last < 200; last++) {
        char text[40];
        unsigned lines = 0;

        snprintf(text, sizeof text, "%*s%u\n", (int)(last * 7 % 30), "", last);
        say(text);
        while (lines < VGA_LINES - 1 && row(lines)[0] != '\0')
            lines++;
        assert_true(lines > last || lines >= 9);
        for (unsigned y = 0; y < VGA_LINES - 1; y++)
            if (y < lines)
                assert_int_equal(atoi(row(y)), last + 1 + y - lines);
            else
                assert_string_equal(row(y), "");
        assert_string_equal(row(VGA_LINES - 1), " the bottom");
    }
}

TEST(the_bottom_line)
{
    char longer[100];
    use_vga();
    screen_bottom("12/497, 0 failed: cascade.18-1", SCREEN_GREEN);
    assert_string_equal(row(24), " 12/497, 0 failed: cascade.18-1");
    assert_colour(24, SCREEN_GREEN);
    screen_bottom("13", SCREEN_RED);
    assert_string_equal(row(24), " 13");
    assert_colour(24, SCREEN_RED);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    screen_bottom(longer, SCREEN_RED);
    assert_int_equal(strlen(row(24)), 80);
    for (unsigned y = 0; y < 24; y++)
        assert_string_equal(row(y), "");
}

/* A full log on 1024x768 pixels. A cell is 512 bytes there, so that three draws for each character are 1.5
 * kB: with 45,000 characters and 100 MB/s less than a second in all. */
TEST(a_full_log_is_cheap)
{
    unsigned characters = 0;
    use_framebuffer(1024, 768);
    for (unsigned i = 0; i < 1100; i++) {
        char text[100];

        characters +=
            (unsigned)snprintf(text, sizeof text, "ok %u - vector.%0*u\n", i, (int)(i * 13 % 50), i * i);
        say(text);
    }
    assert_true(characters > 35000);
    if (shown.draws > 3 * characters)
        fail_msg("%u cells drawn for %u characters", shown.draws, characters);
}

TEST(nothing_is_drawn_twice)
{
    use_vga();
    screen_bottom("1/3, 0 failed", SCREEN_GREEN);
    shown.draws = 0;
    screen_bottom("2/3, 0 failed", SCREEN_GREEN);
    assert_int_equal(shown.draws, 1);
}

/* screen_init() again, after the boot line was read, begins with an empty screen. */
TEST(a_second_start)
{
    use_vga();
    say("old\nold");
    use_vga();
    say("new");
    assert_string_equal(row(0), "new");
    assert_string_equal(row(1), "");
}
