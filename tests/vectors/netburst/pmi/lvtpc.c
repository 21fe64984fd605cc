/*
 * LVTPC, the local APIC's entry for the PMI (10.4.7.2, 10.5.1, 18.16.2, Figure 10-8; R45, R49 to R53).
 *
 * A fixed PMI arrives on the interrupt vector that the entry names; as an NMI it arrives on that of the NMI,
 * whatever the entry names. The delivery sets the mask and changes nothing else of the entry, which the
 * handler can write. A fixed PMI that IF, TPR or an interrupt in service holds up waits in IRR, and clearing
 * OVF does not take it back. As long as OVF stands, each unmasking brings the PMI again. The sibling's TPR
 * holds up the PMI of the sibling. What an entry that was masked delivers later is judged by courses.
 *
 * While a local APIC is disabled by software, its LVTPC is masked and cannot be unmasked; enabled again, it
 * delivers as before.
 *
 * Each logical processor has an entry of its own: a write of one entry, and a PMI that it delivers, leaves
 * the other one alone, whichever was written last. The mask of an entry that has delivered a PMI stays set
 * until that entry is written.
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
#include "pmc/msr.h"
#include "tests/suite/companion.h"
#include "tests/suite/expect.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/unflagged.h"

#define UNUSED_INTERRUPT 0x55u /* the kernel uses it for nothing */
#define CLASS_OF(v)      ((v) & ~FIELD_MASK(3, 0))
#define ONE_CLASS        FIELD_MASK(4, 4)
#define IRR_OF(v)        (LAPIC_IRR + (v) / 32 * 0x10)
#define IN_IRR(v)        (lapic_read(IRR_OF(v)) >> (v) % 32 & 1)

/* What the handlers of the PMIs found since listen(). */
static struct {
    volatile unsigned taken;
    uint32_t interrupt, lvtpc, rewritten;
    bool in_service;
} got;

static void note(uint32_t interrupt)
{
    got.taken++;
    got.interrupt = interrupt;
    got.lvtpc = lvtpc_read();
    got.in_service = lapic_in_service(interrupt);
    lvtpc_write((got.lvtpc ^ ONE_CLASS) | LVT_MASKED); /* another vector, before hush() */
    got.rewritten = lvtpc_read();
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

/* Let a counter with these bits OVF_PMI overflow; it is stopped when its PMI has had time to come. */
static void overflow(uint32_t ovf_pmi)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    p.cccr |= ovf_pmi;
    pmi_overflow(&p, &work_jmp);
    pmi_wait_for_delivery();
    pmc_stop_all();
}

static void overflow_here(void)
{
    overflow(ovf_pmi_to(smp_self()));
}

/* ---- Delivery ---- */

static unsigned take(void *arg)
{
    const uint32_t *lvtpc = arg;

    listen(*lvtpc);
    overflow_here();
    hush(*lvtpc);
    return got.taken;
}

