/*
 * Who may access what (RDPMC, RDMSR, WRMSR; R5, R57, R60, and R1 for INIT).
 *
 * RDPMC works at CPL 1 to 3 exactly when CR4.PCE is set; RDMSR and WRMSR fault at CPL 3 always. An index that
 * no part has faults. Reading a running counter does not disturb it. INIT of a logical processor leaves the
 * PMU alone.
 */
#include "tests/suite/expect.h"
#include "tests/suite/families.h"
#include "kernel/x86/cpu.h"
#include "kernel/smp/smp.h"
#include "tests/suite/machine.h"
#include "pmc/msr.h"
#include "tests/suite/stimulus.h"

#define GENERAL_PROTECTION 13
#define LAST_ANYWHERE      25 /* 18 to 25 exist on some Xeon MP (pmu-rules 1.6) */
#define NO_SUCH_INDEX_BIT  5  /* from here on every bit of an index makes it one that no part has */
#define INDEX_BITS         31 /* bit 31 is the fast form */

struct access {
    unsigned (*kind)(uint32_t where, uint64_t *value);
    uint32_t where;
    unsigned fault;
    uint64_t value;
    unsigned level; /* CPL it ran at */
};

static void do_access(void *arg)
{
    struct access *a = arg;

    a->level = cpl();
    a->fault = a->kind(a->where, &a->value);
}

static unsigned write_one(uint32_t msr, uint64_t *value)
{
    return msr_try_write(msr, *value);
}

static struct access at_cpl(unsigned level, unsigned (*kind)(uint32_t, uint64_t *), uint32_t where, bool pce)
{
    struct access a = {.kind = kind, .where = where, .fault = NO_FAULT, .value = 0};
    uint32_t cr4 = cr4_read();

    cr4_write(pce ? cr4 | CR4_PCE : cr4 & ~CR4_PCE);
    ring_run(level, do_access, &a);
    cr4_write(cr4);
    expect_equal(level, a.level, "privilege level of the access");
    return a;
}

static void rdpmc_user(unsigned n)
{
    const uint64_t pattern = COUNTER_OVERFLOW_IN(0x12345678ull + n);

    expect_true(pmc_preset(n, pattern), "%s holds a preset", PMC_COUNTER[n].counter_name);
    for (unsigned level = 1; level <= 3; level++) {
        struct access a = at_cpl(level, rdpmc_try, n, true);
        expect_equal(NO_FAULT, a.fault, "exception of RDPMC(%u) at CPL %u with CR4.PCE = 1", n, level);
        expect_register(pattern, a.value, "RDPMC(%u) at CPL %u", n, level);
        a = at_cpl(level, rdpmc_try, n, false);
        expect_equal(GENERAL_PROTECTION, a.fault, "exception of RDPMC(%u) at CPL %u with CR4.PCE = 0", n,
                     level);
    }
}

static void no_such_index(uint32_t index)
{
    uint64_t value;

    expect_equal(GENERAL_PROTECTION, rdpmc_try(index, &value), "exception of RDPMC with index %8H", index);
}

/* Each bit of the index on top of one that exists: all of them are looked at. */
static void bad_index(unsigned member)
{
    (void)member;
    no_such_index(LAST_ANYWHERE + 1);
    no_such_index(FIELD_MASK(INDEX_BITS - 1, 0));
    for (unsigned bit = NO_SUCH_INDEX_BIT; bit < INDEX_BITS; bit++)
        no_such_index(1u << bit | 12);
}

static void msr_user(unsigned n)
{
    const uint32_t msrs[] = {MSR_COUNTER(n), MSR_CCCR(n)};

    for (unsigned i = 0; i < 2; i++) {
        expect_equal(GENERAL_PROTECTION, at_cpl(3, msr_try_read, msrs[i], true).fault,
                     "exception of RDMSR(%3H) at CPL 3", msrs[i]);
        expect_equal(GENERAL_PROTECTION, at_cpl(3, write_one, msrs[i], true).fault,
                     "exception of WRMSR(%3H) at CPL 3", msrs[i]);
        expect_register(0, msr_read(msrs[i]), "MSR %3H after the refused write", msrs[i]);
    }
}

/* The same work with and without reads in the middle: each read is one instruction more and changes nothing
 * else. */
