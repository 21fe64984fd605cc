/*
 * Faults of the increment and of the sum (R27, R28), of OVF (R29) and FORCE_OVF (R31), and of a CCCR's write
 * (R32).
 */
#include "faults.h"

/* ---- Families ---- */

/* Counters whose block has events on several ESCRs of their side, each with a number that is known. */
FAMILY(paired, number >= 4 && number < 16 && nbpmu_fault_counter(number, member))
/* Bits 0 and 1 of the increment, and all four bits of counters 2 and 3, which alone reach events that present
 * more than 3 in a clock. */
FAMILY_OF_COUNTERS(increment_bit, 4, i < 2 || n == 2 || n == 3, n, i, "-%u-bit-%u", n, i)
/* A different bit of the adder, from 6 to 39, for each counter. */
FAMILY_OF_COUNTERS(carry, 1, true, 6 + 11 * n % 34, 0, "-%u-bit-%u", n, 6 + 11 * n % 34)
/* The carry from the lower into the upper half, of each counter. */
FAMILY_OF_COUNTERS(carry_32, 1, true, 32, 0, "-%u", n)
FAMILY(third_carry, number % 3 == 1 && nbpmu_fault_bit_of(number, FIELD_MASK64(37, 0), member))
/* The counters of the BPU block count clocks, which are so many that rarer losses show. */
FAMILY_OF_COUNTERS(counter_losing, 1, true, n < 4 ? 23 : 14, 0, "-on-%u", n)
/* The second and the third overflow of each counter. */
FAMILY_OF_COUNTERS(nth, 2, true, n, 2 + i, "-%u-%u", n, 2 + i)

/* ---- The increment (R6, R27) ---- */

static unsigned gets_neighbours(const struct nbpmu *pmu, unsigned n)
{
    const bool differs = pmu->counter[n ^ 1].escr_index != pmu->counter[n].escr_index;
    return nbpmu_value(pmu, n) | ((pmu->running >> (n ^ 1) & 1) && differs ? nbpmu_value(pmu, n ^ 1) : 0);
}

FAULT(filter, counter_dead, 0 * SOUND(filter))
FAULT(filter, counts_twice, 2 * SOUND(filter))
FAULT(filter, counts_one, SOUND(filter) != 0)
FAULT(filter, idle_if_all, SOUND(filter) * (pmu->running != FIELD_MASK(PMC_COUNTERS - 1, 0)))
FAULT(filter, increment_short, SOUND(filter) - (SOUND(filter) == fault->at))
FAULT(filter, increment_bit_dead, SOUND(filter) & ~(1u << fault->to))

/* ---- The adder: a carry into bit `at` goes wrong (R27, R28) ---- */

static bool carries(const struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint64_t below = 1ull << fault_of(pmu)->at;
    return (pmu->counter[n].value & (below - 1)) + increment >= below;
}

FAULT(distance, to_carry, nbpmu_distance_to_carry_into(fault->at, pmu->counter[n].value))

/* What is added may be something else than the increment; what is an overflow is worked out before. */
static bool add_as(struct nbpmu *pmu, unsigned n, uint64_t addend, bool overflow)
{
    pmu->counter[n].value = (pmu->counter[n].value + addend) & COUNTER_MASK;
    return overflow;
}

static bool overflows(const struct nbpmu *pmu, unsigned n, unsigned increment)
{
    return pmu->counter[n].value + increment > COUNTER_MASK;
}

static uint64_t carry_of(const struct nbpmu *pmu, unsigned n, unsigned increment)
{
    return (uint64_t)carries(pmu, n, increment) << fault_of(pmu)->at;
}

FAULT(add, carry_lost, add_as(pmu, n, increment - carry_of(pmu, n, increment), overflows(pmu, n, increment)))
FAULT(add, carry_twice, add_as(pmu, n, increment + carry_of(pmu, n, increment), overflows(pmu, n, increment)))
FAULT(add, sticks, add_as(pmu, n, carries(pmu, n, increment) ? 0 : increment, overflows(pmu, n, increment)))
FAULT(add, at_carry, add_as(pmu, n, increment, carries(pmu, n, increment) || overflows(pmu, n, increment)))

