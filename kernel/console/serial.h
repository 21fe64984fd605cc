/*
 * Chooses the port of the serial line: the one that the boot line asks for, else the firmware's own console,
 * else COM1. Portable C: the host tests compile the same file.
 */
#ifndef KERNEL_CONSOLE_SERIAL_H
#define KERNEL_CONSOLE_SERIAL_H

#include <stdint.h>

#define SERIAL_BAUD 115200u /* the rate of a UART's divisor 1, and the default */

enum serial_kind {
    SERIAL_AUTO, /* what the firmware says: BIOS data area, else ACPI's SPCR, else COM1 at 3F8H */
    SERIAL_TTY,  /* ttyS0..ttyS3: number 0..3, port from the BIOS data area, else the usual one */
    SERIAL_PORT, /* number is the I/O address */
    SERIAL_PCI,  /* the first PCI serial card; SERIAL_AUTO when there is none */
    SERIAL_NONE,
};

/* console= of the boot line. */
struct serial_request {
    enum serial_kind kind;
    uint32_t number;
    uint32_t baud; /* divides SERIAL_BAUD; 0: not given */
};

/*
 * Open the line (uart.h). Of the UARTs that the firmware names, the first that answers is used. Every search
 * is bounded. Call it after multiboot_read().
 */
void serial_open(const struct serial_request *request);

/*
 * The port that serial_open() chose and why, at most 99 characters, for the log's line "# console:":
 * "ttyS0 at 3F8H (BIOS data area), 115200 baud", "none (boot line)".
 */
const char *serial_description(void);

#endif
