/*
 * When a composed fault acts (sim/faults/acts.c): after=N and every=N count what is written once and what
 * passes in a clock alike, however many clocks pass at once; events begin and end it; what changes nothing is
 * no act. rate_test.c has once-in=N, conditions_test.c what conditions mean.
 */
#include "tests/host/support/fault_kit.h"

#include <string.h>

/* So many acts there were, and so many were struck. */
static void expect_acts(const struct nbpmu *pmu, const char *text, uint64_t acts, uint64_t struck)
{
    uint64_t counted[2];
    assert_true(nbpmu_fault_acts(pmu, &counted[0], &counted[1]));
    if (counted[0] != acts || counted[1] != struck)
        fail_msg("%s: %llu acts, %llu struck, not %llu and %llu", text, (unsigned long long)counted[0],
                 (unsigned long long)counted[1], (unsigned long long)acts, (unsigned long long)struck);
}

/* ---- What is worked out when a register is written ---- */

#define WRITES 6

/* Counter 12 counts uops by CRU_ESCR0. That ESCR or its CCCR is written so often, the fourth time after 0.
 * After each write the CCCRs of others are written, and a uop retires. Which writes are those after which it
 * counts? */
static unsigned writes_that_count(const char *text, bool of_escr)
{
    const uint64_t cccr = kit_cccr(KIT_CRU) | CCCR_ENABLE;
    const uint32_t written = of_escr ? MSR_CRU_ESCR0 : MSR_CCCR(12);
    struct nbpmu *pmu = faulty(text);
    unsigned counting = 0;
    kit_write(pmu, of_escr ? MSR_CCCR(12) : MSR_CRU_ESCR0, of_escr ? cccr : KIT_UOPS);
    for (unsigned i = 0; i < WRITES; i++) {
        if (i == WRITES / 2)
            kit_write(pmu, written, 0);
        kit_write(pmu, written, of_escr ? KIT_UOPS : cccr);
        kit_write(pmu, MSR_CCCR(13), cccr);
        kit_write(pmu, MSR_CCCR(0), 0);
        const uint64_t before = kit_counter(pmu, 12);
        kit_uops(pmu, 1);
        counting |= (kit_counter(pmu, 12) != before ? 1u : 0u) << i;
    }
    nbpmu_free(pmu);
    return counting;
}

#define ALL_WRITES   FIELD_MASK(WRITES - 1, 0)
#define NTH_WRITE(n) (1u << ((n)-1))

TEST(a_write_is_one_act)
{
    static const struct {
        const char *text;
        bool of_escr;
        unsigned counting;
    } rows[] = {
        {"event-select.none@escr=CRU_ESCR1", true, ALL_WRITES},
        {"event-select.none", true, 0},
        {"event-select.none,after=1", true, NTH_WRITE(1) | NTH_WRITE(4)}, /* 0 begins it anew */
        {"event-select.none,after=2", true, ALL_WRITES & ~(NTH_WRITE(3) | NTH_WRITE(6))},
        {"event-select.neighbour,every=3", true, ALL_WRITES & ~(NTH_WRITE(3) | NTH_WRITE(6))},
        {"event-mask.none,every=2", true, ALL_WRITES & ~(NTH_WRITE(2) | NTH_WRITE(5))},
        {"event-mask.shifted,after=1", true, NTH_WRITE(1) | NTH_WRITE(4)},
        {"route.none@counter=13", false, ALL_WRITES},
        {"route.none,after=1", false, NTH_WRITE(1) | NTH_WRITE(4)},
        {"route.next,every=2", false, ALL_WRITES & ~(NTH_WRITE(2) | NTH_WRITE(5))},
        {"field.zero@field=select,after=2", false, ALL_WRITES & ~(NTH_WRITE(3) | NTH_WRITE(6))},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const unsigned counting = writes_that_count(rows[i].text, rows[i].of_escr);
        if (counting != rows[i].counting)
            fail_msg("%s: %XH, not %XH", rows[i].text, counting, rows[i].counting);
    }
}

/* ---- Clocks that pass at once, and one by one ---- */

