/*
 * When the log is saved on the boot medium, and what is said when it is not: kernel/logfile/logfile.c over a
 * medium that fails on demand.
 */
#include "tests/host/support/host_test.h"

#include <string.h>
#include "kernel/console/console.h"
#include "kernel/firmware/firmware.h"
#include "kernel/x86/cpu.h"
#include "kernel/logfile/logfile.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"

#define DRIVE 0x80

#define ATTEMPT       "# pmuproof is about to look for PMULOG.TXT on drive 80H, through the BIOS"
#define WRITE_ATTEMPT "# pmuproof is about to write PMULOG.TXT on drive 80H, through the BIOS"

static char noted[200], remarked[200], reported[200], attempted[200];
static unsigned announced;

/* ---- The medium ---- */

static struct {
    bool uefi, drive;
    const char *bios, *disk, *find, *write; /* the reason each gives for failing; null: it works */
    unsigned finds, writes;
    bool ended; /* argument of the last write */
    bool traps;
} medium;

STUB(bool, multiboot_under_uefi, (void), medium.uefi);
STUB(bool, multiboot_boot_drive, (uint8_t * drive), *drive = DRIVE, medium.drive);
STUB(const char *, bios_missing, (void), medium.bios);
STUB(bool, irq_off, (void), true);
STUB(void, irq_restore, (bool on), assert_true(on));
STUB(const char *, logfile_try, (struct logfile * file), NULL);
STUB(const char *, log_text, (size_t * length), *length = strlen("the log"), "the log");

const char *disk_open(uint8_t drive)
{
    assert_int_equal(drive, DRIVE);
    /* The first call of the BIOS, which may hang: the last line says so, of the log or, after it, of the
     * screen. */
    assert_int_equal((attempted[0] != '\0') + announced, 1);
    return medium.disk;
}

const char *logfile_find(struct logfile *file)
{
    medium.finds++;
    *file = (struct logfile){.partition = 1, .bytes = 4096};
    if (medium.find == NULL && attempted[0] != '\0') { /* what is tried next is another line of the log */
        assert_string_equal(attempted, ATTEMPT);
        attempted[0] = '\0';
    }
    return medium.find;
}

static void expect_end(const char *reported);

const char *logfile_write(struct logfile *file, const char *text, size_t length, bool ended)
{
    (void)file;
    assert_string_equal(text, "the log");
    assert_int_equal(length, strlen(text));
    if (noted[0] != '\0')
        assert_string_equal(attempted, WRITE_ATTEMPT);
    medium.writes++;
    medium.ended = ended;
    if (medium.traps) { /* the report of a trap ends with disklog_end(), called from within this write */
        expect_end("# The log is not on the boot medium: work with PMULOG.TXT was broken off.\n");
        assert_false(log_store_is_open());
    }
    return medium.write;
}

/* ---- What is said ---- */

STUB(void, uart_drain, (void), assert_string_not_equal(reported, ""));

void console_write(const char *text, size_t length)
{
    assert_string_equal(reported, ""); /* once */
    assert_in_range(length, 1, sizeof reported - 1);
    memcpy(reported, text, length);
    reported[length] = '\0';
}

void screen_bottom(const char *text, enum screen_colour colour)
{
    assert_string_equal(text, "Writing the log to the boot medium: do not switch off yet");
    assert_int_equal(colour, SCREEN_YELLOW);
    announced++;
}

/* At the end of the log: it is saved, or the consoles get this text. */
static void expect_end(const char *expected)
{
    reported[0] = '\0';
    log_store_end();
    assert_string_equal(reported, expected);
}

/* A line of the log, said at most once between two looks at it. */
static void say(char *buffer, const char *fmt, va_list args)
{
    assert_string_equal(buffer, "");
    vformat(buffer, sizeof noted, fmt, args);
}

void tap_comment(enum tap_class class, const char *fmt, ...)
{
    va_list args;

    assert_true(class == COMMENT_INFO || class == COMMENT_ALWAYS);
    va_start(args, fmt);
    say(class == COMMENT_ALWAYS ? remarked : noted, fmt, args);
    va_end(args);
}

void log_attempt(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say(attempted, fmt, args);
    va_end(args);
}

BEFORE_EACH(set_up)
{
    memset(&medium, 0, sizeof medium);
    medium.drive = true;
    noted[0] = remarked[0] = reported[0] = attempted[0] = '\0';
    announced = 0;
    logfile_attach(true);
}

/* ---- Tests ---- */

