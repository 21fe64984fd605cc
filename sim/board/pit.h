/*
 * The 8254 interval timer as far as software polls it: counts, latches, read-back of the count, gate and
 * output of channel 2. It raises no interrupts. Time is the core clock of the processor that asks.
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
    bool second_byte;      /* of a two-byte write or unlatched read */
    uint8_t low;
    bool loaded, gate;
    uint64_t counted; /* ticks counted before start */
    uint64_t start;   /* tick at which counting went on */
};

struct pit {
    uint64_t clock_hz;
    struct pit_channel channel[PIT_CHANNELS];
    bool output2_dead; /* never rises (defect.h) */
};

/* clock_hz: core clocks per second. Channels 0 and 1 have their gate tied high. */
void pit_init(struct pit *pit, uint64_t clock_hz);

/* reg 0..2 = channels, 3 = control; clock in core clocks since power-up. */
uint8_t pit_read(struct pit *pit, unsigned reg, uint64_t clock);
void pit_write(struct pit *pit, unsigned reg, uint8_t value, uint64_t clock);

/* Port 61H: the gate of channel 2, its output. */
void pit_set_gate2(struct pit *pit, bool gate, uint64_t clock);
bool pit_output2(const struct pit *pit, uint64_t clock);

#endif
