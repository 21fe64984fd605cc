/*
 * The event table against libpfm4's two NetBurst PMUs (models 0-2 and models 3, 4, 6): event select, CCCR
 * select, and every member of every event mask. Each difference is named and explained below; one that is not
 * explained fails, and so does an explanation that no longer applies. libpfm4's public interface does not
 * show its lists of ESCRs, so those are not compared.
 */
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <string.h>
#include "tests/host/support/host_test.h"
#include "pmc/netburst/event.h"

/* ---- The differences, as compare() words them ---- */

#define DOUBTFUL "the manual prints 3, but that is ITLB_ESCR on counters 0-3; FSB_ESCR is 6 (pmu-rules 4.1)"
#define IN_19_34 "named in Table 19-34 only; libpfm4 follows the event's own entry"

static const struct {
    const char *difference, *reason;
} EXPLAINED[] = {
    {"b2b_cycles: CCCR select 3 there, 6 here", DOUBTFUL},
    {"bnr: CCCR select 3 there, 6 here", DOUBTFUL},
    {"snoop: CCCR select 3 there, 6 here", DOUBTFUL},
    {"response: CCCR select 3 there, 6 here", DOUBTFUL},
    {"b2b_cycles: only there BIT5=4 BIT6=4", "slip: BIT5 and BIT6 both set mask bit 4"},
    {"b2b_cycles: only here BIT5=5 BIT6=6", "the other half of that slip; the manual lists masks 1-6"},
    {"replay_event: only there L1_LD_MISS=2 L2_LD_MISS=3 DTLB_LD_MISS=4 DTLB_ST_MISS=5 DTLB_ALL_MISS=6 "
     "BR_MSP=7 MOB_LD_REPLAY=8 SP_LD_RET=9 SP_ST_RET=10",
     "replay metrics, libpfm4's own numbers for PEBS_ENABLE and MATRIX_VERT values (Table 19-33)"},
    {"mispred_branch_retired: only there BOGUS=0", "slip: Table 19-29 calls bit 0 NBOGUS"},
    {"mispred_branch_retired: only here NBOGUS=0", "the other half of that slip"},
    {"BSQ_cache_reference: only here WR_2ndL_HIT=6 WR_3rdL_HIT=7 WR_3rdL_MISS=11", IN_19_34},
    {"retired_branch_type: only here UNCONDITIONAL=0", IN_19_34},
    {"retired_mispred_branch_type: only here UNCONDITIONAL=0", IN_19_34},
    {"WC_Buffer: only here WCB_HITM_EVICT=2", IN_19_34},
    {"memory_complete: only here USC=2 ULC=3", IN_19_34},
    {"x87_SIMD_moves_uop: only here", "dropped from Table 19-28, but Tables 19-32 and 19-34 still have it"},
    {"BSQ_active_entries: only there", "spelling: the manual's entry is bsq_active_entries"},
    {"bsq_active_entries: only here", "spelling: libpfm4 has BSQ_active_entries"},
    {"uops_type: only there", "spelling: the manual's entry is uop_type"},
    {"uop_type: only here", "spelling: libpfm4 has uops_type"},
};

/* Pairs that differ in spelling are still compared with each other. */
static const struct {
    const char *there, *here;
} RESPELT[] = {{"BSQ_active_entries", "bsq_active_entries"}, {"uops_type", "uop_type"}};

static bool used[COUNT_OF(EXPLAINED)];
static unsigned unexplained;

static void difference(const char *text)
{
    for (size_t i = 0; i < COUNT_OF(EXPLAINED); i++) {
        if (strcmp(EXPLAINED[i].difference, text) == 0) {
            used[i] = true;
            return;
        }
    }
    print_error("unexplained: %s\n", text);
    unexplained++;
}

/* ---- Comparing one event ---- */

/* Code as libpfm4 keeps it: event select, and the CCCR's ESCR select above it. */
#define PFM_SELECT(code)      ((unsigned)(code)&0xFF)
#define PFM_CCCR_SELECT(code) ((unsigned)(code) >> 8)

#define MEMBERS 600 /* of a text of all members, such as " NBOGUS=0  BOGUS=1 " */

static void members_here(const struct pmc_event *event, char *text)
{
    *text = '\0';
    for (unsigned bit = 0; bit < 16; bit++) {
        const char *name = PMC_EVENT_MEMBER[event - PMC_EVENT][bit];
        if (name)
            text += sprintf(text, " %s=%u ", name, bit);
    }
}

