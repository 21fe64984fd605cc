/*
 * How a counter shows that it has a stage of the PMU: with the event of its block that is easiest to cause. A
 * test asks for what is essential; the vectors ask for the rest.
 */
#include "stages.h"

#include "bits.h"
#include "companion.h"
#include "documented.h"
#include "expect.h"
#include "kernel/smp/smp.h"
#include "machine.h"
#include "measure.h"
#include "pmc/msr.h"
#include "pmi_counter.h"
#include "stimulus.h"

#define MORE      (RUN_LONG - RUN_SHORT)
#define FAR       (1ull << 30) /* no test counts so far */
#define NEAR      20           /* counts to the overflow of what counts clocks */
#define BY_NOTE_1 8            /* instr_retired may count so many otherwise (note 1 of Table 19-29) */
#define UNTAGGED  8            /* tagged uops where nothing is tagged (pmu-rules 8.3) */

/* ---- What a counter counts ---- */

/* Clocks, calls, packed_SP uops, instructions. */
static enum stimulus_id event_of(unsigned counter)
{
    return PMC_COUNTER[counter].block == BLOCK_IQ ? STIMULUS_INSTRUCTIONS : stimulus_a(counter);
}

static bool counts_clocks(unsigned counter)
{
    return event_of(counter) == STIMULUS_CLOCKS;
}

static const char *name_of(unsigned counter)
{
    return STIMULUS[event_of(counter)].name;
}

static uint64_t spread_of_event(unsigned counter, uint64_t counted)
{
    return event_of(counter) == STIMULUS_INSTRUCTIONS ? BY_NOTE_1
                                                      : stimulus_spread(event_of(counter), counted);
}

static struct pmc_programming program(unsigned counter)
{
    return stimulus_prepared(event_of(counter), counter);
}

static uint64_t counts(const struct pmc_programming *p, struct place place, uint32_t n)
{
    struct measurement m = {.place = place, .plain = true};

    measure_add(&m, p, 0);
    measure(&m, STIMULUS[event_of(p->counter)].work, n);
    return counts_of(&m.of[0]);
}

static const struct place HERE = {0, false};

/* What MORE occurrences add, which is free of what else is executed. */
static uint64_t added(const struct pmc_programming *p, struct place place)
{
    const uint64_t base = counts(p, place, RUN_SHORT), all = counts(p, place, RUN_LONG);

    return all > base ? all - base : 0;
}

static uint64_t added_with(struct pmc_programming p, uint32_t flags, struct place place)
{
    pmc_set_privilege(&p, flags);
    return added(&p, place);
}

static void expect_all(uint32_t rules, unsigned counter, uint64_t observed, const char *where)
{
    const enum stimulus_id id = event_of(counter);

    expect_between(rules, stimulus_least(id, MORE), stimulus_most(id, MORE), observed,
                   "counter %C, %u more %s%s", counter, MORE, STIMULUS[id].name, where);
}

/* ---- Registers ---- */

struct kept {
    uint32_t msr;
    uint64_t mask;
    const char *name;
    uint32_t rules;
};

/* Returns whether it tells one value from another. */
static bool keeps(const struct kept *r)
{
    const uint64_t alternating = 0xAAAAAAAAAAAAAAAAull & r->mask;
    const uint64_t judged = pmc_judged_bits(&machine_cpu, r->msr);
    uint64_t read[2];

    for (unsigned i = 0; i < 2; i++) {
        const uint64_t value = i ? r->mask & ~alternating : alternating;

        msr_write(r->msr, value);
        read[i] = msr_read(r->msr) & judged;
        expect_register(r->rules, value & judged, read[i], "%R", r->name);
    }
    msr_write(r->msr, 0);
    return read[0] != read[1];
}

void stage_test_registers(unsigned n)
{
    struct pmc_programming p = program(n);
    const struct pmc_escr *escr = pmc_escr_at(p.escr_msr);
    const struct kept registers[] = {
        {MSR_CCCR(n), cccr_documented(n), PMC_COUNTER[n].cccr_name, R3},
        {escr->msr, escr_documented(escr), escr->name, R3},
        {MSR_COUNTER(n), COUNTER_MASK, PMC_COUNTER[n].counter_name, R4},
    };
    const uint64_t pattern = COUNTER_OVERFLOW_IN(0x1234567890ull);
    bool all = true;
    uint64_t value;

    for (unsigned i = 0; i < COUNT_OF(registers); i++)
        all = keeps(&registers[i]) && all;
    if (all)
        stage_sign();
    msr_write(MSR_COUNTER(n), pattern);
    pmc_set_privilege(&p, 0); /* a PMU that does not look at ENABLE counts nothing then */
    msr_write(p.escr_msr, p.escr);
    msr_write(MSR_CCCR(n), p.cccr);
    expect_register(R4, pattern, msr_read(MSR_COUNTER(n)), "%R after writes of its ESCR and its CCCR",
                    PMC_COUNTER[n].counter_name);
    if (expect_fault(R60, NO_FAULT, rdpmc_try(n, &value), "exception of RDPMC(%C)", n))
        expect_register(R60, pattern, value, "RDPMC(%C)", n);
}

