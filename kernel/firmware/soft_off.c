/*
 * ACPI's state S5, soft off: which registers switch the board off (FADT) and what is written there (the
 * object
 * \_S5 in the DSDT). The DSDT is code for an interpreter, AML; \_S5 is a package of constants in it, which is
 * found by its name. What the firmware wants to do before (its method _PTS) is not done.
 */
#include "firmware.h"
#include "kernel/lib/lib.h"

/* Offsets in the FADT (ACPI 2.0, 5.2.8). */
#define FADT_DSDT        40u
#define FADT_SMI_COMMAND 48u
#define FADT_ACPI_ENABLE 52u
#define FADT_PM1A        64u
#define FADT_PM1B        68u
#define FADT_LEAST       72u

/* AML (ACPI 2.0, 17.2). */
#define AML_ZERO           0x00
#define AML_ONE            0x01
#define AML_BYTE           0x0A
#define AML_PACKAGE        0x12
#define AML_LENGTH_MORE(b) ((b) >> 6) /* so many bytes follow the first one of a package's length */
#define SLEEP_TYPE         7u         /* SLP_TYP has three bits */

/* One number of a package, at *at. */
static bool take_constant(const uint8_t **at, const uint8_t *end, uint8_t *value)
{
    if (*at >= end)
        return false;
    const uint8_t code = *(*at)++;

    if (code == AML_BYTE && *at < end)
        *value = *(*at)++ & SLEEP_TYPE;
    else if (code == AML_ZERO || code == AML_ONE)
        *value = code;
    else
        return false;
    return true;
}

/* The first two numbers of the package that is called _S5_. */
static bool find_types(const uint8_t *dsdt, uint32_t length, struct soft_off *off)
{
    const uint8_t *const end = dsdt + length;

    for (const uint8_t *name = dsdt + ACPI_HEADER; name + 7 <= end; name++) {
        if (memcmp(name, "_S5_", 4) != 0 || name[4] != AML_PACKAGE)
            continue;
        const uint8_t *at = name + 5 + 1 + AML_LENGTH_MORE(name[5]) + 1; /* and the number of elements */

        if (take_constant(&at, end, &off->type_a) && take_constant(&at, end, &off->type_b))
            return true;
    }
    return false;
}

/* I/O addresses have 16 bits; 0 where there is none. */
static uint16_t port_at(const uint8_t *field)
{
    const uint32_t port = load32le(field);

    return port <= UINT16_MAX ? (uint16_t)port : 0;
}

bool acpi_soft_off(struct soft_off *off)
{
    uint32_t length;
    const uint8_t *fadt = acpi_table("FACP", &length);

    if (fadt == NULL || length < FADT_LEAST)
        return false;
    off->pm1a = port_at(fadt + FADT_PM1A);
    off->pm1b = port_at(fadt + FADT_PM1B);
    off->smi_command = port_at(fadt + FADT_SMI_COMMAND);
    off->acpi_enable = fadt[FADT_ACPI_ENABLE];
    const uint8_t *dsdt = acpi_table_at(load32le(fadt + FADT_DSDT), "DSDT", &length);
    return off->pm1a != 0 && dsdt != NULL && find_types(dsdt, length, off);
}
