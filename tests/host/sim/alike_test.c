/*
 * Faults with a name that a composition replaces: on drawn register programs both have the same effect on all
 * that software can read. One member of each family.
 */
#include "sim/faults/nbpmu_fault.h"
#include "sim/inject/inject.h"
#include "tests/host/support/model_kit.h"

/* Programs for each pair: a fault that deviates shows within some ten of them. Some act in one of hundreds.
 */
#define PROGRAMS 100u
#define MORE     1000u

static const struct {
    const char *name, *composition;
} PAIRS[] = {
    {"init-clears-counters", "init.clears-counter"},
    {"init-clears-cccrs", "init.clears-cccr"},
    {"init-clears-ovf", "init.clears-ovf"},
    {"init-clears-enable", "init.clears-enable"},
    {"init-clears-cascade", "init.clears-cascade"},
    {"init-clears-bit-11", "init.clears-bit-11"},
    {"init-clears-requests", "init.clears-request"},
    {"hlt-clears-counters", "hlt.clears-counter"},
    {"hlt-clears-cccrs", "hlt.clears-cccr"},
    {"hlt-clears-ovf", "hlt.clears-ovf"},
    {"hlt-clears-enable", "hlt.clears-enable"},
    {"hlt-clears-cascade", "hlt.clears-cascade"},
    {"hlt-clears-bit-11", "hlt.clears-bit-11"},
    {"hlt-clears-requests", "hlt.clears-request"},
    {"edge-at-init", "init.restarts-edge"},
    {"edge-at-hlt", "hlt.restarts-edge"},
    {"edge-at-read-5", "counter-read.restarts-edge@counter=5@access=rdmsr"},
    {"escr-starts-counting", "enable.always"},
    {"cccr-bit-13-at-0", "cccr-write.not-kept@bit=13"},
    {"cccr-bit-13-at-1", "cccr-write.bit-1@bit=13"},
    {"escr-bit-12-at-0", "escr-write.not-kept@bit=12"},
    {"escr-bit-12-at-1", "escr-write.bit-1@bit=12"},
    {"counter-bit-20-at-0", "counter-write.not-kept@bit=20"},
    {"counter-bit-20-at-1", "counter-write.bit-1@bit=20"},
    {"counter-alias-4-5", "counter-write.also-neighbour@counter=4"},
    {"counter-loads-low", "counter-write.not-written@field=high"},
    {"counter-high-lost-12", "counter-write.not-written@field=high@counter=12"},
    {"counter-write-clears-ovf", "counter-write.clears-ovf"},
    {"counter-write-clears-cccr", "counter-write.clears-cccr"},
    {"counter-write-disables", "counter-write.clears-enable"},
    {"lp1-write-lost-300H", "counter-write.not-written@counter=0@lp=1"},
    {"lp1-ovf-stands-4", "cccr-write.not-cleared@field=ovf@counter=4@lp=1"},
    {"lp1-rdpmc-disables-4", "counter-read.clears-enable@counter=4@lp=1@access=rdpmc"},
    {"lp1-read-clears-ovf", "cccr-read.clears-ovf@lp=1"},
    {"lp1-rdpmc-off", "counter-read.neighbour@lp=1@access=rdpmc"},
    {"select-off", "event-select.neighbour"},
    {"select-bit-dead-1", "event-select.bit-0@bit=1"},
    {"mask-ignored", "event-mask.all"},
    {"mask-bit-dead-2", "event-mask.without-bit@bit=2"},
    {"unqualified-CRU_ESCR0", "qualify.always@escr=CRU_ESCR0"},
    {"t1-dead-CRU_ESCR0", "qualify.never@escr=CRU_ESCR0@lp=1"},
    {"flag-dead-CRU_ESCR0-t1-os", "qualify.never@escr=CRU_ESCR0@lp=1@cpl=os"},
    {"ti-unqualified", "clock-qualify.always"},
    {"tag-bit-dead-2", "tag.without-bit@bit=2"},
    {"tag-lp1-dead", "tag.none@lp=1"},
    {"route-off", "route.next"},
    {"route-twin-4", "route.neighbour@counter=4"},
    {"gate-sampled-4", "gate.kept@counter=4"},
    {"gate-ignored-4", "gate.always@counter=4"},
    {"active-thread-ignored", "gate.always"},
    {"complement-ignored", "field.zero@field=complement"},
    {"complement-dead-4", "field.zero@field=complement@counter=4"},
    {"compare-dead-4", "field.zero@field=compare@counter=4"},
    {"threshold-dead-4", "field.zero@field=threshold@counter=4"},
    {"threshold-ignored", "field.zero@field=threshold"},
    {"threshold-bit-dead-4-bit-1", "threshold.bit-0@bit=1@counter=4"},
    {"threshold-bit-stuck-4-bit-0", "threshold.bit-1@bit=0@counter=4"},
    {"edge-dead-4", "field.zero@field=edge@counter=4"},
    {"edge-ignored", "field.zero@field=edge"},
    {"edge-falling", "edge.inverted"},
    {"edge-both", "edge.always"},
    {"held-select-4", "field.kept@field=select@counter=4"},
    {"held-compare-4", "field.kept@field=compare@counter=4"},
    {"held-threshold-4", "field.kept@field=threshold@counter=4"},
    {"held-edge-4", "field.kept@field=edge@counter=4"},
    {"held-force-4", "field.kept@field=force-ovf@counter=4"},
    {"counter-dead-4", "increment.zero@counter=4"},
    {"counts-twice", "increment.twice"},
    {"increment-bit-dead-4-bit-1", "increment.bit-0@bit=1@counter=4"},
    {"carry-lost-4", "carry.never@bit=4"},
    {"carry-32-lost", "carry.never@bit=32"},
    {"carry-32-lost-4", "carry.never@bit=32@counter=4"},
    {"ovf-missing", "ovf.never"},
    {"ovf-missing-4", "ovf.never@counter=4"},
    {"ovf-early", "carry-out.early"},
    {"ovf-toggles-4", "ovf.inverted@counter=4"},
    {"overflow-stops", "ovf.clears-enable"},
    {"ovf-cleared-by-reading", "cccr-read.clears-ovf"},
    {"ovf-cannot-be-cleared", "cccr-write.not-cleared@field=ovf"},
    {"cccr-write-loses-ovf", "cccr-write.not-kept@field=ovf"},
    {"cccr-write-clears-counter", "cccr-write.clears-counter"},
    {"force-ignored", "field.zero@field=force-ovf"},
    {"force-dead-4", "field.zero@field=force-ovf@counter=4"},
    {"cascade-unconditional", "link.always@link=cascade"},
    {"cascnt-unconditional", "link.always@link=bit-11"},
    {"cascade-dead", "link-source.none@link=cascade"},
    {"cascnt-dead", "link-source.none@link=bit-11"},
    {"cascade-broken-12-14", "link-source.none@link=cascade@counter=14"},
    {"cascnt-broken-16-17", "link-source.none@link=bit-11@counter=17"},
    {"cascade-swapped-3-0", "link-source.neighbour@link=cascade@counter=0"},
    {"cascade-early", "link.early@link=cascade"},
    {"cascnt-early", "link.early@link=bit-11"},
    {"cascade-late", "link.late-128@link=cascade"},
    {"cascnt-late", "link.late-128@link=bit-11"},
    {"cascade-outlives-ovf", "link.kept@link=cascade"},
    {"cascnt-outlives-ovf", "link.kept@link=bit-11"},
    {"cascade-clears-y", "link.clears-counter"},
    {"start-costs-count", "link.costs-count"},
    {"enable-cannot-stop", "enable.kept"},
    {"one-halted-stops-all", "gate.never,while=lp-halted"},
    {"pmi-freezes", "request.clears-enable"},
    {"pmi-swapped", "pmi-targets.swapped"},
    {"pmi-to-both", "pmi-targets.all"},
    {"pmi-missing-4", "pmi-targets.none@counter=4"},
    {"pmi-unasked", "field.bit-1@field=pmi-t0"},
    {"pmi-t0-dead", "field.zero@field=pmi-t0"},
    {"pmi-t0-missing-4", "field.zero@field=pmi-t0@counter=4"},
    {"pmi-t1-dead", "field.zero@field=pmi-t1"},
    {"pmi-t1-missing-4", "field.zero@field=pmi-t1@counter=4"},
    {"pmi-at-overflow", "request.early"},
    {"pmi-not-again", "pmi-again.never"},
    {"force-without-pmi", "pmi-targets.none,while=force-ovf"},
    {"force-pmi-dead-4", "pmi-targets.none@counter=4,while=force-ovf"},
    {"rdmsr-clears", "counter-read.clears-counter@access=rdmsr"},
    {"rdpmc-counts", "counter-read.adds-count@access=rdpmc"},
    {"rdpmc-fast-clears", "counter-read.clears-counter@access=rdpmc-fast"},
    {"rdpmc-clears-ovf-4", "counter-read.clears-ovf@counter=4@access=rdpmc"},
    {"rdpmc-index-off", "counter-read.next@access=rdpmc"},
    {"rdpmc-user-off-4", "counter-read.neighbour@counter=4@cpl=usr@access=rdpmc"},
    {"rdpmc-user-clears-4", "counter-read.clears-counter@counter=4@cpl=usr@access=rdpmc"},
    {"rdpmc-user-clears-ovf-4", "counter-read.clears-ovf@counter=4@cpl=usr@access=rdpmc"},
    {"rdpmc-user-disables-4", "counter-read.clears-enable@counter=4@cpl=usr@access=rdpmc"},
    {"rdpmc-fast-faults", "refusal.always@access=rdpmc-fast"},
};

