/*
 * The cells of the screen. A full screen scrolls by many rows at once: a row of a framebuffer is tens of
 * thousands of bytes to draw, so that scrolling at each line of the log would draw the whole screen each
 * time.
 */
#include "console.h"
#include <stdbool.h>

#define SCROLL_DIVISOR 2u /* a full screen scrolls by this part of its rows */
#define INDENT         2u /* of every row of a line after its first */
#define WORD_SHARE     2u /* the verdict's letters take at most this part of the rows */

#define BLANK(colour) ((uint16_t)(' ' | (colour) << 8))

static struct {
    void (*draw)(unsigned x, unsigned y, uint16_t cell);
    unsigned columns, rows; /* of the log: the bottom line is not counted */
    unsigned column, row;   /* where the next character goes */
    /* For each row an upper bound of the cells in use: all cells after it are blanks in SCREEN_NORMAL. */
    uint8_t length[SCREEN_ROWS_MAX];
    uint16_t cell[SCREEN_ROWS_MAX][SCREEN_COLUMNS_MAX];
} screen;

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The cell that shows a character of a text; '?' for a character that does not print. */
static uint16_t cell_of(char c, enum screen_colour colour)
{
    return (uint16_t)((c >= ' ' && c <= '~' ? c : '?') | colour << 8);
}

static void put(unsigned x, unsigned y, uint16_t cell)
{
    if (screen.cell[y][x] == cell)
        return;
    screen.cell[y][x] = cell;
    if (x >= screen.length[y])
        screen.length[y] = (uint8_t)(x + 1);
    screen.draw(x, y, cell);
}

void screen_init(const struct screen_device *device)
{
    screen.columns = screen.rows = screen.column = screen.row = 0;
    if (device != NULL) {
        screen.draw = device->draw;
        screen.columns = least(device->columns, SCREEN_COLUMNS_MAX);
        screen.rows = least(device->rows, SCREEN_ROWS_MAX) - 1;
    }
    for (unsigned y = 0; y < SCREEN_ROWS_MAX; y++)
        for (unsigned x = 0; x < SCREEN_COLUMNS_MAX; x++)
            screen.cell[y][x] = BLANK(SCREEN_NORMAL);
}

bool screen_shown(void)
{
    return screen.columns > 0;
}

/* Copy row `from` of the log to row y. Row y becomes blank when there is no row `from`. */
static void copy_row(unsigned y, unsigned from)
{
    const unsigned length = from < screen.rows ? screen.length[from] : 0;

    for (unsigned x = 0; x < length || x < screen.length[y]; x++)
        put(x, y, x < length ? screen.cell[from][x] : BLANK(SCREEN_NORMAL));
    screen.length[y] = (uint8_t)length;
}

static void new_line(void)
{
    const unsigned step = screen.rows / SCROLL_DIVISOR;

    screen.column = 0;
    if (++screen.row < screen.rows)
        return;
    for (unsigned y = 0; y < screen.rows; y++)
        copy_row(y, y + step);
    screen.row -= step;
}

void screen_write(const char *text, size_t length)
{
    if (screen.columns == 0)
        return;
    for (; length > 0; length--, text++) {
        if (*text == '\n') {
            new_line();
        } else if (*text != '\r') {
            if (screen.column == screen.columns)
                new_line();
            put(screen.column++, screen.row, cell_of(*text, SCREEN_NORMAL));
        }
    }
}

/* Fill row y with this colour; the text begins in column 1. */
static void fill_row(unsigned y, const char *text, enum screen_colour colour)
{
    put(0, y, BLANK(colour));
    for (unsigned x = 1; x < screen.columns; x++)
        put(x, y, cell_of((char)(*text != '\0' ? *text++ : ' '), colour));
}

void screen_bottom(const char *text, enum screen_colour colour)
{
    if (screen.columns > 0)
        fill_row(screen.rows, text, colour);
}

static const uint8_t *glyph(char c)
{
    return FONT[c - FONT_FIRST];
}

/*
 * Take a row of whole words off the front of the text, without the blank or line end after it. Rows after the
 * first one of a line are indented. False at the end of the text.
 */