/* Of each counter that moves in each clock: the ESCR select, and an ESCR with its event. */
#define GLOBAL_POWER    6 /* global_power_events, a state of each clock, by FSB_ESCR0 and 1 */
#define MEMORY_COMPLETE 2 /* SAAT_ESCR0 */
#define PACKED_SP       1 /* packed_SP_uop, thread independent (R13), by FIRM_ESCR0 and 1 */
#define PACKED(flags)   (ESCR_EVENT_SELECT(0x08) | ESCR_EVENT_MASK(1 << 15) | (flags))
#define EACH_CLOCK      (CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD(15)) /* no value is above 15 (R22) */

static void enable(struct nbpmu *pmu, unsigned n, unsigned select, uint64_t bits, uint64_t counts_to_overflow)
{
    kit_write(pmu, MSR_COUNTER(n), COUNTER_OVERFLOW_IN(counts_to_overflow));
    kit_write(pmu, MSR_CCCR(n), kit_cccr(select) | CCCR_ENABLE | bits);
}

/* Counters that a clock moves, or an event of the clock, so that each fault below acts on one of them. LP1,
 * which is active in the first clock, halts then. */
static struct nbpmu *clocked(const char *text)
{
    struct nbpmu *pmu = faulty(text);
    drive_states(pmu, KIT_BOTH);
    kit_write(pmu, MSR_FSB_ESCR0, kit_escr(0x13, 1));
    kit_write(pmu, MSR_FSB_ESCR1, ESCR_EVENT_SELECT(0x13) | ESCR_EVENT_MASK(1) | ESCR_T1_USR);
    kit_write(pmu, MSR_FIRM_ESCR0, PACKED(ESCR_T0_OS));
    kit_write(pmu, MSR_FIRM_ESCR1, PACKED(ESCR_T1_USR)); /* nobody is above CPL 0 */
    kit_write(pmu, MSR_SAAT_ESCR0, kit_escr(0x08, 1 << 1));
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_CRU_ESCR1, kit_escr(0x01, 1 << 1 | 1 << 0));
    enable(pmu, 0, GLOBAL_POWER, CCCR_OVF_PMI_T0, 70);
    enable(pmu, 1, GLOBAL_POWER, CCCR_COMPARE | CCCR_THRESHOLD(1), 5);
    enable(pmu, 2, GLOBAL_POWER, 0, 50);
    enable(pmu, 4, 0, EACH_CLOCK | CCCR_OVF_PMI_T1, 35);
    enable(pmu, 5, 0, EACH_CLOCK, 90);
    kit_write(pmu, MSR_CCCR(5),
              kit_cccr(0) | CCCR_ENABLE | EACH_CLOCK | CCCR_EDGE); /* field.kept: not EDGE */
    enable(pmu, 6, 0, EACH_CLOCK | CCCR_FORCE_OVF | CCCR_OVF_PMI_T0, 150);
    kit_write(pmu, MSR_CCCR(7), CCCR_ACTIVE_THREAD(ACTIVE_BOTH) | CCCR_ENABLE | EACH_CLOCK);
    enable(pmu, 8, PACKED_SP, 0, 90);
    enable(pmu, 9, MEMORY_COMPLETE, 0, 90);
    enable(pmu, 10, PACKED_SP, 0, 90);
    enable(pmu, 12, KIT_CRU, CCCR_OVF_PMI_T0, 100);
    enable(pmu, 13, KIT_CRU, CCCR_COMPARE | CCCR_THRESHOLD(3), 20);
    kit_write(pmu, MSR_CCCR(14), kit_cccr(KIT_CRU) | CCCR_CASCADE); /* which 12 starts (R34) */
    enable(pmu, 15, KIT_CRU, CCCR_COMPARE | CCCR_EDGE | CCCR_THRESHOLD(2), 3);
    nbpmu_advance(pmu, 1);
    drive_states(pmu, KIT_LP0);
    return pmu;
}

/* Stretches of clocks; so many uops retire in each clock. */
static const struct {
    unsigned uops, clocks;
} STRETCHES[] = {{3, 60}, {1, 40}, {0, 70}, {3, 30}};

