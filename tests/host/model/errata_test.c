/*
 * Errata of the counters that strike at a moment: E1 (torn write), E2 (lost carry), E9 (no OVF). None of them
 * strikes unless its variant is set.
 */
#include "tests/host/support/model_kit.h"

#define BIT_32 (1ull << 32)
#define PRESET 0x1234567890ull

static struct model_config with(bool e1, bool e2, bool e9)
{
    struct model_config config = KIT_F43;
    config.variants.e1_torn_write = e1;
    config.variants.e2_lost_carry = e2;
    config.variants.e9_unflagged = e9;
    return config;
}

/* What counter 12 holds after one write of PRESET over `before`, and after two. */
static void write_over(struct nbpmu *pmu, uint64_t before, uint64_t *once, uint64_t *twice)
{
    uint64_t cccr = kit_read(pmu, MSR_CCCR(12));
    kit_write(pmu, MSR_CCCR(12), 0);
    kit_write(pmu, MSR_COUNTER(12), before);
    kit_write(pmu, MSR_CCCR(12), cccr);
    kit_write(pmu, MSR_COUNTER(12), PRESET);
    *once = kit_counter(pmu, 12);
    kit_write(pmu, MSR_COUNTER(12), PRESET);
    *twice = kit_counter(pmu, 12);
}

/* The carry comes out of the old low half. A second write finds the new low half, which does not carry. */
TEST(e1_first_write_torn_second_good)
{
    for (int e1 = 0; e1 < 2; e1++) {
        struct nbpmu *pmu = kit_uop_counter(with(e1, false, false), 0, 0);
        uint64_t once, twice;
        write_over(pmu, BIT_32 - 1, &once, &twice);
        assert_int_equal(once, e1 ? PRESET + BIT_32 : PRESET);
        assert_int_equal(twice, PRESET);
        write_over(pmu, BIT_32 / 2, &once, &twice); /* far from a carry */
        assert_int_equal(once, PRESET);
        nbpmu_free(pmu);
    }
}

/* PCTR's remark at E1: not when CCCR = 0 at the time. */
TEST(e1_spares_a_stopped_counter)
{
    struct nbpmu *pmu = kit_new(with(true, false, false));
    kit_write(pmu, MSR_COUNTER(12), BIT_32 - 1);
    kit_write(pmu, MSR_COUNTER(12), PRESET);
    assert_int_equal(kit_counter(pmu, 12), PRESET);
    nbpmu_free(pmu);
}

/* Overflows of counter 12 without OVF among so many, each of them with its PMI when it asks for one. */
static unsigned unflagged(bool e9, uint64_t pmi_bit, unsigned overflows)
{
    struct nbpmu *pmu = kit_uop_counter(with(false, false, e9), 0, pmi_bit);
    unsigned count = 0;
    for (unsigned i = 0; i < overflows; i++) {
        kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | pmi_bit);
        kit_write(pmu, MSR_COUNTER(12), COUNTER_OVERFLOW_IN(1));
        kit_uops(pmu, 1);
        count += !kit_ovf(pmu, 12);
        assert_int_equal(kit_uops(pmu, 1), pmi_bit ? 1 : 0); /* R46 */
    }
    nbpmu_free(pmu);
    return count;
}

TEST(e9_some_pmis_without_ovf)
{
    assert_in_range(unflagged(true, CCCR_OVF_PMI_T0, 100), 1, 50);
    assert_int_equal(unflagged(true, 0, 100), 0);
    assert_int_equal(unflagged(false, CCCR_OVF_PMI_T0, 100), 0);
}

/* R49 repeats a PMI while OVF stands, so not one that set no OVF. */
TEST(e9_unflagged_pmi_is_not_repeated)
{
    struct nbpmu *pmu = kit_uop_counter(with(false, false, true), 0, 0);
    unsigned unflagged_pmis = 0;
    for (unsigned i = 0; i < 100; i++) {
        kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_OVF_PMI_T0);
        kit_write(pmu, MSR_COUNTER(12), COUNTER_OVERFLOW_IN(1));
        kit_uops(pmu, 1);
        assert_int_equal(kit_uops(pmu, 1), 1);
        assert_int_equal(nbpmu_lvtpc_unmasked(pmu, 0), kit_ovf(pmu, 12));
        unflagged_pmis += !kit_ovf(pmu, 12);
    }
    assert_true(unflagged_pmis > 0);
    nbpmu_free(pmu);
}

/* O8, N15: an access opens the input of a counter whose select is live, and adds the event's value: 1 for
 * clocks. */
TEST(e1_access_adds_the_events_value)
{
    for (int reads = 0; reads < 2; reads++) {
        struct model_config config = KIT_F43;
        config.variants.e1_write_adds = !reads;
        config.variants.e1_access_adds = reads;
        struct nbpmu *pmu = kit_new(config);
        drive_clocks(pmu, KIT_LP0, 1);
        kit_write(pmu, MSR_FSB_ESCR0, kit_escr(0x13, 1)); /* global_power_events */
        kit_write(pmu, MSR_CCCR(0), kit_cccr(6));         /* select FSB, not enabled */
        kit_write(pmu, MSR_COUNTER(0), PRESET);
        assert_int_equal(kit_counter(pmu, 0), PRESET + 1);
        assert_int_equal(kit_counter(pmu, 0), reads ? PRESET + 2 : PRESET + 1);
        kit_write(pmu, MSR_FSB_ESCR0, 0); /* a null event, and COMPARE is 0 */
        kit_write(pmu, MSR_COUNTER(0), PRESET);
        assert_int_equal(kit_counter(pmu, 0), PRESET);
        kit_write(pmu, MSR_CCCR(0), kit_cccr(6) | CCCR_COMPARE | CCCR_COMPLEMENT);
        kit_write(pmu, MSR_COUNTER(0), PRESET);
        assert_int_equal(kit_counter(pmu, 0), PRESET + 1);
        nbpmu_free(pmu);
    }
}

/* R14: IOQ_active_entries ignores the privilege level, and R13 is about thread-independent events alone. So
 * an access adds it even if the ESCR selects no level of any logical processor. IOQ_allocation obeys the
 * level. */
TEST(e1_access_adds_what_ignores_the_privilege_level)
{
    struct model_config config = KIT_F43;
    config.variants.e1_write_adds = true;
    struct nbpmu *pmu = kit_new(config);
    drive_clocks(pmu, KIT_BOTH, 1);
    kit_write(pmu, MSR_FSB_ESCR0, ESCR_EVENT_SELECT(0x03) | ESCR_EVENT_MASK(0xEFE1));
    kit_write(pmu, MSR_FSB_ESCR1, ESCR_EVENT_SELECT(0x1A) | ESCR_EVENT_MASK(0xEFE1));
    kit_write(pmu, MSR_CCCR(0), kit_cccr(6)); /* FSB_ESCR0 */
    kit_write(pmu, MSR_CCCR(2), kit_cccr(6)); /* FSB_ESCR1 */
    kit_write(pmu, MSR_COUNTER(0), PRESET);
    kit_write(pmu, MSR_COUNTER(2), PRESET);
    assert_int_equal(kit_counter(pmu, 0), PRESET);
    assert_int_equal(kit_counter(pmu, 2), PRESET + 1);
    nbpmu_free(pmu);
}
