/*
 * The AP is started once and is halted while it has no work. INIT brings it back when its work does not
 * return.
 *
 * Only the boot processor moves the state from PARKED or DONE to WORKING and back to PARKED; only the sibling
 * moves it from WORKING to DONE or FAULTED, and from SILENT to PARKED when it starts.
 */
#include "smp.h"
#include <stdatomic.h>
#include <stddef.h>
#include "kernel/board/board.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/firmware/firmware.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "boot/boot.h"

/* SDM vol. 3, 8.4.4: INIT, 10 ms, start-up IPI, 200 us, start-up IPI. */
#define AFTER_INIT_US    10000u
#define AFTER_STARTUP_US 200u
#define ANSWER_US        500000u
#define HALT_US          20u /* from the last write of its state to HLT: some 3,000 clocks (F1, F6) */
#define PAGE_SHIFT       12

static struct topology topology;

static struct {
    atomic_uint state; /* enum ap_state */
    void (*fn)(void *);
    void *arg;
    struct trap_report fault;
    struct unwind idle; /* where a fault on the sibling unwinds to */
    uint32_t page;      /* of the trampoline, 0: there is no room for it */
    uint32_t lvtpc;     /* of the sibling, before anything wrote it */
    uint8_t initial_apic_id;
} ap;

const struct topology *smp_topology(void)
{
    return &topology;
}

unsigned smp_self(void)
{
    if (topology.threads_per_core < 2 || !topology.netburst)
        return cpu_index();
    return topology.bsp_thread ^ (cpu_index() & 1);
}

enum ap_state smp_state(void)
{
    return (enum ap_state)atomic_load(&ap.state);
}

bool smp_has_sibling(void)
{
    enum ap_state state = smp_state();

    return state != AP_ABSENT && state != AP_SILENT;
}

const struct trap_report *smp_fault(void)
{
    return &ap.fault;
}

uint32_t smp_lvtpc_at_start(void)
{
    return ap.lvtpc;
}

/* ---- On the sibling ---- */

static void halt_until_work(void)
{
    irq_off();
    while (smp_state() != AP_WORKING) {
        cpu_halt_until_interrupt(); /* STI holds interrupts off until HLT: a wake-up since the test is not
                                       lost */
        irq_off();
    }
}

void ap_main(void)
{
    segments_load(CPU_AP);
    traps_load();
    if (unwind_mark(&ap.idle) == 0) {
        machine_check_enable();
        ap.lvtpc = lvtpc_read();
        ap.initial_apic_id = cpuid_initial_apic_id();
        lapic_init(false); /* a start-up IPI has reached it, so it is enabled */
        atomic_store(&ap.state, AP_PARKED);
    }
    for (;;) {
        lapic_end_all(); /* what a fault left behind: interrupts in service, paging, x87 state */
        paging_off();
        cpu_clean_fpu();
        halt_until_work();
        irq_on();
        ap.fn(ap.arg);
        atomic_store(&ap.state, AP_DONE);
    }
}

void smp_sibling_fault(const struct trap_frame *frame, uint32_t cr2)
{
    ap.fault = (struct trap_report){*frame, cr2, smp_self()};
    atomic_store(&ap.state, AP_FAULTED);
    lapic_send_fixed(topology.bsp_apic_id, INTERRUPT_WAKE);
    unwind_to(&ap.idle, 1);
}

/* ---- On the boot processor ---- */

/* The second start-up IPI is for an AP that missed the first. The trampoline is copied each time, because a
 * BIOS call may have used its page. */
static void init_and_start(void)
{
    lapic_send_init(topology.sibling_apic_id);
    memcpy((void *)ap.page, trampoline_begin, (size_t)trampoline_end - (size_t)trampoline_begin);
    atomic_store(&ap.state, AP_SILENT);
    delay_us(AFTER_INIT_US);
    for (unsigned attempts = 0; attempts < 2 && smp_state() == AP_SILENT; attempts++) {
        lapic_send_startup(topology.sibling_apic_id, (uint8_t)(ap.page >> PAGE_SHIFT));
        delay_us(AFTER_STARTUP_US);
    }
}

/* No deadline ends a vector between INIT and the start-up IPI: the sibling would be lost for the rest of the
 * run. */
bool smp_restart(void)
{
    log_hold();
    init_and_start();
    log_release();
    for (uint32_t waited = 0; smp_state() == AP_SILENT && waited < ANSWER_US; waited += AFTER_STARTUP_US)
        delay_us(AFTER_STARTUP_US);
    if (smp_state() != AP_PARKED) { /* or an exception has come first */
        atomic_store(&ap.state, AP_SILENT);
        lapic_send_init(topology.sibling_apic_id); /* an AP that answers late must not run in memory that is
                                               used for something else by then */
        return false;
    }
    delay_us(HALT_US);
    return true;
}

void smp_init(void)
{
    topology_read(&topology);
    atomic_store(&ap.state, AP_ABSENT);
    ap.page = memory_map_low_page();
    if (!topology.sibling_listed || !lapic_present() || ap.page == 0)
        return;
    log_attempt(ABOUT_TO "send INIT and start-up IPIs to local APIC %u", topology.sibling_apic_id);
    if (!smp_restart() || !topology.netburst || ap.initial_apic_id == (topology.initial_apic_id ^ 1))
        return;
    /* A BIOS that renumbers local APICs may have given the sibling's ID to a processor of another package. */
    smp_stop_sibling();
    topology.sibling_listed = false;
    topology.sibling_elsewhere = true;
    atomic_store(&ap.state, AP_ABSENT);
}

bool smp_start(void (*fn)(void *), void *arg)
{
    enum ap_state state = smp_state();

    if (state != AP_PARKED && state != AP_DONE)
        return false;
    ap.fn = fn;
    ap.arg = arg;
    atomic_store(&ap.state, AP_WORKING);
    lapic_send_fixed(topology.sibling_apic_id, INTERRUPT_WAKE);
    return true;
}

bool smp_wait(uint32_t microseconds)
{
    struct timeout timeout = timeout_in_us(microseconds);

    while (smp_state() == AP_WORKING && !timeout_passed(&timeout))
        cpu_relax();
    return smp_state() == AP_DONE;
}

bool smp_park(void)
{
    switch (smp_state()) {
    case AP_ABSENT:
    case AP_PARKED:
        return true;
    case AP_SILENT:
        return false;
    case AP_WORKING:
        return smp_restart();
    case AP_DONE:
    case AP_FAULTED:
        break;
    }
    atomic_store(&ap.state, AP_PARKED);
    delay_us(HALT_US);
    return true;
}

void smp_stop_sibling(void)
{
    if (smp_state() == AP_ABSENT)
        return;
    lapic_send_init(topology.sibling_apic_id);
    if (smp_has_sibling())
        atomic_store(&ap.state, AP_WORKING);
}
