/*
 * What loader, BIOS and UEFI left in memory, and calls of the BIOS. The host tests compile all of these files
 * but bios_call.c, over a memory of their own.
 *
 * Nothing in the tables can be trusted: every pointer goes through phys_ptr(), every length is checked
 * against the memory that it lies in, and every table has a checksum.
 */
#ifndef KERNEL_FIRMWARE_FIRMWARE_H
#define KERNEL_FIRMWARE_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- multiboot.c: the information that the multiboot loader handed over, version 1 or 2 ---- */

/* It is copied at once, so that the loader's memory may be overwritten afterwards. */

#define BOOT_LINE_MAX 1024 /* a longer line is cut there, and multiboot_boot_line_cut() says so */

#define MULTIBOOT_NAME_MAX 60

/* Read the information at address, in place of any read before. False when magic is neither multiboot's. Call
 * it first. */
bool multiboot_read(uint32_t magic, uint32_t address);

/* The boot line; "" when there was none. */
const char *multiboot_boot_line(void);

/* True when the boot line was longer than BOOT_LINE_MAX, so that its end is missing. */
bool multiboot_boot_line_cut(void);

/* The name of the loader, cut to MULTIBOOT_NAME_MAX characters; "" when the loader does not give it. */
const char *multiboot_loader_name(void);

/* Version of multiboot: 1 or 2; 0 before multiboot_read(). */
unsigned multiboot_version(void);

/* The ACPI root pointer as multiboot 2 copies it (tag 15, else 14), or null; *length in bytes. */
const uint8_t *multiboot_rsdp(size_t *length);

/* The loader's description of the linear framebuffer that it left on (multiboot 1, or tag 8 of multiboot 2):
 * its bytes from the address to the last colour mask, laid out in the same way by both versions; or null. */
#define MULTIBOOT_FRAMEBUFFER_BYTES 30u
const uint8_t *multiboot_framebuffer(void);

/* True when the loader ran under UEFI, which only multiboot 2 reports. BIOS calls and BIOS data are not valid
 * then. */
bool multiboot_under_uefi(void);

/* Address of the UEFI system table, and the size of its pointers in bytes, 4 or 8. Returns 0 (and 4) when the
 * loader names none, or one above 4 GB. */
uint32_t multiboot_efi_system_table(unsigned *pointer_bytes);

/* The BIOS number of the boot drive. False when the loader does not give one, as under UEFI or from the
 * network. */
bool multiboot_boot_drive(uint8_t *drive);

/* ---- memory_map.c: the loader's map of physical memory, which multiboot.c fills, and access by it ---- */

/* Forget all ranges. */
void memory_map_clear(void);

/* Add a range of bytes, RAM or reserved. The part of a range above FEC00000H is left out. A range that wraps
 * at 64 bits, or does not fit in the table, is left out as a whole. */
void memory_map_add(uint64_t base, uint64_t length, bool ram);

bool memory_map_empty(void);

/* Complete a map that names only RAM, as iPXE's map does: add the memory from the end of RAM up to the next
 * multiple of 16 MB as reserved, because a BIOS keeps its ACPI tables there. Does nothing when the map names
 * reserved memory. */
void memory_map_add_firmware(void);

/* All RAM that was added, in KB. */
uint64_t memory_map_ram_kb(void);

/* True when any byte of [begin, begin + length) is RAM. */
bool memory_map_touches_ram(uint64_t begin, uint64_t length);

/*
 * Returns a pointer for reading when all of [address, address + length) lies below 1 MB or within one range
 * of the map, else null. Everything that firmware's tables point to goes through this.
 */
const uint8_t *phys_ptr(uint32_t address, uint32_t length);

/* Returns a 4 KB page of free RAM below 640 KB, for the start-up code of the other logical processor, or 0.
 */
uint32_t memory_map_low_page(void);

/* Returns free RAM of this size (a power of two, at least 4096), aligned to its size, above that page and
 * below 640 KB, or 0. */
uint32_t memory_map_low_area(uint32_t bytes);

/* ---- tables.c: what the readers of ACPI, SMBIOS and EFI tables share ---- */

/* True when all bytes add up to 0, modulo 256. */
bool checksum_good(const uint8_t *bytes, size_t length);

/* Base of the extended BIOS data area, whose segment is the word at 40EH; 0 when it is not between 500H and
 * 640 KB. */
uint32_t ebda_base(void);

/* ---- efi.c: UEFI's configuration tables, which its system table lists (UEFI 4.3 and 4.6) ---- */

#define EFI_GUID_BYTES 16

/*
 * Returns the address of the configuration table with this GUID (its 16 bytes in the order of memory), or 0
 * when the loader named no system table, the table is not listed, or it lies above 4 GB.
 */
uint32_t efi_configuration(const uint8_t guid[EFI_GUID_BYTES]);

/* ---- acpi.c: the ACPI tables (ACPI 2.0, 5.2) ---- */

#define ACPI_HEADER 36u /* bytes that every table begins with */

/*
 * Returns the first valid table with this signature (4 characters), or null. Tables are found by the root
 * pointer that the loader handed over, or else by the one in the BIOS areas. A valid table is readable as a
 * whole, at most 64 KB long, and its checksum is right. *length is in bytes, at least ACPI_HEADER.
 */
