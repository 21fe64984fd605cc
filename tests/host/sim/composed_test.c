/*
 * Composed faults (sim/faults/grammar.h): what each kind of deviation does at its place, while its conditions
 * hold, by its history; which compositions are refused; reading, writing and drawing them; and whether
 * software can notice one at all.
 */
#include "sim/faults/nbpmu_fault.h"
#include "tests/host/support/fault_kit.h"

#include <string.h>

/* ---- Deviations ---- */

/* What counter 12 counts. The value of a clock is its number of uops (R8); R22: COMPARE counts 1 above the
 * threshold, with COMPLEMENT where it is not above; R23: EDGE counts changes to true. */
TEST(what_a_counter_counts)
{
    static const unsigned UOPS[] = {1, 3, 0, 2, END};
    const uint64_t above_1 = CCCR_COMPARE | CCCR_THRESHOLD(1), edges = above_1 | CCCR_EDGE;
    const struct {
        const char *fault;
        uint64_t bits, count;
    } rows[] = {
        {NULL, 0, 6},
        {"value.zero", 0, 0},
        {"value.plus-1", 0, 9},             /* 2, 4, 0, 3: three clocks have uops */
        {"value.minus-1@counter=12", 0, 3}, /* 0, 2, 0, 1 */
        {"value.twice", 0, 12},             /* 2, 6, 0, 4 */
        {"value.half", 0, 2},               /* 0, 1, 0, 1 */
        {"value.bit-0@bit=1", 0, 2},        /* 1, 1, 0, 0 */
        {"value.bit-1@bit=2", 0, 22},       /* 5, 7, 4, 6 */
        {"value.zero@counter=13", 0, 6},    /* elsewhere */
        {"value.zero@pair=6", 0, 0},        /* 12 and 13 */
        {"value.zero@block=ms", 0, 6},      /* 12 is in the IQ block */
        {"increment.twice", above_1, 4},    /* 3 and 2 are above 1: 1 each */
        {NULL, above_1, 2},
        {"threshold.plus-1", above_1, 1}, /* above 2: 3 alone */
        {"threshold.zero", above_1, 3},
        {"threshold.never", above_1, 0},
        {"threshold.always", above_1, 4},
        {"threshold.inverted", above_1, 2}, /* 1 and 0 are not above */
        {NULL, above_1 | CCCR_COMPLEMENT, 2},
        {"complement.never", above_1 | CCCR_COMPLEMENT, 0},
        {"complement.inverted", above_1 | CCCR_COMPLEMENT, 2},
        {"complement.never", above_1, 2}, /* without COMPLEMENT nothing deviates */
        {NULL, edges, 2},                 /* not, above, not, above */
        {"edge.never", edges, 0},
        {"edge.always", edges, 3}, /* and the change between */
        {"edge.inverted", edges, 1},
        {"field.zero@field=edge", edges, 2},             /* the clocks above 1 */
        {"field.bit-1@field=compare", 0, 3},             /* above 0 */
        {"field.neighbour@field=threshold", above_1, 3}, /* counter 13 has 0 */
        {"gate.never", 0, 0},
        {"value.bit-inverted@bit=2", 0, 22},                 /* as value.bit-1 */
        {"field.bit-inverted@field=complement", above_1, 2}, /* 1 and 0 */
        {"match.never", 0, 0},
        {"qualify.never@lp=0", 0, 0},
        {"qualify.never@lp=1", 0, 6},
        {"qualify.never@cpl=usr", 0, 6},
        {"event-mask.none@escr=CRU_ESCR0", 0, 0},
        {"event-mask.none@escr=CRU_ESCR1", 0, 6},
        {"event-mask.without-bit@bit=0", 0, 0},
        {"event-select.none@counter=12", 0, 0},
        {"route.none@counter=12", 0, 0},
        {"enable.never@counter=12", 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t count = counted(rows[i].fault, 0, rows[i].bits, UOPS);
        if (count != rows[i].count)
            fail_msg("%s with %llXH: %llu, not %llu", rows[i].fault ? rows[i].fault : "sound",
                     (unsigned long long)rows[i].bits, (unsigned long long)count,
                     (unsigned long long)rows[i].count);
    }
}

/* Clocks without an event matter to what stays as it was: a gate that was open in the first one, while both
 * logical processors were active, and the COMPARE and COMPLEMENT with which the counter was enabled. */
TEST(what_is_kept)
{
    struct nbpmu *pmu = faulty("gate.kept");
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_CCCR(12), CCCR_ESCR_SELECT(KIT_CRU) | CCCR_ACTIVE_THREAD(ACTIVE_BOTH) | CCCR_ENABLE);
    drive_clocks(pmu, KIT_BOTH, 1);
    assert_int_equal(kit_uops(pmu, 3), 0);
    assert_int_equal(kit_counter(pmu, 12), 3);
    nbpmu_free(pmu);

    pmu = faulty("field.kept@field=filter");
    kit_write(pmu, MSR_CRU_ESCR0, KIT_UOPS);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_COMPARE | CCCR_COMPLEMENT);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    drive_clocks(pmu, KIT_LP0, 5);
    assert_int_equal(kit_counter(pmu, 12), 5);
    nbpmu_free(pmu);
}

