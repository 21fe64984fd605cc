/* Serial cards on the PCI bus. Portable C: the host tests compile the same file. */
#ifndef KERNEL_PCI_SERIAL_PCI_SERIAL_H
#define KERNEL_PCI_SERIAL_PCI_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Call probe(port, from) for each serial card that has I/O addresses, in the order of the bus, until probe()
 * returns true. It may refuse a card, because a modem may call itself a serial card too. port is the card's
 * first I/O address, which the call enables; from is the card's location and ID: "PCI 02:00.0, 1415:9501".
 *
 * Returns null when probe() returned true, else why there is no serial line on a card ("no PCI serial card").
 */
const char *pci_serial_find(bool (*probe)(uint16_t port, const char *from));

#endif
