/*
 * Chooses the port of the serial line and opens it.
 *
 * Sources: the BIOS data area lists up to four ports; ACPI's SPCR (Serial Port Console Redirection Table,
 * Microsoft) names the port of the firmware's own console.
 */
#include "console.h"
#include "kernel/firmware/firmware.h"
#include "kernel/lib/lib.h"
#include "kernel/pci_serial/pci_serial.h"
#include "pmc/count_of.h"

#define LOWEST_PORT 0x100u /* lower ports belong to devices that every board has */
#define PORT_BYTES  8u

#define SPCR_INTERFACE_AT      36u   /* 0: 16550, 1: a subset of it, or the next; others: no such UART */
#define INTERFACE_AS_ADDRESSED 0x12u /* a 16550, too */
#define SPCR_SPACE_AT          40u   /* of the base address */
#define SPCR_ADDRESS_AT        44u   /* 64 bits; 0: the firmware has no console */
#define SPCR_BAUD_AT           58u
#define SPCR_BYTES             80u
#define SPACE_MEMORY           0u
#define SPACE_IO               1u
#define REGISTERS_BYTES        32u /* of a UART in memory */

static const uint16_t USUAL_PORT[] = {0x3F8, 0x2F8, 0x3E8, 0x2E8}; /* ttyS0 .. ttyS3 */
#define TTYS COUNT_OF(USUAL_PORT)

static char description[100], cards[220];

const char *serial_description(void)
{
    return description;
}

const char *serial_cards(void)
{
    return cards;
}

/* The port's address in the BIOS data area, or 0. Under UEFI that memory may hold anything. */
static uint16_t bda_port(uint32_t number)
{
    const uint8_t *entry = multiboot_under_uefi() ? NULL : phys_ptr(BDA_SERIAL_PORTS + 2 * number, 2);
    uint16_t port = entry != NULL ? load16le(entry) : 0;

    return port >= LOWEST_PORT && port % PORT_BYTES == 0 ? port : 0;
}

/* The address of the firmware's console, or 0; *baud is 0 when the table does not say. */
static uint32_t spcr_base(uint32_t *baud)
{
    static const uint32_t rates[] = {[3] = 9600, [4] = 19200, [6] = 57600, [7] = 115200};
    uint32_t length, base;
    const uint8_t *spcr = acpi_table("SPCR", &length);

    if (spcr == NULL || length < SPCR_BYTES ||
        (spcr[SPCR_INTERFACE_AT] > 1 && spcr[SPCR_INTERFACE_AT] != INTERFACE_AS_ADDRESSED))
        return 0;
    base = load32le(spcr + SPCR_ADDRESS_AT);
    if (load32le(spcr + SPCR_ADDRESS_AT + 4) != 0)
        return 0;
    if (spcr[SPCR_SPACE_AT] == SPACE_MEMORY)
        return base >= UART_MEMORY && !memory_map_touches_ram(base, REGISTERS_BYTES) ? base : 0;
    if (spcr[SPCR_SPACE_AT] != SPACE_IO || base < LOWEST_PORT || base > UART_MEMORY - PORT_BYTES)
        return 0;
    *baud = spcr[SPCR_BAUD_AT] < COUNT_OF(rates) ? rates[spcr[SPCR_BAUD_AT]] : 0;
    return base;
}

/* Open the line if a UART answers at this address. from: the source of the address, for the log. */
static bool probe_port(uint32_t base, uint32_t baud, const char *from)
{
    size_t tty = 0, at;

    if (base == 0)
        return false;
    if (baud == 0 && base < UART_MEMORY)
        baud = SERIAL_BAUD;
    while (tty < TTYS && USUAL_PORT[tty] != base)
        tty++;
    if (tty < TTYS)
        at = format(description, sizeof description, "ttyS%u", (unsigned)tty);
    else
        at = format(description, sizeof description, "UART");
    at += format(description + at, sizeof description - at,
                 baud != 0 ? " at %3H (%s), %u baud" : " at %3H (%s), baud rate as found", base, from, baud);
    if (uart_init(base, baud))
        return true;
    format(description + at, sizeof description - at, "; none answers");
    return false;
}

/* Open the card of this number, or with number 0 the first that answers. Returns null, or why there is none.
 */
static const char *open_card(const struct serial_request *request)
{
    const unsigned count = pci_serial_find();
    const char *why_not = count == 0 ? "no PCI serial card" : "no such PCI serial card";
    size_t at = 0;

    for (unsigned n = 1; n <= count; n++) {
        at += format(cards + at, sizeof cards - at, n == 1 ? "%u " : ", %u ", n);
        at += pci_serial_name(n, " ", cards + at, sizeof cards - at);
    }
    for (unsigned n = 1; n <= count; n++) {
        char from[40];
        size_t length;

        if (request->number != 0 && request->number != n)
            continue;
        length = format(from, sizeof from, "PCI ");
        pci_serial_name(n, ", ", from + length, sizeof from - length);
        if (probe_port(pci_serial_enable(n), request->baud, from))
            return NULL;
        why_not = "the PCI serial card is silent";
    }
    return why_not;
}

/* why_no_card: "" or why there is no serial line on a PCI card. */
static bool probe_source(const char *why_no_card, const char *source, uint32_t base, uint32_t baud)
{
    char from[60];

    format(from, sizeof from, "%s%s%s", why_no_card, why_no_card[0] != '\0' ? "; " : "", source);
    return probe_port(base, baud, from);
}

static void open_as_firmware_says(uint32_t baud, const char *why_no_card)
{
    uint32_t spcr_baud = 0;
    const uint32_t base = spcr_base(&spcr_baud);

    if (!probe_source(why_no_card, "BIOS data area", bda_port(0), baud) &&
        !probe_source(why_no_card, "ACPI SPCR", base, baud != 0 ? baud : spcr_baud))
        probe_source(why_no_card, "by default", USUAL_PORT[0], baud);
}

void serial_open(const struct serial_request *request)
{
    const char *why_not;
    uint16_t port;

    cards[0] = '\0';
    switch (request->kind) {
    case SERIAL_NONE:
        uart_init(0, SERIAL_BAUD);
        format(description, sizeof description, "none (boot line)");
        break;
    case SERIAL_PORT:
        probe_port(request->number, request->baud, "boot line");
        break;
    case SERIAL_TTY:
        port = bda_port(request->number);
        if (port != 0)
            probe_port(port, request->baud, "boot line, BIOS data area");
        else
            probe_port(USUAL_PORT[request->number], request->baud, "boot line");
        break;
    case SERIAL_PCI:
        why_not = open_card(request);
        if (why_not != NULL)
            open_as_firmware_says(request->baud, why_not);
        break;
    case SERIAL_AUTO:
        open_as_firmware_says(request->baud, "");
        break;
    }
}