static bool wraps(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const bool overflow = add_as(pmu, n, increment, carries(pmu, n, increment));
    pmu->counter[n].value &= FIELD_MASK64(fault_of(pmu)->at - 1, 0);
    return overflow;
}

/* One count in 2 to the power of `at` is lost. Noted is how many more the counter counted than its value
 * says; it changes when the counter gets a value that it has not counted to. */
static uint64_t counted(const struct nbpmu *pmu, unsigned n)
{
    return *noted_of(pmu, n) + pmu->counter[n].value;
}

static bool count_lost(struct nbpmu *pmu, unsigned n, unsigned increment)
{
    const uint64_t before = counted(pmu, n), below = (1ull << fault_of(pmu)->at) - 1;
    const bool lost = (before & below) + increment > below;
    const bool overflow = add_as(pmu, n, increment - lost, overflows(pmu, n, increment));
    *noted_of(pmu, n) = before + increment - pmu->counter[n].value;
    return overflow;
}

static bool keeps_counted(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const bool counter = nbpmu_register_of(msr) == REG_COUNTER;
    const uint64_t before = counter ? counted(pmu, msr - MSR_COUNTER(0)) : 0;
    const bool taken = nbpmu_write(pmu, lp, msr, value);
    if (counter)
        *noted_of(pmu, msr - MSR_COUNTER(0)) = before - pmu->counter[msr - MSR_COUNTER(0)].value;
    return taken;
}

FAULT(distance, to_lost_count, nbpmu_distance_to_carry_into(fault->at, counted(pmu, n)))

/* ---- What is an overflow (R28, R29) ---- */

FAULT(add, onto_0, SOUND(add) && pmu->counter[n].value == 0)
FAULT(add, not_compared, SOUND(add) && !has_bits(pmu, n, CCCR_COMPARE))
/* From below 2^40 - 1 up to it, or further. */
FAULT(add, one_early, add_as(pmu, n, increment, pmu->counter[n].value + increment - COUNTER_MASK < increment))
FAULT(add, one_late, add_as(pmu, n, increment, pmu->counter[n].value == 0))
FAULT(distance, to_one_late, pmu->counter[n].value == 0 ? 0 : COUNTER_MASK)
FAULT(add, ends_ovf, pmu->counter[n].cccr &= ~CCCR_OVF, SOUND(add))

/* ---- OVF (R29) ---- */

bool nbpmu_fault_sets_ovf(struct nbpmu *pmu, unsigned n)
{
    nbpmu_overflow(pmu, n);
    return (pmu->counter[n].cccr & CCCR_OVF) && pmu->counter[n].ovf_by_hardware;
}

DEED(overflow, overflow_stops, if (nbpmu_fault_sets_ovf(pmu, n)) disables(pmu, n))
DEED(overflow, ovf_missing, )

static void lost_beside(struct nbpmu *pmu, unsigned n)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    const uint32_t overflowing = defects_of(pmu)->overflowing;
    if (n == fault->to && (overflowing >> fault->at & 1))
        pmu->counter[fault->at].cccr &= ~CCCR_OVF;
    if (n != fault->at || !(overflowing >> fault->to & 1))
        nbpmu_overflow(pmu, n);
}

DEED(overflow, sets_other_too, other_of(pmu)->cccr |= CCCR_OVF; SOUND(overflow))
DEED(overflow, nth_lost, if (++*noted_of(pmu, n) % 256 != fault->to) SOUND(overflow))

/* An overflow while OVF is set clears bits of the CCCR, which the row has in `clears`. */
static void again_clears(struct nbpmu *pmu, unsigned n)
{
    const uint32_t cleared =
        has_bits(pmu, n, CCCR_OVF) ? pmu->counter[n].cccr & fault_of(pmu)->row->clears : 0;
    nbpmu_overflow(pmu, n);
    pmu->counter[n].cccr &= ~cleared;
    pmu->stale |= cleared != 0;
}

/* ---- FORCE_OVF (R31): it sets OVF of its own counter, whatever else the CCCR has, and changes nothing else
 * ---- */

