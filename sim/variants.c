/*
 * Table of the variants. The default of every option is the zero value; a row names one other value.
 */
#include "variants.h"

#include <stddef.h>
#include <string.h>

struct variant {
    const char *name;
    size_t flag; /* offset of a bool in struct pmu_config, or NO_FLAG for the enumerated options */
    const char *meaning;
};

#define NO_FLAG SIZE_MAX

#define FLAG(member) offsetof(struct pmu_config, member)

/* clang-format off */
static const struct variant VARIANTS[] = {
    {"cascade-latch",            NO_FLAG, "a cascade starts on the edge of OVF and stays started (R33)"},
    {"alt17-13",                 NO_FLAG, "counter 17 is started by 13, reading M (R34, pmu-rules 5.5.1)"},
    {"reserved-faults",          NO_FLAG, "a write of 1 to any reserved bit is #GP(0) (R3)"},
    {"edge-true",                NO_FLAG, "the edge filter starts from true (R25)"},
    {"edge-kept",                NO_FLAG, "the edge filter keeps its state while the counter is off (R25)"},
    {"enable-reads-back",        FLAG(enable_reads_back), "ENABLE of a cascaded counter reads 1 once started (R36)"},
    {"start-same-clock",         FLAG(start_same_clock), "a cascaded counter counts the overflowing clock too (R37)"},
    {"written-ovf-no-cascade",   FLAG(written_ovf_no_cascade), "OVF written by software starts nothing (R30)"},
    {"written-ovf-pmi",          FLAG(written_ovf_pmi), "OVF written by software raises a PMI at the next count (R30, question 11.3)"},
    {"ccr1-enable-dead",         FLAG(ccr1_enable_dead), "ENABLE of CCCR 1 does not work (E4)"},
    {"force-ovf-breaks-cascade", FLAG(force_ovf_breaks_cascade), "FORCE_OVF and CASCADE do not work together (E14)"},
    {"force-ovf-first-pmi",      FLAG(force_ovf_first_pmi), "the first forced increment already raises a PMI (R48)"},
    {"unmapped-counts-clocks",   FLAG(unmapped_counts_clocks), "COMPLEMENT of no event counts clocks (R17, question 11.1)"},
    {"strict-power",             FLAG(strict_power), "a counter needs an enabled counter on its ESCRs (R44, question 11.2)"},
    {"pmi-every-count",          FLAG(pmi_every_count), "the PMI repeats at every count while OVF stands (question 11.3)"},
    {"pmi-same-clock-surplus",   FLAG(pmi_same_clock_surplus), "counts beyond the wrap raise the PMI at once (question 11.4)"},
    {"halted-clocks",            FLAG(halted_clocks), "clocks go on when all are halted: ACTIVE_THREAD 00B counts (question 11.5)"},
    {"edge-runs-ungated",        FLAG(edge_runs_ungated), "the edge filter ignores ACTIVE_THREAD (question 11.6)"},
    {"e3-when-started",          FLAG(e3_when_started), "E3 hits only a counter a cascade started (question 11.8)"},
    {"ti-halted-not-counted",    FLAG(ti_halted_not_counted), "TI events need an active logical processor (question 11.9)"},
    {"ti-halted-cpl-ignored",    FLAG(ti_halted_cpl_ignored), "the CPL of a halted processor has no part in R13 (pmu-rules 9.6)"},
    {"active-thread-ignored",    FLAG(active_thread_ignored), "ACTIVE_THREAD acts as 11B without Hyper-Threading (R19)"},
    {"no-t1-storage",            FLAG(no_t1_storage), "T1 bits do not store without Hyper-Threading (pmu-rules 3.4)"},
    {"no-e3",                    FLAG(no_e3), "a part listed under E3 raises the PMI (question 10.5)"},
    {"e1-torn-write",            FLAG(e1_torn_write), "a write to a running counter can be off by a carry into bit 32 (E1)"},
    {"e2-lost-carry",            FLAG(e2_lost_carry), "a carry into bit 32 in the clock of the stop is lost (E2)"},
    {"e9-unflagged",             FLAG(e9_unflagged), "now and then a PMI comes without OVF (E9)"},
};
/* clang-format on */

#define VARIANT_COUNT (sizeof VARIANTS / sizeof VARIANTS[0])

static void apply_enumerated(struct pmu_config *config, const char *name)
{
    if (strcmp(name, "cascade-latch") == 0)
        config->cascade_start = PMU_CASCADE_LATCH;
    else if (strcmp(name, "alt17-13") == 0)
        config->alt17 = PMU_ALT17_IS_13;
    else if (strcmp(name, "reserved-faults") == 0)
        config->reserved = PMU_RESERVED_FAULTS;
    else if (strcmp(name, "edge-true") == 0)
        config->edge_state = PMU_EDGE_TRUE;
    else if (strcmp(name, "edge-kept") == 0)
        config->edge_state = PMU_EDGE_KEPT;
}

bool variant_apply(struct pmu_config *config, const char *name)
{
    for (size_t i = 0; i < VARIANT_COUNT; i++) {
        if (strcmp(VARIANTS[i].name, name) != 0)
            continue;
        if (VARIANTS[i].flag == NO_FLAG)
            apply_enumerated(config, name);
        else
            *(bool *)((char *)config + VARIANTS[i].flag) = true;
        return true;
    }
    return false;
}

void variant_list(FILE *out)
{
    for (size_t i = 0; i < VARIANT_COUNT; i++)
        fprintf(out, "%-25s %s\n", VARIANTS[i].name, VARIANTS[i].meaning);
}

void variant_names(char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < VARIANT_COUNT && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " " : "", VARIANTS[i].name);
}
