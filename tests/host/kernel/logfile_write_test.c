/* kernel/logfile/file.c writes the log into PMULOG.TXT on a disk in memory, and never over anything else. */
#include "fat_disk.h"

static void snapshot(void)
{
    memcpy(before, disk, used * DISK_SECTOR);
}

/* Only bytes of [begin, end) may have changed since snapshot(). */
static void untouched_but(uint32_t begin, uint32_t end)
{
    assert_memory_equal(disk, before, begin);
    assert_memory_equal(disk + end, before + end, used * DISK_SECTOR - end);
}

static struct layout common;

static struct logfile opened(void)
{
    struct logfile file;

    make(&common, &KINDS[0], 1, 0x01);
    assert_null(logfile_find(&file));
    snapshot();
    return file;
}

/* The file must hold this log, in this state. */
static void expect_file(const struct logfile *file, const char *state, const char *log)
{
    static char expected[FILE_BYTES + 1];
    int length =
        sprintf(expected, "pmuproof log file, %u bytes reserved\nstate: %-56s\n%s", file->bytes, state, log);

    memset(expected + length, ' ', file->bytes - (uint32_t)length);
    expected[file->bytes - 1] = '\n';
    assert_memory_equal(disk + file->lba * DISK_SECTOR, expected, file->bytes);
    untouched_but(file->lba * DISK_SECTOR, file->lba * DISK_SECTOR + file->bytes);
}

static const char RUNNING[] = "saved during the run, which has not ended here";
static const char ENDED[] = "the run has ended";

TEST(the_log_grows_in_place)
{
    struct logfile file = opened();
    char log[FILE_BYTES] = "";
    memset(disk + file.lba * DISK_SECTOR + 1000, 'x', 6000); /* of an earlier run */
    for (unsigned line = 0; line < 200; line++) {
        sprintf(log + strlen(log), "ok %u - vector.%u #0123\r\n", line + 1, line);
        assert_null(logfile_write(&file, log, strlen(log), false));
        expect_file(&file, RUNNING, log);
    }
    strcat(log, END_LINE);
    assert_null(logfile_write(&file, log, strlen(log), true));
    expect_file(&file, ENDED, log);
}

/* The last line of log_text() says how much a full copy lacks, so it changes with every further line. */
TEST(the_last_line_may_change)
{
    char log[2000];
    for (size_t length = 1000; length < 1600; length += 7) {
        struct logfile file = opened();
        memset(log, 'a', length);
        memcpy(log + length - 2, "\r\n", 2);
        sprintf(log + length, "# full: 99 bytes more, of which the last do not matter at all\r\n");
        assert_null(logfile_write(&file, log, strlen(log), false));
        sprintf(log + length, "# full: 1234 bytes more, of which the last do not matter at all\r\n");
        assert_null(logfile_write(&file, log, strlen(log), true));
        expect_file(&file, ENDED, log);
    }
}

/* One more line writes one sector, not the whole file. */
TEST(only_changes_are_written)
{
    struct logfile file = opened();
    char log[3000];
    memset(log, 'a', sizeof log);
    memcpy(log + sizeof log - 2, "\r\n", 2);
    assert_null(logfile_write(&file, log, 2800, false));
    memset(written, false, sizeof written);
    writes = 0;
    assert_null(logfile_write(&file, log, 2900, false));
    assert_int_equal(writes, 1);
    assert_true(written[file.lba + 5]);
    assert_null(logfile_write(&file, log, 2900, false));
    assert_int_equal(writes, 1);
}

