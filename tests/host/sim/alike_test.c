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
    {"init-clears-escrs", "init.clears-escrs"},
    {"hlt-clears-escrs", "hlt.clears-escrs"},
    {"edge-at-cpl", "cpl-change.restarts-edge"},
    {"counter-alias-3-4", "counter-write.also-next@counter=3"},
    {"escr-alias-CRU_ESCR0", "escr-write.also-neighbour@escr=CRU_ESCR0"},
    {"escr-clears-ovf-CRU_ESCR1", "escr-write.clears-ovf@escr=CRU_ESCR1"},
    {"counter-sign-extended", "counter-write.sign-extended"},
    {"lp1-preset-lost-4", "counter-write.not-written@counter=4@lp=1,while=runs"},
    {"escr-feeds-one", "value.zero,while=escr-taken"},
    {"filter-of-pair-3", "field.neighbour@field=filter@counter=3,while=twin-enabled"},
    {"mask-first-member", "event-mask.lowest"},
    {"mask-shifted", "event-mask.shifted"},
    {"mask-0-counts-all", "event-mask.all,while=no-mask"},
    {"full-mask-dead-FIRM_ESCR1", "event-mask.none@escr=FIRM_ESCR1,while=full-mask"},
    {"full-mask-first-CRU_ESCR2", "event-mask.lowest@escr=CRU_ESCR2,while=full-mask"},
    {"member-dead-branch_retired-3", "event-mask.without-bit@bit=3@event=branch_retired"},
    {"member-always-branch_retired-3", "event-mask.with-bit@bit=3@event=branch_retired"},
    {"event-dead-branch_retired", "event-mask.none@event=branch_retired"},
    {"mask-all-members", "match.needs-all"},
    {"value-one-line", "value.at-most-1"},
    {"value-clipped-at-3", "value.at-most-3"},
    {"value-wraps", "value.wraps"},
    {"os-usr-swapped", "qualify.by-other-cpl"},
    {"cpl-ignored", "qualify.by-either-cpl"},
    {"t0-t1-swapped", "qualify.by-other-lp"},
    {"ts-as-ti", "qualify.by-either-lp"},
    {"cpl-1-2-as-0", "qualify.by-other-cpl@cpl=middle"},
    {"usr-as-os-CRU_ESCR0", "qualify.by-other-cpl@cpl=usr@escr=CRU_ESCR0"},
    {"escr-held-event-cru01-0", "event-select.kept@escr=CRU_ESCR0"},
    {"escr-held-mask-tbpu-0", "event-mask.kept@escr=TBPU_ESCR0"},
    {"escr-held-flags-cru01-0", "qualify.kept@escr=CRU_ESCR0"},
    {"tag-lowest-bit", "tag.lowest"},
    {"tag-highest-bit", "tag.highest"},
    {"route-dead-CRU_ESCR0", "route.none@escr=CRU_ESCR0"},
    {"route-missing-17-CRU_ESCR1", "route.none@counter=17@escr=CRU_ESCR1"},
    {"gate-before-complement", "gate.gives-0"},
    {"complement-needs-mask", "complement.never,while=no-mask"},
    {"complement-obeys-cpl", "complement.never,while=no-flags"},
    {"complement-needs-os", "complement.never,while=no-os"},
    {"complement-without-compare", "field.bit-1@field=compare,while=complement"},
    {"threshold-without-compare", "field.bit-1@field=compare,while=threshold"},
    {"edge-without-compare", "field.bit-1@field=compare,while=edge"},
    {"threshold-reached", "threshold.reached,while=not-complement"},
    {"threshold-reached-from-1-4", "threshold.minus-1@counter=4,while=not-complement"},
    {"complement-below", "threshold.reached,while=complement"},
    {"complement-passes-from-4", "complement.always,while=from-4"},
    {"threshold-passes-value", "increment.passes-value,while=compare,while=not-edge"},
    {"threshold-passes-value-here-4", "increment.passes-value@counter=4,while=compare,while=not-edge"},
    {"edge-passes-value", "increment.passes-value,while=compare,while=edge"},
    {"edge-ignores-threshold", "field.zero@field=threshold,while=edge"},
    {"edge-ignores-complement", "field.zero@field=complement,while=edge"},
    {"edge-rearms-at-0", "edge.rearms-at-0"},
    {"edge-needs-threshold", "edge.never,while=not-threshold"},
    {"counts-one", "increment.at-most-1"},
    {"counts-one-here-4", "increment.at-most-1@counter=4"},
    {"carry-twice-24", "carry.twice@bit=24"},
    {"carry-sticks-5-bit-27", "carry.sticks@bit=27@counter=5"},
    {"wraps-7-bit-15", "carry.wraps@bit=15@counter=7"},
    {"wraps-at-32", "carry.wraps@bit=32"},
    {"ovf-at-carry-16", "carry.overflows@bit=16"},
    {"ovf-at-carry-7-bit-15", "carry.overflows@bit=15@counter=7"},
    {"step-over-missed", "carry-out.onto-0"},
    {"step-over-missed-here-4", "carry-out.onto-0@counter=4"},
    {"ovf-not-compared", "carry-out.never,while=compare"},
    {"ovf-also-on-4-5", "ovf.also-next@counter=4"},
    {"force-positive-only", "field.zero@field=force-ovf,while=negative"},
    {"force-dead-compared-4", "field.zero@field=force-ovf@counter=4,while=compare"},
    {"force-dead-complement", "field.zero@field=force-ovf,while=complement"},
    {"force-dead-edge", "field.zero@field=force-ovf,while=edge"},
    {"force-dead-several-5", "field.zero@field=force-ovf@counter=5,while=several"},
    {"cascade-pmi-lost", "pmi-targets.none,while=armed"},
    {"cascade-stops-x", "ovf.clears-enable,while=awaited"},
    {"cascade-without-flag", "link.unarmed@link=cascade"},
    {"cascade-needs-enable", "link.never@link=cascade,while=not-enabled"},
    {"cascnt-needs-enable", "link.never@link=bit-11,while=not-enabled"},
    {"cascade-outlives-flag", "link.kept-by-ovf@link=cascade"},
    {"cascnt-outlives-flag", "link.kept-by-ovf@link=bit-11"},
    {"halts-not", "link.kept-by-either"},
    {"halts-not-14", "link.kept-by-either@counter=14"},
    {"cascade-flag-beside-ovf", "link.kept-by-ovf@link=cascade,while=ovf"},
    {"cascade-ovf-beside-enable", "link.kept@link=cascade,while=x-enabled"},
    {"cascade-foreign-4-0", "link-source.also-by-4@counter=0@link=cascade"},
    {"cascade-foreign-13-17", "link-source.also-by-13@counter=17@link=cascade"},
    {"cascnt-foreign-14-16", "link-source.also-by-14@counter=16@link=bit-11"},
    {"cascnt-swapped-17-12", "link-source.neighbour@link=bit-11@counter=12"},
    {"cascnt-reserved-16-14", "link-source.also-by-16@counter=14@link=bit-11"},
    {"cascade-one-a-block", "link.never@link=cascade,while=block-started"},
    {"chain-of-1", "link.never,while=x-started"},
    {"cascade-ends-at-ovf", "link.never,while=ovf"},
    {"halt-needs-clear-4-threshold", "enable.kept@counter=4,while=threshold"},
    {"held-pmi-5", "field.kept@field=pmi@counter=5"},
    {"held-active-5", "field.kept@field=active@counter=5"},
    {"pmi-lost-above-cpl-0-4", "request.never@counter=4,while=above-cpl-0"},
    {"pmi-only-forced", "request.never,while=not-force-ovf"},
    {"pmi-outlives-ovf", "pmi-again.kept"},
    {"due-later-12-rdpmc", "counter-read.delays-request@counter=12@access=rdpmc-full"},
    {"due-later-5-cccr-write", "cccr-write.delays-request@counter=5"},
    {"reading-wrong-12", "counter-read.bit-inverted@bit=20@counter=12"},
    {"readings-wrong", "counter-read.bit-inverted@bit=20"},
    {"rdpmc-costs-other-0-1", "counter-read.costs-count@counter=0@on=neighbour@access=rdpmc"},
    {"rdpmc-full-is-fast", "counter-read.bit-0@field=high@access=rdpmc-full"},
    {"rdpmc-fast-is-full", "counter-read.wide@access=rdpmc-fast"},
    {"rdpmc-user-fast-is-full", "counter-read.wide@access=rdpmc-fast@cpl=usr"},
    {"lp1-rdpmc-fast-is-full", "counter-read.wide@access=rdpmc-fast@lp=1"},
    {"rdpmc-never-at-cpl3", "refusal.always@access=rdpmc@cpl=usr"},
    {"rdpmc-user-fast-faults", "refusal.always@access=rdpmc-fast@cpl=usr"},
    {"rdpmc-cpl-1-2-as-0", "refusal.never@access=rdpmc@cpl=middle"},
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
    {"lvtpc-shares-vector-of-lp1", "lvtpc-write.also-other-lp@field=vector@lp=1"},
    {"lvtpc-bit-0-at-1", "lvtpc-write.bit-1@bit=0"},
    {"lvtpc-bit-6-at-0", "lvtpc-write.not-kept@bit=6"},
    {"lvtpc-bit-10-at-1", "lvtpc-write.bit-1@bit=10"},
    {"lvtpc-vector-3-at-1", "lvtpc.bit-1@bit=3"},
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
