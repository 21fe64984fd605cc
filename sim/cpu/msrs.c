/*
 * The MSRs by address. An address that is neither here nor in the PMU is #GP(0).
 * Source: SDM vol. 3, Table 35-41; write behaviour of IA32_MISC_ENABLE as recorded on 0F43H (pmu-rules 1.3).
 */
#include "processor.h"

#include <string.h>

#define MSR_MC0       0x400u
#define MSR_IA32_EFER 0xC0000080u
#define MSR_STAR      0xC0000081u /* and LSTAR, CSTAR, FMASK */
#define MSR_FS_BASE   0xC0000100u /* and GS_BASE, KERNEL_GS_BASE */

#define MTRRCAP_VALUE (MTRR_VARIABLE | 1u << 8 | 1u << 10) /* variable ranges, fixed ranges, WC */
#define PAT_RESET     0x0007040600070406ull                /* SDM 11.12.4 */
#define PLATFORM_ID   FIELD_PUT64(52, 50, 2)               /* a desktop socket */
#define DEBUGCTL_BITS 0x7Full
/* As recorded on 0F43H: a write leaves the read-only bits as they are, and is #GP(0) if it sets a faulting
 * bit that is clear. */
#define MISC_READ_ONLY (MISC_ENABLE_PERFMON | FIELD_MASK64(23, 23) | FIELD_MASK64(29, 29))
#define MISC_FAULTING                                                                            \
    (FIELD_MASK64(15, 11) | FIELD_MASK64(20, 20) | FIELD_MASK64(28, 26) | FIELD_MASK64(31, 30) | \
     FIELD_MASK64(33, 32) | FIELD_MASK64(63, 35))

/* IA32_EFER, also as recorded: setting any other bit faults. A write cannot change LMA, and its LME does
 * nothing. */
#define EFER_SCE FIELD_MASK64(0, 0)
#define EFER_LMA FIELD_MASK64(10, 10)

/* Bits of a linear address in 64-bit mode; those above repeat the uppermost of them. */
#define LINEAR_BITS 48

static const uint32_t FIXED_RANGES[MTRR_FIXED] = {0x250, 0x258, 0x259, 0x268, 0x269, 0x26A,
                                                  0x26B, 0x26C, 0x26D, 0x26E, 0x26F};

void msrs_reset(struct processor *processor)
{
    struct msrs *msrs = &processor->msrs;
    memset(msrs, 0, sizeof *msrs);
    msrs->apic_base = LAPIC_BASE | APIC_BASE_ENABLE | (processor->is_boot ? APIC_BASE_BSP : 0);
    msrs->misc_enable = processor->model->misc_enable;
    msrs->pat = PAT_RESET;
    msrs->mtrr_default = MTRR_VALID | MEMORY_WB; /* as a BIOS leaves RAM; what is no RAM is UC in any case */
    msrs_load_microcode_revision(processor);
}

void msrs_load_microcode_revision(struct processor *processor)
{
    processor->msrs.bios_sign = (uint64_t)processor->model->microcode << 32;
}

/*
 * MSR_EBC_FREQUENCY_ID: models 2 and later have the multiplier in [31:24] and the bus speed in [18:16] (000B
 * = 100 MHz, 010B = 200 MHz); models 0 and 1 have the speed in [23:21] (000B = 100 MHz) and no multiplier.
 */
static uint64_t frequency_id(const struct cpu_model *model)
{
    if (cpu_model_number(model) < 2)
        return 0;
    return FIELD_PUT(31, 24, model->multiplier) | FIELD_PUT(18, 16, model->bus_mhz == 200 ? 2 : 0);
}

uint64_t msrs_tsc(const struct processor *processor)
{
    const struct cpu_model *model = processor->model;
    unsigned ratio = cpu_model_ratio(model, processor->variants->core_below_tsc);
    return processor->core->clock * model->multiplier / ratio + processor->msrs.tsc_offset;
}

