/*
 * tests/suite/pmi_counter.c: the handler counts each PMI at the logical processor that took it, leaves LVTPC
 * masked in the mode of the test, and ends a fixed interrupt, and no NMI, by an EOI. The local APIC is a few
 * variables.
 */
#include "kernel/board/board.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/lapic.h"
#include "one_run.h"
#include "pmc/netburst/setup.h"
#include "tests/host/support/msr_record.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/witness.h"

static pmi_handler *handler;
static uint32_t lvtpc, lvtpc_when_drained;
static unsigned eois, drains;
static bool apic_present;
static uint32_t errata;

STUB(void, pmi_set_handler, (pmi_handler * new_handler), (void)(handler = new_handler));
STUB(void, pmi_drain, (void), (void)(drains++, lvtpc_when_drained = lvtpc, handler = NULL));
STUB(uint32_t, lvtpc_read, (void), lvtpc);
STUB(void, lvtpc_write, (uint32_t value), (void)(lvtpc = value));
STUB(unsigned, smp_self, (void), 0);
STUB(void, lapic_eoi, (void), (void)eois++);
STUB(bool, lapic_present, (void), apic_present);
STUB(bool, machine_has_erratum, (uint32_t erratum), (errata & erratum) != 0);
STUB(void, work_exercise, (const struct workload *work, uint32_t n));

BEFORE_EACH(begin)
{
    record_reset();
    forget_log();
    handler = NULL;
    lvtpc = LVT_MASKED;
    eois = drains = 0;
    apic_present = true;
    errata = 0;
}

/* A PMI as the local APIC delivers it: it masks LVTPC. */
static void take(unsigned lp, bool nmi)
{
    lvtpc |= LVT_MASKED;
    handler(NULL, lp, nmi);
}

#define LVTPC(mode) ((mode) | LVT_VECTOR(INTERRUPT_PMI))

TEST(pmis_are_counted_where_they_were_taken)
{
    pmi_arm();
    assert_int_equal(lvtpc, LVTPC(LVT_DELIVERY_FIXED));
    assert_int_equal(pmi_taken(0) + pmi_taken(1), 0);
    take(1, false);
    assert_int_equal(lvtpc, LVTPC(LVT_DELIVERY_FIXED) | LVT_MASKED);
    take(1, false);
    take(0, false);
    assert_true(pmi_taken(0) == 1 && pmi_taken(1) == 2 && eois == 3);
    pmi_arm();
    pmi_unmask_as(LVT_DELIVERY_NMI);
    assert_int_equal(lvtpc, LVTPC(LVT_DELIVERY_NMI));
    assert_int_equal(pmi_taken(0) + pmi_taken(1), 0);
    take(0, true);
    assert_int_equal(lvtpc, LVTPC(LVT_DELIVERY_NMI) | LVT_MASKED);
    assert_true(eois == 3 && pmi_taken_as_nmis(0) == 1 && pmi_taken_as_nmis(1) == 0);
    pmi_arm();
    take(0, false);
    assert_int_equal(pmi_taken_as_nmis(0), 0);
}

TEST(lvtpc_has_the_other_vector_as_long_as_that_is_asked_for)
{
    pmi_use_vector_too(true);
    pmi_arm();
    assert_int_equal(lvtpc, LVT_DELIVERY_FIXED | LVT_VECTOR(INTERRUPT_PMI_TOO));
    pmi_use_vector_too(false);
    pmi_mask();
    assert_int_equal(lvtpc, LVTPC(LVT_DELIVERY_FIXED) | LVT_MASKED);
}

TEST(each_delivery_that_leaves_lvtpc_unmasked_is_counted)
{
    pmi_arm();
    handler(NULL, 1, false); /* delivered without masking */
    assert_int_equal(lvtpc, LVTPC(LVT_DELIVERY_FIXED) | LVT_MASKED);
    take(1, false);
    take(0, false);
    assert_true(pmi_found_unmasked(0) == 0 && pmi_found_unmasked(1) == 1);
    pmi_arm();
    assert_int_equal(pmi_found_unmasked(1), 0);
}

/* One EOI ends the service, however often it is asked for; NMIs have none. */
TEST(an_eoi_may_be_late)
{
    pmi_arm();
    pmi_delay_eoi();
    assert_false(pmi_owes_eoi());
    take(1, false); /* of the other logical processor */
    assert_true(eois == 1 && !pmi_owes_eoi());
    take(0, true);
    assert_true(eois == 1 && !pmi_owes_eoi());
    take(0, false);
    assert_true(eois == 1 && pmi_owes_eoi());
    pmi_eoi();
    pmi_eoi();
    assert_true(eois == 2 && !pmi_owes_eoi());
    take(0, false);
    assert_true(eois == 3 && !pmi_owes_eoi());
    pmi_delay_eoi();
    take(0, false);
    pmi_disarm();
    assert_true(eois == 4 && !pmi_owes_eoi());
}

/* A late NMI must still be known as a PMI, so the mode changes after the drain. */
TEST(disarming_masks_and_drains_in_the_mode_of_the_test)
{
    pmi_arm();
    pmi_unmask_as(LVT_DELIVERY_NMI);
    pmi_disarm();
    assert_int_equal(drains, 1);
    assert_int_equal(lvtpc_when_drained, LVTPC(LVT_DELIVERY_NMI) | LVT_MASKED);
    assert_int_equal(lvtpc, LVTPC(LVT_DELIVERY_FIXED) | LVT_MASKED);
    assert_null(handler);

    pmi_arm();
    apic_present = false;
    pmi_disarm();
    assert_int_equal(drains, 1);
    assert_null(handler);
}

/* As long as a vector says that NMIs may be its PMIs, and no longer. */
TEST(nmis_are_no_witness_while_pmis_come_as_nmis)
{
    pmi_arm();
    witness_without_nmis(true);
    witness_begin();
    board_nmis++;
    assert_int_equal(witness_seen(), 0);
    pmi_disarm();
    assert_int_equal(witness_seen(), 0);
    board_nmis++;
    assert_int_equal(witness_seen(), WITNESS_INTERRUPT);
    witness_without_nmis(true);
    pmi_arm();
    witness_begin();
    board_nmis++;
    assert_int_equal(witness_seen(), WITNESS_INTERRUPT);
}

TEST(a_pmi_is_due_where_its_flag_says_but_for_e5)
{
    static const struct vector row = {.id = "a.b", .title = "a title", .also = "R1"};

    expect_begin(&row, true);
    for (unsigned taken = 0; taken <= 2; taken++)
        for (unsigned lp = 0; lp < 2; lp++) {
            assert_int_equal(pmi_due(lp, true, taken), 1);
            assert_int_equal(pmi_due(lp, false, taken), 0);
        }
    assert_false(log_has("erratum"));
    errata = PMC_E5;
    assert_int_equal(pmi_due(0, true, 0), 1);
    assert_int_equal(pmi_due(1, true, 1), 1);
    assert_int_equal(pmi_due(1, true, 2), 1);
    assert_int_equal(pmi_due(1, false, 0), 0);
    assert_false(log_has("erratum"));
    assert_int_equal(pmi_due(1, true, 0), 0);
    assert_true(log_has("# erratum E5: "));
}
