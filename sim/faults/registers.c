/*
 * Faults of the registers: INIT (R1), what a write keeps (R3, R4), who may write and read (R5), and
 * which counter gets the value of an ESCR (R6).
 */
#include "faults.h"

#define REGISTER_0 MSR_COUNTER(0) /* faults of one register name it by its distance from here */

/* ---- Families ---- */

/* The documented bits, without OVF: an OVF that cannot be cleared has a fault of its own. */
FAMILY(every_cccr_bit, nbpmu_fault_stuck_bit_of(number, FIELD_MASK(27, 11) | CCCR_CASCADE, member))
FAMILY(every_escr_bit, nbpmu_fault_stuck_bit_of(number, FIELD_MASK(30, 0), member))
FAMILY(every_counter_bit, nbpmu_fault_stuck_bit_of(number, COUNTER_MASK, member))

/* Counters, CCCRs and the ESCRs that hold something, by address. */
static bool every_register(unsigned number, struct fault_member *member)
{
    const uint32_t msr = REGISTER_0 + number;
    const enum nbpmu_register kind = nbpmu_register_of(msr);
    return (kind == REG_COUNTER || kind == REG_CCCR || (kind == REG_ESCR && (msr & ~1u) != MSR_IQ_ESCR0)) &&
           nbpmu_fault_member(member, number, 0, "-%03XH", (unsigned)msr);
}

/* ---- What a register holds ---- */

static uint64_t stuck(const struct nbpmu *pmu, uint64_t value)
{
    const struct nbpmu_fault *fault = fault_of(pmu);
    return (value & ~(1ull << fault->at)) | (uint64_t)fault->to << fault->at;
}

FAULT(counter_holds, counter_stuck, stuck(pmu, value))
FAULT(cccr_holds, cccr_stuck, (uint32_t)stuck(pmu, now))
FAULT(escr_holds, escr_stuck, stuck(pmu, value))

FAULT(counter_holds, loads_low, (pmu->counter[n].value & ~(uint64_t)UINT32_MAX) | (value & UINT32_MAX))

FAULT(counter_holds, sign_extended, (uint64_t)(int64_t)(int32_t)value)
FAULT(counter_holds, high_ones_lost, value >> 32 == UINT32_MAX ? value & UINT32_MAX : value)

DEED(then, copies_counter, pmu->counter[n].value = pmu->counter[fault_of(pmu)->only - 1].value)

FAULT(cccr_holds, cccr_aliased, other_of(pmu)->cccr = now)

static uint64_t escr_aliased(struct nbpmu *pmu, int escr_index, uint64_t value)
{
    struct nbpmu_escr *other = &pmu->escr[fault_of(pmu)->to];
    if (escr_index == fault_of(pmu)->at) {
        other->value = (uint32_t)(value & nbpmu_escr_kept(pmu, ESCR_MSR(escr_index)));
        nbpmu_decode(pmu, other, ESCR_MSR(fault_of(pmu)->to));
    }
    return value;
}

static uint64_t escr_clears_ovf(struct nbpmu *pmu, int escr_index, uint64_t value)
{
    for (unsigned n = 0; n < PMC_COUNTERS && escr_index == fault_of(pmu)->at; n++)
        if (nbpmu_counter_reaches(n, ESCR_MSR(escr_index)))
            pmu->counter[n].cccr &= ~CCCR_OVF;
    return value;
}

FAULT(escr_holds, full_mask_loses_flags,
      escr_index == fault_of(pmu)->at && has_full_mask(value) ? value & ~(uint64_t)ESCR_CPL_MASK : value)

/* By R3 a write that is refused changes nothing. */
static bool refused_stores(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const bool taken = nbpmu_write(pmu, lp, msr, value);
    if (!taken && msr == ESCR_MSR(fault_of(pmu)->at))
        nbpmu_write(pmu, lp, msr, value & ~(uint64_t)ESCR_RESERVED_31);
    return taken;
}

/* ---- Either logical processor reaches every register (R5) ---- */

