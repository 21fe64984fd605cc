/*
 * LVTPC, the local APIC's entry for the PMI (10.5.1, Figure 10-8; R49 to R52).
 *
 * The entry keeps the interrupt vector, the delivery mode and the mask as they are written, in any
 * combination, and its delivery status reads 0 while nothing is being delivered. A fixed PMI arrives on the
 * interrupt vector that the entry names; as an NMI it arrives on that of the NMI, whatever the entry names.
 * The delivery sets the mask and changes nothing else of the entry. A fixed PMI that IF or TPR holds up waits
 * in IRR, and clearing OVF does not take it back. An overflow while the entry is masked interrupts when the
 * entry is unmasked, since OVF and OVF_PMI ask for it all the time. That each logical processor has an entry
 * of its own is the subject of lvtpc_own.c.
 *
 * Among the interrupt vectors that are tried, each bit is 1 in one and 0 in another, and for any two bits
 * there is one in which only the first is 1, and one in which only the second is. The kernel counts a PMI on
 * a wrong interrupt vector as an unexpected interrupt; here it is missing.
 */
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"

#define LOWEST_INTERRUPT 16u /* fixed delivery on a lower interrupt vector is illegal (10.5.2) */
#define INTERRUPTS       256u
#define UNUSED_INTERRUPT 0x55u /* the kernel uses it for nothing */
#define CLASS_OF(v)      ((v) & ~FIELD_MASK(3, 0))
#define ONE_CLASS        FIELD_MASK(4, 4)
#define IRR_OF(v)        (LAPIC_IRR + (v) / 32 * 0x10)
#define IN_IRR(v)        (lapic_read(IRR_OF(v)) >> (v) % 32 & 1)

static const uint32_t MODES[] = {LVT_DELIVERY_FIXED, LVT_DELIVERY_NMI};

/* What the handlers of the PMIs found since listen(). */
static struct {
    volatile unsigned taken;
    uint32_t interrupt, lvtpc;
    bool in_service;
} got;

static void note(uint32_t interrupt)
{
    got.taken++;
    got.interrupt = interrupt;
    got.lvtpc = lvtpc_read();
    got.in_service = lapic_in_service(interrupt);
    lvtpc_write(got.lvtpc | LVT_MASKED);
}

static void on_interrupt(struct trap_frame *frame)
{
    note(frame->interrupt);
    lapic_eoi();
}

static void on_pmi(struct trap_frame *frame, unsigned lp, bool nmi)
{
    (void)lp;
    note(frame->interrupt);
    if (!nmi)
        lapic_eoi();
}

/* Take PMIs as this value of LVTPC delivers them. It replaces one of the other delivery mode, unmasked. */
static void listen(uint32_t lvtpc)
{
    got.taken = 0;
    got.interrupt = got.lvtpc = 0;
    got.in_service = false;
    pmi_set_handler(on_pmi);
    trap_set_handler(LVT_VECTOR(lvtpc), on_interrupt);
    lvtpc_write(lvtpc ^ LVT_DELIVERY_NMI);
    lvtpc_write(lvtpc);
}

/* After listen(): nothing requests a PMI any more, and what is on its way is over. */
static void hush(uint32_t lvtpc)
{
    pmc_stop_all();
    lvtpc_write(lvtpc | LVT_MASKED);
    pmi_wait_for_delivery();
    pmi_disarm();
    trap_set_handler(LVT_VECTOR(lvtpc), NULL);
}

static void overflow_here(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    p.cccr |= ovf_pmi_to(smp_self());
    pmi_overflow(&p, &work_jmp);
}

/* ---- The register ---- */

static void storage(void)
{
    unsigned wrong = 0;
    uint32_t first = 0, read_back = 0;

    for (uint32_t interrupt = LOWEST_INTERRUPT; interrupt < INTERRUPTS; interrupt++) {
        for (unsigned i = 0; i < COUNT_OF(MODES); i++) {
            bool masked = (i + interrupt) % 3 == 0;
            uint32_t value = MODES[i] | LVT_VECTOR(interrupt) | (masked ? LVT_MASKED : 0);
            lvtpc_write(value);
            uint32_t now = lvtpc_read();
            if (now != value && wrong++ == 0) {
                first = value;
                read_back = now;
            }
        }
    }
    pmi_mask();
    expect_register(R50, first, read_back, "LVTPC as first read back wrongly, of %u values", wrong);
}

/* ---- Delivery ---- */

static void deliver(uint32_t lvtpc, uint32_t interrupt)
{
    for (unsigned tries = 0; tries == 0 || (tries < LONG_TRIES && got.taken > 1); tries++) {
        listen(lvtpc);
        overflow_here();
        pmi_wait_for_delivery();
        hush(lvtpc);
    }
    expect_equal(RULES(R50, R45), 1, got.taken, "PMIs with LVTPC %8H", lvtpc);
    if (got.taken == 0)
        return;
    expect_equal(R50, interrupt, got.interrupt, "interrupt vector of the PMI with LVTPC %8H", lvtpc);
    expect_register(R51, lvtpc | LVT_MASKED, got.lvtpc, "LVTPC in the handler, %8H before", lvtpc);
    expect_equal(R50, interrupt != INTERRUPT_NMI, got.in_service, "ISR bit of vector %2H in the handler",
                 interrupt);
    expect_true(R52, !lapic_in_service(interrupt), "ISR bit of vector %2H is 0 after EOI", interrupt);
}

