/*
 * kernel/firmware/acpi_s5.c over tables of this test's own, and kernel/board/poweroff.c over registers of its
 * own. Layouts typed from ACPI 2.0: FADT 5.2.8, PM1 control 4.7.3.2, AML 17.2.
 */
#include <string.h>
#include "tests/host/support/host_test.h"
#include "kernel/firmware/acpi.h"
#include "kernel/board/clock.h"
#include "kernel/x86/cpu.h"
#include "kernel/firmware/multiboot.h"
#include "kernel/board/poweroff.h"
#include "tests/host/support/physical.h"

#define RSDP 0xE0010u
#define RSDT 0xE1000u
#define FADT 0xE2000u
#define DSDT 0xE3000u
#define PM1A 0x404
#define PM1B 0x504
#define SMI  0xB2

const uint8_t *loader_rsdp(size_t *length)
{
    *length = 0;
    return NULL;
}

/* ---- The board's registers ---- */

static uint16_t pm1[2];     /* a, b */
static uint16_t written[8]; /* to them, in order */
static char which[9];
static unsigned writes;
static uint8_t command;        /* last byte to the SMI port */
static unsigned polls_to_mode; /* until SCI_EN shows */
static bool enters_mode;
static uint32_t waited_us;

static unsigned pm1_of(uint16_t port)
{
    assert_true(port == PM1A || port == PM1B);
    return port == PM1B;
}

uint16_t in16(uint16_t port)
{
    if (command != 0 && enters_mode && polls_to_mode-- == 0)
        pm1[0] |= 1;
    return pm1[pm1_of(port)];
}

void out16(uint16_t port, uint16_t value)
{
    assert_true(writes < COUNT_OF(written));
    which[writes] = pm1_of(port) ? 'b' : 'a';
    written[writes++] = value;
    pm1[pm1_of(port)] = value & ~0x2000; /* SLP_EN reads 0 */
}

void out8(uint16_t port, uint8_t value)
{
    assert_int_equal(port, SMI);
    command = value;
}

struct timeout timeout_in_us(uint32_t microseconds)
{
    return (struct timeout){microseconds};
}

bool timeout_passed(const struct timeout *timeout)
{
    return waited_us++ >= timeout->end_tsc;
}

void delay_us(uint32_t microseconds)
{
    waited_us += microseconds;
}

/* ---- Tables ---- */

static void seal_fadt(uint32_t length)
{
    put(FADT + 4, length, 4);
    seal(FADT, length, FADT + 9);
}

/* A DSDT of this AML, with a wrong checksum as many a BIOS leaves it. */
static void put_dsdt(const void *aml, uint32_t length)
{
    memset(memory + DSDT, 0, 0x200);
    memcpy(memory + DSDT, "DSDT", 4);
    put(DSDT + 4, 36 + length, 4);
    memcpy(memory + DSDT + 36, aml, length);
    memory[DSDT + 9] = 0x5A;
}

#define AML(...)                             \
    do {                                     \
        const uint8_t aml[] = {__VA_ARGS__}; \
        put_dsdt(aml, sizeof(aml));          \
    } while (0)
#define S5 0x08, '_', 'S', '5', '_'

static int set_up(void **state)
{
    (void)state;
    clear_memory();
    memset(which, 0, sizeof(which));
    pm1[0] = 0x0001;
    pm1[1] = 0;
    writes = 0;
    command = 0;
    enters_mode = true;
    polls_to_mode = 5;
    waited_us = 0;
    AML(0x10, 0x05, '_', 'S', 'B', '_', S5, 0x12, 0x06, 0x04, 0x0A, 0x07, 0x0A, 0x05, 0x00, 0x00);
    memcpy(memory + FADT, "FACP", 4);
    put(FADT + 40, DSDT, 4);
    put(FADT + 48, SMI, 4);
    put(FADT + 52, 0xA0, 1);
    put(FADT + 64, PM1A, 4);
    put(FADT + 68, PM1B, 4);
    seal_fadt(116);
    memcpy(memory + RSDT, "RSDT", 4);
    put(RSDT + 4, 40, 4);
    put(RSDT + 36, FADT, 4);
    seal(RSDT, 40, RSDT + 9);
    memcpy(memory + RSDP, "RSD PTR ", 8);
    put(RSDP + 16, RSDT, 4);
    seal(RSDP, 20, RSDP + 8);
    return 0;
}