TEST(a_log_too_long_is_cut)
{
    char log[FILE_BYTES * 2] = "", shown[FILE_BYTES * 2], notice[100], *end;
    for (size_t length = FILE_BYTES - 300; length < FILE_BYTES + 300; length += 7) {
        struct logfile file = opened();

        for (end = log; end < log + length; end += 27)
            sprintf(end, "ok 10000 - vector.0 #0123\r\n");
        *end = '\0';
        assert_null(logfile_write(&file, log, strlen(log), true));
        strcpy(shown, log);
        if (strlen(log) > FILE_BYTES - 64 - strlen("pmuproof log file, 8192 bytes reserved\n")) {
            end = strstr((char *)disk + file.lba * DISK_SECTOR, "# the copy in the file is full");
            assert_non_null(end);
            shown[end - (char *)disk - file.lba * DISK_SECTOR - 64 - 39] = '\0';
            assert_true(strlen(shown) % 27 == 0 && strlen(shown) > FILE_BYTES - 64 - 39 - 80 - 27);
            sprintf(notice, "# the copy in the file is full: %zu bytes more went to the consoles\r\n",
                    strlen(log) - strlen(shown));
            strcat(shown, notice);
        }
        expect_file(&file, ENDED, shown);
    }
}

/* A full file is not written again until the run ends: a soak would wear out the stick. The line that says so
 * may replace a long line of the log. */
TEST(a_full_file_rests)
{
    struct logfile file = opened();
    char log[FILE_BYTES * 2], shown[FILE_BYTES];
    memset(log, 'x', sizeof log);
    log[6999] = log[8049] = log[9999] = log[10999] = '\n';
    assert_null(logfile_write(&file, log, 8050, false));
    assert_null(logfile_write(&file, log, 10000, false));
    sprintf(shown, "%.7000s# the copy in the file is full: 3000 bytes more went to the consoles\r\n", log);
    expect_file(&file, RUNNING, shown);
    writes = 0;
    assert_null(logfile_write(&file, log, 11000, false));
    assert_int_equal(writes, 0);
    assert_null(logfile_write(&file, log, 11000, true));
    sprintf(shown, "%.7000s# the copy in the file is full: 4000 bytes more went to the consoles\r\n", log);
    expect_file(&file, ENDED, shown);
}

/* The file changed since it was opened, as on another drive: not even the state is written. */
TEST(something_else_is_never_overwritten)
{
    char log[FILE_BYTES];
    memset(log, 'x', sizeof log);
    for (unsigned ended = 0; ended < 2; ended++) {
        for (unsigned sector = 0; sector < FILE_BYTES / DISK_SECTOR; sector++) {
            struct logfile file = opened();
            uint32_t at = (file.lba + sector) * DISK_SECTOR;

            disk[at + (sector == 0 ? 90 : 100)] = sector % 2 ? 0x00 : 0x80;
            snapshot();
            assert_non_null(strstr(logfile_write(&file, log, 8000, ended), "else than text"));
            untouched_but(0, 0);
        }
        struct logfile file = opened();
        disk[file.lba * DISK_SECTOR] = 'q';
        snapshot();
        assert_non_null(strstr(logfile_write(&file, log, 8000, ended), "mark"));
        untouched_but(0, 0);
    }
}

TEST(errors_are_reported)
{
    struct logfile file = opened();
    fail_write_at = (int)file.lba;
    assert_non_null(strstr(logfile_write(&file, "a log\r\n", 7, false), "cannot be written"));
    fail_write_at = -1;
    fail_read_at = (int)file.lba + 5;
    assert_non_null(strstr(logfile_write(&file, "a log\r\n", 7, false), "cannot be read"));
}

/* The state "during the run" is written before the log, the state "ended" after it. */
TEST(the_state_is_never_ahead)
{
    struct logfile file = opened();
    char log[1024];
    memset(log, 'x', sizeof log);
    fail_write_at = (int)file.lba + 1;
    assert_non_null(logfile_write(&file, log, sizeof log, false));
    assert_non_null(strstr((char *)disk + file.lba * DISK_SECTOR, RUNNING));
    assert_non_null(logfile_write(&file, log, sizeof log, true));
    assert_null(strstr((char *)disk + file.lba * DISK_SECTOR, ENDED));
}
