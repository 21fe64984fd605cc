/* kernel/console/screen.c: the letters, the texts and the colour of the verdict, and the lines left below it.
 */
#include <stdio.h>
#include <string.h>
#include "kernel/console/font.h"
#include "screen_cells.h"

/* The capitals of the font: rows 1 to 10 of a glyph. */
#define CAPITAL_TOP  1u
#define CAPITAL_ROWS 10u

/* The word begins at column `left`, row 1; a pixel of it is `wide` x `high` cells. The row above it, the row
 * below it and the two rows of texts have the colour, too. */
static void assert_word(const char *word, unsigned left, unsigned wide, unsigned high,
                        enum screen_colour colour)
{
    const unsigned right = left + (unsigned)strlen(word) * FONT_WIDTH * wide,
                   bottom = 1 + CAPITAL_ROWS * high;

    for (unsigned y = 0; y <= bottom; y++)
        for (unsigned x = 0; x < shown.columns; x++) {
            bool ink = false;

            if (y >= 1 && y < bottom && x >= left && x < right) {
                const unsigned column = (x - left) / wide;
                const char c = word[column / 8];
                ink = FONT[c - ' '][CAPITAL_TOP + (y - 1) / high] & 0x80 >> column % 8;
            }
            if (shown.cell[y][x] != ((ink ? SCREEN_BLOCK : ' ') | colour << 8))
                fail_msg("%s: cell %u, %u is %04X", word, x, y, shown.cell[y][x]);
        }
    assert_colour(bottom + 1, colour);
    assert_colour(bottom + 2, colour);
    assert_colour(bottom + 3, SCREEN_NORMAL);
}

TEST(the_word_on_80_columns)
{
    use_vga();
    say("the log\n");
    screen_verdict("PASS", "2 passed", "", SCREEN_GREEN);
    assert_word("PASS", 8, 2, 1, SCREEN_GREEN);
    /* the P, as it looks */
    assert_memory_equal(row(1) + 8, "############    ", 16);
    assert_memory_equal(row(2) + 8, "####      ####  ", 16);
    assert_memory_equal(row(5) + 8, "####      ####  ", 16);
    assert_memory_equal(row(6) + 8, "############    ", 16);
    assert_memory_equal(row(7) + 8, "####            ", 16);
    assert_memory_equal(row(10) + 8, "####            ", 16);
    assert_string_equal(row(12), " 2 passed");
    assert_string_equal(row(13), "");
    use_vga();
    screen_verdict("FAIL", "", "failed: a.b, c.d", SCREEN_RED);
    assert_word("FAIL", 8, 2, 1, SCREEN_RED);
    assert_string_equal(row(13), " failed: a.b, c.d");
    use_vga();
    screen_verdict("BROKEN", "", "", SCREEN_RED);
    assert_word("BROKEN", 16, 1, 1, SCREEN_RED);
    use_vga();
    screen_verdict("SKIPPED", "", "", SCREEN_YELLOW);
    assert_word("SKIPPED", 12, 1, 1, SCREEN_YELLOW);
}

TEST(the_word_on_a_framebuffer)
{
    use_framebuffer(1024, 768);
    screen_verdict("PASS", "", "", SCREEN_GREEN);
    assert_word("PASS", 0, 4, 2, SCREEN_GREEN);
    use_framebuffer(1024, 768);
    screen_verdict("SKIPPED", "", "", SCREEN_YELLOW);
    assert_word("SKIPPED", 8, 2, 1, SCREEN_YELLOW);
    use_framebuffer(800, 600);
    screen_verdict("FAIL", "", "", SCREEN_RED);
    assert_word("FAIL", 18, 2, 1, SCREEN_RED);
    use_framebuffer(640, 400);
    screen_verdict("SKIPPED", "", "", SCREEN_YELLOW);
    assert_word("SKIPPED", 12, 1, 1, SCREEN_YELLOW);
    use_framebuffer(1280, 400); /* wide enough for twice the size, not high enough */
    screen_verdict("PASS", "", "", SCREEN_GREEN);
    assert_word("PASS", 48, 2, 1, SCREEN_GREEN);
}

TEST(texts_are_cut_and_made_harmless)
{
    char longer[200];
    use_vga();
    screen_bottom("a\nb\x7F", SCREEN_RED);
    assert_string_equal(row(24), " a?b?");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    use_vga();
    screen_verdict("PASS", longer, longer, SCREEN_GREEN);
    assert_word("PASS", 8, 2, 1, SCREEN_GREEN);
    assert_int_equal(strlen(row(12)), 80);
    assert_int_equal(strlen(row(13)), 80);
    assert_string_equal(row(14), "");
}

/* The verdict keeps as many of the last lines as fit below it. */
TEST(the_last_lines_stay_below_the_verdict)
{
    for (unsigned lines = 0; lines < 100; lines++) {
        char text[20];
        const unsigned room = 10, kept = lines < room ? lines : room; /* rows 14 to 23 */

        use_vga();
        screen_bottom("running", SCREEN_GREEN);
        for (unsigned i = 0; i < lines; i++) {
            snprintf(text, sizeof text, "line %u\n", i);
            say(text);
        }
        screen_verdict("PASS", "", "", SCREEN_GREEN);
        assert_word("PASS", 8, 2, 1, SCREEN_GREEN);
        for (unsigned i = 0; i < room; i++) {
            snprintf(text, sizeof text, "line %u", lines - kept + i);
            assert_string_equal(row(14 + i), i < kept ? text : "");
        }
        assert_string_equal(row(24), " running");
    }
    use_vga();
    say("one\ntwo"); /* a line that is not ended counts */
    screen_verdict("PASS", "", "", SCREEN_GREEN);
    assert_string_equal(row(15), "two");
}

TEST(a_large_framebuffer_is_used_in_part)
{
    use_framebuffer(1920, 1200);
    screen_bottom("x", SCREEN_GREEN);
    assert_int_equal(shown.cell[63][159] >> 8, SCREEN_GREEN);
    assert_int_equal(shown.cell[63][160] >> 8, SCREEN_NORMAL);
    screen_verdict("PASS", "", "", SCREEN_GREEN);
    assert_int_equal(shown.cell[0][159] >> 8, SCREEN_GREEN);
    assert_int_equal(shown.cell[0][160] >> 8, SCREEN_NORMAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_word_on_80_columns),
        cmocka_unit_test(the_word_on_a_framebuffer),
        cmocka_unit_test(texts_are_cut_and_made_harmless),
        cmocka_unit_test(the_last_lines_stay_below_the_verdict),
        cmocka_unit_test(a_large_framebuffer_is_used_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
