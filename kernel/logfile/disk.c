/* Disk access by INT 13H: by sector number where the BIOS has the extensions, else by cylinder, head and
 * sector. */
#include "logfile.h"
#include <stddef.h>
#include "kernel/firmware/firmware.h"
#include "kernel/lib/lib.h"
#include "kernel/board/board.h"

/* Functions of INT 13H, in AH. */
#define RESET      0x00u
#define READ_CHS   0x02u
#define WRITE_CHS  0x03u
#define GEOMETRY   0x08u
#define EXTENSIONS 0x41u
#define READ_LBA   0x42u
#define WRITE_LBA  0x43u /* AL 0: without verifying */
#define PARAMETERS 0x48u

#define EXTENSIONS_ASKED    0x55AAu
#define EXTENSIONS_ANSWERED 0xAA55u
#define EXTENSIONS_ACCESS   (1u << 0) /* in CX: functions 42H to 44H, 47H and 48H exist */

#define FIRST_CD     0xE0u
#define ATTEMPTS     3u
#define CYLINDERS    1024u
#define SECTORS_MASK 0x3Fu /* CL[5:0]; CL[7:6] are bits 9 and 8 of the cylinder */

/* Parameter of INT 13H functions 42H and 43H. It lies after the sectors in the buffer. */
struct address_packet {
    uint8_t size, zero;
    uint16_t count, offset, segment;
    uint32_t lba, lba_high;
};
_Static_assert(DISK_MOST_COUNT *DISK_SECTOR + sizeof(struct address_packet) <= BIOS_BUFFER_BYTES,
               "the packet lies in the buffer");

/* Result of INT 13H function 48H, version 1 fields only. */
struct parameters {
    uint16_t size, flags;
    uint32_t geometry[3], sectors[2];
    uint16_t sector_bytes;
} __attribute__((packed));

static struct {
    uint8_t number;
    bool extensions;
    uint32_t heads, sectors; /* per cylinder, per track */
} drive;

static uint16_t buffer_segment(void)
{
    return (uint16_t)((uintptr_t)bios_buffer() >> BIOS_SEGMENT_SHIFT);
}

static bool call(struct bios_registers *r)
{
    r->edx = (r->edx & ~0xFFu) | drive.number;
    bios_int13(r);
    return (r->flags & BIOS_FLAGS_CARRY) == 0;
}

/* Call the function in AH with DS:SI pointing to this offset in the buffer. */
static bool call_with(uint32_t function, size_t at)
{
    struct bios_registers r = {.eax = function << 8, .ds = buffer_segment(), .esi = (uint32_t)at};

    return call(&r);
}

static bool has_extensions(void)
{
    struct bios_registers r = {.eax = EXTENSIONS << 8, .ebx = EXTENSIONS_ASKED};

    return call(&r) && (r.ebx & 0xFFFF) == EXTENSIONS_ANSWERED && (r.ecx & EXTENSIONS_ACCESS) != 0;
}

static bool read_geometry(void)
{
    struct bios_registers r = {.eax = GEOMETRY << 8};

    if (!call(&r))
        return false;
    drive.heads = (r.edx >> 8 & 0xFF) + 1;
    drive.sectors = r.ecx & SECTORS_MASK;
    return drive.sectors > 0;
}

/* Bytes of a sector as the extensions report them; 512 when they do not. */
static unsigned sector_bytes(void)
{
    struct parameters *p = (struct parameters *)bios_buffer();

    memset(p, 0, sizeof *p);
    p->size = sizeof *p;
    return drive.extensions && call_with(PARAMETERS, 0) && p->sector_bytes != 0 ? p->sector_bytes
                                                                                : DISK_SECTOR;
}

const char *disk_open(uint8_t number)
{
    drive.number = number;
    drive.extensions = has_extensions();
    if (!drive.extensions && number >= FIRST_CD)
        return "it is a CD";
    if (!drive.extensions && !read_geometry())
        return "the BIOS does not know it";
    if (sector_bytes() != DISK_SECTOR)
        return "it has no sectors of 512 bytes: a CD";
    return NULL;
}

static bool by_lba(bool write, uint32_t lba, unsigned count)
{
    struct address_packet *packet = (struct address_packet *)(bios_buffer() + DISK_MOST_COUNT * DISK_SECTOR);

    *packet = (struct address_packet){
        .size = sizeof *packet, .count = (uint16_t)count, .segment = buffer_segment(), .lba = lba};
    /* Carry decides: the BIOS may leave anything in packet->count after a success. */
    return call_with(write ? WRITE_LBA : READ_LBA, (size_t)packet - (size_t)bios_buffer());
}

/* Transfer the i-th sector of the buffer alone: one call cannot read or write beyond the end of a track. */
static bool by_chs(bool write, uint32_t lba, unsigned i)
{
    uint32_t cylinder = lba / (drive.heads * drive.sectors), track = lba / drive.sectors;
    struct bios_registers r = {.eax = (write ? WRITE_CHS : READ_CHS) << 8 | 1,
                               .ebx = i * DISK_SECTOR,
                               .ecx =
                                   (cylinder & 0xFF) << 8 | (cylinder >> 8) << 6 | (lba % drive.sectors + 1),
                               .edx = track % drive.heads << 8,
                               .es = buffer_segment()};

    return cylinder < CYLINDERS && call(&r);
}

static bool transfer(bool write, uint32_t lba, unsigned count)
{
    if (drive.extensions)
        return by_lba(write, lba, count);
    for (unsigned i = 0; i < count; i++)
        if (!by_chs(write, lba + i, i))
            return false;
    return true;
}

/* Try up to ATTEMPTS times, with a reset of the drive after each failure: a drive that starts up fails the
 * first call. */
static bool transfer_with_retries(bool write, uint32_t lba, unsigned count)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        progress(); /* each attempt has a watchdog's whole time-out: a slow BIOS is no reason for a reset */
        struct bios_registers reset = {.eax = RESET << 8};

        if (transfer(write, lba, count))
            return true;
        call(&reset);
    }
    return false;
}

bool disk_read(uint32_t lba, unsigned count, void *to)
{
    if (count == 0 || count > DISK_MOST_COUNT || !transfer_with_retries(false, lba, count))
        return false;
    memcpy(to, bios_buffer(), count * DISK_SECTOR);
    return true;
}

bool disk_write(uint32_t lba, unsigned count, const void *from)
{
    if (count == 0 || count > DISK_MOST_COUNT)
        return false;
    memcpy(bios_buffer(), from, count * DISK_SECTOR);
    return transfer_with_retries(true, lba, count);
}
