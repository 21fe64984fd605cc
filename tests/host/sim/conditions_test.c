/*
 * The conditions of composed faults (sim/faults/conditions.c): each holds where its text says so, and does
 * not in a state nearby. Each row leads a PMU into a state, in which one fault acts while the condition holds
 * for counter 16, and another one while it does not. There the first one shall act, or the second one.
 */
#include "sim/faults/grammar.h"
#include "tests/host/support/fault_kit.h"

#include <string.h>

/* The counter at hand. By CASCADE counter 14 starts it, its cascade partner, and by bit 11 counter 17, its
 * neighbour (R34, R35). It has the ESCR of 12 and 13, CRU_ESCR0. */
#define OWN 16

/* ---- Steps that lead to a state ---- */

enum what { NOTHING, WRITE, WRITE_BY_LP1, READ, CLOCK, RUN, HALT, LOOK };

struct step {
    enum what what;
    uint32_t at; /* a register, a logical processor, or a counter */
    uint64_t value;
};

/* clang-format off */
#define SELECTING(select) (CCCR_ESCR_SELECT(select) | CCCR_ACTIVE_THREAD(ACTIVE_ANY))
#define CCCR_OF(n, select, bits) {WRITE, MSR_CCCR(n), SELECTING(select) | (bits)}
#define CCCR(n, bits)     CCCR_OF(n, KIT_CRU, bits)
#define CCCR_BY_LP1(n)    {WRITE_BY_LP1, MSR_CCCR(n), SELECTING(KIT_CRU)}
#define CCCR_ACTIVE(a)    {WRITE, MSR_CCCR(OWN), CCCR_ESCR_SELECT(KIT_CRU) | CCCR_ACTIVE_THREAD(a)}
#define COUNTER(n, value) {WRITE, MSR_COUNTER(n), value}
#define ESCR(bits)        {WRITE, MSR_CRU_ESCR0, bits}
#define ESCR1(bits)       {WRITE, MSR_CRU_ESCR1, bits}
#define READ_COUNTER(n)   {READ, MSR_COUNTER(n), 0}
#define READ_CCCR(n)      {READ, MSR_CCCR(n), 0}
#define UOPS(number)      {CLOCK, 0, number} /* a clock in which LP0 retires so many */
#define LP_RUNS(lp, cpl)  {RUN, lp, cpl}
#define LOOK_AT(n)        {LOOK, n, 0} /* in this row it is the counter at hand */
#define LP_HALTS(lp)      {HALT, lp, 3} /* its CPL does not matter then */
/* clang-format on */

/* An event, uops_retired, and its member NBOGUS. */
#define EVENT   ESCR_EVENT_SELECT(0x01)
#define MASK    ESCR_EVENT_MASK(1)
#define COUNTED (EVENT | MASK | ESCR_T0_OS)

/* ESCR selects of counters 12 to 17 (R17): CRU_ESCR2 or 3, and nothing. */
#define OTHER_ESCR   (KIT_CRU + 1)
#define WITHOUT_ESCR 7

#define LAST     COUNTER_OVERFLOW_IN(1)
#define HALF     (1ull << (COUNTER_BITS - 1))
#define ALL_BITS (FIELD_MASK(31, 11) & ~(CCCR_ESCR_SELECT_MASK | CCCR_RESERVED_MID))

struct row {
    const char *condition;
    bool holds;
    struct step steps[8];
};
/* clang-format off */
/* These bits of the CCCR alone, and all others. */
#define OF_CCCR(name, bits) {name, true, {CCCR(OWN, bits)}}, {name, false, {CCCR(OWN, ALL_BITS & ~(bits))}}
/* clang-format on */

