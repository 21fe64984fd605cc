/*
 * Firmware's lists of processors: ACPI's MADT and the MP table. Portable C: the host tests compile the same
 * files over a memory of their own.
 *
 * Everything in these tables is suspect. Every pointer goes through physical() of loader.h, every length is
 * checked against what it lies in, every table has a checksum.
 */
#ifndef KERNEL_FIRMWARE_TABLES_H
#define KERNEL_FIRMWARE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIRMWARE_PROCESSORS 32 /* more are counted, not kept */

/* Enabled local APICs. */
struct processor_list {
    unsigned count; /* all of them */
    uint8_t apic_ids[FIRMWARE_PROCESSORS];
};

/* Fill list from the MADT, found by the root pointer the loader gave or the one in the BIOS areas. False (and
 * an empty list) when there is no sound one. */
bool acpi_processors(struct processor_list *list);
/* The same from the MP floating pointer structure. */
bool mptable_processors(struct processor_list *list);

/* ---- For the two of them ---- */

void processor_list_add(struct processor_list *list, uint8_t apic_id);

/* All bytes add up to 0. */
bool checksum_good(const uint8_t *bytes, size_t length);

/* Little-endian fields at any address. */
uint16_t field16(const uint8_t *at);
uint32_t field32(const uint8_t *at);

/* Base of the extended BIOS data area by the word at 40EH, or 0 when that is not below 640 KB. */
uint32_t ebda_base(void);

#endif