static bool take_row(const char **text, bool *goes_on, char row[SCREEN_COLUMNS_MAX + 1])
{
    const char *at = *text;
    const unsigned indent = *goes_on ? INDENT : 0, room = screen.columns - 2 - indent;
    unsigned length = 0, last_blank = 0;

    if (*at == '\0')
        return false;
    for (; length < room && at[length] != '\n' && at[length] != '\0'; length++)
        if (at[length] == ' ')
            last_blank = length;
    *goes_on = at[length] != '\n' && at[length] != '\0';
    if (*goes_on && at[length] != ' ' && last_blank > 0)
        length = last_blank;
    for (unsigned i = 0; i < indent + length; i++)
        row[i] = (char)(i < indent ? ' ' : at[i - indent]);
    row[indent + length] = '\0';
    at += length;
    *text = *at == ' ' || *at == '\n' ? at + 1 : at;
    return true;
}

/* Show the text in rows from y on, in this colour; returns the row after it. If drawn is false, only count
 * the rows. */
static unsigned fill_text(unsigned y, const char *text, enum screen_colour colour, bool drawn)
{
    char row[SCREEN_COLUMNS_MAX + 1];
    bool goes_on = false;

    for (; y < screen.rows && take_row(&text, &goes_on, row); y++)
        if (drawn)
            fill_row(y, row, colour);
    return y;
}

/* Move the log's last lines so that they begin at row top. They move down, so the lowest is copied first. */
static void keep_last_lines(unsigned top, bool log_below)
{
    const unsigned used = screen.row + (screen.column > 0),
                   kept = log_below ? least(used, screen.rows - top) : 0;

    for (unsigned n = screen.rows - top; n-- > 0;)
        copy_row(top + n, n < kept ? used - kept + n : screen.rows);
}

void screen_verdict(const char *name, const char *word, const char *text, bool log_below,
                    enum screen_colour colour)
{
    unsigned letters = 0, begin = FONT_ROWS, end = 0; /* the rows of the glyphs that are not blank */

    if (screen.columns == 0)
        return;
    for (; word[letters] != '\0'; letters++)
        for (unsigned row = 0; row < FONT_ROWS; row++)
            if (glyph(word[letters])[row] != 0) {
                begin = least(begin, row);
                end = end > row ? end : row + 1;
            }

    /* A pixel of the glyphs takes `high` rows and `wide` columns. It is square when there is room (a cell is
     * twice as high as wide), else narrow. */
    const unsigned across = letters * FONT_WIDTH;
    unsigned high = least(screen.columns / (2 * across), screen.rows / WORD_SHARE / (end - begin));
    unsigned wide = 2 * high;

    if (high == 0)
        high = wide = 1;
    const unsigned left = (screen.columns - across * wide) / 2, top = (end - begin) * high + 2;

    keep_last_lines(fill_text(top, text, colour, false), log_below);
    for (unsigned y = 0; y < top; y++)
        fill_row(y, y == 0 ? name : "", colour);
    for (unsigned y = 1; y + 1 < top; y++)
        for (unsigned x = 0; x < across * wide; x++) {
            const unsigned pixel = x / wide;

            if (glyph(word[pixel / FONT_WIDTH])[begin + (y - 1) / high] << pixel % FONT_WIDTH & 0x80)
                put(left + x, y, (uint16_t)(SCREEN_FULL_BLOCK | colour << 8));
        }
    fill_text(top, text, colour, true);
}

size_t screen_page(const char *text, bool drawn)
{
    char row[SCREEN_COLUMNS_MAX + 1];
    const char *at = text;
    bool goes_on = false;
    unsigned y = 0;

    for (; y < screen.rows && take_row(&at, &goes_on, row); y++)
        if (drawn)
            fill_row(y, row, SCREEN_NORMAL);
    for (; drawn && y < screen.rows; y++)
        fill_row(y, "", SCREEN_NORMAL);
    screen.row = screen.column = 0; /* there is no last line of the log any more */
    return (size_t)(at - text);
}
