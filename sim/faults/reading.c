/*
 * Faults of reading (R57, R60), and of addresses that have no register (R3).
 */
#include "faults.h"

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

/* ---- Which counter, and which of its bits (R60) ---- */

#define READ(pce, ecx) nbpmu_read_counter(pmu, lp, pce, ecx, value)

FAULT(read_counter, fast_is_full, READ(cr4_pce, index_of(ecx)))
FAULT(read_counter, full_is_fast, READ(cr4_pce, ecx | RDPMC_FAST))
FAULT(read_counter, user_fast_is_full, READ(cr4_pce, is_user(pmu, lp) ? index_of(ecx) : ecx))
FAULT(read_counter, fast_faults, !is_fast(ecx) && SOUND(read_counter))
FAULT(read_counter, user_faults, !(is_fast(ecx) && is_user(pmu, lp)) && SOUND(read_counter))

/* RDPMC in the form of ecx, of another counter. */
#define READ_INDEX(n) READ(cr4_pce, (ecx & RDPMC_FAST) | (n))

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
/* clang-format on */