static void expect_types(uint8_t a, uint8_t b)
{
    struct acpi_soft_off off;

    assert_true(acpi_find_soft_off(&off));
    assert_int_equal(off.type[0], a);
    assert_int_equal(off.type[1], b);
}

static void expect_none(void)
{
    struct acpi_soft_off off;

    assert_false(acpi_find_soft_off(&off));
}

TEST(what_the_tables_say)
{
    struct acpi_soft_off off;

    AML(S5, 0x12, 0x06, 0x04, 0x0A, 0x07, 0x0A, 0x05, 0x00, 0x00);
    assert_true(acpi_find_soft_off(&off));
    assert_int_equal(off.control[0], PM1A);
    assert_int_equal(off.control[1], PM1B);
    assert_int_equal(off.smi_command, SMI);
    assert_int_equal(off.enable, 0xA0);
    expect_types(7, 5);
}

/* As BIOSes of the time and QEMU write it. */
TEST(forms_of_the_package)
{
    AML(S5, 0x12, 0x06, 0x04, 0x00, 0x00, 0x00, 0x00);
    expect_types(0, 0);
    AML(0x08, '\\', '_', 'S', '5', '_', 0x12, 0x06, 0x04, 0x01, 0x01, 0x00, 0x00);
    expect_types(1, 1);
    AML(S5, 0x12, 0x08, 0x02, 0x0B, 0x06, 0x00, 0x0A, 0x02, 0x00);
    expect_types(6, 2);
    AML(S5, 0x12, 0x0A, 0x02, 0x0C, 0x03, 0, 0, 0, 0x0A, 0x04, 0x00);
    expect_types(3, 4);
    AML(S5, 0x12, 0x47, 0x00, 0x02, 0x0A, 0x07, 0x0A, 0x07); /* a length of two bytes */
    expect_types(7, 7);
    /* The first mention is a reference, not the declaration. */
    AML(0x70, '_', 'S', '5', '_', 0x60, S5, 0x12, 0x05, 0x02, 0x0A, 0x05, 0x01);
    expect_types(5, 1);
}

TEST(packages_that_are_none)
{
    AML(0x00);
    expect_none();
    AML('_', 'S', '5', '_', 0x12, 0x04, 0x02, 0x00, 0x00); /* no Name() */
    expect_none();
    AML(0x09, '_', 'S', '5', '_', 0x12, 0x04, 0x02, 0x00, 0x00);
    expect_none();
    AML(S5, 0x11, 0x04, 0x02, 0x00, 0x00); /* a buffer */
    expect_none();
    AML(S5, 0x12, 0x04, 0x01, 0x00, 0x00); /* one element */
    expect_none();
    AML(S5, 0x12, 0x04, 0x02, 0x0A, 0x05, 0x00); /* the second one lies outside */
    expect_none();
    AML(S5, 0x12, 0x3F, 0x02, 0x00, 0x00); /* beyond the table */
    expect_none();
    AML(S5, 0x12, 0xC4, 0xFF, 0xFF, 0xFF, 0x02, 0x00, 0x00);
    expect_none();
    AML(S5, 0x12, 0x00, 0x02, 0x00, 0x00);
    expect_none();
    AML(S5, 0x12, 0x05, 0x02, 0x0A, 0x08, 0x00); /* no SLP_TYP */
    expect_none();
    AML(S5, 0x12, 0x06, 0x02, 0x0B, 0x05, 0x01, 0x00);
    expect_none();
    AML(S5, 0x12, 0x04, 0x02, 0xFF, 0x00);
    expect_none();
    AML(S5, 0x12, 0x06, 0x02, 'A', 'B', 'C', 'D');
    expect_none();
}

