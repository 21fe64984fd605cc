#include "sibling.h"

#include <stdbool.h>
#include "expect.h"
#include "frame.h"
#include "kernel/board/board.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmi_counter.h"

#define FIRST_LAPS 2
#define LAPS_US    10000 /* for a few laps of less than a microsecond each */
#define END_US     100000

static struct spin spin;

/* ---- Work while this processor halts ---- */

#define HEAD_START_US 20 /* in which this processor halts */

static void (*alone)(void);
static volatile bool alone_done;

static void work_alone(void *unused)
{
    (void)unused;
    delay_us(HEAD_START_US);
    alone();
    alone_done = true;
    lapic_send_fixed(smp_topology()->bsp_apic_id, INTERRUPT_WAKE);
}

/* This processor executes an unknown number of instructions before it halts and while it polls its local
 * APIC. */
void sibling_works_alone(void (*work)(void))
{
    alone = work;
    alone_done = false;
    require_true(HARNESS, smp_start(work_alone, 0), "the sibling takes work");
    while (irq_off(), !alone_done && smp_state() == AP_WORKING)
        cpu_halt_until_interrupt();
    require_true(HARNESS, smp_wait(END_US) && smp_park(), "the sibling's work returns");
}

/* ---- The loop ---- */

static void spin_masked(void *unused)
{
    (void)unused;
    work_spin(&spin);
}

static void spin_taking_pmis(void *unused)
{
    (void)unused;
    pmi_unmask();
    work_spin(&spin);
    pmi_mask();
}

void sibling_spin_begin(enum sibling_lvtpc lvtpc)
{
    spin = (struct spin){0, 0};
    require_true(HARNESS, smp_start(lvtpc == SIBLING_TAKES_PMIS ? spin_taking_pmis : spin_masked, 0),
                 "the sibling takes work");
    sibling_spin_wait(FIRST_LAPS);
}

void sibling_spin_wait(uint32_t laps)
{
    uint32_t from = spin.laps;
    struct timeout patience = timeout_in_us(LAPS_US);

    while (spin.laps - from < laps && !timeout_passed(&patience))
        cpu_relax();
    require_true(HARNESS, spin.laps - from >= laps, "the other logical processor runs its loop");
}

uint32_t sibling_spin_laps(void)
{
    return spin.laps;
}

void sibling_spin_end(void)
{
    spin.stop = 1;
    /* Wait until it is parked: before it halts, it acknowledges what its local APIC holds, and the next
     * measurement must not count that. */
    require_true(HARNESS, smp_wait(END_US) && smp_park(), "the sibling ends its loop");
}
