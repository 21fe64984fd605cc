/* kernel/console/screen.c: the letters, the texts and the colour of the verdict, and the lines left below it.
 */
#include <stdio.h>
#include <string.h>
#include "kernel/console/font.h"
#include "screen_cells.h"

/* The capitals of the font: rows 1 to 10 of a glyph. */
#define CAPITAL_TOP  1u
#define CAPITAL_ROWS 10u

/* The word begins at column `left`, row 1; a pixel of it is `wide` x `high` cells. The row above it holds the
 * name. That row, the row below the word and the rows of the text have the colour, too. */
static void assert_word(const char *word, unsigned left, unsigned wide, unsigned high,
                        enum screen_colour colour, unsigned text_rows)
{
    const unsigned right = left + (unsigned)strlen(word) * FONT_WIDTH * wide,
                   bottom = 1 + CAPITAL_ROWS * high;

    assert_string_equal(row(0), " a name");
    for (unsigned y = 1; y <= bottom; y++)
        for (unsigned x = 0; x < shown.columns; x++) {
            bool ink = false;

            if (y < bottom && x >= left && x < right) {
                const unsigned column = (x - left) / wide;
                const char c = word[column / 8];
                ink = FONT[c - ' '][CAPITAL_TOP + (y - 1) / high] & 0x80 >> column % 8;
            }
            if (shown.cell[y][x] != ((ink ? SCREEN_FULL_BLOCK : ' ') | colour << 8))
                fail_msg("%s: cell %u, %u is %04X", word, x, y, shown.cell[y][x]);
        }
    assert_colour(0, colour);
    for (unsigned y = 0; y < text_rows; y++)
        assert_colour(bottom + 1 + y, colour);
    assert_colour(bottom + 1 + text_rows, SCREEN_NORMAL);
}

TEST(the_word_on_80_columns)
{
    use_vga();
    say("the log\n");
    screen_verdict("a name", "PASS", "2 passed\n", true, SCREEN_GREEN);
    assert_word("PASS", 8, 2, 1, SCREEN_GREEN, 1);
    /* the P, as it looks */
    assert_memory_equal(row(1) + 8, "############    ", 16);
    assert_memory_equal(row(2) + 8, "####      ####  ", 16);
    assert_memory_equal(row(5) + 8, "####      ####  ", 16);
    assert_memory_equal(row(6) + 8, "############    ", 16);
    assert_memory_equal(row(7) + 8, "####            ", 16);
    assert_memory_equal(row(10) + 8, "####            ", 16);
    assert_string_equal(row(12), " 2 passed");
    assert_string_equal(row(13), "the log");
    use_vga();
    screen_verdict("a name", "FAIL", "1 failed\nfailed: a.b, c.d", true, SCREEN_RED);
    assert_word("FAIL", 8, 2, 1, SCREEN_RED, 2);
    assert_string_equal(row(13), " failed: a.b, c.d");
    use_vga();
    screen_verdict("a name", "BROKEN", "", true, SCREEN_RED);
    assert_word("BROKEN", 16, 1, 1, SCREEN_RED, 0);
    use_vga();
    screen_verdict("a name", "SKIPPED", "", true, SCREEN_YELLOW);
    assert_word("SKIPPED", 12, 1, 1, SCREEN_YELLOW, 0);
}

TEST(the_word_on_a_framebuffer)
{
    use_framebuffer(1024, 768);
    screen_verdict("a name", "PASS", "", true, SCREEN_GREEN);
    assert_word("PASS", 0, 4, 2, SCREEN_GREEN, 0);
    use_framebuffer(1024, 768);
    screen_verdict("a name", "SKIPPED", "", true, SCREEN_YELLOW);
    assert_word("SKIPPED", 8, 2, 1, SCREEN_YELLOW, 0);
    use_framebuffer(800, 600);
    screen_verdict("a name", "FAIL", "", true, SCREEN_RED);
    assert_word("FAIL", 18, 2, 1, SCREEN_RED, 0);
    use_framebuffer(640, 400);
    screen_verdict("a name", "SKIPPED", "", true, SCREEN_YELLOW);
    assert_word("SKIPPED", 12, 1, 1, SCREEN_YELLOW, 0);
    use_framebuffer(1280, 400); /* wide enough for twice the size, not high enough */
    screen_verdict("a name", "PASS", "", true, SCREEN_GREEN);
    assert_word("PASS", 48, 2, 1, SCREEN_GREEN, 0);
}

