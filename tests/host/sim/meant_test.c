/*
 * Faults with a name do what the name says: names of most themes of the table (sim/faults/names.c), each in a
 * small experiment, whose result follows from the rule and from the name, not from the composition that the
 * table has for it.
 */
#include "tests/host/support/fault_kit.h"

/* ---- What counter 12 counts of clocks with 1, 5, 9, 0 and 9 uops ---- */

#define ABOVE(threshold)     (CCCR_COMPARE | CCCR_THRESHOLD(threshold))
#define NOT_ABOVE(threshold) (ABOVE(threshold) | CCCR_COMPLEMENT)
#define EDGES(threshold)     (ABOVE(threshold) | CCCR_EDGE)

static const struct {
    const char *name;
    uint64_t bits, count;
} COUNTED[] = {
    {NULL, 0, 24}, /* R8: the value of a clock is its number of uops */
    {"counter-dead-12", 0, 0},
    {"counter-dead-13", 0, 24},
    {"counts-twice", 0, 48},
    {"counts-one", 0, 4},
    {"value-one-line", 0, 4},
    {"value-clipped-at-3", 0, 10},          /* 1, 3, 3, 0, 3 */
    {"value-clipped-at-7", 0, 20},          /* 1, 5, 7, 0, 7 */
    {"value-line-dead-0", 0, 20},           /* 0, 4, 8, 0, 8 */
    {"value-line-dead-3", 0, 8},            /* 1, 5, 1, 0, 1 */
    {"increment-bit-dead-12-bit-0", 0, 20}, /* 0, 4, 8, 0, 8 */
    {"increment-bit-dead-13-bit-0", 0, 24}, /* another counter */
    {"mask-shifted", 0, 0},                 /* the mask selects bit 0, which the uops are */
    {"select-off", 0, 0},                   /* uops_retired is 1, the fault selects 0 */
    {"mask-first-member", 0, 24},           /* one member alone */
    {"route-off", 0, 0},                    /* the ESCR of another select, which has no event */
    {"route-twin-12", 0, 0},                /* CRU_ESCR1 */
    {"route-twin-13", 0, 24},
    {"route-dead-CRU_ESCR0", 0, 0},
    {"route-dead-CRU_ESCR1", 0, 24},
    {"route-missing-12-CRU_ESCR0", 0, 0},
    {"route-missing-13-CRU_ESCR0", 0, 24},
    {"reading-wrong-12", 0, 24 + (1 << 20)}, /* bit 20 */
    {"reading-wrong-13", 0, 24},
    {NULL, ABOVE(4), 3}, /* R22: 5, 9, 9 */
    {"compare-dead-12", ABOVE(4), 24},
    {"threshold-dead-12", ABOVE(4), 4}, /* above 0 */
    {"threshold-dead-13", ABOVE(4), 3},
    {"threshold-ignored", ABOVE(4), 4},
    {"threshold-one-more", ABOVE(4), 2}, /* above 5 */
    {"threshold-one-more", ABOVE(0), 3}, /* above 1 */
    {"threshold-reached", ABOVE(4), 3},  /* no value is 4 */
    {"threshold-reached", ABOVE(5), 3},  /* and one is 5 */
    {"threshold-bit-dead-12-bit-2", ABOVE(4), 4},
    {"threshold-bit-dead-12-bit-1", ABOVE(4), 3},
    {"threshold-passes-value", ABOVE(4), 23}, /* 5, 9, 9 */
    {"compare-inverted-from-4", ABOVE(4), 0}, /* 5, 9, 9 are not above it then */
    {NULL, NOT_ABOVE(0), 1},                  /* R22: the clock without a uop */
    {"complement-dead-12", NOT_ABOVE(0), 4},
    {"complement-ignored", NOT_ABOVE(0), 4},
    {"complement-below", NOT_ABOVE(5), 2}, /* 1, 0; soundly 5, too */
    {"complement-passes-from-4", NOT_ABOVE(4), 5},
    {NULL, EDGES(4), 2}, /* R23: 1 to 5, and 0 to 9 */
    {"edge-ignored", EDGES(4), 3},
    {"edge-dead-12", EDGES(4), 3},
    {"edge-dead-13", EDGES(4), 2},
    {"edge-falling", EDGES(4), 1}, /* 9 to 0 */
    {"edge-both", EDGES(4), 3},
    {"edge-once", EDGES(4), 1},
    {"edge-without-compare", CCCR_EDGE, 2}, /* from 0 to more */
    {"gate-ignored-12", 0, 24},             /* ACTIVE_THREAD any: open anyway */
    {"one-halted-stops-all", 0, 0},         /* LP1 is halted (KIT_LP0) */
    {"t0-t1-swapped", 0, 0},                /* LP0 causes the uops, the ESCR has T0_OS and T0_USR */
    {"os-usr-swapped", 0, 24},              /* it has both */
};

