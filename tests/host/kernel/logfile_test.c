/*
 * kernel/logfile/file.c and fat.c on a disk in memory with a FAT file system and PMULOG.TXT, laid out by hand
 * after Microsoft's FAT specification 1.03: which file is found, which are refused, and that the log is
 * written into it and never over anything else. The disk stands in for kernel/logfile/disk.c and checks that
 * each sector is read before it is written. File systems of mtools are in tests/image/logfile.t.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/logfile/logfile.h"
#include "tests/host/support/host_test.h"

#define SECTORS    80000u
#define PARTITION  63u
#define RESERVED   32u
#define FATS       2u
#define FILE_BYTES 8192u
#define END_LINE   "# END OF TAP: pass, 3 lines, CRC-32 00000000\r\n"

static uint8_t disk[SECTORS * DISK_SECTOR], before[SECTORS * DISK_SECTOR];
static bool seen[SECTORS], written[SECTORS]; /* by sector; seen: read since it was last written */
static uint32_t used;                        /* sectors of the disk: one more than the partition ends with */
static unsigned writes;
static int fail_read_at = -1, fail_write_at = -1;

bool disk_read(uint32_t lba, unsigned count, void *to)
{
    assert_in_range(count, 1, DISK_MOST_COUNT);
    if (lba >= used || count > used - lba ||
        (lba <= (uint32_t)fail_read_at && (uint32_t)fail_read_at < lba + count))
        return false;
    memcpy(to, disk + lba * DISK_SECTOR, count * DISK_SECTOR);
    memset(seen + lba, true, count);
    return true;
}

bool disk_write(uint32_t lba, unsigned count, const void *from)
{
    assert_in_range(count, 1, DISK_MOST_COUNT);
    assert_true(lba < used && count <= used - lba);
    writes++;
    for (uint32_t i = lba; i < lba + count; i++) {
        assert_true(seen[i]); /* each sector is read before each write */
        seen[i] = false;
        written[i] = true;
    }
    if (lba <= (uint32_t)fail_write_at && (uint32_t)fail_write_at < lba + count)
        return false;
    memcpy(disk + lba * DISK_SECTOR, from, count * DISK_SECTOR);
    return true;
}

static void put(uint32_t at, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        disk[at + i] = (uint8_t)(value >> 8 * i);
}

/* A file system with another file, then PMULOG.TXT. */
struct layout {
    unsigned bits, cluster_sectors;
    uint32_t clusters, first; /* cluster of the file */
    /* Where things are, in bytes of the disk. */
    uint32_t fat, fat_sectors, root, data;
};

#define ANY 99u /* kind */

static struct layout l; /* of the disk */

static const struct layout KINDS[] = {
    {.bits = 12, .cluster_sectors = 4, .clusters = 500, .first = 339}, /* an entry lies across two sectors */
    {.bits = 12, .cluster_sectors = 1, .clusters = 4084, .first = 2},
    {.bits = 16, .cluster_sectors = 1, .clusters = 4085, .first = 3},
    {.bits = 16, .cluster_sectors = 1, .clusters = 65524, .first = 65000},
    {.bits = 32, .cluster_sectors = 1, .clusters = 65525, .first = 65400},
};

static void put_fat(uint32_t cluster, uint32_t value)
{
    for (unsigned copy = 0; copy < FATS; copy++) {
        uint32_t fat = l.fat + copy * l.fat_sectors * DISK_SECTOR, at = fat + cluster * 3 / 2;

        if (l.bits != 12)
            put(fat + cluster * l.bits / 8, value, l.bits / 8);
        else if (cluster % 2 == 0)
            put(at, (value & 0xFFF) | (uint32_t)(disk[at + 1] & 0xF0) << 8, 2);
        else
            put(at, (disk[at] & 0x0F) | (value & 0xFFF) << 4, 2);
    }
}

static uint32_t cluster_byte(uint32_t cluster)
{
    return l.data + (cluster - 2) * l.cluster_sectors * DISK_SECTOR;
}