const uint8_t *acpi_table(const char *signature, uint32_t *length);

/* Returns the table at this address if it has this signature and is valid, else null: for what no root lists.
 */
const uint8_t *acpi_table_at(uint32_t address, const char *signature, uint32_t *length);

/* In words what is wrong with the table of this signature that is listed. Null: acpi_table() finds one, or
 * none is listed. */
const char *acpi_damage(const char *signature);

/* True if there is a root pointer, and a table that it leads to lies below 4 GB. */
bool acpi_present(void);

#define FIRMWARE_PROCESSORS 32 /* the IDs of more processors are not kept */

#define FIRMWARE_IO_APICS 8 /* more are not kept */

/* Enabled local APICs, and I/O APICs, in the order in which the MADT lists them. An ID that does not fit in 8
 * bits is not kept, one that is listed twice is kept once. */
struct processor_list {
    bool whole;     /* the entries of the MADT end where the MADT does */
    unsigned count; /* of all enabled local APICs, also those whose ID is not kept */
    uint8_t apic_ids[FIRMWARE_PROCESSORS];
    unsigned io_apic_count;
    uint32_t io_apics[FIRMWARE_IO_APICS]; /* their addresses */
};

/* Fill the list from the MADT (ACPI 2.0, 5.2.10.4; ACPI 4.0, 5.2.12.12). False, and an empty list, when there
 * is no valid MADT with an enabled processor. */
bool acpi_processors(struct processor_list *list);

/* ---- soft_off.c: how ACPI switches the board off (ACPI 2.0, 4.7.3.2.1, 5.2.8, 7.3.4) ---- */

struct soft_off {
    uint16_t pm1a, pm1b;    /* I/O addresses of the PM1 control registers; pm1b may be 0: there is none */
    uint8_t type_a, type_b; /* SLP_TYP of S5 for each */
    uint16_t smi_command;   /* the port that takes acpi_enable to enter ACPI mode; either 0: always in it */
    uint8_t acpi_enable;
};

/* False if the FADT or the DSDT is missing or damaged, or does not say it. */
bool acpi_soft_off(struct soft_off *off);

/* ---- smbios.c ---- */

/*
 * The names of board and BIOS, from SMBIOS (DMTF DSP0134). Portable C: the host tests compile this file too.
 * The tables are not trusted: lengths are checked against the memory that they lie in, and text is cut and
 * made printable.
 */

#define SMBIOS_CHARS 40 /* size of a text with its NUL; a longer text is cut */

/* A text that the tables lack is "". */
struct smbios {
    char board_vendor[SMBIOS_CHARS],
        board[SMBIOS_CHARS]; /* the names of the system, when no board is described */
    char bios_vendor[SMBIOS_CHARS], bios_version[SMBIOS_CHARS], bios_date[SMBIOS_CHARS];
};

/*
 * Find the entry point, where UEFI says it is or else in the BIOS area (F0000H to FFFFFH), and read the
 * tables. Returns null, or in words why nothing could be read; every text of *smbios is "" then.
 */
const char *smbios_read(struct smbios *smbios);

/* ---- The BIOS data area: what every PC BIOS says that it found; after UEFI it holds anything ---- */

#define BDA              0x400u
#define BDA_BYTES        0x100u
#define BDA_SERIAL_PORTS 0x400u /* I/O addresses of up to four serial ports, 16 bits each; 0: none */
#define BDA_EBDA_SEGMENT 0x40Eu /* real-mode segment of the extended BIOS data area, 16 bits */
#define BDA_VIDEO_MODE   0x449u /* 8 bits */
#define BDA_CRTC         0x463u /* I/O address of the CRT controller, 16 bits; 3D4H: a colour adapter */

/* ---- memory_type.c: the MTRRs, as the BIOS has set them up ---- */

/* Is the memory at this address, of 1 MB or more, write-back by the MTRRs? Else no cache holds it. */
bool memory_is_write_back(uint32_t address);

/* ---- bios_call.c: calls INT 13H of the BIOS from 32-bit code ---- */

/*
 * Call these functions on the boot processor only, and between vectors: with the sibling parked, the PMU at
 * rest and no deadline running. A call takes as long as the BIOS takes; the kernel cannot limit it.
 */

/* In the order of boot/bios.asm. */
struct bios_registers {
    uint32_t edi, esi, ebp, esp, ebx, edx, ecx, eax; /* ESP is not passed to the BIOS */
    uint16_t ds, es, flags;                          /* flags: result of the call only */
};

#define BIOS_FLAGS_CARRY   (1u << 0)
#define BIOS_BUFFER_BYTES  0x2000u
#define BIOS_SEGMENT_SHIFT 4

/* Returns null, or why there is no BIOS to call: no handler of INT 13H, or no free memory below 640 KB. Do
 * not call it under UEFI. */
const char *bios_missing(void);

/* Memory below 1 MB for the data of a call: BIOS_BUFFER_BYTES, aligned to their number. The pointer shifted
 * right by BIOS_SEGMENT_SHIFT is the segment. Valid after bios_missing() returned null. */
uint8_t *bios_buffer(void);

/* Make one call with these registers, and store the registers that the BIOS returns in them. Interrupts are
 * off afterwards. */
void bios_int13(struct bios_registers *registers);

#endif
