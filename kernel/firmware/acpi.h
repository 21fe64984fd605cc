/*
 * The ACPI tables (ACPI 2.0, 5.2). Portable C: the host tests compile these files over a memory of their own.
 */
#ifndef KERNEL_FIRMWARE_ACPI_H
#define KERNEL_FIRMWARE_ACPI_H

#include <stdbool.h>
#include <stdint.h>

#define ACPI_HEADER 36u /* bytes that every table begins with */

/*
 * Returns the first valid table with this signature (4 characters), or null. Tables are found by the root
 * pointer that the loader handed over, or else by the one in the BIOS areas. A valid table is readable as a
 * whole, at most 64 KB long, and its checksum is right. *length is in bytes, at least ACPI_HEADER.
 */
const uint8_t *acpi_table(const char *signature, uint32_t *length);

#define FIRMWARE_PROCESSORS 32 /* the IDs of more processors are not kept */

#define FIRMWARE_IO_APICS 8 /* more are not kept */

/* Enabled local APICs, and I/O APICs, in the order in which the MADT lists them. */
struct processor_list {
    unsigned count; /* of all enabled local APICs, also those whose ID is not kept */
    uint8_t apic_ids[FIRMWARE_PROCESSORS];
    unsigned io_apic_count;
    uint32_t io_apics[FIRMWARE_IO_APICS]; /* their addresses */
};

/* Fill the list from the MADT (ACPI 2.0, 5.2.10.4). False, and an empty list, when there is no valid MADT
 * with an enabled processor. */
bool acpi_processors(struct processor_list *list);

#endif