FAULT(write, lp1_writes_lost, lp == 1 || nbpmu_write(pmu, lp, msr, value))
FAULT(write, lp1_write_lost,
      (lp == 1 && msr == REGISTER_0 + fault_of(pmu)->at) || nbpmu_write(pmu, lp, msr, value))

FAULT(write, lp1_preset_lost,
      (lp == 1 && msr == MSR_COUNTER(fault_of(pmu)->at) && (pmu->running >> fault_of(pmu)->at & 1)) ||
          nbpmu_write(pmu, lp, msr, value))

static bool lp1_ovf_stands(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const unsigned n = fault_of(pmu)->at;
    const uint32_t kept = lp == 1 && msr == MSR_CCCR(n) ? pmu->counter[n].cccr & CCCR_OVF : 0;
    return nbpmu_write(pmu, lp, msr, value | kept);
}

static bool lp1_reads_zero(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value)
{
    const bool exists = nbpmu_read(pmu, lp, msr, value);
    if (exists && lp == 1)
        *value = 0;
    return exists;
}

static bool notes_old(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    if (msr == REGISTER_0 + fault_of(pmu)->at)
        nbpmu_read(pmu, lp, msr, &defects_of(pmu)->noted);
    if (msr == REGISTER_0 + fault_of(pmu)->at && nbpmu_register_of(msr) == REG_CCCR)
        defects_of(pmu)->noted = pmu->counter[msr - MSR_CCCR(0)].cccr; /* ENABLE as written (R36) */
    return nbpmu_write(pmu, lp, msr, value);
}

static bool lp1_reads_old(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t *value)
{
    const bool exists = nbpmu_read(pmu, lp, msr, value);
    if (lp == 1 && msr == REGISTER_0 + fault_of(pmu)->at)
        *value = defects_of(pmu)->noted;
    return exists;
}

static bool lp1_rdpmc_off(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    const bool exists = (ecx & ~RDPMC_FAST) < PMC_COUNTERS;
    return nbpmu_read_counter(pmu, lp, cr4_pce, exists && lp == 1 ? ecx ^ 1 : ecx, value);
}

FAULT(read_counter, lp1_fast_is_full,
      nbpmu_read_counter(pmu, lp, cr4_pce, lp == 1 ? ecx & ~RDPMC_FAST : ecx, value))

/* ---- ENABLE (R2), and the way from an ESCR to its counters (R6) ---- */

FAULT(counts, counts_without_enable, nbpmu_counts(pmu, n) || pmu->counter[n].has_event)

static unsigned only_lowest_is_fed(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned other = 0; other < n; other++)
        if ((pmu->running >> other & 1) && pmu->counter[other].escr_index == pmu->counter[n].escr_index)
            return 0;
    return nbpmu_value(pmu, n);
}

static uint32_t filter_of_pair(const struct nbpmu *pmu, unsigned n, uint32_t cccr)
{
    const uint32_t filter_bits = FIELD_MASK(24, 18), pair = pmu->counter[n ^ 1].cccr;
    return pair & CCCR_ENABLE ? (cccr & ~filter_bits) | (pair & filter_bits) : cccr;
}