TEST(what_is_counted)
{
    static const unsigned UOPS[] = {1, 5, 9, 0, 9, END};
    for (size_t i = 0; i < COUNT_OF(COUNTED); i++) {
        const char *name = COUNTED[i].name;
        const uint64_t count = counted(name, 0, COUNTED[i].bits, UOPS);
        if (count != COUNTED[i].count)
            fail_msg("%s with %llXH: %llu, not %llu", name ? name : "sound",
                     (unsigned long long)COUNTED[i].bits, (unsigned long long)count,
                     (unsigned long long)COUNTED[i].count);
    }
}

/* What goes between two levels is seen by these alone: 5, 1, 5 with threshold 4, and 0 (R23). */
TEST(edges_between)
{
    static const unsigned UOPS[] = {5, 1, 5, END};
    assert_int_equal(counted(NULL, 0, EDGES(4), UOPS), 2);
    assert_int_equal(counted("edge-rearms-at-0", 0, EDGES(4), UOPS), 1);
    assert_int_equal(counted("edge-ignores-threshold", 0, EDGES(4), UOPS), 1);
}

/* ---- Whose events are counted (R12, R13) ---- */

/* One event that LP0 causes at this CPL is counted by counter 8 (FIRM_ESCR0: packed_SP_uop, thread
 * independent) or 12 (uops) whose ESCR has these flags. */
static uint64_t counted_of(const char *name, bool is_ti, uint64_t flags, unsigned cpl)
{
    struct nbpmu *pmu = name ? faulty(name) : kit_new(KIT_F43);
    const struct lp_state lps[NBPMU_LPS] = {{true, (uint8_t)cpl}, {false, 0}};
    const uint64_t escr = is_ti ? ESCR_EVENT_SELECT(0x08) | ESCR_EVENT_MASK(1 << 15)
                                : ESCR_EVENT_SELECT(0x01) | ESCR_EVENT_MASK(1);
    kit_write(pmu, is_ti ? MSR_FIRM_ESCR0 : MSR_CRU_ESCR0, escr | flags);
    kit_write(pmu, MSR_CCCR(is_ti ? 8 : 12), kit_cccr(is_ti ? 1 : KIT_CRU) | CCCR_ENABLE);
    drive_event(pmu, is_ti ? NBPMU_PACKED_SP_UOP : NBPMU_UOPS_RETIRED, is_ti ? 15 : 0, 0, cpl, 1);
    drive_clocks(pmu, lps, 1);
    const uint64_t count = kit_counter(pmu, is_ti ? 8 : 12);
    nbpmu_free(pmu);
    return count;
}

