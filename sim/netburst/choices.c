/*
 * The choices by name. To add one: a member of struct nbpmu_choices, a row here, and the behaviour in the
 * file of its rule.
 */
#include "private.h"

#include <string.h>
#include "pmc/count_of.h"

struct choice {
    const char *name, *meaning;
    size_t member; /* offset of the bool in struct nbpmu_choices */
};

#define CHOICE(name, member, meaning)                         \
    {                                                         \
        name, meaning, offsetof(struct nbpmu_choices, member) \
    }

/* clang-format off */
static const struct choice CHOICES[] = {
    CHOICE("cascade-latch",           cascade_latch,            "a cascade starts on the edge of OVF and stays started (R33)"),
    CHOICE("alt17-13",                alt17_is_13,              "counter 17 is started by 13, reading M (R34, pmu-rules 5.5.1)"),
    CHOICE("reserved-faults",         reserved_faults,          "a write of 1 to any reserved bit is #GP(0) (R3)"),
    CHOICE("edge-true",               edge_from_true,           "the edge filter starts from true (R25)"),
    CHOICE("edge-kept",               edge_kept,                "the edge filter keeps its state while the counter is off (R25)"),
    CHOICE("edge-follows",            edge_follows,             "the edge filter follows the values while EDGE is clear, too (R23, R25, question 11.12)"),
    CHOICE("enable-reads-back",       enable_reads_back,        "ENABLE of a cascaded counter reads 1 once started (R36)"),
    CHOICE("start-same-clock",        start_same_clock,         "a cascaded counter counts the overflowing clock too (R37)"),
    CHOICE("written-ovf-no-cascade",  written_ovf_no_cascade,   "OVF written by software starts nothing (R30)"),
    CHOICE("written-ovf-pmi",         written_ovf_pmi,          "OVF written by software raises a PMI at the next count (R30, question 11.3)"),
    CHOICE("ccr1-enable-dead",        ccr1_enable_dead,         "ENABLE of CCCR 1 does not work (E4)"),
    CHOICE("force-ovf-breaks-cascade", force_ovf_breaks_cascade, "FORCE_OVF and CASCADE do not work together (E14)"),
    CHOICE("force-ovf-first-pmi",     force_ovf_first_pmi,      "the first forced increment already raises a PMI (R48)"),
    CHOICE("unmapped-counts-nothing", unmapped_counts_nothing,  "COMPLEMENT of no event counts nothing (R17, question 11.1)"),
    CHOICE("strict-power",            strict_power,             "a counter needs an enabled counter on its ESCRs (R44, question 11.2)"),
    CHOICE("pmi-every-count",         pmi_every_count,          "the PMI repeats at every count while OVF stands (question 11.3)"),
    CHOICE("pmi-same-clock-surplus",  pmi_same_clock_surplus,   "counts beyond the wrap raise the PMI at once (question 11.4)"),
    CHOICE("halted-clocks",           halted_clocks,            "clocks go on when all are halted: ACTIVE_THREAD 00B counts (question 11.5)"),
    CHOICE("edge-runs-ungated",       edge_runs_ungated,        "the edge filter ignores ACTIVE_THREAD (question 11.6)"),
    CHOICE("e3-when-started",         e3_when_started,          "E3 hits only a counter a cascade started (question 11.8)"),
    CHOICE("ti-halted-not-counted",   ti_halted_not_counted,    "TI events need an active logical processor (question 11.9)"),
    CHOICE("ti-halted-cpl-ignored",   ti_halted_cpl_ignored,    "the CPL of a halted processor has no part in R13 (pmu-rules 9.6)"),
    CHOICE("active-thread-ignored",   active_thread_ignored,    "ACTIVE_THREAD acts as 11B without Hyper-Threading (R19)"),
    CHOICE("no-t1-storage",           no_t1_storage,            "T1 bits do not store without Hyper-Threading (pmu-rules 3.4)"),
    CHOICE("no-e3",                   no_e3,                    "a part listed under E3 raises the PMI (question 10.5)"),
    CHOICE("iq-escr-faults",          iq_escr_faults,           "IQ_ESCR0/1 fault from model 3 on (E19)"),
    CHOICE("early-counts",            early_counts,             "presets of -8 to -1 overflow before the first retirement (E20)"),
    CHOICE("e1-write-adds",           e1_write_adds,            "a write to a counter with a live select adds its event's value (E1)"),
    CHOICE("e1-access-adds",          e1_access_adds,           "so does a read of it (E1)"),
    CHOICE("e1-torn-write",           e1_torn_write,            "a write to a running counter can be off by a carry into bit 32 (E1)"),
    CHOICE("e2-lost-carry",           e2_lost_carry,            "a carry into bit 32 in the clock of the stop is lost (E2)"),
    CHOICE("e9-unflagged",            e9_unflagged,             "now and then a PMI comes without OVF (E9)"),
};
/* clang-format on */

#define CHOICE_COUNT COUNT_OF(CHOICES)

_Static_assert(sizeof(struct nbpmu_choices) == CHOICE_COUNT * sizeof(bool), "every choice has a name");

bool nbpmu_choose(struct nbpmu_choices *choices, const char *name)
{
    for (size_t i = 0; i < CHOICE_COUNT; i++) {
        if (strcmp(CHOICES[i].name, name) == 0) {
            *(bool *)((char *)choices + CHOICES[i].member) = true;
            return true;
        }
    }
    return false;
}

const char *nbpmu_choice_name(unsigned index, const char **meaning)
{
    if (index >= CHOICE_COUNT) {
        return NULL;
    }
    if (meaning) {
        *meaning = CHOICES[index].meaning;
    }
    return CHOICES[index].name;
}