/* Conditions for which a fault of what is read may ask. */
static const struct row BETWEEN_CLOCKS[] = {
    /* ---- Its CCCR and its ESCR ---- */
    OF_CCCR("compare", CCCR_COMPARE),
    OF_CCCR("complement", CCCR_COMPLEMENT),
    OF_CCCR("threshold", CCCR_THRESHOLD_MASK),
    {"threshold", true, {CCCR(OWN, CCCR_THRESHOLD(8))}},
    OF_CCCR("edge", CCCR_EDGE),
    OF_CCCR("force-ovf", CCCR_FORCE_OVF),
    OF_CCCR("pmi-t0", CCCR_OVF_PMI_T0),
    OF_CCCR("pmi-t1", CCCR_OVF_PMI_T1),
    OF_CCCR("cascade", CCCR_CASCADE),
    OF_CCCR("bit-11", CCCR_CASCNT),
    OF_CCCR("ovf", CCCR_OVF),
    OF_CCCR("enabled", CCCR_ENABLE),
    OF_CCCR("armed", CCCR_CASCADE | CCCR_CASCNT),
    {"armed", true, {CCCR(OWN, CCCR_CASCNT)}},
    {"armed", true, {CCCR(OWN, CCCR_CASCADE)}},
    {"gated", true, {CCCR_ACTIVE(ACTIVE_NONE)}},
    {"gated", true, {CCCR_ACTIVE(ACTIVE_SINGLE)}},
    {"gated", true, {CCCR_ACTIVE(ACTIVE_BOTH)}},
    {"gated", false, {CCCR_ACTIVE(ACTIVE_ANY)}},
    {"os-alone", true, {ESCR(EVENT | ESCR_T0_OS)}},
    {"os-alone", true, {ESCR(EVENT | ESCR_T1_OS)}},
    {"os-alone", false, {ESCR(EVENT | ESCR_T0_OS | ESCR_T1_USR)}},
    {"os-alone", false, {ESCR(EVENT)}},
    {"usr-alone", true, {ESCR(EVENT | ESCR_T0_USR)}},
    {"usr-alone", true, {ESCR(EVENT | ESCR_T1_USR)}},
    {"usr-alone", false, {ESCR(EVENT | ESCR_T0_USR | ESCR_T1_OS)}},
    {"usr-alone", false, {ESCR(EVENT)}},
    {"t1-alone", true, {ESCR(EVENT | ESCR_T1_USR)}},
    {"t1-alone", true, {ESCR(EVENT | ESCR_T1_ALL)}},
    {"t1-alone", false, {ESCR(EVENT | ESCR_T1_ALL | ESCR_T0_OS)}},
    {"t1-alone", false, {ESCR(EVENT)}},
    {"no-flags", true, {ESCR(EVENT)}},
    {"no-flags", false, {ESCR(EVENT | ESCR_T1_USR)}},
    {"no-flags", false, {ESCR(MASK)}}, /* no event */
    {"no-os", true, {ESCR(EVENT)}},
    {"no-os", true, {ESCR(EVENT | ESCR_T0_USR | ESCR_T1_USR)}},
    {"no-os", false, {ESCR(EVENT | ESCR_T1_OS)}},
    {"no-os", false, {ESCR(MASK | ESCR_T0_USR)}},
    {"no-mask", true, {ESCR(EVENT | ESCR_T0_OS)}},
    {"no-mask", false, {ESCR(EVENT | MASK)}},
    {"no-mask", false, {ESCR(ESCR_T0_OS)}},
    {"no-mask", false, {ESCR1(EVENT | ESCR_T0_OS)}}, /* another ESCR */
    {"full-mask", true, {ESCR(EVENT | ESCR_EVENT_MASK_MASK)}},
    {"full-mask", false, {ESCR(EVENT | (ESCR_EVENT_MASK_MASK & ~MASK))}},
    {"full-mask", false, {ESCR1(EVENT | ESCR_EVENT_MASK_MASK)}},
    {"escr-shared", true, {CCCR(12, CCCR_ENABLE)}},
    {"escr-shared", false, {CCCR(OWN, CCCR_ENABLE), CCCR(17, CCCR_ENABLE)}}, /* CRU_ESCR1 */
    {"escr-shared", false, {CCCR_OF(12, OTHER_ESCR, CCCR_ENABLE)}},
    {"escr-shared", false, {CCCR_OF(OWN, WITHOUT_ESCR, 0), CCCR_OF(12, WITHOUT_ESCR, CCCR_ENABLE)}},
    {"escr-taken", false, {CCCR(12, CCCR_ENABLE), CCCR(OWN, CCCR_ENABLE), LOOK_AT(12)}},
    {"escr-taken", true, {CCCR(13, CCCR_ENABLE)}},
    {"escr-taken", false, {CCCR_OF(OWN, WITHOUT_ESCR, 0), CCCR_OF(12, WITHOUT_ESCR, CCCR_ENABLE)}},
    {"escr-taken", false, {CCCR(OWN, CCCR_ENABLE), CCCR(14, CCCR_ENABLE), CCCR(17, CCCR_ENABLE)}},

    /* ---- What it does, and what was done to it ---- */
    {"runs", true, {CCCR(OWN, CCCR_ENABLE)}},
    {"runs", true, {CCCR(OWN, CCCR_CASCADE), CCCR(14, CCCR_OVF)}},
    {"runs", false, {CCCR(OWN, CCCR_CASCADE), CCCR(17, CCCR_ENABLE | CCCR_OVF)}},
    {"counting", true, {ESCR(COUNTED), CCCR(OWN, CCCR_ENABLE), UOPS(1)}},
    {"counting", false, {ESCR(COUNTED), CCCR(OWN, CCCR_ENABLE), UOPS(1), UOPS(0)}},
    {"counting", false, {ESCR(COUNTED), CCCR(OWN, CCCR_ENABLE), UOPS(1), CCCR(OWN, 0)}},
    {"counting", false, {ESCR(COUNTED), CCCR(OWN, CCCR_ENABLE | CCCR_COMPARE | CCCR_THRESHOLD(1)), UOPS(1)}},
    {"negative", true, {COUNTER(OWN, HALF)}},
    {"negative", false, {COUNTER(OWN, HALF - 1)}},
    {"positive", true, {COUNTER(OWN, HALF - 1)}},
    {"positive", false, {COUNTER(OWN, HALF)}},
    {"due", true, {ESCR(COUNTED), COUNTER(OWN, LAST), CCCR(OWN, CCCR_ENABLE | CCCR_OVF_PMI_T0), UOPS(1)}},
    {"due",
     false,
     {ESCR(COUNTED), COUNTER(OWN, LAST), CCCR(OWN, CCCR_ENABLE | CCCR_OVF_PMI_T0), UOPS(1), UOPS(1)}},
    {"due", true, {ESCR(COUNTED), COUNTER(OWN, LAST), CCCR(OWN, CCCR_ENABLE), UOPS(1)}},
    {"due", false, {CCCR(OWN, CCCR_ENABLE | CCCR_OVF_PMI_T0 | CCCR_OVF)}}, /* R30 */
    {"written-by-lp0", true, {CCCR_BY_LP1(OWN), CCCR(OWN, 0)}},
    {"written-by-lp0", false, {CCCR_BY_LP1(OWN)}},
    {"written-by-lp1", true, {CCCR_BY_LP1(OWN)}},
    {"written-by-lp1", false, {CCCR_BY_LP1(OWN), CCCR(OWN, 0)}},
    {"written-by-lp1", false, {CCCR_BY_LP1(12), {WRITE_BY_LP1, MSR_COUNTER(OWN), 0}}},
    {"was-read", true, {READ_COUNTER(OWN), CCCR(12, 0), COUNTER(OWN, 0)}},
    {"was-read", false, {READ_COUNTER(OWN), CCCR(OWN, 0)}},
    {"was-read", false, {READ_COUNTER(12), READ_CCCR(OWN)}},

    /* ---- Others that run. OVF of 15 starts 13 and 17. ---- */
    {"alone", true, {CCCR(OWN, CCCR_ENABLE), CCCR(17, CCCR_OVF)}},
    {"alone", false, {CCCR(0, CCCR_ENABLE)}},
    {"alone", false, {CCCR(17, CCCR_CASCADE), CCCR(15, CCCR_OVF)}},
    {"neighbour-enabled", true, {CCCR(17, CCCR_ENABLE)}},
    {"neighbour-enabled", false, {CCCR(OWN, CCCR_ENABLE), CCCR(14, CCCR_ENABLE), CCCR(15, CCCR_ENABLE)}},
    {"neighbour-enabled", false, {CCCR(17, CCCR_CASCADE), CCCR(15, CCCR_OVF)}},
    {"neighbour-runs", true, {CCCR(17, CCCR_ENABLE)}},
    {"neighbour-runs", true, {CCCR(17, CCCR_CASCADE), CCCR(15, CCCR_OVF)}},
    {"neighbour-runs", false, {CCCR(OWN, CCCR_ENABLE), CCCR(14, CCCR_ENABLE), CCCR(15, CCCR_ENABLE)}},
    {"block-runs", true, {CCCR(12, CCCR_ENABLE)}},
    {"block-runs", true, {CCCR(17, CCCR_CASCADE), CCCR(15, CCCR_OVF)}},
    {"block-runs", true, {CCCR(OWN, CCCR_CASCADE), CCCR(17, CCCR_ENABLE)}},
    {"block-runs", false, {CCCR(OWN, CCCR_CASCADE), CCCR(14, CCCR_ENABLE)}},
    {"block-runs", false, {CCCR(OWN, CCCR_CASCNT), CCCR(17, CCCR_ENABLE)}},
    {"block-runs", false, {CCCR(OWN, CCCR_ENABLE), CCCR(11, CCCR_ENABLE)}},

    /* ---- Cascades ---- */
    {"started", true, {CCCR(OWN, CCCR_CASCADE), CCCR(14, CCCR_OVF)}},
    {"started", true, {CCCR(OWN, CCCR_CASCNT), CCCR(17, CCCR_OVF)}},
    {"started", true, {CCCR(OWN, CCCR_CASCADE | CCCR_ENABLE), CCCR(14, CCCR_OVF)}},
    {"started", false, {CCCR(OWN, CCCR_CASCADE | CCCR_ENABLE), CCCR(17, CCCR_OVF)}},
    {"started", false, {CCCR(OWN, CCCR_CASCADE), CCCR(14, CCCR_OVF), CCCR(14, 0)}}, /* R38 */
    {"awaited", true, {CCCR(12, CCCR_CASCNT)}},
    {"awaited", false, {CCCR(12, CCCR_CASCADE), CCCR(17, CCCR_CASCADE)}}, /* they wait for 14 and 15 */
    {"x-ovf", true, {CCCR(OWN, CCCR_CASCADE), CCCR(14, CCCR_OVF)}},
    {"x-ovf", true, {CCCR(OWN, CCCR_CASCNT), CCCR(17, CCCR_OVF)}},
    {"x-ovf", false, {CCCR(OWN, CCCR_CASCNT | CCCR_OVF), CCCR(14, CCCR_OVF)}},
    {"x-ovf", false, {CCCR(14, CCCR_OVF), CCCR(17, CCCR_OVF)}}, /* nothing could start it */
    {"x-enabled", true, {CCCR(OWN, CCCR_CASCADE), CCCR(14, CCCR_ENABLE)}},
    {"x-enabled", true, {CCCR(OWN, CCCR_CASCNT), CCCR(17, CCCR_ENABLE)}},
    {"x-enabled", false, {CCCR(OWN, CCCR_CASCADE | CCCR_ENABLE), CCCR(17, CCCR_ENABLE)}},
    {"x-enabled", false, {CCCR(OWN, CCCR_CASCADE), CCCR(14, CCCR_CASCADE), CCCR(12, CCCR_OVF)}},
    {"x-enabled", false, {CCCR(14, CCCR_ENABLE), CCCR(17, CCCR_ENABLE)}},
    {"x-armed", true, {CCCR(OWN, CCCR_CASCADE), CCCR(14, CCCR_CASCADE)}},
    {"x-armed", true, {CCCR(OWN, CCCR_CASCNT), CCCR(17, CCCR_CASCNT)}},
    {"x-armed", false, {CCCR(OWN, CCCR_CASCADE), CCCR(17, CCCR_CASCADE)}},
    {"x-armed", false, {CCCR(14, CCCR_CASCADE), CCCR(17, CCCR_CASCADE)}},
    {"x-started", true, {CCCR(OWN, CCCR_CASCADE), CCCR(14, CCCR_CASCADE), CCCR(12, CCCR_OVF)}},
    {"x-started", true, {CCCR(OWN, CCCR_CASCNT), CCCR(17, CCCR_CASCADE), CCCR(15, CCCR_OVF)}},
    {"x-started", false, {CCCR(OWN, CCCR_CASCADE), CCCR(14, CCCR_CASCADE | CCCR_ENABLE)}},
    {"x-started", false, {CCCR(OWN, CCCR_CASCADE), CCCR(17, CCCR_CASCADE), CCCR(15, CCCR_OVF)}},
    {"block-started", true, {CCCR(13, CCCR_CASCADE), CCCR(15, CCCR_OVF)}},
    {"block-started", true, {CCCR(OWN, CCCR_CASCADE), CCCR(13, CCCR_CASCADE), CCCR(15, CCCR_OVF)}},
    {"block-started",
     false,
     {CCCR(OWN, CCCR_CASCADE), CCCR(12, CCCR_CASCADE), CCCR(14, CCCR_OVF)}}, /* by 14 */
    {"block-started", false, {CCCR(9, CCCR_CASCADE), CCCR(11, CCCR_OVF)}},
    {"block-started", false, {CCCR(13, CCCR_CASCADE | CCCR_ENABLE)}},
    {"partner-ovf", true, {CCCR(14, CCCR_OVF)}},
    {"partner-ovf", false, {CCCR(OWN, CCCR_OVF), CCCR(12, CCCR_OVF), CCCR(17, CCCR_OVF)}},
    {"block-ovf", true, {CCCR(12, CCCR_OVF)}},
    {"block-ovf", false, {CCCR(OWN, CCCR_OVF), CCCR(11, CCCR_OVF)}},
    {"foreign-ovf", true, {CCCR(11, CCCR_OVF)}},
    {"foreign-ovf", false, {CCCR(OWN, CCCR_OVF), CCCR(12, CCCR_OVF)}},

    /* ---- The logical processors: at first LP0 runs at CPL 0, and LP1 is halted ---- */
    {"lp1-active", true, {LP_RUNS(1, 0)}},
    {"lp1-active", false, {LP_RUNS(1, 0), LP_HALTS(1)}},
    {"lp-halted", true, {LP_RUNS(1, 0), LP_HALTS(1)}},
    {"lp-halted", true, {LP_RUNS(1, 0), LP_HALTS(0)}},
    {"lp-halted", false, {LP_RUNS(1, 0)}},
    {"above-cpl-0", true, {LP_RUNS(0, 3)}},
    {"above-cpl-0", true, {LP_RUNS(1, 1)}},
    {"above-cpl-0", false, {LP_RUNS(1, 0)}},
    {"above-cpl-0", false, {LP_RUNS(1, 3), LP_HALTS(1)}},
};

