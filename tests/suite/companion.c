/*
 * Makes the other logical processor a companion: it halts or runs a loop, and does what it is asked in
 * between.
 */
#include "companion.h"

#include "expect.h"
#include "frame.h"
#include "kernel/board/board.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmi_counter.h"
#include "setting.h"
#include "witness.h"

#define HALT_US    20 /* until a processor that is about to halt has halted; TM1 slows its clock */
#define PAUSES     4  /* between two looks for work: the less a waiting sibling executes, the better */
#define ANSWER_US  100000
#define FIRST_LAPS 2
#define LAPS_US    10000 /* for a few laps of less than a microsecond each */
#define SETTLES    8     /* so often at most it wakes while it is waited for */

static struct {
    void (*volatile fn)(void *);
    void *arg;
    volatile bool alone, runs, spins, stop;
    bool begun, settled;
    volatile uint32_t wakes;              /* how often a halt has ended, whatever ended it */
    uint32_t wakes_known;                 /* so many when it was taken for halted last */
    struct spin spin;                     /* its loop ends when there is something to do */
    const struct workload *volatile work; /* null: work_spin() */
    uint32_t n;
} companion;

static void relax(void *unused)
{
    (void)unused;
    while (companion.runs && !companion.fn && !companion.stop)
        for (unsigned i = 0; i < PAUSES; i++)
            cpu_relax();
}

static void lap(void)
{
    if (!companion.work) {
        work_spin(&companion.spin);
        return;
    }
    work_exercise(companion.work, companion.n);
    companion.spin.laps++;
}

static void attend(void *unused)
{
    (void)unused;
    while (irq_off(), !companion.stop) {
        if (companion.fn) {
            irq_on();
            if (companion.alone)
                delay_us(HALT_US);
            companion.fn(companion.arg);
            companion.fn = NULL;
            if (companion.alone)
                lapic_send_fixed(smp_topology()->bsp_apic_id, INTERRUPT_WAKE);
        } else if (companion.spins) {
            irq_on();
            lap();
        } else if (companion.runs) {
            irq_on();
            ring_run(3, relax, NULL);
        } else {
            cpu_halt_until_interrupt();
            companion.wakes++;
        }
    }
    irq_on();
    pmi_mask();
}

/* It has no timer that could end a halt. */
static void wake(void)
{
    if (!companion.runs)
        lapic_send_fixed(smp_topology()->sibling_apic_id, INTERRUPT_WAKE);
}

void companion_settle(void)
{
    for (unsigned i = 0; i < SETTLES && (!companion.settled || companion_has_woken()); i++) {
        companion.wakes_known = companion.wakes;
        companion.settled = true;
        for (unsigned part = 0; part < 2; part++) /* an SMI may take all of one of them */
            delay_us(HALT_US);
    }
}

bool companion_has_woken(void)
{
    return companion.wakes != companion.wakes_known;
}

void companion_woken(void)
{
    companion.settled = false;
}

static void begin(bool spins)
{
    companion.fn = NULL;
    companion.runs = companion.spins = spins;
    witness_beside_sibling(spins);
    companion.stop = false;
    companion.spin = (struct spin){0, 0};
    companion.work = NULL;
    companion.begun = true;
    setting_use(SETTING_LP1);
    companion.settled = false;
    require_true(HARNESS, smp_start(attend, NULL), "the sibling takes work");
}

void companion_begin(void)
{
    begin(false);
}

void companion_run(bool runs)
{
    const bool wakes = runs && !companion.runs;

    companion.runs = runs;
    witness_beside_sibling(runs);
    if (wakes)
        lapic_send_fixed(smp_topology()->sibling_apic_id, INTERRUPT_WAKE);
    companion.settled = false;
}

static bool waits(const void *patience)
{
    return companion.fn && smp_state() == AP_WORKING && !timeout_passed(patience);
}

static void wait_at_cpl_3(void *patience)
{
    while (waits(patience))
        cpu_relax();
}

/* Halt until the companion has done its work. Each halt that ends before, and not by a PMI, is a witness: an
 * SMI that begins before the work is no part of its length, and what this logical processor executes behind
 * it is counted. */
static void halt_meanwhile(struct timeout *patience)
{
    const uint32_t pmis = pmi_count();
    uint32_t wakes = 0;

    while (waits(patience)) {
        irq_off();
        if (!companion.fn)
            break;
        cpu_halt_until_interrupt();
        wakes += companion.fn != NULL;
    }
    if (wakes > pmi_count() - pmis)
        witness_add(WITNESS_TIME);
}

static void ask(void (*fn)(void *), void *arg, bool alone)
{
    struct timeout patience = timeout_in_us(ANSWER_US);

    companion.arg = arg;
    companion.alone = alone && !companion.runs;
    witness_beside_sibling(!companion.alone);
    companion.fn = fn;
    companion.spin.stop = 1;
    wake();
    if (!companion.alone)
        ring_run(3, wait_at_cpl_3, &patience);
    halt_meanwhile(&patience);
    companion.spin.stop = 0;
    witness_beside_sibling(companion.runs);
    require_true(HARNESS, !companion.fn, "the sibling does what it is asked to do");
    companion.settled = companion.runs;
}

void companion_do(void (*fn)(void *), void *arg, bool alone)
{
    const bool for_this = !companion.begun || smp_state() != AP_WORKING;

    if (for_this)
        companion_begin();
    ask(fn, arg, alone);
    if (for_this)
        companion_end();
    if (alone)
        irq_off();
}

static void unmask(void *unused)
{
    (void)unused;
    pmi_unmask();
}

static void mask(void *unused)
{
    (void)unused;
    pmi_mask();
}

void companion_leave_pmis(void)
{
    companion_do(mask, NULL, false);
    companion_settle();
}

void companion_take_pmis(void)
{
    companion_do(unmask, NULL, false);
    companion_settle();
}

void companion_end(void)
{
    if (!companion.begun)
        return;
    companion.begun = companion.settled = false;
    witness_beside_sibling(false);
    companion.stop = true;
    companion.spin.stop = 1;
    wake();
    /* Wait until it is parked: before it halts, it acknowledges what its local APIC holds, and the next
     * measurement must not count that. */
    require_true(HARNESS, smp_wait(ANSWER_US) && smp_park(), "the sibling's work returns");
}

void companion_restart(void)
{
    require_true(HARNESS, smp_restart(), "the sibling comes back after INIT and a start-up IPI");
    require_true(R1, smp_lvtpc_at_start() & LVT_MASKED, "INIT masks its LVTPC, whatever it was doing");
}

/* ---- The loop with laps ---- */

void companion_spin(void)
{
    begin(true);
    companion_wait_laps(FIRST_LAPS);
}

void companion_wakes_once(void)
{
    companion_spin();
    companion_end();
}

void companion_repeat(const struct workload *work, uint32_t n)
{
    begin(true);
    companion.n = n;
    companion.work = work;
    companion.spin.stop = 1; /* it may be in work_spin() */
    companion_wait_laps(FIRST_LAPS);
    companion.spin.stop = 0;
}

const volatile uint32_t *companion_word(void)
{
    return &companion.spin.laps;
}

uint32_t companion_laps(void)
{
    return companion.spin.laps;
}

void companion_wait_laps(uint32_t laps)
{
    const uint32_t from = companion.spin.laps;
    struct timeout patience = timeout_in_us(LAPS_US);

    while (companion.spin.laps - from < laps && !timeout_passed(&patience))
        cpu_relax();
    require_true(HARNESS, companion.spin.laps - from >= laps, "the other logical processor runs its loop");
}
