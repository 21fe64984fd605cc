/* Configuration mechanism 1. */
#include "pci.h"
#include "kernel/x86/cpu.h"

#define CONFIG_ADDRESS 0xCF8
#define CONFIG_DATA    0xCFC
#define CONFIG_ENABLE  0x80000000u
#define BUSES          256u
#define DEVICES        32u
#define FUNCTIONS      8u
#define SEVERAL        0x80u /* of PCI_HEADER */
#define NOTHING        0xFFFFu

bool pci_present(void)
{
    uint32_t before = in32(CONFIG_ADDRESS);
    bool present;

    if (before == UINT32_MAX) /* no such register, and CF9H in the middle of it might still reset the board */
        return false;
    out32(CONFIG_ADDRESS, CONFIG_ENABLE);
    present = in32(CONFIG_ADDRESS) == CONFIG_ENABLE;
    out32(CONFIG_ADDRESS, before);
    return present;
}

static uint16_t select(uint32_t place, uint8_t offset)
{
    out32(CONFIG_ADDRESS, CONFIG_ENABLE | place | (offset & 0xFC));
    return (uint16_t)(CONFIG_DATA + (offset & 3));
}

uint32_t pci_read(uint32_t place, uint8_t offset, unsigned bytes)
{
    uint16_t port = select(place, offset);

    return bytes == 1 ? in8(port) : bytes == 2 ? in16(port) : in32(port);
}

void pci_write(uint32_t place, uint8_t offset, unsigned bytes, uint32_t value)
{
    uint16_t port = select(place, offset);

    if (bytes == 1)
        out8(port, (uint8_t)value);
    else if (bytes == 2)
        out16(port, (uint16_t)value);
    else
        out32(port, value);
}

static bool there(uint32_t place)
{
    return pci_read(place, PCI_ID, 2) != NOTHING;
}

uint32_t pci_find(bool (*wanted)(uint32_t place))
{
    if (!pci_present())
        return 0;
    for (uint32_t slot = 0; slot < BUSES * DEVICES; slot++) {
        uint32_t place = PCI_PLACE(0, slot, 0);
        unsigned functions;

        if (!there(place))
            continue;
        functions = (pci_read(place, PCI_HEADER, 1) & SEVERAL) != 0 ? FUNCTIONS : 1;
        for (unsigned f = 0; f < functions; f++)
            if (there(place + PCI_PLACE(0, 0, f)) && wanted(place + PCI_PLACE(0, 0, f)))
                return place + PCI_PLACE(0, 0, f);
    }
    return 0;
}
