/*
 * kernel/console/serial.c with kernel/pci_serial: which port is the console, by the boot line, the BIOS data
 * area, the SPCR, or a PCI card. The board has these, and one port at which a UART answers.
 */
#include <string.h>
#include "kernel/board/board.h"
#include "kernel/console/console.h"
#include "kernel/firmware/firmware.h"
#include "kernel/x86/cpu.h"
#include "tests/host/support/host_test.h"
#include "tests/host/support/physical.h"

#define SPCR 0xE2000u

static bool uefi;

STUB(const uint8_t *, multiboot_rsdp, (size_t * length), *length = 0, NULL);
STUB(bool, multiboot_under_uefi, (void), uefi);

static uint64_t ram_end;

STUB(bool, memory_map_touches_ram, (uint64_t begin, uint64_t length), (void)length, begin < ram_end);

/* ---- UARTs ---- */

static uint32_t answering; /* the one address where a UART is */
static uint32_t opened;    /* what was opened, 0: nothing */
static uint32_t opened_baud;
static unsigned probed;

bool uart_init(uint32_t base, uint32_t baud)
{
    probed++;
    opened = base != 0 && base == answering ? base : 0;
    opened_baud = baud;
    return opened != 0;
}

/* ---- PCI: mechanism 1 with a few functions ---- */

struct function {
    uint32_t bdf;
    uint32_t registers[16];
};

static struct function functions[5];
static unsigned function_count;
static bool mechanism_1;
static uint32_t config_address;
static unsigned config_reads;

static uint32_t *config_register(void)
{
    for (unsigned i = 0; i < function_count; i++)
        if ((config_address & 0x80FFFF00) == (0x80000000 | functions[i].bdf))
            return &functions[i].registers[config_address >> 2 & 15];
    return NULL;
}

uint32_t in32(uint16_t port)
{
    const uint32_t *reg = config_register();

    if (!mechanism_1)
        return 0xFFFFFFFF;
    if (port == 0xCF8)
        return config_address;
    assert_int_equal(port, 0xCFC);
    config_reads++;
    return reg != NULL ? *reg : 0xFFFFFFFF;
}

STUB(uint16_t, in16, (uint16_t port), (uint16_t)(in32(0xCFC) >> 8 * (port - 0xCFC)));
STUB(uint8_t, in8, (uint16_t port), (uint8_t)(in32(0xCFC) >> 8 * (port - 0xCFC)));

void out32(uint16_t port, uint32_t value)
{
    assert_true(mechanism_1);      /* else it might reach the reset register at CF9H */
    assert_int_equal(port, 0xCF8); /* nothing writes a whole register */
    config_address = value;
}

void out16(uint16_t port, uint16_t value)
{
    uint32_t *reg = config_register();

    assert_int_equal(port, 0xCFC);
    assert_non_null(reg);
    *reg = (*reg & 0xFFFF0000) | value;
}

void out8(uint16_t port, uint8_t value)
{
    fail_msg("a byte written: %02XH to port %XH", value, port);
}

static struct function *put_function(uint32_t bdf, uint32_t id, uint32_t class)
{
    struct function *f = &functions[function_count++];

    *f = (struct function){.bdf = bdf, .registers = {id, 0, class}};
    return f;
}

/* ---- Tables ---- */

static void put_spcr(uint16_t port, uint8_t baud)
{
    image_put(SPCR + 40, 1, 1);
    image_put(SPCR + 44, port, 4);
    image_put(SPCR + 58, baud, 1);
    image_put_table(SPCR, "SPCR", 80);
    image_put_root(SPCR, 0);
}

BEFORE_EACH(set_up)
{
    image_clear();
    uefi = false;
    ram_end = 0;
    answering = 0x3F8;
    probed = 0;
    function_count = 0;
    mechanism_1 = true;
    config_address = 0x12345678;
    config_reads = 0;
    put_function(0, 0x25788086, 0x06000000); /* the host bridge */
}

/* What is opened when this is asked for. */
static void expect(enum serial_kind kind, uint16_t number, uint32_t rate, uint32_t port, uint32_t baud,
                   const char *description)
{
    serial_open(&(struct serial_request){kind, number, rate});
    if (opened != port || (port != 0 && opened_baud != baud) ||
        strcmp(serial_description(), description) != 0)
        fail_msg("opened %XH at %u: %s", opened, opened_baud, serial_description());
}

TEST(bios_data_area_first)
{
    image_put(0x400, 0x2F8, 2);
    put_spcr(0x3E8, 3);
    answering = 0x2F8;
    expect(SERIAL_AUTO, 0, 0, 0x2F8, 115200, "ttyS1 at 2F8H (BIOS data area), 115200 baud");
    assert_int_equal(probed, 1);
    assert_int_equal(config_reads, 0);
    expect(SERIAL_AUTO, 0, 9600, 0x2F8, 9600, "ttyS1 at 2F8H (BIOS data area), 9600 baud");
}

