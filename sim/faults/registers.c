/*
 * Faults of the registers: INIT (R1), what a write keeps (R3, R4), who may write and read (R5), and
 * which counter gets the value of an ESCR (R6); and of reading (R57, R60), and of addresses that have no
 * register (R3).
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

/* ---- RDPMC: the sound function, for other arguments or another counter ---- */

static bool is_user(const struct nbpmu *pmu, unsigned lp)
{
    return pmu->lp[lp].cpl > 0;
}

static bool is_fast(uint32_t ecx)
{
    return ecx & RDPMC_FAST;
}

static uint32_t index_of(uint32_t ecx)
{
    return ecx & ~RDPMC_FAST;
}

#define READ(pce, ecx) nbpmu_read_counter(pmu, lp, pce, ecx, value)
/* RDPMC in the form of ecx, of another counter. */
#define READ_INDEX(n) READ(cr4_pce, (ecx & RDPMC_FAST) | (n))

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
FAULT(read_counter, lp1_rdpmc_off, READ(cr4_pce, ecx ^ (lp == 1 && index_of(ecx) < PMC_COUNTERS)))
FAULT(read_counter, lp1_full, READ(cr4_pce, lp == 1 ? index_of(ecx) : ecx))

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
    {"counter-high-lost", "R4", "a write of this counter loads bits 31:0 alone", EVERY(counter),
     .counter_holds = loads_low},
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

/* The addresses without a register, each with the register that an incomplete decoder would take it for. */
static bool nbpmu_fault_gap(unsigned number, struct fault_member *member)
{
    const uint32_t msr = REGISTER_0 + number;
    uint32_t taken_for = msr < MSR_CCCR(0)     ? MSR_COUNTER((number & 0x1F) % PMC_COUNTERS)
                         : msr < MSR_BSU_ESCR0 ? MSR_CCCR(number % PMC_COUNTERS)
                                               : msr & ~0x41u; /* 3CEH to 3DFH and so on: 38EH is none */
    if (msr >= MSR_BSU_ESCR0 && !nbpmu_escr_exists(taken_for))
        taken_for = MSR_CRU_ESCR0;
    return msr < 0x3F0 && !nbpmu_has_msr(msr) &&
           nbpmu_fault_member(member, number, taken_for - REGISTER_0, "-%03XH", (unsigned)msr);
}

/* ---- Which counter, and which of its bits (R60) ---- */

FAULT(read_counter, fast_is_full, READ(cr4_pce, index_of(ecx)))
FAULT(read_counter, full_is_fast, READ(cr4_pce, ecx | RDPMC_FAST))
FAULT(read_counter, user_fast_is_full, READ(cr4_pce, is_user(pmu, lp) ? index_of(ecx) : ecx))
FAULT(read_counter, fast_faults, !is_fast(ecx) && SOUND(read_counter))
FAULT(read_counter, user_faults, !(is_fast(ecx) && is_user(pmu, lp)) && SOUND(read_counter))

FAULT(read_counter, index_off,
      READ_INDEX(index_of(ecx) < PMC_COUNTERS ? (index_of(ecx) + 1) % PMC_COUNTERS : index_of(ecx)))
FAULT(read_counter, user_off, READ_INDEX(index_of(ecx) ^ (index_of(ecx) == fault->at && is_user(pmu, lp))))
FAULT(read_counter, unchecked, READ_INDEX(index_of(ecx) % PMC_COUNTERS))
FAULT(read_counter, fast_unchecked, READ_INDEX(is_fast(ecx) ? index_of(ecx) % PMC_COUNTERS : index_of(ecx)))
/* at: how many bits of the index it looks at. */
FAULT(read_counter, narrow, READ_INDEX(ecx &FIELD_MASK(fault->at - 1, 0)))

/* ---- Who may read (R60) ---- */

