/* ACPI: how to switch the board off, by FADT and DSDT. */
#include "acpi.h"
#include "tables.h"
#include "multiboot.h"
#include "kernel/lib/string.h"

#define FADT_DSDT_AT        40u
#define FADT_SMI_COMMAND_AT 48u
#define FADT_ENABLE_AT      52u
#define FADT_PM1A_AT        64u
#define FADT_PM1B_AT        68u
#define FADT_BYTES          90u /* of what is read here: up to the length of PM1_CNT */
#define FADT_X_DSDT_AT      140u
#define LENGTH_AT           4u /* of every table */
#define DSDT_LARGEST        0x100000u
#define IO_ADDRESS_LAST     0xFFFEu /* of a register of two bytes */
#define TYPE_LAST           7u      /* SLP_TYP has three bits */

/* Of ACPI Machine Language (ACPI 2.0, chapter 17). */
#define AML_ZERO    0x00
#define AML_ONE     0x01
#define AML_NAME    0x08
#define AML_BYTE    0x0A
#define AML_WORD    0x0B
#define AML_DWORD   0x0C
#define AML_PACKAGE 0x12
#define AML_ROOT    '\\'

struct aml {
    const uint8_t *at, *end;
};

static bool take_byte(struct aml *aml, uint8_t *value)
{
    if (aml->at == aml->end)
        return false;
    *value = *aml->at++;
    return true;
}

/* PkgLength: counts itself. What is left becomes the package's content alone. */
static bool enter_package(struct aml *aml)
{
    const uint8_t *begin = aml->at;
    uint32_t length;
    uint8_t lead, more;

    if (!take_byte(aml, &lead))
        return false;
    length = lead >> 6 == 0 ? lead : lead & 0xFu;
    for (unsigned i = 0; i < lead >> 6; i++) {
        if (!take_byte(aml, &more))
            return false;
        length |= (uint32_t)more << (4 + 8 * i);
    }
    if (length < (uint32_t)(aml->at - begin) || length > (uint32_t)(aml->end - begin))
        return false;
    aml->end = begin + length;
    return true;
}

static bool take_type(struct aml *aml, uint8_t *type)
{
    uint8_t opcode, above;
    unsigned more;

    if (!take_byte(aml, &opcode))
        return false;
    *type = opcode;
    if (opcode == AML_ZERO || opcode == AML_ONE)
        return true;
    if (opcode != AML_BYTE && opcode != AML_WORD && opcode != AML_DWORD)
        return false;
    more = opcode == AML_BYTE ? 0 : opcode == AML_WORD ? 1 : 3;
    if (!take_byte(aml, type) || *type > TYPE_LAST)
        return false;
    while (more-- > 0)
        if (!take_byte(aml, &above) || above != 0)
            return false;
    return true;
}

/* Name(_S5_, Package(){a, b, ...}) behind the name. */
static bool read_types(struct aml aml, uint8_t type[2])
{
    uint8_t opcode, count;

    return take_byte(&aml, &opcode) && opcode == AML_PACKAGE && enter_package(&aml) &&
           take_byte(&aml, &count) && count >= 2 && take_type(&aml, &type[0]) && take_type(&aml, &type[1]);
}

/* The language is not parsed from its beginning: the declaration is known by its bytes. */
static bool find_types(const uint8_t *table, uint32_t length, uint8_t type[2])
{
    for (uint32_t at = ACPI_HEADER + 1; at + 4 <= length; at++) {
        const uint8_t *name = table + at;

        if (memcmp(name, "_S5_", 4) == 0 &&
            (name[-1] == AML_NAME || (name[-1] == AML_ROOT && name[-2] == AML_NAME)) &&
            read_types((struct aml){name + 4, table + length}, type))
            return true;
    }
    return false;
}

static bool read_dsdt(uint32_t address, uint8_t type[2])
{
    const uint8_t *dsdt = physical(address, ACPI_HEADER);
    uint32_t length;

    if (dsdt == NULL || memcmp(dsdt, "DSDT", 4) != 0)
        return false;
    length = field32(dsdt + LENGTH_AT);
    return length >= ACPI_HEADER && length <= DSDT_LARGEST && physical(address, length) != NULL &&
           find_types(dsdt, length, type);
}

/* A register's I/O address; 0 when it has none that can be. */
static uint16_t io_address(const uint8_t *field)
{
    uint32_t address = field32(field);

    return address <= IO_ADDRESS_LAST ? (uint16_t)address : 0;
}

bool acpi_find_soft_off(struct acpi_soft_off *off)
{
    uint32_t length, dsdt;
    const uint8_t *fadt = acpi_table("FACP", &length);

    if (fadt == NULL || length < FADT_BYTES)
        return false;
    dsdt = field32(fadt + FADT_DSDT_AT);
    if (dsdt == 0 && length >= FADT_X_DSDT_AT + 8 && field32(fadt + FADT_X_DSDT_AT + 4) == 0)
        dsdt = field32(fadt + FADT_X_DSDT_AT);
    off->control[0] = io_address(fadt + FADT_PM1A_AT);
    off->control[1] = io_address(fadt + FADT_PM1B_AT);
    off->smi_command = io_address(fadt + FADT_SMI_COMMAND_AT);
    off->enable = fadt[FADT_ENABLE_AT];
    return off->control[0] != 0 && dsdt != 0 && read_dsdt(dsdt, off->type);
}