static unsigned pass_stretch(struct nbpmu *pmu, unsigned uops, unsigned stretch, bool at_once)
{
    unsigned raised = 0;
    for (uint64_t left = stretch, clocks; left; left -= clocks) {
        clocks = at_once ? left : 1;
        if (uops) {
            nbpmu_event(pmu, 0, NBPMU_UOPS_RETIRED, 1, uops);
            nbpmu_event(pmu, 0, NBPMU_PACKED_SP_UOP, 1 << 15, 1);
            nbpmu_event(pmu, 0, NBPMU_MEMORY_COMPLETE, 1, 1);
        }
        raised |= uops && at_once ? nbpmu_repeat(pmu, &clocks) : nbpmu_advance(pmu, clocks);
        if (!at_once)
            kit_read(pmu, MSR_PEBS_ENABLE); /* ends the quiet clocks, which would pass at once */
    }
    return raised;
}

/* Returns how many acts there were when clocks passed one by one. */
static uint64_t expect_no_difference(const char *text, bool counts_clocks)
{
    struct nbpmu *single = clocked(text), *at_once = clocked(text);
    uint64_t acts, struck;
    for (size_t i = 0; i < COUNT_OF(STRETCHES); i++) {
        const unsigned uops = STRETCHES[i].uops, stretch = STRETCHES[i].clocks;
        const unsigned raised = pass_stretch(single, uops, stretch, false);
        if (pass_stretch(at_once, uops, stretch, true) != raised)
            fail_msg("%s: other PMIs in stretch %zu", text, i);
    }
    assert_true(nbpmu_fault_acts(single, &acts, &struck));
    if (counts_clocks)
        expect_acts(at_once, text, acts, struck);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const uint64_t value = kit_counter(at_once, n), expected = kit_counter(single, n);
        const uint64_t cccr = kit_read(at_once, MSR_CCCR(n)), expected_cccr = kit_read(single, MSR_CCCR(n));
        if (value != expected || cccr != expected_cccr)
            fail_msg("%s: counter %u is %llXH, CCCR %llXH, not %llXH, CCCR %llXH", text, n,
                     (unsigned long long)value, (unsigned long long)cccr, (unsigned long long)expected,
                     (unsigned long long)expected_cccr);
    }
    nbpmu_free(single);
    nbpmu_free(at_once);
    return acts;
}

/* clang-format off */
/* Faults of what is in each clock: with each tail of the test below a fault, unless that is refused. */
static const char *const OF_CLOCKS[] = {
    "match.never", "match.needs-all", "match.always",
    "qualify.never", "qualify.always", "qualify.by-other-lp", "qualify.flags-ignored",
    "clock-qualify.never", "clock-qualify.always",
    "field.zero@field=edge", "field.zero@field=compare", "field.zero@field=filter",
    "field.bit-inverted@field=complement", "field.bit-1@field=force-ovf", "field.neighbour@field=threshold",
    "field.zero@field=active", "field.zero@field=pmi-t0", "field.kept@field=edge",
    "value.bit-1@bit=2", "value.zero", "value.twice", "value.plus-1", "value.at-most-2",
    "gate.never", "gate.always", "gate.kept", "gate.gives-0",
    "threshold.never", "threshold.always", "threshold.zero", "threshold.minus-1", "threshold.bit-0@bit=0",
    "threshold.reached", "complement.never", "complement.inverted",
    "edge.never", "edge.always", "edge.inverted", "edge.rearms-at-0",
    "increment.zero", "increment.twice", "increment.bit-1@bit=1", "increment.also-neighbour",
    "increment.passes-value", "increment.at-most-2", "increment.half",
    "sum.bit-0@bit=2", "sum.bit-1@bit=3", "sum.bit-inverted@bit=1", "sum.clears-ovf",
    "carry.never@bit=3", "carry.twice@bit=1", "carry.sticks@bit=2", "carry.wraps@bit=5",
    "carry.overflows@bit=4", "carry.also-neighbour@bit=2",
    "carry-out.never", "carry-out.early", "carry-out.late-3", "carry-out.onto-0",
    "force.never", "force.always", "force.inverted",
    "ovf.never", "ovf.late-5", "ovf.also-next", "ovf.clears-counter", "ovf.inverted", "ovf.also-partner",
    "ovf.clears-ovf@on=partner",
    "request.never", "request.early", "request.late-4", "request.clears-ovf", "request.clears-counter",
    "pmi-targets.swapped", "link.never", "link.early", "link-source.none",
};
/* clang-format on */

