/* PCI configuration space by mechanism 1, and the search for a device (PCI 2.3, 3.2.2.3.2). */
#include "board.h"
#include "kernel/x86/cpu.h"

#define CONFIG_ADDRESS 0xCF8
#define CONFIG_DATA    0xCFC
#define CONFIG_ENABLE  0x80000000u
#define BUSES          256u
#define DEVICES        32u
#define FUNCTIONS      8u
#define MULTIFUNCTION  0x80u /* in PCI_HEADER: the device has more functions than function 0 */
#define NO_VENDOR      0xFFFFu

bool pci_present(void)
{
    uint32_t before = in32(CONFIG_ADDRESS);
    bool present;

    if (before == UINT32_MAX) /* no such register: a write might still hit CF9H, which resets the board */
        return false;
    out32(CONFIG_ADDRESS, CONFIG_ENABLE);
    present = in32(CONFIG_ADDRESS) == CONFIG_ENABLE;
    out32(CONFIG_ADDRESS, before);
    return present;
}

static uint16_t select(uint32_t bdf, uint8_t offset)
{
    out32(CONFIG_ADDRESS, CONFIG_ENABLE | bdf | (offset & 0xFC));
    return (uint16_t)(CONFIG_DATA + (offset & 3));
}

uint32_t pci_read(uint32_t bdf, uint8_t offset, unsigned bytes)
{
    uint16_t port = select(bdf, offset);

    return bytes == 1 ? in8(port) : bytes == 2 ? in16(port) : in32(port);
}

void pci_write(uint32_t bdf, uint8_t offset, unsigned bytes, uint32_t value)
{
    uint16_t port = select(bdf, offset);

    if (bytes == 1)
        out8(port, (uint8_t)value);
    else if (bytes == 2)
        out16(port, (uint16_t)value);
    else
        out32(port, value);
}

static bool function_present(uint32_t bdf)
{
    return pci_read(bdf, PCI_ID, 2) != NO_VENDOR;
}

uint32_t pci_find(bool (*wanted)(uint32_t bdf))
{
    if (!pci_present())
        return 0;
    for (uint32_t device = 0; device < BUSES * DEVICES; device++) { /* the bus number lies above bit 4 */
        uint32_t bdf = PCI_BDF(0, device, 0);
        unsigned functions;

        if (!function_present(bdf))
            continue;
        functions = (pci_read(bdf, PCI_HEADER, 1) & MULTIFUNCTION) != 0 ? FUNCTIONS : 1;
        for (unsigned f = 0; f < functions; f++)
            if (function_present(bdf + PCI_BDF(0, 0, f)) && wanted(bdf + PCI_BDF(0, 0, f)))
                return bdf + PCI_BDF(0, 0, f);
    }
    return 0;
}
