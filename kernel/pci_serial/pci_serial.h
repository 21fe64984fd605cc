/* Serial cards on the PCI bus. Portable C: the host tests compile the same file. */
#ifndef KERNEL_PCI_SERIAL_PCI_SERIAL_H
#define KERNEL_PCI_SERIAL_PCI_SERIAL_H

#include <stddef.h>
#include <stdint.h>

#define PCI_SERIAL_MOST 9u

/* Search all buses for serial cards whose registers are within reach; more than PCI_SERIAL_MOST are not kept.
 * Returns how many there are. They are numbered from 1, in the order of the bus. Serial over LAN and a modem
 * may call themselves serial cards too. */
unsigned pci_serial_find(void);

/* Format location and ID of card n: "02:00.0, 1415:9501", with ", " for the separator. Returns the length. */
size_t pci_serial_name(unsigned n, const char *separator, char *out, size_t size);

/* Let card n decode its addresses. Returns its first I/O address, or else of memory. */
uint32_t pci_serial_enable(unsigned n);

#endif
