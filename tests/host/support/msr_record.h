/*
 * pmc/msr.h over plain storage that writes down every access: for tests of what is written, and in which
 * order. This header defines what it declares; each test program includes it once.
 */
#ifndef TESTS_HOST_SUPPORT_MSR_RECORD_H
#define TESTS_HOST_SUPPORT_MSR_RECORD_H

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

static uint64_t storage[MSRS], stuck[MSRS];
static bool faulty[MSRS], all_faulty, dropping;
static struct access accesses[ACCESSES];
static size_t count;

/* Forget the accesses only. */
static inline void record_restart(void)
{
    count = 0;
}

/* Forget everything: no accesses, every register 0, no defects. */
static inline void record_reset(void)
{
    for (size_t i = 0; i < MSRS; i++) {
        storage[i] = stuck[i] = 0;
        faulty[i] = false;
    }
    all_faulty = dropping = false;
    record_restart();
}

/* What was accessed since, in order; RDPMC is not recorded. */
static inline size_t record_count(void)
{
    return count;
}

static inline const struct access *record_at(size_t i)
{
    assert_true(i < count);
    return &accesses[i];
}

/* The n-th write since, null when there were fewer. */
static inline const struct access *record_write(size_t n)
{
    for (size_t i = 0; i < count; i++)
        if (accesses[i].write && n-- == 0)
            return &accesses[i];
    return NULL;
}

/* Store without recording, as firmware or the hardware would have. */
static inline void record_poke(uint32_t msr, uint64_t value)
{
    storage[msr] = value;
}

static inline uint64_t record_peek(uint32_t msr)
{
    return storage[msr];
}

/* Defects: these bits of a register always read 1; accesses to it, or to any, raise vector 13; every write is
 * accepted and forgotten, as under an emulator. */
static inline void record_stick(uint32_t msr, uint64_t or_mask)
{
    stuck[msr] = or_mask;
}

static inline void record_fault(uint32_t msr)
{
    faulty[msr] = true;
}

static inline void record_fault_all(void)
{
    all_faulty = true;
}

static inline void record_drop_writes(void)
{
    dropping = true;
}

static void note(bool write, uint32_t msr, uint64_t value)
{
    assert_true(count < ACCESSES);
    accesses[count++] = (struct access){write, msr, value};
}

unsigned msr_try_read(uint32_t msr, uint64_t *value)
{
    assert_true(msr < MSRS);
    if (all_faulty || faulty[msr])
        return RECORD_FAULT;
    *value = storage[msr] | stuck[msr];
    note(false, msr, *value);
    return NO_FAULT;
}

unsigned msr_try_write(uint32_t msr, uint64_t value)
{
    assert_true(msr < MSRS);
    if (all_faulty || faulty[msr])
        return RECORD_FAULT;
    if (!dropping)
        storage[msr] = value;
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
    record_restart();
}

#define EXPECT_WRITES(...)                                    \
    do {                                                      \
        static const struct write expected[] = {__VA_ARGS__}; \
        expect_writes(expected, COUNT_OF(expected));          \
    } while (0)

#endif