TEST(clocks_may_pass_at_once)
{
    static const struct {
        const char *text;
        bool counts_clocks; /* each clock in which the fault acts is an act, and none is left out */
    } TAILS[] = {
        {"", false},
        {",after=10", true},
        {",every=3", true},
        {",once-in=2", true},
        {",after=overflow", false},
        {",until=overflow", false},
        {",while=negative", false},
        {",while=counting", true},
        {",while=not-counting", true},
        {",while=counting,every=3", true},
    };
    for (size_t i = 0; i < COUNT_OF(OF_CLOCKS); i++)
        for (size_t j = 0; j < COUNT_OF(TAILS); j++) {
            char text[128], error[1000];
            struct nbpmu_fault fault;
            snprintf(text, sizeof text, "%s%s", OF_CLOCKS[i], TAILS[j].text);
            if (!nbpmu_fault_compose(text, &fault, error, sizeof error)) /* it always counts, for example */
                continue;
            if (expect_no_difference(text, TAILS[j].counts_clocks) == 0 && TAILS[j].text[0] == '\0')
                fail_msg("%s does not act", text);
        }
}

/* Those drawn of all compositions. A fault that refuses accesses is left out, because nothing could be set
 * up. */
TEST(clocks_may_pass_at_once_with_drawn_faults)
{
    for (uint32_t number = 0; number < 1000; number++) {
        struct nbpmu_fault drawn;
        char text[256];
        nbpmu_fault_draw(&KIT_F43.part, (enum nbpmu_fault_class)(number % NBPMU_FAULT_CLASSES), 1, number,
                         &drawn);
        nbpmu_fault_text(&drawn, text, sizeof text);
        if (!nbpmu_fault_is_of_lvtpc(&drawn) && strncmp(text, "refusal.", strlen("refusal.")) != 0)
            expect_no_difference(text, false);
    }
}

/* ---- Events ---- */

/* Counter 12 has these bits, and no OVF, and overflows with the next count. Which clock raises its PMI? By
 * R46 it is the second one; NEVER: none. */
#define NEVER 20u
static unsigned pmi_of_next_overflow(struct nbpmu *pmu, uint64_t bits)
{
    unsigned clock = 0;
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_OVF_PMI_T0 | bits);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_OVERFLOW_IN(1));
    do
        clock++;
    while (!kit_uops(pmu, 1) && clock < NEVER);
    return clock;
}

