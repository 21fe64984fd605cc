/*
 * ACPI's tables (ACPI 2.0, 5.2). Portable C: the host tests compile the same files over a memory of their
 * own.
 */
#ifndef KERNEL_FIRMWARE_ACPI_H
#define KERNEL_FIRMWARE_ACPI_H

#include <stdbool.h>
#include <stdint.h>

#define ACPI_HEADER 36u /* bytes that every table begins with */

/*
 * The first sound table with this signature (4 characters), or null: found by the root pointer the loader
 * gave or the one in the BIOS areas, wholly readable, at most 64 KB long, its checksum good. *length is in
 * bytes, at least ACPI_HEADER.
 */
const uint8_t *acpi_table(const char *signature, uint32_t *length);

/* How the board is switched off: sleeping state S5 (ACPI 2.0, 4.7.3.2 and 7.4.1). */
struct acpi_soft_off {
    uint16_t control[2]; /* I/O addresses of PM1a_CNT and PM1b_CNT; 0: there is none (of b) */
    uint8_t type[2];     /* SLP_TYP for them, 0 to 7 */
    uint16_t
        smi_command; /* write enable there to bring the board into ACPI mode; 0: it is never in another */
    uint8_t enable;
};

/* From the FADT and the \_S5_ package of the DSDT, whose checksum is not asked for: BIOSes patch it in place.
 * False when a part is missing or makes no sense. */
bool acpi_find_soft_off(struct acpi_soft_off *off);

#endif