/* ---- Counting ---- */

/* Events of the same unit that are not selected are not counted: branches not taken, of taken ones or calls;
 * other uops, of packed_SP uops. */
static void expect_no_other_event(unsigned n)
{
    const enum stimulus_id id = stimulus_a(n);
    const struct workload *other = PMC_COUNTER[n].block == BLOCK_FLAME ? &work_scalar_dp : &work_not_taken;
    const struct pmc_programming p = stimulus_prepared(id, n);
    struct measurement m = {.plain = true};
    uint64_t count[2];

    measure_add(&m, &p, 0);
    for (unsigned i = 0; i < 2; i++) {
        measure(&m, other, i ? RUN_LONG : RUN_SHORT);
        count[i] = counts_of(&m.of[0]);
    }
    expect_between(RULES(R7, R9), 0, STIMULUS[id].slack, count[1] > count[0] ? count[1] - count[0] : 0,
                   "counter %C, %s of %u more %s", n, STIMULUS[id].name, MORE,
                   PMC_COUNTER[n].block == BLOCK_FLAME ? "scalar_DP uops" : "branches not taken");
}

bool stage_counts(unsigned n)
{
    const struct pmc_programming p = program(n);

    return counts(&p, HERE, RUN_LONG) > 0;
}

void stage_test_count(unsigned n)
{
    const struct pmc_programming p = program(n);
    struct measurement m = {.plain = true};

    if (counter_is_dead(n))
        return;
    measure_add(&m, &p, 0);
    measure_arm(&m, 0);
    msr_write(MSR_CCCR(n), p.cccr & ~CCCR_ENABLE);
    measure_work(&m, STIMULUS[event_of(n)].work, RUN_LONG);
    expect_equal(R2, 0, counts_of(&m.of[0]), "counter %C, %u %s while its ENABLE is 0", n, RUN_LONG,
                 name_of(n));
    const uint64_t counted = counts(&p, HERE, RUN_LONG);
    if (counted)
        stage_sign();
    if (counts_clocks(n)) {
        expect_true(RULES(R17, R7, R27), counted > 0, "counter %C counts %s", n, name_of(n));
        return;
    }
    expect_all(RULES(R27, R7, R17), n, added(&p, HERE), "");
    expect_no_other_event(n);
}

/* ---- Flags ---- */

/* Of a clock, and of an event of both logical processors, what a halted one does is open (11.9). */
static bool is_of_one_thread(unsigned counter)
{
    return PMC_EVENT[STIMULUS[event_of(counter)].event].thread == 'S' && !counts_clocks(counter);
}

static void judge_level(const struct pmc_programming *p, uint8_t level)
{
    const unsigned n = p->counter;
    const struct place place = {level, false};
    const char *const where = level ? " at CPL 3" : " at CPL 0";
    const uint64_t excluded = added_with(*p, escr_self(level > 0, level == 0), place);
    const uint64_t included = added_with(*p, escr_self(level == 0, level > 0), place);

    if (included > 0 && excluded == 0)
        stage_sign();
    expect_equal(R12, 0, excluded, "counter %C, %s%s without its flag", n, name_of(n), where);
    expect_all(R12, n, included, where);
}

void stage_test_flags(unsigned n)
{
    struct pmc_programming p = program(n);

    if (counter_is_dead(n))
        return;
    const uint64_t all = counts(&p, HERE, RUN_LONG);
    pmc_set_privilege(&p, 0);
    const uint64_t none = counts(&p, HERE, RUN_LONG);
    if (all > 0 && none == 0)
        stage_sign();
    expect_true(RULES(R7, R17), all > 0, "counter %C counts %s with all flags", n, name_of(n));
    expect_equal(rules_of_flags(PMC_EVENT[STIMULUS[event_of(n)].event].thread), 0, none,
                 "counter %C, %s with no flag", n, name_of(n));
    if (is_of_one_thread(n)) {
        judge_level(&p, 0);
        judge_level(&p, 3);
    }
}

