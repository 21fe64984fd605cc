/*
 * kernel/logfile/file.c and kernel/logfile/fat.c look for PMULOG.TXT on a disk in memory: which file is
 * found, and which are refused. File systems of mtools are in tests/image/logfile.t.
 */
#include "fat_disk.h"

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
            struct layout l;
            struct logfile file;

            make(&l, &KINDS[kind], partition, types[(kind + partition) % COUNT_OF(types)]);
            assert_null(logfile_find(&file));
            assert_int_equal(file.partition, partition);
            assert_int_equal(file.lba, cluster_byte(&l, l.first) / DISK_SECTOR);
            assert_int_equal(file.bytes, FILE_BYTES);
        }
    }
    assert_int_equal(writes, 0);
}

TEST(other_drives_are_refused)
{
    struct layout l;
    make(&l, &KINDS[0], 1, 0x83);
    refused("no FAT partition");
    make(&l, &KINDS[0], 1, 0x01);
    disk[510] = 0;
    refused("no partition table");
    make(&l, &KINDS[0], 1, 0x01);
    fail_read_at = 0;
    refused("first sector cannot be read");
    fail_read_at = PARTITION;
    refused("read error");
    fail_read_at = -1;
    put(446 + 12, 0, 4);
    refused("no sound FAT");
    make(&l, &KINDS[0], 1, 0x01);
    put(446 + 8, SECTORS, 4);
    refused("read error");
    put(446 + 8, 0xFFFFFFF0u, 4);
    refused("beyond 1 TB");
}

/* One field of the first sector at a time. */
TEST(senseless_file_systems_are_refused)
{
    static const struct {
        unsigned at, bytes;
        uint32_t value;
    } wrong[] = {
        {11, 2, 2048}, {13, 1, 0}, {13, 1, 3},     {14, 2, 0},  {16, 1, 0},
        {17, 2, 0},    {22, 2, 1}, {22, 2, 60000}, {19, 2, 40}, {14, 2, 65535},
    };
    struct layout l;
    for (unsigned i = 0; i < COUNT_OF(wrong); i++) {
        make(&l, &KINDS[0], 1, 0x01);
        put(PARTITION * DISK_SECTOR + wrong[i].at, wrong[i].value, wrong[i].bytes);
        refused("no sound FAT");
    }
    make(&l, &KINDS[4], 1, 0x0B);
    put(PARTITION * DISK_SECTOR + 36, 0x80000000u, 4); /* twice that is 0 in 32 bits */
    refused("no sound FAT");
}

TEST(other_files_are_refused)
{
    struct layout l;
    uint32_t entry;
    for (unsigned kind = 0; kind < COUNT_OF(KINDS); kind++) {
        make(&l, &KINDS[kind], 1, 0x01);
        entry = log_entry(&l);
        disk[entry] = 0xE5; /* deleted */
        refused("no PMULOG.TXT");
        disk[entry] = 0; /* the end of the directory */
        refused("no PMULOG.TXT");
        disk[entry] = 'P';
        disk[entry - 32] = 0;
        refused("no PMULOG.TXT");
        disk[entry - 32] = 'O';
        disk[entry + 11] = 0x10;
        refused("no PMULOG.TXT");
        disk[entry + 11] = 0x20;

        put_fat(&l, l.first + 1, l.first + 3);
        refused("in one piece");
        put_fat(&l, l.first + 1, 0);
        refused("in one piece");
        put_chain(&l, l.first, file_clusters(&l) - 1);
        refused("in one piece");
        put_chain(&l, l.first, file_clusters(&l) + 1);
        refused("in one piece");
        put_chain(&l, l.first, file_clusters(&l));
        put(entry + 26, l.clusters + 2 - 1, 2); /* the last cluster, and none after it */
        refused("in one piece");
        put(entry + 26, 1, 2);
        put(entry + 20, 0, 2);
        refused("in one piece");
    }
    make(&l, &KINDS[0], 1, 0x01);
    entry = log_entry(&l);
    put(entry + 28, 0, 4);
    refused("in one piece");
    put(entry + 28, FILE_BYTES, 4);
    put(entry + 26, 1, 2); /* a valid chain, but through clusters that do not exist */
    put_chain(&l, 1, file_clusters(&l));
    refused("in one piece");
    put(entry + 26, l.clusters, 2);
    put_chain(&l, l.clusters, file_clusters(&l));
    refused("in one piece");
    put(entry + 26, l.first, 2);
    put_chain(&l, l.first, file_clusters(&l));
    put(entry + 28, 0xFFFFFFFF, 4);
    refused("larger than");
    put(entry + 28, FILE_BYTES - 1, 4);
    refused("512 bytes");
}

/* The search of a directory whose chain is a circle ends. */
TEST(endless_directory)
{
    struct layout l;
    make(&l, &KINDS[4], 1, 0x0C);
    for (unsigned i = 0; i < DISK_SECTOR; i += 32)
        put_entry(l.root + i, "OTHER   TXT", 0x20, 2, 1);
    put_fat(&l, 2, 2);
    refused("no PMULOG.TXT");
}

TEST(only_the_mark_opens_it)
{
    struct layout l;
    uint32_t at;
    make(&l, &KINDS[0], 1, 0x01);
    at = cluster_byte(&l, l.first);
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
    struct layout l;
    uint32_t at;
    make(&l, &KINDS[0], 1, 0x01);
    at = cluster_byte(&l, l.first);
    for (uint32_t i = 100; i < FILE_BYTES; i += 509) {
        uint8_t was = disk[at + i];

        disk[at + i] = i % 2 ? 0x00 : 0x80;
        refused("else than text");
        disk[at + i] = was;
    }
}
