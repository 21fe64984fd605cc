/*
 * Registers keep what they hold, whatever features are in use (18.15.2, 18.15.5.4, 18.15.5.5; R4, R29, R32,
 * R57).
 *
 * A write of a counter touches neither its CCCR nor OVF, a read of either changes nothing, a CCCR write is a
 * plain store that keeps OVF when it carries it and clears it when it does not, and leaves the counter alone.
 * A defect may show only beside a certain bit of the CCCR or flag of the ESCR, a certain sign of the count,
 * or OVF of another counter. So each counter goes through all of this with each feature in turn, while OVF of
 * every counter is set and every other counter is armed by CASCADE, and so mostly started.
 *
 * OVF is set by the hardware: each counter counts all clocks (R16) until it overflows. After that its ESCR
 * has no event and nothing can count. COMPARE and COMPLEMENT are not set together: an access might then add,
 * event or not (E1, question 11.1).
 */
#include "pmc/msr.h"
#include "tests/suite/measure.h"
#include "tests/suite/documented.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/stimulus.h"

#define SOON     100   /* clocks to the overflow */
#define PATIENCE 10000 /* readings of the CCCR until OVF is set: many more than it takes */

/* A feature: bits of the CCCR, or flags of the ESCR. */
static const struct feature {
    const char *name;
    uint32_t cccr, escr;
} FEATURES[] = {
    {"no feature", 0, 0},
    {"COMPARE, a threshold and EDGE", CCCR_COMPARE | CCCR_THRESHOLD(5) | CCCR_EDGE, 0},
    {"COMPLEMENT, a threshold and EDGE", CCCR_COMPLEMENT | CCCR_THRESHOLD(5) | CCCR_EDGE, 0},
    {"FORCE_OVF", CCCR_FORCE_OVF, 0},
    {"OVF_PMI_T0", CCCR_OVF_PMI_T0, 0},
    {"OVF_PMI_T1", CCCR_OVF_PMI_T1, 0},
    {"CASCADE", CCCR_CASCADE, 0},
    {"bit 11", CCCR_CASCNT, 0},
    {"ENABLE", CCCR_ENABLE, 0},
    {"OS alone", 0, ESCR_T0_OS},
    {"USR alone", 0, ESCR_T0_USR},
    {"flags of LP1", 0, ESCR_T1_ALL},
    {"ACTIVE_THREAD", CCCR_ACTIVE_THREAD(ACTIVE_SINGLE), 0},
};

static const uint64_t VALUES[] = {COUNTER_OVERFLOW_IN(0x1234567890ull), 0x2345678901ull};

static struct pmc_programming program[PMC_COUNTERS];
static bool is_used[PMC_COUNTERS];

/* The CCCR of counter n at rest: OVF set, armed by CASCADE. */
static uint64_t at_rest(unsigned n)
{
    return program[n].cccr | machine_ovf(n) | CCCR_CASCADE;
}

/* Let counter n count all clocks until it overflows, then take the event from its ESCR. */
static void overflow(unsigned n)
{
    struct pmc_programming p = program[n];

    p.cccr |= at_or_below(15);
    require_true(R4, pmc_arm(&p, COUNTER_OVERFLOW_IN(SOON)), "counter %u holds a preset", n);
    pmc_start(&p);
    for (unsigned i = 0; i < PATIENCE && !pmc_overflowed(n); i++)
        ;
    require_true(RULES(R28, R29, R16), pmc_overflowed(n), "counter %u overflows when it counts all clocks",
                 n);
    msr_write(MSR_CCCR(n), at_rest(n));
    msr_write(p.escr_msr, 0);
}

/* ENABLE is not judged: what it reads once a cascade has started the counter is open (10.1c). */
static void expect_cccr(uint32_t rules, uint64_t expected, unsigned n, const char *when,
                        const struct feature *with)
{
    const uint64_t judged = (pmc_judged_bits(&machine_cpu, MSR_CCCR(n)) | CCCR_OVF) & ~(uint64_t)CCCR_ENABLE;

    expect_register(rules, expected & judged, msr_read(MSR_CCCR(n)) & judged, "%s %s, with %s",
                    PMC_COUNTER[n].cccr_name, when, with->name);
}

static void expect_counter(uint32_t rules, uint64_t expected, unsigned n, const char *when,
                           const struct feature *with)
{
    expect_register(rules, expected, msr_read(MSR_COUNTER(n)), "%s %s, with %s", PMC_COUNTER[n].counter_name,
                    when, with->name);
}

static void hold(unsigned n, uint64_t cccr, uint64_t value, const struct feature *with)
{
    uint64_t read = 0;

    msr_write(MSR_COUNTER(n), value);
    expect_cccr(R4, cccr, n, "after a write of its counter", with);
    expect_counter(R4, value, n, "after a write", with);
    expect_equal(R60, NO_FAULT, rdpmc_try(n, &read), "exception of RDPMC(%u)", n);
    expect_register(RULES(R57, R60), value, read, "RDPMC(%u) after RDMSR, with %s", n, with->name);
    expect_counter(R57, value, n, "after RDPMC", with);
    msr_write(MSR_CCCR(n), cccr);
    expect_counter(R32, value, n, "after its CCCR was written as it was", with);
    expect_cccr(RULES(R32, R29), cccr, n, "written as it was", with);
}

static void use_feature(unsigned n, const struct feature *with)
{
    const uint64_t gate = CCCR_ACTIVE_THREAD(ACTIVE_ANY);
    uint64_t cccr = (at_rest(n) & ~(uint64_t)CCCR_CASCADE) | with->cccr;

    if (with->cccr & gate)
        cccr = (cccr & ~gate) | with->cccr;
    msr_write(program[n].escr_msr, with->escr);
    msr_write(MSR_CCCR(n), cccr);
    expect_cccr(RULES(R32, R3), cccr, n, "written with OVF, which was set", with);
    expect_cccr(RULES(R57, R29), cccr, n, "read again", with);
    for (unsigned i = 0; i < COUNT_OF(VALUES); i++)
        hold(n, cccr, VALUES[i], with);
    msr_write(MSR_CCCR(n), cccr & ~(uint64_t)CCCR_OVF);
    expect_cccr(R32, cccr & ~(uint64_t)CCCR_OVF, n, "written without OVF", with);
    expect_counter(R32, VALUES[COUNT_OF(VALUES) - 1], n, "after OVF was cleared", with);
    msr_write(program[n].escr_msr, 0);
}

/* Has this processor the feature on counter n? */
static bool applies(unsigned n, const struct feature *feature)
{
    if (feature->escr & ESCR_T1_ALL || feature->cccr & CCCR_ACTIVE_THREAD(ACTIVE_ANY))
        return machine_cpu.ht;
    return (feature->cccr & ~(cccr_documented(n) | CCCR_ENABLE)) == 0;
}

static void access_features(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct stimulus *event = &STIMULUS[stimulus_a(n)];
        is_used[n] = !counter_is_dead(n) && pmc_has_register(&machine_cpu, MSR_CCCR(n)) &&
                     pmc_has_register(&machine_cpu, MSR_COUNTER(n)) &&
                     pmc_program(&program[n], event->event, event->mask, escr_self_all(), n);
        if (is_used[n])
            overflow(n);
    }
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned i = 0; is_used[n] && i < COUNT_OF(FEATURES); i++)
            if (applies(n, &FEATURES[i])) {
                use_feature(n, &FEATURES[i]);
                overflow(n);
            }
}

static const struct vector access_features_rows[] = {
    CHECK("access.features", "counters and CCCRs keep what they hold, whatever features are in use",
          .run = access_features),
};
VECTOR_GROUP(access_features);