TEST(whose_events)
{
    static const struct {
        const char *name;
        bool is_ti;
        uint64_t flags;
        unsigned cpl, count;
    } rows[] = {
        {NULL, false, 0, 0, 0},
        {NULL, false, ESCR_T0_OS, 0, 1},
        {NULL, false, ESCR_T0_USR, 2, 1},
        {NULL, true, 0, 0, 0},
        {NULL, true, ESCR_T1_OS, 0, 1},
        {"flags-ignored", false, 0, 0, 1},
        {"flags-ignored", true, 0, 0, 1},
        {"unqualified-for-12", false, 0, 0, 1},
        {"unqualified-for-13", false, 0, 0, 0},
        {"unqualified-for-8", true, 0, 0, 1},
        {"unqualified-for-9", true, 0, 0, 0},
        {"unqualified-CRU_ESCR0", false, 0, 0, 1},
        {"unqualified-FIRM_ESCR0", true, 0, 0, 1},
        {"unqualified-FIRM_ESCR1", true, 0, 0, 0},
        {"os-usr-swapped", false, ESCR_T0_USR, 0, 1},
        {"os-usr-swapped", false, ESCR_T0_OS, 0, 0},
        {"cpl-ignored", false, ESCR_T0_USR, 0, 1},
        {"cpl-ignored", false, ESCR_T1_USR, 0, 0},
        {"usr-is-cpl-3", false, ESCR_T0_USR, 2, 0},
        {"usr-is-cpl-3", false, ESCR_T0_USR, 3, 1},
        {"t0-t1-swapped", false, ESCR_T1_OS, 0, 1},
        {"ts-as-ti", false, ESCR_T1_OS, 0, 1},
        {"ti-as-ts", true, ESCR_T1_OS, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t count = counted_of(rows[i].name, rows[i].is_ti, rows[i].flags, rows[i].cpl);
        if (count != rows[i].count)
            fail_msg("%s with %llXH at CPL %u: %llu", rows[i].name ? rows[i].name : "sound",
                     (unsigned long long)rows[i].flags, rows[i].cpl, (unsigned long long)count);
    }
}

/* ---- Overflow and PMI ---- */

#define NEVER 20u

/* With so many uops in each clock, from start: the clock that sets OVF, and the one that raises a PMI. */
static void run_to_overflow(const char *name, uint64_t start, uint64_t bits, unsigned uops, unsigned at[2])
{
    struct nbpmu *pmu = name ? faulty(name) : kit_new(KIT_F43);
    set_up(pmu, 12, start, bits);
    at[0] = at[1] = NEVER;
    for (unsigned clock = 1; clock < NEVER; clock++) {
        const bool raised = kit_uops(pmu, uops);
        if (at[0] == NEVER && kit_ovf(pmu, 12))
            at[0] = clock;
        if (at[1] == NEVER && raised)
            at[1] = clock;
    }
    nbpmu_free(pmu);
}

TEST(overflow_and_pmi)
{
    const uint64_t in_2 = COUNTER_OVERFLOW_IN(2);
    const struct {
        const char *name;
        uint64_t start, bits;
        unsigned uops, ovf, pmi;
    } rows[] = {
        {NULL, in_2, CCCR_OVF_PMI_T0, 1, 2, 3}, /* R46: the PMI comes with the count after the overflow */
        {"ovf-missing", in_2, 0, 1, NEVER, NEVER},
        {"ovf-missing-12", in_2, 0, 1, NEVER, NEVER},
        {"ovf-missing-13", in_2, 0, 1, 2, NEVER},
        {"ovf-early", in_2, 0, 1, 1, NEVER},
        {"ovf-late", in_2, 0, 1, 3, NEVER},
        {NULL, in_2, 0, 3, 1, NEVER},
        {"step-over-missed", in_2, 0, 3, NEVER, NEVER}, /* from -2 to 1 */
        {"step-over-missed", in_2, 0, 2, 1, NEVER},     /* from -2 to 0 */
        {"ovf-at-carry-16", UINT16_MAX, 0, 1, 1, NEVER},
        {"ovf-at-carry-32", UINT32_MAX, 0, 1, 1, NEVER},
        {"ovf-at-carry-32", UINT16_MAX, 0, 1, NEVER, NEVER},
        {"wraps-at-32", UINT32_MAX, 0, 1, 1, NEVER},
        {"wraps-at-39", COUNTER_MASK >> 1, 0, 1, 1, NEVER},
        {NULL, 0, CCCR_FORCE_OVF, 1, 1, NEVER}, /* R31 */
        {"force-ignored", 0, CCCR_FORCE_OVF, 1, NEVER, NEVER},
        {"force-dead-12", 0, CCCR_FORCE_OVF, 1, NEVER, NEVER},
        {"force-dead-13", 0, CCCR_FORCE_OVF, 1, 1, NEVER},
        {"force-dead-several-12", 0, CCCR_FORCE_OVF, 1, 1, NEVER},
        {"force-dead-several-12", 0, CCCR_FORCE_OVF, 2, NEVER, NEVER},
        {"force-without-pmi", 0, CCCR_FORCE_OVF | CCCR_OVF_PMI_T0, 1, 1, NEVER},
        {"pmi-count-late", in_2, CCCR_OVF_PMI_T0, 1, 2, 4},
        {"pmi-at-overflow", in_2, CCCR_OVF_PMI_T0, 1, 2, 2},
        {"pmi-missing-12", in_2, CCCR_OVF_PMI_T0, 1, 2, NEVER},
        {"pmi-missing-13", in_2, CCCR_OVF_PMI_T0, 1, 2, 3},
        {"pmi-t0-dead", in_2, CCCR_OVF_PMI_T0, 1, 2, NEVER},
        {"pmi-t0-dead", in_2, CCCR_OVF_PMI_T1, 1, 2, 3},
        {"pmi-t1-dead", in_2, CCCR_OVF_PMI_T1, 1, 2, NEVER},
        {"pmi-t0-missing-12", in_2, CCCR_OVF_PMI_T0, 1, 2, NEVER},
        {"pmi-t1-missing-12", in_2, CCCR_OVF_PMI_T0, 1, 2, 3},
        {"pmi-unasked", in_2, 0, 1, 2, 3},
        {"cascade-pmi-lost", in_2, CCCR_OVF_PMI_T0 | CCCR_CASCADE, 1, 2, NEVER},
        {"cascade-pmi-lost", in_2, CCCR_OVF_PMI_T0, 1, 2, 3},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned at[2];
        run_to_overflow(rows[i].name, rows[i].start, rows[i].bits, rows[i].uops, at);
        if (at[0] != rows[i].ovf || at[1] != rows[i].pmi)
            fail_msg("%s, row %zu: OVF in clock %u, PMI in clock %u", rows[i].name ? rows[i].name : "sound",
                     i, at[0], at[1]);
    }
}

/* R27: a carry into bit 32. */
TEST(carries)
{
    static const unsigned ONE[] = {1, END};
    assert_int_equal(counted("carry-32-lost", UINT32_MAX, 0, ONE), 0);
    assert_int_equal(counted("carry-32-lost-12", UINT32_MAX, 0, ONE), 0);
    assert_int_equal(counted("carry-32-lost-13", UINT32_MAX, 0, ONE), UINT32_MAX + 1ull);
    assert_int_equal(counted("carry-sticks-12-bit-8", 255, 0, ONE), 255);
    assert_int_equal(counted("wraps-12-bit-8", 255, 0, ONE), 0);
    assert_int_equal(counted("wraps-12-bit-9", 255, 0, ONE), 256);
}

/* ---- Cascades: counter 12 overflows and starts 14 (fault_kit.h) ---- */

TEST(cascades)
{
    static const struct {
        const char *name;
        unsigned counts[3];
    } rows[] = {
        {NULL, {0, 2, 0}},
        {"cascade-dead", {0, 0, 0}},
        {"cascnt-dead", {0, 2, 0}},
        {"cascade-broken-12-14", {0, 0, 0}},
        {"cascade-broken-13-15", {0, 2, 0}},
        {"cascade-unconditional", {3, 3, 3}},
        {"cascade-early", {0, 3, 0}},
        {"cascade-late", {0, 0, 0}},
        {"cascade-outlives-ovf", {0, 2, 3}},
        {"cascade-outlives-flag", {0, 2, 0}},
        {"cascade-needs-enable", {0, 0, 0}},
        {"halts-not", {0, 2, 3}},
        {"halts-not-15", {0, 2, 0}},
        {"escr-starts-counting", {3, 3, 3}},
        {"overflow-stops", {0, 2, 0}}, /* 12 stops, its OVF stands */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_cascade(rows[i].name, rows[i].counts);
}

/* ---- Registers: what is read of one after writes of it, or of another one ---- */

TEST(registers)
{
    const uint64_t preset = 0x1180000001;
    const struct {
        const char *name;
        uint32_t written;
        uint64_t first, value; /* that are written, one after the other */
        uint32_t read;
        uint64_t result;
    } rows[] = {
        {NULL, MSR_COUNTER(3), 0, preset, MSR_COUNTER(3), preset},
        {"cccr-bit-13-at-0", MSR_CCCR(3), 0, CCCR_ESCR_SELECT(1), MSR_CCCR(3), 0},
        {"cccr-bit-13-at-1", MSR_CCCR(3), 0, 0, MSR_CCCR(3), CCCR_ESCR_SELECT(1)},
        {"escr-bit-25-at-0", MSR_CRU_ESCR0, 0, ESCR_EVENT_SELECT(1), MSR_CRU_ESCR0, 0},
        {"escr-bit-25-at-1", MSR_CRU_ESCR0, 0, 0, MSR_CRU_ESCR0, ESCR_EVENT_SELECT(1)},
        {"counter-alias-3-4", MSR_COUNTER(3), 0, preset, MSR_COUNTER(4), preset},
        {"counter-alias-2-3", MSR_COUNTER(3), 0, preset, MSR_COUNTER(4), 0},
        {"counter-alias-17-0", MSR_COUNTER(17), 0, preset, MSR_COUNTER(0), preset},
        {"cccr-alias-3-4", MSR_CCCR(3), 0, CCCR_EDGE, MSR_CCCR(4), CCCR_EDGE},
        {"escr-alias-CRU_ESCR0", MSR_CRU_ESCR0, 0, KIT_UOPS, MSR_CRU_ESCR1, KIT_UOPS},
        {"escr-alias-SSU_ESCR0", MSR_SSU_ESCR0, 0, KIT_UOPS, MSR_MS_ESCR0, KIT_UOPS},
        {"counter-sign-extended", MSR_COUNTER(3), 0, preset, MSR_COUNTER(3), 0xFF80000001},
        {"counter-loads-low", MSR_COUNTER(3), 0, preset, MSR_COUNTER(3), preset & UINT32_MAX},
        {"counter-high-lost-3", MSR_COUNTER(3), 0, preset, MSR_COUNTER(3), preset & UINT32_MAX},
        {"counter-high-lost-4", MSR_COUNTER(3), 0, preset, MSR_COUNTER(3), preset},
        {"cccr-write-loses-ovf", MSR_CCCR(3), 0, CCCR_OVF, MSR_CCCR(3), 0},
        {"ovf-cannot-be-cleared", MSR_CCCR(3), CCCR_OVF, 0, MSR_CCCR(3), CCCR_OVF},
        {"cccr-in-halves", MSR_CCCR(3), 0, CCCR_COMPARE | CCCR_OVF_PMI_T0, MSR_CCCR(3), CCCR_COMPARE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct nbpmu *pmu = rows[i].name ? faulty(rows[i].name) : kit_new(KIT_F43);
        kit_write(pmu, rows[i].written, rows[i].first);
        kit_write(pmu, rows[i].written, rows[i].value);
        const uint64_t result = kit_read(pmu, rows[i].read);
        if (result != rows[i].result)
            fail_msg("%s: %llXH", rows[i].name ? rows[i].name : "sound", (unsigned long long)result);
        nbpmu_free(pmu);
    }
}

/* What one access does to OVF of counter 3. */
TEST(side_effects)
{
    uint64_t value;
    struct nbpmu *pmu = faulty("ovf-cleared-by-reading");
    kit_write(pmu, MSR_CCCR(3), CCCR_OVF);
    kit_read(pmu, MSR_CCCR(3));
    assert_false(kit_ovf(pmu, 3));
    nbpmu_free(pmu);

    pmu = faulty("counter-write-clears-ovf");
    kit_write(pmu, MSR_CCCR(3), CCCR_OVF);
    kit_write(pmu, MSR_COUNTER(3), 1);
    assert_false(kit_ovf(pmu, 3));
    nbpmu_free(pmu);

    pmu = faulty("rdpmc-clears-ovf-3");
    kit_write(pmu, MSR_CCCR(3), CCCR_OVF);
    kit_counter(pmu, 3);
    assert_true(kit_ovf(pmu, 3));
    assert_true(nbpmu_rdpmc(pmu, 0, false, 3, &value));
    assert_false(kit_ovf(pmu, 3));
    nbpmu_free(pmu);

    pmu = faulty("rdpmc-index-5-bits");
    kit_write(pmu, MSR_COUNTER(3), 7);
    assert_true(nbpmu_rdpmc(pmu, 0, false, 32 + 3, &value));
    assert_int_equal(value, 7);
    nbpmu_free(pmu);
}
