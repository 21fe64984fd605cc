/*
 * A disk in memory with a FAT file system and PMULOG.TXT, laid out by hand after Microsoft's FAT
 * specification 1.03. It stands in for kernel/logfile/disk.c and checks that each sector is read before it is
 * written.
 */
#ifndef TESTS_HOST_KERNEL_FAT_DISK_H
#define TESTS_HOST_KERNEL_FAT_DISK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/logfile/disk.h"
#include "kernel/logfile/file.h"
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

static inline void put(uint32_t at, uint32_t value, unsigned bytes)
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

static const struct layout KINDS[] = {
    {.bits = 12, .cluster_sectors = 4, .clusters = 500, .first = 339}, /* an entry lies across two sectors */
    {.bits = 12, .cluster_sectors = 1, .clusters = 4084, .first = 2},
    {.bits = 16, .cluster_sectors = 1, .clusters = 4085, .first = 3},
    {.bits = 16, .cluster_sectors = 1, .clusters = 65524, .first = 65000},
    {.bits = 32, .cluster_sectors = 1, .clusters = 65525, .first = 65400},
};

static inline void put_fat(const struct layout *l, uint32_t cluster, uint32_t value)
{
    for (unsigned copy = 0; copy < FATS; copy++) {
        uint32_t fat = l->fat + copy * l->fat_sectors * DISK_SECTOR, at = fat + cluster * 3 / 2;

        if (l->bits != 12) {
            put(fat + cluster * l->bits / 8, value, l->bits / 8);
        } else if (cluster % 2 == 0) {
            put(at, (value & 0xFFF) | (uint32_t)(disk[at + 1] & 0xF0) << 8, 2);
        } else {
            put(at, (disk[at] & 0x0F) | (value & 0xFFF) << 4, 2);
        }
    }
}

static inline uint32_t cluster_byte(const struct layout *l, uint32_t cluster)
{
    return l->data + (cluster - 2) * l->cluster_sectors * DISK_SECTOR;
}

static inline void put_entry(uint32_t at, const char *name, uint8_t attributes, uint32_t cluster,
                             uint32_t bytes)
{
    memcpy(disk + at, name, 11);
    disk[at + 11] = attributes;
    put(at + 20, cluster >> 16, 2);
    put(at + 26, cluster & 0xFFFF, 2);
    put(at + 28, bytes, 4);
}

static inline void put_chain(const struct layout *l, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++)
        put_fat(l, first + i, first + i + 1);
    put_fat(l, first + count - 1, 0x0FFFFFFF);
}

static inline uint32_t file_clusters(const struct layout *l)
{
    return FILE_BYTES / (l->cluster_sectors * DISK_SECTOR);
}

static inline uint32_t log_entry(const struct layout *l)
{
    return l->root + 2 * 32;
}

/* As iso/build-iso writes it. */
static inline void put_file(uint32_t at, uint32_t bytes)
{
    int length =
        sprintf((char *)disk + at, "pmuproof log file, %u bytes reserved\nnothing was written yet\n", bytes);

    memset(disk + at + length, ' ', bytes - (uint32_t)length - 1);
    disk[at + bytes - 1] = '\n';
}

static inline void make(struct layout *l, const struct layout *kind, unsigned partition, uint8_t type)
{
    uint32_t boot = PARTITION * DISK_SECTOR, root_sectors = kind->bits == 32 ? 0 : 4, sectors;

    *l = *kind;
    l->fat_sectors = ((l->clusters + 2) * l->bits / 8 + 1 + DISK_SECTOR - 1) / DISK_SECTOR;
    sectors = RESERVED + FATS * l->fat_sectors + root_sectors + l->clusters * l->cluster_sectors;
    used = PARTITION + sectors + 1;
    assert_true(used <= SECTORS);
    memset(disk, 0xE5, used * DISK_SECTOR);
    memset(disk, 0, DISK_SECTOR);
    disk[446 + (partition - 1) * 16 + 4] = type;
    put(446 + (partition - 1) * 16 + 8, PARTITION, 4);
    put(446 + (partition - 1) * 16 + 12, sectors, 4);
    put(510, 0xAA55, 2);

    memset(disk + boot, 0, (RESERVED + FATS * l->fat_sectors + root_sectors) * DISK_SECTOR);
    put(boot + 11, DISK_SECTOR, 2);
    disk[boot + 13] = (uint8_t)l->cluster_sectors;
    put(boot + 14, RESERVED, 2);
    disk[boot + 16] = FATS;
    put(boot + 17, root_sectors * 16, 2);
    put(boot + (sectors < 65536 ? 19 : 32), sectors, sectors < 65536 ? 2 : 4);
    put(boot + (l->bits == 32 ? 36 : 22), l->fat_sectors, l->bits == 32 ? 4 : 2);
    put(boot + 44, l->bits == 32 ? 2 : 0, 4);
    l->fat = boot + RESERVED * DISK_SECTOR;
    l->data = l->fat + (FATS * l->fat_sectors + root_sectors) * DISK_SECTOR;
    l->root = l->data - root_sectors * DISK_SECTOR;
    if (l->bits == 32) {
        memset(disk + l->data, 0, DISK_SECTOR);
        put_chain(l, 2, 1);
    }
    put_entry(l->root, "PMULOG  TXT", 0x08, 0, 0); /* a volume label of that name is not the file */
    put_entry(l->root + 32, "OTHER   TXT", 0x20, 2, 1);
    put_entry(log_entry(l), "PMULOG  TXT", 0x20, l->first, FILE_BYTES);
    put_chain(l, l->first, file_clusters(l));
    put_file(cluster_byte(l, l->first), FILE_BYTES);
}

BEFORE_EACH(set_up)
{
    memset(seen, false, sizeof seen);
    memset(written, false, sizeof written);
    writes = 0;
    fail_read_at = fail_write_at = -1;
}

#endif
