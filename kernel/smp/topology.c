/* Topology: how many threads share our core (pmu-rules 1.5), and which local APICs firmware lists. */
#include "smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/firmware/firmware.h"
#include "kernel/log/log.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"

#define CPUID1_EDX_HTT       (1u << 28)
#define CPUID1_LOGICAL(ebx)  ((unsigned)FIELD_GET(23, 16, ebx)) /* logical processors of the package */
#define CPUID4_CORES(eax)    ((unsigned)FIELD_GET(31, 26, eax) + 1)
#define CPUID_LEAF_CACHES    4u
#define MAX_THREADS_PER_CORE 2u /* of this family: bit 0 of the APIC ID */

#define VENDOR_INTEL    0x756E6547u                              /* CPUID.0 EBX: "Genu" */
#define CPUID1_FAMILY   (FIELD_MASK(27, 20) | FIELD_MASK(11, 8)) /* extended family, family */
#define FAMILY_NETBURST (0xFu << 8)

static bool limited;

static bool is_netburst(void)
{
    return cpuid(0, 0).ebx == VENDOR_INTEL && (cpuid(1, 0).eax & CPUID1_FAMILY) == FAMILY_NETBURST;
}

uint8_t cpuid_initial_apic_id(void)
{
    return (uint8_t)FIELD_GET(31, 24, cpuid(1, 0).ebx);
}

void cpuid_lift_limit(void)
{
    uint64_t value;

    if (!is_netburst() || msr_try_read(MSR_IA32_MISC_ENABLE, &value) != NO_FAULT ||
        (value & MISC_ENABLE_CPUID_LIMITED) == 0)
        return;
    log_attempt(ABOUT_TO "lift the limit of CPUID in IA32_MISC_ENABLE");
    limited = msr_try_write(MSR_IA32_MISC_ENABLE, value & ~MISC_ENABLE_CPUID_LIMITED) == NO_FAULT;
}

bool cpuid_was_limited(void)
{
    return limited;
}

static void read_cpuid(struct topology *t)
{
    struct cpuid leaf1 = cpuid(1, 0);
    unsigned logical = (leaf1.edx & CPUID1_EDX_HTT) != 0 ? CPUID1_LOGICAL(leaf1.ebx) : 1;

    t->netburst = is_netburst();
    t->initial_apic_id = cpuid_initial_apic_id();
    t->bsp_thread = t->initial_apic_id & 1;
    t->bsp_apic_id = lapic_present() ? lapic_id() : t->initial_apic_id;
    t->sibling_apic_id = t->bsp_apic_id ^ 1;
    t->cores_per_package = 1;
    if (cpuid(0, 0).eax >= CPUID_LEAF_CACHES)
        t->cores_per_package = CPUID4_CORES(cpuid(CPUID_LEAF_CACHES, 0).eax);
    t->threads_per_core = logical >= MAX_THREADS_PER_CORE * t->cores_per_package ? MAX_THREADS_PER_CORE : 1;
}

static void read_tables(struct topology *t)
{
    struct processor_list list;

    if (acpi_processors(&list)) {
        t->source = "ACPI MADT";
    } else {
        t->source = "none";
        list = (struct processor_list){.count = 1, .apic_ids = {t->bsp_apic_id}};
    }
    t->processors = list.count;
    for (unsigned i = 0; i < list.count && i < FIRMWARE_PROCESSORS; i++) {
        t->apic_ids[i] = list.apic_ids[i];
        if (!t->netburst && !t->sibling_listed && list.apic_ids[i] != t->bsp_apic_id) {
            t->sibling_apic_id = list.apic_ids[i];
            t->sibling_listed = true;
        } else if (t->netburst && list.apic_ids[i] == t->sibling_apic_id)
            t->sibling_listed = t->threads_per_core == MAX_THREADS_PER_CORE;
    }
}

void topology_read(struct topology *topology)
{
    *topology = (struct topology){0};
    read_cpuid(topology);
    read_tables(topology);
}