static void deliver(uint32_t lvtpc, uint32_t interrupt)
{
    if (interrupt == INTERRUPT_NMI)
        pmis_as_nmis(take, &lvtpc, 1);
    else
        take(&lvtpc);
    expect_equal(RULES(R50, R46), 1, got.taken, "PMIs with LVTPC %8H", lvtpc);
    if (got.taken == 0)
        return;
    expect_equal(R50, interrupt, got.interrupt, "interrupt vector of the PMI with LVTPC %8H", lvtpc);
    expect_register(R51, lvtpc | LVT_MASKED, got.lvtpc, "LVTPC in the handler, %8H before", lvtpc);
    expect_register(RULES(R50, R51), (lvtpc ^ ONE_CLASS) | LVT_MASKED, got.rewritten,
                    "LVTPC written in the handler, %8H before", lvtpc);
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

#define UNMASKED     (LVT_DELIVERY_FIXED | LVT_VECTOR(INTERRUPT_PMI))
#define UNMASKED_NMI (UNMASKED ^ LVT_DELIVERY_NMI)

/* LVTPC when SVR bit 8 is cleared, when it is written then, when the bit is set, when it is written then, and
 * after the bit was 0 again. Disabling the local APIC masks the whole LVT, the entries of the deadline's
 * timer and of the firmware's SMIs too. */
static const uint32_t DISABLED[] = {UNMASKED | LVT_MASKED, UNMASKED_NMI | LVT_MASKED,
                                    UNMASKED_NMI | LVT_MASKED, UNMASKED_NMI, UNMASKED_NMI | LVT_MASKED};

#define DISABLED_TIMES 6

/* Whether the other fields can be written while SVR bit 8 is 0 is not said. */
#define JUDGED(i) ((i) == 1 || (i) == 2 ? LVT_MASKED : UINT32_MAX)

static void disable_once(uint32_t *lvtpc)
{
    uint32_t svr = lapic_read(LAPIC_SVR), timer = lapic_read(LAPIC_LVT_TIMER);

    lvtpc_write(UNMASKED);
    lapic_write(LAPIC_SVR, svr & ~LAPIC_SVR_ENABLE);
    *lvtpc++ = lvtpc_read();
    lvtpc_write(UNMASKED_NMI);
    *lvtpc++ = lvtpc_read();
    lapic_write(LAPIC_SVR, svr);
    *lvtpc++ = lvtpc_read();
    lvtpc_write(UNMASKED_NMI);
    *lvtpc++ = lvtpc_read();
    lapic_write(LAPIC_SVR, svr & ~LAPIC_SVR_ENABLE);
    lapic_write(LAPIC_SVR, svr);
    *lvtpc = lvtpc_read();
    lapic_mask_lvt();
    lapic_write(LAPIC_LVT_TIMER, timer);
}

/* Several times in succession; what is wrong once is kept. */
static void disable(void *found)
{
    uint32_t *const kept = found, lvtpc[COUNT_OF(DISABLED)];

    disable_once(kept);
    for (unsigned times = 1; times < DISABLED_TIMES; times++) {
        disable_once(lvtpc);
        for (unsigned i = 0; i < COUNT_OF(DISABLED); i++)
            if ((lvtpc[i] ^ DISABLED[i]) & JUDGED(i))
                kept[i] = lvtpc[i];
    }
}

/* LP0's while the sibling is halted, and while it runs a loop at CPL 3; the sibling's while LP0 waits at CPL
 * 3, and while it is halted. */
static void software_disabled(void)
{
    static const char *const MEANWHILE[] = {"the other one halted", "the other one at CPL 3"};
    uint32_t lvtpc[2][2][COUNT_OF(DISABLED)];
    const bool sibling = machine_meets() & NEED_SIBLING;

    for (unsigned at_cpl_3 = 0; at_cpl_3 < (sibling ? 2 : 1); at_cpl_3++) {
        if (at_cpl_3) {
            companion_begin();
            companion_run(true);
            companion_settle();
        }
        bool were_on = irq_off();
        disable(lvtpc[0][at_cpl_3]);
        pmi_disarm();
        irq_restore(were_on);
        if (at_cpl_3)
            companion_end();
        if (sibling)
            companion_do(disable, lvtpc[1][at_cpl_3], !at_cpl_3);
        irq_on();
        for (unsigned lp = 0; lp < (sibling ? 2 : 1); lp++)
            for (unsigned i = 0; i < COUNT_OF(DISABLED); i++)
                expect_register(
                    R53, DISABLED[i] & JUDGED(i), lvtpc[lp][at_cpl_3][i] & JUDGED(i),
                    "LVTPC of LP%u, %s: SVR bit 8 cleared, written, bit set, written, both again: reading %u",
                    smp_self() ^ lp, MEANWHILE[at_cpl_3], i + 1);
    }
    deliver(UNMASKED, INTERRUPT_PMI);
}

struct wait {
    unsigned taken_before, taken;
    bool in_irr;
};

/* Raise a PMI that cannot be taken. While it waits, its counter is stopped and OVF is cleared. */
static void wait_in_irr(struct wait *w)
{
    listen(LVT_DELIVERY_FIXED | LVT_VECTOR(UNUSED_INTERRUPT));
    overflow_here();
    w->taken_before = got.taken;
    w->in_irr = IN_IRR(UNUSED_INTERRUPT);
}

static void expect_held(const struct wait *w, const char *by)
{
    expect_equal(R50, 0, w->taken_before, "PMIs taken while %s holds them up", by);
    expect_true(R50, w->in_irr, "the PMI waits in IRR while %s holds it up", by);
    expect_equal(R50, 1, w->taken, "PMIs taken after that");
}

static struct wait by_service;

static void in_service(struct trap_frame *frame)
{
    (void)frame;
    irq_on();
    wait_in_irr(&by_service);
    irq_off();
    lapic_eoi();
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

    by_service = (struct wait){.in_irr = false};
    trap_set_handler(UNUSED_INTERRUPT + ONE_CLASS, in_service);
    lapic_send_fixed(lapic_id(), UNUSED_INTERRUPT + ONE_CLASS);
    pmi_wait_for_delivery();
    trap_set_handler(UNUSED_INTERRUPT + ONE_CLASS, NULL);
    by_service.taken = got.taken;
    hush(LVT_DELIVERY_FIXED | LVT_VECTOR(UNUSED_INTERRUPT));

    expect_held(&by_if, "IF = 0");
    expect_held(&by_tpr, "TPR of its priority class");
    expect_held(&by_service, "an interrupt in service");
}

/* ---- Each logical processor has an entry of its own ---- */

static struct {
    uint32_t written, found;
} other;

static void write_sibling(void *unused)
{
    (void)unused;
    lvtpc_write(other.written);
}

/* What it holds is read, and written back. */
static void read_sibling(void *unused)
{
    (void)unused;
    other.found = lvtpc_read();
    lvtpc_write(other.found);
    pmi_mask();
}

/* The sibling's LVTPC holds `theirs` from the one to the other; then other.found is what it holds. */
static void hold_begin(uint32_t theirs)
{
    other.written = theirs;
    companion_begin();
    companion_run(true);
    companion_do(write_sibling, NULL, false);
}

static void hold_end(void)
{
    companion_do(read_sibling, NULL, false);
    companion_end();
}

static const uint8_t NUMBERS[] = {0x61, 0x9A};       /* the kernel uses neither */
static volatile unsigned came[COUNT_OF(NUMBERS)][2]; /* by number and logical processor */

static void count_number(struct trap_frame *frame)
{
    came[frame->interrupt == NUMBERS[1]][smp_self()]++;
    lapic_eoi();
}

static const char *const REQUESTED[] = {"LP0", "LP1", "both"};

/* LVTPC of lp for a request to the set `to`: without a PMI it delivers NMIs. */
static uint32_t entry(unsigned to, unsigned lp, uint8_t number)
{
    return (to >> lp & 1 ? LVT_DELIVERY_FIXED : LVT_DELIVERY_NMI) | LVT_VECTOR(number);
}

/* Let one counter request PMIs of the logical processors in the set `to`. NUMBERS[0] is the vector here, and
 * NUMBERS[1] that of the sibling; swapped: the other way round. Ours is written before that of the sibling,
 * or after it. After the PMIs an entry that had none is written again, at first ours. */
static void request(unsigned to, bool swapped, bool ours_first)
{
    const unsigned self = smp_self();
    const uint32_t ours = entry(to, self, NUMBERS[swapped]), theirs = entry(to, self ^ 1, NUMBERS[!swapped]);
    const uint32_t written[] = {ours, theirs};

    for (unsigned i = 0; i < COUNT_OF(NUMBERS); i++)
        came[i][0] = came[i][1] = 0;
    if (ours_first)
        lvtpc_write(ours);
    hold_begin(theirs);
    if (!ours_first)
        lvtpc_write(ours);
    overflow((to & 1 ? CCCR_OVF_PMI_T0 : 0) | (to & 2 ? CCCR_OVF_PMI_T1 : 0));
    if (!(to >> self & 1))
        lvtpc_write(ours);
    hold_end();
    const uint32_t found[] = {lvtpc_read(), other.found};
    pmi_mask();
    for (unsigned i = 0; i < 2; i++)
        expect_register(RULES(R51, R45), written[i] | (came[i ^ swapped][self ^ i] ? LVT_MASKED : 0),
                        found[i], "LVTPC of LP%u after PMIs requested of %s", self ^ i, REQUESTED[to - 1]);
    for (unsigned i = 0; i < COUNT_OF(NUMBERS); i++)
        for (unsigned lp = 0; lp < 2; lp++) {
            const bool its = (i != 0) == ((lp != self) != swapped);

            expect_equal(its ? RULES(R50, R45) : R50, pmi_due(lp, its && (to >> lp & 1), came[i][lp]),
                         came[i][lp],
                         "interrupts of vector %2H on LP%u, PMIs requested of %s, LVTPC of LP%u with %2H",
                         NUMBERS[i], lp, REQUESTED[to - 1], self, NUMBERS[swapped]);
        }
}

static void raise_tpr(void *unused)
{
    (void)unused;
    lapic_write(LAPIC_TPR, CLASS_OF(NUMBERS[1]));
}

static void lower_tpr(void *unused)
{
    (void)unused;
    lapic_write(LAPIC_TPR, 0);
}

/* TPR of the sibling holds its PMI up, until it is lowered. */
static void held_on_sibling(void)
{
    const unsigned lp = smp_self() ^ 1;

    came[1][lp] = 0;
    hold_begin(entry(1u << lp, lp, NUMBERS[1]));
    companion_do(raise_tpr, NULL, false);
    overflow(ovf_pmi_to(lp));
    const unsigned before = came[1][lp];
    companion_do(lower_tpr, NULL, false);
    pmi_wait_for_delivery();
    hold_end();
    expect_equal(R50, 0, before, "PMIs of LP%u while its TPR of their priority class holds them up", lp);
    expect_equal(RULES(R50, R45), pmi_due(lp, true, came[1][lp]), came[1][lp], "PMIs of LP%u after that", lp);
}

static void numbers(void)
{
    for (unsigned i = 0; i < COUNT_OF(NUMBERS); i++)
        trap_set_handler(NUMBERS[i], count_number);
    for (unsigned to = 1; to <= 3; to++)
        for (unsigned i = 0; i < 4; i++)
            request(to, i & 1, i & 2);
    held_on_sibling();
    for (unsigned i = 0; i < COUNT_OF(NUMBERS); i++)
        trap_set_handler(NUMBERS[i], NULL);
}

/* ---- The request stands as long as OVF ---- */

#define AGAIN            60 /* a PMI that fails to come again once in 20 times is seen with 95 % */
#define AGAIN_BY_SIBLING 20 /* each takes longer */

static void unmask(bool here)
{
    if (here)
        pmi_unmask();
    else
        companion_take_pmis();
}

/* Counter 12 interrupts lp, and has OVF: an overflow that leaves it 0 (E9) is repeated. After that its ESCR
 * has no event. */
static void overflow_with_ovf(unsigned lp)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    p.cccr |= ovf_pmi_to(lp);
    do {
        pmi_arm();
        pmi_hold();
        unmask(lp == smp_self());
        pmi_overflow(&p, &work_jmp);
        pmi_wait_for_delivery();
        msr_write(p.escr_msr, 0);
    } while (!pmc_overflowed(12) && unflagged_accepts(12, false, pmi_taken(lp)));
    require_true(R29, pmc_overflowed(12), "OVF of counter 12, which interrupts LP%u", lp);
}