static void interrupt_vectors(void)
{
    static const uint8_t FIXED[] = {0x55, 0xAA, 0x33, 0xCC, 0xF0, 0x2D, 0xD2};

    for (unsigned i = 0; i < COUNT_OF(FIXED); i++)
        deliver(LVT_DELIVERY_FIXED | LVT_VECTOR(FIXED[i]), FIXED[i]);
    deliver(LVT_DELIVERY_NMI | LVT_VECTOR(0xAA), INTERRUPT_NMI);
    deliver(LVT_DELIVERY_NMI | LVT_VECTOR(UNUSED_INTERRUPT), INTERRUPT_NMI);
}

/* ---- Held up, and masked ---- */

struct wait {
    unsigned taken_before, taken;
    bool in_irr;
};

/* Raise a PMI that cannot be taken. While it waits, its counter is stopped and OVF is cleared. */
static void wait_in_irr(struct wait *w)
{
    listen(LVT_DELIVERY_FIXED | LVT_VECTOR(UNUSED_INTERRUPT));
    overflow_here();
    pmi_wait_for_delivery();
    pmc_stop_all();
    w->taken_before = got.taken;
    w->in_irr = IN_IRR(UNUSED_INTERRUPT);
}

static void expect_held(const struct wait *w, const char *by)
{
    expect_equal(R50, 0, w->taken_before, "PMIs taken while %s holds them up", by);
    expect_true(R50, w->in_irr, "the PMI waits in IRR while %s holds it up", by);
    expect_equal(R50, 1, w->taken, "PMIs taken after that");
}

static void held(void)
{
    struct wait by_if, by_tpr;

    bool were_on = irq_off();
    wait_in_irr(&by_if);
    irq_restore(were_on);
    pmi_wait_for_delivery();
    by_if.taken = got.taken;

    lapic_write(LAPIC_TPR, CLASS_OF(UNUSED_INTERRUPT));
    wait_in_irr(&by_tpr);
    lapic_write(LAPIC_TPR, CLASS_OF(UNUSED_INTERRUPT) - ONE_CLASS);
    pmi_wait_for_delivery();
    lapic_write(LAPIC_TPR, 0);
    by_tpr.taken = got.taken;
    hush(LVT_DELIVERY_FIXED | LVT_VECTOR(UNUSED_INTERRUPT));

    expect_held(&by_if, "IF = 0");
    expect_held(&by_tpr, "TPR of its priority class");
}

static void unmasked_later(void)
{
    for (unsigned i = 0; i < COUNT_OF(MODES); i++) {
        unsigned early, taken, tries = 0;
        bool stands;

        do { /* an NMI of the board passes for a PMI, but does not come each time */
            pmi_arm(MODES[i]);
            lvtpc_write(MODES[i] | LVT_VECTOR(INTERRUPT_PMI) | LVT_MASKED);
            overflow_here();
            pmi_wait_for_delivery();
            early = pmi_taken(smp_self());
            stands = pmc_overflowed(12);
            lvtpc_write(MODES[i] | LVT_VECTOR(INTERRUPT_PMI));
            pmi_wait_for_delivery();
            taken = pmi_taken(smp_self());
            pmc_stop_all();
            pmi_disarm();
        } while (MODES[i] == LVT_DELIVERY_NMI && (early || taken != stands) && ++tries < LONG_TRIES);
        expect_equal(R50, 0, early, "PMIs while LVTPC is masked, delivery mode %8H", MODES[i]);
        expect_true(RULES(R29, R28), stands,
                    "OVF of counter 12 stands while LVTPC is masked, delivery mode %8H", MODES[i]);
        expect_equal(RULES(R49, R50), stands, taken,
                     "PMIs when LVTPC is unmasked with OVF standing, delivery mode %8H", MODES[i]);
    }
}

static const struct vector lvtpc_rows[] = {
    CHECK("lvtpc.storage", "LVTPC keeps vector, delivery mode and mask", .needs = NEED_LAPIC, .run = storage),
    CHECK("lvtpc.vectors", "the PMI comes on the vector of LVTPC, or as an NMI, and sets only the mask",
          .needs = NEED_LAPIC, .run = interrupt_vectors),
    CHECK("lvtpc.held", "a fixed PMI waits for IF and TPR, and OVF cleared meanwhile does not take it back",
          .needs = NEED_LAPIC, .run = held),
    CHECK("lvtpc.unmask", "an overflow while LVTPC is masked interrupts when it is unmasked",
          .needs = NEED_LAPIC, .run = unmasked_later),
};
VECTOR_GROUP(lvtpc);
