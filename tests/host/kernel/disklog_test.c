/*
 * When the log is saved on the boot medium, and what is said when it is not: kernel/logfile/logfile.c over a
 * medium that fails on demand.
 */
#include "tests/host/support/host_test.h"

#include <string.h>
#include "kernel/console/console.h"
#include "kernel/console/screen.h"
#include "kernel/firmware/bios_call.h"
#include "kernel/x86/cpu.h"
#include "kernel/logfile/disk.h"
#include "kernel/logfile/logfile.h"
#include "kernel/lib/format.h"
#include "kernel/firmware/multiboot.h"
#include "kernel/log/log.h"
#include "kernel/log/store.h"
#include "kernel/logfile/file.h"
#include "kernel/log/tap.h"

#define DRIVE 0x80

static char noted[200], remarked[200], reported[200];
static unsigned announced, attempts;

/* ---- The medium ---- */

static struct {
    bool uefi, drive;
    const char *bios, *disk, *find, *write; /* the reason each gives for failing; null: it works */
    unsigned finds, writes;
    bool ended; /* argument of the last write */
    bool traps;
} medium;

STUB(bool, multiboot_under_uefi, (void), medium.uefi);

bool multiboot_boot_drive(uint8_t *drive)
{
    *drive = DRIVE;
    return medium.drive;
}

STUB(const char *, bios_missing, (void), medium.bios);

const char *disk_open(uint8_t drive)
{
    assert_int_equal(drive, DRIVE);
    /* The first call of the BIOS, which may hang: the last line says so, of the log or, after it, of the
     * screen. */
    assert_int_equal(attempts + announced, 1);
    return medium.disk;
}

const char *logfile_find(struct logfile *file)
{
    medium.finds++;
    *file = (struct logfile){.partition = 1, .bytes = 4096};
    return medium.find;
}

static void expect_end(const char *reported);

const char *logfile_write(struct logfile *file, const char *text, size_t length, bool ended)
{
    (void)file;
    assert_string_equal(text, "the log");
    assert_int_equal(length, strlen(text));
    medium.writes++;
    medium.ended = ended;
    if (medium.traps) { /* the report of a trap ends with disklog_end(), called from within this write */
        expect_end("# The log is not on the boot medium: work with PMULOG.TXT was broken off.\n");
        assert_false(log_store_is_open());
    }
    return medium.write;
}

const char *log_text(size_t *length)
{
    *length = strlen("the log");
    return "the log";
}

/* ---- What is said ---- */

void console_write(const char *text, size_t length)
{
    assert_string_equal(reported, ""); /* once */
    assert_in_range(length, 1, sizeof reported - 1);
    memcpy(reported, text, length);
    reported[length] = '\0';
}

void console_drain(void)
{
    assert_string_not_equal(reported, "");
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

static void say(char *to, const char *fmt, va_list args)
{
    assert_string_equal(to, ""); /* once */
    vformat(to, sizeof noted, fmt, args);
}

void tap_comment(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(noted, fmt, args);
    va_end(args);
}

void tap_comment_always(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(remarked, fmt, args);
    va_end(args);
}

void log_attempt(const char *fmt, ...)
{
    char text[100];
    va_list args;

    va_start(args, fmt);
    vformat(text, sizeof text, fmt, args);
    va_end(args);
    assert_string_equal(text, "# pmuproof is about to look for PMULOG.TXT on drive 80H, through the BIOS");
    attempts++;
}

STUB(bool, irq_off, (void), true);

void irq_restore(bool on)
{
    assert_true(on);
}

BEFORE_EACH(set_up)
{
    memset(&medium, 0, sizeof medium);
    medium.drive = true;
    noted[0] = remarked[0] = reported[0] = '\0';
    announced = attempts = 0;
    logfile_attach(true);
}

/* ---- Tests ---- */

TEST(saved_as_it_grows)
{
    log_store_begin();
    assert_string_equal(noted, "log file: PMULOG.TXT on drive 80H, partition 1, 4096 bytes");
    assert_int_equal(medium.writes, 1);
    assert_false(medium.ended);
    log_store_save();
    assert_int_equal(medium.writes, 2);
    assert_true(log_store_is_open());
    assert_int_equal(announced, 0);
    expect_end("");
    assert_int_equal(announced, 1);
    assert_int_equal(medium.writes, 3);
    assert_true(medium.ended);
    assert_int_equal(medium.finds, 1);
    assert_string_equal(remarked, "");
}

/* Whatever fails, the file may hold another run's log. The consoles say so after this run's log. */
TEST(a_medium_that_cannot_be_written)
{
    medium.write = "PMULOG.TXT cannot be written";
    log_store_begin();
    assert_string_equal(remarked, "log file: PMULOG.TXT cannot be written");
    medium.write = NULL;
    log_store_save();
    assert_int_equal(medium.writes, 1); /* no second attempt */
    expect_end("# The log is not on the boot medium: PMULOG.TXT cannot be written.\n");
    assert_false(log_store_is_open());
}

TEST(a_medium_that_fails_later)
{
    log_store_begin();
    medium.write = "PMULOG.TXT cannot be read";
    log_store_save();
    assert_string_equal(remarked, "log file: PMULOG.TXT cannot be read");
    expect_end("# The log is not on the boot medium: PMULOG.TXT cannot be read.\n");
    assert_false(log_store_is_open());
}

TEST(a_medium_that_fails_at_the_end)
{
    log_store_begin();
    medium.write = "PMULOG.TXT cannot be written";
    expect_end("# The end of the log is not on the boot medium: PMULOG.TXT cannot be written.\n");
}

TEST(a_trap_while_writing)
{
    medium.traps = true;
    log_store_begin();
    assert_int_equal(medium.writes, 1);
}

TEST(a_file_that_is_refused)
{
    medium.find = "PMULOG.TXT does not lie in one piece";
    log_store_begin();
    assert_string_equal(noted, "log file: none: drive 80H: PMULOG.TXT does not lie in one piece");
    expect_end("# The log is not on the boot medium: drive 80H: PMULOG.TXT does not lie in one piece.\n");
    assert_false(log_store_is_open());
    assert_int_equal(medium.writes, 0);
}

/* If the board was started without a usable drive, the log says so once, and its end is silent: that may be
 * intended. */
TEST(nothing_to_write_to)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        set_up();
        medium.uefi = kind == 0;
        medium.drive = kind != 1;
        medium.bios = kind == 2 ? "the BIOS has no INT 13H" : NULL;
        medium.disk = kind == 3 ? "it is a CD" : NULL;
        log_store_begin();
        assert_memory_equal(noted, "log file: none: ", strlen("log file: none: "));
        assert_false(log_store_is_open());
        expect_end("");
        assert_int_equal(medium.writes + medium.finds, 0);
        assert_int_equal(attempts, kind == 3);
    }
    assert_string_equal(noted, "log file: none: drive 80H: it is a CD");
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

TEST(not_asked_for)
{
    logfile_attach(false);
    log_store_begin();
    assert_string_equal(noted, "log file: none: logfile=off");
    log_store_save();
    assert_false(log_store_is_open());
    expect_end("");
    assert_int_equal(announced + attempts, 0);
    assert_int_equal(medium.writes + medium.finds, 0);
}
