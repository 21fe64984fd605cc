/* Switches the machine off: as ACPI says, or as Bochs does without ACPI. */
#include "board.h"
#include "kernel/firmware/firmware.h"
#include "kernel/x86/cpu.h"

/* The PM1 control register (ACPI 2.0, 4.7.3.2.1). */
#define PM1_SCI_EN       0x0001u /* ACPI mode: the register is ours, not the firmware's */
#define PM1_SLP_TYP_MASK 0x1C00u
#define PM1_SLP_TYP(t)   ((uint32_t)(t) << 10)
#define PM1_SLP_EN       0x2000u

#define MODE_POLLS   300u /* the firmware switches to ACPI mode in an SMI, which may take long */
#define MODE_POLL_US 10000u
#define OFF_US       1000000u /* a board goes on until its supply has switched off */

#define BOCHS_SHUTDOWN 0x8900 /* docs/user/bochsrc.html of Bochs: this port takes the word "Shutdown" */

static void enter_acpi_mode(const struct soft_off *off)
{
    if (off->smi_command == 0 || off->acpi_enable == 0 || (in16(off->pm1a) & PM1_SCI_EN) != 0)
        return;
    out8(off->smi_command, off->acpi_enable);
    for (unsigned polls = 0; polls < MODE_POLLS && (in16(off->pm1a) & PM1_SCI_EN) == 0; polls++)
        delay_us(MODE_POLL_US);
}

/* First the type alone: some chip sets want it there before SLP_EN. */
static void sleep(uint16_t pm1, uint8_t type)
{
    const uint32_t value = (in16(pm1) & ~(PM1_SLP_TYP_MASK | PM1_SLP_EN)) | PM1_SLP_TYP(type);

    out16(pm1, (uint16_t)value);
    out16(pm1, (uint16_t)(value | PM1_SLP_EN));
}

void power_off(void)
{
    struct soft_off off;

    if (acpi_soft_off(&off)) {
        enter_acpi_mode(&off);
        sleep(off.pm1a, off.type_a);
        if (off.pm1b != 0)
            sleep(off.pm1b, off.type_b);
        delay_us(OFF_US);
    }
    for (const char *c = "Shutdown"; *c != '\0'; c++)
        out8(BOCHS_SHUTDOWN, (uint8_t)*c);
}
