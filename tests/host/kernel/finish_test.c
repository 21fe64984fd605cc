/*
 * kernel/run/finish.c and panic.c: what the end of a run does, in which order, and that it comes to an end
 * even if it takes exceptions itself. The sibling, the watchdog and the ports are replaced; an end is a jump
 * back to the test.
 */
#include "kernel/board/board.h"
#include "kernel/log/log.h"
#include "kernel/run/run.h"
#include "kernel/smp/smp.h"
#include "kernel/watchdog/watchdog.h"
#include "kernel/x86/cpu.h"
#include "tests/host/support/kept_log.h"

#define EXIT_PORT  0xF4u
#define RESET      0xCF9u
#define KBC_DATA   0x60u
#define KBC_STATUS 0x64u

static jmp_buf ended;
static char course[64]; /* a letter for each step */
static unsigned steps;
static bool emulated;
static uint8_t exit_value, reset_value;
static bool store_faults, goes_on; /* after the watchdog was stopped */
static bool parks;                 /* the sibling answers */
static bool pages;                 /* the log is on the screen alone */
static uint8_t kbc_status, kbc_data;

/* How a run ended, or what it does that has no end. */
enum ending { ENDED = 1, PAGE_TURNED, STILL_WAITING };

static void step(char letter)
{
    assert_in_range(steps, 0, sizeof course - 2);
    course[steps++] = letter;
    course[steps] = '\0';
}

STUB(bool, irq_off, (void), step('i'), true);
STUB(bool, smp_park, (void), step('p'), parks);
STUB(void, smp_stop_sibling, (void), step('s'));
STUB(unsigned, smp_self, (void), 0);
STUB(struct timeout, timeout_in_us, (uint32_t microseconds), (struct timeout){0});
STUB(bool, timeout_passed, (const struct timeout *timeout), !pages);
STUB(void, delay_us, (uint32_t microseconds), pages ? longjmp(ended, STILL_WAITING) : (void)0);
STUB(void, uart_drain, (void), step('d'));
STUB(bool, uart_present, (void), !pages);
STUB(void, power_off, (void), step('o'), longjmp(ended, 1));
STUB(bool, uart_timed_out, (void), false);

void watchdog_stop(void)
{
    step('w');
    if (!goes_on)
        longjmp(ended, 1);
}

uint8_t in8(uint16_t port)
{
    if (port == KBC_STATUS && pages_drawn > 0)
        longjmp(ended, PAGE_TURNED);
    if (port == KBC_STATUS || port == KBC_DATA)
        return port == KBC_STATUS ? kbc_status : kbc_data;
    return port == EXIT_PORT && !emulated ? 0xFF : 0;
}

void out8(uint16_t port, uint8_t value)
{
    if (port == EXIT_PORT) {
        exit_value = value;
        longjmp(ended, 1);
    }
    assert_int_equal(port, RESET);
    if (value & 4) {
        assert_int_equal(reset_value, value & ~4);
        step('r');
        longjmp(ended, 1);
    }
    reset_value = value;
}

STUB(unsigned, machine_check_banks, (void), 0);
STUB(bool, machine_check_read, (unsigned bank, uint64_t *status, uint64_t *address), false);
STUB(const char *, trap_name, (uint32_t interrupt), "a fault");

static void fault(void)
{
    static const struct trap_frame frame = {.interrupt = INTERRUPT_GP, .eip = 0x101234};

    panic(&frame, 0);
}

static void store(void)
{
    step('l');
    if (store_faults)
        fault();
}

STUB(static bool, is_open, (void), !pages);

BEFORE_EACH(set_up)
{
    static const struct log_store log_store = {
        .begin = store, .save = store, .end = store, .is_open = is_open};

    forget_log();
    steps = 0;
    emulated = true;
    goes_on = false;
    parks = true;
    pages = false;
    pages_drawn = 0;
    exit_value = 0;
    log_set_store(&log_store);
}

static void expect_course(enum verdict verdict, enum exit_action action, const char *due, uint8_t value)
{
    if (setjmp(ended) == 0)
        finish(verdict, action);
    assert_string_equal(course, due);
    assert_int_equal(exit_value, value);
}

static enum ending ending_of_pass(void)
{
    switch (setjmp(ended)) {
    case 0:
        finish(VERDICT_PASS, EXIT_HALT);
    case PAGE_TURNED:
        return PAGE_TURNED;
    case STILL_WAITING:
        return STILL_WAITING;
    default:
        return ENDED;
    }
}

/* The sibling stops its work first, since what it does could still change. From then on it is halted and can
 * take an SMI: a BIOS may wait in SMM for every processor, and one that waits for a start-up IPI takes none.
 * The line is empty before the BIOS writes the log, which may take long. A sibling that does not answer is
 * stopped after that. */
TEST(the_order_of_the_end)
{
    expect_course(VERDICT_PASS, EXIT_HALT, "ipdl", 0x10);
    set_up();
    parks = false;
    expect_course(VERDICT_PASS, EXIT_HALT, "ipsdl", 0x10);
}

/* A hard reset is selected before it is triggered. */
TEST(on_a_board_the_watchdog_is_stopped_and_then_it_is_reset_or_switched_off)
{
    emulated = false;
    expect_course(VERDICT_FAIL, EXIT_HALT, "ipdlw", 0);
    set_up();
    emulated = false;
    goes_on = true;
    expect_course(VERDICT_FAIL, EXIT_REBOOT, "ipdlwr", 0);
    set_up();
    emulated = false;
    goes_on = true;
    expect_course(VERDICT_FAIL, EXIT_OFF, "ipdlwo", 0);
}

TEST(a_trap_is_reported)
{
    if (setjmp(ended) == 0)
        fault();
    assert_true(log_has("not ok 1 - kernel.trap"));
    assert_true(log_has("Bail out! a fault at 00101234H outside any vector"));
    assert_int_equal(exit_value, 0x12);
}

/* Bits 0 and 5 of the status of a keyboard controller (8042): there is a byte, and it is the mouse's. Bit 7
 * of a byte of a keyboard: the key is released. */
TEST(a_key_turns_the_page_and_no_other_byte_does)
{
    static const struct {
        uint8_t status, data;
        enum ending due;
    } ROWS[] = {
        {0x00, 0x1E, STILL_WAITING}, {0x01, 0x1E, PAGE_TURNED},
        {0x1D, 0x1E, PAGE_TURNED},   {0x01, 0x9E, STILL_WAITING},
        {0x21, 0x1E, STILL_WAITING}, {0xFF, 0x1E, STILL_WAITING}}; /* no controller: bit 5 is set, too */

    for (unsigned i = 0; i < COUNT_OF(ROWS); i++) {
        set_up();
        log_begin();
        log_line("a line");
        pages = goes_on = true;
        emulated = false;
        kbc_status = ROWS[i].status;
        kbc_data = ROWS[i].data;
        assert_int_equal(ending_of_pass(), ROWS[i].due);
    }
}

/* The exceptions here are the second one of this program and later ones. */
TEST(an_end_that_faults_ends)
{
    store_faults = true;
    if (setjmp(ended) == 0)
        finish(VERDICT_PASS, EXIT_HALT);
    assert_in_range(steps, 1, 12);
    assert_true(log_has("Bail out! an exception while the run ended\n"));
    assert_int_equal(exit_value, 0x12);
}
