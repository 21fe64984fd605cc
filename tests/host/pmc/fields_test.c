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

/* A field, and how many bits it has. */
struct field {
    uint64_t mask;
    unsigned bits;
};

/* From bit 0 on the fields follow one another without a gap. */
static void expect_fields(const struct field *fields)
{
    unsigned at = 0;
    for (; at < 64; at += fields++->bits)
        assert_true(fields->mask == FIELD_MASK64(fields->bits - 1, 0) << at);
    assert_int_equal(at, 64);
}

/* Figures 18-45 and 18-48, and pmu-rules 3.2. */
TEST(cccr_fields)
{
    expect_fields((struct field[]){{CCCR_RESERVED_LOW, 11},
                                   {CCCR_CASCNT, 1},
                                   {CCCR_ENABLE, 1},
                                   {CCCR_ESCR_SELECT_MASK, 3},
                                   {CCCR_ACTIVE_MASK, 2},
                                   {CCCR_COMPARE, 1},
                                   {CCCR_COMPLEMENT, 1},
                                   {CCCR_THRESHOLD_MASK, 4},
                                   {CCCR_EDGE, 1},
                                   {CCCR_FORCE_OVF, 1},
                                   {CCCR_OVF_PMI_T0, 1},
                                   {CCCR_OVF_PMI_T1, 1},
                                   {CCCR_RESERVED_MID, 2},
                                   {CCCR_CASCADE, 1},
                                   {CCCR_OVF, 1},
                                   {CCCR_RESERVED_HIGH, 32}});
    assert_int_equal(CCCR_OVF_PMI, CCCR_OVF_PMI_T0);
    /* R24: the usual rising-edge set-up; 18.15.5.2: threshold 6, complement set. */
    assert_int_equal(CCCR_COMPARE | CCCR_EDGE | CCCR_THRESHOLD(0), 0x01040000);
    assert_int_equal(CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(6), 0x006C0000);
    assert_int_equal(CCCR_GET_THRESHOLD(0x006C0000), 6);
    assert_int_equal(CCCR_GET_ESCR_SELECT(0x4403A000), 5);
    assert_int_equal(CCCR_GET_ACTIVE_THREAD(0x4403A000), 3);
    /* A value too big for its field stays inside it. */
    assert_int_equal(CCCR_ESCR_SELECT(15), 0x0000E000);
}

/* Figures 18-43 and 18-47, and pmu-rules 3.1. */
TEST(escr_fields)
{
    expect_fields((struct field[]){{ESCR_T1_USR, 1},
                                   {ESCR_T1_OS, 1},
                                   {ESCR_T0_USR, 1},
                                   {ESCR_T0_OS, 1},
                                   {ESCR_TAG_ENABLE, 1},
                                   {ESCR_TAG_VALUE_MASK, 4},
                                   {ESCR_EVENT_MASK_MASK, 16},
                                   {ESCR_SELECT_MASK, 6},
                                   {ESCR_RESERVED_31, 1},
                                   {ESCR_RESERVED_HIGH, 32}});
    assert_true(ESCR_USR == ESCR_T0_USR && ESCR_OS == ESCR_T0_OS && ESCR_CPL_MASK == 0x0F);
    assert_true(ESCR_T0_ALL == 0x0C && ESCR_T1_ALL == 0x03);
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
