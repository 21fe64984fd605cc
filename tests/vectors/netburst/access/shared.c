/*
 * The registers are one set for both logical processors of a core (18.16, 18.15.5.4, Table 35-41; R5, R57,
 * R60): either logical processor must read in every counter, CCCR and ESCR what either of them wrote last. A
 * stale or a second copy shows as an older value. Values differ from register to register, so that one that
 * is read in place of another shows, too. What the sibling does to counters that run is in the courses.
 */
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/companion.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"

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

static const struct vector shared_rows[] = {
    CHECK("access.sibling.rest", "all registers: each logical processor reads what either of them wrote",
          .needs = NEED_SIBLING, .run = at_rest),
};
VECTOR_GROUP(shared);