FAULT(acts_by, dead_when_negative, pmu->counter[n].value > COUNTER_MASK / 2 ? cccr & ~CCCR_FORCE_OVF : cccr)
FAULT(acts_by, dead_by_several, escr_of(pmu, n).sum > 1 ? cccr & ~CCCR_FORCE_OVF : cccr)

/* The filter or the gate suppresses the event, and OVF is set all the same. */
static unsigned force_if(struct nbpmu *pmu, unsigned n, bool passed, unsigned increment)
{
    struct nbpmu_counter *counter = &pmu->counter[n];
    if (!increment && passed && is_forced(pmu, n) && !(counter->cccr & CCCR_OVF)) {
        counter->cccr |= CCCR_OVF;
        pmu->stale = true;
    }
    return increment;
}

FAULT(filter, before_filter, force_if(pmu, n, value, SOUND(filter)))
FAULT(filter, before_gate, force_if(pmu, n, !gate_open, SOUND(filter)))
DEED(overflow, forced_once, if (!is_forced(pmu, n) || !(*noted_of(pmu, n))++) SOUND(overflow))
DEED(overflow, forces_other, nbpmu_overflow(pmu, is_forced(pmu, n) ? fault->other - 1u : n))
FAULT(add, adds_nothing, nbpmu_add(pmu, n, is_forced(pmu, n) ? 0 : increment))
DEED(overflow, forced_clears, if (is_forced(pmu, n)) clears_it(pmu, n); SOUND(overflow))

/* ---- Writes of a CCCR (R29, R32) ---- */

FAULT(cccr_holds, force_sets_ovf, now &CCCR_FORCE_OVF ? now | CCCR_OVF : now)
FAULT(cccr_holds, keeps_ovf, now | (pmu->counter[n].cccr & CCCR_OVF))
FAULT(cccr_holds, loses_ovf, now & ~CCCR_OVF)
FAULT(cccr_holds, enable_clears_ovf, now & ~pmu->counter[n].cccr & CCCR_ENABLE ? now & ~CCCR_OVF : now)
FAULT(cccr_holds, halves, now &FIELD_MASK(23, 12) ? now &FIELD_MASK(23, 0) : now)
FAULT(write, high_write_lost,
      (value >> 32 && msr == MSR_CCCR(fault->at) && !nbpmu_write_faults(pmu, msr, value)) || SOUND(write))
DEED(then, takes_count_if_running, if (pmu->running >> n & 1) takes_count(pmu, n))

/* clang-format off */
#define ADDS(function)          .add = function, .distance = to_carry
#define AT_CARRY(bit, function) .at = bit, ADDS(function)
#define LOSES_COUNT .add = count_lost, .write = keeps_counted, .distance = to_lost_count