static const struct {
    const char *name, *composition;
} OF_LVTPC[] = {
    {"lvtpc-mask-ignored", "lvtpc.bit-0@field=lvt-mask"},
    {"lvtpc-nmi-as-fixed", "lvtpc.bit-0@field=delivery"},
    {"lvtpc-fixed-as-nmi", "lvtpc.bit-1@field=delivery"},
    {"lvtpc-not-self-masking", "lvtpc-masks.never"},
    {"lvtpc-survives-svr", "lvtpc-disable.never"},
    {"pmi-eoi-ignored", "lvtpc-eoi.never"},
    {"lvtpc-ignores-tpr", "lvtpc-tpr.always"},
    {"pmi-does-not-wake", "lvtpc-wake.never"},
    {"lvtpc-open-at-reset", "lvtpc-reset.never"},
};

static struct nbpmu_fault named(const char *name)
{
    struct nbpmu_fault fault;
    if (!nbpmu_fault_find(name, &fault))
        fail_msg("no fault %s", name);
    return fault;
}

static struct nbpmu_fault composed(const char *text)
{
    struct nbpmu_fault fault;
    char error[1000];
    if (!nbpmu_fault_compose(text, &fault, error, sizeof error))
        fail_msg("%s: %s", text, error);
    return fault;
}

