/*
 * The second logical processor, as vectors use it (SDM vol. 3, 8.4): it takes work and returns from it, halts
 * and is woken, interrupts the first one, and comes back after INIT and start-up IPI, whatever it does, with
 * its local APIC as after reset. An exception of its work ends the vector.
 */
#include "kernel/board/board.h"
#include "kernel/log/log.h"
#include "kernel/run/guard.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmc/netburst/regs.h"
#include "tests/suite/expect.h"
#include "tests/suite/vector.h"

#define TIMES       20u
#define ANSWER_US   500000u
#define PATIENCE_MS 20000 /* the host of a virtual machine may let a processor wait */
#define CRASH_MS    1000

static volatile unsigned laps, answers;

static void answered(struct trap_frame *frame)
{
    (void)frame;
    answers++;
    lapic_eoi();
}

/* Interrupt the first processor. */
static void answer(void *unused)
{
    (void)unused;
    laps++;
    lapic_send_fixed(smp_topology()->bsp_apic_id, INTERRUPT_PMI);
}

static bool takes_work(void)
{
    trap_set_handler(INTERRUPT_PMI, answered);
    return smp_start(answer, NULL) && smp_wait(ANSWER_US);
}

static void work(void)
{
    answers = laps = 0;
    for (unsigned i = 1; i <= TIMES; i++) {
        require_true(HARNESS, takes_work(), "the second processor does its work, %u", i);
        struct timeout patience = timeout_in_us(ANSWER_US);
        while (answers < i && !timeout_passed(&patience))
            cpu_relax();
        require_equal(HARNESS, i, answers, "its interrupts of the first processor");
    }
    expect_equal(HARNESS, TIMES, laps, "pieces of work that it has done");
}

static volatile unsigned about_to_halt; /* the number of its next HLT */

/* Halt TIMES times. IF is clear when about_to_halt is set, so an interrupt that comes before the HLT ends the
 * HLT, too. */
static void halt(void *unused)
{
    (void)unused;
    for (laps = 0; laps < TIMES; laps++) {
        irq_off();
        about_to_halt = laps + 1;
        cpu_halt_until_interrupt();
    }
}

static void wake(void)
{
    about_to_halt = 0;
    require_true(HARNESS, smp_start(halt, NULL), "the second processor takes work");
    for (unsigned i = 1; i <= TIMES; i++) {
        struct timeout patience = timeout_in_us(ANSWER_US);
        while (about_to_halt < i && !timeout_passed(&patience))
            cpu_relax();
        delay_us(20);
        lapic_send_fixed(smp_topology()->sibling_apic_id, INTERRUPT_WAKE);
        while (laps < i && !timeout_passed(&patience))
            cpu_relax();
        require_true(HARNESS, laps >= i, "an interrupt ends its HLT, %u", i);
    }
    expect_true(HARNESS, smp_wait(ANSWER_US), "its work returns");
}

static void spin(void *unused)
{
    (void)unused;
    for (;;)
        cpu_relax();
}

/* INIT finds it halted and at work by turns. */
static void init(void)
{
    for (unsigned i = 1; i <= TIMES; i++) {
        if (i % 2 == 0)
            smp_start(spin, NULL);
        require_true(HARNESS, smp_restart(), "the second processor answers after INIT %u", i);
        expect_register(HARNESS, LVT_MASKED, smp_lvtpc_at_start() & LVT_MASKED,
                        "mask of its LVTPC after INIT %u", i);
    }
    expect_true(HARNESS, takes_work(), "it takes work after the last one");
}

static void set_lvtpc(void *unused)
{
    (void)unused;
    lvtpc_write(LVT_MASKED | LVT_VECTOR(INTERRUPT_WAKE));
}

/* Each logical processor has a local APIC of its own (R50). */
static void own_lvt(void)
{
    const uint32_t ours = LVT_MASKED | LVT_VECTOR(INTERRUPT_PMI);

    lvtpc_write(ours);
    require_true(HARNESS, smp_start(set_lvtpc, NULL) && smp_wait(ANSWER_US),
                 "the second processor does its work");
    expect_register(HARNESS, ours, lvtpc_read(), "LVTPC after the other processor has written its own");
}

static volatile bool was_paged, held, went_on;

static void undefined(struct trap_frame *frame)
{
    (void)frame;
    __asm__ volatile("ud2");
}

/* With an interrupt in service, and paging on. */
static void crash(void *unused)
{
    (void)unused;
    was_paged = paging_is_on();
    paging_on();
    trap_set_handler(INTERRUPT_PMI, undefined);
    lapic_send_self(INTERRUPT_PMI);
    delay_us(PMI_DELIVERY_US);
}

static void crash_there(void *unused)
{
    if (held)
        log_hold();
    smp_start(crash, unused);
    if (!held)
        spin(unused);
    smp_wait(ANSWER_US);
    delay_us(PMI_DELIVERY_US); /* its interrupt comes a little later */
    went_on = true;
    log_release();
}

/* The exception ends what runs at once, or, while the log is held, once it is free. */
static void crash_ends(void)
{
    struct trap_report report;

    for (unsigned i = 0; i < 2; i++) {
        held = i > 0;
        went_on = false;
        expect_equal(HARNESS, GUARD_AP_FAULT, guard_run(crash_there, NULL, CRASH_MS, &report),
                     "how work ends beside an exception of the second processor (3: by its deadline)");
        expect_equal(HARNESS, held, went_on, "1: not at once");
        expect_equal(HARNESS, 6, report.frame.interrupt, "exception");
        expect_equal(HARNESS, !smp_self(), report.lp, "logical processor that took it");
        expect_true(HARNESS, !was_paged, "its work begins as if none had been");
        expect_true(HARNESS, smp_park() && takes_work(), "it takes work after that");
    }
}

static const struct vector second_rows[] = {
    CHECK("harness.second.work", "it does its work, and interrupts the first one", .also = "MP",
          .needs = NEED_SIBLING, .deadline_ms = PATIENCE_MS, .run = work),
    CHECK("harness.second.wake", "an interrupt ends its HLT", .also = "MP", .needs = NEED_SIBLING,
          .deadline_ms = PATIENCE_MS, .run = wake),
    CHECK("harness.second.init", "it answers after INIT and start-up IPI, twenty times", .also = "MP",
          .needs = NEED_SIBLING, .deadline_ms = PATIENCE_MS, .run = init),
    CHECK("harness.second.lvtpc", "its LVTPC is not ours", .also = "MP", .needs = NEED_SIBLING,
          .deadline_ms = PATIENCE_MS, .run = own_lvt),
    CHECK("harness.second.crash", "its exception ends what runs", .also = "MP", .needs = NEED_SIBLING,
          .deadline_ms = PATIENCE_MS, .run = crash_ends),
};
VECTOR_GROUP(second);