/* ---- Overflow ---- */

static struct measured from_preset(const struct pmc_programming *p, uint64_t preset)
{
    struct measurement m = {.plain = true};

    measure_add(&m, p, preset);
    measure(&m, STIMULUS[event_of(p->counter)].work, RUN_LONG);
    return m.of[0];
}

void stage_test_overflow(unsigned n)
{
    const struct pmc_programming p = program(n);

    if (counter_is_dead(n))
        return;
    const uint64_t all = counts(&p, HERE, RUN_LONG), spread = spread_of_event(n, all);
    const uint64_t few = counts_clocks(n) ? NEAR : all - spread;
    const uint64_t many = counts_clocks(n) ? FAR : all + spread + 1;

    expect_true(RULES(R27, R7, R17), all > spread, "counter %C counts %s", n, name_of(n));
    const struct measured far = from_preset(&p, COUNTER_OVERFLOW_IN(many));
    expect_true(R28, !far.overflowed, "counter %C has no OVF before it overflows", n);
    const struct measured near = from_preset(&p, COUNTER_OVERFLOW_IN(few));
    const uint32_t set = overflows();
    if (near.overflowed && !far.overflowed)
        stage_sign();
    expect_true(RULES(R29, R28), near.overflowed, "counter %C sets OVF as it overflows", n);
    expect_true(R28, near.value < FAR, "counter %C counts on from 0: it holds %10llH", n, near.value);
    expect_register(RULES(R28, R29), 1u << n, set, "OVFs after an overflow of counter %C, one bit a counter",
                    n);
    pmc_halt_by_overflow_flag(n);
    expect_true(R32, !pmc_overflowed(n), "a write clears OVF of counter %C", n);
}

/* ---- PMI ---- */

static unsigned pmis(const struct pmc_programming *p)
{
    pmc_stop_all();
    pmi_arm();
    pmi_overflow(p, STIMULUS[event_of(p->counter)].work);
    pmi_wait_for_delivery();
    const unsigned taken = pmi_taken(smp_self());
    pmc_stop_all();
    pmi_disarm();
    return taken;
}

void stage_test_pmi(unsigned n)
{
    struct pmc_programming p = program(n);

    if (counter_is_dead(n))
        return;
    expect_equal(R45, 0, pmis(&p), "PMIs of counter %C without OVF_PMI", n);
    p.cccr |= ovf_pmi_to(smp_self());
    const unsigned taken = pmis(&p);
    if (taken)
        stage_sign();
    expect_equal(RULES(R46, R45), 1, taken, "PMIs of an overflow of counter %C", n);
    if (taken)
        expect_true(R51, pmi_found_unmasked(smp_self()) == 0, "the PMI of counter %C masks LVTPC", n);
}

/* ---- Filters ---- */

static uint64_t counts_by(struct pmc_programming p, uint32_t filter)
{
    p.cccr |= filter;
    return counts(&p, HERE, RUN_LONG);
}

void stage_test_filters(unsigned n)
{
    const struct pmc_programming p = program(n);

    if (counter_is_dead(n))
        return;
    const uint64_t plain = counts_by(p, 0), above_15 = counts_by(p, above(15));
    const uint64_t edges = counts_by(p, above(0) | CCCR_EDGE);

    if (plain > 0 && above_15 == 0)
        stage_sign();
    expect_true(RULES(R7, R17), plain > 0, "counter %C counts %s without a filter", n, name_of(n));
    expect_equal(R22, 0, above_15, "counter %C, clocks with more than 15 %s", n, name_of(n));
    expect_true(R22, counts_by(p, at_or_below(15)) > 0, "counter %C counts clocks with COMPLEMENT", n);
    if (counts_clocks(n))
        expect_equal(R23, 1, edges, "edges of counter %C, whose level rises once", n);
    else
        expect_between(R23, 1, plain, edges, "edges of counter %C, of %llu %s", n, plain, name_of(n));
}

/* ---- Cascades ---- */

enum cascade_step { BEFORE, STARTED, HALTED };

/* What Y counts while X does not overflow, then does, and then while OVF of X is cleared. */
static void cascade_counts(unsigned x, unsigned y, bool extended, uint64_t count[HALTED + 1])
{
    const struct pmc_programming px = program(x), py = program(y);
    const struct workload *work = STIMULUS[event_of(y)].work;

    for (unsigned step = BEFORE; step <= STARTED; step++) {
        struct measurement m = {.plain = true};

        measure_add(&m, &px, COUNTER_OVERFLOW_IN(step == STARTED ? NEAR : FAR));
        measure_add(&m, &py, 0);
        measure_arm(&m, 1u << x);
        (extended ? pmc_arm_extended_cascade : pmc_arm_cascade)(&py);
        measure_work(&m, work, RUN_LONG);
        count[step] = counts_of(&m.of[1]);
        if (step != STARTED)
            continue;
        pmc_halt_by_overflow_flag(x);
        measure_work(&m, work, RUN_LONG);
        count[HALTED] = counts_of(&m.of[1]) - count[STARTED];
    }
}

