/*
 * PCI configuration space by configuration mechanism 1 (PCI Local Bus 2.3, 3.2.2.3.2): ports CF8H and CFCH.
 * The boot processor's alone: two accesses at once would mix up their addresses.
 */
#ifndef KERNEL_BOARD_PCI_H
#define KERNEL_BOARD_PCI_H

#include <stdbool.h>
#include <stdint.h>

/* Bus, device and function of a PCI function, as CF8H takes them. Where it says so, 0 (the host bridge) means
 * none. */
#define PCI_BDF(bus, device, function) ((uint32_t)(bus) << 16 | (uint32_t)(device) << 11 | (function) << 8)
#define PCI_BUS(bdf)                   ((bdf) >> 16 & 0xFF)
#define PCI_DEVICE(bdf)                ((bdf) >> 11 & 0x1F)
#define PCI_FUNCTION(bdf)              ((bdf) >> 8 & 7)

/* Registers of every function. */
#define PCI_ID         0x00 /* [31:16] device, [15:0] vendor; all ones where nothing is */
#define PCI_COMMAND    0x04
#define PCI_COMMAND_IO 0x0001u /* answers to I/O addresses */
#define PCI_CLASS      0x08 /* [31:24] class, [23:16] subclass, [15:8] programming interface, [7:0] revision */
#define PCI_HEADER     0x0E /* 8 bits: [7] several functions, [6:0] layout, 0 for a device */
#define PCI_BAR        0x10 /* six base addresses */
#define PCI_BARS       6u
#define PCI_BAR_IO     1u /* [0] of one: of I/O addresses, [31:2] where */

/* True when mechanism 1 answers. */
bool pci_present(void);

/* Registers of 1, 2 or 4 bytes, at an offset that is a multiple of that. Reads of what is not there give
 * ones. */
uint32_t pci_read(uint32_t bdf, uint8_t offset, unsigned bytes);
void pci_write(uint32_t bdf, uint8_t offset, unsigned bytes, uint32_t value);

/*
 * The first function on any bus for which wanted() is true, or 0 when there is none. At most 65,536 reads: a
 * tenth of a second.
 */
uint32_t pci_find(bool (*wanted)(uint32_t bdf));

#endif
