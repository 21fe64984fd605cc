/* ACPI 2.0, 4.7.3.2.1 (PM1 control registers) and 4.7.2.3 (into ACPI mode). */
#include "poweroff.h"
#include "kernel/firmware/acpi.h"
#include "clock.h"
#include "kernel/x86/cpu.h"

/* PM1_CNT. */
#define SCI_EN      0x0001u     /* in ACPI mode */
#define SLP_TYP(n)  ((n) << 10) /* [12:10] */
#define SLP_TYP_ALL SLP_TYP(7u)
#define SLP_EN      0x2000u

#define MODE_US 2000000u /* the BIOS's own code answers there */
#define OFF_US  1000000u

static void enter_acpi_mode(const struct acpi_soft_off *off)
{
    struct timeout timeout = timeout_in_us(MODE_US);

    if (off->smi_command == 0 || off->enable == 0 || (in16(off->control[0]) & SCI_EN) != 0)
        return;
    out8(off->smi_command, off->enable);
    while ((in16(off->control[0]) & SCI_EN) == 0 && !timeout_passed(&timeout))
        ;
}

const char *poweroff(void)
{
    struct acpi_soft_off off;

    if (!acpi_find_soft_off(&off))
        return "ACPI's tables do not say how";
    enter_acpi_mode(&off);                      /* when that fails the rest is still worth trying */
    for (unsigned pass = 0; pass < 2; pass++) { /* the type first, then the type with the word to go */
        for (unsigned i = 0; i < 2; i++) {
            uint16_t port = off.control[i];
            uint32_t value;

            if (port == 0)
                continue;
            value = (in16(port) & ~(SLP_TYP_ALL | SLP_EN)) | SLP_TYP((uint32_t)off.type[i]);
            out16(port, (uint16_t)(value | (pass != 0 ? SLP_EN : 0)));
        }
    }
    delay_us(OFF_US);
    return "still on a second after ACPI's S5";
}
