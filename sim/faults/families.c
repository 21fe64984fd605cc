/*
 * The families that several files share: one fault for every counter, ESCR or pair, enumerated from the
 * tables of the model.
 */
#include "faults.h"

#include <stdarg.h>

bool nbpmu_fault_member(struct fault_member *member, unsigned at, unsigned to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(member->suffix, sizeof member->suffix, format, arguments);
    va_end(arguments);
    member->fault.at = (uint8_t)at;
    member->fault.to = (uint8_t)to;
    return true;
}

bool nbpmu_fault_bit_of(unsigned number, uint64_t bits, struct fault_member *member)
{
    return number < 64 && (bits >> number & 1) && nbpmu_fault_member(member, number, 0, "-%u", number);
}

SHARED_FAMILY(number_below_4, nbpmu_fault_bit_of(number, FIELD_MASK(3, 0), member))

/* Bit number / 2 reads as number % 2 whatever is written, if it is one of these bits. */
bool nbpmu_fault_stuck_bit_of(unsigned number, uint64_t bits, struct fault_member *member)
{
    const unsigned bit = number / 2, value = number % 2;
    return bit < 64 && (bits >> bit & 1) && nbpmu_fault_member(member, bit, value, "-%u-at-%u", bit, value);
}

bool nbpmu_fault_counter(unsigned number, struct fault_member *member)
{
    member->fault.only = (uint8_t)(number + 1);
    return number < PMC_COUNTERS && nbpmu_fault_member(member, number, member->fault.to, "-%u", number);
}

SHARED_FAMILY(counter_of_16, number < 16 && nbpmu_fault_counter(number, member))

/* One value above 1 after another, or a value that falls to 1. */
bool nbpmu_fault_counter_of_several(unsigned number, struct fault_member *member)
{
    if (number >= 8 && number < 12)
        member->unseen = "no workload is known to present such values in this block";
    return nbpmu_fault_counter(number, member);
}

bool nbpmu_fault_two_counters(unsigned n, unsigned other, struct fault_member *member)
{
    member->fault.only = (uint8_t)(n + 1);
    member->fault.other = (uint8_t)(other + 1);
    return nbpmu_fault_member(member, n, other, "-%u-%u", n, other);
}

SHARED_FAMILY(next_counter,
              number < PMC_COUNTERS && nbpmu_fault_two_counters(number, (number + 1) % PMC_COUNTERS, member))

/* Two partners for each counter: the other one of its pair, and a counter of another block. */
bool nbpmu_fault_beside(unsigned number, struct fault_member *member)
{
    const unsigned n = number % PMC_COUNTERS, other = number == n ? n ^ 1 : (n + 7) % PMC_COUNTERS;
    return number < 2 * PMC_COUNTERS && nbpmu_fault_two_counters(n, other, member);
}

/* Returns why software cannot see that this ESCR reaches no counter: it has no event to select, not even one
 * whose absence could be counted (R16, question 11.11). Returns null if software can see it. */
static const char *uncounted(uint32_t msr)
{
    static const uint32_t without_event[] = {MSR_SSU_ESCR0,   MSR_IS_ESCR0,  MSR_IX_ESCR0, MSR_IQ_ESCR0,
                                             MSR_FLAME_ESCR0, MSR_U2L_ESCR0, MSR_CRU_ESCR4};
    for (unsigned i = 0; i < COUNT_OF(without_event); i++)
        if ((msr & ~1u) == without_event[i])
            return "this ESCR has no documented event";
    return (msr & ~1u) == MSR_RAT_ESCR0
               ? "its event only tags, and whether its absence reaches a counter is an open question"
               : NULL;
}

bool nbpmu_fault_escr(unsigned number, struct fault_member *member)
{
    const uint32_t msr = ESCR_MSR(number);
    if (number >= ESCR_INDICES || !nbpmu_escr_exists(msr))
        return false;
    member->unseen = uncounted(msr);
    return nbpmu_fault_member(member, number, member->fault.to, "-%s", nbpmu_escr_name(msr));
}

/* The ESCRs that hold something. */
bool nbpmu_fault_held_escr(unsigned number, struct fault_member *member)
{
    const bool exists = nbpmu_fault_escr(number, member);
    member->unseen = NULL;
    return exists && (ESCR_MSR(number) & ~1u) != MSR_IQ_ESCR0;
}

/* An ESCR that holds something does something to the next one. */
bool nbpmu_fault_next_escr(unsigned number, struct fault_member *member)
{
    unsigned to = number;
    do
        to = (to + 1) % ESCR_INDICES;
    while (!nbpmu_escr_exists(ESCR_MSR(to)) || (ESCR_MSR(to) & ~1u) == MSR_IQ_ESCR0);
    member->fault.to = (uint8_t)to;
    return nbpmu_fault_held_escr(number, member);
}
