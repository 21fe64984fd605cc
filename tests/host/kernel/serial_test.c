/* kernel/console/serial.c: which port is the console, by the boot line, the BIOS data area or the SPCR. */
#include "kernel/console/vga.h"
#include "serial_board.h"

TEST(bios_data_area_first)
{
    image_put(0x400, 0x2F8, 2);
    put_spcr(0x3E8, 3);
    answering = 0x2F8;
    expect(AUTO, 0x2F8, 115200, "ttyS1 at 2F8H (BIOS data area), 115200 baud");
    assert_int_equal(probed, 1);
    assert_int_equal(config_reads, 0);
    expect((struct serial_request){SERIAL_AUTO, 0, 9600}, 0x2F8, 9600,
           "ttyS1 at 2F8H (BIOS data area), 9600 baud");
}

TEST(insane_entries_are_passed_over)
{
    static const uint16_t entries[] = {0, 0x60, 0xF8, 0x3F9, 0x3FC, 0xFFFF};

    for (size_t i = 0; i < COUNT_OF(entries); i++) {
        set_up();
        image_put(0x400, entries[i], 2);
        answering = entries[i] != 0 ? entries[i] : 1;
        expect(AUTO, 0, 0, "ttyS0 at 3F8H (by default), 115200 baud; none answers");
    }
}

TEST(spcr_is_second)
{
    image_put(0x400, 0x3F8, 2); /* listed, but nothing answers there */
    put_spcr(0xE000, 4);
    answering = 0xE000;
    expect(AUTO, 0xE000, 19200, "UART at E000H (ACPI SPCR), 19200 baud");
    expect((struct serial_request){SERIAL_AUTO, 0, 57600}, 0xE000, 57600,
           "UART at E000H (ACPI SPCR), 57600 baud");
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
        serial_open(&AUTO);
        assert_int_equal(opened, 0x2F8);
        assert_int_equal(opened_baud, rows[i].baud);
    }
}

/* Unusable: another interface, memory space, no port, a port above I/O space, a table that is too short. */
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
        expect(AUTO, 0, 0, "ttyS0 at 3F8H (by default), 115200 baud; none answers");
    }
}

TEST(under_uefi_the_bios_data_area_is_not_read)
{
    uefi = true;
    image_put(0x400, 0x2F8, 2);
    answering = 0x2F8;
    expect(AUTO, 0, 0, "ttyS0 at 3F8H (by default), 115200 baud; none answers");
    answering = 0x3F8;
    expect(AUTO, 0x3F8, 115200, "ttyS0 at 3F8H (by default), 115200 baud");
    expect((struct serial_request){SERIAL_TTY, 0, 0}, 0x3F8, 115200,
           "ttyS0 at 3F8H (boot line), 115200 baud");
    image_put(0x449, 3, 1); /* which would be colour text */
    image_put(0x463, 0x3D4, 2);
    assert_null(vga_open());
}

TEST(lines_of_the_boot_line)
{
    answering = 0x2E8;
    expect((struct serial_request){SERIAL_TTY, 3, 0}, 0x2E8, 115200,
           "ttyS3 at 2E8H (boot line), 115200 baud");
    expect((struct serial_request){SERIAL_PORT, 0x2E8, 9600}, 0x2E8, 9600,
           "ttyS3 at 2E8H (boot line), 9600 baud");
    image_put(0x406, 0xD008, 2);
    answering = 0xD008;
    expect((struct serial_request){SERIAL_TTY, 3, 0}, 0xD008, 115200,
           "UART at D008H (boot line, BIOS data area), 115200 baud");
    expect((struct serial_request){SERIAL_NONE, 0, 0}, 0, 0, "none (boot line)");
    expect((struct serial_request){SERIAL_PORT, 0x1, 0}, 0, 0,
           "UART at 001H (boot line), 115200 baud; none answers");
}
