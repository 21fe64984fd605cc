/*
 * PCI as far as a kernel without devices asks for it: configuration mechanism 1, a host bridge, and the LPC
 * bridge of an ICH5 with its watchdog, the TCO timer (Intel 252516, 82801EB, 9.1 and 9.10). A BIOS has
 * assigned its ports, halted the timer and set NO_REBOOT.
 */
#ifndef SIM_BOARD_ICH_H
#define SIM_BOARD_ICH_H

#include <stdbool.h>
#include <stdint.h>

#define ICH_NEVER UINT64_MAX

/* Of SMI_EN: SMIs at all, and at a time-out of the timer. */
#define ICH_GBL_SMI_EN 0x0001u
#define ICH_TCO_EN     0x2000u

struct ich {
    bool absent;      /* a board without PCI */
    bool strapped;    /* NO_REBOOT is wired and does not clear */
    bool smi_handler; /* the BIOS takes SMIs of the timer, and clears its first time-out each time */
    uint32_t smi_en;
    uint32_t config_address;
    bool no_reboot;
    uint8_t initial; /* TCO_TMR, */
    uint8_t left;    /* and ticks left while halted */
    bool halted;
    bool timed_out, second_timeout; /* status bits */
    uint64_t tick;                  /* clocks of one */
    uint64_t expiry;                /* clock of the next one, ICH_NEVER while halted */
    bool reset_asked;               /* it has expired twice */
};

void ich_init(struct ich *ich, uint64_t clock_hz);

/* Access to a port of its own, of size 1, 2 or 4 bytes; false when it is none. */
bool ich_in(struct ich *ich, uint16_t port, unsigned size, uint64_t clock, uint32_t *value);
bool ich_out(struct ich *ich, uint16_t port, unsigned size, uint32_t value, uint64_t clock);

/* Let time pass up to clock; after that look at reset_asked. ich_next() is when it wants to be called again.
 */
void ich_run(struct ich *ich, uint64_t clock);
uint64_t ich_next(const struct ich *ich);

#endif