/* Conditions of a clock, in which the counter overflows. Only on counters 2 and 3 an event has 4 occurrences:
 * the fault has no place. */
#define OVERFLOWING(n) COUNTER(n, LAST), CCCR(n, CCCR_ENABLE)
static const struct row IN_A_CLOCK[] = {
    {"several", true, {ESCR(COUNTED), OVERFLOWING(OWN), UOPS(2)}},
    {"several", false, {ESCR(COUNTED), OVERFLOWING(OWN), UOPS(1)}},
    {"from-4", true, {ESCR(COUNTED), OVERFLOWING(OWN), UOPS(4)}},
    {"from-4", false, {ESCR(COUNTED), OVERFLOWING(OWN), UOPS(3)}},
    {"overflows-meet", true, {ESCR(COUNTED), OVERFLOWING(12), OVERFLOWING(OWN), UOPS(1)}},
    {"overflows-meet", false, {ESCR(COUNTED), CCCR(12, CCCR_ENABLE), OVERFLOWING(OWN), UOPS(1)}},
    {"overflows-meet", false, {ESCR(COUNTED), OVERFLOWING(12), UOPS(1), OVERFLOWING(OWN), UOPS(1)}},
    {"overflows-meet", false, {ESCR(COUNTED), ESCR1(COUNTED), OVERFLOWING(17), OVERFLOWING(OWN), UOPS(1)}},
};

