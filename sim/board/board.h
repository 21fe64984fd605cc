/*
 * What a board has outside of its processors and its memory.
 * The I/O ports of the board: COM1, PCI and the LPC bridge (ich.c), 8259 pair, 8254, port 61H, keyboard
 * controller, A20 gate, reset (CF9H), and QEMU's isa-debug-exit at F4H. A port without a device reads as ones
 * and ignores writes.
 */
#ifndef SIM_BOARD_BOARD_H
#define SIM_BOARD_BOARD_H

#include <stdbool.h>
#include <stdint.h>
#include "ich.h"
#include "io_apic.h"
#include "pit.h"
#include "uart.h"

#define BOARD_COM1       0x3F8u
#define BOARD_UART       0xFE030000u /* instead of COM1, on boards of sim/inject/ whose UART is in memory */
#define BOARD_DEBUG_EXIT 0xF4u

struct pic {
    uint8_t mask;       /* OCW1 */
    uint8_t base;       /* ICW2: interrupt vector of its first line */
    bool base_follows;  /* the next data byte is ICW2 */
    unsigned icw_count; /* ICW2..ICW4 still expected */
};

/* The CMOS clock: none; its seconds are no time; the update in progress never ends. */
enum cmos { CMOS_NONE, CMOS_ODD, CMOS_STUCK };

struct board {
    bool has_uart;
    uint32_t uart_base;   /* BOARD_COM1, except on some boards of sim/inject/ */
    unsigned uart_stride; /* of its registers in memory, which are as wide: 1 or 4; 0: uart_base is a port */
    struct uart uart;
    struct pit pit;
    struct ich ich;
    struct io_apic io_apic;
    struct pic pic[2];
    enum cmos cmos;
    uint8_t cmos_index;
    uint8_t port61;
    uint64_t clock_hz;
    bool reset_asked;  /* the keyboard controller or CF9H was written to with a request to reset the board */
    bool exit_written; /* isa-debug-exit was written */
    uint32_t exit_value;
};

/* sink takes what COM1 transmits; clock_hz is core clocks per second. */
void board_init(struct board *board, bool has_uart, uint64_t clock_hz, uart_sink_fn *sink, void *context);

/*
 * IN and OUT of 1, 2 or 4 bytes at core clock `clock`. After an OUT the caller checks reset_asked and
 * exit_written, each of which ends the run.
 */
uint32_t board_in(struct board *board, uint16_t port, unsigned size, uint64_t clock);
void board_out(struct board *board, uint16_t port, unsigned size, uint32_t value, uint64_t clock);

/* The register of the UART in memory that an access of `size` bytes reaches there; UART_PORTS: none. */
unsigned board_uart_register(const struct board *board, uint64_t offset, unsigned size);

#endif