static void members_there(const pfm_event_info_t *event, char *text)
{
    *text = '\0';
    for (int i = 0; i < event->nattrs; i++) {
        pfm_event_attr_info_t attr = {.size = sizeof attr};
        assert_int_equal(pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &attr), PFM_SUCCESS);
        /* From bit 16 on it is the ESCR's tag value field, ESCR[8:5], offered as if it were event mask bits.
         */
        if (attr.type == PFM_ATTR_UMASK && attr.code < 16)
            text += sprintf(text, " %s=%u ", attr.name, (unsigned)attr.code);
    }
}

/* What a has and b has not, in one line. */
static void compare_members(const char *event, const char *where, const char *a, const char *b)
{
    char text[256], rest[MEMBERS], member[64];
    const int head = snprintf(text, sizeof text, "%s: only %s", event, where);
    int length = head;
    strcpy(rest, a);
    for (char *name = strtok(rest, " "); name != NULL; name = strtok(NULL, " ")) {
        snprintf(member, sizeof member, " %s ", name);
        if (strstr(b, member) == NULL)
            length += snprintf(text + length, sizeof text - (size_t)length, " %s", name);
        assert_in_range(length, 0, sizeof text - 1);
    }
    if (length > head)
        difference(text);
}

static void compare_number(const char *event, const char *what, unsigned there, unsigned here)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %s %u there, %u here", event, what, there, here);
    if (there != here)
        difference(text);
}

static void compare(const pfm_event_info_t *there, const struct pmc_event *here)
{
    char ours[MEMBERS], theirs[MEMBERS];
    compare_number(here->name, "select", PFM_SELECT(there->code), here->select);
    compare_number(here->name, "CCCR select", PFM_CCCR_SELECT(there->code), here->cccr_select);
    members_here(here, ours);
    members_there(there, theirs);
    compare_members(here->name, "there", theirs, ours);
    compare_members(here->name, "here", ours, theirs);
}

/* ---- Comparing a PMU ---- */

static const char *our_spelling(const char *there)
{
    for (size_t i = 0; i < COUNT_OF(RESPELT); i++)
        if (strcmp(RESPELT[i].there, there) == 0)
            return RESPELT[i].here;
    return there;
}

static const struct pmc_event *event_here(const char *name, uint16_t models)
{
    for (unsigned i = 0; i < PMC_EVENTS; i++)
        if (PMC_EVENT[i].models & models && strcmp(PMC_EVENT[i].name, name) == 0)
            return &PMC_EVENT[i];
    return NULL;
}

static void compare_pmu(pfm_pmu_t number, uint16_t models)
{
    char text[128];
    bool seen[PMC_EVENTS] = {false};
    pfm_pmu_info_t pmu = {.size = sizeof pmu};
    assert_int_equal(pfm_get_pmu_info(number, &pmu), PFM_SUCCESS);
    assert_true(pmu.nevents > 40);

    memset(used, 0, sizeof used);
    unexplained = 0;
    for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i)) {
        pfm_event_info_t there = {.size = sizeof there};
        assert_int_equal(pfm_get_event_info(i, PFM_OS_NONE, &there), PFM_SUCCESS);
        const char *name = our_spelling(there.name);
        const struct pmc_event *here = event_here(name, models);
        if (here == NULL || name != there.name) {
            snprintf(text, sizeof text, "%s: only there", there.name);
            difference(text);
        }
        if (here == NULL)
            continue;
        compare(&there, here);
        seen[here - PMC_EVENT] = name == there.name;
    }
    for (unsigned i = 0; i < PMC_EVENTS; i++) {
        if (PMC_EVENT[i].models & models && !seen[i]) {
            snprintf(text, sizeof text, "%s: only here", PMC_EVENT[i].name);
            difference(text);
        }
    }
    for (size_t i = 0; i < COUNT_OF(EXPLAINED); i++) {
        if (!used[i]) {
            print_error("stale explanation: %s (%s)\n", EXPLAINED[i].difference, EXPLAINED[i].reason);
            unexplained++;
        }
    }
    assert_int_equal(unexplained, 0);
}

BEFORE_EACH(start_libpfm)
{
    assert_int_equal(pfm_initialize(), PFM_SUCCESS);
}

TEST(models_0_to_2)
{
    compare_pmu(PFM_PMU_INTEL_NETBURST, 1u << 0 | 1u << 1 | 1u << 2);
}

TEST(models_3_4_6)
{
    compare_pmu(PFM_PMU_INTEL_NETBURST_P, 1u << 3 | 1u << 4 | 1u << 6);
}
