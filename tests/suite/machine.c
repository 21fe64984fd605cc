/* What the processor is, by CPUID and by its PMU's registers: whether it has this PMU, and which errata it
 * has. */
#include "machine.h"

#include <stddef.h>
#include "at_boot.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"

/* CPUID.1 EDX */
#define CPUID_1_EDX_SSE2 (1u << 26)

/* CPUID.4 EAX */
#define LEAF4_LEVEL(eax) FIELD_GET(7, 5, eax)

struct pmc_cpu machine_cpu;
static bool ht_promised;
static struct pmc_cpuid id;
bool machine_has_pmu;
static bool identified;
static struct pmc_answer dead;

static void put_register(char *out, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = (char)(value >> (8 * i));
}

static void read_identity(void)
{
    struct cpuid leaf = cpuid(0, 0);

    id.max_leaf = leaf.eax;
    put_register(id.vendor, leaf.ebx);
    put_register(id.vendor + 4, leaf.edx);
    put_register(id.vendor + 8, leaf.ecx);
    if (id.max_leaf >= 1) {
        leaf = cpuid(1, 0);
        id.leaf1_eax = leaf.eax;
        id.leaf1_ebx = leaf.ebx;
        id.leaf1_ecx = leaf.ecx;
        id.leaf1_edx = leaf.edx;
    }
    if (id.max_leaf >= 4) {
        id.leaf4_eax = cpuid(4, 0).eax;
        id.l3 = LEAF4_LEVEL(cpuid(4, 2).eax) == 3; /* L1 data, L2, L3: no part has another one */
    }
    id.misc_enable_readable = msr_try_read(MSR_IA32_MISC_ENABLE, &id.misc_enable) == NO_FAULT;
}

void machine_identify(void)
{
    read_identity();
    pmc_identify(&machine_cpu, &id);
}

void machine_settle_ht(void)
{
    ht_promised = machine_cpu.ht;
    machine_cpu.ht = ht_promised && smp_has_sibling();
}

bool machine_may_have_ht(void)
{
    return ht_promised;
}

const char *machine_detect(void)
{
    read_identity();
    const char *reason = pmc_identify(&machine_cpu, &id);
    msr_set_e22(machine_has_erratum(PMC_E22));
    identified = !reason;
    if (!reason) {
        at_boot_note();
        reason = pmc_probe_registers(&dead);
    }
    if (!reason)
        pmc_find_absent(&machine_cpu);
    machine_has_pmu = !reason;
    return reason;
}

#define CPUID_1_ECX_HYPERVISOR (1u << 31)

bool machine_is_virtual(void)
{
    return id.leaf1_ecx & CPUID_1_ECX_HYPERVISOR;
}

bool machine_promises_pmu(void)
{
    return identified && !machine_is_virtual();
}

const struct pmc_answer *machine_dead_register(void)
{
    return &dead;
}

const char *machine_register_name(uint32_t msr)
{
    const struct pmc_escr *escr = pmc_escr_at(msr);

    if (escr)
        return escr->name;
    if (msr - MSR_COUNTER(0) < PMC_COUNTERS)
        return PMC_COUNTER[msr - MSR_COUNTER(0)].counter_name;
    if (msr - MSR_CCCR(0) < PMC_COUNTERS)
        return PMC_COUNTER[msr - MSR_CCCR(0)].cccr_name;
    return msr == MSR_PEBS_ENABLE ? "MSR_PEBS_ENABLE" : "MSR_PEBS_MATRIX_VERT";
}

const char *machine_left_out(uint32_t msr)
{
    for (unsigned i = 0; i < machine_cpu.absent.count; i++)
        if (machine_cpu.absent.msr[i] == msr)
            return machine_register_name(msr);
    return NULL;
}

const struct pmc_cpuid *machine_id(void)
{
    return &id;
}

bool machine_has_sse2(void)
{
    return id.leaf1_edx & CPUID_1_EDX_SSE2;
}

bool machine_has_erratum(uint32_t erratum)
{
    return machine_cpu.errata & erratum;
}
