/*
 * BIOS data area (segment 40H), ACPI 1.0 RSDP, RSDT and MADT in the BIOS area, and the multiboot 1
 * information of a machine with one stretch of memory; SMBIOS 2.3 tables that name the board.
 *
 * Sources: ACPI specification 5.2.5 (RSDP), 5.2.7 (RSDT), 5.2.12 (MADT); Multiboot specification 3.3;
 * SMBIOS 2.3, 2.1.1 (entry point) and 3.3.1 to 3.3.3.
 */
#include "firmware.h"
#include "ich.h"
#include "io_apic.h"

#include <string.h>

/* ---- Where things lie ---- */

#define IVT_INT13     (4 * 0x13u)
#define INT13_ENTRY   0xF000E3FEu /* segment and offset, as on every PC */
#define BDA_COM1      0x400u
#define BDA_EBDA      0x40Eu
#define BDA_BASE_KIB  0x413u
#define BDA_VIDEO     0x449u
#define BDA_COLUMNS   0x44Au
#define BDA_CRTC_PORT 0x463u
#define EBDA          0x9FC00u
#define BIOS_AREA     0xE0000u
#define SMBIOS        0xF0000u
#define SMBIOS_TABLE  (SMBIOS + 0x100)
#define RSDP          BIOS_AREA
#define RSDT          (BIOS_AREA + 0x40)
#define MADT          (BIOS_AREA + 0x80)
#define SPCR          (BIOS_AREA + 0x100)
#define FADT          (BIOS_AREA + 0x180)
#define BOOT          (BIOS_AREA + 0x200)
#define DSDT          (BIOS_AREA + 0x240)
#define ONE_MIB       0x100000u
#define BOOT_INFO     0x1000u
#define BOOT_MAP      0x1100u
#define BOOT_LOADER   0x11C0u
#define BOOT_LINE     0x1200u

#define LOCAL_APIC_BASE 0xFEE00000u

#define TABLE_HEADER 36u
#define MADT_ENTRIES (MADT + TABLE_HEADER + 8)
#define MADT_ENTRY   8u /* bytes of a local APIC */

#define MADT_IO_APIC 12u /* bytes of an I/O APIC */
#define IO_APIC_ID   2u

#define SECOND_PACKAGE 6u /* first APIC ID of the second package */

static void put(uint8_t *ram, uint32_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        ram[at + i] = (uint8_t)(value >> 8 * i);
}

static void put_text(uint8_t *ram, uint32_t at, const char *text)
{
    memcpy(ram + at, text, strlen(text));
}

/* Make the bytes of a table add up to 0. */
static void put_checksum(uint8_t *ram, uint32_t table, uint32_t length, uint32_t at)
{
    uint8_t sum = 0;
    ram[at] = 0;
    for (uint32_t i = 0; i < length; i++)
        sum += ram[table + i];
    ram[at] = (uint8_t)-sum;
}

static void install_bda(const struct firmware *firmware, uint8_t *ram)
{
    put(ram, BDA_COM1, firmware->uart_port, 2);
    put(ram, BDA_EBDA, EBDA >> 4, 2);
    put(ram, BDA_BASE_KIB, EBDA / 1024, 2);
    put(ram, BDA_VIDEO, 3, 1); /* mode 3: 80x25 text, colour */
    put(ram, BDA_COLUMNS, 80, 2);
    put(ram, BDA_CRTC_PORT, 0x3D4, 2);
    put(ram, EBDA, 1, 1); /* size of the EBDA in KiB */
    if (firmware->int13)
        put(ram, IVT_INT13, INT13_ENTRY, 4);
}

/* The 36-byte header that all ACPI tables but the RSDP share. */
static void put_table_header(uint8_t *ram, uint32_t table, const char *signature, uint32_t length)
{
    put_text(ram, table, signature);
    put(ram, table + 4, length, 4);
    put(ram, table + 8, 1, 1); /* revision */
    put_text(ram, table + 10, "P4SIM ");
    put_text(ram, table + 16, "PMUPROOF");
    put(ram, table + 24, 1, 4);
    put_text(ram, table + 28, "P4SM");
    put(ram, table + 32, 1, 4);
    put_checksum(ram, table, length, table + 9);
}

/* Write a MADT entry; returns the address of the next one. */
static uint32_t put_local_apic(uint8_t *ram, uint32_t at, unsigned id)
{
    put(ram, at, 0, 1); /* processor local APIC */
    put(ram, at + 1, MADT_ENTRY, 1);
    put(ram, at + 2, id, 1); /* ACPI processor id */
    put(ram, at + 3, id, 1); /* APIC id */
    put(ram, at + 4, 1, 4);  /* enabled */
    return at + MADT_ENTRY;
}

/* Write another kind of MADT entry. */
static uint32_t put_io_apic(uint8_t *ram, uint32_t at, unsigned id, uint32_t address)
{
    put(ram, at, 1, 1); /* I/O APIC */
    put(ram, at + 1, MADT_IO_APIC, 1);
    put(ram, at + 2, id, 1);
    put(ram, at + 4, address, 4);
    put(ram, at + 8, 0, 4); /* number of its first interrupt */
    return at + MADT_IO_APIC;
}