static void test_link(unsigned x, unsigned y, bool extended)
{
    const uint32_t from = extended ? R35 : R34;
    uint64_t count[HALTED + 1];

    cascade_counts(x, y, extended, count);
    if (count[STARTED] > 0 && count[BEFORE] == 0)
        stage_sign();
    expect_equal(R33, 0, count[BEFORE], "counts of counter %C before counter %C overflows", y, x);
    expect_true(rules_before(from, RULES(R33, R37)), count[STARTED] > 0,
                "counter %C counts after counter %C has overflowed", y, x);
    expect_between(R38, 0, ACCESSES_ADD, count[HALTED],
                   "counts of counter %C after OVF of counter %C was cleared", y, x);
}

/* The manual has two readings of what starts counter 17 (question 10.2): either will do. */
static unsigned starter_of(unsigned y)
{
    const struct pmc_counter *c = &PMC_COUNTER[y];
    uint64_t count[HALTED + 1];

    if (c->cascade_from_alternative == PMC_NONE)
        return (unsigned)c->cascade_from;
    cascade_counts((unsigned)c->cascade_from_alternative, y, false, count);
    return (unsigned)(count[STARTED] ? c->cascade_from_alternative : c->cascade_from);
}

void stage_test_cascade(unsigned y)
{
    if (PMC_COUNTER[y].block == BLOCK_BPU && counter_is_dead(1))
        return;
    test_link(starter_of(y), y, false);
}

bool stage_of_extended(unsigned counter)
{
    return PMC_COUNTER[counter].extended_from != PMC_NONE;
}

void stage_test_extended(unsigned y)
{
    test_link((unsigned)PMC_COUNTER[y].extended_from, y, true);
}

/* ---- Both logical processors ---- */

bool stage_of_thread_events(unsigned counter)
{
    return is_of_one_thread(counter);
}

void stage_test_threads(unsigned n)
{
    const struct place there = {0, true};
    struct pmc_programming p = program(n);
    const uint64_t by_its_own = added_with(p, escr_sibling(true, true), there);

    if (by_its_own > 0)
        stage_sign();
    expect_all(R12, n, by_its_own, " of the other logical processor");
    expect_equal(R12, 0, added_with(p, escr_self(true, true), there),
                 "counter %C, %s of the other logical processor with the flags of this one", n, name_of(n));
    pmc_set_active_thread(&p, ACTIVE_BOTH);
    expect_equal(R18, 0, counts(&p, HERE, RUN_LONG),
                 "counter %C, %s while one is active, with ACTIVE_THREAD for both", n, name_of(n));
}

/* ---- Tags ---- */

bool stage_of_retired(unsigned counter)
{
    return PMC_COUNTER[counter].block == BLOCK_IQ;
}

static uint64_t tagged(unsigned n, uint32_t tag)
{
    const unsigned upstream = 8 + 2 * PMC_COUNTER[n].side;
    struct measurement m = {.plain = true};
    struct pmc_programming p = stimulus_prepared(STIMULUS_PACKED_SP, upstream);

    p.escr |= tag;
    measure_add(&m, &p, 0);
    measure_add_event(&m, EVENT_EXECUTION_EVENT, EXECUTION_NBOGUS(0), n, 0);
    measure(&m, &work_packed_sp, RUN_LONG);
    return counts_of(&m.of[1]);
}

void stage_test_tags(unsigned n)
{
    const uint64_t with = tagged(n, ESCR_TAG_ENABLE | ESCR_TAG_VALUE(1));
    const uint64_t without = tagged(n, ESCR_TAG_VALUE(1));

    if (with > UNTAGGED && without <= UNTAGGED)
        stage_sign();
    expect_between(RULES(R15, R44), stimulus_least(STIMULUS_PACKED_SP, RUN_LONG),
                   stimulus_most(STIMULUS_PACKED_SP, RUN_LONG), with,
                   "tagged packed_SP uops that counter %C counts, of %u", n, RUN_LONG);
    expect_between(R15, 0, UNTAGGED, without, "counter %C, the same without tag enable", n);
}