static void put_entry(uint32_t at, const char *name, uint8_t attributes, uint32_t cluster, uint32_t bytes)
{
    memcpy(disk + at, name, 11);
    disk[at + 11] = attributes;
    put(at + 20, cluster >> 16, 2);
    put(at + 26, cluster & 0xFFFF, 2);
    put(at + 28, bytes, 4);
}

static void put_chain(uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++)
        put_fat(first + i, first + i + 1);
    put_fat(first + count - 1, 0x0FFFFFFF);
}

static uint32_t file_clusters(void)
{
    return FILE_BYTES / (l.cluster_sectors * DISK_SECTOR);
}

static uint32_t log_entry(void)
{
    return l.root + 2 * 32;
}

/* As iso/build-iso writes it. */
static void put_file(uint32_t at, uint32_t bytes)
{
    int length =
        sprintf((char *)disk + at, "pmuproof log file, %u bytes reserved\nnothing was written yet\n", bytes);

    memset(disk + at + length, ' ', bytes - (uint32_t)length - 1);
    disk[at + bytes - 1] = '\n';
}

/* Make the disk anew, with this kind of file system in this partition. */
static void make(unsigned kind, unsigned partition, uint8_t type)
{
    uint32_t boot = PARTITION * DISK_SECTOR, root_sectors = KINDS[kind].bits == 32 ? 0 : 4, sectors;

    l = KINDS[kind];
    l.fat_sectors = ((l.clusters + 2) * l.bits / 8 + 1 + DISK_SECTOR - 1) / DISK_SECTOR;
    sectors = RESERVED + FATS * l.fat_sectors + root_sectors + l.clusters * l.cluster_sectors;
    used = PARTITION + sectors + 1;
    assert_true(used <= SECTORS);
    memset(disk, 0xE5, used * DISK_SECTOR);
    memset(disk, 0, DISK_SECTOR);
    disk[446 + (partition - 1) * 16 + 4] = type;
    put(446 + (partition - 1) * 16 + 8, PARTITION, 4);
    put(446 + (partition - 1) * 16 + 12, sectors, 4);
    put(510, 0xAA55, 2);

    memset(disk + boot, 0, (RESERVED + FATS * l.fat_sectors + root_sectors) * DISK_SECTOR);
    put(boot + 11, DISK_SECTOR, 2);
    disk[boot + 13] = (uint8_t)l.cluster_sectors;
    put(boot + 14, RESERVED, 2);
    disk[boot + 16] = FATS;
    put(boot + 17, root_sectors * 16, 2);
    put(boot + (sectors < 65536 ? 19 : 32), sectors, sectors < 65536 ? 2 : 4);
    put(boot + (l.bits == 32 ? 36 : 22), l.fat_sectors, l.bits == 32 ? 4 : 2);
    put(boot + 44, l.bits == 32 ? 2 : 0, 4);
    l.fat = boot + RESERVED * DISK_SECTOR;
    l.data = l.fat + (FATS * l.fat_sectors + root_sectors) * DISK_SECTOR;
    l.root = l.data - root_sectors * DISK_SECTOR;
    if (l.bits == 32) {
        memset(disk + l.data, 0, DISK_SECTOR);
        put_chain(2, 1);
    }
    put_entry(l.root, "PMULOG  TXT", 0x08, 0, 0); /* a volume label of that name is not the file */
    put_entry(l.root + 32, "OTHER   TXT", 0x20, 2, 1);
    put_entry(log_entry(), "PMULOG  TXT", 0x20, l.first, FILE_BYTES);
    put_chain(l.first, file_clusters());
    put_file(cluster_byte(l.first), FILE_BYTES);
}

BEFORE_EACH(set_up)
{
    memset(seen, false, sizeof seen);
    memset(written, false, sizeof written);
    writes = 0;
    fail_read_at = fail_write_at = -1;
}

/* ---- Looking for the file ---- */

