/*
 * Self-tests of the harness: vectors that go wrong on purpose. The boot word selftest=NAME runs one of them
 * before the selected vectors; no other run has them. Each but `slow` must end as `not ok` with a dump
 * (`late` only in the second loop of a soak), and the vectors after it must pass as if it had not run.
 */
#include "vector.h"

#include "expect.h"
#include "frame.h"
#include "kernel/run/pmi.h"
#include "kernel/board/board.h"
#include "kernel/log/log.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "kernel/lib/lib.h"
#include "kernel/smp/smp.h"
#include "machine.h"
#include "pmc/netburst/setup.h"
#include "pmi_counter.h"
#include "stimulus.h"

#define INTERRUPT_ABOVE (INTERRUPT_TIMER + 1) /* in the priority class above a PMI's */

/* An instruction that raises #UD, without a fix-up. */
static void raise(struct trap_frame *frame)
{
    (void)frame;
    __asm__ volatile("ud2");
}

/* Without a local APIC the exception comes without an interrupt. */
static void interrupt_itself(uint8_t vector)
{
    irq_on();
    lapic_send_self(vector);
    delay_us(PMI_DELIVERY_US);
    raise(NULL);
}

static void handler_that_nests(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    (void)nmi;
    interrupt_itself(INTERRUPT_ABOVE);
}

/* An exception while two interrupts are in service, both of which must be acknowledged: PMIs come again. */
static void fault_in_service(void *unused)
{
    (void)unused;
    trap_set_handler(INTERRUPT_ABOVE, raise);
    pmi_set_handler(handler_that_nests);
    interrupt_itself(INTERRUPT_PMI);
}

static void selftest_fault(void)
{
    fault_in_service(NULL);
}

#define HANG_MS 50

/* It never returns; interrupts are on, so the deadline ends it, but not in the middle of a line of the log,
 * nor because of the time that the line took. */
static void selftest_hang(void)
{
    log_hold();
    delay_us(2000 * HANG_MS);
    tap_comment(COMMENT_VECTOR, "a line of the log lasts longer than the deadline");
    log_release();
    delay_us(1000 * HANG_MS / 2);
    tap_comment(COMMENT_VECTOR, "which is not the vector's time");
    for (;;)
        cpu_relax();
}

static void fault_paged(void *was_paged)
{
    *(volatile bool *)was_paged = paging_is_on();
    paging_on();
    fault_in_service(NULL);
}

/* The sibling's exception must end this vector once the log is not held any more; what it interrupted on the
 * sibling must not be felt by its next work. */
static void selftest_ap_fault(void)
{
    bool was_paged = false;

    log_hold();
    for (unsigned i = 0; i < 2; i++) {
        expect_true(0, smp_park() && smp_start(fault_paged, &was_paged), "the sibling takes work");
        smp_wait(100000);
        delay_us(PMI_DELIVERY_US); /* its interrupt comes a little later */
    }
    tap_comment(COMMENT_VECTOR, "the sibling has taken two exceptions");
    expect_true(0, smp_state() == AP_FAULTED && !was_paged, "the sibling's work begins as if none had been");
    log_release();
}

/* A wrong expectation: 1 + 1 is not 3. */
static void selftest_fail(void)
{
    expect_equal(0, 3, 1 + 1, "a sum, expected wrongly on purpose");
}

#define WRONG_SUMS 11u

/* More wrong expectations than a diagnosis lists, then an exception: the diagnosis says all of it. */
static void selftest_many(void)
{
    for (unsigned i = 0; i < WRONG_SUMS; i++)
        expect_equal(0, i + 1, i, "a sum, expected wrongly on purpose, it's number %u", i);
    __asm__ volatile("ud2");
}

static void handler_that_forgets(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)frame;
    (void)lp;
    (void)nmi;
    pmi_unmask(); /* unmasked again with OVF standing: R49 */
    lapic_eoi();
}

/* FORCE_OVF with PMI and a handler that never clears OVF: a PMI at every count (E7). Only the
 * kernel ends it. */
static void selftest_storm(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_INSTRUCTIONS, 12);

    p.cccr |= CCCR_FORCE_OVF | ovf_pmi_to(smp_self());
    pmc_arm(&p, 0);
    pmi_set_handler(handler_that_forgets);
    pmi_unmask();
    pmc_start(&p);
    for (;;)
        cpu_relax();
}

#define SLOW_US 1200000u

/* A failure that only a second loop shows. */
static void selftest_late(void)
{
    static unsigned runs;

    expect_equal(0, 0, runs++ > 0, "runs before this one, bounded to 1");
}

static void selftest_slow(void)
{
    delay_us(SLOW_US);
}

static const struct vector selftest_rows[] = {
    CHECK("selftest.fault", "an exception nobody fixes up", .also = "none", .run = selftest_fault),
    CHECK("selftest.hang", "a vector that never returns", .also = "none", .deadline_ms = HANG_MS,
          .run = selftest_hang),
    CHECK("selftest.ap-fault", "an exception on the second logical processor", .also = "none",
          .needs = NEED_SIBLING, .run = selftest_ap_fault),
    CHECK("selftest.fail", "an expectation that does not hold", .also = "none", .run = selftest_fail),
    CHECK("selftest.many", "expectations that do not hold, and an exception", .also = "none",
          .run = selftest_many),
    CHECK("selftest.late", "an expectation that holds in the first loop alone", .also = "none",
          .run = selftest_late),
    CHECK("selftest.slow", "a vector that takes more than a second", .also = "none", .deadline_ms = 5000,
          .run = selftest_slow),
    CHECK("selftest.storm", "a PMI storm", .also = "R49", .needs = NEED_LAPIC, .deadline_ms = 50,
          .run = selftest_storm),
};

const struct vector *selftest_named(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(selftest_rows); i++)
        if (strcmp(selftest_rows[i].id + sizeof "selftest." - 1, name) == 0)
            return &selftest_rows[i];
    return NULL;
}
