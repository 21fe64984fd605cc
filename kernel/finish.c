/* The end of the run: banner, verdict for an emulator, then halt or reset. */
#include "finish.h"
#include "console.h"
#include "cpu.h"
#include "screen.h"
#include "smp.h"
#include "tap.h"

#define DEBUG_EXIT_PORT 0xF4

#define KBC_STATUS      0x64
#define KBC_COMMAND     0x64
#define KBC_INPUT_FULL  0x02u
#define KBC_PULSE_RESET 0xFE
#define KBC_POLLS       100000u

#define RESET_CONTROL      0xCF9
#define RESET_HARD         0x02 /* what kind */
#define RESET_HARD_TRIGGER 0x06 /* and now */

static enum exit_action action_when_broken = EXIT_HALT;

void finish_set_action(enum exit_action action)
{
    action_when_broken = action;
}

enum exit_action finish_action(void)
{
    return action_when_broken;
}

static void show(const char *word, const char *sentence, enum screen_colour colour)
{
    tap_screen_verdict(word, colour);
    screen_bottom(sentence, colour);
}

static void show_verdict(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_PASS:
        show("PASS", "PASS: every check passed", SCREEN_GREEN);
        break;
    case VERDICT_FAIL:
        show("FAIL", "FAIL: a check failed, see the log", SCREEN_RED);
        break;
    case VERDICT_BROKEN:
        show("BROKEN", "BROKEN: the run did not come to its end, see the log", SCREEN_RED);
        break;
    case VERDICT_SKIP:
        show("SKIPPED", "SKIPPED: nothing was tested, for the reason above", SCREEN_YELLOW);
        break;
    }
}

/* Keyboard controller, then the chip set's reset register, then a trap without a table to go by. */
static void reset(void)
{
    static const struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed)) no_table = {0, 0};
    uint32_t polls = KBC_POLLS;

    while ((in8(KBC_STATUS) & KBC_INPUT_FULL) != 0 && polls-- > 0)
        ;
    out8(KBC_COMMAND, KBC_PULSE_RESET);
    for (polls = KBC_POLLS; polls > 0; polls--)
        in8(KBC_STATUS); /* the pulse takes a while to arrive */
    out8(RESET_CONTROL, RESET_HARD);
    out8(RESET_CONTROL, RESET_HARD_TRIGGER);
    __asm__ volatile("lidt %0\n\t"
                     "int3"
                     :
                     : "m"(no_table));
}

void finish(enum verdict verdict, enum exit_action action)
{
    irq_off();
    smp_stop_sibling();
    show_verdict(verdict);
    console_drain();
    if (in8(DEBUG_EXIT_PORT) == 0)
        out8(DEBUG_EXIT_PORT, (uint8_t)verdict);
    if (action == EXIT_REBOOT)
        reset();
    for (;;)
        __asm__ volatile("cli\n\t"
                         "hlt");
}
