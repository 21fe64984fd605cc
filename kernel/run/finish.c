/* The end of the run: banner, verdict for an emulator, then halt, reset or power off. */
#include "run.h"
#include <stdarg.h>
#include "kernel/board/board.h"
#include "kernel/console/console.h"
#include "kernel/lib/lib.h"
#include "kernel/x86/cpu.h"
#include "kernel/log/outcome.h"
#include "kernel/log/log.h"
#include "kernel/smp/smp.h"
#include "kernel/watchdog/watchdog.h"

#define DEBUG_EXIT_PORT 0xF4

#define KBC_STATUS      0x64
#define KBC_COMMAND     0x64
#define KBC_DATA        0x60
#define KBC_OUTPUT_FULL 0x01u
#define KBC_INPUT_FULL  0x02u
#define KBC_MOUSE       0x20u
#define KEY_RELEASED    0x80u
#define KBC_PULSE_RESET 0xFE
#define RESET_POLLS     100000u /* a tenth of a second */

#define PAGE_SECONDS 10u
#define PAGE_POLL_US 10000u

#define RESET_CONTROL      0xCF9
#define RESET_HARD         0x02 /* selects a hard reset */
#define RESET_HARD_TRIGGER 0x06 /* and triggers it */

static enum exit_action action_when_broken = EXIT_HALT;

void finish_set_action(enum exit_action action)
{
    action_when_broken = action;
}

static enum screen_colour shown;

static void show(const char *word, const char *sentence, enum screen_colour colour)
{
    tap_screen_verdict(NAME, word, colour);
    screen_bottom(sentence, colour);
    shown = colour;
}

static void show_verdict(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_PASS:
        if (outcome_untested_points() > 0)
            show("PASS", "PASS: every check that ran passed; what was not tested is above", SCREEN_YELLOW);
        else
            show("PASS", "PASS: every check passed", SCREEN_GREEN);
        break;
    case VERDICT_FAIL:
        show("FAIL", "FAIL: not every check passed, see the log", SCREEN_RED);
        break;
    case VERDICT_BROKEN:
        show("BROKEN", "BROKEN: there is no verdict, for the reason above", SCREEN_RED);
        break;
    case VERDICT_SKIP:
        show("SKIPPED",
             tap_has_tested() ? "SKIPPED: too little was tested, for the reason above (strict)"
                              : "SKIPPED: the PMU was not tested, for the reason above",
             SCREEN_YELLOW);
        break;
    }
}

static void wait_for_reset(void)
{
    for (uint32_t polls = RESET_POLLS; polls > 0; polls--)
        in8(KBC_STATUS);
}

/*
 * Three ways, one after the other. The chip set's reset register resets the whole board; a chip set without
 * the register ignores the write. The keyboard controller's pulse is only an INIT of the processor on Intel's
 * chip sets, which leaves the PMU and the devices as they are. The last way is a triple fault: a trap with an
 * empty IDT.
 */
static void reset(void)
{
    static const struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed)) no_table = {0, 0};
    uint32_t polls = RESET_POLLS;

    out8(RESET_CONTROL, RESET_HARD);
    out8(RESET_CONTROL, RESET_HARD_TRIGGER);
    wait_for_reset();
    while ((in8(KBC_STATUS) & KBC_INPUT_FULL) != 0 && polls-- > 0)
        ;
    out8(KBC_COMMAND, KBC_PULSE_RESET);
    wait_for_reset(); /* the pulse takes a while to arrive */
    __asm__ volatile("lidt %0\n\t"
                     "int3"
                     :
                     : "m"(no_table));
}

static void tell_emulator(enum verdict verdict)
{
    if (in8(DEBUG_EXIT_PORT) == 0)
        out8(DEBUG_EXIT_PORT, (uint8_t)verdict);
}

static _Noreturn void halt(void)
{
    for (;;)
        __asm__ volatile("cli\n\t"
                         "hlt");
}

/* Without a keyboard controller the port reads FFH. */
static bool key_pressed(void)
{
    const uint8_t status = in8(KBC_STATUS);

    return status != 0xFF && (status & KBC_OUTPUT_FULL) && !(in8(KBC_DATA) & KEY_RELEASED) &&
           !(status & KBC_MOUSE);
}

static void wait_for_turn(void)
{
    const struct timeout end = timeout_in_us(PAGE_SECONDS * 1000000);

    while (!key_pressed() && !timeout_passed(&end))
        delay_us(PAGE_POLL_US);
}

/* The screen is all there is of the log: show it in pages, for photographs, until the board is switched off.
 */
static _Noreturn void turn_pages(enum verdict verdict)
{
    const char *const text = log_condense();
    unsigned pages = 0;

    for (const char *at = text; *at != '\0'; at += screen_page(at, false))
        pages++;
    for (;;) {
        unsigned page = 0;

        show_verdict(verdict);
        wait_for_turn();
        for (const char *at = text; *at != '\0';) {
            char bottom[80];

            at += screen_page(at, true);
            format(bottom, sizeof bottom, "page %u of %u of the log: a key turns it, or %u seconds", ++page,
                   pages, PAGE_SECONDS);
            screen_bottom(bottom, shown);
            wait_for_turn();
        }
    }
}

void finish(enum verdict verdict, enum exit_action action)
{
    irq_off();
    /* Halted, and not stopped unless it does not answer: a processor that waits for a start-up IPI takes no
     * SMI, and the BIOS may wait for it. */
    if (!smp_park())
        smp_stop_sibling();
    uart_drain();
    log_store_end();
    show_verdict(verdict);
    tell_emulator(verdict);
    watchdog_stop();
    if (action == EXIT_REBOOT)
        reset();
    if (action == EXIT_OFF)
        power_off();
    if (screen_shown() && !uart_present() && !log_store_is_open())
        turn_pages(verdict);
    halt();
}

void finish_by_trap(void)
{
    static const char LAST_WORDS[] = "Bail out! an exception while the run ended\n";
    static bool said;

    if (!said) {
        said = true;
        console_write(LAST_WORDS, sizeof LAST_WORDS - 1);
        uart_drain();
    }
    tell_emulator(VERDICT_BROKEN);
    halt();
}

void bail_out(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    tap_write_bail(fmt, args);
    va_end(args);
    finish(VERDICT_BROKEN, action_when_broken);
}

void bail_out_as(const char *id, const char *fmt, ...)
{
    va_list args;

    tap_not_ok(id);
    va_start(args, fmt);
    tap_write_bail(fmt, args);
    va_end(args);
    finish(VERDICT_BROKEN, action_when_broken);
}
