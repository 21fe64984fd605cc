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
static bool write_and_read(struct pmc_answer *answer, uint64_t value)
{
    answer->written = value;
    answer->by_write = true;
    answer->fault = msr_try_write(answer->msr, value);
    if (answer->fault == NO_FAULT)
        answer->fault = msr_try_write(answer->msr, value);
    if (answer->fault != NO_FAULT)
        return false;
    answer->by_write = false;
    answer->fault = msr_try_read(answer->msr, &answer->read);
    return answer->fault == NO_FAULT;
}

/* What counter n does: the first access that faults, else a value that does not read back. True if it reads
 * back two different values. */
static bool stores(unsigned n, struct pmc_answer *answer)
{
    *answer = (struct pmc_answer){.msr = MSR_CCCR(n), .by_write = true};
    answer->fault = msr_try_write(answer->msr, 0);
    if (answer->fault != NO_FAULT)
        return false;
    answer->msr = MSR_COUNTER(n);
    bool differ = false;
    if (write_and_read(answer, PATTERN_A)) {
        const struct pmc_answer first = *answer;
        const bool both = write_and_read(answer, PATTERN_B);

        differ = both && answer->read != first.read;
        if (both && first.read != PATTERN_A)
            *answer = first;
    }
    (void)msr_try_write(MSR_COUNTER(n), 0);
    return differ;
}

const char *pmc_probe_registers(struct pmc_answer *example)
{
    bool reachable = false;

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct pmc_answer answer;

        if (stores(n, &answer))
            return NULL;
        if (n == 0 || (!reachable && answer.fault == NO_FAULT))
            *example = answer;
        reachable = reachable || answer.fault == NO_FAULT;
    }
    return reachable ? "the counter registers drop what is written to them"
                     : "every access to the counter registers faults";
}