static void begin_rsdt(uint8_t *ram)
{
    memset(ram + RSDT, 0, MADT - RSDT);
    put_table_header(ram, RSDT, "RSDT", TABLE_HEADER);
}

/* Add a table to those that the RSDT lists. */
static void list_table(uint8_t *ram, uint32_t table)
{
    const uint32_t length = ram[RSDT + 4];

    put(ram, RSDT + length, table, 4);
    put_table_header(ram, RSDT, "RSDT", length + 4);
}

/* Fixed ACPI description table of ACPI 1.0 (5.2.5), with what the kernel reads; the DSDT is empty. */
static void install_fadt(uint16_t acpi_timer, uint8_t *ram)
{
    const uint32_t size = 116;

    put_table_header(ram, DSDT, "DSDT", TABLE_HEADER);
    put(ram, FADT + 40, DSDT, 4);
    put(ram, FADT + 76, acpi_timer, 4);
    put(ram, FADT + 91, 4, 1); /* bytes of the timer's register */
    put_table_header(ram, FADT, "FACP", size);
    list_table(ram, FADT);
}

/* Simple boot flag, which Windows asks for. */
static void install_boot_flag(uint8_t *ram)
{
    put_table_header(ram, BOOT, "BOOT", TABLE_HEADER + 4);
    list_table(ram, BOOT);
}

static void install_acpi(const struct firmware *firmware, uint8_t *ram)
{
    const uint32_t rsdp_size = 20;
    uint32_t at = MADT_ENTRIES;

    put_text(ram, RSDP, "RSD PTR ");
    put_text(ram, RSDP + 9, "P4SIM ");
    put(ram, RSDP + 16, RSDT, 4);
    put_checksum(ram, RSDP, rsdp_size, RSDP + 8);

    begin_rsdt(ram);
    list_table(ram, MADT);

    put(ram, MADT + TABLE_HEADER, LOCAL_APIC_BASE, 4);
    put(ram, MADT + TABLE_HEADER + 4, 1, 4); /* PCAT_COMPAT: there are 8259s too */
    for (unsigned i = 0; i < firmware->processors; i++)
        at = put_local_apic(ram, at, firmware->first_apic_id + i * firmware->ids_apart);
    for (unsigned i = 0; firmware->two_packages && i < firmware->processors; i++)
        at = put_local_apic(ram, at, SECOND_PACKAGE + i);
    at = put_io_apic(ram, at, IO_APIC_ID, IO_APIC_BASE);
    if (firmware->two_packages)
        at = put_io_apic(ram, at, IO_APIC_ID + 1, IO_APIC_BASE + IO_APIC_APART);
    put_table_header(ram, MADT, "APIC", at - MADT);
}

/* Serial Port Console Redirection Table, revision 1; the RSDT lists it after the MADT. */
static void install_spcr(uint32_t base, unsigned stride, uint8_t *ram)
{
    const uint32_t size = 80;

    put(ram, SPCR + 40, stride == 0, 1);          /* 1: I/O space, 0: memory */
    put(ram, SPCR + 41, stride == 4 ? 32 : 8, 1); /* bits of a register */
    put(ram, SPCR + 43, stride == 4 ? 3 : 1, 1); /* how it is accessed. 1: by bytes, 3: by words of 32 bits */
    put(ram, SPCR + 44, base, 8);
    put(ram, SPCR + 58, 4, 1); /* 19200 baud */
    put(ram, SPCR + 60, 1, 1); /* one stop bit */
    put_table_header(ram, SPCR, "SPCR", size);
    list_table(ram, SPCR);
}

/* Write an SMBIOS structure of this type: header, fields, texts one after the other. Returns the address of
 * the next one. */
static uint32_t put_structure(uint8_t *ram, uint32_t at, unsigned type, const uint8_t *fields, unsigned count,
                              const char *const *texts)
{
    const unsigned header = 4;

    put(ram, at, type, 1);
    put(ram, at + 1, header + count, 1);
    put(ram, at + 2, type, 2); /* handle */
    if (count > 0)
        memcpy(ram + at + header, fields, count);
    at += header + count;
    for (; *texts; texts++) {
        put_text(ram, at, *texts);
        at += (uint32_t)strlen(*texts) + 1;
        put(ram, at - 1, 0, 1);
    }
    put(ram, at, 0, 2); /* an empty text ends the list; a list without texts is two empty ones */
    return at + (count > 0 ? 1 : 2);
}