FAULT(read_counter, ignores_pce, READ(true, ecx))
FAULT(read_counter, fast_ignores_pce, READ(cr4_pce || is_fast(ecx), ecx))
FAULT(read_counter, pce_for_cpl_3, READ(cr4_pce || pmu->lp[lp].cpl < 3, ecx))
FAULT(read_counter, never_for_user, READ(false, ecx))
AFTER(read_counter, refused_clears,
      if (!result && is_user(pmu, lp) && !cr4_pce) clears_it(pmu, ecx % PMC_COUNTERS))

/* Noted: CR4.PCE of each logical processor at its latest RDPMC. */
static bool pce_of_other(struct nbpmu *pmu, unsigned lp, bool cr4_pce, uint32_t ecx, uint64_t *value)
{
    uint64_t *noted = &defects_of(pmu)->noted;
    *noted = (*noted & ~(1ull << lp)) | (uint64_t)cr4_pce << lp;
    return nbpmu_read_counter(pmu, lp, *noted, ecx, value);
}

/* ---- What is read, and what that disturbs (R57) ---- */

/* at: a counter, or (PMC_COUNTERS) any. The bit is above all that a count is uncertain by, and also in what
 * the fast form gives. */
#define WRONG_BIT (1u << 20)

static bool reads_wrong(const struct nbpmu *pmu, uint32_t n)
{
    return n < PMC_COUNTERS && (fault_of(pmu)->at == n || fault_of(pmu)->at == PMC_COUNTERS);
}

AFTER(read, rdmsr_wrong, *value ^= reads_wrong(pmu, msr - MSR_COUNTER(0)) ? WRONG_BIT : 0)
AFTER(read_counter, rdpmc_wrong, *value ^= result && reads_wrong(pmu, index_of(ecx)) ? WRONG_BIT : 0)
AFTER(read_counter, enabled_lags,
      if (result) *value = (*value - (pmu->running >> index_of(ecx) & 1)) &
                           (is_fast(ecx) ? FIELD_MASK64(31, 0) : COUNTER_MASK))
DEED(then, adds_count, pmu->counter[n].value = (pmu->counter[n].value + 1) & COUNTER_MASK)

/* ---- Addresses without a register, and refused writes (R3) ---- */

FAULT(read, gap_reads,
      nbpmu_read(pmu, lp, msr == REGISTER_0 + fault->at ? REGISTER_0 + fault->to : msr, value))
AFTER(write, gap_writes,
      if (msr == REGISTER_0 + fault->at) nbpmu_write(pmu, lp, REGISTER_0 + fault->to, value))

/* Noted: a write was refused, and no write came after it. */
static bool lost_after_refused(struct nbpmu *pmu, unsigned lp, uint32_t msr, uint64_t value)
{
    const bool refused = nbpmu_write_faults(pmu, msr, value), lost = !refused && defects_of(pmu)->noted;
    defects_of(pmu)->noted = refused || (defects_of(pmu)->noted && !lost);
    return lost || nbpmu_write(pmu, lp, msr, value);
}

