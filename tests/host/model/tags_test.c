/*
 * Tagging in the model: pmu-rules 4.6, R15, R44.
 */
#include "tests/host/support/model_kit.h"

/* packed_SP_uop with tag enable and tag value 1, as Table 19-32 programs it, for LP0. */
#define TAGGED_SP (kit_escr(0x08, 0x8000) | ESCR_TAG_ENABLE | ESCR_TAG_VALUE(1))

/* Tags of a uop of lp with the logical processors in these states. */
static unsigned tags(struct nbpmu *pmu, enum nbpmu_event event, unsigned mask_bit, unsigned lp,
                     const struct lp_state lps[NBPMU_LPS])
{
    drive_states(pmu, lps);
    return nbpmu_tags(pmu, lp, event, mask_bit);
}

static void powered_by(struct nbpmu *pmu, unsigned counter)
{
    kit_write(pmu, MSR_CCCR(counter), kit_cccr(0) | CCCR_ENABLE);
}

TEST(tag_value_of_an_upstream_uop)
{
    struct nbpmu *pmu = kit_new(KIT_F64);
    powered_by(pmu, 8);
    assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 0);
    kit_write(pmu, MSR_FIRM_ESCR0, TAGGED_SP);
    assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 1);
    assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 3, 0, KIT_LP0), 0); /* another member */
    assert_int_equal(tags(pmu, NBPMU_PACKED_DP_UOP, 15, 0, KIT_LP0), 0);
    kit_write(pmu, MSR_FIRM_ESCR0, TAGGED_SP & ~ESCR_TAG_ENABLE);
    assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 0);
    nbpmu_free(pmu);
}

/* Both ESCRs of the pair may tag the same uop, each with its own value. */
TEST(both_sides_tag)
{
    struct nbpmu *pmu = kit_new(KIT_F64);
    powered_by(pmu, 8);
    kit_write(pmu, MSR_FIRM_ESCR0, TAGGED_SP);
    kit_write(pmu, MSR_FIRM_ESCR1, (TAGGED_SP & ~ESCR_TAG_VALUE_MASK) | ESCR_TAG_VALUE(4));
    assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 5);
    nbpmu_free(pmu);
}

/* Table 19-31: uop_type tags by its mask bit alone. */
TEST(uop_type_tags)
{
    struct nbpmu *pmu = kit_new(KIT_F64);
    powered_by(pmu, 14); /* R44: 14 reaches RAT_ESCR1, the twin of RAT_ESCR0 */
    kit_write(pmu, MSR_RAT_ESCR0, kit_escr(0x02, 2));
    assert_int_equal(tags(pmu, NBPMU_UOP_TYPE, 1, 0, KIT_LP0), 1);
    assert_int_equal(tags(pmu, NBPMU_UOP_TYPE, 2, 0, KIT_LP0), 0);
    nbpmu_free(pmu);
}

/* Table 19-33: so do the replay events. */
TEST(replay_events_tag)
{
    struct nbpmu *pmu = kit_new(KIT_F64);
    powered_by(pmu, 0);
    powered_by(pmu, 10);
    kit_write(pmu, MSR_MOB_ESCR0, kit_escr(0x03, 0x30));  /* PARTIAL_DATA and UNALGN_ADDR */
    kit_write(pmu, MSR_SAAT_ESCR1, kit_escr(0x04, 0x02)); /* SPLIT_LD */
    kit_write(pmu, MSR_SAAT_ESCR0, kit_escr(0x05, 0x02)); /* SPLIT_ST */
    assert_int_equal(tags(pmu, NBPMU_MOB_LOAD_REPLAY, 4, 0, KIT_LP0), 1);
    assert_int_equal(tags(pmu, NBPMU_MOB_LOAD_REPLAY, 1, 0, KIT_LP0), 0);
    assert_int_equal(tags(pmu, NBPMU_LOAD_PORT_REPLAY, 1, 0, KIT_LP0), 1);
    assert_int_equal(tags(pmu, NBPMU_STORE_PORT_REPLAY, 1, 0, KIT_LP0), 1);
    kit_write(pmu, MSR_CCCR(10), 0);
    assert_int_equal(tags(pmu, NBPMU_LOAD_PORT_REPLAY, 1, 0, KIT_LP0), 0); /* R44 */
    nbpmu_free(pmu);
}

