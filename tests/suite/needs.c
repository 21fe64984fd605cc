/* What vectors need of the machine (enum need of vector.h), and in words what stands in the way. */
#include "needs.h"

#include "machine.h"
#include "vector.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/lapic.h"
#include "pmc/count_of.h"

/* OVF_PMI_T1 does nothing there, so that no counter interrupts LP1. */
static bool boots_where_no_pmi_comes(void)
{
    return machine_has_erratum(PMC_E5) && smp_self() == 1;
}

unsigned machine_meets(void)
{
    unsigned met = 0;

    if (smp_has_sibling())
        met |= NEED_SIBLING;
    if (machine_cpu.ht)
        met |= NEED_SMT;
    if (machine_cpu.extended_cascade)
        met |= NEED_EXTENDED_CASCADE;
    if (machine_cpu.instr_completed)
        met |= NEED_INSTR_COMPLETED;
    if (machine_has_sse2())
        met |= NEED_SSE2;
    if (lapic_present() && !boots_where_no_pmi_comes())
        met |= NEED_LAPIC;
    if (lapic_present() && smp_topology()->sibling_listed)
        met |= NEED_SIBLING_LISTED;
    if (smp_self() == 0)
        met |= NEED_LP0;
    return met;
}

#define NEED_ANY_SIBLING    (NEED_SIBLING | NEED_SIBLING_LISTED)
#define FIRST_MODEL_WITH_HT 2 /* of the Pentium 4 */

/* The set of unmet needs, with what stands in the way of a second logical processor put in its place. */
static unsigned first_obstacle(unsigned need)
{
    if (!(need & (NEED_ANY_SIBLING | NEED_SMT)))
        return need;
    if (machine_has_pmu && !machine_may_have_ht())
        return NEED_SMT;
    if (lapic_missing())
        return NEED_LAPIC;
    return smp_topology()->sibling_listed ? NEED_SIBLING : NEED_SIBLING_LISTED;
}

static const struct {
    unsigned need;
    const char *reason; /* null: lapic_missing() has it */
    const char *remedy; /* null: none */
} LACKING[] = {
    {NEED_SMT, "no Hyper-Threading", "BIOS: turn on Hyper-Threading, if the processor has it"},
    {NEED_SIBLING_LISTED, "the firmware lists no second logical processor",
     "BIOS: turn on ACPI and Hyper-Threading; if they are on, update it"},
    {NEED_SIBLING, "the second logical processor does not answer",
     "switch the board off and on; if it stays so, update the BIOS"},
    {NEED_EXTENDED_CASCADE, "no extended cascading before model 2", NULL},
    {NEED_INSTR_COMPLETED, "no instr_completed before model 3", NULL},
    {NEED_SSE2, "no SSE2", NULL},
    {NEED_LAPIC, NULL, "BIOS: turn on the local APIC"},
    {NEED_LP0, "the boot processor is logical processor 1", NULL},
};

static unsigned lacking_row(unsigned need)
{
    unsigned i = 0;

    while (i < COUNT_OF(LACKING) - 1 && !(first_obstacle(need) & LACKING[i].need))
        i++;
    return i;
}

const char *machine_lacks(unsigned need)
{
    const char *reason = LACKING[lacking_row(need)].reason;

    if (!reason)
        reason = lapic_missing();
    return reason ? reason : "no PMI comes to LP1 (erratum E5), which is the boot processor";
}

const char *machine_remedy(unsigned need)
{
    const unsigned i = lacking_row(need);

    if (LACKING[i].need == NEED_LAPIC && !lapic_missing())
        return NULL;
    if (LACKING[i].need != NEED_LAPIC && (!machine_has_pmu || machine_cpu.model < FIRST_MODEL_WITH_HT))
        return NULL;
    return LACKING[i].remedy;
}
