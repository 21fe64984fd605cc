/*
 * The variants by name. To add one: a member of struct nbpmu_variants, a row here, and the behaviour in the
 * file of its rule.
 */
#include "nbpmu.h"

#include <string.h>
#include "pmc/count_of.h"

struct variant {
    const char *name, *meaning;
    size_t member; /* offset of the bool in struct nbpmu_variants */
};

#define VARIANT(name, member, meaning)                         \
    {                                                          \
        name, meaning, offsetof(struct nbpmu_variants, member) \
    }

/* clang-format off */
static const struct variant VARIANTS[] = {
    VARIANT("cascade-latch",           cascade_latch,            "a cascade starts on the edge of OVF and stays started (R33)"),
    VARIANT("alt17-13",                alt17_is_13,              "counter 17 is started by 13, reading M (R34, pmu-rules 5.5.1)"),
    VARIANT("reserved-faults",         reserved_faults,          "a write of 1 to any reserved bit of a CCCR or ESCR is #GP(0) (R3)"),
    VARIANT("edge-true",               edge_from_true,           "the edge filter starts from true (R25)"),
    VARIANT("edge-kept",               edge_kept,                "the edge filter keeps its state while the counter is off (R25)"),
    VARIANT("edge-restarts",           edge_restarts,            "a write of the CCCR of a counter that runs starts its edge filter anew (R25)"),
    VARIANT("edge-follows",            edge_follows,             "the edge filter follows the values while EDGE is clear, too (R23, R25, question 11.12)"),
    VARIANT("enable-reads-back",       enable_reads_back,        "ENABLE of a cascaded counter reads 1 once started (R36)"),
    VARIANT("start-same-clock",        start_same_clock,         "a cascaded counter counts the overflowing clock too (R37)"),
    VARIANT("written-ovf-no-cascade",  written_ovf_no_cascade,   "OVF written by software starts nothing (R30)"),
    VARIANT("written-ovf-pmi",         written_ovf_pmi,          "OVF written by software raises a PMI at the next count (R30, question 11.3)"),
    VARIANT("tags-linger",             tags_linger,              "an ESCR cleared while no counter powers it goes on tagging (E23)"),
    VARIANT("ccr1-enable-dead",        ccr1_enable_dead,         "ENABLE of CCCR 1 does not work (E4)"),
    VARIANT("force-ovf-breaks-cascade", force_ovf_breaks_cascade, "FORCE_OVF and CASCADE do not work together (E14)"),
    VARIANT("force-ovf-first-pmi",     force_ovf_first_pmi,      "the first forced increment already raises a PMI (R48)"),
    VARIANT("unmapped-counts-nothing", unmapped_counts_nothing,  "COMPLEMENT of no event counts nothing (R17, question 11.1)"),
    VARIANT("strict-power",            strict_power,             "a counter needs an enabled counter on its ESCRs (R44, question 11.2)"),
    VARIANT("pmi-every-count",         pmi_every_count,          "the PMI repeats at every count while OVF stands (question 11.3)"),
    VARIANT("pmi-same-clock-surplus",  pmi_same_clock_surplus,   "counts beyond the wrap raise the PMI at once (question 11.4)"),
    VARIANT("halted-clocks",           halted_clocks,            "clocks go on when all are halted: ACTIVE_THREAD 00B counts (question 11.5)"),
    VARIANT("edge-runs-ungated",       edge_runs_ungated,        "the edge filter ignores ACTIVE_THREAD (question 11.6)"),
    VARIANT("e3-when-started",         e3_when_started,          "E3 hits only a counter a cascade started (question 11.8)"),
    VARIANT("ti-halted-not-counted",   ti_halted_not_counted,    "TI events need an active logical processor (question 11.9)"),
    VARIANT("ti-halted-cpl-ignored",   ti_halted_cpl_ignored,    "the CPL of a halted processor has no part in R13 (pmu-rules 9.6)"),
    VARIANT("active-thread-ignored",   active_thread_ignored,    "ACTIVE_THREAD acts as 11B without Hyper-Threading (R19)"),
    VARIANT("no-t1-storage",           no_t1_storage,            "T1 bits do not store without Hyper-Threading (pmu-rules 3.4)"),
    VARIANT("no-e3",                   no_e3,                    "a part listed under E3 raises the PMI (question 10.5)"),
    VARIANT("iq-escr-faults",          iq_escr_faults,           "IQ_ESCR0/1 fault from model 3 on (E19)"),
    VARIANT("early-counts",            early_counts,             "presets of -8 to -1 overflow before the first retirement (E20)"),
    VARIANT("e1-write-adds",           e1_write_adds,            "a write to a counter with a live select adds its event's value (E1)"),
    VARIANT("e1-access-adds",          e1_access_adds,           "so does a read of it (E1)"),
    VARIANT("e1-torn-write",           e1_torn_write,            "a write to a running counter can be off by a carry into bit 32 (E1)"),
    VARIANT("e2-lost-carry",           e2_lost_carry,            "a carry into bit 32 in the clock of the stop is lost (E2)"),
    VARIANT("e9-unflagged",            e9_unflagged,             "now and then a PMI comes without OVF (E9)"),
};
/* clang-format on */

#define VARIANT_COUNT COUNT_OF(VARIANTS)

_Static_assert(sizeof(struct nbpmu_variants) == VARIANT_COUNT * sizeof(bool), "every variant has a name");

bool nbpmu_set_variant(struct nbpmu_variants *variants, const char *name)
{
    for (size_t i = 0; i < VARIANT_COUNT; i++) {
        if (strcmp(VARIANTS[i].name, name) == 0) {
            *(bool *)((char *)variants + VARIANTS[i].member) = true;
            return true;
        }
    }
    return false;
}

const char *nbpmu_variant_name(unsigned index, const char **meaning)
{
    if (index >= VARIANT_COUNT)
        return NULL;
    if (meaning)
        *meaning = VARIANTS[index].meaning;
    return VARIANTS[index].name;
}