TEST(insane_entries_are_passed_over)
{
    static const uint16_t entries[] = {0, 0x60, 0xF8, 0x3F9, 0x3FC, 0xFFFF};

    for (size_t i = 0; i < COUNT_OF(entries); i++) {
        set_up();
        image_put(0x400, entries[i], 2);
        answering = entries[i] != 0 ? entries[i] : 1;
        expect(SERIAL_AUTO, 0, 0, 0, 0, "ttyS0 at 3F8H (by default), 115200 baud; none answers");
    }
}

TEST(spcr_is_second)
{
    image_put(0x400, 0x3F8, 2); /* listed, but nothing answers there */
    put_spcr(0xE000, 4);
    answering = 0xE000;
    expect(SERIAL_AUTO, 0, 0, 0xE000, 19200, "UART at E000H (ACPI SPCR), 19200 baud");
    expect(SERIAL_AUTO, 0, 57600, 0xE000, 57600, "UART at E000H (ACPI SPCR), 57600 baud");
}

TEST(spcr_rates)
{
    static const struct {
        uint8_t code;
        uint32_t baud;
    } rows[] = {{0, 115200}, {1, 115200}, {3, 9600},   {4, 19200},   {5, 115200},
                {6, 57600},  {7, 115200}, {8, 115200}, {255, 115200}};

    answering = 0x2F8;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        put_spcr(0x2F8, rows[i].code);
        serial_open(&(struct serial_request){SERIAL_AUTO, 0, 0});
        assert_int_equal(opened, 0x2F8);
        assert_int_equal(opened_baud, rows[i].baud);
    }
}

/* Its clock is not known, so its rate stays. */
TEST(spcr_in_memory)
{
    put_spcr(0, 7);
    image_put(SPCR + 36, 0x12, 1);
    image_put(SPCR + 40, 0, 1);
    image_put(SPCR + 44, 0xFE030000, 4);
    image_fix_checksum(SPCR, 80, SPCR + 9);
    answering = 0xFE030000;
    expect(SERIAL_AUTO, 0, 0, answering, 0, "UART at FE030000H (ACPI SPCR), baud rate as found");
    expect(SERIAL_AUTO, 0, 9600, answering, 9600, "UART at FE030000H (ACPI SPCR), 9600 baud");
    ram_end = 0xC0000000; /* what is written into RAM could be anybody's */
    image_put(SPCR + 44, 0xBFFFFFF8, 4);
    image_fix_checksum(SPCR, 80, SPCR + 9);
    answering = 0xBFFFFFF8;
    expect(SERIAL_AUTO, 0, 0, 0, 0, "ttyS0 at 3F8H (by default), 115200 baud; none answers");
}

/* An SPCR is of no use if it names another interface, memory that is a port, no port or a port above I/O
 * space, or if the table is too short. */
TEST(spcr_that_does_not_help)
{
    static const struct {
        uint32_t at, value;
        unsigned bytes;
    } changes[] = {{36, 2, 1},       {40, 0, 1}, {44, 0, 4}, {44, 0xFFF9, 4},
                   {44, 0x102F8, 4}, {48, 1, 4}, {4, 79, 4}};

    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        set_up();
        answering = 0x2F8;
        put_spcr(0x2F8, 7);
        image_put(SPCR + changes[i].at, changes[i].value, changes[i].bytes);
        image_fix_checksum(SPCR, changes[i].at == 4 ? 79 : 80, SPCR + 9);
        expect(SERIAL_AUTO, 0, 0, 0, 0, "ttyS0 at 3F8H (by default), 115200 baud; none answers");
    }
}

TEST(under_uefi_the_bios_data_area_is_not_read)
{
    uefi = true;
    image_put(0x400, 0x2F8, 2);
    answering = 0x2F8;
    expect(SERIAL_AUTO, 0, 0, 0, 0, "ttyS0 at 3F8H (by default), 115200 baud; none answers");
    answering = 0x3F8;
    expect(SERIAL_AUTO, 0, 0, 0x3F8, 115200, "ttyS0 at 3F8H (by default), 115200 baud");
    expect(SERIAL_TTY, 0, 0, 0x3F8, 115200, "ttyS0 at 3F8H (boot line), 115200 baud");
    image_put(0x449, 3, 1); /* which would be colour text */
    image_put(0x463, 0x3D4, 2);
    assert_null(vga_open());
}

TEST(lines_of_the_boot_line)
{
    answering = 0x2E8;
    expect(SERIAL_TTY, 3, 0, 0x2E8, 115200, "ttyS3 at 2E8H (boot line), 115200 baud");
    expect(SERIAL_PORT, 0x2E8, 9600, 0x2E8, 9600, "ttyS3 at 2E8H (boot line), 9600 baud");
    image_put(0x406, 0xD008, 2);
    answering = 0xD008;
    expect(SERIAL_TTY, 3, 0, 0xD008, 115200, "UART at D008H (boot line, BIOS data area), 115200 baud");
    expect(SERIAL_NONE, 0, 0, 0, 0, "none (boot line)");
    expect(SERIAL_PORT, 0x1, 0, 0, 0, "UART at 001H (boot line), 115200 baud; none answers");
}

/* ---- Cards of console=pci (kernel/pci_serial) ---- */

