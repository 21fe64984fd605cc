#include "sleeper.h"

#include <stdbool.h>
#include "expect.h"
#include "kernel/board/board.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmi_counter.h"

#define GOES_TO_HLT_US 20 /* from the sibling's last word to its HLT */
#define ANSWER_US      10000

static struct {
    volatile bool open, opened, stop;
} sleeper;

static void sleep(void *unused)
{
    (void)unused;
    while (irq_off(), !sleeper.stop) {
        if (sleeper.open) {
            sleeper.open = false;
            pmi_unmask();
            sleeper.opened = true;
        }
        cpu_halt_until_interrupt();
    }
    irq_on();
    pmi_mask();
}

/* The sibling has no timer that could end a halt which a PMI did not end. */
static void wake(void)
{
    lapic_send_fixed(smp_topology()->bsp_apic_id ^ 1u, INTERRUPT_WAKE);
}

void sleeper_begin(void)
{
    sleeper.stop = sleeper.open = false;
    require_true(HARNESS, smp_start(sleep, 0), "the sibling takes work");
}

void sleeper_open(void)
{
    struct timeout patience = timeout_in_us(ANSWER_US);

    sleeper.opened = false;
    sleeper.open = true;
    wake();
    while (!sleeper.opened && !timeout_passed(&patience))
        cpu_relax();
    require_true(HARNESS, sleeper.opened, "the halted sibling answers an interprocessor interrupt");
    delay_us(GOES_TO_HLT_US);
}

void sleeper_end(void)
{
    sleeper.stop = true;
    wake();
    require_true(HARNESS, smp_wait(ANSWER_US) && smp_park(), "the sibling's work returns");
}
