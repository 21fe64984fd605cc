/* The constructors of pmc/netburst/regs.h against values and figures the manual prints. */
#include "tests/host/support/host_test.h"
#include "pmc/netburst/regs.h"

/* Example 18-2, the manual's own register values, composed as its text describes them. */
TEST(manual_example_18_2)
{
    uint64_t instr = ESCR_EVENT_SELECT(0x02) | ESCR_EVENT_MASK(1 << 0 | 1 << 1); /* NBOGUSNTAG, NBOGUSTAG */
    uint64_t any_4 = CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_ESCR_SELECT(4);

    assert_int_equal(instr | ESCR_T1_OS | ESCR_T1_USR, 0x04000603);
    assert_int_equal(any_4 | CCCR_OVF_PMI_T0 | CCCR_CASCNT, 0x04038800);
    assert_int_equal(instr | ESCR_T0_OS | ESCR_T0_USR, 0x0400060C);
    assert_int_equal(any_4 | CCCR_ENABLE, 0x00039000);
}

/* Figures 18-45 and 18-48, field by field, and pmu-rules 3.2. */
TEST(cccr_fields)
{
    assert_int_equal(CCCR_CASCNT, 1u << 11);
    assert_int_equal(CCCR_ENABLE, 1u << 12);
    assert_int_equal(CCCR_ESCR_SELECT_MASK, 7u << 13);
    assert_int_equal(CCCR_ACTIVE_MASK, 3u << 16);
    assert_int_equal(CCCR_COMPARE, 1u << 18);
    assert_int_equal(CCCR_COMPLEMENT, 1u << 19);
    assert_int_equal(CCCR_THRESHOLD_MASK, 15u << 20);
    assert_int_equal(CCCR_EDGE, 1u << 24);
    assert_int_equal(CCCR_FORCE_OVF, 1u << 25);
    assert_int_equal(CCCR_OVF_PMI, 1u << 26);
    assert_int_equal(CCCR_OVF_PMI_T0, 1u << 26);
    assert_int_equal(CCCR_OVF_PMI_T1, 1u << 27);
    assert_int_equal(CCCR_CASCADE, 1u << 30);
    assert_int_equal(CCCR_OVF, 1u << 31);
    /* R24: the usual rising-edge set-up; 18.15.5.2: threshold 6, complement set. */
    assert_int_equal(CCCR_COMPARE | CCCR_EDGE | CCCR_THRESHOLD(0), 0x01040000);
    assert_int_equal(CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(6), 0x006C0000);
    assert_int_equal(CCCR_GET_THRESHOLD(0x006C0000), 6);
    assert_int_equal(CCCR_GET_ESCR_SELECT(0x4403A000), 5);
    assert_int_equal(CCCR_GET_ACTIVE_THREAD(0x4403A000), 3);
    /* A value too big for its field stays inside it. */
    assert_int_equal(CCCR_ESCR_SELECT(15), 0x0000E000);
}

/* No two of these fields have a bit in common, and together they have all. */
static void expect_tiles(const uint64_t *fields, size_t count)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(seen & fields[i], 0);
        seen |= fields[i];
    }
    assert_true(seen == UINT64_MAX);
}

TEST(fields_tile_the_registers)
{
    const uint64_t cccr[] = {CCCR_RESERVED_LOW,   CCCR_CASCNT,       CCCR_ENABLE,     CCCR_ESCR_SELECT_MASK,
                             CCCR_ACTIVE_MASK,    CCCR_COMPARE,      CCCR_COMPLEMENT, CCCR_EDGE,
                             CCCR_THRESHOLD_MASK, CCCR_FORCE_OVF,    CCCR_OVF_PMI_T0, CCCR_OVF_PMI_T1,
                             CCCR_CASCADE,        CCCR_RESERVED_MID, CCCR_OVF,        CCCR_RESERVED_HIGH};
    const uint64_t escr[] = {ESCR_CPL_MASK,    ESCR_TAG_ENABLE,  ESCR_TAG_VALUE_MASK, ESCR_EVENT_MASK_MASK,
                             ESCR_SELECT_MASK, ESCR_RESERVED_31, ESCR_RESERVED_HIGH};
    expect_tiles(cccr, COUNT_OF(cccr));
    expect_tiles(escr, COUNT_OF(escr));
}

/* Figures 18-43 and 18-47, and pmu-rules 3.1. */
TEST(escr_fields)
{
    assert_int_equal(ESCR_T1_USR, 0x01);
    assert_int_equal(ESCR_T1_OS, 0x02);
    assert_int_equal(ESCR_T0_USR, 0x04);
    assert_int_equal(ESCR_T0_OS, 0x08);
    assert_int_equal(ESCR_USR, 0x04);
    assert_int_equal(ESCR_OS, 0x08);
    assert_int_equal(ESCR_T0_ALL, 0x0C);
    assert_int_equal(ESCR_T1_ALL, 0x03);
    assert_int_equal(ESCR_CPL_MASK, 0x0F);
    assert_int_equal(ESCR_TAG_ENABLE, 1u << 4);
    assert_int_equal(ESCR_TAG_VALUE_MASK, 15u << 5);
    assert_int_equal(ESCR_EVENT_MASK_MASK, 0xFFFFu << 9);
    assert_int_equal(ESCR_SELECT_MASK, 63u << 25);
    assert_int_equal(ESCR_RESERVED_31, 1u << 31);
}

/* ESCR values of pmu-rules 9 and R16, put together and taken apart. */
TEST(escr_values)
{
    assert_int_equal(ESCR_EVENT_SELECT(0x03) | ESCR_EVENT_MASK(0x20A1) | ESCR_T0_ALL, 0x0641420C);
    assert_int_equal(ESCR_EVENT_SELECT(0x3F) | ESCR_T0_ALL, 0x7E00000C);
    assert_int_equal(ESCR_EVENT_SELECT(0x08) | ESCR_EVENT_MASK(0x8000) | ESCR_T0_ALL, 0x1100000C);
    assert_int_equal(ESCR_TAG_VALUE(0xF) | ESCR_TAG_ENABLE, 0x000001F0);
    assert_int_equal(ESCR_GET_EVENT_SELECT(0x0641420C), 0x03);
    assert_int_equal(ESCR_GET_EVENT_MASK(0x0641420C), 0x20A1);
}

/* Presets of pmu-rules 3.3. */
TEST(counter_presets)
{
    static const struct {
        unsigned n;
        uint64_t value;
    } rows[] = {
        {1, 0xFFFFFFFFFF},   {199, 0xFFFFFFFF39}, {200, 0xFFFFFFFF38},
        {399, 0xFFFFFFFE71}, {400, 0xFFFFFFFE70}, {4096, 0xFFFFFFF000},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(COUNTER_OVERFLOW_IN(rows[i].n) == rows[i].value);
    assert_true(COUNTER_MASK == 0xFFFFFFFFFF);
    assert_int_equal(MSR_COUNTER(17), 0x311);
    assert_int_equal(MSR_CCCR(17), 0x371);
}

/* R50: LVTPC values. */
TEST(lvtpc_values)
{
    assert_int_equal(LVT_DELIVERY_NMI, 0x400);
    assert_int_equal(LVT_DELIVERY_SMI, 0x200);
    assert_int_equal(LVT_DELIVERY_EXTINT, 0x700);
    assert_int_equal(LVT_DELIVERY_FIXED | LVT_VECTOR(0x1F3), 0xF3);
    assert_int_equal(LVT_MASKED, 0x10000);
    assert_int_equal(LVT_PENDING, 0x1000);
}
