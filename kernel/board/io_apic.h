/*
 * The I/O APICs: what they route to the local APIC (82093AA data sheet; MultiProcessor Specification 1.4,
 * 3.6.8).
 */
#ifndef KERNEL_BOARD_IO_APIC_H
#define KERNEL_BOARD_IO_APIC_H

struct io_apics {
    unsigned entries,
        open; /* of all I/O APICs: redirection entries, and those that were not masked at boot */
};

/*
 * Mask every redirection entry of the I/O APICs that the MADT lists, or else of the one at the usual address,
 * because a level-triggered interrupt whose device nobody serves would never end. Entries of delivery mode
 * SMI or ExtINT stay: the firmware's own, and the way of the 8259s, which are masked themselves (pic.h).
 */
void io_apics_mask(void);

/* What io_apics_mask() found. */
struct io_apics io_apics_at_boot(void);

#endif
