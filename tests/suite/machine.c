#include "machine.h"

#include "kernel/x86/cpu.h"
#include "kernel/lib/lib.h"
#include "kernel/run/run.h"
#include "kernel/x86/lapic.h"
#include "kernel/smp/smp.h"
#include "kernel/log/log.h"
#include "pmc/netburst/map.h"
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"
#include "setting.h"
#include "vector.h"
#include "pmc/out_of_line.h"
#include "pmc/netburst/event.h"
#include "kernel/board/board.h"
#include "kernel/x86/trap.h"

/* CPUID.1 EDX */
#define CPUID_1_EDX_SSE2 (1u << 26)

/* CPUID.4 EAX */
#define LEAF4_LEVEL(eax) FIELD_GET(7, 5, eax)

struct pmc_cpu machine_cpu;
static bool ht_promised;
static struct pmc_cpuid id;
bool machine_has_pmu;
static bool identified;

#define SHOWN_AT_BOOT 6 /* registers that are shown by name and value; all of them are counted */

/* What the PMU registers held before the image wrote any of them. */
static struct {
    unsigned set;
    char shown[SHOWN_AT_BOOT * 32];
    size_t length;
} at_boot;

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

static void snapshot(const char *name, uint32_t msr)
{
    char *end = at_boot.shown + at_boot.length;
    size_t room = sizeof at_boot.shown - at_boot.length;
    uint64_t value;

    if (msr_try_read(msr, &value) != NO_FAULT || value == 0)
        return;
    if (at_boot.set++ < SHOWN_AT_BOOT)
        at_boot.length += format(end, room, "%s %s %8llH", at_boot.set > 1 ? "," : ":", name, value);
}

static void snapshot_pmu(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        snapshot(PMC_COUNTER[n].cccr_name + sizeof "MSR", MSR_CCCR(n));
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        snapshot(PMC_COUNTER[n].counter_name + sizeof "MSR", MSR_COUNTER(n));
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        snapshot(PMC_ESCR[i].name + sizeof "MSR", PMC_ESCR[i].msr);
}

/* IA32_DEBUGCTL and IA32_DS_AREA before and after the image wrote the former; 0 before: nothing was on. */
static struct {
    uint64_t before, area, after;
} debug_store;

/* A branch trace store that the BIOS left on writes over memory that is ours now, and interrupts as a counter
 * does (SDM vol. 3, 17.4.9). */
static void stop_debug_store(void)
{
    if (msr_try_read(MSR_IA32_DEBUGCTL, &debug_store.before) != NO_FAULT || debug_store.before == 0)
        return;
    msr_try_write(MSR_IA32_DEBUGCTL, 0);
    msr_try_read(MSR_IA32_DEBUGCTL, &debug_store.after);
    msr_try_read(MSR_IA32_DS_AREA, &debug_store.area);
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
        snapshot_pmu();
        stop_debug_store();
        reason = pmc_probe_registers();
    }
    if (!reason)
        pmc_find_absent(&machine_cpu);
    machine_has_pmu = !reason;
    return reason;
}

bool machine_promises_pmu(void)
{
    return identified && !(id.leaf1_ecx & CPUID_1_ECX_HYPERVISOR);
}

static const char *register_name(uint32_t msr)
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
            return register_name(msr);
    return NULL;
}

#define LEFT_OUT_NAMED 8

static void report_left_out(void)
{
    const struct pmc_absent *absent = &machine_cpu.absent;
    char text[LEFT_OUT_NAMED * sizeof " MSR_PEBS_MATRIX_VERT" + sizeof " and 80 more"] = "";
    size_t length = 0;
    unsigned named = 0;

    for (; named < absent->count && named < LEFT_OUT_NAMED; named++)
        length += format(text + length, sizeof text - length, " %s", register_name(absent->msr[named]));
    if (named < absent->count)
        format(text + length, sizeof text - length, " and %u more", absent->count - named);
    if (named > 0)
        tap_comment(COMMENT_INFO, "left out:%s: access faults", text);
}

/* The names of the errata; what each does is said by the vector that sees it. */
static void report_errata(void)
{
    char text[80] = "";
    size_t length = 0;

    for (uint32_t e = 1; e != 0 && e <= machine_cpu.errata; e <<= 1)
        if (machine_cpu.errata & e && length < sizeof text)
            length += format(text + length, sizeof text - length, " %s", pmc_erratum_name(e));
    tap_comment(COMMENT_INFO, "errata:%s", length > 0 ? text : " none known");
}

