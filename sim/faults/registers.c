/*
 * Faults of the registers: INIT (R1), what a write keeps (R3, R4), who may write and read (R5), and
 * which counter gets the value of an ESCR (R6).
 */
#include "faults.h"

/* ---- Families ---- */

/* The documented bits, without OVF: an OVF that cannot be cleared has a fault of its own. */
FAMILY(cccr_bit, nbpmu_fault_stuck_bit_of(number, FIELD_MASK(27, 11) | CCCR_CASCADE, member))
FAMILY(escr_bit, nbpmu_fault_stuck_bit_of(number, FIELD_MASK(30, 0), member))
FAMILY(counter_bit, nbpmu_fault_stuck_bit_of(number, COUNTER_MASK, member))

/* Counters, CCCRs and the ESCRs that hold something, by address. */
static bool nbpmu_fault_register(unsigned number, struct fault_member *member)
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
DEED(then, copies_counter, pmu->counter[n].value = pmu->counter[fault->only - 1].value)
FAULT(cccr_holds, aliased, other_of(pmu)->cccr = now)

static uint64_t escr_aliased(struct nbpmu *pmu, int escr_index, uint64_t value)
{
    struct nbpmu_escr *other = &pmu->escr[fault_of(pmu)->to];
    if (escr_index == fault_of(pmu)->at) {
        other->value = value & nbpmu_escr_kept(pmu, ESCR_MSR(escr_index));
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
      escr_index == fault->at && has_full_mask(value) ? value & ~(uint64_t)ESCR_CPL_MASK : value)

/* By R3 a write that is refused changes nothing. */
AFTER(write, refused_stores,
      if (!result && msr == ESCR_MSR(fault->at))
          nbpmu_write(pmu, lp, msr, value & ~(uint64_t)ESCR_RESERVED_31))

/* ---- Either logical processor reaches every register (R5) ---- */

FAULT(write, lp1_writes_lost, lp == 1 || SOUND(write))
FAULT(write, lp1_write_lost, (lp == 1 && msr == REGISTER_0 + fault->at) || SOUND(write))
FAULT(write, lp1_preset_lost,
      (lp == 1 && msr == MSR_COUNTER(fault->at) && (pmu->running >> fault->at & 1)) || SOUND(write))

FAULT(write, lp1_ovf_stands,
      nbpmu_write(pmu, lp, msr,
                  lp == 1 && msr == MSR_CCCR(fault->at) ? value | (pmu->counter[fault->at].cccr & CCCR_OVF)
                                                        : value))
AFTER(read, lp1_reads_zero, if (result && lp == 1) *value = 0)

static bool notes_old(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    if (msr == REGISTER_0 + fault_of(pmu)->at)
        nbpmu_read(pmu, lp, msr, &defects_of(pmu)->noted);
    if (msr == REGISTER_0 + fault_of(pmu)->at && nbpmu_register_of(msr) == REG_CCCR)
        defects_of(pmu)->noted = pmu->counter[msr - MSR_CCCR(0)].cccr; /* ENABLE as written (R36) */
    return nbpmu_write(pmu, lp, msr, value);
}

AFTER(read, lp1_reads_old, if (lp == 1 && msr == REGISTER_0 + fault->at) *value = defects_of(pmu)->noted)
FAULT(read_counter, lp1_rdpmc_off,
      nbpmu_read_counter(pmu, lp, cr4_pce, ecx ^ (lp == 1 && (ecx & ~RDPMC_FAST) < PMC_COUNTERS), value))
FAULT(read_counter, lp1_full, nbpmu_read_counter(pmu, lp, cr4_pce, lp == 1 ? ecx & ~RDPMC_FAST : ecx, value))

/* ---- ENABLE (R2), and the way from an ESCR to its counters (R6) ---- */

FAULT(counts, without_enable, SOUND(counts) || pmu->counter[n].has_event)

static unsigned only_lowest_is_fed(const struct nbpmu *pmu, unsigned n)
{
    for (unsigned other = 0; other < n; other++)
        if ((pmu->running >> other & 1) && pmu->counter[other].escr_index == pmu->counter[n].escr_index)
            return 0;
    return nbpmu_value(pmu, n);
}

FAULT(acts_by, filter_of_pair,
      has_bits(pmu, n ^ 1, CCCR_ENABLE) ? with_field(cccr, FIELD_MASK(24, 18), pmu->counter[n ^ 1].cccr)
                                        : cccr)

/* clang-format off */
const struct nbpmu_fault_row nbpmu_fault_registers[] = {
    CLEARS_ALL("init-clears-", "R1", "INIT of a logical processor ", INIT, PART_HT),
    {"lvtpc-open-at-reset", "R1", "RESET and INIT leave LVTPC unmasked", HT, LVTPC(OPEN_AT_RESET)},
    {"escr-starts-counting", "R2", "an event in the selected ESCR counts without ENABLE", .counts = without_enable},
    {"cccr-bit", "R3", "a bit of every CCCR is stuck", EVERY(cccr_bit), .cccr_holds = cccr_stuck},
    {"escr-bit", "R3", "a bit of every ESCR is stuck", EVERY(escr_bit), .escr_holds = escr_stuck},
    {"cccr-alias", "R3", "a write of one CCCR reaches the next one too", EVERY(next_counter), .cccr_holds = aliased},
    {"escr-alias", "R3", "a write of this ESCR reaches the next one too", EVERY(next_escr), .escr_holds = escr_aliased},
    {"escr-clears-ovf", "R2", "a write of this ESCR clears OVF of its counters", EVERY(next_escr),
     .escr_holds = escr_clears_ovf},
    {"escr-full-mask", "R3", "this ESCR loses its four flags when all 16 bits of its mask are written",
     EVERY(held_escr), .escr_holds = full_mask_loses_flags},
    {"escr-refused-stores", "R3", "a write of this ESCR that is #GP stores what it can", EVERY(held_escr),
     .write = refused_stores},
    {"counter-bit", "R4", "a bit of every counter is stuck when written", EVERY(counter_bit),
     .counter_holds = counter_stuck},
    {"counter-alias", "R4", "a write of one counter reaches the next one too", EVERY(next_counter), .when = WRITTEN,
     .then = copies_counter},
    {"counter-loads-low", "R4", "a counter write loads bits 31:0 only", .counter_holds = loads_low},
    {"counter-sign-extended", "R4", "a counter write extends bit 31, as on P6", .counter_holds = sign_extended},
    {"counter-write-clears-ovf", "R4", "a counter write clears OVF", .when = WRITTEN, .clears = CCCR_OVF},
    {"counter-write-clears-cccr", "R4", "a counter write clears its CCCR", .when = WRITTEN, .clears = UINT32_MAX},
    {"counter-write-disables", "R4", "a counter write clears ENABLE", .when = WRITTEN, .clears = CCCR_ENABLE},
    {"counter-high-ones", "R4", "a write of this counter with EDX = FFFFFFFFH loads bits 31:0 alone", EVERY(counter),
     .counter_holds = high_ones_lost},
    {"lp1-writes-lost", "R5", "PMU writes of logical processor 1 are lost", HT, .write = lp1_writes_lost},
    {"lp1-reads-zero", "R5", "logical processor 1 reads 0 from the PMU", HT, .read = lp1_reads_zero},
    {"lp1-reads-old", "R5", "logical processor 1 reads what this register held before its last write", HT,
     EVERY(register), .write = notes_old, .read = lp1_reads_old},
    {"lp1-write-lost", "R5", "a write of this register by logical processor 1 is lost", HT, EVERY(register),
     .write = lp1_write_lost},
    {"lp1-ovf-stands", "R5", "logical processor 1 cannot clear OVF of this counter", HT, EVERY(counter),
     .write = lp1_ovf_stands},
    {"lp1-preset-lost", "R5", "logical processor 1 cannot write this counter while it runs", HT, EVERY(counter),
     .write = lp1_preset_lost},
    {"lp1-rdpmc-disables", "R5", "RDPMC of this counter by logical processor 1 clears ENABLE", HT, EVERY(counter),
     .when = RDPMC_ANY | BY_LP1, .clears = CCCR_ENABLE},
    {"lp1-read-clears-ovf", "R5", "logical processor 1 clears OVF by reading a CCCR", HT, .when = CCCR_READ | BY_LP1,
     .clears = CCCR_OVF},
    {"lp1-rdpmc-off", "R5", "RDPMC of logical processor 1 reads counter n ^ 1", HT, .read_counter = lp1_rdpmc_off},
    {"lp1-rdpmc-fast-is-full", "R5", "fast RDPMC of logical processor 1 returns all 40 bits", HT,
     .read_counter = lp1_full},
    {"escr-feeds-one", "R6", "only the lowest running counter on an ESCR gets its value", .value = only_lowest_is_fed},
    {"filter-of-pair", "R6", "this counter filters by the CCCR of the other one of its pair, when that is enabled",
     EVERY(counter_of_16), .acts_by = filter_of_pair},
    {.name = NULL},
};
/* clang-format on */
