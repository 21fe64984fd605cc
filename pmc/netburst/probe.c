/*
 * Do the PMU's registers store anything? Emulators that accept every MSR drop the writes. There a run would
 * only report, vector by vector, that the PMU is absent.
 */
#include <stdbool.h>
#include <stddef.h>
#include "cpu.h"
#include "pmc/msr.h"
#include "regs.h"

/* The two differ in every bit, so one working bit of one counter is enough to show that the PMU is there. */
#define PATTERN_A (COUNTER_MASK / 3)     /* 5555555555H */
#define PATTERN_B (COUNTER_MASK / 3 * 2) /* AAAAAAAAAAH */

/* Write twice (E1), read back. False when an access faulted. */
static bool write_and_read(uint32_t msr, uint64_t value, uint64_t *back)
{
    return msr_try_write(msr, value) == NO_FAULT && msr_try_write(msr, value) == NO_FAULT &&
           msr_try_read(msr, back) == NO_FAULT;
}

const char *pmc_probe_registers(void)
{
    bool stored = false, reachable = false;

    for (unsigned n = 0; n < PMC_COUNTERS && !stored; n++) {
        uint32_t counter = MSR_COUNTER(n);
        uint64_t a, b;
        if (msr_try_write(MSR_CCCR(n), 0) != NO_FAULT)
            continue;
        if (write_and_read(counter, PATTERN_A, &a) && write_and_read(counter, PATTERN_B, &b)) {
            reachable = true;
            stored = a != b;
        }
        (void)msr_try_write(counter, 0);
    }
    if (stored)
        return NULL;
    return reachable ? "the counter registers drop what is written to them"
                     : "every access to the counter registers faults";
}
