/*
 * LVTPC of the two logical processors: each has an entry of its own (10.5.1, 18.16.2; R45, R49 to R51).
 *
 * A write of one entry, and a PMI that it delivers, leaves the other one alone, whichever was written last:
 * the mask of an entry that has delivered a PMI stands until that entry is written. A counter whose
 * OVF_PMI_T0 and OVF_PMI_T1 are both set requests PMIs of both logical processors as long as OVF is set. So
 * if it overflows while both entries are masked, each entry interrupts when it is unmasked, whichever comes
 * first.
 */
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/x86/trap.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/companion.h"
#include "tests/suite/repeat.h"
#include "tests/suite/stimulus.h"

#define UNUSED_INTERRUPT 0x55u /* the kernel uses it for nothing */

/* ---- The entries ---- */

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

/* Disabling the local APIC here by software masks the entries here alone. */
static void beside_a_disabled_apic(uint32_t theirs)
{
    hold_begin(theirs);
    const bool were_on = irq_off();
    const uint32_t svr = lapic_read(LAPIC_SVR), timer = lapic_read(LAPIC_LVT_TIMER);

    lapic_write(LAPIC_SVR, svr & ~LAPIC_SVR_ENABLE);
    lapic_write(LAPIC_SVR, svr);
    lapic_mask_lvt();
    lapic_write(LAPIC_LVT_TIMER, timer);
    irq_restore(were_on);
    hold_end();
    expect_register(RULES(R53, R50), theirs, other.found, "LVTPC of the sibling after SVR bit 8 was 0 here");
}

/* The entries differ. One of the two is written last. */
static void written_after_each_other(uint32_t ours, uint32_t theirs, bool ours_last)
{
    other.written = theirs;
    if (!ours_last)
        lvtpc_write(ours);
    companion_do(write_sibling, NULL, false);
    if (ours_last)
        lvtpc_write(ours);
    const uint32_t found = lvtpc_read();
    companion_do(read_sibling, NULL, false);
    for (unsigned i = 0; i < 2; i++)
        expect_register(R50, i ? theirs : ours, i ? other.found : found,
                        "LVTPC of LP%u, that of LP%u written last", smp_self() ^ i, smp_self() ^ !ours_last);
    pmi_mask();
}

static void each_its_own(void)
{
    static const uint32_t ENTRIES[] = {
        LVT_DELIVERY_FIXED | LVT_VECTOR(UNUSED_INTERRUPT), LVT_DELIVERY_FIXED | LVT_VECTOR(0xAA) | LVT_MASKED,
        LVT_DELIVERY_NMI | LVT_VECTOR(0xAA) | LVT_MASKED, LVT_DELIVERY_NMI | LVT_VECTOR(0xAA)};

    companion_begin();
    for (unsigned i = 0; i < COUNT_OF(ENTRIES); i++)
        for (unsigned j = 0; j < COUNT_OF(ENTRIES); j++)
            if (i != j) {
                written_after_each_other(ENTRIES[i], ENTRIES[j], false);
                written_after_each_other(ENTRIES[i], ENTRIES[j], true);
            }
    companion_end();
}

static void own(void)
{
    beside_a_disabled_apic(LVT_DELIVERY_FIXED | LVT_VECTOR(UNUSED_INTERRUPT));
    each_its_own();
}

/* ---- A vector number of its own ---- */

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
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);
    const uint32_t ours = entry(to, self, NUMBERS[swapped]), theirs = entry(to, self ^ 1, NUMBERS[!swapped]);
    const uint32_t written[] = {ours, theirs};

    for (unsigned i = 0; i < COUNT_OF(NUMBERS); i++)
        came[i][0] = came[i][1] = 0;
    if (ours_first)
        lvtpc_write(ours);
    hold_begin(theirs);
    if (!ours_first)
        lvtpc_write(ours);
    p.cccr |= (to & 1 ? CCCR_OVF_PMI_T0 : 0) | (to & 2 ? CCCR_OVF_PMI_T1 : 0);
    pmi_overflow(&p, &work_jmp);
    pmi_wait_for_delivery();
    pmc_stop_all();
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

static void numbers(void)
{
    for (unsigned i = 0; i < COUNT_OF(NUMBERS); i++)
        trap_set_handler(NUMBERS[i], count_number);
    for (unsigned to = 1; to <= 3; to++)
        for (unsigned i = 0; i < 4; i++)
            request(to, i & 1, i & 2);
    for (unsigned i = 0; i < COUNT_OF(NUMBERS); i++)
        trap_set_handler(NUMBERS[i], NULL);
}

/* ---- A request to both ---- */

static const uint8_t COUNTERS[] = {12, 15};

static void expect_taken(unsigned lp, unsigned due, unsigned counter, const char *when)
{
    const unsigned taken = pmi_taken(lp);

    expect_equal(due ? RULES(R49, R45) : R50, pmi_due(lp, due, taken), taken,
                 "PMIs of counter %u on LP%u, %s", counter, lp, when);
}

/* Unmask the entry here or the sibling's, and wait for the PMI. */
static void unmask(bool here)
{
    if (here)
        pmi_unmask();
    else
        companion_take_pmis();
    pmi_wait_for_delivery();
}

/* open: the first entry is unmasked before the overflow already. */
static void each_when_unmasked(unsigned counter, bool here_first, bool open)
{
    const unsigned first = here_first ? smp_self() : smp_self() ^ 1u;
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, counter);
    unsigned runs = 0;
    bool stands;

    p.cccr |= CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1;
    pmi_arm(LVT_DELIVERY_FIXED);
    pmi_mask();
    do { /* a PMI without OVF (E9), which may happen now and then, is no longer requested */
        pmc_stop_all();
        if (open)
            unmask(here_first);
        pmi_overflow(&p, &work_jmp);
        msr_write(p.escr_msr, 0);
        pmi_wait_for_delivery();
        stands = pmc_overflowed(counter);
    } while (++runs < TRIES && !stands);
    const unsigned taken = open ? runs : stands;
    expect_true(R29, stands, "OVF of counter %u, an LVTPC masked", counter);
    expect_taken(first, open ? taken : 0, counter,
                 open ? "its LVTPC unmasked, the other one masked" : "both LVTPC masked");
    expect_taken(first ^ 1, 0, counter, "its LVTPC masked");
    if (!open)
        unmask(here_first);
    expect_taken(first, taken, counter, "its LVTPC unmasked first");
    expect_taken(first ^ 1, 0, counter, "its LVTPC still masked");
    unmask(!here_first);
    expect_taken(first, taken, counter, "its LVTPC unmasked before the other one");
    expect_taken(first ^ 1, stands, counter, "its LVTPC unmasked at last");
    pmc_stop_all();
}

static void both(void)
{
    for (unsigned i = 0; i < 4 * COUNT_OF(COUNTERS); i++) {
        companion_begin();
        each_when_unmasked(COUNTERS[i / 4], i % 2, i & 2);
        companion_end();
        pmi_disarm();
    }
}

static const struct vector lvtpc_own_rows[] = {
    CHECK("lvtpc.own", "each logical processor has an LVTPC of its own", .needs = NEED_SIBLING | NEED_LAPIC,
          .run = own),
    CHECK("lvtpc.number", "each logical processor takes PMIs by the vector of its own LVTPC", .also = "E5",
          .needs = NEED_SIBLING | NEED_LAPIC, .run = numbers),
    CHECK("lvtpc.both", "a request to both logical processors interrupts each when its LVTPC is unmasked",
          .also = "E5", .needs = NEED_SIBLING | NEED_LAPIC, .run = both),
};
VECTOR_GROUP(lvtpc_own);