static void refused(const char *words)
{
    struct logfile file;
    const char *why;

    why = logfile_find(&file);
    if (!why || !strstr(why, words))
        fail_msg("\"%s\" does not say \"%s\"", why ? why : "found", words);
    assert_int_equal(writes, 0);
}

TEST(every_kind_is_found)
{
    static const uint8_t types[] = {0x01, 0x04, 0x06, 0x0B, 0x0C, 0x0E, 0xEF};
    for (unsigned kind = 0; kind < COUNT_OF(KINDS); kind++) {
        for (unsigned partition = 1; partition <= 4; partition++) {
            struct logfile file;

            make(kind, partition, types[(kind + partition) % COUNT_OF(types)]);
            assert_null(logfile_find(&file));
            assert_int_equal(file.partition, partition);
            assert_int_equal(file.lba, cluster_byte(l.first) / DISK_SECTOR);
            assert_int_equal(file.bytes, FILE_BYTES);
        }
    }
    assert_int_equal(writes, 0);
}

/* One field at a time, of the first sector of the drive, of the partition's, or of the directory's entry. */
TEST(a_wrong_field_is_enough)
{
    enum { DRIVE, BOOT, ENTRY };
    static const struct {
        unsigned kind, where;
        int at;
        unsigned bytes;
        uint32_t value;
        const char *words;
    } wrong[] = {
        {0, DRIVE, 446 + 4, 1, 0x83, "no FAT partition"},
        {0, DRIVE, 510, 1, 0, "no partition table"},
        {0, DRIVE, 446 + 12, 4, 0, "no sound FAT"},
        {0, DRIVE, 446 + 8, 4, SECTORS, "read error"},
        {0, DRIVE, 446 + 8, 4, 0xFFFFFFF0u, "beyond 1 TB"},
        {0, BOOT, 11, 2, 2048, "no sound FAT"},
        {0, BOOT, 13, 1, 0, "no sound FAT"},
        {0, BOOT, 13, 1, 3, "no sound FAT"},
        {0, BOOT, 14, 2, 0, "no sound FAT"},
        {0, BOOT, 14, 2, 65535, "no sound FAT"},
        {0, BOOT, 16, 1, 0, "no sound FAT"},
        {0, BOOT, 17, 2, 0, "no sound FAT"},
        {0, BOOT, 19, 2, 40, "no sound FAT"},
        {0, BOOT, 22, 2, 1, "no sound FAT"},
        {0, BOOT, 22, 2, 60000, "no sound FAT"},
        {4, BOOT, 36, 4, 0x80000000u, "no sound FAT"}, /* twice that is 0 in 32 bits */
        {0, ENTRY, 28, 4, 0, "in one piece"},
        {0, ENTRY, 28, 4, 0xFFFFFFFF, "larger than"},
        {0, ENTRY, 28, 4, FILE_BYTES - 1, "512 bytes"},
        {ANY, ENTRY, 0, 1, 0xE5, "no PMULOG.TXT"}, /* deleted */
        {ANY, ENTRY, 0, 1, 0, "no PMULOG.TXT"},    /* the end of the directory */
        {ANY, ENTRY, -32, 1, 0, "no PMULOG.TXT"},
        {ANY, ENTRY, 11, 1, 0x10, "no PMULOG.TXT"},
    };
    for (unsigned kind = 0; kind < COUNT_OF(KINDS); kind++)
        for (unsigned i = 0; i < COUNT_OF(wrong); i++) {
            if (wrong[i].kind != kind && wrong[i].kind != ANY)
                continue;
            make(kind, 1, 0x01);
            const uint32_t base[] = {0, PARTITION * DISK_SECTOR, log_entry()};
            put(base[wrong[i].where] + (uint32_t)wrong[i].at, wrong[i].value, wrong[i].bytes);
            refused(wrong[i].words);
        }
}

