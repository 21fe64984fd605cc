/* What the library wrote to recorded registers (tests/host/support/msr_record.h), in its order. */
#ifndef TESTS_HOST_PMC_RECORDED_H
#define TESTS_HOST_PMC_RECORDED_H

#include "tests/host/support/host_test.h"
#include "tests/host/support/msr_record.h"

/* Set-up of a test: nothing is recorded, every register is 0. */
BEFORE_EACH(clear_record)
{
    record_reset();
}

/* Write number n was this one. */
static inline void expect_write(size_t n, uint32_t msr, uint64_t value)
{
    const struct access *write = record_write(n);
    assert_non_null(write);
    assert_int_equal(write->msr, msr);
    assert_true(write->value == value);
}

/* There were n writes. */
static inline void expect_no_more_writes(size_t n)
{
    assert_null(record_write(n));
}

#endif
