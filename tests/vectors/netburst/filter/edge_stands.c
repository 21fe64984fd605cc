/*
 * Filtering: a level that does not change has no edge (18.15.5.2; R16, R23).
 *
 * EDGE counts where the result of the comparison becomes true. With COMPLEMENT and threshold 15 the result is
 * true in every clock, whatever the event and whoever runs. With threshold 0 and global_power_events of this
 * logical processor it is true as long as this processor does not halt. So a counter has at most one edge,
 * where it starts (R25). Accesses to its registers, a change of CPL, HLT and INIT of the other logical
 * processor add none: each of these happens several times while all 18 counters run, so that one edge each
 * time is too many. The counters are read when they have stopped.
 *
 * RDMSR and RDPMC of a counter may add to it without an edge (E1). What they add to a counter that is off,
 * while its twin powers its ESCR, is measured first and allowed.
 */
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/companion.h"
#include "tests/suite/stimulus.h"

#define TIMES 2  /* an incident that adds an edge adds more than the one that is open (R25) */
#define SOME  50 /* laps of a loop */

static struct {
    struct pmc_programming p[PMC_COUNTERS];
    bool used[PMC_COUNTERS];
} standing;

static void nothing(void *unused)
{
    (void)unused;
}

static void read_counters(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t value;

        pmc_read(n);
        rdpmc_try(n, &value);
    }
}

static void read_others(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        msr_read(MSR_CCCR(n));
        msr_read(standing.p[n].escr_msr);
    }
}

static void write_unchanged(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (standing.used[n]) {
            msr_write(MSR_CCCR(n), pmc_cccr_enabled(&standing.p[n]));
            msr_write(standing.p[n].escr_msr, standing.p[n].escr);
        }
}

static void change_level(void)
{
    for (unsigned level = 1; level <= 3; level++)
        ring_run(level, nothing, NULL);
}

static void sibling_wakes(void)
{
    companion_spin();
    companion_end();
}

static void init_sibling(void)
{
    require_true(HARNESS, smp_restart(), "the sibling comes back after INIT and SIPI");
}

static const struct incident {
    const char *name;
    void (*happen)(void);
    bool sibling, reads;
    uint32_t rules;
} INCIDENTS[] = {
    {"nothing happens", NULL, false, false, RULES(R23, R16)},
    {"CCCRs and ESCRs are read", read_others, false, false, RULES(R23, R16)},
    {"CCCRs and ESCRs are written unchanged", write_unchanged, false, false, RULES(R23, R16)},
    {"work is done at CPL 1 to 3", change_level, false, false, RULES(R23, R16)},
    {"the counters are read", read_counters, false, true, RULES(R57, R23)},
    {"the sibling wakes and halts", sibling_wakes, true, false, RULES(R23, R16)},
    {"the sibling gets INIT", init_sibling, true, false, RULES(R1, R23)},
};

static void arm(bool by_value)
{
    pmc_clear(&machine_cpu);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        struct pmc_programming *p = &standing.p[n];
        const bool powered = by_value && PMC_COUNTER[n].block == BLOCK_BPU;

        *p = stimulus_program(stimulus_a(n), n);
        p->cccr |= (powered ? above(0) : at_or_below(15)) | CCCR_EDGE;
        standing.used[n] = !counter_is_dead(n);
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        msr_write(standing.p[n].escr_msr, standing.p[n].escr);
}

static void stop(uint64_t counts[PMC_COUNTERS])
{
    pmc_stop_all();
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        msr_write(standing.p[n].escr_msr, 0);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        counts[n] = pmc_read(n);
}

/* Measure what the readings alone add: to each counter while it is off and its twin is on. */
static void measure_readings(bool by_value, uint64_t added[PMC_COUNTERS])
{
    for (unsigned side = 0; side < 2; side++) {
        uint64_t counts[PMC_COUNTERS];

        arm(by_value);
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            if (n < 16 && n % 2 != side)
                pmc_start(&standing.p[n]);
            else
                msr_write(MSR_CCCR(n), standing.p[n].cccr & ~CCCR_EDGE);
        for (unsigned i = 0; i < TIMES; i++)
            read_counters();
        stop(counts);
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            if (n >= 16 || n % 2 == side)
                added[n] = counts[n];
    }
}

static void stand(const struct incident *incident, bool by_value)
{
    uint64_t counts[PMC_COUNTERS], added[PMC_COUNTERS] = {0};

    if (incident->reads)
        measure_readings(by_value, added);
    arm(by_value);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (standing.used[n])
            pmc_start(&standing.p[n]);
    for (unsigned i = 0; i < TIMES; i++) {
        work_exercise(&work_loop, SOME);
        if (incident->happen)
            incident->happen();
    }
    stop(counts);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (standing.used[n])
            expect_between(incident->rules, 0, 1 + added[n], counts[n],
                           "edges of counter %u, whose level stands, while %s; the first is open (R25)", n,
                           incident->name);
}

static void stands(void)
{
    for (unsigned i = 0; i < COUNT_OF(INCIDENTS); i++)
        if (!INCIDENTS[i].sibling || (machine_meets() & NEED_SIBLING))
            for (unsigned by_value = 0; by_value <= 1; by_value++)
                stand(&INCIDENTS[i], by_value);
}

static const struct vector edge_stands_rows[] = {
    CHECK("filter.edge.stands", "a level that stands has no edge, whatever happens meanwhile",
          .needs = NEED_SSE2, .deadline_ms = 5000, .run = stands),
};
VECTOR_GROUP(edge_stands);