#define FOUND       "log file: PMULOG.TXT on drive 80H, partition 1, 4096 bytes"
#define NOT_THERE   "# The log is not on the boot medium: "
#define NOT_WRITTEN "PMULOG.TXT cannot be written"
#define NOT_READ    "PMULOG.TXT cannot be read"
#define IN_PIECES   "drive 80H: PMULOG.TXT does not lie in one piece"

/* The log is saved when it begins, as it grows, and at its end. Whatever fails, the file may hold another
 * run's log: the consoles say so after this run's log. If the board was started without a usable drive, the
 * log says so once, and its end is silent: that may be intended. */
static const struct {
    const char *noted, *remarked, *end; /* what is said; null: nothing */
    unsigned writes;
    bool attempt, open; /* the BIOS is called; the log is open before the end */
    bool uefi, no_drive, not_asked_for;
    const char *bios, *disk, *find, *write[3]; /* why each fails, in the three writes */
} COURSES[] = {
    {FOUND, .writes = 3, .attempt = true, .open = true},
    {FOUND, "log file: " NOT_WRITTEN, NOT_THERE NOT_WRITTEN ".\n", 1, true, .write[0] = NOT_WRITTEN},
    {FOUND, "log file: " NOT_READ, NOT_THERE NOT_READ ".\n", 2, true, .write[1] = NOT_READ},
    {FOUND, NULL, "# The end of the log is not on the boot medium: " NOT_WRITTEN ".\n", 3, true, true,
     .write[2] = NOT_WRITTEN},
    {"log file: none: " IN_PIECES, NULL, NOT_THERE IN_PIECES ".\n", 0, true,
     .find = "PMULOG.TXT does not lie in one piece"},
    {"log file: none: UEFI leaves no BIOS to write it with", .uefi = true},
    {"log file: none: the loader does not tell the drive it came from", .no_drive = true},
    {"log file: none: logfile=off", .not_asked_for = true},
    {"log file: none: no INT 13H", .bios = "no INT 13H"},
    {"log file: none: drive 80H: it is a CD", .attempt = true, .disk = "it is a CD"},
};

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

TEST(courses_of_a_log)
{
    for (size_t i = 0; i < COUNT_OF(COURSES); i++) {
        set_up();
        logfile_attach(!COURSES[i].not_asked_for);
        medium.uefi = COURSES[i].uefi;
        medium.drive = !COURSES[i].no_drive;
        medium.bios = COURSES[i].bios;
        medium.disk = COURSES[i].disk;
        medium.find = COURSES[i].find;
        medium.write = COURSES[i].write[0];
        log_store_begin();
        assert_string_equal(noted, COURSES[i].noted);
        assert_false(medium.ended);
        medium.write = COURSES[i].write[1];
        log_store_save();
        assert_string_equal(remarked, text_of(COURSES[i].remarked));
        assert_int_equal(log_store_is_open(), COURSES[i].open);
        assert_int_equal(announced, 0);
        medium.write = COURSES[i].write[2];
        expect_end(text_of(COURSES[i].end));
        assert_int_equal(announced, COURSES[i].open);
        assert_int_equal(medium.ended, COURSES[i].open);
        assert_int_equal(log_store_is_open(), COURSES[i].writes == 3 && COURSES[i].write[2] == NULL);
        assert_string_equal(attempted, COURSES[i].writes > 0 ? WRITE_ATTEMPT
                                       : COURSES[i].attempt  ? ATTEMPT
                                                             : "");
        assert_int_equal(medium.finds, COURSES[i].attempt && COURSES[i].disk == NULL);
        assert_int_equal(medium.writes, COURSES[i].writes);
    }
}

TEST(a_trap_while_writing)
{
    medium.traps = true;
    log_store_begin();
    assert_int_equal(medium.writes, 1);
}

/* A run that breaks off before its inventory looks for the file at its end. */
TEST(a_run_that_breaks_off)
{
    assert_false(log_store_is_open());
    expect_end("");
    assert_int_equal(announced, 1);
    assert_int_equal(medium.writes, 1);
    assert_true(medium.ended);
    set_up();
    medium.uefi = true;
    expect_end("# The log is not on the boot medium: UEFI leaves no BIOS to write it with.\n");
}

/* No log file is attached, as when kernel/logfile is deleted. */
TEST(no_store)
{
    log_set_store(NULL);
    log_store_begin();
    log_store_save();
    expect_end("");
    assert_false(log_store_is_open());
    assert_string_equal(noted, "");
}
