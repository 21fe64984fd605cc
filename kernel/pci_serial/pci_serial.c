#include "pci_serial.h"
#include <stddef.h>
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"

#define CLASS_SERIAL    0x0700u /* of [31:16]: simple communication controller, serial */
#define INTERFACE_UARTS 6u      /* 0 to 6: the 8250 and UARTs compatible with it, such as the 16550 */
#define IO_ADDRESS(bar) ((bar) & ~3u)
#define IO_ADDRESS_END  0x10000u

static uint16_t io_base(uint32_t bdf)
{
    for (unsigned i = 0; i < PCI_BARS; i++) {
        uint32_t bar = pci_read(bdf, (uint8_t)(PCI_BAR + 4 * i), 4);

        if ((bar & PCI_BAR_IO) != 0 && IO_ADDRESS(bar) != 0 && IO_ADDRESS(bar) < IO_ADDRESS_END)
            return (uint16_t)IO_ADDRESS(bar);
    }
    return 0;
}

static bool is_serial_card(uint32_t bdf)
{
    uint32_t class = pci_read(bdf, PCI_CLASS, 4);

    return class >> 16 == CLASS_SERIAL && (class >> 8 & 0xFF) <= INTERFACE_UARTS && io_base(bdf) != 0;
}

/* For probe_card(), which pci_find() calls. */
static bool (*probe_port)(uint16_t port, const char *from);
static bool card_found;

static bool probe_card(uint32_t bdf)
{
    char from[40];
    uint32_t id;

    if (!is_serial_card(bdf))
        return false;
    card_found = true;
    pci_write(bdf, PCI_COMMAND, 2, pci_read(bdf, PCI_COMMAND, 2) | PCI_COMMAND_IO);
    id = pci_read(bdf, PCI_ID, 4);
    format(from, sizeof from, "PCI %02x:%02x.%u, %04x:%04x", PCI_BUS(bdf), PCI_DEVICE(bdf), PCI_FUNCTION(bdf),
           id & 0xFFFF, id >> 16);
    return probe_port(io_base(bdf), from);
}

const char *pci_serial_find(bool (*probe)(uint16_t port, const char *from))
{
    probe_port = probe;
    card_found = false;
    if (pci_find(probe_card) != 0)
        return NULL;
    return card_found ? "the PCI serial card is silent" : "no PCI serial card";
}