TEST(events_begin_and_end_it)
{
    static const struct {
        const char *text;
        unsigned clocks[4]; /* of the PMIs of overflows; before the last one 0 is written to the CCCR */
    } rows[] = {
        {"request.late-3,after=pmi", {2, 5, 5, 2}},
        {"request.never,after=pmi", {2, NEVER, NEVER, 2}},
        {"request.late-3,until=pmi", {5, 2, 2, 5}},
        {"request.never,until=pmi", {NEVER, NEVER, NEVER, NEVER}}, /* none comes */
        {"request.late-3,after=overflow", {5, 5, 5, 5}},
        {"request.late-3,after=ovf-cleared", {2, 5, 5, 2}},
        {"request.late-3,after=hlt", {2, 2, 5, 2}}, /* before the third one */
        {"request.never,after=1", {2, NEVER, NEVER, 2}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct nbpmu *pmu = faulty(rows[i].text);
        kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
        for (unsigned j = 0; j < COUNT_OF(rows[i].clocks); j++) {
            if (j == 2) {
                drive_states(pmu, KIT_BOTH);
                drive_states(pmu, KIT_LP0);
            }
            if (j == 3)
                kit_write(pmu, MSR_CCCR(12), 0);
            const unsigned clock = pmi_of_next_overflow(pmu, 0);
            if (clock != rows[i].clocks[j])
                fail_msg("%s: PMI %u in clock %u, not %u", rows[i].text, j + 1, clock, rows[i].clocks[j]);
        }
        nbpmu_free(pmu);
    }
}

TEST(a_pmi_that_comes_ends_what_lasts_until_it)
{
    struct nbpmu *pmu = faulty("request.never,while=threshold,until=pmi");
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    assert_int_equal(pmi_of_next_overflow(pmu, CCCR_THRESHOLD(1)), NEVER);
    assert_int_equal(pmi_of_next_overflow(pmu, 0), 2);
    assert_int_equal(pmi_of_next_overflow(pmu, CCCR_THRESHOLD(1)), 2);
    nbpmu_free(pmu);
}

/* It belongs to no counter. */
TEST(a_write_of_cccr0_does_not_begin_the_history_of_lvtpc_anew)
{
    struct nbpmu *pmu = faulty("pmi-again.never,after=2");
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    assert_int_equal(pmi_of_next_overflow(pmu, 0), 2);
    assert_true(nbpmu_lvtpc_unmasked(pmu, 0)); /* R49 */
    assert_true(nbpmu_lvtpc_unmasked(pmu, 0));
    kit_write(pmu, MSR_CCCR(0), 0);
    assert_false(nbpmu_lvtpc_unmasked(pmu, 0));
    nbpmu_free(pmu);
}

/* ---- What is no act ---- */

static void write_cccr_4(struct nbpmu *pmu)
{
    kit_write(pmu, MSR_CCCR(4), CCCR_EDGE);
}

static void write_counter_4(struct nbpmu *pmu)
{
    kit_write(pmu, MSR_COUNTER(4), 7);
}

static void write_escr(struct nbpmu *pmu)
{
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
}

static void read_counter_4(struct nbpmu *pmu)
{
    kit_counter(pmu, 4);
}

static void overflow_with_pmi(struct nbpmu *pmu)
{
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    pmi_of_next_overflow(pmu, 0);
}

static void overflow_without_pmi(struct nbpmu *pmu)
{
    static const unsigned UOPS[] = {1, 1, 1, 1, 1, END};
    set_up(pmu, 12, COUNTER_OVERFLOW_IN(1), 0);
    clocks(pmu, UOPS);
}

TEST(what_changes_nothing_is_no_act)
{
    static const struct {
        const char *text;
        void (*happens)(struct nbpmu *pmu);
        unsigned acts[2]; /* when it has happened once, and twice */
    } rows[] = {
        {"cccr-write.also-neighbour", write_cccr_4, {1, 1}}, /* then the neighbour has that value */
        {"counter-write.also-next", write_counter_4, {1, 1}},
        {"escr-write.also-neighbour", write_escr, {1, 1}},
        {"cccr-write.not-written", write_cccr_4, {1, 2}},
        {"cccr-write.bit-1@field=edge", write_cccr_4, {0, 0}},
        {"cccr-write.clears-ovf@on=neighbour", write_cccr_4, {0, 0}},
        {"counter-read.zero", read_counter_4, {0, 0}},
        {"counter-read.bit-1@bit=4", read_counter_4, {1, 2}},
        {"request.late-2", overflow_with_pmi, {1, 2}},
        {"request.late-2", overflow_without_pmi, {0, 0}},
        {"request.never", overflow_without_pmi, {0, 0}},
        {"pmi-targets.none", overflow_without_pmi, {0, 0}},
        {"gate.always", overflow_without_pmi, {0, 0}},
        {"carry.never@bit=1", overflow_without_pmi, {3, 6}}, /* of 5 counts: -2, -1, -2, -1, -2 */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct nbpmu *pmu = faulty(rows[i].text);
        for (unsigned j = 0; j < COUNT_OF(rows[i].acts); j++) {
            rows[i].happens(pmu);
            expect_acts(pmu, rows[i].text, rows[i].acts[j], rows[i].acts[j]);
        }
        nbpmu_free(pmu);
    }
}
