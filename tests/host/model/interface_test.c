/*
 * What the library's interface promises beside the rules: parts by CPUID signature, variants and faults by
 * name, the states of the logical processors, quiet clocks that catch up by themselves, and which events are
 * active.
 */
#include "tests/host/support/model_kit.h"

#include <string.h>
#include "sim/faults/nbpmu_fault.h"

TEST(a_part_has_the_signatures_model_and_stepping)
{
    struct nbpmu_part part;
    assert_true(nbpmu_part_of_signature(0x00000F29, 2, &part));
    assert_int_equal(part.model, 2);
    assert_int_equal(part.stepping, 9);
    assert_int_equal(part.lps, 2);
    assert_true(nbpmu_part_of_signature(0x00003F64, 1, &part)); /* bits 13:12 are the type, not the model */
    assert_int_equal(part.model, 6);
}

TEST(other_processors_are_refused)
{
    static const struct {
        uint32_t signature;
        unsigned lps;
    } CASES[] = {
        {0x000006F6, 1},                  /* family 6 */
        {0x00000F50, 1},                  /* there is no model 5 */
        {0x00000F70, 1},                  /* nor 7 */
        {0x00010F43, 1},                  /* extended model */
        {0x00100F43, 1},                  /* extended family: AMD */
        {0x00000F43, 0}, {0x00000F43, 3}, /* logical processors */
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        struct nbpmu_part part = {.model = 9};
        assert_false(nbpmu_part_of_signature(CASES[i].signature, CASES[i].lps, &part));
        assert_int_equal(part.model, 9);
    }
}

/* Every variant has a name of its own and sets a flag of its own. */
TEST(variants_by_name)
{
    const char *name, *meaning = NULL;
    struct nbpmu_variants all = {0};
    unsigned count = 0;
    for (; (name = nbpmu_variant_name(count, &meaning)); count++) {
        struct nbpmu_variants one = {0};
        assert_true(nbpmu_set_variant(&one, name) && strlen(meaning) > 0);
        bool is_set[sizeof one], was_set[sizeof one];
        memcpy(is_set, &one, sizeof one);
        memcpy(was_set, &all, sizeof all);
        for (size_t i = 0; i < sizeof one; i++)
            assert_false(is_set[i] && was_set[i]);
        assert_true(nbpmu_set_variant(&all, name));
    }
    assert_int_equal(count, sizeof all);
    assert_false(nbpmu_set_variant(&all, "cascade"));
    assert_false(nbpmu_set_variant(&all, ""));
}

TEST(faults_by_name)
{
    struct nbpmu_fault fault = {0};
    assert_false(nbpmu_fault_find("counter-dead", &fault)); /* of a family each member has a name */
    assert_false(nbpmu_fault_is_of_lvtpc(&fault));
    assert_true(nbpmu_fault_find("lvtpc-mask-ignored", &fault));
    assert_true(nbpmu_fault_is_of_lvtpc(&fault));
    assert_true(nbpmu_fault_find("t0-t1-swapped", &fault));
    assert_non_null(nbpmu_fault_misfit(&fault, &KIT_F12.part));
    assert_null(nbpmu_fault_misfit(&fault, &KIT_F43.part));
}

TEST(a_fault_is_in_the_pmu_it_was_put_into)
{
    struct nbpmu_fault fault = {0};
    char error[200];
    assert_true(nbpmu_fault_compose("counter-read.zero@lp=1", &fault, error, sizeof error));
    struct nbpmu *pmu = kit_new(KIT_F43);
    uint64_t value;
    nbpmu_set_fault(pmu, &fault);
    kit_write(pmu, MSR_COUNTER(3), 5);
    assert_true(nbpmu_rdmsr(pmu, 0, MSR_COUNTER(3), &value) && value == 5);
    assert_true(nbpmu_rdmsr(pmu, 1, MSR_COUNTER(3), &value) && value == 0);
    nbpmu_free(pmu);
}

/* A counter of clocks in which LP0 is active at CPL 0 is steady; nobody has to say that the quiet clocks end.
 */
TEST(quiet_clocks_catch_up_by_themselves)
{
    struct nbpmu *pmu =
        kit_counting(KIT_F43, 0, 6, MSR_FSB_ESCR0, ESCR_EVENT_SELECT(0x13) | ESCR_EVENT_MASK(1) | ESCR_T0_OS);
    drive_clocks(pmu, KIT_LP0, 1);
    assert_true(nbpmu_quiet(pmu) >= 100);
    nbpmu_skip(pmu, 100);
    nbpmu_set_lp(pmu, 0, true, 0); /* no change: the clocks stay quiet */
    assert_true(nbpmu_quiet(pmu) > 0);
    nbpmu_set_lp(pmu, 0, true, 3);
    assert_int_equal(nbpmu_quiet(pmu), 0);
    nbpmu_advance(pmu, 50);
    assert_int_equal(kit_counter(pmu, 0), 101);
    nbpmu_free(pmu);
}