static void install_smbios(uint8_t *ram)
{
    const unsigned entry_size = 31, half = 16, structures = 4;
    /* The numbers of the texts; the BIOS structure also has its code's segment and its ROM's size. */
    static const uint8_t bios[] = {1, 2, 0, 0xF0, 3, 15, 0, 0, 0, 0, 0, 0, 0, 0}, named[] = {1, 2, 3, 0};
    uint32_t at = SMBIOS_TABLE;

    at = put_structure(ram, at, 0, bios, sizeof bios,
                       (const char *const[]){"pmuproof", "p4sim BIOS 1.0", "01/01/2006", NULL});
    at = put_structure(ram, at, 1, named, sizeof named,
                       (const char *const[]){"pmuproof", "p4sim", "1.0", NULL});
    at = put_structure(ram, at, 2, named, sizeof named,
                       (const char *const[]){"pmuproof", "p4sim board", "1.0", NULL});
    at = put_structure(ram, at, 127, NULL, 0, (const char *const[]){NULL});

    put_text(ram, SMBIOS, "_SM_");
    put(ram, SMBIOS + 5, entry_size, 1);
    put(ram, SMBIOS + 6, 2, 1); /* version 2.3 */
    put(ram, SMBIOS + 7, 3, 1);
    put_text(ram, SMBIOS + half, "_DMI_");
    put(ram, SMBIOS + half + 6, at - SMBIOS_TABLE, 2);
    put(ram, SMBIOS + half + 8, SMBIOS_TABLE, 4);
    put(ram, SMBIOS + half + 12, structures, 2);
    put(ram, SMBIOS + half + 14, 0x23, 1);
    put_checksum(ram, SMBIOS + half, entry_size - half, SMBIOS + half + 5);
    put_checksum(ram, SMBIOS, entry_size, SMBIOS + 4);
}

/* Damage the sound tables that were installed. Checksums stay right, except where a wrong one is the damage.
 */
static void corrupt_tables(const struct firmware *firmware, uint8_t *ram)
{
    uint32_t last = MADT_ENTRIES + (firmware->processors - 1) * MADT_ENTRY;

    switch (firmware->tables) {
    case TABLES_TRUNCATED:
        put_table_header(ram, MADT, "APIC", last + MADT_ENTRY / 2 - MADT);
        break;
    case TABLES_CHECKSUM:
        ram[MADT + 9]++;
        break;
    case TABLES_LOOP:
        put(ram, last + 1, 0, 1);
        put_table_header(ram, MADT, "APIC", last + MADT_ENTRY - MADT);
        begin_rsdt(ram);
        list_table(ram, RSDT);
        list_table(ram, MADT);
        break;
    case TABLES_NO_MADT:
        begin_rsdt(ram);
        install_fadt(ICH_ACPI_TIMER, ram);
        install_boot_flag(ram);
        break;
    case TABLES_NONE:
        memset(ram + RSDP, 0, MADT - RSDP);
        memset(ram + SMBIOS, 0, SMBIOS_TABLE - SMBIOS);
        break;
    case TABLES_SOUND:
        break;
    }
}

/* Write a row of the multiboot memory map; returns the address of the next one. */
static uint32_t put_map_row(uint8_t *ram, uint32_t at, uint64_t base, uint64_t end, bool usable)
{
    const uint32_t size = 20;
    put(ram, at, size, 4);
    put(ram, at + 4, base, 8);
    put(ram, at + 12, end - base, 8);
    put(ram, at + 20, usable ? 1 : 2, 4);
    return at + 4 + size;
}

static void install_boot_info(const struct firmware *firmware, uint8_t *ram)
{
    const uint32_t memory = 1u << 0, drive = 1u << 1, line = 1u << 2, map = 1u << 6, loader = 1u << 9;
    uint32_t at = BOOT_MAP;
    at = put_map_row(ram, at, 0, EBDA, true);
    at = put_map_row(ram, at, EBDA, 0xA0000, false);
    at = put_map_row(ram, at, BIOS_AREA, ONE_MIB, false);
    at = put_map_row(ram, at, ONE_MIB, firmware->ram_size, true);
    at = put_map_row(ram, at, IO_APIC_BASE, IO_APIC_BASE + IO_APIC_SIZE, false);
    at = put_map_row(ram, at, LOCAL_APIC_BASE, LOCAL_APIC_BASE + 0x1000, false);

    put_text(ram, BOOT_LOADER, "p4sim");
    put_text(ram, BOOT_LINE, firmware->boot_line);
    put(ram, BOOT_INFO, memory | line | map | loader | (firmware->int13 ? drive : 0), 4);
    put(ram, BOOT_INFO + 4, EBDA / 1024, 4);
    put(ram, BOOT_INFO + 8, (firmware->ram_size - ONE_MIB) / 1024, 4);
    put(ram, BOOT_INFO + 12, 0x80FFFFFF, 4); /* drive 80H, no partition */
    put(ram, BOOT_INFO + 16, BOOT_LINE, 4);
    put(ram, BOOT_INFO + 44, at - BOOT_MAP, 4);
    put(ram, BOOT_INFO + 48, BOOT_MAP, 4);
    put(ram, BOOT_INFO + 64, BOOT_LOADER, 4);
}

uint32_t firmware_install(const struct firmware *firmware, uint8_t *ram)
{
    install_bda(firmware, ram);
    install_acpi(firmware, ram);
    if (firmware->spcr_base != 0)
        install_spcr(firmware->spcr_base, firmware->spcr_stride, ram);
    if (firmware->acpi_timer != 0)
        install_fadt(firmware->acpi_timer, ram);
    install_smbios(ram);
    corrupt_tables(firmware, ram);
    install_boot_info(firmware, ram);
    return BOOT_INFO;
}
