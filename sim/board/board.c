/*
 * Port decoding. Devices are 8 bits wide: a wider access is split into bytes, as the ISA bus does. Only the
 * LPC bridge and isa-debug-exit take wider accesses.
 */
#include "board.h"
#include "pit.h"
#include "uart.h"
#include "ich.h"
#include "io_apic.h"

#include <string.h>

#define PORT_PIC0_COMMAND 0x20u
#define PORT_PIC0_DATA    0x21u
#define PORT_PIT          0x40u
#define PORT_PIT_CONTROL  0x43u
#define PORT_SYSTEM       0x61u /* [0] gate of channel 2, [1] speaker, [4] refresh toggle, [5] output 2 */
#define PORT_KEYBOARD     0x64u
#define PORT_CMOS_INDEX   0x70u
#define PORT_CMOS_DATA    0x71u
#define PORT_A20          0x92u
#define PORT_PIC1_COMMAND 0xA0u
#define PORT_PIC1_DATA    0xA1u
#define PORT_RESET        0xCF9u

#define KEYBOARD_PULSE_RESET 0xFEu
#define RESET_CPU            0x04u /* CF9H [2] */
#define A20_ON               0x02u
#define CMOS_SECONDS         0x00u
#define CMOS_A               0x0Au /* [7] update in progress, [6:4] 010: its divider runs */
#define CMOS_A_RUNS          0x20u
#define CMOS_A_UPDATES       0x80u
#define CMOS_NO_TIME         0x85u /* BCD: 85 seconds */
#define ICW1                 0x10u
#define ICW1_NEEDS_ICW4      0x01u
#define ICW1_SINGLE          0x02u
#define SYSTEM_WRITABLE      0x03u
#define SYSTEM_REFRESH       0x10u
#define SYSTEM_OUTPUT2       0x20u
#define PIC0_BASE            0x08u /* where a BIOS leaves the vectors of the 8259s */
#define PIC1_BASE            0x70u
#define REFRESH_HZ           66000u /* memory refresh requests: the bit toggles about every 15 us */

void board_init(struct board *board, bool has_uart, uint64_t clock_hz, uart_sink_fn *sink, void *context)
{
    memset(board, 0, sizeof *board);
    board->has_uart = has_uart;
    board->uart_base = BOARD_COM1;
    board->clock_hz = clock_hz;
    uart_init(&board->uart, sink, context);
    pit_init(&board->pit, clock_hz);
    ich_init(&board->ich, clock_hz);
    io_apic_init(&board->io_apic);
    board->pic[0].base = PIC0_BASE;
    board->pic[1].base = PIC1_BASE;
}

static bool is_uart(const struct board *board, uint16_t port)
{
    return board->has_uart && board->uart_stride == 0 && port >= board->uart_base &&
           port < board->uart_base + UART_PORTS;
}

unsigned board_uart_register(const struct board *board, uint64_t offset, unsigned size)
{
    const unsigned stride = board->uart_stride;
    if (!board->has_uart || size != stride || offset % stride || offset / stride >= UART_PORTS)
        return UART_PORTS;
    return (unsigned)(offset / stride);
}

static uint8_t system_port(const struct board *board, uint64_t clock)
{
    bool refresh = clock / (board->clock_hz / REFRESH_HZ) & 1;
    return (uint8_t)(board->port61 | (refresh ? SYSTEM_REFRESH : 0) |
                     (pit_output2(&board->pit, clock) ? SYSTEM_OUTPUT2 : 0));
}

static uint8_t cmos_read(const struct board *board)
{
    if (board->cmos == CMOS_NONE)
        return 0xFF;
    if (board->cmos_index == CMOS_A)
        return board->cmos == CMOS_STUCK ? CMOS_A_RUNS | CMOS_A_UPDATES : CMOS_A_RUNS;
    return board->cmos == CMOS_ODD && board->cmos_index == CMOS_SECONDS ? CMOS_NO_TIME : 0;
}

static uint8_t in8(struct board *board, uint16_t port, uint64_t clock)
{
    if (is_uart(board, port))
        return uart_read(&board->uart, port - board->uart_base);
    if (port >= PORT_PIT && port <= PORT_PIT_CONTROL)
        return pit_read(&board->pit, port - PORT_PIT, clock);
    switch (port) {
    case PORT_PIC0_COMMAND: /* IRR and ISR are empty: no device raises an interrupt */
    case PORT_PIC1_COMMAND:
    case PORT_KEYBOARD: /* buffers empty */
    case BOARD_DEBUG_EXIT:
        return 0;
    case PORT_PIC0_DATA:
        return board->pic[0].mask;
    case PORT_PIC1_DATA:
        return board->pic[1].mask;
    case PORT_SYSTEM:
        return system_port(board, clock);
    case PORT_A20:
        return A20_ON;
    case PORT_CMOS_DATA:
        return cmos_read(board);
    default:
        return 0xFF;
    }
}

static void pic_command(struct pic *pic, uint8_t value)
{
    if (!(value & ICW1))
        return; /* OCW2 and OCW3 have no effect: no interrupt is in service */
    pic->mask = 0;
    pic->base_follows = true;
    pic->icw_count = 1 + !(value & ICW1_SINGLE) + (value & ICW1_NEEDS_ICW4);
}

static void pic_data(struct pic *pic, uint8_t value)
{
    if (pic->base_follows)
        pic->base = value;
    pic->base_follows = false;
    if (pic->icw_count)
        pic->icw_count--;
    else
        pic->mask = value;
}

static void out8(struct board *board, uint16_t port, uint8_t value, uint64_t clock)
{
    if (is_uart(board, port)) {
        uart_write(&board->uart, port - board->uart_base, value);
        return;
    }
    if (port >= PORT_PIT && port <= PORT_PIT_CONTROL) {
        pit_write(&board->pit, port - PORT_PIT, value, clock);
        return;
    }
    switch (port) {
    case PORT_PIC0_COMMAND:
    case PORT_PIC1_COMMAND:
        pic_command(&board->pic[port == PORT_PIC1_COMMAND], value);
        break;
    case PORT_PIC0_DATA:
    case PORT_PIC1_DATA:
        pic_data(&board->pic[port == PORT_PIC1_DATA], value);
        break;
    case PORT_CMOS_INDEX:
        board->cmos_index = value & 0x7F; /* [7] masks NMIs */
        break;
    case PORT_SYSTEM:
        board->port61 = value & SYSTEM_WRITABLE;
        pit_set_gate2(&board->pit, value & 1, clock);
        break;
    case PORT_KEYBOARD:
        board->reset_asked |= value == KEYBOARD_PULSE_RESET;
        break;
    case PORT_RESET:
        board->reset_asked |= (value & RESET_CPU) != 0;
        break;
    default:
        break;
    }
}

uint32_t board_in(struct board *board, uint16_t port, unsigned size, uint64_t clock)
{
    if (port == BOARD_DEBUG_EXIT)
        return 0;
    uint32_t value = 0;
    if (ich_in(&board->ich, port, size, clock, &value))
        return value;
    for (unsigned i = 0; i < size; i++)
        value |= (uint32_t)in8(board, (uint16_t)(port + i), clock) << 8 * i;
    return value;
}

void board_out(struct board *board, uint16_t port, unsigned size, uint32_t value, uint64_t clock)
{
    if (port == BOARD_DEBUG_EXIT) {
        board->exit_written = true;
        board->exit_value = value;
        return;
    }
    if (ich_out(&board->ich, port, size, value, clock))
        return;
    for (unsigned i = 0; i < size; i++)
        out8(board, (uint16_t)(port + i), (uint8_t)(value >> 8 * i), clock);
}