/* clang-format off */
const struct nbpmu_fault_row nbpmu_fault_reading[] = {
    {"rdmsr-clears", "R57", "RDMSR of a counter clears it", .when = RDMSR_ANY, .then = clears_it},
    {"rdpmc-counts", "R57", "RDPMC of a counter adds 1 to it", .when = RDPMC_ANY, .then = adds_count},
    {"reading-wrong", "R57", "this counter reads bit 20 inverted", EVERY(counter), .read = rdmsr_wrong,
     .read_counter = rdpmc_wrong},
    {"readings-wrong", "R57", "a counter reads bit 20 inverted", .at = PMC_COUNTERS, .read = rdmsr_wrong,
     .read_counter = rdpmc_wrong},
    {"rdpmc-clears-ovf", "R57", "RDPMC of this counter clears its OVF", EVERY(counter), .when = RDPMC_ANY,
     .clears = CCCR_OVF},
    {"rdpmc-costs-other", "R57", "RDPMC of the first counter takes a count from the second one", EVERY(next_counter),
     .when = RDPMC_ANY, .then = takes_count},
    {"rdpmc-enabled-lags", "R57", "RDPMC of an enabled counter reads 1 too little", .read_counter = enabled_lags},
    {"rdpmc-fast-is-full", "R60", "fast RDPMC returns all 40 bits", .read_counter = fast_is_full},
    {"rdpmc-fast-faults", "R60", "fast RDPMC faults", .read_counter = fast_faults},
    {"rdpmc-full-is-fast", "R60", "RDPMC returns bits 31:0 only", .read_counter = full_is_fast},
    {"rdpmc-index-off", "R60", "RDPMC index n reads counter n + 1", .read_counter = index_off},
    {"rdpmc-index-unchecked", "R60", "RDPMC of an index that does not exist does not fault", .read_counter = unchecked},
    {"rdpmc-index-5-bits", "R60", "RDPMC looks at bits 4:0 of the index only", .at = 5, .read_counter = narrow},
    {"rdpmc-index-16-bits", "R60", "RDPMC looks at bits 15:0 of the index only", .at = 16, .read_counter = narrow},
    {"rdpmc-index-30-bits", "R60", "RDPMC looks at bits 29:0 of the index only", .at = 30, .read_counter = narrow},
    {"rdpmc-ignores-pce", "R60", "RDPMC at CPL 3 does not need CR4.PCE", .read_counter = ignores_pce},
    {"rdpmc-never-at-cpl3", "R60", "RDPMC at CPL 3 faults with CR4.PCE set", .read_counter = never_for_user},
    {"rdpmc-pce-of-other", "R60", "RDPMC at CPL 3 is allowed by CR4.PCE of the other logical processor, too", HT,
     .read_counter = pce_of_other},
    {"gap-reads", "R3", "RDMSR of this address, which has no register, reads one", EVERY(gap), .read = gap_reads},
    {"gap-writes", "R3", "WRMSR of this address, which has no register, is #GP and changes one", EVERY(gap),
     .write = gap_writes},
    {"write-lost-after-refused", "R3", "the write that follows one that was #GP is lost", .write = lost_after_refused},
    {"rdpmc-user-off", "R60", "RDPMC of this counter above CPL 0 reads counter n ^ 1", EVERY(counter),
     .read_counter = user_off},
    {"rdpmc-user-clears-ovf", "R57", "RDPMC of this counter above CPL 0 clears OVF", EVERY(counter),
     .when = RDPMC_ANY | BY_USER, .clears = CCCR_OVF},
    {"rdpmc-user-disables", "R57", "RDPMC of this counter above CPL 0 clears ENABLE", EVERY(counter),
     .when = RDPMC_ANY | BY_USER, .clears = CCCR_ENABLE},
    {"rdpmc-user-clears", "R57", "RDPMC of this counter above CPL 0 clears it", EVERY(counter),
     .when = RDPMC_ANY | BY_USER, .then = clears_it},
    {"rdpmc-user-fast-is-full", "R60", "fast RDPMC above CPL 0 returns all 40 bits", .read_counter = user_fast_is_full},
    {"rdpmc-user-fast-faults", "R60", "fast RDPMC above CPL 0 faults with CR4.PCE set", .read_counter = user_faults},
    {"rdpmc-fast-ignores-pce", "R60", "fast RDPMC above CPL 0 does not need CR4.PCE", .read_counter = fast_ignores_pce},
    {"rdpmc-fast-index-unchecked", "R60", "fast RDPMC of an index that does not exist does not fault",
     .read_counter = fast_unchecked},
    {"rdpmc-fast-clears", "R57", "fast RDPMC of a counter clears it", .when = RDPMC_SHORT, .then = clears_it},
    {"rdpmc-refused-clears", "R57", "RDPMC that faults for want of CR4.PCE clears the counter",
     .read_counter = refused_clears},
    {"rdpmc-cpl-1-2-as-0", "R60", "RDPMC at CPL 1 and 2 does not need CR4.PCE", .read_counter = pce_for_cpl_3},
    {.name = NULL},
};
