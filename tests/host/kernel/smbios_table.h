/*
 * SMBIOS tables in an image of physical memory. Layouts typed from the SMBIOS reference specification 2.3
 * (2.1, 3.1, 3.3.1 to 3.3.3).
 */
#ifndef TESTS_HOST_KERNEL_SMBIOS_TABLE_H
#define TESTS_HOST_KERNEL_SMBIOS_TABLE_H

#include <string.h>
#include "kernel/firmware/multiboot.h"
#include "kernel/firmware/smbios.h"
#include "kernel/firmware/tables.h"
#include "tests/host/support/host_test.h"
#include "tests/host/support/physical.h"

#define ENTRY 0xF1230u
#define TABLE 0xE8000u

static uint32_t table_end;
static struct smbios found;

const uint8_t *multiboot_rsdp(size_t *length)
{
    *length = 0;
    return NULL;
}

/* UEFI's tables; efi_bytes is 0 without UEFI. */
#define SYSTEM        0x7000u
#define CONFIGURATION 0x8004u
static unsigned efi_bytes;

uint32_t multiboot_efi_system_table(unsigned *pointer_bytes)
{
    *pointer_bytes = efi_bytes;
    return efi_bytes > 0 ? SYSTEM : 0;
}

/* "_DMI_" at this address, with a valid checksum. */
static inline void put_entry(uint32_t at, uint32_t table, unsigned length)
{
    memcpy(image_memory + at, "_DMI_", 5);
    image_put(at + 6, length, 2);
    image_put(at + 8, table & 0xFFFF, 2);
    image_put(at + 10, table >> 16, 2);
    image_put(at + 12, 3, 2);
    image_memory[at + 14] = 0x23;
    image_fix_checksum(at, 15, at + 5);
}

/* Append a structure: the fields after its header, and texts, each ended by a newline here. */
static inline void add(uint8_t type, const char *fields, size_t count, const char *texts)
{
    uint32_t at = table_end;

    image_memory[at] = type;
    image_memory[at + 1] = (uint8_t)(4 + count);
    image_put(at + 2, type, 2);
    memcpy(image_memory + at + 4, fields, count);
    at += 4 + (uint32_t)count;
    for (; *texts != '\0'; texts++)
        image_memory[at++] = *texts == '\n' ? 0 : (uint8_t)*texts;
    if (image_memory[at - 1] != 0 || at == table_end + 4 + count)
        image_memory[at++] = 0;
    image_memory[at++] = 0;
    table_end = at;
    put_entry(ENTRY, TABLE, table_end - TABLE);
}

BEFORE_EACH(clear)
{
    image_clear();
    memset(&found, 0x5A, sizeof found);
    table_end = TABLE;
    efi_bytes = 0;
}

static inline void add_board(void)
{
    add(0, "\1\2\0\xF0\3\7", 6, "Phoenix\n6.00 PG\n09/12/2003\n");
    add(1, "\1\2\3\0", 4, "ACME\nDesktop\n1\n");
    add(2, "\2\1\0\0", 4, "P4P800\nASUSTeK\n");
    add(127, "", 0, "");
}

static inline void assert_nothing_found(const char *reason)
{
    const char *said = smbios_read(&found);

    assert_non_null(said);
    assert_non_null(strstr(said, reason));
    for (size_t i = 0; i < sizeof found; i++)
        assert_int_equal(((const char *)&found)[i], 0);
}

#endif
