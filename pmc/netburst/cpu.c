/*
 * Detection as in pmu-rules 1.4, parts by CPUID signature (1.1), errata (6), topology (1.5).
 */
#include <stddef.h>
#include "cpu.h"
#include "regs.h"
#include "text.h"
#include "pmc/count_of.h"

/* CPUID.1 */
#define LEAF1_EAX_SIGNATURE(eax)  FIELD_GET(11, 0, eax)
#define LEAF1_EAX_STEPPING(eax)   FIELD_GET(3, 0, eax)
#define LEAF1_EAX_MODEL(eax)      FIELD_GET(7, 4, eax)
#define LEAF1_EAX_FAMILY(eax)     FIELD_GET(11, 8, eax)
#define LEAF1_EAX_EXT_MODEL(eax)  FIELD_GET(19, 16, eax)
#define LEAF1_EAX_EXT_FAMILY(eax) FIELD_GET(27, 20, eax)
#define LEAF1_EBX_LOGICAL(ebx)    FIELD_GET(23, 16, ebx) /* logical processors in the package */
#define LEAF1_EDX_MSR             FIELD_MASK(5, 5)
#define LEAF1_EDX_DS              FIELD_MASK(21, 21)
#define LEAF1_EDX_HTT             FIELD_MASK(28, 28)
/* CPUID.4, subleaf 0 */
#define LEAF4_EAX_TYPE(eax)    FIELD_GET(4, 0, eax)         /* 0: no such cache, the leaf says nothing */
#define LEAF4_EAX_SHARING(eax) (FIELD_GET(25, 14, eax) + 1) /* threads sharing the first-level cache */
#define LEAF4_EAX_CORES(eax)   (FIELD_GET(31, 26, eax) + 1)

#define NETBURST_FAMILY 0x0F

struct part {
    uint16_t signature;
    uint8_t cores; /* used where leaf 4 does not say it: 2 when every part of the signature has two */
    const char *core;
};

/* clang-format off */

static const struct part PARTS[] = {
    { 0xF07, 1, "Willamette B2" },
    { 0xF0A, 1, "Willamette, Foster C1" },
    { 0xF11, 1, "Foster MP C0" },
    { 0xF12, 1, "Willamette, Foster D0" },
    { 0xF13, 1, "Willamette E0" },
    { 0xF22, 1, "Gallatin MP A0" },
    { 0xF24, 1, "Northwood, Prestonia B0" },
    { 0xF25, 1, "Northwood B1/M0, Prestonia B1, Gallatin B1" },
    { 0xF26, 1, "Gallatin C0" },
    { 0xF27, 1, "Northwood, Prestonia C1" },
    { 0xF29, 1, "Northwood, Prestonia D1" },
    { 0xF33, 1, "Prescott C0" },
    { 0xF34, 1, "Prescott, Nocona D0" },
    { 0xF41, 1, "Prescott, Nocona E0, Cranford A0, Potomac C0" },
    { 0xF43, 1, "Prescott 2M, Nocona, Irwindale N0" },
    { 0xF44, 2, "Smithfield A0" },
    { 0xF47, 2, "Smithfield B0" },
    { 0xF48, 2, "Paxville A0" },
    { 0xF49, 1, "Prescott G1, Cranford B0" },
    { 0xF4A, 1, "Prescott, Irwindale R0" },
    { 0xF62, 1, "Presler, Cedar Mill B1" },
    { 0xF64, 1, "Presler, Cedar Mill C1, Dempsey" },
    { 0xF65, 1, "Presler, Cedar Mill D0" },
    { 0xF66, 2, "Tulsa" },
    { 0xF68, 2, "Tulsa B0" },
};

/* clang-format on */

static const struct part UNLISTED = {0, 1, "unlisted NetBurst"};
static const struct part FOREIGN = {0, 1, "not NetBurst"};

static const struct part *part_of(uint16_t signature)
{
    for (unsigned i = 0; i < COUNT_OF(PARTS); i++)
        if (PARTS[i].signature == signature)
            return &PARTS[i];
    return &UNLISTED;
}

static bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The extended fields count from family 0FH on. */
static unsigned family_of(uint32_t eax)
{
    unsigned family = LEAF1_EAX_FAMILY(eax);
    return family == NETBURST_FAMILY ? family + (unsigned)LEAF1_EAX_EXT_FAMILY(eax) : family;
}

static unsigned model_of(uint32_t eax)
{
    unsigned model = LEAF1_EAX_MODEL(eax);
    return family_of(eax) >= NETBURST_FAMILY ? (unsigned)LEAF1_EAX_EXT_MODEL(eax) << 4 | model : model;
}

#define NOT_NETBURST "not a NetBurst processor: CPUID "

/* Step 1 of the detection: null for a NetBurst processor, otherwise the reason why it is none. */
static const char *not_netburst(const struct pmc_cpuid *cpuid)
{
    static char reason[64];
    char *end = reason + sizeof reason;

    if (!same_text(cpuid->vendor, "GenuineIntel")) {
        char *at = text_append(reason, end, NOT_NETBURST "vendor ");
        text_append(at, end, cpuid->vendor);
        return reason;
    }
    if (cpuid->max_leaf < 1)
        return "no CPUID leaf 1";
    unsigned family = family_of(cpuid->leaf1_eax), model = model_of(cpuid->leaf1_eax);
    if (family != NETBURST_FAMILY) {
        char *at = text_append(reason, end, NOT_NETBURST "family ");
        text_append_hex(at, end, family, family > 0xFF ? 3 : 2);
        return reason;
    }
    if (model > 0x0F) { /* no NetBurst part has an extended model (pmu-rules 1.4) */
        char *at = text_append(reason, end, NOT_NETBURST "family 0FH, model ");
        text_append_hex(at, end, model, 2);
        return reason;
    }
    return NULL;
}