/* A card behind a bridge, as the second function of its device, with a memory BAR before the I/O BAR. Its I/O
 * decoding gets switched on. */
TEST(pci_card)
{
    struct function *card;

    put_function(PCI_BDF(3, 4, 0), 0x11111111, 0x07800000)->registers[3] = 0x00800000;
    card = put_function(PCI_BDF(3, 4, 2), 0x98359710, 0x07000201);
    card->registers[1] = 0x02900002;
    card->registers[4] = 0xFEB00000;
    card->registers[5] = 0xC001;
    answering = 0xC000;
    expect(SERIAL_PCI, 0, 0, 0xC000, 115200, "UART at C000H (PCI 03:04.2, 9710:9835), 115200 baud");
    assert_int_equal(card->registers[1] & 0xFFFF, 3);
    answering = 0x3F8;
    expect(SERIAL_PCI, 0, 9600, 0x3F8, 9600,
           "ttyS0 at 3F8H (the PCI serial card is silent; by default), 9600 baud");
    card = put_function(PCI_BDF(3, 5, 0), 0x84031415, 0x07000200);
    card->registers[4] = 0xC101;
    answering = 0xC100;
    expect(SERIAL_PCI, 0, 0, 0xC100, 115200, "UART at C100H (PCI 03:05.0, 1415:8403), 115200 baud");
    assert_string_equal(serial_cards(), "1 03:04.2 9710:9835, 2 03:05.0 1415:8403");
}

/* A card whose registers are in memory within reach; not the upper half of an address of 64 bits, which looks
 * like a port. */
TEST(pci_card_in_memory)
{
    struct function *card = put_function(PCI_BDF(3, 4, 0), 0xC11B1415, 0x07000200);

    card->registers[4] = 0xFEB00004;
    answering = 0xFEB00000;
    expect(SERIAL_PCI, 0, 0, answering, 0, "UART at FEB00000H (PCI 03:04.0, 1415:c11b), baud rate as found");
    assert_int_equal(card->registers[1] & 0xFFFF, 2);
    card->registers[5] = 0x61;
    answering = 0x3F8;
    expect(SERIAL_PCI, 0, 0, 0x3F8, 115200, "ttyS0 at 3F8H (no PCI serial card; by default), 115200 baud");
}

/* The first may be serial over LAN, which answers and goes nowhere. */
TEST(pci_card_by_number)
{
    put_function(PCI_BDF(0, 3, 0), 0x29C78086, 0x07000200)->registers[4] = 0xC001;
    put_function(PCI_BDF(3, 5, 0), 0x84031415, 0x07000200)->registers[4] = 0xC101;
    answering = 0xC100;
    expect(SERIAL_PCI, 2, 0, 0xC100, 115200, "UART at C100H (PCI 03:05.0, 1415:8403), 115200 baud");
    assert_int_equal(probed, 1);
    assert_string_equal(serial_cards(), "1 00:03.0 8086:29c7, 2 03:05.0 1415:8403");
    answering = 0x3F8;
    expect(SERIAL_PCI, 3, 0, 0x3F8, 115200,
           "ttyS0 at 3F8H (no such PCI serial card; by default), 115200 baud");
    expect(SERIAL_AUTO, 0, 0, 0x3F8, 115200, "ttyS0 at 3F8H (by default), 115200 baud");
    assert_string_equal(serial_cards(), "");
    /* The last function of the last device of the last bus. */
    put_function(PCI_BDF(255, 31, 0), 0x11111111, 0x07800000)->registers[3] = 0x00800000;
    put_function(PCI_BDF(255, 31, 7), 0x98359710, 0x07000201)->registers[4] = 0xC001;
    answering = 0xC000;
    expect(SERIAL_PCI, 3, 0, 0xC000, 115200, "UART at C000H (PCI ff:1f.7, 9710:9835), 115200 baud");
}

TEST(not_a_pci_card)
{
    static const struct {
        unsigned reg;
        uint32_t value;
    } changes[] = {{2, 0x07000700}, {2, 0x07001000}, {2, 0x07010200}, {2, 0x06000200},
                   {4, 0xC000},     {4, 1},          {4, 0x1C001}};

    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        struct function *card;

        set_up();
        card = put_function(PCI_BDF(0, 31, 0), 0x98359710, 0x07000200);
        card->registers[4] = 0xC001;
        card->registers[changes[i].reg] = changes[i].value;
        answering = 0x3F8;
        image_put(0x400, 0x3F8, 2);
        expect(SERIAL_PCI, 0, 0, 0x3F8, 115200,
               "ttyS0 at 3F8H (no PCI serial card; BIOS data area), 115200 baud");
        assert_in_range(config_reads, 8192, 16384); /* every device was read, and the scan ended */
    }
}

TEST(no_pci)
{
    mechanism_1 = false;
    assert_false(pci_present());
    expect(SERIAL_PCI, 0, 0, 0x3F8, 115200, "ttyS0 at 3F8H (no PCI serial card; by default), 115200 baud");
    assert_int_equal(config_reads, 0);
    mechanism_1 = true;
    assert_true(pci_present());
    assert_int_equal(config_address, 0x12345678); /* restored */
}