/* Storage of a register that some processors have, null for any other, and on one without it. */
static uint64_t *optional_storage(struct processor *processor, uint32_t msr)
{
    struct msrs *msrs = &processor->msrs;
    if (msr - MSR_L3_COUNTERS < L3_COUNTERS)
        return processor->model->l3_kib ? &msrs->l3[msr - MSR_L3_COUNTERS] : NULL;
    if (!(processor->model->extended_edx & EXTENDED_EDX_EM64T))
        return NULL;
    if (msr >= MSR_STAR && msr < MSR_STAR + SYSCALL_MSRS)
        return &msrs->syscall[msr - MSR_STAR];
    return msr >= MSR_FS_BASE && msr < MSR_FS_BASE + BASE_MSRS ? &msrs->base[msr - MSR_FS_BASE] : NULL;
}

/* LSTAR, CSTAR and the three bases hold addresses, the others do not. */
static bool write_optional(struct processor *processor, uint32_t msr, uint64_t value)
{
    bool is_address = msr >= MSR_FS_BASE || msr == MSR_STAR + 1 || msr == MSR_STAR + 2;
    uint64_t above = value >> (LINEAR_BITS - 1);
    uint64_t *stored = optional_storage(processor, msr);
    if (!stored || (is_address && above != 0 && above != UINT64_MAX >> (LINEAR_BITS - 1)))
        return false;
    *stored = value;
    return true;
}

static bool is_mc_status(uint32_t msr)
{
    return msr >= MSR_MC0 && msr < MSR_MC0 + MC_BANKS * MC_REGISTERS && (msr - MSR_MC0) % MC_REGISTERS == 1;
}

/* Storage of a register that only stores, null for any other. */
static uint64_t *storage(struct msrs *msrs, uint32_t msr)
{
    for (unsigned i = 0; i < MTRR_FIXED; i++)
        if (FIXED_RANGES[i] == msr)
            return &msrs->mtrr_fixed[i];
    if (msr >= MSR_IA32_MTRR_PHYSBASE(0) && msr < MSR_IA32_MTRR_PHYSBASE(0) + 2 * MTRR_VARIABLE)
        return &msrs->mtrr_variable[msr - MSR_IA32_MTRR_PHYSBASE(0)];
    if (msr >= MSR_SYSENTER_CS && msr < MSR_SYSENTER_CS + 3)
        return &msrs->sysenter[msr - MSR_SYSENTER_CS];
    if (msr >= MSR_MC0 && msr < MSR_MC0 + MC_BANKS * MC_REGISTERS)
        return &msrs->machine_check[(msr - MSR_MC0) / MC_REGISTERS][(msr - MSR_MC0) % MC_REGISTERS];
    switch (msr) {
    case MSR_IA32_PAT:
        return &msrs->pat;
    case MSR_IA32_MTRR_DEF_TYPE:
        return &msrs->mtrr_default;
    case MSR_IA32_CLOCK_MODULATION:
        return &msrs->clock_modulation;
    case MSR_IA32_DS_AREA:
        return &msrs->ds_area;
    case MSR_IA32_BIOS_SIGN_ID:
        return &msrs->bios_sign;
    default:
        return NULL;
    }
}

/* The addresses of the PMU. Which of them have a register, it says itself. */
static bool is_of_pmu(uint32_t msr)
{
    return msr >= MSR_COUNTER(0) && msr < MSR_MC0;
}

static enum msr_access access_to(const struct processor *processor, uint32_t msr)
{
    const struct quirks *quirks = processor->quirks;
    for (unsigned i = 0; i < FAULTING_MSRS && quirks->faulting_msrs[i] != 0; i++)
        if (quirks->faulting_msrs[i] == msr)
            return MSR_FAULTS;
    return is_of_pmu(msr) ? quirks->pmu_msrs : quirks->other_msrs;
}

static bool gives(uint64_t *value, uint64_t given)
{
    *value = given;
    return true;
}

