/*
 * The file system is not trusted: every sector number is checked against the partition, and every chain is
 * bounded. Layout: Microsoft's FAT specification 1.03.
 */
#include "logfile.h"
#include <stdbool.h>
#include <stddef.h>
#include "kernel/lib/lib.h"

/* Offsets in the first sector, the boot sector. */
#define BOOT_SECTOR_BYTES    11
#define BOOT_CLUSTER_SECTORS 13
#define BOOT_RESERVED        14
#define BOOT_FATS            16
#define BOOT_ROOT_ENTRIES    17 /* 0: FAT32 */
#define BOOT_SECTORS_16      19
#define BOOT_FAT_SECTORS_16  22
#define BOOT_SECTORS_32      32
#define BOOT_FAT_SECTORS_32  36
#define BOOT_ROOT_CLUSTER    44

/* Offsets and values in a directory entry. */
#define ENTRY_BYTES        32u
#define ENTRY_ATTRIBUTES   11
#define ENTRY_CLUSTER_HIGH 20
#define ENTRY_CLUSTER_LOW  26
#define ENTRY_SIZE         28
#define ENTRY_END          0x00
#define DIRECTORY_MOST     512u /* sectors to search, 8,192 entries: more would take too long on a slow drive */
#define ATTRIBUTES_NO_FILE 0x18 /* volume label (long names too), directory */

#define FIRST_CLUSTER  2u
#define FAT12_CLUSTERS 4085u /* FAT12 has fewer clusters than this */
#define FAT16_CLUSTERS 65525u
#define CLUSTER_MASK   0x0FFFFFFFu /* of a FAT32 entry */
/* The lowest end-of-chain mark in FAT12 (FF8H to FFFH); FAT16 and FAT32 extend it with leading 1 bits. */
#define END_OF_CHAIN_LEAST 0xFF8u

struct fat {
    uint32_t lba, sectors; /* the partition */
    /* The first FAT. This sector number and those below count from the start of the partition. */
    uint32_t fat_at, fat_sectors;
    uint32_t root_at, root_sectors, root_cluster;
    uint32_t data_at, cluster_sectors, clusters;
    unsigned bits; /* of a FAT entry */
};

#define SECTORS_MOST 0x7FFFFFFFu /* 1 TB: no sum of sector numbers overflows */

static const char NAME[] = "PMULOG  TXT"; /* as a directory entry has it */

static const char *const UNREADABLE = "the drive reports a read error";

/* Cache of one sector, the one that was read last. */
static uint8_t sector[DISK_SECTOR];
static uint32_t sector_lba;
static bool sector_good;

/* Sector `at` of the partition, or null when it lies outside or cannot be read. */
static const uint8_t *sector_at(const struct fat *fat, uint32_t at)
{
    if (at >= fat->sectors)
        return NULL;
    if (!sector_good || sector_lba != fat->lba + at) {
        sector_lba = fat->lba + at;
        sector_good = disk_read(sector_lba, 1, sector);
    }
    return sector_good ? sector : NULL;
}

static bool power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* Fill *fat from the boot sector. False when its fields contradict each other or the size of the partition.
 */
static bool parse_boot_sector(struct fat *fat, const uint8_t *boot)
{
    uint32_t sectors = load16le(boot + BOOT_SECTORS_16), entries = load16le(boot + BOOT_ROOT_ENTRIES);
    uint32_t fats = boot[BOOT_FATS], fat_bytes;

    if (sectors == 0)
        sectors = load32le(boot + BOOT_SECTORS_32);
    if (sectors < fat->sectors)
        fat->sectors = sectors;
    fat->fat_at = load16le(boot + BOOT_RESERVED);
    fat->fat_sectors = load16le(boot + BOOT_FAT_SECTORS_16);
    if (fat->fat_sectors == 0)
        fat->fat_sectors = load32le(boot + BOOT_FAT_SECTORS_32);
    fat->cluster_sectors = boot[BOOT_CLUSTER_SECTORS];
    fat->root_sectors = (entries * ENTRY_BYTES + DISK_SECTOR - 1) / DISK_SECTOR;
    if (load16le(boot + BOOT_SECTOR_BYTES) != DISK_SECTOR || !power_of_two(fat->cluster_sectors) ||
        fat->fat_at == 0 || fats == 0 || fat->fat_sectors == 0 || fat->fat_sectors > fat->sectors / fats)
        return false;
    fat->root_at = fat->fat_at + fats * fat->fat_sectors;
    fat->data_at = fat->root_at + fat->root_sectors;
    if (fat->data_at >= fat->sectors)
        return false;
    fat->clusters = (fat->sectors - fat->data_at) / fat->cluster_sectors;
    fat->bits = fat->clusters < FAT12_CLUSTERS ? 12 : fat->clusters < FAT16_CLUSTERS ? 16 : 32;
    if ((fat->bits == 32) != (entries == 0))
        return false;
    fat->root_cluster = fat->bits == 32 ? load32le(boot + BOOT_ROOT_CLUSTER) & CLUSTER_MASK : 0;
    fat_bytes = fat->bits == 12 ? fat->clusters + fat->clusters / 2 : fat->clusters * (fat->bits / 8);
    return fat_bytes / DISK_SECTOR < fat->fat_sectors;
}

static bool is_cluster(const struct fat *fat, uint32_t cluster)
{
    return cluster >= FIRST_CLUSTER && cluster - FIRST_CLUSTER < fat->clusters;
}

static uint32_t cluster_at(const struct fat *fat, uint32_t cluster)
{
    return fat->data_at + (cluster - FIRST_CLUSTER) * fat->cluster_sectors;
}