/* R27, R28: the sum has 40 bits, and the carry out of bit 39 is the overflow. */
TEST(the_sum_and_its_carries)
{
    static const unsigned ONE[] = {1, END}, TWO[] = {1, 1, END}, TWOS[] = {2, 2, END};
    assert_int_equal(counted("carry.never@bit=32", UINT32_MAX, 0, ONE), 0);
    assert_int_equal(counted("carry.never@bit=31", UINT32_MAX, 0, ONE), UINT32_MAX + 1ull - (1ull << 31));
    assert_int_equal(counted("carry.never@bit=1", 0, 0, TWO), 0);  /* 1 + 1 carries into bit 1, */
    assert_int_equal(counted("carry.never@bit=1", 0, 0, TWOS), 4); /* 0 + 2 and 2 + 2 do not: */
    assert_int_equal(counted("carry.never@bit=2", 0, 0, TWOS), 0); /* 2 + 2 into bit 2 */
    assert_int_equal(counted("sum.bit-0@bit=1", 0, 0, TWO), 0);    /* 1, then 2 without bit 1 */
    assert_int_equal(counted("sum.bit-1@bit=4", 0, 0, TWO), 18);   /* 17, 18 */
}

/* A counter that ends at bit 3 overflows from 7 to 0; one that ends at bit 1 from 1 to 0. */
TEST(a_counter_that_wraps_low)
{
    static const struct {
        unsigned bit, start, uops, value;
        bool ovf;
    } rows[] = {{3, 6, 1, 7, false}, {3, 7, 2, 1, true}, {3, 1, 3, 4, false},
                {1, 0, 2, 0, true},  {1, 1, 2, 1, true}, {1, 0, 1, 1, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[32];
        snprintf(text, sizeof text, "carry.wraps@bit=%u", rows[i].bit);
        struct nbpmu *pmu = faulty(text);
        set_up(pmu, 12, rows[i].start, 0);
        kit_uops(pmu, rows[i].uops);
        assert_int_equal(kit_counter(pmu, 12), rows[i].value);
        assert_int_equal(kit_ovf(pmu, 12), rows[i].ovf);
        nbpmu_free(pmu);
    }
}

TEST(early_and_late)
{
    assert_int_equal(counts_to_ovf(NULL), 2);
    assert_int_equal(counts_to_ovf("carry-out.early"), 1);
    assert_int_equal(counts_to_ovf("carry-out.late-1"), 3);
    assert_int_equal(counts_to_ovf("carry-out.late-4@counter=12"), 6);
    assert_int_equal(counts_to_ovf("carry-out.never"), 20);
    assert_int_equal(counts_to_ovf("ovf.late-2"), 4);
    assert_int_equal(counts_to_ovf("ovf.never"), 20);
    assert_int_equal(counts_to_ovf("ovf.never@counter=13"), 2);
    assert_int_equal(counts_to_ovf("force.always"), 1);
}

TEST(the_pmi)
{
    assert_int_equal(pmi_clock(NULL), 2);
    assert_int_equal(pmi_clock("request.early"), 1);
    assert_int_equal(pmi_clock("request.late-1"), 3);
    assert_int_equal(pmi_clock("request.late-3"), 5);
    assert_int_equal(pmi_clock("request.never"), 20);
    assert_int_equal(pmi_clock("pmi-targets.none"), 20);
    assert_int_equal(pmi_clock("pmi-targets.without-bit@bit=1"), 2);
}

/* PMI targets, by bit, of a counter that asks for LP0. */
TEST(where_a_pmi_goes)
{
    static const struct {
        const char *fault;
        unsigned targets;
    } rows[] = {{"pmi-targets.all", 3}, {"pmi-targets.swapped", 2}, {"pmi-targets.with-bit@bit=1", 3}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct nbpmu *pmu = faulty(rows[i].fault);
        set_up(pmu, 12, COUNTER_MASK, CCCR_OVF_PMI_T0);
        kit_uops(pmu, 1);
        assert_int_equal(kit_uops(pmu, 1), rows[i].targets);
        nbpmu_free(pmu);
    }
}

TEST(cascades)
{
    static const struct {
        const char *fault;
        unsigned counts[3];
    } rows[] = {
        {NULL, {0, 2, 0}}, /* the fourth count overflows, 14 counts from the next clock on (R37) */
        {"link.never", {0, 0, 0}},
        {"link.never@link=bit-11", {0, 2, 0}},
        {"link.always@counter=14", {3, 3, 3}},
        {"link.early", {0, 3, 0}}, /* at 2^40 - 1, which the third count reaches */
        {"link.kept", {0, 2, 3}},
        {"link.late-128", {0, 0, 0}},
        {"link-source.none", {0, 0, 0}},
        {"link-source.neighbour", {0, 0, 0}}, /* 13, which does not overflow */
        {"link.adds-count", {0, 3, 0}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_cascade(rows[i].fault, rows[i].counts);
}

/* Accesses: what a register holds, what is read, #GP, and side effects. */
TEST(accesses)
{
    const uint64_t preset = 0x1122334455;
    struct nbpmu *pmu = faulty("counter-write.not-kept@field=high");
    kit_write(pmu, MSR_COUNTER(3), preset);
    assert_int_equal(kit_counter(pmu, 3), preset & UINT32_MAX);
    nbpmu_free(pmu);

    pmu = faulty("counter-write.not-written@counter=3@lp=1");
    kit_write(pmu, MSR_COUNTER(3), preset);
    assert_true(nbpmu_wrmsr(pmu, 1, MSR_COUNTER(3), 7));
    assert_int_equal(kit_counter(pmu, 3), preset);
    nbpmu_free(pmu);

    pmu = faulty("cccr-write.also-neighbour@counter=4");
    kit_write(pmu, MSR_CCCR(4), CCCR_EDGE);
    kit_write(pmu, MSR_CCCR(5 ^ 3), CCCR_COMPARE);
    assert_int_equal(kit_read(pmu, MSR_CCCR(5)), CCCR_EDGE);
    nbpmu_free(pmu);

    pmu = faulty("counter-read.minus-1@access=rdpmc");
    uint64_t value;
    kit_write(pmu, MSR_COUNTER(3), preset);
    assert_int_equal(kit_counter(pmu, 3), preset);
    assert_true(nbpmu_rdpmc(pmu, 0, false, 3, &value));
    assert_int_equal(value, preset - 1);
    nbpmu_free(pmu);

    pmu = faulty("refusal.always@access=rdpmc-fast");
    assert_true(nbpmu_rdpmc(pmu, 0, false, 3, &value));
    assert_false(nbpmu_rdpmc(pmu, 0, false, 3 | RDPMC_FAST, &value));
    nbpmu_free(pmu);

    pmu = faulty("refusal.always@access=rdmsr");
    kit_write(pmu, MSR_PEBS_ENABLE, 2);
    assert_int_equal(nbpmu_tagging_register(pmu, MSR_PEBS_ENABLE), 2); /* no access */
    assert_false(nbpmu_rdmsr(pmu, 0, MSR_PEBS_ENABLE, &value));
    nbpmu_free(pmu);

    pmu = faulty("cccr-read.clears-ovf@on=partner");
    kit_write(pmu, MSR_CCCR(2), CCCR_OVF);
    kit_read(pmu, MSR_CCCR(1));
    kit_read(pmu, MSR_CCCR(2));
    assert_int_equal(kit_read(pmu, MSR_CCCR(2)), CCCR_OVF); /* not its own, nor by 1 */
    kit_read(pmu, MSR_CCCR(0));
    assert_int_equal(kit_read(pmu, MSR_CCCR(2)), 0);
    nbpmu_free(pmu);
}

/* ---- Conditions and histories ---- */

TEST(only_while_the_conditions_hold)
{
    struct nbpmu *pmu = faulty("counter-read.zero,while=ovf,while=edge");
    kit_write(pmu, MSR_COUNTER(3), 5);
    assert_int_equal(kit_counter(pmu, 3), 5);
    kit_write(pmu, MSR_CCCR(3), CCCR_OVF);
    assert_int_equal(kit_counter(pmu, 3), 5);
    kit_write(pmu, MSR_CCCR(3), CCCR_EDGE);
    assert_int_equal(kit_counter(pmu, 3), 5);
    kit_write(pmu, MSR_CCCR(3), CCCR_EDGE | CCCR_OVF);
    assert_int_equal(kit_counter(pmu, 3), 0);
    nbpmu_free(pmu);

    pmu = faulty("counter-read.zero,while=written-by-lp1");
    kit_write(pmu, MSR_COUNTER(3), 5);
    kit_write(pmu, MSR_CCCR(3), 0);
    assert_int_equal(kit_counter(pmu, 3), 5);
    assert_true(nbpmu_wrmsr(pmu, 1, MSR_CCCR(3), 0));
    assert_int_equal(kit_counter(pmu, 3), 0);
    nbpmu_free(pmu);
}

/* Six readings of a counter that holds 5, as a mask of those that are 0. */
static unsigned zeros(const char *text, bool resets)
{
    struct nbpmu *pmu = faulty(text);
    unsigned zeros = 0;
    kit_write(pmu, MSR_COUNTER(3), 5);
    for (unsigned i = 0; i < 6; i++) {
        zeros |= (kit_counter(pmu, 3) == 0 ? 1u : 0u) << i;
        if (resets && i == 3)
            kit_write(pmu, MSR_CCCR(3), 0);
    }
    nbpmu_free(pmu);
    return zeros;
}

TEST(histories)
{
    assert_int_equal(zeros("counter-read.zero", false), FIELD_MASK(5, 0));
    assert_int_equal(zeros("counter-read.zero,after=2", false), FIELD_MASK(5, 2));
    assert_int_equal(zeros("counter-read.zero,after=2", true), FIELD_MASK(3, 2)); /* it begins anew */
    assert_int_equal(zeros("counter-read.zero,every=3", false), FIELD_MASK(2, 2) | FIELD_MASK(5, 5));
    assert_int_equal(zeros("counter-read.zero,after=read", false), FIELD_MASK(5, 1));
    assert_int_equal(zeros("counter-read.zero,until=read", false), FIELD_MASK(0, 0));
    assert_int_equal(zeros("counter-read.zero,until=read", true), FIELD_MASK(0, 0) | FIELD_MASK(4, 4));
}

/* 20,000 readings at 1 in 20: 1,000 +- 4.5 deviations (138). All clocks from one write of the CCCR to the
 * next are one act, so that a counter counts all of them or none. */
TEST(once_in_n_is_drawn_once_for_each_act)
{
    uint64_t acts, struck;
    struct nbpmu *pmu = faulty("counter-read.zero,once-in=20,seed=7");
    unsigned zero = 0;
    kit_write(pmu, MSR_COUNTER(3), 5);
    for (unsigned i = 0; i < 20000; i++)
        zero += kit_counter(pmu, 3) == 0;
    assert_in_range(zero, 862, 1138);
    assert_true(nbpmu_fault_acts(pmu, &acts, &struck));
    assert_int_equal(acts, 20000);
    assert_int_equal(struck, zero);
    nbpmu_free(pmu);

    static const unsigned UOPS[] = {1, 1, 1, 1, END};
    pmu = faulty("increment.zero,once-in=2");
    unsigned lost = 0;
    for (unsigned i = 0; i < 200; i++) {
        set_up(pmu, 12, 0, 0);
        clocks(pmu, UOPS);
        const uint64_t count = kit_counter(pmu, 12);
        assert_true(count == 0 || count == 4);
        lost += count == 0;
    }
    assert_in_range(lost, 69, 131); /* 100 +- 4.5 * sqrt(50) */
    nbpmu_free(pmu);
}

/* ---- Text ---- */

TEST(what_is_refused)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"edg.never", "no stage 'edg'; allowed are counter-write, "},
        {"edge", "no stage and no name 'edge'"},
        {"edge.twice", "no deviation 'twice' here; allowed are never, always, inverted"},
        {"edge.never@counter=18", "allowed are counter=0, "},
        {"edge.never@escr=CRU_ESCR0", "no place 'escr' here; allowed are counter, pair, block"},
        {"edge.never,while=edges", "no condition 'edges'; allowed are compare, "},
        {"edge.never,while=edge", "always holds"},
        {"edge.never,while=negative,while=positive", "exclude each other"},
        {"lvtpc-write.bit-1@bit=3,while=above-cpl-0,while=lp-halted", "one logical processor is at CPL 0"},
        {"edge.never,while=ovf,while=ovf", "whenever the other one does"},
        {"edge.never,while=ovf,while=gated,while=alone", "at most 2"},
        {"edge.never,every=1", "every=2 to every=1000000"},
        {"edge.never,every=2,after=1", "one history"},
        {"edge.never,after=noon", "no event 'noon'; allowed are overflow, "},
        {"edge.never,seed=1", "belongs to once-in=N"},
        {"edge.never,never", "allowed are while=CONDITION, "},
        {"value.bit-1", "name a bit"},
        {"value.bit-1@bit=4", "fewer bits"},
        {"carry.never", "needs a place"},
        {"field.zero@field=enable", "acts by other fields"},
        {"link.late-127", "be later"},
        {"link.never,while=force-ovf", "is open"},
        {"link.never@link=bit-11@counter=3", "only 12, 15, 16 and 17"},
        {"match.never@escr=IX_ESCR0", "no ESCR here has such an event"},
        {"enable.never@counter=1", "(E4)"},
        {"cccr-write.restarts-edge", "(R25)"},
        {"refusal.always@access=rdpmc,while=ovf", "belongs to no counter"},
        {"value.half@block=iq,while=no-flags", "denies"},
        {"threshold.twice,while=no-mask", "denies"},
        {"sum.bit-1@bit=39,while=negative", "bit 39"},
        {"event-select.bit-0@event=uops_retired@bit=4", "as it is stuck"},
        {"escr-write.clears-bit-11@escr=BPU_ESCR0", "bit 11"},
        {"lvtpc-eoi.never,after=read", "belongs to no counter"},
        {"counter-read.zero@on=all", "belongs to a deviation that does something"},
        {"ovf.never,while=cascade,while=armed", "whenever the other one does"},
        {"ovf.never,while=x-started,while=x-armed", "whenever the other one does"},
        {"ovf.never,while=cascade,while=not-armed", "exclude each other"},
        {"ovf.never,while=not-armed,while=cascade", "exclude each other"},
        {"ovf.never,while=not-armed,while=not-cascade", "whenever the other one does"},
        {"ovf.never@counter=5@pair=6", "one of counter, pair and block"},
        {"hlt.clears-escrs@block=iq", "name none"},
        {"refusal.always@access=wrmsr@cpl=usr", "CPL 0 alone"},
        {"counter-read.zero@access=rdmsr@cpl=middle", "CPL 0 alone"},
        {"pmi-again.kept@lp=1", "name none"},
        {"carry.never@bit=0", "bit 0"},
        {"event-select.bit-inverted@bit=0", "event-select.neighbour"},
        {"field.bit-0@field=edge", "no deviation 'bit-0' here"},
        {"counter-read.none", "no deviation 'none' here"},
        {"match.never,while=overflows-meet", "never does"},
        {"field.zero@field=select,while=overflows-meet", "never does"},
        {"cccr-read.bit-1@field=enable,while=started", "(R36)"},
        {"event-mask.with-bit@escr=MOB_ESCR1@bit=8", "has this bit in its mask"},
        {"event-mask.without-bit@counter=4@bit=12", "has this bit in its mask"},
        {"event-mask.without-bit@bit=14,while=bit-11",
         "has this bit in its mask"}, /* counters of the IQ block */
        {"event-mask.with-bit@event=tc_ms_xfer@bit=0", "empty mask"},
        {"event-mask.all@escr=ALF_ESCR0", "empty mask"},
        {"event-select.bit-0@bit=4,while=bit-11", "as it is stuck"},
        {"request.clears-bit-11@block=ms@on=all,while=bit-11", "bit 11"},
        {"field.bit-1@field=edge,while=edge", "have the value"},
        {"cccr-read.bit-1@field=ovf,while=ovf", "have the value"},
        {"counter-read.bit-1@bit=39,while=negative", "have the value"},
        {"escr-read.bit-0@bit=17,while=no-mask", "have the value"},
        {"lvtpc-reset.never@lp=1,while=lp-halted,while=lp1-active", "not halted then"},
        {"pmi-again.never@lp=0,while=lp-halted,while=lp1-active", "not halted then"},
        {"escr-read.bit-1@bit=17,while=full-mask", "have the value"},
        {"escr-read.bit-0@field=flags,while=no-flags", "have the value"},
        {"edge.rearms-at-0,while=complement", "denies"},
        {"carry-out.onto-0,while=compare", "denies"},
        {"increment.at-most-1@counter=4,while=no-flags", "denies"},
        {"increment.bit-0@bit=3,while=edge,while=compare", "1 at most"},
        {"sum.bit-1@bit=3,while=due", "never does"},
        {"carry.wraps@bit=34,while=due", "never does"},
        {"link.unarmed@pair=5,while=x-enabled", "no other link"},
        {"link.kept-by-ovf@link=cascade,while=cascade", "no other link"},
        {"ovf.also-partner@pair=2,while=started", "no other link"},
        {"link.always@pair=5,while=partner-ovf", "no other link"},
        {"link.kept@link=cascade,while=partner-ovf", "no other link"},
        {"pmi-targets.with-bit@bit=0,while=pmi-t0", "anyway"},
        {"pmi-targets.all,while=pmi-t0,while=pmi-t1", "anyway"},
        {"pmi-targets.swapped,while=pmi-t0,while=pmi-t1", "anyway"},
        {"clock-qualify.always@block=ms,while=several", "several occurrences"},
        {"qualify.kept@escr=CRU_ESCR0,while=several", "several occurrences"},
        {"enable.kept,while=x-ovf", "denies"},
        {"link-source.also-by-11@counter=6@link=cascade,while=partner-ovf", "anyway"},
        {"counter-read.wide@access=rdmsr", "40 bits"},
        {"hlt.restarts-edge@lp=1,while=lp1-active", "when it halts"},
        {"counter-read.zero@cpl=os,while=above-cpl-0,while=lp-halted", "one logical processor is at CPL 0"},
        {"request.never@counter=0,while=overflows-meet", "lower number"},
        {"event-mask.shifted,while=no-mask", "denies"},
        {"event-mask.with-bit@bit=1,while=full-mask", "denies"},
        {"match.always@block=iq,while=full-mask", "full mask"},
        {"qualify.never@escr=ALF_ESCR0,while=several", "states of a clock"},
        {"enable.kept@pair=1,while=x-enabled,while=partner-ovf", "whatever its ENABLE"},
        {"escr-read.neighbour@escr=SSU_ESCR0", "no neighbour"},
        {"counter-read.bit-0@bit=34@access=rdpmc-fast", "31:0"},
        {"request.never,until=overflow", "after the overflow"},
        {"pmi-targets.none,until=overflow", "after the overflow"},
        {"cccr-read.delays-request,until=overflow", "after the overflow"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct nbpmu_fault fault;
        char error[1000];
        if (nbpmu_fault_compose(rows[i].text, &fault, error, sizeof error))
            fail_msg("%s is taken", rows[i].text);
        if (!strstr(error, rows[i].says))
            fail_msg("%s: %s", rows[i].text, error);
    }
    /* Beside them there is a fault: the effect is on another counter, another member is there, by bit 11
     * another counter starts this one, or the other bit of the mask is asked for. */
    static const char *const taken[] = {"cccr-write.restarts-edge@on=partner",
                                        "cccr-read.delays-request@on=partner,until=overflow",
                                        "event-mask.with-bit@event=branch_retired@bit=0",
                                        "event-mask.all@escr=MOB_ESCR1",
                                        "link.unarmed@counter=12,while=x-enabled",
                                        "link.always@counter=12,while=partner-ovf",
                                        "link.never@pair=5,while=partner-ovf",
                                        "link.kept-by-ovf@link=cascade,while=partner-ovf",
                                        "pmi-targets.with-bit@bit=0,while=pmi-t1",
                                        "ovf.also-partner@counter=12,while=started",
                                        "escr-read.bit-0@bit=4,while=no-mask",
                                        "increment.bit-0@bit=0,while=compare",
                                        "match.always@block=bpu,while=full-mask",
                                        "qualify.kept@escr=PMH_ESCR0,while=several",
                                        "qualify.never@escr=CRU_ESCR0,while=several",
                                        "clock-qualify.always@block=flame,while=several",
                                        "pmi-targets.all,while=pmi-t0",
                                        "enable.kept@counter=12,while=x-enabled,while=partner-ovf",
                                        "counter-read.bit-0@bit=31@access=rdpmc-fast",
                                        "hlt.restarts-edge@lp=0,while=lp1-active",
                                        "counter-read.wide@access=rdpmc",
                                        "cccr-write.bit-1@field=edge,while=edge",
                                        "enable.never",
                                        "enable.never@block=bpu",
                                        "ovf.never,while=armed,while=not-cascade",
                                        "hlt.clears-escrs@lp=1",
                                        "refusal.always@access=rdpmc@cpl=usr",
                                        "carry.never@bit=1",
                                        "field.zero@field=edge,while=overflows-meet",
                                        "cccr-read.bit-1@field=edge,while=started",
                                        "value.half@event=IOQ_active_entries,while=no-flags",
                                        "cccr-write.not-kept,while=was-read",
                                        "hlt.clears-ovf,while=counting"};
    for (size_t i = 0; i < COUNT_OF(taken); i++)
        assert_true(composed(taken[i]).composition.stage);
}

/* What cannot act on one part may do so on another one. */
TEST(what_a_part_lacks)
{
    const struct nbpmu_part f0a = {0, 10, 1}, f12 = {1, 2, 1}, f29 = {2, 9, 2}, f43 = {4, 3, 2},
                            f47 = {4, 7, 1};
    const struct {
        const char *text;
        struct nbpmu_part part;
        const char *says; /* null: it fits */
    } rows[] = {
        {"request.never,while=cascade", f29, "(E3)"},
        {"request.never,while=cascade", f0a, "(E3)"},
        {"request.never,while=cascade", f12, NULL}, /* E3 is not on models 0 and 1 up to stepping 9 */
        {"request.never,while=cascade", f43, NULL},
        {"pmi-targets.none,while=started", f29, "(E3)"},
        {"pmi-targets.none,while=bit-11", f29, "(E3)"},
        {"request.late-2,while=x-armed", f29, "(E3)"},
        {"request.clears-cascade", f29, "(E3)"}, /* of a counter that raises a PMI */
        {"request.clears-cascade@on=partner", f29, NULL},
        {"request.never,while=awaited", f29, NULL}, /* another counter has CASCADE */
        {"link-source.neighbour@link=bit-11,while=lp1-active", f47, "Hyper-Threading"},
        {"link-source.neighbour@link=bit-11,while=lp1-active", f29, NULL},
        {"match.never@event=instr_completed", f29, "does not have the event"},
        {"match.never@event=instr_completed", f43, NULL},
        {"link.unarmed,while=x-enabled", f12, "extended cascading"},
        {"ovf.also-partner,while=started", f12, "extended cascading"},
        {"qualify.always,while=several", f12, "as by a sound ESCR"}, /* there is one causer in a clock */
        {"qualify.always,while=several", f43, NULL},
        {"qualify.never,while=several", f12, NULL},
        {"qualify.flags-ignored,while=several", f12, "as by a sound ESCR"},
        {"qualify.by-other-cpl@escr=PMH_ESCR1", f43, "as by a sound ESCR"}, /* thread independent: R13 */
        {"qualify.by-other-cpl@escr=PMH_ESCR1", f12, NULL},
        {"qualify.by-other-cpl@event=IOQ_active_entries", f43, "as by a sound ESCR"}, /* R14 */
        {"qualify.flags-ignored@event=x87_FP_uop@cpl=middle", f43, "as by a sound ESCR"},
        {"qualify.flags-ignored@event=x87_FP_uop", f43, NULL},
        {"qualify.kept,while=from-4", f12, "Hyper-Threading"},
        {"qualify.by-other-lp@cpl=middle,while=os-alone", f43, "as by a sound ESCR"},
        {"qualify.by-other-lp@cpl=os,while=os-alone", f43, NULL},
        {"qualify.inverted@cpl=os,while=above-cpl-0", f12, "Hyper-Threading"},
        {"escr-read.bit-0@escr=DAC_ESCR0@bit=30", f43, "do not have these bits"},
        {"escr-read.bit-1@escr=DAC_ESCR0@bit=30", f43, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct nbpmu_fault fault = composed(rows[i].text);
        const char *why = nbpmu_fault_misfit(&fault, &rows[i].part);
        if (!why != !rows[i].says || (why && !strstr(why, rows[i].says)))
            fail_msg("%s on model %u: %s", rows[i].text, rows[i].part.model, why ? why : "it fits");
    }
}

/* What is drawn can be typed, applies to its part, and has what its class says. */
TEST(drawn_faults)
{
    static const struct nbpmu_part parts[] = {{4, 3, 2}, {1, 2, 1}, {2, 9, 2}, {6, 4, 1}};
    for (uint32_t number = 0; number < 8000; number++) {
        const struct nbpmu_part *part = &parts[number / 4 % COUNT_OF(parts)];
        const enum nbpmu_fault_class which = (enum nbpmu_fault_class)(number % NBPMU_FAULT_CLASSES);
        struct nbpmu_fault drawn;
        char text[256], again[256];
        nbpmu_fault_draw(part, which, 1, number, &drawn);
        nbpmu_fault_text(&drawn, text, sizeof text);
        const struct nbpmu_fault typed = composed(text);
        nbpmu_fault_text(&typed, again, sizeof again);
        assert_string_equal(text, again);
        assert_memory_equal(&drawn.composition, &typed.composition, sizeof typed.composition);
        assert_null(nbpmu_fault_misfit(&drawn, part));
        const unsigned conditions =
            (drawn.composition.condition[0] != 0) + (drawn.composition.condition[1] != 0);
        assert_int_equal(conditions, which == NBPMU_FAULT_CONDITION     ? 1
                                     : which == NBPMU_FAULT_CONDITIONS2 ? 2
                                                                        : 0);
        assert_int_equal(drawn.composition.history != 0, which == NBPMU_FAULT_HISTORY);
    }
}

/* Evenly over the 44 stages: of 8,800 plain faults 200 each, +- 4.5 deviations (63). */
TEST(drawn_evenly_over_the_stages)
{
    unsigned drawn_of[UINT8_MAX] = {0};
    for (uint32_t number = 0; number < 8800; number++) {
        struct nbpmu_fault drawn;
        nbpmu_fault_draw(&KIT_F43.part, NBPMU_FAULT_PLAIN, 3, number, &drawn);
        drawn_of[drawn.composition.stage]++;
    }
    unsigned drawn = 0;
    for (unsigned stage = 1; stage <= 44; stage++) {
        assert_in_range(drawn_of[stage], 137, 263);
        drawn += drawn_of[stage];
    }
    assert_int_equal(drawn, 8800); /* each is of one of these */
}

/* ---- Register programs ---- */

TEST(programs_show_what_software_can_notice)
{
    static const char *const noticed[] = {"edge.never",
                                          "counter-read.late-64",
                                          "pmi-again.never",
                                          "tag.all",
                                          "hlt.costs-count",
                                          "init.clears-ovf",
                                          "ovf.never,once-in=50",
                                          "request.clears-counter,until=pmi", /* with the first PMI */
                                          "counter-write.clears-ovf,until=write",
                                          "cccr-write.adds-count@lp=0,while=written-by-lp1"};
    struct nbpmu_fault_trial trial;
    for (size_t i = 0; i < COUNT_OF(noticed); i++) {
        const struct nbpmu_fault fault = composed(noticed[i]);
        assert_true(nbpmu_fault_try(&KIT_F43.part, &fault, 1, 10000, &trial));
        if (!trial.changed || !trial.acted)
            fail_msg("%s: %u of %u", noticed[i], trial.acted, trial.programs);
    }
    /* A fault of LVTPC changes nothing in the PMU. */
    const struct nbpmu_fault unseen = composed("lvtpc-eoi.never");
    assert_true(nbpmu_fault_try(&KIT_F43.part, &unseen, 1, 200, &trial));
    assert_false(trial.changed);
    assert_int_equal(trial.programs, 200);
    assert_int_equal(trial.acted, 0);
}
