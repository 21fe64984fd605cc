/* HLT until the local APIC's timer, or another interrupt, ends it. */
#include "halt.h"

#include "setting.h"
#include "kernel/board/board.h"
#include "kernel/run/run.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"

#define DEADLINE_US       1000000
#define INTERRUPT_GIVE_UP 0xD8 /* of a higher class than INTERRUPT_PMI, which may be in service for good */

static const volatile bool *wanted;
static volatile bool gave_up, was_set;

void halt_for_us(uint32_t microseconds)
{
    setting_use(SETTING_HALT);
    irq_off();
    timer_interrupt_in_us(microseconds, INTERRUPT_WAKE);
    cpu_halt_until_interrupt();
    timer_interrupt_in_us(DEADLINE_US, INTERRUPT_TIMER);
}

static void give_up(struct trap_frame *frame)
{
    (void)frame;
    was_set = *wanted;
    gave_up = true;
    lapic_eoi();
}

bool halt_until(const volatile bool *flag, uint32_t microseconds)
{
    wanted = flag;
    gave_up = was_set = false;
    trap_set_handler(INTERRUPT_GIVE_UP, give_up);
    irq_off();
    timer_interrupt_in_us(microseconds, INTERRUPT_GIVE_UP);
    while (!*flag && !gave_up) {
        cpu_halt_until_interrupt();
        irq_off();
    }
    timer_interrupt_in_us(DEADLINE_US, INTERRUPT_TIMER);
    irq_on();
    trap_set_handler(INTERRUPT_GIVE_UP, NULL);
    return !gave_up || was_set;
}
