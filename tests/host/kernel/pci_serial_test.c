/* kernel/console/serial.c with kernel/pci_serial: which PCI card is the console of `console=pci`. */
#include "serial_board.h"

/* A card behind a bridge, as the second function of its device, with a memory BAR before the I/O BAR. Its I/O
 * decoding gets switched on. */
TEST(pci_card)
{
    struct function *card;

    put_function(0, 0x25788086, 0x06000000);
    put_function(PCI_BDF(3, 4, 0), 0x11111111, 0x07800000)->registers[3] = 0x00800000;
    card = put_function(PCI_BDF(3, 4, 2), 0x98359710, 0x07000201);
    card->registers[1] = 0x02900002;
    card->registers[4] = 0xFEB00000;
    card->registers[5] = 0xC001;
    answering = 0xC000;
    expect((struct serial_request){SERIAL_PCI, 0, 0}, 0xC000, 115200,
           "UART at C000H (PCI 03:04.2, 9710:9835), 115200 baud");
    assert_int_equal(card->registers[1] & 0xFFFF, 3);
    answering = 0x3F8;
    expect((struct serial_request){SERIAL_PCI, 0, 9600}, 0x3F8, 9600,
           "ttyS0 at 3F8H (the PCI serial card is silent; by default), 9600 baud");
    card = put_function(PCI_BDF(3, 5, 0), 0x84031415, 0x07000200);
    card->registers[4] = 0xC101;
    answering = 0xC100;
    expect((struct serial_request){SERIAL_PCI, 0, 0}, 0xC100, 115200,
           "UART at C100H (PCI 03:05.0, 1415:8403), 115200 baud");
}

/* The last function of the last device of the last bus. */
TEST(pci_card_at_the_end)
{
    put_function(0, 0x25788086, 0x06000000);
    put_function(PCI_BDF(255, 31, 0), 0x11111111, 0x07800000)->registers[3] = 0x00800000;
    put_function(PCI_BDF(255, 31, 7), 0x98359710, 0x07000201)->registers[4] = 0xC001;
    answering = 0xC000;
    expect((struct serial_request){SERIAL_PCI, 0, 0}, 0xC000, 115200,
           "UART at C000H (PCI ff:1f.7, 9710:9835), 115200 baud");
}

TEST(not_a_pci_card)
{
    static const struct {
        unsigned reg;
        uint32_t value;
    } changes[] = {{2, 0x07000700}, {2, 0x07010200}, {2, 0x06000200}, {4, 0xC000}, {4, 1}, {4, 0x1C001}};

    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        struct function *card;

        set_up();
        put_function(0, 0x25788086, 0x06000000);
        card = put_function(PCI_BDF(0, 31, 0), 0x98359710, 0x07000200);
        card->registers[4] = 0xC001;
        card->registers[changes[i].reg] = changes[i].value;
        answering = 0x3F8;
        image_put(0x400, 0x3F8, 2);
        expect((struct serial_request){SERIAL_PCI, 0, 0}, 0x3F8, 115200,
               "ttyS0 at 3F8H (no PCI serial card; BIOS data area), 115200 baud");
        assert_in_range(config_reads, 8192, 16384); /* every device was read, and the scan ended */
    }
}

TEST(no_pci)
{
    mechanism_1 = false;
    assert_false(pci_present());
    expect((struct serial_request){SERIAL_PCI, 0, 0}, 0x3F8, 115200,
           "ttyS0 at 3F8H (no PCI serial card; by default), 115200 baud");
    assert_int_equal(config_reads, 0);
    mechanism_1 = true;
    assert_true(pci_present());
    assert_int_equal(config_address, 0x12345678); /* restored */
}