/* At power-up LP0 is active at CPL 0, and LP1 is halted. */
TEST(states_at_power_up)
{
    struct nbpmu *pmu =
        kit_counting(KIT_F43, 0, 6, MSR_FSB_ESCR0, ESCR_EVENT_SELECT(0x13) | ESCR_EVENT_MASK(1) | ESCR_T0_OS);
    kit_write(pmu, MSR_CCCR(0), CCCR_ESCR_SELECT(6) | CCCR_ACTIVE_THREAD(ACTIVE_SINGLE) | CCCR_ENABLE);
    nbpmu_advance(pmu, 10);
    assert_int_equal(kit_counter(pmu, 0), 10);
    nbpmu_free(pmu);
}

/* That reporting them suffices, the property test shows (second_model/property_step.c). */
TEST(active_events_are_exact_for_simple_programmings)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    uint64_t instr = 1ull << NBPMU_INSTR_RETIRED, clocks = 1ull << NBPMU_NO_EVENT;
    kit_write(pmu, MSR_CRU_ESCR0, KIT_INSTR);
    kit_write(pmu, MSR_CRU_ESCR1, KIT_UOPS);
    assert_int_equal(nbpmu_active_events(pmu), 0);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE);
    assert_int_equal(nbpmu_active_events(pmu), instr);
    kit_write(pmu, MSR_CCCR(14), kit_cccr(KIT_CRU) | CCCR_CASCADE); /* armed, not started */
    assert_int_equal(nbpmu_active_events(pmu), instr);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_MASK);
    drive_event(pmu, NBPMU_INSTR_RETIRED, 0, 0, 0, 1);
    drive_clocks(pmu, KIT_LP0, 1);
    assert_int_equal(nbpmu_active_events(pmu), instr | 1ull << NBPMU_UOPS_RETIRED);
    kit_write(pmu, MSR_CCCR(12), kit_cccr(KIT_CRU) | CCCR_ENABLE | CCCR_COMPARE | CCCR_COMPLEMENT);
    assert_int_equal(nbpmu_active_events(pmu), instr | clocks);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_int_equal(nbpmu_active_events(pmu), 0);
    nbpmu_free(pmu);
}

/* 3 * 10^12 clocks pass in no time and exactly: the counter of RUNNING overflows after 1000 and starts its
 * partner. */
TEST(a_long_stretch)
{
    struct nbpmu *pmu = kit_new(KIT_F43);
    kit_write(pmu, MSR_FSB_ESCR0, 0x2600020C);
    kit_write(pmu, MSR_FSB_ESCR1, 0x2600020C);
    kit_write(pmu, MSR_COUNTER(0), COUNTER_OVERFLOW_IN(1000));
    kit_write(pmu, MSR_CCCR(2), kit_cccr(6) | CCCR_CASCADE);
    kit_write(pmu, MSR_CCCR(0), kit_cccr(6) | CCCR_ENABLE | CCCR_OVF_PMI_T0);
    assert_int_equal(drive_clocks(pmu, KIT_LP0, 1000), 0);
    assert_true(kit_ovf(pmu, 0));
    assert_int_equal(drive_clocks(pmu, KIT_LP0, 3000000000000), 1); /* wraps 40 bits twice: 2.73 times 2^40 */
    assert_int_equal(kit_counter(pmu, 0), 3000000000000 % (1ull << 40));
    assert_int_equal(kit_counter(pmu, 2), 3000000000000 % (1ull << 40));
    assert_true(kit_ovf(pmu, 2));
    nbpmu_free(pmu);
}

/* ---- Trace: one readable line per visible change, and silence when nobody asked ---- */

static void collect(void *context, const char *line)
{
    char *text = context;
    strcat(text, line);
    strcat(text, "\n");
}

TEST(trace_lines)
{
    char text[1024] = "";
    struct nbpmu *pmu = kit_new(KIT_F43);
    nbpmu_set_trace(pmu, collect, text);
    kit_write(pmu, MSR_CRU_ESCR0, 0x0400020C);
    kit_write(pmu, MSR_CRU_ESCR1, 0x0400020C);
    kit_write(pmu, MSR_COUNTER(12), COUNTER_OVERFLOW_IN(1));
    kit_write(pmu, MSR_CCCR(14), 0x40038000);
    kit_write(pmu, MSR_CCCR(12), 0x08039000);
    for (unsigned clock = 0; clock < 2; clock++) {
        drive_event(pmu, NBPMU_INSTR_RETIRED, 0, 0, 0, 1);
        drive_clocks(pmu, KIT_LP0, 1);
    }
    kit_write(pmu, MSR_CCCR(14), 0);
    nbpmu_set_trace(pmu, NULL, NULL);
    kit_write(pmu, MSR_CCCR(12), 0);
    assert_string_equal(text, "CRU_ESCR0 (3B8H) := 0400020CH instr_retired\n"
                              "CRU_ESCR1 (3B9H) := 0400020CH instr_retired\n"
                              "counter 12 (30CH) := FFFFFFFFFFH\n"
                              "CCCR14 (36EH) := 40038000H select 4 CASCADE\n"
                              "CCCR12 (36CH) := 08039000H ENABLE select 4 OVF_PMI_T1\n"
                              "counter 12 overflows\n"
                              "cascade 12 -> 14 starts\n"
                              "PMI to LP1 by counter 12\n"
                              "CCCR14 (36EH) := 00000000H select 0\n"
                              "cascade 12 -> 14 stops\n");
    nbpmu_free(pmu);
}