void machine_inventory(const char *boot_line)
{
    inventory_image(boot_line);
    inventory_machine(&id, machine_cpu.core);
    if (!machine_has_pmu)
        return;
    if (at_boot.set == 0)
        tap_comment(COMMENT_INFO, "pmu at boot: none set");
    else
        tap_comment(COMMENT_INFO, "pmu at boot: %u set%s%s", at_boot.set, at_boot.shown,
                    at_boot.set > SHOWN_AT_BOOT ? ", ..." : "");
    if (debug_store.before != 0)
        tap_comment(COMMENT_INFO, "debug store at boot: IA32_DEBUGCTL %2llH, now %2llH; DS area %8llH",
                    debug_store.before, debug_store.after, debug_store.area);
    report_errata();
    report_left_out();
}

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
    if (id.leaf1_edx & CPUID_1_EDX_SSE2)
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
    if (machine_has_pmu && !ht_promised)
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

bool machine_has_erratum(uint32_t erratum)
{
    return machine_cpu.errata & erratum;
}

uint32_t machine_off(void)
{
    return machine_has_erratum(PMC_E22) ? CCCR_NEVER_COUNTS | CCCR_OVF : 0;
}

uint32_t machine_ovf(unsigned n)
{
    return machine_has_erratum(PMC_E22) ? (uint32_t)msr_read(MSR_CCCR(n)) & CCCR_OVF : CCCR_OVF;
}

static uint32_t escr_for(unsigned lp, bool os, bool usr)
{
    if (lp == 0)
        return (os ? ESCR_T0_OS : 0) | (usr ? ESCR_T0_USR : 0);
    return (os ? ESCR_T1_OS : 0) | (usr ? ESCR_T1_USR : 0);
}

uint32_t escr_self(bool os, bool usr)
{
    return escr_for(smp_self(), os, usr);
}

uint32_t escr_self_all(void)
{
    return escr_self(true, true);
}

uint32_t escr_sibling(bool os, bool usr)
{
    return escr_for(smp_self() ^ 1, os, usr);
}

OUT_OF_LINE uint32_t ovf_pmi_to(unsigned lp)
{
    return lp == 0 ? CCCR_OVF_PMI_T0 : CCCR_OVF_PMI_T1;
}

/* ---- Documented bits ---- */

uint64_t cccr_documented(unsigned n)
{
    uint64_t mask = CCCR_ESCR_SELECT_MASK | CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD_MASK | CCCR_EDGE |
                    CCCR_FORCE_OVF | CCCR_OVF_PMI | CCCR_CASCADE;

    if (machine_cpu.ht)
        mask |= CCCR_ACTIVE_MASK | CCCR_OVF_PMI_T1;
    if (machine_cpu.extended_cascade && PMC_COUNTER[n].extended_from != PMC_NONE)
        mask |= CCCR_CASCNT;
    return mask;
}

uint64_t escr_documented(const struct pmc_escr *escr)
{
    const uint32_t cpls = machine_cpu.ht ? ESCR_CPL_MASK : ESCR_OS | ESCR_USR;
    uint64_t mask = 0;

    if (machine_cpu.signature == SIGNATURE_F43)
        return escr->f43_mask & (cpls | ~ESCR_CPL_MASK);
    for (unsigned e = 0; e < PMC_EVENTS; e++) {
        const struct pmc_event *event = &PMC_EVENT[e];
        if (!(event->models & (1u << machine_cpu.model)) ||
            (event->escr[0] != escr->msr && event->escr[1] != escr->msr))
            continue;
        mask |= ESCR_EVENT_SELECT(event->select) | cpls;
        /* Models 0 and 1 lack some bits of the event masks, and no source says which (F14). */
        if (machine_cpu.model >= 2)
            mask |= ESCR_EVENT_MASK(event->members);
    }
    return mask;
}

/* ---- HLT ---- */

#define DEADLINE_US       1000000
#define INTERRUPT_GIVE_UP 0xD8 /* the same class as INTERRUPT_PMI, and taken before it if both wait */

static const volatile bool *wanted;
static volatile bool gave_up, was_set;

void halt_for_us(uint32_t microseconds)
{
    setting_use(SETTING_HALT);
    irq_off();
    timer_interrupt_in_us(microseconds, INTERRUPT_WAKE);
    cpu_halt_until_interrupt();
    timer_interrupt_in_us(DEADLINE_US, INTERRUPT_TIMER);
}

static void give_up(struct trap_frame *frame)
{
    (void)frame;
    was_set = *wanted;
    gave_up = true;
    lapic_eoi();
}

bool halt_until(const volatile bool *flag, uint32_t microseconds)
{
    wanted = flag;
    gave_up = was_set = false;
    trap_set_handler(INTERRUPT_GIVE_UP, give_up);
    irq_off();
    timer_interrupt_in_us(microseconds, INTERRUPT_GIVE_UP);
    while (!*flag && !gave_up) {
        cpu_halt_until_interrupt();
        irq_off();
    }
    timer_interrupt_in_us(DEADLINE_US, INTERRUPT_TIMER);
    irq_on();
    trap_set_handler(INTERRUPT_GIVE_UP, NULL);
    return !gave_up || was_set;
}
