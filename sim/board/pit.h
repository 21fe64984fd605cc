/*
 * The 8254 interval timer, for software that polls it: counts, latches, gate and output of channel 2. It
 * raises no interrupts. Time is the core clock of the processor that makes the access.
 */
#ifndef SIM_BOARD_PIT_H
#define SIM_BOARD_PIT_H

#include <stdbool.h>
#include <stdint.h>

#define PIT_HZ       1193182u
#define PIT_CHANNELS 3

struct pit_channel {
    uint8_t mode, access; /* of the last control word */
    uint16_t reload;      /* 0 means 65536 */
    uint16_t latch;
    uint8_t latched_bytes; /* bytes of the latch still to be read */
    bool second_byte;      /* the next access is the second of a two-byte write or unlatched read */
    uint8_t low;
    bool loaded, gate;
    uint64_t counted; /* ticks counted before start */
    uint64_t start;   /* tick at which counting last started or resumed */
};

struct pit {
    uint64_t clock_hz;
    struct pit_channel channel[PIT_CHANNELS];
    bool output2_dead; /* the output of channel 2 never rises */
};

/* clock_hz: core clocks per second. Channels 0 and 1 have their gate tied high. */
void pit_init(struct pit *pit, uint64_t clock_hz);

/* Access to register 0 to 2 (a channel) or 3 (control) at core clock `clock`. */
uint8_t pit_read(struct pit *pit, unsigned reg, uint64_t clock);
void pit_write(struct pit *pit, unsigned reg, uint8_t value, uint64_t clock);

/* Gate and output of channel 2, as port 61H has them. */
void pit_set_gate2(struct pit *pit, bool gate, uint64_t clock);
bool pit_output2(const struct pit *pit, uint64_t clock);

#endif