static void read_running(unsigned member)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);
    struct frame frame;

    (void)member;
    frame_init(&frame, idle_counter(12, 12));
    frame_phase(&frame, 0, &work_jmp, 200);
    frame_phase(&frame, 2, &work_jmp, 200);
    uint64_t without = count_alone(&p, COUNT_AS_X, &frame);
    frame_phase(&frame, 1, &work_rdpmc_12, 100);
    uint64_t with_rdpmc = count_alone(&p, COUNT_AS_X, &frame);
    frame_phase(&frame, 1, &work_rdmsr_12, 100);
    uint64_t with_rdmsr = count_alone(&p, COUNT_AS_X, &frame);
    /* The reading sleds add the two jumps of their own that work_nothing does not have, less none of its. */
    frame_phase(&frame, 1, &work_nop, 100);
    uint64_t with_nop = count_alone(&p, COUNT_AS_X, &frame);

    expect_true(with_nop >= without, "taken branches with a NOP sled between");
    expect_equal(with_nop, with_rdpmc, "taken branches counted with 100 RDPMC(12) between");
    expect_equal(with_nop, with_rdmsr, "taken branches counted with 100 RDMSR(30CH) between");
}

static volatile uint64_t seen_by_sibling;

static void touch_as_sibling(void *arg)
{
    uint32_t n = *(uint32_t *)arg;

    seen_by_sibling = msr_read(MSR_COUNTER(n));
    msr_write(MSR_COUNTER(n), COUNTER_OVERFLOW_IN(n + 2));
    msr_write(MSR_CCCR(n), CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_ESCR_SELECT(5));
}

/* The registers are one set for both logical processors. */
static void shared(unsigned n)
{
    uint32_t counter = n;

    expect_true(pmc_preset(n, COUNTER_OVERFLOW_IN(n + 1)), "%s holds a preset", PMC_COUNTER[n].counter_name);
    expect_true(smp_start(touch_as_sibling, &counter), "the sibling takes work");
    expect_true(smp_wait(100000), "the sibling's work returns");
    expect_register(COUNTER_OVERFLOW_IN(n + 1), seen_by_sibling, "%s as the sibling reads it",
                    PMC_COUNTER[n].counter_name);
    expect_register(COUNTER_OVERFLOW_IN(n + 2), msr_read(MSR_COUNTER(n)), "%s as the sibling wrote it",
                    PMC_COUNTER[n].counter_name);
    expect_register(CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_ESCR_SELECT(5), msr_read(MSR_CCCR(n)),
                    "%s as the sibling wrote it", PMC_COUNTER[n].cccr_name);
}

static void init_keeps(unsigned member)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    (void)member;
    expect_true(pmc_arm(&p, COUNTER_OVERFLOW_IN(1000)), "counter 12 holds a preset");
    pmc_arm_cascade(&p);
    expect_true(smp_restart(), "the sibling comes back after INIT and SIPI");
    expect_register(COUNTER_OVERFLOW_IN(1000), pmc_read(12), "counter 12 after INIT of the sibling");
    expect_register(p.escr, msr_read(p.escr_msr), "its ESCR after INIT of the sibling");
    expect_register(pmc_cccr_cascaded(&p), msr_read(MSR_CCCR(12)), "its CCCR after INIT of the sibling");
}

static const struct vector privilege_rows[] = {
    {"access.rdpmc.user", "RDPMC at CPL 1 to 3: allowed with CR4.PCE, #GP without", "R60", 0, false, 1000,
     rdpmc_user, &every_counter},
    {"access.rdpmc.index", "RDPMC of an index that no part has: #GP", "R60", 0, false, 1000, bad_index, 0},
    {"access.msr.user", "RDMSR and WRMSR at CPL 3: #GP, nothing written", "R60", 0, false, 1000, msr_user,
     &every_counter},
    {"access.running", "reading a running counter does not disturb it", "R57", 0, false, 2000, read_running,
     0},
    {"access.shared", "either logical processor reads and writes them all", "R5", NEED_SIBLING, false, 1000,
     shared, &every_counter},
    {"state.init", "INIT of the other logical processor leaves the PMU alone", "R1", NEED_SIBLING, false,
     2000, init_keeps, 0},
};
VECTOR_GROUP(privilege);
