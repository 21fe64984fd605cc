/*
 * The registers are one set for both logical processors of a core (18.16, 18.15.5.4, Table 35-41; R5, R57,
 * R60).
 *
 * At rest either logical processor must read in every counter, CCCR and ESCR what either of them wrote last:
 * a stale or a second copy shows as an older value. Values differ from register to register, so that one that
 * is read in place of another shows, too.
 *
 * At work all 18 counters count events of this processor, but the sibling enables, reads, presets,
 * acknowledges and stops them, and each of these accesses must have the same effect as our own. Values are
 * compared while no ESCR has an event, because an access may add to a counter that selects one (E1); reads
 * while the counters move must lie between our own reads before and after.
 */
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/companion.h"
#include "tests/suite/documented.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/measure.h"
#include "tests/suite/stimulus.h"

/* ---- At rest ---- */

struct registers {
    unsigned count, step;
    struct {
        uint32_t msr;
        const char *name;
        uint64_t bits, seen;
    } at[PMC_ESCRS];
};

static void add_register(struct registers *r, uint32_t msr, const char *name, uint64_t bits)
{
    bits &= pmc_judged_bits(&machine_cpu, msr);
    if (bits == 0 || !pmc_has_register(&machine_cpu, msr))
        return;
    r->at[r->count].msr = msr;
    r->at[r->count].name = name;
    r->at[r->count++].bits = bits;
}

/* A value of its own for each register and step. */
static uint64_t value_of(const struct registers *r, unsigned index)
{
    uint64_t mixed = (r->at[index].msr * 4u + r->step) * 0x9E3779B97F4A7C15ull;

    return (mixed >> 7 ^ mixed << 29) & r->at[index].bits;
}

static void write_all(void *registers)
{
    const struct registers *r = registers;

    for (unsigned i = 0; i < r->count; i++)
        msr_write(r->at[i].msr, value_of(r, i));
}

static void read_all(void *registers)
{
    struct registers *r = registers;

    for (unsigned i = 0; i < r->count; i++)
        r->at[i].seen = msr_read(r->at[i].msr);
}

static void let(bool sibling, void (*fn)(void *), void *arg)
{
    if (sibling)
        companion_do(fn, arg, false);
    else
        fn(arg);
}

/* Each logical processor reads twice what the other one wrote, and then what it wrote itself after that. */
static void share(struct registers *r)
{
    static const struct {
        bool by_sibling, read_by[2]; /* by this logical processor, by the sibling */
    } STEPS[] = {{false, {false, true}},
                 {false, {false, true}},
                 {true, {true, true}},
                 {true, {true, false}},
                 {false, {true, false}}};

    pmc_clear(&machine_cpu);
    for (r->step = 0; r->step < COUNT_OF(STEPS); r->step++) {
        const bool writer = STEPS[r->step].by_sibling;

        let(writer, write_all, r);
        for (unsigned reader = 0; reader < 2; reader++) {
            if (!STEPS[r->step].read_by[reader])
                continue;
            let(reader, read_all, r);
            for (unsigned i = 0; i < r->count; i++)
                expect_register(RULES(R5, R3, R4), value_of(r, i), r->at[i].seen & r->at[i].bits,
                                "%s as LP%u reads it after %s wrote it", r->at[i].name, smp_self() ^ reader,
                                reader == writer ? "it" : "the other");
        }
    }
}

static void at_rest(void)
{
    struct registers counters = {0}, cccrs = {0}, escrs = {0};

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        add_register(&counters, MSR_COUNTER(n), PMC_COUNTER[n].counter_name, COUNTER_MASK);
        add_register(&cccrs, MSR_CCCR(n), PMC_COUNTER[n].cccr_name, cccr_documented(n));
    }
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        if (machine_cpu.model <= PMC_ESCR[i].last_model)
            add_register(&escrs, PMC_ESCR[i].msr, PMC_ESCR[i].name, escr_documented(&PMC_ESCR[i]));
    share(&counters);
    share(&cccrs);
    share(&escrs);
}

/* ---- At work ---- */

static struct measurement all;

/* Write the CCCR of each counter of a set as programmed, with these flags set as well. */
struct written {
    uint32_t counters, flags;
};

static void write_cccrs(void *arg)
{
    const struct written *written = arg;

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (written->counters >> n & 1)
            msr_write(MSR_CCCR(n), all.of[n].p.cccr | written->flags);
}

#define EVEN 0x15555u

static void sibling_writes_cccrs(uint32_t counters, uint32_t flags)
{
    companion_do(write_cccrs, &(struct written){counters, flags}, false);
}

static void read_cccrs(void *values)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        ((uint64_t *)values)[n] = msr_read(MSR_CCCR(n));
}

/* Expect both to read each CCCR as programmed, with these flags set on even and on odd counters. */
static void expect_cccrs(uint32_t even, uint32_t odd, const char *when)
{
    uint64_t read[2][PMC_COUNTERS];

    companion_do(read_cccrs, read[1], false);
    read_cccrs(read[0]);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned reader = 0; reader < 2 && !all.of[n].dead; reader++) {
            const uint64_t judged = pmc_judged_bits(&machine_cpu, MSR_CCCR(n)),
                           expected = (all.of[n].p.cccr | (n % 2 ? odd : even)) & judged;

            expect_register(RULES(R5, R29), expected, read[reader][n] & judged, "%s %s, LP%u",
                            PMC_COUNTER[n].cccr_name, when, smp_self() ^ reader);
        }
}

