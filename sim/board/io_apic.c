/* The registers of an I/O APIC (82093AA), which software reaches through an index and a window. */
#include "io_apic.h"

#include <string.h>

enum { OFFSET_SELECT = 0x00, OFFSET_WINDOW = 0x10 };
enum { REG_ID = 0x00, REG_VERSION = 0x01, REG_ENTRY = 0x10 };

#define VERSION ((IO_APIC_ENTRIES - 1) << 16 | 0x11u)
#define ID_BITS 0x0F000000u

/* What software can change in a low and a high word: all but delivery status and remote IRR. */
static const uint32_t ENTRY_BITS[2] = {0x0001AFFFu, 0xFF000000u};

void io_apic_init(struct io_apic *io_apic)
{
    memset(io_apic, 0, sizeof *io_apic);
    for (unsigned i = 0; i < IO_APIC_ENTRIES; i++)
        io_apic->entry[2 * i] = IO_APIC_MASKED;
}

static unsigned word_of(const struct io_apic *io_apic)
{
    return io_apic->select - (unsigned)REG_ENTRY;
}

static uint32_t selected(const struct io_apic *io_apic)
{
    if (io_apic->select == REG_VERSION)
        return VERSION;
    if (word_of(io_apic) < 2 * IO_APIC_ENTRIES)
        return io_apic->entry[word_of(io_apic)];
    return io_apic->select == REG_ID ? io_apic->id : 0;
}

uint32_t io_apic_read(struct io_apic *io_apic, uint32_t offset)
{
    if (offset == OFFSET_SELECT)
        return io_apic->select;
    if (offset != OFFSET_WINDOW)
        return 0;
    uint32_t value = selected(io_apic);
    if (io_apic->forgets)
        io_apic->select = REG_ID;
    return value;
}

void io_apic_write(struct io_apic *io_apic, uint32_t offset, uint32_t value)
{
    if (offset == OFFSET_SELECT)
        io_apic->select = (uint8_t)value;
    else if (offset == OFFSET_WINDOW && io_apic->select == REG_ID)
        io_apic->id = value & ID_BITS;
    else if (offset == OFFSET_WINDOW && word_of(io_apic) < 2 * IO_APIC_ENTRIES)
        io_apic->entry[word_of(io_apic)] = value & ENTRY_BITS[word_of(io_apic) % 2];
}
