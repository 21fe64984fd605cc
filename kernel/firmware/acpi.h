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

#define FIRMWARE_PROCESSORS 32 /* more are counted, not kept */

/* Enabled local APICs, in the order in which the MADT lists them. */
struct processor_list {
    unsigned count; /* all of them */
    uint8_t apic_ids[FIRMWARE_PROCESSORS];
};

/* Fill the list from the MADT (ACPI 2.0, 5.2.10.4). False, and an empty list, when there is no sound MADT
 * with an enabled processor. */
bool acpi_processors(struct processor_list *list);

#endif
