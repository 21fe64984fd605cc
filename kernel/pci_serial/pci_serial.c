/* Finds serial cards on the PCI bus, names them, and switches on the one that is to be used. */
#include "pci_serial.h"
#include <stddef.h>
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"

#define CLASS_SERIAL        0x0700u /* of [31:16]: simple communication controller, serial */
#define INTERFACE_UARTS     6u      /* 0 to 6: the 8250 and UARTs compatible with it, such as the 16550 */
#define IO_ADDRESS(bar)     ((bar) & ~3u)
#define MEMORY_ADDRESS(bar) ((bar) & ~15u)
#define IO_ADDRESS_END      0x10000u

/* An I/O address, or else one of memory below 4 GB, or 0. */
static uint32_t base_of(uint32_t bdf)
{
    uint32_t memory = 0;

    for (unsigned i = 0; i < PCI_BARS; i++) {
        const uint32_t bar = pci_read(bdf, (uint8_t)(PCI_BAR + 4 * i), 4);

        if ((bar & PCI_BAR_IO) != 0) {
            if (IO_ADDRESS(bar) != 0 && IO_ADDRESS(bar) < IO_ADDRESS_END)
                return IO_ADDRESS(bar);
        } else if ((bar & PCI_BAR_64) == 0 || pci_read(bdf, (uint8_t)(PCI_BAR + 4 * ++i), 4) == 0) {
            if (memory == 0 && bar >= IO_ADDRESS_END)
                memory = MEMORY_ADDRESS(bar);
        }
    }
    return memory;
}

static bool is_serial_card(uint32_t bdf)
{
    uint32_t class = pci_read(bdf, PCI_CLASS, 4);

    return class >> 16 == CLASS_SERIAL && (class >> 8 & 0xFF) <= INTERFACE_UARTS && base_of(bdf) != 0;
}

static uint32_t cards[PCI_SERIAL_MOST];
static unsigned card_count;

static bool note_card(uint32_t bdf)
{
    if (is_serial_card(bdf) && card_count < PCI_SERIAL_MOST)
        cards[card_count++] = bdf;
    return false;
}

unsigned pci_serial_find(void)
{
    card_count = 0;
    pci_find(note_card);
    return card_count;
}

size_t pci_serial_name(unsigned n, const char *separator, char *out, size_t size)
{
    const uint32_t bdf = cards[n - 1], id = pci_read(bdf, PCI_ID, 4);

    return format(out, size, "%02x:%02x.%u%s%04x:%04x", PCI_BUS(bdf), PCI_DEVICE(bdf), PCI_FUNCTION(bdf),
                  separator, id & 0xFFFF, id >> 16);
}

uint32_t pci_serial_enable(unsigned n)
{
    const uint32_t bdf = cards[n - 1], base = base_of(bdf);

    pci_write(bdf, PCI_COMMAND, 2,
              pci_read(bdf, PCI_COMMAND, 2) | (base < IO_ADDRESS_END ? PCI_COMMAND_IO : PCI_COMMAND_MEMORY));
    return base;
}
