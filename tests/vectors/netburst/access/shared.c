/*
 * The registers are one set for both logical processors of a core (18.16, Table 35-41; R5).
 *
 * Either logical processor must read in every counter, CCCR and ESCR what either of them wrote last: a stale
 * or a second copy shows as an older value. Values differ from register to register, so that one that is
 * read in place of another shows, too. Nothing is enabled meanwhile.
 */
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/documented.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/sibling_access.h"

struct registers {
    unsigned count;
    struct {
        uint32_t msr;
        const char *name;
        uint64_t bits;
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
static uint64_t value_of(const struct registers *r, unsigned index, unsigned step)
{
    uint64_t mixed = (r->at[index].msr * 4u + step) * 0x9E3779B97F4A7C15ull;

    return (mixed >> 7 ^ mixed << 29) & r->at[index].bits;
}

static void write_here(const struct registers *r, unsigned step)
{
    for (unsigned i = 0; i < r->count; i++)
        msr_write(r->at[i].msr, value_of(r, i, step));
}

static void write_there(const struct registers *r, unsigned step)
{
    for (unsigned i = 0; i < r->count; i++)
        ask_sibling(WRITE, r->at[i].msr, value_of(r, i, step));
    sibling_accesses();
}

static void expect_here(const struct registers *r, unsigned step, const char *wrote)
{
    for (unsigned i = 0; i < r->count; i++)
        expect_register(RULES(R5, R3, R4), value_of(r, i, step), msr_read(r->at[i].msr) & r->at[i].bits,
                        "%s as LP%u reads it after %s wrote it", r->at[i].name, smp_self(), wrote);
}

static void expect_there(const struct registers *r, unsigned step, const char *wrote)
{
    for (unsigned i = 0; i < r->count; i++)
        ask_sibling(READ, r->at[i].msr, 0);
    sibling_accesses();
    for (unsigned i = 0; i < r->count; i++)
        expect_register(RULES(R5, R3, R4), value_of(r, i, step), sibling_read(i) & r->at[i].bits,
                        "%s as LP%u reads it after %s wrote it", r->at[i].name, smp_self() ^ 1, wrote);
}

/* Each logical processor reads twice what the other one wrote, and then what it wrote itself after that. */
static void share(const struct registers *r)
{
    pmc_clear(&machine_cpu);
    write_here(r, 0);
    expect_there(r, 0, "the other");
    write_here(r, 1);
    expect_there(r, 1, "the other");
    write_there(r, 2);
    expect_here(r, 2, "the other");
    expect_there(r, 2, "it");
    write_there(r, 3);
    expect_here(r, 3, "the other");
    write_here(r, 0);
    expect_here(r, 0, "it");
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