/* What a counter reads by each way of reading; all 1s where RDPMC faulted. */
enum { BY_RDMSR, BY_RDPMC, BY_FAST_RDPMC, WAYS };
static const char *const WAY_NAME[WAYS] = {"RDMSR", "RDPMC", "fast RDPMC"};
typedef uint64_t readings[PMC_COUNTERS][WAYS];

static void read_counters(void *values)
{
    uint64_t(*read)[WAYS] = values;

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        read[n][BY_RDMSR] = pmc_read(n);
        read[n][BY_RDPMC] = read[n][BY_FAST_RDPMC] = UINT64_MAX;
        rdpmc_try(n, &read[n][BY_RDPMC]);
        rdpmc_try(n | RDPMC_FAST, &read[n][BY_FAST_RDPMC]);
    }
}

/* The sibling reads what we read, by each way of reading. */
static void expect_counters_equal(const char *when)
{
    readings read;

    companion_do(read_counters, read, false);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        for (unsigned way = 0; way < WAYS; way++) {
            const uint64_t own = pmc_read(n);

            expect_register(way == BY_RDMSR ? RULES(R5, R57) : RULES(R5, R60),
                            way == BY_FAST_RDPMC ? FIELD_GET(31, 0, own) : own, read[n][way],
                            "%s %s by %s of LP%u", PMC_COUNTER[n].counter_name, when, WAY_NAME[way],
                            smp_self() ^ 1);
        }
}

/* How far a counter has come since its preset when it has this value. */
static uint64_t progress_of(unsigned n, uint64_t value)
{
    return (value - all.of[n].preset) & COUNTER_MASK;
}

/* Expect what the sibling reads of moving counters to lie between our own readings before and after. */
static void read_moving(void)
{
    uint64_t before[PMC_COUNTERS];
    readings read;

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        before[n] = pmc_read(n);
    companion_do(read_counters, read, false);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const uint64_t least = progress_of(n, before[n]), most = progress_of(n, pmc_read(n)) + ACCESSES_ADD;

        for (unsigned way = 0; way < BY_FAST_RDPMC; way++)
            expect_between(RULES(R5, R57, R27), least, most, progress_of(n, read[n][way]),
                           "counts of counter %u, running, by %s of LP%u, between our own readings", n,
                           WAY_NAME[way], smp_self() ^ 1);
    }
}

static void enabled_by_sibling(void)
{
    uint64_t before[PMC_COUNTERS];

    sibling_writes_cccrs(ALL_COUNTERS, CCCR_ENABLE);
    expect_cccrs(CCCR_ENABLE, CCCR_ENABLE, "enabled by the sibling");
    expect_counters_equal("at its preset");
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        before[n] = pmc_read(n);
    measure_all(&all, ALL_FEW, read_moving);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (!all.of[n].dead)
            expect_true(RULES(R5, R27),
                        progress_of(n, pmc_read(n)) - progress_of(n, before[n]) >=
                            stimulus_least(stimulus_a(n), ALL_FEW),
                        "counter %u counts after LP%u enabled it", n, smp_self() ^ 1);
    expect_counters_equal("after some counts");
}

static void acknowledged_by_sibling(void)
{
    const uint32_t set = CCCR_ENABLE | CCCR_OVF;

    measure_all(&all, ALL_ENOUGH, NULL);
    expect_cccrs(set, set, "after its overflow");
    sibling_writes_cccrs(EVEN, CCCR_ENABLE);
    expect_cccrs(CCCR_ENABLE, set, "after the sibling acknowledged the even ones");
    write_cccrs(&(struct written){ALL_COUNTERS & ~EVEN, CCCR_ENABLE});
    expect_cccrs(CCCR_ENABLE, CCCR_ENABLE, "after both acknowledged");
}

static void write_presets(void *unused)
{
    (void)unused;
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        msr_write(MSR_COUNTER(n), all.of[n].preset);
}

static void preset_by_sibling(void)
{
    const uint32_t set = CCCR_ENABLE | CCCR_OVF;

    companion_do(write_presets, NULL, false);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        expect_register(RULES(R5, R4), all.of[n].preset, pmc_read(n), "%s, preset by LP%u while enabled",
                        PMC_COUNTER[n].counter_name, smp_self() ^ 1);
    measure_all(&all, ALL_ENOUGH, NULL);
    expect_cccrs(set, set, "after its overflow from the sibling's preset");
}

static void stopped_by_sibling(void)
{
    uint64_t before[PMC_COUNTERS];

    sibling_writes_cccrs(ALL_COUNTERS, 0);
    expect_cccrs(0, 0, "stopped by the sibling");
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        before[n] = pmc_read(n);
    measure_all(&all, ALL_FEW, NULL);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        expect_register(RULES(R5, R38), before[n], pmc_read(n), "%s, stopped by LP%u",
                        PMC_COUNTER[n].counter_name, smp_self() ^ 1);
}

static void at_work(void)
{
    measure_add_all(&all);
    measure_arm(&all, 0);
    enabled_by_sibling();
    acknowledged_by_sibling();
    preset_by_sibling();
    stopped_by_sibling();
}

static const struct vector shared_rows[] = {
    CHECK("access.sibling.rest", "all registers: each logical processor reads what either of them wrote",
          .needs = NEED_SIBLING, .run = at_rest),
    CHECK("access.sibling.work", "all counters: the sibling enables, reads, acknowledges, presets and stops",
          .needs = NEED_SIBLING | NEED_SSE2, .deadline_ms = 2000, .run = at_work),
};
VECTOR_GROUP(shared);
