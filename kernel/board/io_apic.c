/*
 * Masks the I/O APICs that firmware or the boot loader left open, so that no device interrupts the run, and
 * counts how many entries were open (82093AA data sheet; MultiProcessor Specification, 3.6.8).
 */
#include "board.h"
#include <stdint.h>
#include "kernel/firmware/firmware.h"
#include "pmc/netburst/regs.h"

#define USUAL_ADDRESS 0xFEC00000u
#define ALIGNMENT     16u

/* Two words in memory: the number of a register, and that register. */
#define SELECT (0x00u / 4)
#define WINDOW (0x10u / 4)

#define REGISTER_VERSION 0x01u
#define ENTRIES(version) ((unsigned)FIELD_GET(23, 16, version) + 1)
#define ENTRIES_MOST     240u
#define REGISTER_LOW(n)  (0x10u + 2 * (n)) /* of entry n, laid out as an LVT entry */

static struct io_apics at_boot;

struct io_apics io_apics_at_boot(void)
{
    return at_boot;
}

/* The window of a register. The index is written before each access: SiS chip sets forget it after a read. */
static volatile uint32_t *window(volatile uint32_t *io_apic, uint32_t number)
{
    io_apic[SELECT] = number;
    return &io_apic[WINDOW];
}

static void mask(uint32_t address)
{
    volatile uint32_t *io_apic = (volatile uint32_t *)(uintptr_t)address;
    unsigned entries;

    if (address % ALIGNMENT != 0 || memory_map_touches_ram(address, ALIGNMENT + sizeof *io_apic))
        return;
    entries = ENTRIES(*window(io_apic, REGISTER_VERSION));
    if (entries > ENTRIES_MOST) /* nothing answers: all ones */
        return;
    at_boot.entries += entries;
    for (unsigned n = 0; n < entries; n++) {
        const uint32_t low = *window(io_apic, REGISTER_LOW(n)), mode = low & LVT_DELIVERY_MASK;

        if ((low & LVT_MASKED) != 0)
            continue;
        at_boot.open++;
        if (mode != LVT_DELIVERY_SMI && mode != LVT_DELIVERY_EXTINT)
            *window(io_apic, REGISTER_LOW(n)) = low | LVT_MASKED;
    }
}

void io_apics_mask(void)
{
    struct processor_list list;

    at_boot = (struct io_apics){0};
    acpi_processors(&list);
    if (list.io_apic_count == 0)
        mask(USUAL_ADDRESS);
    for (unsigned i = 0; i < list.io_apic_count; i++)
        mask(list.io_apics[i]);
}