/* ---- Does the fault act? ---- */

static void take(struct nbpmu *pmu, const struct step *step)
{
    uint64_t value;
    switch (step->what) {
    case WRITE:
    case WRITE_BY_LP1:
        assert_true(nbpmu_wrmsr(pmu, step->what == WRITE_BY_LP1, step->at, step->value));
        break;
    case READ:
        assert_true(nbpmu_rdmsr(pmu, 0, step->at, &value));
        break;
    case CLOCK:
        if (step->value)
            nbpmu_event(pmu, 0, NBPMU_UOPS_RETIRED, 1, (unsigned)step->value);
        nbpmu_advance(pmu, 1);
        break;
    case RUN:
    case HALT:
        nbpmu_set_lp(pmu, step->at, step->what == RUN, (unsigned)step->value);
        break;
    default:
        break;
    }
}

/* Where the row has a step of this kind; `nowhere`, if it has none. */
static uint32_t place_of_step(const struct row *row, enum what what, uint32_t nowhere)
{
    for (size_t i = 0; i < COUNT_OF(row->steps); i++)
        if (row->steps[i].what == what)
            return row->steps[i].at;
    return nowhere;
}

/* Reads a logical processor that runs the counter as what it does not hold? */
static bool is_misread(struct nbpmu *pmu, const struct row *row)
{
    struct nbpmu_view view;
    uint64_t value;
    const unsigned n = place_of_step(row, LOOK, OWN), halted = place_of_step(row, HALT, 1);
    nbpmu_look(pmu, n, &view);
    assert_true(nbpmu_rdpmc(pmu, halted ^ 1, true, n, &value));
    return value != view.value;
}