/* clang-format off */
const struct nbpmu_fault_row nbpmu_fault_registers[] = {
    CLEARS_ALL("init-clears-", "R1", "INIT of a logical processor ", INIT, PART_HT),
    {"lvtpc-open-at-reset", "R1", "RESET and INIT leave LVTPC unmasked",
     .part = PART_HT, .lvtpc = NBPMU_LVTPC_OPEN_AT_RESET},
    {"escr-starts-counting", "R2", "an event in the selected ESCR counts without ENABLE",
     EVERY_CLOCK, .counts = counts_without_enable},
    {"cccr-bit", "R3", "a bit of every CCCR is stuck", .family = every_cccr_bit, .cccr_holds = cccr_stuck},
    {"escr-bit", "R3", "a bit of every ESCR is stuck", .family = every_escr_bit, .escr_holds = escr_stuck},
    {"cccr-alias", "R3", "a write of one CCCR reaches the next one too",
     EVERY(next_counter), .cccr_holds = cccr_aliased},
    {"escr-alias", "R3", "a write of this ESCR reaches the next one too", EVERY(next_escr), .escr_holds = escr_aliased},
    {"escr-clears-ovf", "R2", "a write of this ESCR clears OVF of its counters",
     EVERY(next_escr), .escr_holds = escr_clears_ovf},
    {"escr-full-mask", "R3", "this ESCR loses its four flags when all 16 bits of its mask are written",
     EVERY(held_escr), .escr_holds = full_mask_loses_flags},
    {"escr-refused-stores", "R3", "a write of this ESCR that is #GP stores what it can",
     EVERY(held_escr), .write = refused_stores},
    {"counter-bit", "R4", "a bit of every counter is stuck when written",
     .family = every_counter_bit, .counter_holds = counter_stuck},
    {"counter-alias", "R4", "a write of one counter reaches the next one too",
     EVERY(next_counter), .when = WRITTEN, .then = copies_counter},
    {"counter-loads-low", "R4", "a counter write loads bits 31:0 only", .counter_holds = loads_low},
    {"counter-sign-extended", "R4", "a counter write extends bit 31, as on P6", .counter_holds = sign_extended},
    {"counter-write-clears-ovf", "R4", "a counter write clears OVF", .when = WRITTEN, .clears = CCCR_OVF},
    {"counter-write-clears-cccr", "R4", "a counter write clears its CCCR", .when = WRITTEN, .clears = UINT32_MAX},
    {"counter-write-disables", "R4", "a counter write clears ENABLE", .when = WRITTEN, .clears = CCCR_ENABLE},
    {"counter-high-ones", "R4", "a write of this counter with EDX = FFFFFFFFH loads bits 31:0 alone",
     EVERY(counter), .counter_holds = high_ones_lost},
    {"lp1-writes-lost", "R5", "PMU writes of logical processor 1 are lost", .part = PART_HT, .write = lp1_writes_lost},
    {"lp1-reads-zero", "R5", "logical processor 1 reads 0 from the PMU", .part = PART_HT, .read = lp1_reads_zero},
    {"lp1-reads-old", "R5", "logical processor 1 reads what this register held before its last write",
     .part = PART_HT, .family = every_register, .write = notes_old, .read = lp1_reads_old},
    {"lp1-write-lost", "R5", "a write of this register by logical processor 1 is lost",
     .part = PART_HT, .family = every_register, .write = lp1_write_lost},
    {"lp1-ovf-stands", "R5", "logical processor 1 cannot clear OVF of this counter",
     .part = PART_HT, EVERY(counter), .write = lp1_ovf_stands},
    {"lp1-preset-lost", "R5", "logical processor 1 cannot write this counter while it runs",
     .part = PART_HT, EVERY(counter), .write = lp1_preset_lost},
    {"lp1-rdpmc-disables", "R5", "RDPMC of this counter by logical processor 1 clears ENABLE",
     .part = PART_HT, EVERY(counter), .when = RDPMC_ANY | BY_LP1, .clears = CCCR_ENABLE},
    {"lp1-read-clears-ovf", "R5", "logical processor 1 clears OVF by reading a CCCR",
     .part = PART_HT, .when = CCCR_READ | BY_LP1, .clears = CCCR_OVF},
    {"lp1-rdpmc-off", "R5", "RDPMC of logical processor 1 reads counter n ^ 1",
     .part = PART_HT, .read_counter = lp1_rdpmc_off},
    {"lp1-rdpmc-fast-is-full", "R5", "fast RDPMC of logical processor 1 returns all 40 bits",
     .part = PART_HT, .read_counter = lp1_fast_is_full},
    {"escr-feeds-one", "R6", "only the lowest running counter on an ESCR gets its value",
     EVERY_CLOCK, .value = only_lowest_is_fed},
    {"filter-of-pair", "R6",
     "this counter filters by the CCCR of the other one of its pair, when that is enabled",
     EVERY(counter_of_16), EVERY_CLOCK, .acts_by = filter_of_pair},
    {.name = NULL},
};
/* clang-format on */
