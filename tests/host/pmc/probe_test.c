/*
 * Do the PMU's registers store anything (pmc/netburst/probe.c)? Over recorded registers that work, drop
 * writes, fault, or are defective.
 */
#include <string.h>
#include "pmc/netburst/cpu.h"
#include "pmc/netburst/regs.h"
#include "tests/host/support/host_test.h"
#include "tests/host/support/msr_record.h"

TEST(real_registers_answer)
{
    record_reset();
    record_poke(MSR_COUNTER(0), 12345);
    record_poke(MSR_CCCR(0), CCCR_ENABLE);
    assert_null(pmc_probe_registers());
    /* Stopped before anything else, left 0. */
    assert_int_equal(record_at(0)->msr, MSR_CCCR(0));
    assert_true(record_at(0)->write && record_at(0)->value == 0);
    assert_int_equal(record_peek(MSR_COUNTER(0)), 0);
    assert_int_equal(record_peek(MSR_CCCR(0)), 0);
}

TEST(dropped_writes_are_no_pmu)
{
    record_reset();
    record_drop_writes();
    assert_non_null(strstr(pmc_probe_registers(), "drop"));
}

TEST(faulting_registers_are_no_pmu)
{
    record_reset();
    record_fault_all();
    assert_non_null(strstr(pmc_probe_registers(), "faults"));
}

/* Nor is a value that nothing changes, whichever it is. */
TEST(constant_values_are_no_pmu)
{
    static const uint64_t values[] = {1, COUNTER_MASK / 3, COUNTER_MASK / 3 * 2, COUNTER_MASK};

    for (size_t i = 0; i < COUNT_OF(values); i++) {
        record_reset();
        record_drop_writes();
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            record_stick(MSR_COUNTER(n), values[i]);
        assert_non_null(strstr(pmc_probe_registers(), "drop"));
    }
}

/* A defective PMU must be tested, not skipped: one bit, or one counter, is enough of an answer. */
TEST(defective_registers_answer)
{
    record_reset();
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        record_stick(MSR_COUNTER(n), COUNTER_MASK & ~(1ull << 17));
    assert_null(pmc_probe_registers());

    record_reset();
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (n != 11)
            record_stick(MSR_COUNTER(n), COUNTER_MASK);
    }
    record_fault(MSR_COUNTER(0));
    record_fault(MSR_CCCR(1));
    assert_null(pmc_probe_registers());
}