/* A row of 80 columns has room for 78 characters, one that goes on for 76. */
TEST(the_text_has_whole_words)
{
    char text[300] = "", word[81];

    memset(word, 'x', sizeof word - 1);
    word[80] = '\0';
    for (unsigned n = 0; n < 15; n++)
        strcat(text, "a-word ten-chars ");
    use_vga();
    screen_verdict("a name", "FAIL", text, false, SCREEN_RED); /* 17 characters 15 times */
    assert_word("FAIL", 8, 2, 1, SCREEN_RED, 4);
    assert_string_equal(row(12),
                        " a-word ten-chars a-word ten-chars a-word ten-chars a-word ten-chars a-word");
    assert_string_equal(row(13), "   ten-chars a-word ten-chars a-word ten-chars a-word ten-chars a-word");
    use_vga();
    screen_verdict("a name", "FAIL", word, false, SCREEN_RED); /* no blank: cut where the row ends */
    assert_word("FAIL", 8, 2, 1, SCREEN_RED, 2);
    assert_int_equal(strlen(row(12)), 1 + 78);
    assert_string_equal(row(13), "   xx");
    word[78] = '\0';
    use_vga();
    screen_verdict("a name", "FAIL", word, false, SCREEN_RED); /* just a row */
    assert_word("FAIL", 8, 2, 1, SCREEN_RED, 1);
    use_vga();
    screen_bottom("the bottom", SCREEN_RED);
    screen_verdict("a name", "FAIL", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n", true, SCREEN_RED);
    assert_string_equal(row(23), " 12");
    assert_string_equal(row(24), " the bottom");
}

TEST(texts_are_made_harmless)
{
    use_vga();
    screen_bottom("a\nb\x7F", SCREEN_RED);
    assert_string_equal(row(24), " a?b?");
    screen_verdict("a name", "PASS", "c\x7F\nd", true, SCREEN_GREEN);
    assert_string_equal(row(12), " c?");
    assert_string_equal(row(13), " d");
}

/* The verdict keeps as many of the last lines as fit below it, or none. */
TEST(the_last_lines_stay_below_the_verdict)
{
    for (unsigned lines = 0; lines < 100; lines++) {
        char text[20];
        const unsigned room = 10, kept = lines < room ? lines : room; /* rows 14 to 23 */
        const bool log_below = lines % 3 > 0;

        use_vga();
        screen_bottom("running", SCREEN_GREEN);
        for (unsigned i = 0; i < lines; i++) {
            snprintf(text, sizeof text, "line %u\n", i);
            say(text);
        }
        screen_verdict("a name", "PASS", "one\ntwo\n", log_below, SCREEN_GREEN);
        assert_word("PASS", 8, 2, 1, SCREEN_GREEN, 2);
        for (unsigned i = 0; i < room; i++) {
            snprintf(text, sizeof text, "line %u", lines - kept + i);
            assert_string_equal(row(14 + i), log_below && i < kept ? text : "");
        }
        assert_string_equal(row(24), " running");
    }
    use_vga();
    say("one\ntwo"); /* a line that is not ended counts */
    screen_verdict("a name", "PASS", "", true, SCREEN_GREEN);
    assert_string_equal(row(13), "two");
}

TEST(a_large_framebuffer_is_used_in_part)
{
    use_framebuffer(1920, 1200);
    screen_bottom("x", SCREEN_GREEN);
    assert_int_equal(shown.cell[63][159] >> 8, SCREEN_GREEN);
    assert_int_equal(shown.cell[63][160] >> 8, SCREEN_NORMAL);
    screen_verdict("a name", "PASS", "", true, SCREEN_GREEN);
    assert_int_equal(shown.cell[0][159] >> 8, SCREEN_GREEN);
    assert_int_equal(shown.cell[0][160] >> 8, SCREEN_NORMAL);
}
