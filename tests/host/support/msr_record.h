/*
 * pmc/msr.h over plain storage that writes down every access: for tests of what is written, and in which
 * order. This header defines what it declares; each test program includes it once.
 */
#ifndef TESTS_HOST_SUPPORT_MSR_RECORD_H
#define TESTS_HOST_SUPPORT_MSR_RECORD_H

#include <string.h>
#include "host_test.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"

struct access {
    bool write;
    uint32_t msr;
    uint64_t value; /* written, or returned */
};

#define MSRS         0x1000
#define ACCESSES     4096
#define RECORD_FAULT 13

static struct {
    uint64_t value[MSRS]; /* a test stores here what firmware or the hardware would have */
    size_t count;         /* of the accesses since, in their order; RDPMC is not recorded */
    struct access access[ACCESSES];
    /* Defects: bits that always read 1; accesses to one register, only the writes of one, or accesses to any,
     * that raise vector 13; every write is accepted and forgotten, as under an emulator. */
    uint64_t stuck[MSRS];
    bool faulty[MSRS], refuses_writes[MSRS], all_faulty, drops_writes;
} record;

/* Forget everything: no accesses, every register 0, no defects. */
static inline void record_reset(void)
{
    memset(&record, 0, sizeof record);
}

/* The n-th write since, null when there were fewer. */
static inline const struct access *record_write(size_t n)
{
    for (size_t i = 0; i < record.count; i++)
        if (record.access[i].write && n-- == 0)
            return &record.access[i];
    return NULL;
}

static void note(bool write, uint32_t msr, uint64_t value)
{
    assert_true(record.count < ACCESSES);
    record.access[record.count++] = (struct access){write, msr, value};
}

unsigned msr_try_read(uint32_t msr, uint64_t *value)
{
    assert_true(msr < MSRS);
    if (record.all_faulty || record.faulty[msr])
        return RECORD_FAULT;
    *value = record.value[msr] | record.stuck[msr];
    note(false, msr, *value);
    return NO_FAULT;
}

unsigned msr_try_write(uint32_t msr, uint64_t value)
{
    assert_true(msr < MSRS);
    if (record.all_faulty || record.faulty[msr] || record.refuses_writes[msr])
        return RECORD_FAULT;
    if (!record.drops_writes)
        record.value[msr] = value;
    note(true, msr, value);
    return NO_FAULT;
}

uint64_t msr_read(uint32_t msr)
{
    uint64_t value = 0;
    assert_int_equal(msr_try_read(msr, &value), NO_FAULT);
    return value;
}

void msr_write(uint32_t msr, uint64_t value)
{
    assert_int_equal(msr_try_write(msr, value), NO_FAULT);
}

/* ---- What the library wrote, in its order ---- */

struct write {
    uint32_t msr;
    uint64_t value;
};

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
    record.count = 0;
}

#define EXPECT_WRITES(...)                                    \
    do {                                                      \
        static const struct write expected[] = {__VA_ARGS__}; \
        expect_writes(expected, COUNT_OF(expected));          \
    } while (0)

#endif