/* Steps 2 and 3: why it has no PMU, or null. */
static const char *no_pmu(const struct pmc_cpuid *cpuid)
{
    if (!(cpuid->leaf1_edx & LEAF1_EDX_MSR))
        return "no MSRs (CPUID.1 EDX[5] = 0)";
    if (!cpuid->misc_enable_readable)
        return "RDMSR of IA32_MISC_ENABLE faults";
    if (!(cpuid->misc_enable & MISC_ENABLE_PERFMON))
        return "IA32_MISC_ENABLE[7] = 0: performance monitoring not available";
    return NULL;
}

/*
 * EBX[23:16] counts the logical processors of the package (HTT alone does not mean two: it is set on
 * single-threaded parts too). Leaf 4, where there is one, splits them into cores; without it the signature
 * has to.
 */
static void find_topology(struct pmc_cpu *cpu, const struct pmc_cpuid *cpuid, const struct part *part)
{
    unsigned logical = cpuid->leaf1_edx & LEAF1_EDX_HTT ? (unsigned)LEAF1_EBX_LOGICAL(cpuid->leaf1_ebx) : 0;
    if (logical == 0)
        logical = 1;
    bool leaf4 = cpuid->max_leaf >= 4 && LEAF4_EAX_TYPE(cpuid->leaf4_eax) != 0;
    unsigned cores = leaf4 ? (unsigned)LEAF4_EAX_CORES(cpuid->leaf4_eax) : part->cores;
    if (cores > logical) /* a core switched off by the BIOS */
        cores = logical;
    bool sharing = !leaf4 || LEAF4_EAX_SHARING(cpuid->leaf4_eax) > 1;

    cpu->cores_per_package = cores;
    cpu->threads_per_core = sharing && logical >= 2 * cores ? 2 : 1;
    cpu->ht = cpu->threads_per_core == 2;
}

static uint32_t errata_of(const struct pmc_cpu *cpu)
{
    /* Drivers apply the first two to every part; no source names a limit for the last two (pmu-rules 6). */
    uint32_t errata = PMC_E1 | PMC_E2 | PMC_E4 | PMC_E9;

    if (cpu->model == 2 || (cpu->model < 2 && cpu->stepping > 9))
        errata |= PMC_E3;
    /* Pentium D is two cores without Hyper-Threading; 0F44H is the signature its sources name. */
    if (cpu->signature == 0xF44 || (cpu->cores_per_package > 1 && !cpu->ht))
        errata |= PMC_E5;
    if (cpu->model < 2 || (cpu->model == 2 && cpu->stepping < 7))
        errata |= PMC_E10;
    if (cpu->model < 2)
        errata |= PMC_E12;
    if (cpu->model == 0 && cpu->stepping < 0xA)
        errata |= PMC_E22;
    return errata;
}

const char *pmc_identify(struct pmc_cpu *cpu, const struct pmc_cpuid *cpuid)
{
    const char *reason = not_netburst(cpuid);
    uint32_t eax = cpuid->leaf1_eax;
    const struct part *part = reason ? &FOREIGN : part_of(LEAF1_EAX_SIGNATURE(eax));
    bool ds = cpuid->leaf1_edx & LEAF1_EDX_DS;

    cpu->signature = LEAF1_EAX_SIGNATURE(eax);
    cpu->family = family_of(eax);
    cpu->model = model_of(eax);
    cpu->stepping = LEAF1_EAX_STEPPING(eax);
    find_topology(cpu, cpuid, part);
    cpu->extended_cascade = cpu->model == 2 || cpu->model == 3 || cpu->model == 4 || cpu->model == 6;
    cpu->instr_completed = cpu->model == 3 || cpu->model == 4 || cpu->model == 6;
    cpu->iq_escr = cpu->model <= 2;
    cpu->ioq = cpu->model != 6 || !cpuid->l3;
    cpu->bts_available = ds && !(cpuid->misc_enable & MISC_ENABLE_BTS_UNAVAILABLE);
    cpu->pebs_available = ds && !(cpuid->misc_enable & MISC_ENABLE_PEBS_UNAVAIL);
    cpu->errata = errata_of(cpu);
    cpu->core = part->core;
    return reason ? reason : no_pmu(cpuid);
}

/* clang-format off */

static const struct {
    enum pmc_erratum erratum;
    const char *name, *effect;
} ERRATA[] = {
    { PMC_E1,  "E1",  "an event during a counter write can corrupt it: written twice" },
    { PMC_E2,  "E2",  "a carry into bit 32 in the clock of the stop can be lost" },
    { PMC_E3,  "E3",  "no PMI in cascade or extended cascade mode" },
    { PMC_E4,  "E4",  "ENABLE of CCCR 1 may not work (unconfirmed)" },
    { PMC_E5,  "E5",  "OVF_PMI_T1 not supported" },
    { PMC_E9,  "E9",  "a PMI can come without OVF" },
    { PMC_E10, "E10", "IOQ_allocation not on FSB_ESCR1, and blind to CPL" },
    { PMC_E12, "E12", "IOQ events combine their masks by the older equation" },
    { PMC_E22, "E22", "OVF is cleared by writing 1, and cannot be set" },
};

/* clang-format on */

const char *pmc_erratum_name(uint32_t erratum)
{
    for (unsigned i = 0; i < COUNT_OF(ERRATA); i++)
        if (erratum & ERRATA[i].erratum)
            return ERRATA[i].name;
    return "none";
}

const char *pmc_erratum_effect(uint32_t erratum)
{
    for (unsigned i = 0; i < COUNT_OF(ERRATA); i++)
        if (erratum & ERRATA[i].erratum)
            return ERRATA[i].effect;
    return "no erratum";
}