TEST(compositions_do_what_the_named_faults_do)
{
    unsigned different = 0;
    for (size_t i = 0; i < COUNT_OF(PAIRS); i++) {
        const struct nbpmu_fault old = named(PAIRS[i].name), new = composed(PAIRS[i].composition);
        struct nbpmu_fault_trial trial;
        assert_true(nbpmu_fault_try(&KIT_F43.part, &new, &old, 1, PROGRAMS, &trial));
        if (!trial.acted)
            assert_true(nbpmu_fault_try(&KIT_F43.part, &new, &old, 2, MORE, &trial));
        different += trial.changed || !trial.acted;
        if (trial.changed || !trial.acted)
            print_error("%s and %s differ after %u programs; it acted in %u\n", PAIRS[i].name,
                        PAIRS[i].composition, trial.programs, trial.acted);
    }
    assert_int_equal(different, 0);
}

TEST(and_those_of_lvtpc)
{
    unsigned different = 0;
    for (size_t i = 0; i < COUNT_OF(OF_LVTPC); i++) {
        const struct nbpmu_fault old = named(OF_LVTPC[i].name), new = composed(OF_LVTPC[i].composition);
        struct nbpmu_fault_trial trial;
        assert_true(lapic_try(&KIT_F43.part, &new, &old, 1, PROGRAMS, &trial));
        different += trial.changed || !trial.acted;
        if (trial.changed || !trial.acted)
            print_error("%s and %s differ after %u programs; it acted in %u\n", OF_LVTPC[i].name,
                        OF_LVTPC[i].composition, trial.programs, trial.acted);
    }
    assert_int_equal(different, 0);
}
