/*
 * A small PCI bus: configuration mechanism 1, a host bridge, and the LPC bridge of an ICH5 with its watchdog,
 * the TCO timer (Intel 252516, 82801EB, 9.1 and 9.10). At power-up the BIOS has assigned the watchdog's
 * ports, halted the timer and set NO_REBOOT. ACPI's timer is a part of the LPC bridge, too (9.8.3.3): 24
 * bits, from 0 at power-up.
 */
#ifndef SIM_BOARD_ICH_H
#define SIM_BOARD_ICH_H

#include <stdbool.h>
#include <stdint.h>

#define ICH_ACPI_TIMER    0x408u /* its port, 32 bits wide */
#define ICH_ACPI_TIMER_HZ 3579545u

#define ICH_NEVER UINT64_MAX

/* Bits of SMI_EN: SMIs are enabled at all; a time-out of the TCO timer is an SMI. */
#define ICH_GBL_SMI_EN 0x0001u
#define ICH_TCO_EN     0x2000u

struct ich {
    bool absent;      /* a board without PCI */
    bool strapped;    /* NO_REBOOT is strapped to 1 and cannot be cleared */
    bool smi_handler; /* the BIOS handles SMIs of the timer, and clears the first time-out each time */
    uint32_t smi_en;
    uint64_t clock_hz;
    uint32_t acpi_timer_hz; /* ICH_ACPI_TIMER_HZ, except on some boards of sim/inject/ */
    uint32_t config_address;
    bool no_reboot;
    uint8_t initial; /* TCO_TMR */
    bool halted;
    bool timed_out, second_timeout; /* status bits */
    uint8_t watchdog_status;        /* TCO_WDSTATUS, which does nothing */
    uint64_t tick;                  /* length of a tick in core clocks */
    uint64_t expiry;                /* core clock of the next time-out, ICH_NEVER while halted */
    bool reset_asked;               /* the timer has expired twice: the board resets */
};

void ich_init(struct ich *ich, uint64_t clock_hz);

/* Take over what is in the resume well, which a reset leaves as it is (9.10.4, 9.10.8): SECOND_TO_STS and
 * TCO_WDSTATUS. */
void ich_resume(struct ich *ich, const struct ich *before);

/* IN and OUT of 1, 2 or 4 bytes at core clock `clock`. False: the port does not belong to the ICH. */
bool ich_in(struct ich *ich, uint16_t port, unsigned size, uint64_t clock, uint32_t *value);
bool ich_out(struct ich *ich, uint16_t port, unsigned size, uint32_t value, uint64_t clock);

/* Let time pass up to core clock `clock`; afterwards the caller checks reset_asked. It is to be called again
 * at ich_next(). */
void ich_run(struct ich *ich, uint64_t clock);
uint64_t ich_next(const struct ich *ich);

#endif
