/* Each line is formatted in a buffer, added to the CRC, copied to memory and written to the consoles. */
#include "log.h"
#include <stdarg.h>
#include <stdint.h>
#include "kernel/console/console.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/cpu.h"

#define CHECK_CODE_CHARS 6u   /* " #hhhh" */
#define NOTICE_CHARS     100u /* of the last line of a copy that is not whole */

static struct {
    bool begun;
    uint32_t crc, lines;
    size_t kept;
    uint64_t dropped;
} document;

static char copy[LOG_COPY_BYTES];
static volatile unsigned holds;
static uint64_t held_since, held; /* a TSC value, and clocks: what log_clocks() adds up */

struct line {
    char text[LOG_LINE_CHARS + CHECK_CODE_CHARS + 2]; /* line end and NUL */
    size_t length;
};

static void line_format(struct line *line, const char *fmt, va_list args)
{
    line->length = vformat(line->text, LOG_LINE_CHARS + 1, fmt, args);
    if (line->length > LOG_LINE_CHARS) {
        line->length = LOG_LINE_CHARS;
        for (size_t i = 1; i <= 3; i++)
            line->text[LOG_LINE_CHARS - i] = '.';
    }
    for (size_t i = 0; i < line->length; i++)
        if (line->text[i] < ' ' || line->text[i] > '~')
            line->text[i] = '?';
    /* Editors and mail programs strip blanks at the end of a line. */
    while (line->length > 0 && line->text[line->length - 1] == ' ')
        line->length--;
}

static uint32_t crc_with(const struct line *line)
{
    return crc32_update(document.crc, line->text, line->length);
}

static void line_append(struct line *line, const char *fmt, uint32_t value)
{
    line->length += format(line->text + line->length, sizeof line->text - line->length, fmt, value);
}

static void keep(const char *text, size_t length)
{
    if (document.dropped > 0 || length + 2 > sizeof copy - NOTICE_CHARS - document.kept) {
        document.dropped += length + 2;
        return;
    }
    for (size_t i = 0; i < length; i++)
        copy[document.kept++] = text[i];
    copy[document.kept++] = '\r';
    copy[document.kept++] = '\n';
}

static void line_write(struct line *line)
{
    if (document.begun)
        keep(line->text, line->length);
    line->text[line->length++] = '\n';
    document.crc = crc_with(line);
    document.lines++;
    console_write(line->text, line->length);
}

void log_begin(void)
{
    document.begun = true;
    document.crc = document.lines = 0;
    document.kept = 0;
    document.dropped = 0;
}

static void write_formatted(const char *fmt, va_list args)
{
    struct line line;

    log_hold();
    line_format(&line, fmt, args);
    line_write(&line);
    log_release();
}

void log_line(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    write_formatted(fmt, args);
    va_end(args);
}

void log_attempt(const char *fmt, ...)
{
    va_list args;

    log_hold();
    va_start(args, fmt);
    write_formatted(fmt, args);
    va_end(args);
    uart_drain();
    log_release();
}

void log_checked(const char *fmt, ...)
{
    struct line line;
    va_list args;

    log_hold();
    va_start(args, fmt);
    line_format(&line, fmt, args);
    va_end(args);
    line_append(&line, " #%04X", crc_with(&line) & 0xFFFF);
    line_write(&line);
    log_release();
}

static void line_print(struct line *line, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    line_format(line, fmt, args);
    va_end(args);
}

void log_end(const char *verdict)
{
    struct line line;

    log_hold();
    line_print(&line, "# END OF TAP: %s, %u lines", verdict, document.lines + 1);
    line_append(&line, ", CRC-32 %08X", crc_with(&line));
    line_write(&line);
    log_release();
}

const char *log_text(size_t *length)
{
    *length = document.kept;
    if (document.dropped > 0)
        *length += format(copy + document.kept, NOTICE_CHARS,
                          "# the copy in memory is full: %llu bytes more went to the consoles\r\n",
                          document.dropped);
    return copy;
}

const char *log_condense(void)
{
    size_t length, kept = 0;
    bool shown = true;

    log_text(&length);
    for (size_t i = 0; i < length; i++) {
        if (i == 0 || copy[i - 1] == '\n')
            shown = memcmp(copy + i, "ok ", 3) != 0 && memcmp(copy + i, "#> ", 3) != 0;
        if (shown && copy[i] != '\r')
            copy[kept++] = copy[i];
    }
    copy[kept] = '\0';
    return copy;
}

void log_hold(void)
{
    if (holds++ == 0)
        held_since = rdtsc();
}

void log_release(void)
{
    if (holds == 1) /* first: a deadline looks at the clocks as soon as the log is not held */
        held += rdtsc() - held_since;
    if (holds > 0)
        holds--;
}

uint64_t log_clocks(void)
{
    return held;
}

bool log_held(void)
{
    return holds > 0;
}

void log_release_all(void)
{
    while (log_held())
        log_release();
}