TEST(a_disk_that_cannot_be_read)
{
    make(0, 1, 0x01);
    fail_read_at = 0;
    refused("first sector cannot be read");
    fail_read_at = PARTITION;
    refused("read error");
}

/* The file's chain: with a gap, cut, shorter or longer than the file; from the last cluster on, or from none;
 * and a valid one, but through clusters that do not exist. */
TEST(a_file_in_pieces_is_refused)
{
    for (unsigned kind = 0; kind < COUNT_OF(KINDS); kind++) {
        make(kind, 1, 0x01);
        const uint32_t entry = log_entry();
        for (unsigned link = 0; link < 2; link++) {
            put_fat(l.first + link, l.first + 3);
            refused("in one piece");
            put_fat(l.first + link, l.first + link + 1);
        }
        put_fat(l.first + 1, 0);
        refused("in one piece");
        put_chain(l.first, file_clusters() - 1);
        refused("in one piece");
        put_chain(l.first, file_clusters() + 1);
        refused("in one piece");
        put_chain(l.first, file_clusters());
        put(entry + 26, l.clusters + 2 - 1, 2);
        refused("in one piece");
        put(entry + 26, 1, 2);
        put(entry + 20, 0, 2);
        refused("in one piece");
    }
    make(0, 1, 0x01);
    put(log_entry() + 26, 1, 2);
    put_chain(1, file_clusters());
    refused("in one piece");
    put(log_entry() + 26, l.clusters, 2);
    put_chain(l.clusters, file_clusters());
    refused("in one piece");
}

/* The search of a directory whose chain is a circle ends. */
TEST(endless_directory)
{
    make(4, 1, 0x0C);
    for (unsigned i = 0; i < DISK_SECTOR; i += 32)
        put_entry(l.root + i, "OTHER   TXT", 0x20, 2, 1);
    put_fat(2, 2);
    refused("no PMULOG.TXT");
}

TEST(only_the_mark_opens_it)
{
    uint32_t at;
    make(0, 1, 0x01);
    at = cluster_byte(l.first);
    for (unsigned i = 0; i < strlen("pmuproof log file, 8192 bytes reserved\n"); i++) {
        disk[at + i] ^= 1;
        refused("mark");
        disk[at + i] ^= 1;
    }
    put_file(at, FILE_BYTES * 2); /* the mark of a file of another size */
    refused("mark");
    fail_read_at = (int)(at / DISK_SECTOR);
    refused("cannot be read");
}

/* One byte that is not text, anywhere, makes it a file of somebody else. */
TEST(only_text_opens_it)
{
    uint32_t at;
    make(0, 1, 0x01);
    at = cluster_byte(l.first);
    for (uint32_t i = 100; i < FILE_BYTES; i += 509) {
        uint8_t was = disk[at + i];

        disk[at + i] = i % 2 ? 0x00 : 0x80;
        refused("else than text");
        disk[at + i] = was;
    }
}

/* ---- Writing into it ---- */

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

static struct logfile opened(void)
{
    struct logfile file;

    make(0, 1, 0x01);
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

/* The second and the last sector are written and read back, and hold afterwards what they held. */
TEST(the_file_is_tried)
{
    struct logfile file = opened();
    const int last = (int)file.lba + FILE_BYTES / DISK_SECTOR - 1;

    snapshot();
    writes = 0;
    assert_null(logfile_try(&file));
    assert_int_equal(writes, 4);
    untouched_but(0, 0);
    fail_write_at = last;
    assert_non_null(strstr(logfile_try(&file), "does not keep"));
    fail_write_at = -1;
    memset(disk + (file.lba + 1) * DISK_SECTOR, '0', DISK_SECTOR); /* what it may have left */
    assert_null(logfile_write(&file, "a line\n", 7, true));
    assert_int_equal(disk[(file.lba + 1) * DISK_SECTOR], ' ');
    disk[(last + 1) * DISK_SECTOR - 1] = 0;
    assert_non_null(strstr(logfile_try(&file), "else than text"));
}