/* R11 and R13: the upstream ESCR qualifies like one that counts. */
TEST(qualification)
{
    static const struct lp_state USER[NBPMU_LPS] = {{true, 3}, {true, 3}};
    static const struct lp_state SPLIT[NBPMU_LPS] = {{true, 0}, {true, 3}};
    struct nbpmu *single = kit_new(KIT_F64), *ht = kit_new(KIT_F43);
    powered_by(single, 8);
    powered_by(ht, 8);
    uint64_t os_only = (TAGGED_SP & ~ESCR_CPL_MASK) | ESCR_T0_OS;
    kit_write(single, MSR_FIRM_ESCR0, os_only);
    kit_write(ht, MSR_FIRM_ESCR0, os_only);
    assert_int_equal(tags(single, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 1);
    assert_int_equal(tags(single, NBPMU_PACKED_SP_UOP, 15, 0, USER), 0);
    assert_int_equal(tags(ht, NBPMU_PACKED_SP_UOP, 15, 1, SPLIT), 1); /* TI: LP0 at CPL 0 is enough */
    assert_int_equal(tags(ht, NBPMU_PACKED_SP_UOP, 15, 0, USER), 0);
    nbpmu_free(single);
    nbpmu_free(ht);
}

/* R44: nothing is tagged unless a counter of the ESCR or its twin is enabled; question 11.2: ENABLE or
 * started. */
TEST(power)
{
    for (int strict = 0; strict < 2; strict++) {
        struct model_config config = KIT_F64;
        config.variants.strict_power = strict;
        struct nbpmu *pmu = kit_new(config);
        kit_write(pmu, MSR_FIRM_ESCR0, TAGGED_SP);
        assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 0);
        powered_by(pmu, 12); /* cannot be attached to FIRM */
        assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 0);
        kit_write(pmu, MSR_CCCR(8), kit_cccr(0) | CCCR_OVF);
        kit_write(pmu, MSR_CCCR(10), kit_cccr(4) | CCCR_CASCADE); /* started by the OVF that stands */
        assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), !strict);
        powered_by(pmu, 9);
        assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 1);
        nbpmu_free(pmu);
    }
}

/* R15: tag bits change nothing about what the event itself counts. */
TEST(r15_tagging_does_not_count)
{
    struct nbpmu *pmu = kit_counting(KIT_F64, 8, 1, MSR_FIRM_ESCR0, TAGGED_SP);
    drive_event(pmu, NBPMU_PACKED_SP_UOP, 15, 0, 0, 2);
    assert_int_equal(kit_clock(pmu, 8, KIT_LP0), 2);
    nbpmu_free(pmu);
}

/* E23: cleared without power, an ESCR goes on tagging with the variant, until it is cleared with power. */
TEST(e23_tags_linger)
{
    for (unsigned linger = 0; linger <= 1; linger++) {
        struct model_config config = KIT_F64;
        config.variants.tags_linger = linger;
        struct nbpmu *pmu = kit_new(config);
        kit_write(pmu, MSR_FIRM_ESCR0, TAGGED_SP);
        powered_by(pmu, 8);
        kit_write(pmu, MSR_CCCR(8), 0);
        kit_write(pmu, MSR_FIRM_ESCR0, 0);
        assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 0);
        powered_by(pmu, 8);
        assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), linger);
        assert_int_equal(kit_read(pmu, MSR_FIRM_ESCR0), 0);
        kit_write(pmu, MSR_FIRM_ESCR0, 0);
        assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 0);
        kit_write(pmu, MSR_FIRM_ESCR0, TAGGED_SP);
        kit_write(pmu, MSR_FIRM_ESCR0, 0); /* with power */
        assert_int_equal(tags(pmu, NBPMU_PACKED_SP_UOP, 15, 0, KIT_LP0), 0);
        nbpmu_free(pmu);
    }
}