/* Has the counter, which has overflowed, no OVF? */
static bool lacks_ovf(struct nbpmu *pmu, const struct row *row)
{
    struct nbpmu_view view;
    nbpmu_look(pmu, OWN, &view);
    if (view.value >= HALF)
        fail_msg("a row of %s does not end with the overflow", row->condition);
    return !view.ovf;
}

/* This fault acts in the state of the row while its condition holds, or does not; acts() sees it. */
static void expect(const struct row *row, const char *fault,
                   bool (*acts)(struct nbpmu *pmu, const struct row *row))
{
    static const char *const WHILE[] = {"while=not-", "while="};
    for (unsigned holds = 0; holds < COUNT_OF(WHILE); holds++) {
        char text[128];
        snprintf(text, sizeof text, "%s,%s%s", fault, WHILE[holds], row->condition);
        struct nbpmu *pmu = faulty(text);
        /* At first the counters of the block select CRU_ESCR0 or CRU_ESCR1, and none is enabled. */
        for (unsigned n = 12; n < PMC_COUNTERS; n++)
            kit_write(pmu, MSR_CCCR(n), SELECTING(KIT_CRU));
        for (size_t i = 0; i < COUNT_OF(row->steps); i++)
            take(pmu, &row->steps[i]);
        if (acts(pmu, row) != (row->holds == holds))
            fail_msg("%s %s in the state of which row %s it", text,
                     row->holds == holds ? "does not act" : "acts", row->holds ? "says" : "denies");
        nbpmu_free(pmu);
    }
}

