/*
 * kernel/logfile/disk.c over a BIOS of this test's own, with and without the extensions of INT 13H, whose
 * drive fails the first transfers or transfers less than it was asked for, or counts down while it does.
 */
#include <string.h>
#include "kernel/board/board.h"
#include "kernel/firmware/firmware.h"
#include "kernel/logfile/logfile.h"
#include "tests/host/support/host_test.h"

#define DRIVE   0x80u
#define HEADS   4u
#define TRACK   9u /* sectors */
#define SECTORS (HEADS * TRACK * 20)

static uint8_t buffer[BIOS_BUFFER_BYTES], disk[SECTORS][DISK_SECTOR];
static bool extensions;
static unsigned failures, resets; /* transfers that still fail; resets of the drive */
static unsigned short_by;         /* sectors that a transfer leaves out, which is an error */
static bool counts_down;          /* the count in the packet is 0 after a transfer */
static uint16_t sector_bytes;     /* as function 48H reports them; 0: it leaves that field alone */

STUB(uint8_t *, bios_buffer, (void), buffer);
STUB(void, progress, (void));

static bool transfer(bool write, uint32_t lba, unsigned count, unsigned at)
{
    if (failures > 0) {
        failures--;
        return false;
    }
    assert_in_range(lba + count, 1, SECTORS);
    for (unsigned i = 0; i < count; i++)
        memcpy(write ? disk[lba + i] : buffer + at + i * DISK_SECTOR,
               write ? buffer + at + i * DISK_SECTOR : disk[lba + i], DISK_SECTOR);
    return true;
}

static bool by_packet(bool write, uint32_t at)
{
    uint16_t count;
    uint32_t lba;

    memcpy(&count, buffer + at + 2, sizeof count);
    memcpy(&lba, buffer + at + 8, sizeof lba);
    count = (uint16_t)(count - short_by);
    const uint16_t left = counts_down ? 0 : count;
    memcpy(buffer + at + 2, &left, sizeof left);
    return transfer(write, lba, count, 0) && short_by == 0;
}

static bool by_chs(bool write, const struct bios_registers *r)
{
    uint32_t cylinder = (r->ecx >> 8 & 0xFF) | (r->ecx & 0xC0) << 2, head = r->edx >> 8 & 0xFF;

    assert_in_range(r->ecx & 0x3F, 1, TRACK);
    assert_in_range(head, 0, HEADS - 1);
    return transfer(write, (cylinder * HEADS + head) * TRACK + (r->ecx & 0x3F) - 1, r->eax & 0xFF, r->ebx);
}

void bios_int13(struct bios_registers *r)
{
    uint8_t function = r->eax >> 8 & 0xFF;
    bool good = true;

    assert_int_equal(r->edx & 0xFF, DRIVE);
    if (function == 0) {
        resets++;
    } else if (function == 0x41 && extensions) {
        r->ebx = 0xAA55;
        r->ecx = 1;
    } else if (function == 0x48 && extensions) {
        memcpy(buffer + (r->esi & 0xFFFF) + 24, &sector_bytes, sector_bytes > 0 ? sizeof sector_bytes : 0);
    } else if (function == 8) {
        r->edx = (HEADS - 1) << 8;
        r->ecx = TRACK;
    } else if ((function & ~1u) == 0x42 && extensions) {
        good = by_packet(function & 1, r->esi);
    } else if (function == 2 || function == 3) {
        good = by_chs(function & 1, r);
    } else {
        good = false;
    }
    r->flags = good ? 0 : BIOS_FLAGS_CARRY;
}

BEFORE_EACH(set_up)
{
    for (unsigned i = 0; i < SECTORS; i++)
        memset(disk[i], (int)(i % 251), DISK_SECTOR);
    failures = resets = short_by = 0;
    counts_down = false;
    sector_bytes = 0;
    extensions = true;
}

/* In both ways, over the ends of tracks and cylinders: what is read is what lies there. */
TEST(sectors_are_where_they_lie)
{
    uint8_t some[DISK_MOST_COUNT * DISK_SECTOR];

    for (unsigned way = 0; way < 2; way++) {
        extensions = way;
        assert_null(disk_open(DRIVE));
        for (uint32_t lba = 0; lba + DISK_MOST_COUNT <= SECTORS; lba += 7) {
            assert_true(disk_read(lba, DISK_MOST_COUNT, some));
            for (unsigned i = 0; i < DISK_MOST_COUNT; i++)
                assert_memory_equal(some + i * DISK_SECTOR, disk[lba + i], DISK_SECTOR);
        }
        memset(some, 0xEE, DISK_SECTOR);
        assert_true(disk_write(40 + way, 1, some));
        assert_memory_equal(disk[40 + way], some, DISK_SECTOR);
    }
}

/* A drive that is starting up fails like this. */
TEST(a_drive_that_fails_twice_is_tried_again)
{
    uint8_t sector[DISK_SECTOR];

    assert_null(disk_open(DRIVE));
    failures = 2;
    assert_true(disk_read(3, 1, sector));
    assert_int_equal(resets, 2);
    failures = 1000;
    assert_false(disk_read(3, 1, sector));
    assert_in_range(1000 - failures, 3, 10);
}

/* A transfer of less has failed. One has succeeded if carry is clear: the count in the packet is specified on
 * errors only (Phoenix, Enhanced Disk Drive Specification 3.0). */
TEST(what_a_transfer_reports)
{
    uint8_t some[2 * DISK_SECTOR];

    assert_null(disk_open(DRIVE));
    for (short_by = 0; short_by < 2; short_by++) {
        counts_down = short_by == 0;
        assert_int_equal(disk_read(3, 2, some), counts_down);
        assert_int_equal(disk_write(3, 2, some), counts_down);
    }
}

/* A BIOS that does not say how large a sector is leaves what the buffer held. */
TEST(only_sectors_of_512_bytes)
{
    const uint16_t sizes[] = {0, DISK_SECTOR, 2048};

    for (unsigned i = 0; i < COUNT_OF(sizes); i++) {
        memset(buffer, 0xEE, sizeof buffer);
        sector_bytes = sizes[i];
        assert_int_equal(disk_open(DRIVE) == NULL, sizes[i] != 2048);
    }
}
