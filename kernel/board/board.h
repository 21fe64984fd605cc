/* The chips outside the processor, and signs of life for a watchdog. */
#ifndef KERNEL_BOARD_BOARD_H
#define KERNEL_BOARD_BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* ---- clock.c: the TSC and the local APIC timer ---- */

/*
 * Both are measured against the PIT (channel 2, polled) at boot, whatever comes out from 1 MHz on: an
 * emulator or an FPGA core has a rate of its own. If there is none, a rate is assumed that makes waits longer
 * than asked for, never shorter.
 */

/* Measure the rates. Takes some tens of milliseconds; call it once, before the functions below. */
void clock_init(void);

#define PIT_HZ 1193182u

/* Let so many ticks of the PIT pass (1 to 65535), and count ticks of the TSC and of the divided local APIC
 * timer (0 without one), which is left running: set it anew. Returns null, or why there was no round: the PIT
 * does not tick, its output does not rise at the end, or the round was over before it was looked at. With
 * interrupts off, on the boot processor. */
const char *clock_round(uint32_t ticks, uint64_t *tsc, uint32_t *timer);

/* Why the rates are assumed, in words; null: they were measured. */
const char *clock_assumed(void);
/* True if the TSC was measured at a rate that no NetBurst part has. */
bool clock_is_foreign(void);

uint32_t clock_tsc_khz(void);
uint32_t clock_apic_khz(void); /* input of the local APIC timer, before its divider */

/* How far the TSC counts in so many microseconds. */
uint64_t clocks_in_us(uint32_t microseconds);
/* Whole seconds since the TSC had this value. */
uint64_t clock_seconds_since(uint64_t tsc);

/* A limit for waiting loops: start it, then ask whether it has passed. Works on either logical processor. */
struct timeout {
    uint64_t end_tsc;
};
struct timeout timeout_in_us(uint32_t microseconds);
bool timeout_passed(const struct timeout *timeout);

/* Read port 61H, which takes about a microsecond and leaves the core to the other logical processor. */
void io_delay(void);
/* Wait, by io_delay(). Call it at CPL 0. */
void delay_us(uint32_t microseconds);

/* Request one interrupt with this vector number from the local APIC timer of this logical processor, so many
 * microseconds from now; 0 stops the timer. Does nothing without a local APIC. */
void timer_interrupt_in_us(uint32_t microseconds, uint8_t interrupt);

/* ---- pci.c: configuration space by mechanism 1, ports CF8H and CFCH (PCI 2.3, 3.2.2.3.2) ---- */

/* Only the boot processor may call these functions, because two accesses at once would mix up their
 * addresses. */

/* Bus, device and function number in the form that CF8H takes. 0 (the host bridge) means "no function" where
 * a comment says so. */
#define PCI_BDF(bus, device, function) ((uint32_t)(bus) << 16 | (uint32_t)(device) << 11 | (function) << 8)
#define PCI_BUS(bdf)                   ((bdf) >> 16 & 0xFF)
#define PCI_DEVICE(bdf)                ((bdf) >> 11 & 0x1F)
#define PCI_FUNCTION(bdf)              ((bdf) >> 8 & 7)

/* Registers that every function has. */
#define PCI_ID             0x00 /* [31:16] device, [15:0] vendor; all ones where there is no function */
#define PCI_COMMAND        0x04
#define PCI_COMMAND_IO     0x0001u /* the function decodes I/O addresses */
#define PCI_COMMAND_MEMORY 0x0002u /* and addresses of memory */
#define PCI_CLASS          0x08 /* [31:24] class, [23:16] subclass, [15:8] programming interface, [7:0] revision */
#define PCI_HEADER         0x0E /* 8 bits: [7] several functions, [6:0] layout, 0 for a device (not a bridge) */
#define PCI_BAR            0x10 /* six base addresses */
#define PCI_BARS           6u
#define PCI_BAR_IO         1u /* [0] of a base address: of I/O, in [31:2], not of memory, in [31:4] */
#define PCI_BAR_64         4u /* of memory: the next base address holds bits 63:32 */

/* True when mechanism 1 answers. */
bool pci_present(void);

/* Read or write a register of 1, 2 or 4 bytes, at an offset that is a multiple of its size. A function that
 * is not present reads as all ones. */
uint32_t pci_read(uint32_t bdf, uint8_t offset, unsigned bytes);
void pci_write(uint32_t bdf, uint8_t offset, unsigned bytes, uint32_t value);

/*
 * Returns the first function on any bus for which wanted() is true, or 0 when there is none. Makes at most
 * 65,536 reads, which take a tenth of a second.
 */
uint32_t pci_find(bool (*wanted)(uint32_t bdf));

/* ---- io_apic.c: what the I/O APICs route (82093AA data sheet; MultiProcessor Specification, 3.6.8) ---- */

struct io_apics {
    unsigned entries, open; /* redirection entries of all I/O APICs, and how many of them were open at boot */
};

/* Mask every redirection entry of the I/O APICs that the MADT lists, or else of the one at the usual address,
 * because a level-triggered interrupt whose device nobody serves would never end. Entries of delivery mode
 * SMI or ExtINT stay open: the firmware needs its SMIs, and ExtINT passes on the interrupts of the 8259s,
 * which pic.c masks there. */
void io_apics_mask(void);

/* What io_apics_mask() found. */
struct io_apics io_apics_at_boot(void);

/* ---- power.c ---- */

/*
 * Switch the machine off: to ACPI's state S5, or by Bochs's port, which does nothing elsewhere. Returns if it
 * is still on after four seconds. With interrupts off, on the boot processor.
 */
void power_off(void);

/* ---- progress.c: signs of life for a watchdog, so that a slow console is not taken for a hang ---- */

/* Report that the run makes progress: calls the hook, if one is set. */
void progress(void);

/* Set the function that every progress() calls, such as a watchdog's reload; null: none. */
void progress_set_hook(void (*hook)(void));

#endif