/* LVTPC of lp, which each PMI masks, is unmasked again and again. */
static void unmask_again(unsigned lp)
{
    const bool here = lp == smp_self();
    const unsigned times = here ? AGAIN : AGAIN_BY_SIBLING;

    if (!here)
        companion_begin();
    overflow_with_ovf(lp);
    for (unsigned i = 1; i <= times && pmi_taken(lp) >= i; i++) {
        struct pmi_patience patience = pmi_patience();

        unmask(here);
        while (pmi_taken(lp) <= i && !pmi_patience_over(&patience))
            continue;
    }
    const unsigned taken = pmi_taken(lp), due = pmi_due(lp, true, taken) ? 1 + times : 0;
    pmc_stop_all();
    if (!here) {
        companion_leave_pmis();
        companion_end();
    }
    pmi_disarm();
    acts_judged(lp ? ACTION_PMI_LP1 : ACTION_PMI_LP0, 12, due);
    expect_about((struct act){lp ? ACTION_PMI_LP1 : ACTION_PMI_LP0, 12});
    expect_equal(RULES(R49, R45), due, taken,
                 "PMIs of LP%u, whose LVTPC is unmasked %u times while OVF stands and nothing is counted", lp,
                 times);
}

static void again(void)
{
    unmask_again(smp_self());
    if (machine_meets() & NEED_SIBLING)
        unmask_again(smp_self() ^ 1);
}

static const struct vector lvtpc_rows[] = {
    CHECK("lvtpc.vectors", "the PMI comes on the vector of LVTPC, or as an NMI, and sets only the mask",
          .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = interrupt_vectors),
    CHECK("pmi.software-disabled", "while SVR bit 8 is 0, LVTPC is masked and stays so; it delivers again",
          .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = software_disabled),
    CHECK("lvtpc.held", "a fixed PMI waits for IF, TPR and the interrupt in service, whatever becomes of OVF",
          .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = held),
    CHECK("lvtpc.again", "as long as OVF stands, the PMI comes again each time LVTPC is unmasked",
          .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = again),
    CHECK("lvtpc.number", "each logical processor takes PMIs by its own LVTPC and TPR", .also = "E5",
          .needs = NEED_SIBLING | NEED_LAPIC, .stages = STAGE_PMI, .run = numbers),
};
VECTOR_GROUP(lvtpc);
