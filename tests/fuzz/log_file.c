/*
 * PMULOG.TXT (kernel/logfile/file.c, kernel/logfile/fat.c): the input is a disk, repeated without end.
 * Whatever the disk holds: a file that is found has the mark, only sectors of the file are written, and only
 * those that hold text, and the number of reads is bounded.
 */
#include "fuzz.h"

#include <assert.h>
#include <string.h>
#include "kernel/logfile/logfile.h"

#define SECTORS_MOST 8u
#define READS_MOST   6000u

static struct {
    uint8_t bytes[SECTORS_MOST * DISK_SECTOR];
    uint32_t sectors, reads;
    struct logfile file;
} disk;

static const uint8_t *sector(uint32_t lba)
{
    return disk.bytes + lba % disk.sectors * DISK_SECTOR;
}

bool disk_read(uint32_t lba, unsigned count, void *to)
{
    assert(count >= 1 && count <= DISK_MOST_COUNT && disk.reads++ < READS_MOST);
    for (unsigned i = 0; i < count; i++)
        memcpy((uint8_t *)to + i * DISK_SECTOR, sector(lba + i), DISK_SECTOR);
    return true;
}

bool disk_write(uint32_t lba, unsigned count, const void *from)
{
    (void)from;
    assert(count >= 1 && count <= DISK_MOST_COUNT);
    assert(lba >= disk.file.lba && lba - disk.file.lba <= disk.file.bytes / DISK_SECTOR - count);
    for (unsigned i = 0; i < count * DISK_SECTOR; i++) {
        uint8_t c = sector(lba + i / DISK_SECTOR)[i % DISK_SECTOR];
        assert((c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t');
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char log[] = "TAP version 13\r\n1..0 # SKIP a machine of one's own\r\n";

    memset(&disk, 0, sizeof disk);
    size = size < sizeof disk.bytes ? size : sizeof disk.bytes;
    disk.sectors = (uint32_t)(size + DISK_SECTOR - 1) / DISK_SECTOR;
    if (disk.sectors == 0)
        return 0;
    memcpy(disk.bytes, data, size);
    if (logfile_find(&disk.file) != NULL)
        return 0;
    assert(disk.file.partition >= 1 && disk.file.partition <= 4);
    assert(disk.file.bytes >= LOGFILE_LEAST && disk.file.bytes <= LOGFILE_MOST && disk.file.lba != 0);
    assert(memcmp(sector(disk.file.lba), "pmuproof log file, ", 19) == 0);
    if (logfile_write(&disk.file, log, sizeof log - 1, false) == NULL)
        logfile_write(&disk.file, log, sizeof log - 1, true);
    return 0;
}