bool msrs_read(struct processor *processor, uint32_t msr, uint64_t *value)
{
    struct core *core = processor->core;
    struct msrs *msrs = &processor->msrs;
    enum msr_access access = access_to(processor, msr);
    if (access != MSR_WORKS) {
        *value = 0;
        return access == MSR_IS_ZERO;
    }
    if (is_of_pmu(msr))
        return nbpmu_rdmsr(core->pmu, processor->thread, msr, value);
    const uint64_t *stored = storage(msrs, msr);
    if (!stored)
        stored = optional_storage(processor, msr);
    if (stored)
        return gives(value, *stored);
    switch (msr) {
    case MSR_IA32_TIME_STAMP_COUNTER:
        return gives(value, msrs_tsc(processor));
    case MSR_IA32_PLATFORM_ID:
        return gives(value, PLATFORM_ID);
    case MSR_IA32_APIC_BASE:
        return gives(value, msrs->apic_base);
    case MSR_EBC_FREQUENCY_ID:
        return gives(value, frequency_id(processor->model));
    case MSR_IA32_THERM_STATUS: /* never hot */
        return gives(value, 0);
    case MSR_IA32_MCG_CAP:
        return gives(value, MC_BANKS);
    case MSR_IA32_MTRRCAP:
        return gives(value, MTRRCAP_VALUE);
    case MSR_IA32_MISC_ENABLE:
        return gives(value, msrs->misc_enable);
    case MSR_IA32_DEBUGCTL:
        return gives(value, msrs->debugctl);
    case MSR_IA32_EFER:
        *value = msrs->efer;
        return processor->model->extended_edx & EXTENDED_EDX_EM64T;
    default:
        return false;
    }
}

/* A processor without execute disable has no bit that switches it off. */
static bool write_misc_enable(struct processor *processor, uint64_t value)
{
    struct msrs *msrs = &processor->msrs;
    bool has_xd = processor->model->extended_edx & EXTENDED_EDX_XD;
    uint64_t faulting = MISC_FAULTING | (has_xd ? 0 : MISC_ENABLE_XD_DISABLED);
    if (value & ~msrs->misc_enable & faulting)
        return false;
    msrs->misc_enable = (value & ~MISC_READ_ONLY) | (msrs->misc_enable & MISC_READ_ONLY);
    return true;
}

static bool write_efer(struct processor *processor, uint64_t value)
{
    uint32_t features = processor->model->extended_edx;
    uint64_t kept = EFER_SCE | EFER_LME | (features & EXTENDED_EDX_XD ? EFER_NXE : 0);
    if (!(features & EXTENDED_EDX_EM64T) || value & ~(kept | EFER_LMA))
        return false;
    processor->msrs.efer = value & kept;
    return true;
}

/* The local APIC cannot be moved: a write that would move it faults. */
static bool write_apic_base(struct processor *processor, uint64_t value)
{
    struct msrs *msrs = &processor->msrs;
    uint64_t kept = APIC_BASE_BSP;

    if ((value & ~(uint64_t)(LAPIC_SIZE - 1)) != LAPIC_BASE)
        return false;
    if (processor->quirks->apic_never_on)
        kept |= APIC_BASE_ENABLE;
    msrs->apic_base = (value & ~kept) | (msrs->apic_base & kept);
    return true;
}

bool msrs_write(struct processor *processor, uint32_t msr, uint64_t value)
{
    struct core *core = processor->core;
    struct msrs *msrs = &processor->msrs;
    enum msr_access access = access_to(processor, msr);
    if (access != MSR_WORKS)
        return access == MSR_IS_ZERO;
    if (is_of_pmu(msr)) {
        bool counted = core_active_events(core);
        bool accepted = nbpmu_wrmsr(core->pmu, processor->thread, msr, value);
        if (core_active_events(core) && !counted)
            injectors_counting_started(core->injectors, processor);
        return accepted;
    }
    if (is_mc_status(msr) && value != 0)
        return false; /* software may only clear it */
    uint64_t *stored = storage(msrs, msr);
    if (stored) {
        *stored = value;
        return true;
    }
    switch (msr) {
    case MSR_IA32_TIME_STAMP_COUNTER:
        msrs->tsc_offset += value - msrs_tsc(processor);
        return true;
    case MSR_IA32_APIC_BASE:
        return write_apic_base(processor, value);
    case MSR_IA32_MISC_ENABLE:
        return write_misc_enable(processor, value);
    case MSR_IA32_EFER:
        return write_efer(processor, value);
    case MSR_IA32_DEBUGCTL:
        if (value & ~DEBUGCTL_BITS)
            return false;
        msrs->debugctl = value;
        return true;
    default:
        return write_optional(processor, msr, value);
    }
}
