/*
 * The search for the serial line.
 *
 * Sources: the BIOS data area has the I/O addresses of up to four ports, two bytes each, from 400H; ACPI's
 * SPCR (Serial Port Console Redirection Table, Microsoft) has that of the firmware's own console.
 */
#include "serial.h"
#include "kernel/firmware/acpi.h"
#include "kernel/firmware/tables.h"
#include "kernel/lib/format.h"
#include "kernel/firmware/multiboot.h"
#include "kernel/board/pci.h"
#include "uart.h"

#define BDA_PORTS   0x400u
#define LOWEST_PORT 0x100u /* below is what every board has its own devices at */
#define PORT_BYTES  8u

#define SPCR_INTERFACE_AT 36u /* 0 a 16550, 1 a part of one; others are no UARTs of this kind */
#define SPCR_SPACE_AT     40u /* of the base address */
#define SPCR_ADDRESS_AT   44u /* 64 bits; 0: the firmware has no console */
#define SPCR_BAUD_AT      58u
#define SPCR_BYTES        80u
#define SPACE_IO          1u

#define CLASS_SERIAL    0x0700u /* of [31:16]: simple communication controller, serial */
#define INTERFACE_UARTS 6u /* 0 to 6 are the 8250 and those that can do all it can, the 16550 among them */
#define IO_ADDRESS(bar) ((bar) & ~3u)
#define IO_ADDRESS_END  0x10000u

static const uint16_t USUAL_PORT[] = {0x3F8, 0x2F8, 0x3E8, 0x2E8}; /* ttyS0 .. ttyS3 */
#define TTYS (sizeof(USUAL_PORT) / sizeof(USUAL_PORT[0]))

static char description[100];

const char *serial_description(void)
{
    return description;
}

/* A port that the BIOS found, or 0. Under UEFI that memory holds anything. */
static uint16_t bda_port(uint32_t number)
{
    const uint8_t *entry = loader_under_uefi() ? NULL : physical(BDA_PORTS + 2 * number, 2);
    uint16_t port = entry != NULL ? field16(entry) : 0;

    return port >= LOWEST_PORT && port % PORT_BYTES == 0 ? port : 0;
}

/* The firmware's console when it is a UART in I/O space, or 0; *baud is 0 when it does not tell. */
static uint16_t spcr_port(uint32_t *baud)
{
    static const uint32_t rates[] = {[3] = 9600, [4] = 19200, [6] = 57600, [7] = 115200};
    uint32_t length, port;
    const uint8_t *spcr = acpi_table("SPCR", &length);

    if (spcr == NULL || length < SPCR_BYTES || spcr[SPCR_INTERFACE_AT] > 1 || spcr[SPCR_SPACE_AT] != SPACE_IO)
        return 0;
    port = field32(spcr + SPCR_ADDRESS_AT);
    if (field32(spcr + SPCR_ADDRESS_AT + 4) != 0 || port < LOWEST_PORT || port > IO_ADDRESS_END - PORT_BYTES)
        return 0;
    *baud = spcr[SPCR_BAUD_AT] < sizeof(rates) / sizeof(rates[0]) ? rates[spcr[SPCR_BAUD_AT]] : 0;
    return (uint16_t)port;
}

static uint16_t io_base(uint32_t place)
{
    for (unsigned i = 0; i < PCI_BARS; i++) {
        uint32_t bar = pci_read(place, (uint8_t)(PCI_BAR + 4 * i), 4);

        if ((bar & PCI_BAR_IO) != 0 && IO_ADDRESS(bar) != 0 && IO_ADDRESS(bar) < IO_ADDRESS_END)
            return (uint16_t)IO_ADDRESS(bar);
    }
    return 0;
}

static bool is_serial_card(uint32_t place)
{
    uint32_t class = pci_read(place, PCI_CLASS, 4);

    return class >> 16 == CLASS_SERIAL && (class >> 8 & 0xFF) <= INTERFACE_UARTS && io_base(place) != 0;
}

/* Open it when a UART answers there. from tells who named the port. */
static bool answers(uint16_t port, uint32_t baud, const char *from)
{
    size_t tty = 0, at;

    if (port == 0)
        return false;
    baud = baud != 0 ? baud : SERIAL_BAUD;
    while (tty < TTYS && USUAL_PORT[tty] != port)
        tty++;
    if (tty < TTYS)
        at = format(description, sizeof(description), "ttyS%u", (unsigned)tty);
    else
        at = format(description, sizeof(description), "UART");
    at += format(description + at, sizeof(description) - at, " at %3H (%s), %u baud", (unsigned)port, from,
                 baud);
    if (uart_init(port, baud))
        return true;
    format(description + at, sizeof(description) - at, "; none answers");
    return false;
}

static uint32_t card_baud; /* for card_answers() */
static bool card_found;

static bool card_answers(uint32_t place)
{
    char from[40];
    uint32_t id;

    if (!is_serial_card(place))
        return false;
    card_found = true;
    pci_write(place, PCI_COMMAND, 2, pci_read(place, PCI_COMMAND, 2) | PCI_COMMAND_IO);
    id = pci_read(place, PCI_ID, 4);
    format(from, sizeof(from), "PCI %02x:%02x.%u, %04x:%04x", PCI_BUS(place), PCI_DEVICE(place),
           PCI_FUNCTION(place), id & 0xFFFF, id >> 16);
    return answers(io_base(place), card_baud, from);
}

/* The first card that answers: a modem may call itself a serial card too. Null when the line is open, else
 * why it is not. */
static const char *open_card(uint32_t baud)
{
    card_baud = baud;
    card_found = false;
    if (pci_find(card_answers) != 0)
        return NULL;
    return card_found ? "the PCI serial card is silent; " : "no PCI serial card; ";
}

static void open_as_firmware_says(uint32_t baud, const char *remark)
{
    char from[60];
    uint32_t spcr_baud = 0;
    uint16_t port;

    format(from, sizeof(from), "%sBIOS data area", remark);
    if (answers(bda_port(0), baud, from))
        return;
    port = spcr_port(&spcr_baud);
    format(from, sizeof(from), "%sACPI SPCR", remark);
    if (answers(port, baud != 0 ? baud : spcr_baud, from))
        return;
    format(from, sizeof(from), "%sby default", remark);
    answers(USUAL_PORT[0], baud, from);
}

void serial_open(const struct serial_request *request)
{
    const char *why_not;
    uint16_t port;

    switch (request->kind) {
    case SERIAL_NONE:
        uart_init(0, SERIAL_BAUD);
        format(description, sizeof(description), "none (boot line)");
        break;
    case SERIAL_PORT:
        answers((uint16_t)request->number, request->baud, "boot line");
        break;
    case SERIAL_TTY:
        port = bda_port(request->number);
        if (port != 0)
            answers(port, request->baud, "boot line, BIOS data area");
        else
            answers(USUAL_PORT[request->number], request->baud, "boot line");
        break;
    case SERIAL_PCI:
        why_not = open_card(request->baud);
        if (why_not != NULL)
            open_as_firmware_says(request->baud, why_not);
        break;
    case SERIAL_AUTO:
        open_as_firmware_says(request->baud, "");
        break;
    }
}