/* Every length of the table up to the second element: nothing is read behind it. */
TEST(every_truncation)
{
    static const uint8_t aml[] = {S5, 0x12, 0x06, 0x02, 0x0A, 0x07, 0x0A, 0x05, 0x00};

    for (uint32_t length = 0; length < sizeof(aml); length++) {
        put_dsdt(aml, sizeof(aml));
        put(DSDT + 4, 36 + length, 4);
        if (length < 11) /* the package itself ends behind its eleventh byte */
            expect_none();
    }
    put_dsdt(aml, sizeof(aml));
    expect_types(7, 5);
}

TEST(bad_tables)
{
    static const struct {
        uint32_t at, value;
        unsigned bytes;
    } changes[] = {
        {FADT + 40, 0, 4},         {FADT + 40, 0xFFFFFFF0, 4}, {FADT + 40, FADT, 4}, {FADT + 64, 0, 4},
        {FADT + 64, 0xFFFF, 4},    {FADT + 64, 0x10404, 4},    {FADT + 3, 'X', 1},   {DSDT + 4, 35, 4},
        {DSDT + 4, 0xFFFFFFFF, 4}, {DSDT + 4, 0x100001, 4},    {DSDT, 'X', 1},
    };

    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        set_up(state);
        put(changes[i].at, changes[i].value, changes[i].bytes);
        seal_fadt(116);
        expect_none();
    }
    set_up(state);
    seal_fadt(89);
    expect_none();
    set_up(state);
    memory[FADT + 9]++;
    expect_none();
}

/* 64-bit pointer to the DSDT, when the other one is 0 and the table is long enough to have it. */
TEST(dsdt_by_the_long_pointer)
{
    put(FADT + 40, 0, 4);
    put(FADT + 140, DSDT, 4);
    seal_fadt(147);
    expect_none();
    seal_fadt(148);
    expect_types(7, 5);
    put(FADT + 144, 1, 4);
    seal_fadt(148);
    expect_none();
}

TEST(the_sequence)
{
    const uint16_t a = 7 << 10 | 1, b = 5 << 10;

    pm1[0] = 0x1401; /* SCI_EN, and other types from before */
    pm1[1] = 0x0800;
    assert_non_null(strstr(poweroff(), "still on"));
    assert_string_equal(which, "abab");
    assert_int_equal(written[0], a);
    assert_int_equal(written[1], b);
    assert_int_equal(written[2], a | 0x2000);
    assert_int_equal(written[3], b | 0x2000);
    assert_int_equal(command, 0); /* it was in ACPI mode */
    assert_int_equal(waited_us, 1000000);
}

TEST(one_register)
{
    put(FADT + 68, 0, 4);
    seal_fadt(116);
    poweroff();
    assert_string_equal(which, "aa");
}

TEST(acpi_mode_first)
{
    pm1[0] = 0;
    poweroff();
    assert_int_equal(command, 0xA0);
    assert_int_equal(written[0], 7 << 10 | 1); /* it waited for the mode */
    assert_string_equal(which, "abab");
}

/* Bounded, and tried all the same. */
TEST(acpi_mode_that_never_comes)
{
    pm1[0] = 0;
    enters_mode = false;
    assert_non_null(poweroff());
    assert_string_equal(which, "abab");
    assert_in_range(waited_us, 1000000, 4000000);
}

TEST(no_tables)
{
    clear_memory();
    assert_non_null(strstr(poweroff(), "tables"));
    assert_int_equal(writes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_the_tables_say, set_up),
        cmocka_unit_test_setup(forms_of_the_package, set_up),
        cmocka_unit_test_setup(packages_that_are_none, set_up),
        cmocka_unit_test_setup(every_truncation, set_up),
        cmocka_unit_test_setup(bad_tables, set_up),
        cmocka_unit_test_setup(dsdt_by_the_long_pointer, set_up),
        cmocka_unit_test_setup(the_sequence, set_up),
        cmocka_unit_test_setup(one_register, set_up),
        cmocka_unit_test_setup(acpi_mode_first, set_up),
        cmocka_unit_test_setup(acpi_mode_that_never_comes, set_up),
        cmocka_unit_test_setup(no_tables, set_up),
    };
    return cmocka_run_group_tests_name("poweroff", tests, NULL, NULL);
}