const struct nbpmu_fault_row nbpmu_fault_counts[] = {
    {"counter-dead", "R27", "this counter never advances", EVERY(counter), .filter = counter_dead},
    {"counts-twice", "R27", "every increment is added twice", .filter = counts_twice},
    {"counts-one", "R27", "1 is added whatever the increment", .filter = counts_one},
    {"idle-when-all-run", "R27", "this counter does not count while all 18 run", EVERY(counter), .filter = idle_if_all},
    {"gets-neighbours", "R6", "this counter also gets the value of the ESCR that the other one of its pair selects",
     EVERY(paired), .value = gets_neighbours},
    {"counts-one-here", "R27", "this counter adds 1 whatever the increment", EVERY(counter), .filter = counts_one},
    {"increment-2-adds-1", "R27", "an increment of 2 adds 1", .at = 2, .filter = increment_short},
    {"increment-bit-dead", "R27", "this counter takes this bit of the increment for 0", EVERY(increment_bit),
     .filter = increment_bit_dead},
    {"carry-lost", "R27", "a carry into this bit is lost", EVERY(third_carry), ADDS(carry_lost)},
    {"carry-lost", "R27", "a carry into this bit of this counter is lost", EVERY(carry), ADDS(carry_lost)},
    {"carry-32-lost", "R27", "a carry into bits 39:32 is lost", AT_CARRY(32, carry_lost)},
    {"carry-32-lost", "R27", "a carry of this counter into bits 39:32 is lost", EVERY(carry_32), ADDS(carry_lost)},
    {"carry-sticks", "R27", "a counter stops before a carry into this bit", EVERY(carry), ADDS(sticks)},
    {"carry-twice-24", "R27", "a carry into bit 24 adds 2^24 twice", AT_CARRY(24, carry_twice)},
    {"carry-twice-33", "R27", "a carry into bit 33 adds 2^33 twice", AT_CARRY(33, carry_twice)},
    {"count-lost-12", "R27", "one count in 2^12 is lost", .at = 12, LOSES_COUNT},
    {"count-lost-16", "R27", "one count in 2^16 is lost", .at = 16, LOSES_COUNT},
    {"count-lost-20", "R27", "one count in 2^20 is lost", .at = 20, LOSES_COUNT},
    {"count-lost", "R27", "this counter loses one count in 2^14, and in the BPU block one in 2^23",
     EVERY(counter_losing), LOSES_COUNT},
    {"wraps", "R28", "this counter wraps and overflows at this width", EVERY(carry), ADDS(wraps)},
    {"ovf-at-carry", "R28", "a carry into this bit of this counter is an overflow too", EVERY(carry), ADDS(at_carry)},
    {"wraps-at-32", "R28", "a counter wraps and overflows at 32 bits", AT_CARRY(32, wraps)},
    {"wraps-at-39", "R28", "a counter wraps and overflows at 39 bits", AT_CARRY(39, wraps)},
    {"step-over-missed", "R28", "a step over 0 does not overflow, only one onto 0 does", .add = onto_0},
    {"step-over-missed-here", "R28", "a step over 0 does not overflow this counter", EVERY(counter), .add = onto_0},
    {"ovf-at-carry-16", "R28", "a carry into bit 16 is an overflow too", AT_CARRY(16, at_carry)},
    {"ovf-at-carry-32", "R28", "a carry into bit 32 is an overflow too", AT_CARRY(32, at_carry)},
    {"ovf-at-carry-39", "R28", "a carry into bit 39 is an overflow too", AT_CARRY(39, at_carry)},
    {"ovf-not-compared", "R28", "a counter with COMPARE does not overflow", .add = not_compared},
    {"overflow-stops", "R28", "a counter stops when it overflows", .overflow = overflow_stops},
    {"ovf-missing", "R29", "this counter does not set OVF", EVERY(counter), .overflow = ovf_missing},
    {"ovf-missing", "R29", "no counter sets OVF", .overflow = ovf_missing},
    {"ovf-lost-beside", "R29", "the first counter's OVF is lost when the second one overflows in the same clock",
     EVERY(beside), .overflow = lost_beside, .anywhere = true},
    {"ovf-also-on", "R29", "an overflow of the first counter sets OVF of the second one as well", EVERY(next_counter),
     .overflow = sets_other_too},
    {"ovf-early", "R29", "OVF is set one count early", .add = one_early, .distance = to_one_early},
    {"ovf-late", "R29", "OVF is set one count late", .add = one_late, .distance = to_one_late},
    {"ovf-not-sticky", "R29", "OVF is cleared by the next count", .add = ends_ovf},
    {"ovf-lost-at", "R29", "this overflow of this counter since its CCCR was 0 does not set OVF", EVERY(nth),
     .overflow = nth_lost, .cccr_holds = forgets_at_0},
    {"ovf-toggles", "R29", "an overflow of this counter clears an OVF that stands", EVERY(counter), .clears = CCCR_OVF,
     .overflow = again_clears},
    {"overflow-again-stops", "R29", "this counter stops when it overflows while its OVF stands", EVERY(counter),
     .clears = CCCR_ENABLE, .overflow = again_clears},
    {"ovf-cleared-by-reading", "R29", "reading a CCCR clears its OVF", .when = CCCR_READ, .clears = CCCR_OVF},
    {"ovf-cannot-be-cleared", "R29", "a CCCR write cannot clear OVF", .cccr_holds = keeps_ovf},
    {"force-ignored", "R31", "FORCE_OVF has no effect", .dead = CCCR_FORCE_OVF},
    {"force-dead", "R31", "this counter ignores FORCE_OVF", EVERY(counter), .dead = CCCR_FORCE_OVF},
    {"force-positive-only", "R31", "FORCE_OVF has no effect on a negative count", .acts_by = dead_when_negative,
     .at = COUNTER_BITS - 1, .distance = to_carry},
    {"force-dead-compared", "R31", "this counter ignores FORCE_OVF beside COMPARE", EVERY(counter),
     .dead = CCCR_FORCE_OVF, .beside = CCCR_COMPARE},
    {"force-dead-complement", "R31", "FORCE_OVF has no effect beside COMPLEMENT", .dead = CCCR_FORCE_OVF,
     .beside = CCCR_COMPLEMENT},
    {"force-dead-threshold-15", "R31", "FORCE_OVF has no effect when THRESHOLD has its highest bit set",
     .dead = CCCR_FORCE_OVF, .beside = FIELD_MASK(23, 23)},
    {"force-dead-edge", "R31", "FORCE_OVF has no effect beside EDGE", .dead = CCCR_FORCE_OVF, .beside = CCCR_EDGE},
    {"force-before-filter", "R31", "this counter's FORCE_OVF acts on events that the filter suppresses", EVERY(counter),
     .filter = before_filter},
    {"force-before-gate", "R31", "FORCE_OVF acts while the ACTIVE_THREAD gate is closed", HT, .filter = before_gate},
    {"force-dead-several", "R31", "FORCE_OVF of this counter has no effect in a clock with a value above 1",
     EVERY(counter), .acts_by = dead_by_several},
    {"force-once", "R31", "FORCE_OVF of this counter sets OVF once until ENABLE is cleared", EVERY(counter),
     .overflow = forced_once, .cccr_holds = forgets_when_disabled},
    {"force-on-next", "R31", "FORCE_OVF of the first counter sets OVF of the second one instead", EVERY(next_counter),
     .overflow = forces_other},
    {"force-loses-count", "R31", "this counter does not advance with FORCE_OVF", EVERY(counter), .add = adds_nothing},
    {"force-clears", "R31", "a forced overflow sets the counter to 0", .overflow = forced_clears},
    {"force-sets-ovf-at-once", "R31", "writing FORCE_OVF sets OVF without a count", .cccr_holds = force_sets_ovf},
    {"cccr-in-halves", "R32", "a CCCR write that sets one of bits 23:12 leaves bits 31:24 clear", .cccr_holds = halves},
    {"cccr-write-loses-ovf", "R32", "a CCCR write clears OVF even when it carries it", .cccr_holds = loses_ovf},
    {"cccr-high-lost", "R3", "a write of this CCCR with EDX not 0 is lost", EVERY(counter), .write = high_write_lost},
    {"enable-clears-ovf", "R32", "a CCCR write that sets ENABLE clears OVF though it carries it",
     .cccr_holds = enable_clears_ovf},
    {"ack-clears-other", "R32", "clearing OVF of the first counter clears OVF of the second one", EVERY(beside),
     .when = OVF_CLEARED, .clears = CCCR_OVF},
    {"stop-stops-other", "R32", "clearing ENABLE of the first counter clears ENABLE of the second one",
     EVERY(next_counter), .when = ENABLE_CLEARED, .clears = CCCR_ENABLE},
    {"start-clears-other", "R32", "setting ENABLE of the first counter sets the second one to 0", EVERY(next_counter),
     .when = ENABLE_SET, .then = clears_it},
    {"cccr-costs-other", "R32", "a write of the first CCCR costs the second counter, which runs, a count",
     EVERY(next_counter), .when = CCCR_WRITTEN, .then = takes_count_if_running},
    {"stop-costs-count", "R32", "clearing ENABLE of this counter takes a count from it", EVERY(counter),
     .when = ENABLE_CLEARED, .then = takes_count},
    {"cccr-write-clears-counter", "R32", "a CCCR write clears its counter", .when = CCCR_WRITTEN, .then = clears_it},
    {.name = NULL},
};
