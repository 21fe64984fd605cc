/* pmc/msr.h over plain storage that writes down every access (msr_record.h). */
#include "host_test.h"
#include "msr_record.h"
#include "pmc/msr.h"

#define MSRS         0x1000
#define ACCESSES     4096
#define INTERRUPT_GP 13

static uint64_t storage[MSRS], stuck[MSRS];
static bool faulty[MSRS], all_faulty, dropping;
static struct access accesses[ACCESSES];
static size_t count;

void record_restart(void)
{
    count = 0;
}

void record_reset(void)
{
    for (size_t i = 0; i < MSRS; i++) {
        storage[i] = stuck[i] = 0;
        faulty[i] = false;
    }
    all_faulty = dropping = false;
    record_restart();
}

size_t record_count(void)
{
    return count;
}

const struct access *record_at(size_t i)
{
    assert_true(i < count);
    return &accesses[i];
}

const struct access *record_write(size_t n)
{
    for (size_t i = 0; i < count; i++)
        if (accesses[i].write && n-- == 0)
            return &accesses[i];
    return NULL;
}

void record_poke(uint32_t msr, uint64_t value)
{
    storage[msr] = value;
}

uint64_t record_peek(uint32_t msr)
{
    return storage[msr];
}

void record_stick(uint32_t msr, uint64_t or_mask)
{
    stuck[msr] = or_mask;
}

void record_fault(uint32_t msr)
{
    faulty[msr] = true;
}

void record_fault_all(void)
{
    all_faulty = true;
}

void record_drop_writes(void)
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
        return INTERRUPT_GP;
    *value = storage[msr] | stuck[msr];
    note(false, msr, *value);
    return NO_FAULT;
}

unsigned msr_try_write(uint32_t msr, uint64_t value)
{
    assert_true(msr < MSRS);
    if (all_faulty || faulty[msr])
        return INTERRUPT_GP;
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
