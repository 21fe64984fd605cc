/*
 * PCI configuration space by configuration mechanism 1 (PCI Local Bus 2.3, 3.2.2.3.2): ports CF8H and CFCH.
 * Only the boot processor may call these functions, because two accesses at once would mix up their
 * addresses.
 */
#ifndef KERNEL_BOARD_PCI_H
#define KERNEL_BOARD_PCI_H

#include <stdbool.h>
#include <stdint.h>

/* Bus, device and function number in the form that CF8H takes. Where a comment says so, 0 (the host bridge)
 * means "no function". */
#define PCI_BDF(bus, device, function) ((uint32_t)(bus) << 16 | (uint32_t)(device) << 11 | (function) << 8)
#define PCI_BUS(bdf)                   ((bdf) >> 16 & 0xFF)
#define PCI_DEVICE(bdf)                ((bdf) >> 11 & 0x1F)
#define PCI_FUNCTION(bdf)              ((bdf) >> 8 & 7)

/* Registers that every function has. */
#define PCI_ID         0x00 /* [31:16] device, [15:0] vendor; all ones where there is no function */
#define PCI_COMMAND    0x04
#define PCI_COMMAND_IO 0x0001u /* the function decodes I/O addresses */
#define PCI_CLASS      0x08 /* [31:24] class, [23:16] subclass, [15:8] programming interface, [7:0] revision */
#define PCI_HEADER     0x0E /* 8 bits: [7] several functions, [6:0] layout, 0 for a device (not a bridge) */
#define PCI_BAR        0x10 /* six base addresses */
#define PCI_BARS       6u
#define PCI_BAR_IO     1u /* [0] of a base address: it is an I/O address, in [31:2] */

/* True when mechanism 1 answers. */
bool pci_present(void);

/* Read or write a register of 1, 2 or 4 bytes, at an offset that is a multiple of its size. A function that
 * is not present reads as all ones. */
uint32_t pci_read(uint32_t bdf, uint8_t offset, unsigned bytes);
void pci_write(uint32_t bdf, uint8_t offset, unsigned bytes, uint32_t value);

/*
 * Returns the first function on any bus for which wanted() is true, or 0 when there is none. Makes at most
 * 65,536 reads, which take a tenth of a second.
 */
uint32_t pci_find(bool (*wanted)(uint32_t bdf));

#endif
