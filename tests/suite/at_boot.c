/*
 * What firmware and boot loader left in the PMU: the registers that were not 0, and a branch trace store that
 * was on. It is read before the image writes any of these registers, and reported in the inventory.
 */
#include "at_boot.h"

#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "pmc/msr.h"
#include "pmc/netburst/map.h"
#include "pmc/netburst/regs.h"

#define SHOWN_AT_BOOT 6 /* registers that are shown by name and value; all of them are counted */

/* What the PMU registers held before the image wrote any of them. */
static struct {
    unsigned set;
    char shown[SHOWN_AT_BOOT * 32];
    size_t length;
} at_boot;

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

void at_boot_note(void)
{
    snapshot_pmu();
    stop_debug_store();
}

void at_boot_report(void)
{
    if (at_boot.set == 0)
        tap_comment(COMMENT_INFO, "pmu at boot: none set");
    else
        tap_comment(COMMENT_INFO, "pmu at boot: %u set%s%s", at_boot.set, at_boot.shown,
                    at_boot.set > SHOWN_AT_BOOT ? ", ..." : "");
    if (debug_store.before != 0)
        tap_comment(COMMENT_INFO, "debug store at boot: IA32_DEBUGCTL %2llH, now %2llH; DS area %8llH",
                    debug_store.before, debug_store.after, debug_store.area);
}
