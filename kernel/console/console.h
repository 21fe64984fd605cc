/* The serial line and the screen, to which every byte of the log goes. The host tests compile the same files.
 */
#ifndef KERNEL_CONSOLE_CONSOLE_H
#define KERNEL_CONSOLE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- serial.c: the serial line's port: the boot line's, else the firmware's console, else COM1 ---- */

#define SERIAL_BAUD 115200u /* the rate of a UART's divisor 1, and the default */

enum serial_kind {
    SERIAL_AUTO, /* what the firmware says: BIOS data area, else ACPI's SPCR, else COM1 at 3F8H */
    SERIAL_TTY,  /* ttyS0..ttyS3: number 0..3, port from the BIOS data area, else the usual one */
    SERIAL_PORT, /* number is the I/O address */
    SERIAL_PCI, /* PCI serial card number 1 to 9, or 0: the first that answers; SERIAL_AUTO when there is none
                 */
    SERIAL_NONE,
};

/* console= of the boot line. */
struct serial_request {
    enum serial_kind kind;
    uint32_t number;
    uint32_t baud; /* divides SERIAL_BAUD; 0: not given */
};

/*
 * Open the line. Of the UARTs that the firmware names, the first that answers is used. Every search
 * is bounded. Call it after multiboot_read().
 */
void serial_open(const struct serial_request *request);

/*
 * The port that serial_open() chose and why, at most 99 characters, for the log's line "# console:":
 * "ttyS0 at 3F8H (BIOS data area), 115200 baud", "none (boot line)".
 */
const char *serial_description(void);

/* The PCI serial cards that SERIAL_PCI found: "1 00:03.3 8086:29c7, 2 02:00.0 1415:9501"; "" for none. */
const char *serial_cards(void);

/* ---- uart.c: a 16550 UART (or its ancestors without FIFO), polled, without flow control ---- */

#define UART_MEMORY 0x10000u /* from here on the address of a UART is one of memory, below an I/O address */

/* Probe the UART at this address (0: none) and program it to baud 8n1 (baud divides 115200, 2 or more; 0: the
 * rate stays as it is). False when none answers; then the other calls do nothing. */
bool uart_init(uint32_t base, uint32_t baud);

/* True when a UART answered and has not timed out since. */
bool uart_present(void);

/* True when a UART that had answered stopped taking bytes: the output is cut short. */
bool uart_timed_out(void);

/* Send bytes. A transmitter that stays busy far longer than the characters in it take is given up for good,
 * so that a dead UART delays the run once. */
void uart_write(const char *bytes, size_t length);

/* Wait, with the same bound, until the last bit is out, so that no transmission overlaps a measured region.
 */
void uart_drain(void);

/* Wait as uart_drain() does, and look whether the UART is as uart_init() left it: 8n1, its FIFO on and good,
 * idle, DTR and RTS raised. Null, or what is wrong. Call it where uart_present(). */
const char *uart_wrong(void);

/* ---- Character cells, and the interface of a device that shows them ---- */

/* A cell has 16 bits: [7:0] the character, [15:8] the attribute, as the VGA has it: [11:8] colour of the
 * character, [14:12] colour of the background. */
enum screen_colour {
    SCREEN_NORMAL = 0x07, /* light grey on black */
    SCREEN_GREEN = 0x2F,  /* white on green */
    SCREEN_RED = 0x4F,    /* white on red */
    SCREEN_YELLOW = 0x6F, /* white on brown, the nearest to yellow that a text screen has */
};

#define SCREEN_FULL_BLOCK 0xDB /* a character of code page 437 that fills its cell */

/* A device that shows cells, cleared to blanks in SCREEN_NORMAL. */
struct screen_device {
    unsigned columns, rows;
    void (*draw)(unsigned x, unsigned y, uint16_t cell); /* column x, row y, counted from the upper left */
};

/* ---- screen.c: the log's last lines, a status line at the bottom, and the verdict in huge letters ---- */

/* A copy of the cells is kept in memory, so that the device is never read, and only cells that change are
 * drawn. */

/* Cells of a device beyond these limits are not used. */
#define SCREEN_COLUMNS_MAX 160u
#define SCREEN_ROWS_MAX    64u

/* Begin at the top of this device, which shows blanks. Null: there is no screen, and all calls do nothing. */
void screen_init(const struct screen_device *device);

/* True if there is a screen. */
bool screen_shown(void);

/* Write text of the log. '\n' ends a line, '\r' is ignored; other non-printing characters show as '?'. */
void screen_write(const char *text, size_t length);

/* Show as much of the text as fits above the bottom line, in rows of whole words, in place of the log.
 * Returns how many characters that is; if drawn is false, nothing is shown. Call it where screen_shown(). */
size_t screen_page(const char *text, bool drawn);

/* Show the text in the bottom line, in this colour; a text longer than the line is cut. */
void screen_bottom(const char *text, enum screen_colour colour);

/*
 * Show the name in the first row, the word in huge letters below, and below these the text, in rows of whole
 * words; a
 * '\n' ends a row, and what does not fit above the bottom line is left out. The rest of the screen shows as
 * many of the log's last lines as fit, or nothing.
 */
void screen_verdict(const char *name, const char *word, const char *text, bool log_below,
                    enum screen_colour colour);

/* ---- vga.c: the 80x25 colour text screen; nothing is ever read from its memory ---- */

/* Clear the text screen, hide its cursor, and return it as a screen device. Null when the BIOS data area does
 * not say that a VGA shows 80-column colour text, and after a start by UEFI. */
const struct screen_device *vga_open(void);

/* ---- The font: printable ASCII, made at build time by tools/font (docs/licences.md has its source) ---- */

#define FONT_FIRST  ' '
#define FONT_GLYPHS 95u /* ' ' to '~' */
#define FONT_WIDTH  8u  /* pixels; the leftmost is the highest bit of a row */
#define FONT_ROWS   13u

extern const uint8_t FONT[FONT_GLYPHS][FONT_ROWS];

/* ---- console.c: the serial line and the screen, which show the same text ---- */

/* A UART that does not answer the presence probe is left alone and costs no time; no wait is unbounded. */

/* Open the serial line that the boot line asks for, and begin on the screen device given, or (null) on the
 * VGA's text screen if the BIOS left it on. May be called again. */
void console_init(const struct serial_request *request, const struct screen_device *device);

/* Write bytes as they are. A '\n' goes out as CR LF, so that any terminal and any TAP tool can read the log.
 */
void console_write(const char *text, size_t length);

#endif
