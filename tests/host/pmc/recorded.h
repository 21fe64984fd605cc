/* What the library wrote to recorded registers (tests/host/support/msr_record.h), in its order. */
#ifndef TESTS_HOST_PMC_RECORDED_H
#define TESTS_HOST_PMC_RECORDED_H

#include "pmc/netburst/regs.h"
#include "tests/host/support/host_test.h"
#include "tests/host/support/msr_record.h"

struct write {
    uint32_t msr;
    uint64_t value;
};

/* Nothing is recorded, every register is 0. */
BEFORE_EACH(clear_record)
{
    record_reset();
}

/* These writes and no others came since the last look; the two of a counter (E1) are given once. */
static inline void expect_writes(const struct write *expected, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        bool counter = expected[i].msr >= MSR_COUNTER(0) && expected[i].msr < MSR_COUNTER(PMC_COUNTERS);
        for (unsigned times = counter ? 2 : 1; times > 0; times--) {
            const struct access *write = record_write(n++);
            assert_non_null(write);
            assert_int_equal(write->msr, expected[i].msr);
            assert_true(write->value == expected[i].value);
        }
    }
    assert_null(record_write(n));
    record_restart();
}

#define EXPECT_WRITES(...)                                    \
    do {                                                      \
        static const struct write expected[] = {__VA_ARGS__}; \
        expect_writes(expected, COUNT_OF(expected));          \
    } while (0)

#endif
