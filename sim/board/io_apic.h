/*
 * An I/O APIC (82093AA): its registers. No device of the board has an interrupt line; a defective board may
 * ask what an entry would deliver.
 */
#ifndef SIM_BOARD_IO_APIC_H
#define SIM_BOARD_IO_APIC_H

#include <stdbool.h>
#include <stdint.h>

#define IO_APIC_BASE    0xFEC00000u
#define IO_APIC_SIZE    0x1000u
#define IO_APIC_APART   0x100u /* it answers again so far on: a board may call that a second one */
#define IO_APIC_ENTRIES 24u

#define IO_APIC_MASKED (1u << 16)
#define IO_APIC_LEVEL  (1u << 15)

struct io_apic {
    uint8_t select;
    bool forgets; /* a read of the window clears `select`, as on SiS chip sets (Linux: sis_apic_bug) */
    uint32_t id, entry[2 * IO_APIC_ENTRIES]; /* low word, high word */
};

/* Put the registers into their state after power-up: all entries are masked. */
void io_apic_init(struct io_apic *io_apic);

uint32_t io_apic_read(struct io_apic *io_apic, uint32_t offset);
void io_apic_write(struct io_apic *io_apic, uint32_t offset, uint32_t value);

#endif
