/*
 * kernel/console/screen.c over a device that only stores its cells: which line of the log is in which row,
 * how many cells are drawn; and the letters, the texts and the colour of the verdict, and the lines left
 * below it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/console/console.h"
#include "tests/host/support/host_test.h"

#define COLUMNS_MOST 240u /* of the largest framebuffer here, 1920 pixels wide */
#define ROWS_MOST    100u
#define VGA_LINES    25u

static struct {
    unsigned columns, rows; /* of the device in use */
    unsigned draws;
    uint16_t cell[ROWS_MOST][COLUMNS_MOST];
} shown;

static void draw(unsigned x, unsigned y, uint16_t cell)
{
    assert_true(x < shown.columns && y < shown.rows);
    shown.cell[y][x] = cell;
    shown.draws++;
}

/* As after the boot line was read, screen_init() must begin with an empty screen, whatever the test before
 * left. */
static void use_device(unsigned columns, unsigned rows)
{
    static struct screen_device device = {.draw = draw};

    memset(&shown, 0, sizeof shown);
    shown.columns = device.columns = columns;
    shown.rows = device.rows = rows;
    for (unsigned y = 0; y < rows; y++)
        for (unsigned x = 0; x < columns; x++)
            shown.cell[y][x] = ' ' | SCREEN_NORMAL << 8;
    screen_init(&device);
}

static void use_vga(void)
{
    use_device(80, VGA_LINES);
}

/* Pixels, in cells of 8 x 16. */
static void use_framebuffer(uint32_t width, uint32_t height)
{
    use_device(width / 8, height / 16);
}

static void say(const char *text)
{
    screen_write(text, strlen(text));
}

/* The row as text, without blanks at its end, a full block as '#'. */
static const char *row(unsigned y)
{
    static char text[COLUMNS_MOST + 1];
    unsigned length = 0;

    for (unsigned x = 0; x < shown.columns; x++) {
        const uint8_t c = (uint8_t)shown.cell[y][x];
        text[x] = (char)(c == SCREEN_FULL_BLOCK ? '#' : c);
        if (text[x] != ' ')
            length = x + 1;
    }
    text[length] = '\0';
    return text;
}

static void assert_colour(unsigned y, enum screen_colour colour)
{
    for (unsigned x = 0; x < shown.columns; x++)
        assert_int_equal(shown.cell[y][x] >> 8, colour);
}

/* ---- The log ---- */

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
    shown.draws = 0;
    screen_bottom("14", SCREEN_RED); /* one cell differs */
    assert_int_equal(shown.draws, 1);
    assert_string_equal(row(24), " 14");
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

/* ---- The verdict ---- */

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

TEST(the_word_is_as_large_as_fits)
{
    static const struct {
        uint32_t width, height; /* of a framebuffer; 0: the text screen */
        const char *word;
        unsigned left, wide, high;
    } rows[] = {
        {0, 0, "PASS", 8, 2, 1},         {0, 0, "BROKEN", 16, 1, 1},      {0, 0, "SKIPPED", 12, 1, 1},
        {1024, 768, "PASS", 0, 4, 2},    {1024, 768, "SKIPPED", 8, 2, 1}, {800, 600, "FAIL", 18, 2, 1},
        {640, 400, "SKIPPED", 12, 1, 1}, {1280, 400, "PASS", 48, 2, 1}, /* wide enough for twice the size, not
                                                                           high enough */
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].width == 0)
            use_vga();
        else
            use_framebuffer(rows[i].width, rows[i].height);
        screen_verdict("a name", rows[i].word, "", true, SCREEN_YELLOW);
        assert_word(rows[i].word, rows[i].left, rows[i].wide, rows[i].high, SCREEN_YELLOW, 0);
    }
}

static void say_failed(const char *text, unsigned rows)
{
    use_vga();
    screen_verdict("a name", "FAIL", text, false, SCREEN_RED);
    assert_word("FAIL", 8, 2, 1, SCREEN_RED, rows);
}

/* A row of 80 columns has room for 78 characters, one that goes on for 76. */
TEST(the_text_has_whole_words)
{
    char text[300] = "", word[81];

    memset(word, 'x', sizeof word - 1);
    word[80] = '\0';
    for (unsigned n = 0; n < 15; n++)
        strcat(text, "a-word ten-chars ");
    say_failed(text, 4); /* 17 characters 15 times */
    assert_string_equal(row(12),
                        " a-word ten-chars a-word ten-chars a-word ten-chars a-word ten-chars a-word");
    assert_string_equal(row(13), "   ten-chars a-word ten-chars a-word ten-chars a-word ten-chars a-word");
    say_failed(word, 2); /* no blank: cut where the row ends */
    assert_int_equal(strlen(row(12)), 1 + 78);
    assert_string_equal(row(13), "   xx");
    word[78] = '\0';
    say_failed(word, 1); /* just a row */
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

/* Pages hold all of the text, each begins where the one before ended, and blanks fill the last one. */
TEST(pages)
{
    char text[200] = "";

    use_vga();
    say("before");
    screen_bottom("the bottom", SCREEN_RED);
    for (unsigned line = 0; line < VGA_LINES + 4; line++)
        sprintf(text + strlen(text), "%u\n", line);
    const unsigned draws = shown.draws;
    const size_t first = screen_page(text, false);
    assert_int_equal(shown.draws, draws);
    assert_int_equal(screen_page(text, true), first);
    for (unsigned y = 0; y < VGA_LINES - 1; y++)
        assert_int_equal(atoi(row(y) + 1), y);
    assert_int_equal(screen_page(text + first, true), strlen(text + first));
    assert_string_equal(row(0), " 24");
    assert_string_equal(row(4), " 28");
    assert_string_equal(row(5), "");
    assert_string_equal(row(VGA_LINES - 1), " the bottom");
}