/* Read byte `at` of the first FAT. */
static bool fat_byte(const struct fat *fat, uint32_t at, uint32_t *value)
{
    const uint8_t *bytes =
        at / DISK_SECTOR < fat->fat_sectors ? sector_at(fat, fat->fat_at + at / DISK_SECTOR) : NULL;

    if (bytes == NULL)
        return false;
    *value = bytes[at % DISK_SECTOR];
    return true;
}

/* Read the FAT entry of this cluster: the number of the next one, or an end-of-chain mark. */
static bool next_cluster(const struct fat *fat, uint32_t cluster, uint32_t *next)
{
    uint32_t at = fat->bits == 12 ? cluster + cluster / 2 : cluster * (fat->bits / 8), byte, value = 0;

    for (unsigned i = 0; i < (fat->bits + 7) / 8; i++) {
        if (!fat_byte(fat, at + i, &byte))
            return false;
        value |= byte << 8 * i;
    }
    if (fat->bits == 12)
        value = cluster % 2 != 0 ? value >> 4 : value & 0xFFF;
    *next = value & CLUSTER_MASK;
    return true;
}

static bool ends_chain(const struct fat *fat, uint32_t value)
{
    uint32_t all = fat->bits == 32 ? CLUSTER_MASK : (1u << fat->bits) - 1;

    return value >= (all & ~0xFFFu) + END_OF_CHAIN_LEAST && value <= all;
}

/* Search one sector of the directory: 1 found (*entry), 0 not in this sector, -1 the directory ends here. */
static int search_sector(const uint8_t *bytes, const uint8_t **entry)
{
    for (*entry = bytes; *entry < bytes + DISK_SECTOR; *entry += ENTRY_BYTES) {
        if (**entry == ENTRY_END)
            return -1;
        if (memcmp(*entry, NAME, sizeof NAME - 1) == 0 &&
            ((*entry)[ENTRY_ATTRIBUTES] & ATTRIBUTES_NO_FILE) == 0)
            return 1;
    }
    return 0;
}

static const char *const NO_FILE = "its FAT partition has no PMULOG.TXT in the root directory";

/* Search the sectors [at, at + count) of the root directory. Returns null and *entry when the file is found,
 * null and a null *entry when the search must go on, else why there is no file. */
static const char *search(const struct fat *fat, uint32_t at, uint32_t count, const uint8_t **entry)
{
    *entry = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *bytes = sector_at(fat, at + i), *found;
        int answer;

        if (bytes == NULL)
            return UNREADABLE;
        answer = search_sector(bytes, &found);
        if (answer < 0)
            return NO_FILE;
        if (answer > 0) {
            *entry = found;
            return NULL;
        }
    }
    return NULL;
}

static const char *search_root(const struct fat *fat, const uint8_t **entry)
{
    uint32_t cluster = fat->root_cluster, next;
    const char *why;

    if (fat->bits != 32) {
        why = search(fat, fat->root_at,
                     fat->root_sectors < DIRECTORY_MOST ? fat->root_sectors : DIRECTORY_MOST, entry);
        return why == NULL && *entry == NULL ? NO_FILE : why;
    }
    for (uint32_t left = DIRECTORY_MOST; left >= fat->cluster_sectors && is_cluster(fat, cluster);
         left -= fat->cluster_sectors, cluster = next) {
        why = search(fat, cluster_at(fat, cluster), fat->cluster_sectors, entry);
        if (why != NULL || *entry != NULL)
            return why;
        if (!next_cluster(fat, cluster, &next))
            return UNREADABLE;
    }
    return NO_FILE;
}

static const char *follow(const struct fat *fat, uint32_t cluster, uint32_t bytes, struct fat_extent *extent)
{
    static const char *const pieces = "PMULOG.TXT does not lie in one piece";
    uint32_t cluster_bytes = fat->cluster_sectors * DISK_SECTOR;
    uint32_t count = bytes / cluster_bytes + (bytes % cluster_bytes != 0), next = 0;

    if (bytes > FAT_FILE_MOST)
        return "PMULOG.TXT is larger than 1 MB";
    if (count == 0 || !is_cluster(fat, cluster) || !is_cluster(fat, cluster + count - 1))
        return pieces;
    for (uint32_t i = 0; i < count; i++) {
        if (!next_cluster(fat, cluster + i, &next))
            return UNREADABLE;
        if (i + 1 < count ? next != cluster + i + 1 : !ends_chain(fat, next))
            return pieces;
    }
    *extent = (struct fat_extent){fat->lba + cluster_at(fat, cluster), bytes};
    return NULL;
}

const char *fat_find(struct fat_extent *extent, uint32_t lba, uint32_t sectors)
{
    struct fat fat = {.lba = lba, .sectors = sectors};
    const uint8_t *bytes, *entry;
    const char *why;

    sector_good = false;
    if (sectors > SECTORS_MOST || lba > SECTORS_MOST)
        return "its FAT partition lies beyond 1 TB";
    bytes = sectors > 0 ? sector_at(&fat, 0) : NULL;
    if (bytes == NULL && sectors > 0)
        return UNREADABLE;
    if (bytes == NULL || !parse_boot_sector(&fat, bytes))
        return "its FAT partition has no sound FAT file system";
    why = search_root(&fat, &entry);
    if (why != NULL)
        return why;
    return follow(&fat,
                  load16le(entry + ENTRY_CLUSTER_LOW) |
                      (fat.bits == 32 ? (uint32_t)load16le(entry + ENTRY_CLUSTER_HIGH) << 16 : 0),
                  load32le(entry + ENTRY_SIZE), extent);
}
