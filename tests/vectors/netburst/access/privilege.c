/*
 * Who may access what (RDPMC, RDMSR, WRMSR; R5, R57, R60).
 *
 * RDMSR and WRMSR always fault at CPL 3; RDPMC above CPL 0 is in rdpmc_user.c. An RDPMC index that no part
 * has faults. Reading a running counter does not disturb it. Each access is tried at its
 * privilege level; a missing fault, a fault too many, or a register that has changed is the failure.
 */
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/companion.h"
#include "tests/suite/expect.h"
#include "tests/suite/stimulus.h"

#define GENERAL_PROTECTION 13
#define NO_SUCH_INDEX      26 /* those from 18 on are probed for the sheet: some parts have them */
#define NO_SUCH_INDEX_BIT  6
#define INDEX_BITS         31 /* bit 31 is the fast form */
#define E1_ADDS            15 /* at most, per access */

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

/* The exception of the access at CPL 3. A write is of a bit that a counter and a CCCR keep. */
static unsigned fault_at_cpl_3(unsigned (*kind)(uint32_t, uint64_t *), uint32_t where)
{
    struct access a = {.kind = kind, .where = where, .fault = NO_FAULT, .value = CCCR_COMPARE};

    ring_run(3, do_access, &a);
    require_equal(HARNESS, 3, a.level, "privilege level of the access");
    return a.fault;
}

static void no_such_index(uint32_t index)
{
    uint64_t value;

    expect_fault(R60, GENERAL_PROTECTION, rdpmc_try(index, &value), "exception of RDPMC with index %8H",
                 index);
    expect_fault(R60, GENERAL_PROTECTION, rdpmc_try(index | RDPMC_FAST, &value),
                 "exception of fast RDPMC with index %8H", index);
}

/* All bits set, and counter 12 with one more bit: the processor must look at every bit of the index. */
static void bad_index(void)
{
    no_such_index(FIELD_MASK(INDEX_BITS - 1, 0));
    for (unsigned index = NO_SUCH_INDEX; index < 1u << NO_SUCH_INDEX_BIT; index++)
        no_such_index(index);
    for (unsigned bit = NO_SUCH_INDEX_BIT; bit < INDEX_BITS; bit++)
        no_such_index(1u << bit | 12);
}

static void msr_user(const void *item)
{
    unsigned n = counter_number(item);
    const uint32_t msrs[] = {MSR_COUNTER(n), MSR_CCCR(n)};

    for (unsigned i = 0; i < 2; i++) {
        expect_fault(R60, GENERAL_PROTECTION, fault_at_cpl_3(msr_try_read, msrs[i]),
                     "exception of RDMSR(%3H) at CPL 3", msrs[i]);
        expect_fault(R60, GENERAL_PROTECTION, fault_at_cpl_3(write_one, msrs[i]),
                     "exception of WRMSR(%3H) at CPL 3", msrs[i]);
        expect_register(R3, 0, msr_read(msrs[i]), "MSR %3H after the refused write", msrs[i]);
    }
}

#define READS 100 /* in a straight line */

/* Without an event there is nothing that an access could add (E1). */
static void read_without_event(void)
{
    const uint64_t preset = COUNTER_OVERFLOW_IN(READS);
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    p.escr = 0;
    pmc_arm(&p, preset);
    pmc_start(&p);
    work_exercise(&work_rdpmc_12, READS);
    expect_register(R57, preset, pmc_read(12), "counter 12, enabled without an event, after %u RDPMC(12)",
                    READS);
    work_exercise(&work_rdmsr_12, READS);
    expect_register(R57, preset, pmc_read(12), "counter 12, enabled without an event, after %u RDMSR(30CH)",
                    READS);
}

/* A read of a counter with an event loses no events. E1 allows it to add some. */
static void expect_undisturbed(uint64_t without, uint64_t with, const char *reads)
{
    expect_between(RULES(R57, R27), without, without + READS * E1_ADDS, with,
                   "taken branches with %u %s between; each may add some (E1)", READS, reads);
    if (with != without)
        report_erratum(PMC_E1);
}

/* Count the same work with and without reads in the middle. */
static void read_running(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);
    struct frame frame;

    read_without_event();
    frame_init(&frame, idle_counter(12, 12));
    frame_phase(&frame, 0, &work_jmp, 200);
    frame_phase(&frame, 2, &work_jmp, 200);
    uint64_t without = count_alone(&p, COUNT_AS_X, &frame);
    frame_phase(&frame, 1, &work_rdpmc_12, READS);
    uint64_t with_rdpmc = count_alone(&p, COUNT_AS_X, &frame);
    frame_phase(&frame, 1, &work_rdmsr_12, READS);
    uint64_t with_rdmsr = count_alone(&p, COUNT_AS_X, &frame);
    /* The reading sleds are compared with a NOP sled, not with the empty phase: a sled adds taken jumps of
     * its own, work_nothing does not. */
    frame_phase(&frame, 1, &work_nop, READS);
    uint64_t with_nop = count_alone(&p, COUNT_AS_X, &frame);

    expect_true(R27, with_nop >= without, "taken branches with a NOP sled between");
    expect_undisturbed(with_nop, with_rdpmc, "RDPMC(12)");
    expect_undisturbed(with_nop, with_rdmsr, "RDMSR(30CH)");
}

static volatile uint64_t seen_by_sibling;

static void touch(void *arg)
{
    uint32_t n = *(uint32_t *)arg;

    seen_by_sibling = msr_read(MSR_COUNTER(n));
    msr_write(MSR_COUNTER(n), COUNTER_OVERFLOW_IN(n + 2));
    msr_write(MSR_CCCR(n), CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_ESCR_SELECT(5));
}

/* The registers are one set for both logical processors. */
static void shared(const void *item)
{
    uint32_t n = counter_number(item);

    require_true(R4, pmc_preset(n, COUNTER_OVERFLOW_IN(n + 1)), "%R holds a preset",
                 PMC_COUNTER[n].counter_name);
    companion_do(touch, &n, false);
    expect_register(R5, COUNTER_OVERFLOW_IN(n + 1), seen_by_sibling, "%R as the sibling reads it",
                    PMC_COUNTER[n].counter_name);
    expect_register(R5, COUNTER_OVERFLOW_IN(n + 2), msr_read(MSR_COUNTER(n)), "%R as the sibling wrote it",
                    PMC_COUNTER[n].counter_name);
    expect_register(R5, CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_ESCR_SELECT(5), msr_read(MSR_CCCR(n)),
                    "%R as the sibling wrote it", PMC_COUNTER[n].cccr_name);
}

static const struct vector privilege_rows[] = {
    CHECK("access.rdpmc.index", "RDPMC of an index that no part has: #GP", .run = bad_index),
    CHECK("access.msr.user", "RDMSR and WRMSR at CPL 3: #GP, nothing written", .stages = STAGE_REGISTERS,
          .run_item = msr_user, .items = &every_counter),
    CHECK("access.running", "reading a running counter does not disturb it", .deadline_ms = 2000,
          .stages = STAGE_COUNT, .run = read_running),
    CHECK("access.shared", "either logical processor reads and writes them all", .needs = NEED_SIBLING,
          .stages = STAGE_REGISTERS, .run_item = shared, .items = &every_counter),
};
VECTOR_GROUP(privilege);
