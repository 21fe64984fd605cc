/* kernel/run/options.c: the boot word console=. */
#include "boot_line.h"

TEST(consoles)
{
    static const struct {
        const char *line;
        struct serial_request request;
    } rows[] = {
        {"console=ttyS0", {SERIAL_TTY, 0, 0}},
        {"console=ttyS1", {SERIAL_TTY, 1, 0}},
        {"console=ttyS3", {SERIAL_TTY, 3, 0}},
        {"console=ttyS1,9600", {SERIAL_TTY, 1, 9600}},
        {"console=ttyS0,57600n8", {SERIAL_TTY, 0, 57600}},
        {"console=0xD010", {SERIAL_PORT, 0xD010, 0}},
        {"console=0xd010,38400", {SERIAL_PORT, 0xD010, 38400}},
        {"console=0x3e8,19200n8", {SERIAL_PORT, 0x3E8, 19200}},
        {"console=0xFFF8", {SERIAL_PORT, 0xFFF8, 0}},
        {"console=0x100", {SERIAL_PORT, 0x100, 0}},
        {"console=ttyS0,2", {SERIAL_TTY, 0, 2}},
        {"console=pci", {SERIAL_PCI, 0, 0}},
        {"console=pci,115200n8", {SERIAL_PCI, 0, 115200}},
        {"console=auto", {SERIAL_AUTO, 0, 0}},
        {"console=auto,9600", {SERIAL_AUTO, 0, 9600}},
        {"console=none", {SERIAL_NONE, 0, 0}},
        {"console=none console=ttyS3", {SERIAL_TTY, 3, 0}},
        {"console=ttyS3,9600 console=none", {SERIAL_NONE, 0, 0}},
        {"console=ttyS3,9600 console=pci", {SERIAL_PCI, 0, 0}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        accept(rows[i].line);
        if (options.console.kind != rows[i].request.kind ||
            options.console.number != rows[i].request.number || options.console.baud != rows[i].request.baud)
            fail_msg("%s: kind %d, number %XH, baud %u", rows[i].line, options.console.kind,
                     options.console.number, options.console.baud);
    }
}

/* A wrong word leaves the console of the words before it, on which its message is printed. */
TEST(console_before_a_wrong_word)
{
    assert_false(parse("console=ttyS1,9600 bogus"));
    assert_int_equal(options.console.kind, SERIAL_TTY);
    assert_int_equal(options.console.number, 1);
    assert_int_equal(options.console.baud, 9600);
    assert_false(parse("console=ttyS1 console=pci,1"));
    assert_int_equal(options.console.kind, SERIAL_TTY);
    assert_false(parse("console=0x2F8x"));
    assert_int_equal(options.console.kind, SERIAL_AUTO);
}

TEST(wrong_consoles)
{
    static const char *const words[] = {
        "console=",
        "console=ttyS",
        "console=ttyS4",
        "console=ttyS00",
        "console=tty0",
        "console=ttyS0,",
        "console=ttyS0,0",
        "console=ttyS0,1",
        "console=ttyS0,7",
        "console=ttyS0,9601",
        "console=ttyS0,230400",
        "console=ttyS0,9600n",
        "console=ttyS0,n8",
        "console=ttyS0,-9600",
        "console=ttyS0,9600n81",
        "console=0x",
        "console=0x0",
        "console=0xFFF9",
        "console=0x1",
        "console=0xF8",  /* below 100H every board has devices of its own */
        "console=0x3FC", /* the middle of a UART */
        "console=0x10000",
        "console=0x3F8x",
        "console=3F8",
        "console=none,9600",
        "console=pci,",
        "console=pcix",
        "console=autopci",
        "console=pci0",
        "console=NONE",
        "console=ttyS0,115200,",
        "console=ttyS0,4294976896", /* 2^32 + 9600 */
        "console=ttyS0,99999999999999999999999999",
    };

    for (size_t i = 0; i < COUNT_OF(words); i++)
        refuse(words[i], words[i],
               "console=auto|ttyS0..ttyS3|0xPORT|pci[,BAUD[n8]]|none; BAUD divides 115200");
}
