/*
 * What the BIOS and the boot loader leave in memory before the kernel starts: BIOS data area, ACPI tables,
 * multiboot 1 information.
 */
#ifndef SIM_BOARD_FIRMWARE_H
#define SIM_BOARD_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#define FIRMWARE_BOOT_MAGIC 0x2BADB002u /* EAX at the entry of a multiboot 1 kernel */
#define FIRMWARE_LINE_MAX   1024u       /* longest boot line, with its terminating NUL */

enum firmware_tables {
    TABLES_SOUND,
    TABLES_TRUNCATED,
    TABLES_CHECKSUM,
    TABLES_LOOP,
    TABLES_NO_MADT,
    TABLES_NONE
};

struct firmware {
    uint32_t ram_size;           /* bytes, a multiple of 64 KiB above 1 MiB */
    uint16_t uart_port;          /* COM1 for the BIOS data area, 0 when there is none */
    uint32_t spcr_base;          /* the console that ACPI's SPCR names, at 19200 baud; 0: no such table */
    unsigned spcr_stride;        /* 0: spcr_base is a port; otherwise as in struct board */
    unsigned processors;         /* local APICs that the MADT lists */
    uint8_t first_apic_id;       /* ID of the first of them; the others follow, */
    unsigned ids_apart;          /* by this distance */
    bool two_packages;           /* the MADT also lists the local APICs of a second package */
    uint16_t acpi_timer;         /* the port of ACPI's timer that the FADT names; 0: no such table */
    enum firmware_tables tables; /* what is wrong with the ACPI tables */
    bool int13;                  /* there is INT 13H, and the loader says that it came from drive 80H */
    const char *boot_line;       /* shorter than FIRMWARE_LINE_MAX */
};

/* Write all of it into ram. Returns the physical address of the multiboot information (EBX at entry). */
uint32_t firmware_install(const struct firmware *firmware, uint8_t *ram);

#endif