TEST(conditions_between_clocks)
{
    for (size_t i = 0; i < COUNT_OF(BETWEEN_CLOCKS); i++)
        expect(&BETWEEN_CLOCKS[i], "counter-read.bit-inverted@bit=20", is_misread);
}

TEST(conditions_in_a_clock)
{
    for (size_t i = 0; i < COUNT_OF(IN_A_CLOCK); i++)
        expect(&IN_A_CLOCK[i], "ovf.never", lacks_ovf);
}

static bool has_row(const struct row *rows, size_t count, const char *condition, bool holds)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].condition, condition) == 0 && rows[i].holds == holds)
            return true;
    return false;
}

TEST(each_condition_has_a_row_where_it_holds_and_one_where_it_does_not)
{
    for (unsigned i = 0; i < nbpmu_fault_condition_count; i++)
        for (unsigned holds = 0; holds < 2; holds++) {
            const char *name = nbpmu_fault_conditions[i].name;
            if (!has_row(BETWEEN_CLOCKS, COUNT_OF(BETWEEN_CLOCKS), name, holds) &&
                !has_row(IN_A_CLOCK, COUNT_OF(IN_A_CLOCK), name, holds))
                fail_msg("no row where '%s' %s", name, holds ? "holds" : "does not hold");
        }
}
