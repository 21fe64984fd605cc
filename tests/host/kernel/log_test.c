/*
 * kernel/log/log.c and kernel/lib/crc32.c against an independent reading of docs/log.md: a bitwise CRC over
 * the bytes that the consoles got.
 */
#include <stdio.h>
#include <string.h>
#include "tests/host/support/host_test.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "tests/host/support/kept_log.h"

static size_t drained; /* how much of the log had been written when the serial line was last waited for */

STUB(void, uart_drain, (void), (void)(drained = logged_length));

BEFORE_EACH(begin)
{
    forget_log();
    drained = 0;
    log_begin();
}

static uint32_t naive_crc(const char *text, size_t length)
{
    uint32_t remainder = 0xFFFFFFFF;

    for (size_t bit = 0; bit < length * 8; bit++) {
        uint32_t in = (uint32_t)(uint8_t)text[bit / 8] >> bit % 8 & 1;
        uint32_t out = (remainder ^ in) & 1;
        remainder = remainder >> 1;
        for (unsigned power = 0; out && power < 32; power++)
            remainder ^= (0x04C11DB7u >> power & 1) << (31 - power);
    }
    return remainder ^ 0xFFFFFFFF;
}

TEST(crc_of_known_texts)
{
    assert_int_equal(crc32_update(0, "", 0), 0);
    assert_int_equal(crc32_update(0, "123456789", 9), 0xCBF43926); /* the check value of this CRC */
    assert_int_equal(crc32_update(crc32_update(0, "1234", 4), "56789", 5), 0xCBF43926);
    for (int byte = 0; byte < 256; byte++) {
        char text[3] = {(char)byte, (char)(byte * 7), (char)~byte};
        assert_int_equal(crc32_update(0, text, 3), naive_crc(text, 3));
    }
}

/* The machine may hang in what is attempted, so the line is out before the caller goes on. */
TEST(an_attempt_is_on_the_line_at_once)
{
    log_line("# any other line");
    assert_int_equal(drained, 0);
    log_attempt("# about to write register %u", 7);
    assert_string_equal(logged, "# any other line\n# about to write register 7\n");
    assert_int_equal(drained, logged_length);
}

TEST(records_end_in_their_check_code)
{
    char wanted[200] = "TAP version 13\n1..2\nok 1 - a.b";

    log_line("TAP version 13");
    log_line("1..2");
    log_checked("ok %u - a.b", 1);
    sprintf(wanted + strlen(wanted), " #%04X\n", naive_crc(wanted, strlen(wanted)) & 0xFFFF);
    assert_string_equal(logged, wanted);
    /* The check code is part of the bytes of which the next one is computed. */
    strcat(wanted, "ok 2 - a.c # SKIP why");
    log_checked("ok 2 - a.c # SKIP why");
    sprintf(wanted + strlen(wanted), " #%04X\n", naive_crc(wanted, strlen(wanted)) & 0xFFFF);
    assert_string_equal(logged, wanted);
}

TEST(the_end_states_lines_and_crc)
{
    char wanted[200];

    log_line("TAP version 13");
    log_line("1..0 # SKIP nothing");
    strcpy(wanted, logged);
    strcat(wanted, "# END OF TAP: skip, 3 lines");
    sprintf(wanted + strlen(wanted), ", CRC-32 %08X\n", naive_crc(wanted, strlen(wanted)));
    log_end("skip");
    assert_string_equal(logged, wanted);
}

/* Lines before the document are not in its checksum, its number of lines or its copy. */
TEST(a_document_begins_anew)
{
    char first[100];
    size_t length;

    log_line("TAP version 13");
    log_end("pass");
    strcpy(first, logged);
    log_begin();
    forget_log();
    log_line("TAP version 13");
    log_end("pass");
    assert_string_equal(logged, first);
    log_text(&length);
    assert_int_equal(length, strlen(first) + 2); /* a CR for each of two lines */
}

TEST(foreign_characters_and_long_lines_do_no_harm)
{
    char text[3000];

    log_line("# %s", "a\nb\rc\x80\x1B[0m\x7F");
    assert_string_equal(logged, "# a?b?c??[0m?\n");
    forget_log();
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    log_checked("%s", text);
    assert_int_equal(logged_length, LOG_LINE_CHARS + 6 + 1);
    assert_memory_equal(logged + LOG_LINE_CHARS - 4, "x... #", 6);
    assert_int_equal(logged[logged_length - 1], '\n');
    forget_log();
    text[LOG_LINE_CHARS] = '\0';
    log_line("%s", text); /* just fits */
    assert_int_equal(logged_length, LOG_LINE_CHARS + 1);
    assert_int_equal(logged[LOG_LINE_CHARS - 1], 'x');
}

/* The copy holds what the consoles got, with CR LF, as far as it fits; a last line says how much is missing.
 */
TEST(the_copy_is_the_document)
{
    const char *copy;
    size_t length, at = 0;

    log_line("TAP version 13");
    log_checked("ok 1 - a.b");
    copy = log_text(&length);
    for (const char *c = logged; *c != '\0'; c++) {
        if (*c == '\n')
            assert_int_equal(copy[at++], '\r');
        assert_int_equal(copy[at++], *c);
    }
    assert_int_equal(at, length);
}

#define LINE_BYTES (sizeof("# this is line 000000 of many too\r\n") - 1)

TEST(a_full_copy_says_so)
{
    size_t written = 0, length, kept;
    unsigned long long missing = 0;
    const char *copy, *notice;

    for (unsigned i = 0; i < LOG_COPY_BYTES / LINE_BYTES + 10; i++) {
        log_line("# this is line %06u of many too", i);
        written += LINE_BYTES;
    }
    assert_int_equal(written, logged_length / (LINE_BYTES - 1) * LINE_BYTES); /* a CR for each line */
    assert_true(written > LOG_COPY_BYTES);
    copy = log_text(&length);
    assert_true(length <= LOG_COPY_BYTES);
    assert_true(length > LOG_COPY_BYTES - 200);
    notice = memmem(copy, length, "# the copy", 10);
    assert_non_null(notice);
    kept = (size_t)(notice - copy);
    assert_int_equal(kept % LINE_BYTES, 0); /* whole lines */
    assert_memory_equal(copy + length - 2, "\r\n", 2);
    assert_int_equal(sscanf(notice, "# the copy in memory is full: %llu bytes", &missing), 1);
    assert_int_equal(missing, written - kept);
    log_line("short");
    assert_ptr_equal(log_text(&length), copy); /* nothing after the gap, however short */
    assert_int_equal(sscanf(notice, "# the copy in memory is full: %llu bytes", &missing), 1);
    assert_int_equal(missing, written - kept + 7);
}

/* The clocks of holds that nest count once. */
TEST(holds_nest)
{
    const uint64_t before = log_clocks();

    assert_false(log_held());
    log_hold();
    log_line("a line holds and releases");
    assert_true(log_held());
    log_hold();
    log_release();
    assert_true(log_held());
    tsc += 1000;
    log_release();
    assert_false(log_held());
    assert_int_equal(log_clocks() - before, 1010);
    log_hold();
    log_hold();
    log_release_all();
    log_release();
    assert_false(log_held());
    assert_int_equal(log_clocks() - before, 1020);
}
