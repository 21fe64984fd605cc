/*
 * A board for kernel/console/serial.c: a BIOS data area, an SPCR, PCI functions, and one port at which a UART
 * answers. It stands in for the functions of the kernel that access ports, UARTs and the multiboot
 * information.
 */
#ifndef TESTS_HOST_KERNEL_SERIAL_BOARD_H
#define TESTS_HOST_KERNEL_SERIAL_BOARD_H

#include <string.h>
#include "kernel/board/pci.h"
#include "kernel/console/serial.h"
#include "kernel/console/uart.h"
#include "kernel/firmware/multiboot.h"
#include "kernel/x86/cpu.h"
#include "tests/host/support/host_test.h"
#include "tests/host/support/physical.h"

#define RSDP 0xE0010u
#define RSDT 0xE1000u
#define SPCR 0xE2000u

static bool uefi;

const uint8_t *multiboot_rsdp(size_t *length)
{
    *length = 0;
    return NULL;
}

STUB(bool, multiboot_under_uefi, (void), uefi);

/* ---- UARTs ---- */

static uint16_t answering; /* the one port where a UART is */
static uint16_t opened;    /* what was opened, 0: nothing */
static uint32_t opened_baud;
static unsigned probed;

bool uart_init(uint16_t port, uint32_t baud)
{
    probed++;
    opened = port != 0 && port == answering ? port : 0;
    opened_baud = baud;
    return opened != 0;
}

/* ---- PCI: mechanism 1 with a few functions ---- */

struct function {
    uint32_t bdf;
    uint32_t registers[16];
};

static struct function functions[4];
static unsigned function_count;
static bool mechanism_1;
static uint32_t config_address;
static unsigned config_reads;

static inline uint32_t *config_register(void)
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

static inline struct function *put_function(uint32_t bdf, uint32_t id, uint32_t class)
{
    struct function *f = &functions[function_count++];

    memset(f, 0, sizeof *f);
    f->bdf = bdf;
    f->registers[0] = id;
    f->registers[2] = class;
    return f;
}

/* ---- Tables ---- */

static inline void put_spcr(uint16_t port, uint8_t baud)
{
    memcpy(image_memory + SPCR, "SPCR", 4);
    image_put(SPCR + 4, 80, 4);
    image_put(SPCR + 40, 1, 1);
    image_put(SPCR + 44, port, 4);
    image_put(SPCR + 58, baud, 1);
    image_fix_checksum(SPCR, 80, SPCR + 9);
    memcpy(image_memory + RSDT, "RSDT", 4);
    image_put(RSDT + 4, 40, 4);
    image_put(RSDT + 36, SPCR, 4);
    image_fix_checksum(RSDT, 40, RSDT + 9);
    memcpy(image_memory + RSDP, "RSD PTR ", 8);
    image_put(RSDP + 16, RSDT, 4);
    image_fix_checksum(RSDP, 20, RSDP + 8);
}

BEFORE_EACH(set_up)
{
    image_clear();
    uefi = false;
    answering = 0x3F8;
    probed = 0;
    function_count = 0;
    mechanism_1 = true;
    config_address = 0x12345678;
    config_reads = 0;
}

static inline void expect(struct serial_request request, uint16_t port, uint32_t baud,
                          const char *description)
{
    serial_open(&request);
    if (opened != port || (port != 0 && opened_baud != baud) ||
        strcmp(serial_description(), description) != 0)
        fail_msg("opened %XH at %u: %s", opened, opened_baud, serial_description());
}

#define AUTO ((struct serial_request){SERIAL_AUTO, 0, 0})

#endif
