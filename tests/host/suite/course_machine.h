/*
 * The machine on which tests/suite/course_play.c plays on the host: a core whose PMU is the second model
 * (naive.h), a local APIC for each logical processor, and stand-ins for what the player calls of the kernel
 * and of the suite. This header defines what it declares; each test program includes it once.
 *
 * Clocks pass while something is executed: one for an access to a register, one for each occurrence that a
 * workload causes, some for a halt. PMIs are taken in the clock that raises them.
 *
 * Nothing in naive.c is wrong on purpose. A mistake is a function that is called after each act of the PMU
 * and changes what the PMU holds then, or what was read of it.
 */
#ifndef TESTS_HOST_SUITE_COURSE_MACHINE_H
#define TESTS_HOST_SUITE_COURSE_MACHINE_H

#include <stdio.h>
#include <string.h>
#include "kernel/board/board.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "kernel/run/pmi.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "pmc/netburst/event.h"
#include "tests/host/second_model/naive.h"
#include "tests/suite/documented.h"
#include "tests/suite/companion.h"
#include "tests/suite/course_failed.h"
#include "tests/suite/course_steps.h"
#include "tests/suite/expect.h"
#include "tests/suite/frame.h"
#include "tests/suite/machine.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/halt.h"
#include "tests/suite/measure.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/repeat.h"
#include "tests/suite/setting.h"
#include "tests/suite/unexplained.h"
#include "tests/suite/witness.h"

#define ACTION_NAME(name, one, several) one,
static const char *const ACTION_NAMES[] = {ACTIONS_OF_PMU(ACTION_NAME)};

#define HALTED_CLOCKS  6  /* of a halt */
#define STARTED_CLOCKS 30 /* of a logical processor that begins to execute, until it has something to do */

/* What the PMU, or the local APIC of a logical processor, has just done. */
struct pmu_act {
    enum { ACT_CLOCK, ACT_READ, ACT_RDPMC, ACT_WRITE, ACT_HALT, ACT_INIT, ACT_UNMASK, ACT_PMI, ACT_EOI } what;
    uint32_t msr;               /* of a read or a write; of RDPMC: its index */
    uint64_t *value;            /* of a read and of RDPMC: what was read */
    unsigned *pmis;             /* of a clock, or of LVTPC that is unmasked: the logical processors that get a
                                   PMI, bit 0 for LP0 */
    unsigned lp;                /* who reads or writes, halts, gets INIT or has taken a PMI */
    const struct naive *before; /* the PMU before it */
};

static struct {
    struct naive pmu;
    void (*mistake)(const struct pmu_act *act); /* or null */
    bool struck;                                /* for a mistake that remembers something of this play */
    struct lp_state lp[NBPMU_LPS];
    unsigned self;                              /* the logical processor that executes this */
    bool runs;                                  /* the companion has a loop to run at CPL 3 */
    bool masked[NBPMU_LPS], as_nmis[NBPMU_LPS]; /* LVTPC */
    unsigned taken[NBPMU_LPS], taken_as_nmis[NBPMU_LPS], found_unmasked[NBPMU_LPS]; /* PMIs */
    /* LP0 delays EOIs, and owes one; a PMI of it is in service, and another one waits for that. */
    bool eoi_is_late, owes_eoi, in_service, waits;
    unsigned clocks, windows; /* of this play; a window begins with each step of events */
} machine;

bool machine_has_pmu = true;
struct pmc_cpu machine_cpu;

/* ---- The part ---- */

struct course_part {
    uint16_t signature;
    uint8_t lps;
};

/* CPUID.1 EDX: what every NetBurst part has, and what pmc_identify() asks for. */
#define LEAF1_EDX_MSR (1u << 5)
#define LEAF1_EDX_DS  (1u << 21)
#define LEAF1_EDX_HTT (1u << 28)

/* Begin with this part and these variants, at power-up. */
static void machine_begin(const struct course_part *part, const struct nbpmu_variants *variants)
{
    const struct pmc_cpuid cpuid = {.vendor = "GenuineIntel",
                                    .max_leaf = 2,
                                    .leaf1_eax = part->signature,
                                    .leaf1_edx = LEAF1_EDX_MSR | LEAF1_EDX_DS | LEAF1_EDX_HTT,
                                    .misc_enable_readable = true,
                                    .misc_enable = MISC_ENABLE_PERFMON};
    struct model_config config = {.variants = *variants};

    assert_true(nbpmu_part_of_signature(part->signature, part->lps, &config.part));
    assert_null(pmc_identify(&machine_cpu, &cpuid));
    machine_cpu.ht = part->lps == 2;
    memset(&machine, 0, sizeof machine);
    naive_reset(&machine.pmu, &config);
    machine.lp[0].active = true;
    machine.masked[0] = machine.masked[1] = true;
}

unsigned machine_meets(void)
{
    return NEED_SSE2 | NEED_LAPIC | (machine_cpu.ht ? NEED_SIBLING : 0) |
           (machine_cpu.extended_cascade ? NEED_EXTENDED_CASCADE : 0);
}

bool machine_has_erratum(uint32_t erratum)
{
    return machine_cpu.errata & erratum;
}

uint32_t escr_self(bool os, bool usr)
{
    return (os ? ESCR_T0_OS : 0) | (usr ? ESCR_T0_USR : 0);
}

uint32_t escr_sibling(bool os, bool usr)
{
    return (os ? ESCR_T1_OS : 0) | (usr ? ESCR_T1_USR : 0);
}

/* ---- PMIs ---- */

static void after(struct pmu_act act, const struct naive *before)
{
    act.before = before;
    if (machine.mistake)
        machine.mistake(&act);
}

/* The handler leaves LVTPC as the delivery has left it (pmi_counter.c). */
static void raise_pmis(unsigned lps)
{
    for (unsigned lp = 0; lp < NBPMU_LPS; lp++)
        if ((lps >> lp & 1) && !machine.masked[lp]) {
            machine.masked[lp] = true;
            if (lp == 0 && machine.in_service && !machine.as_nmis[lp]) {
                machine.waits = true;
                continue;
            }
            machine.taken[lp]++;
            machine.taken_as_nmis[lp] += machine.as_nmis[lp];
            if (lp == 0 && machine.eoi_is_late && !machine.as_nmis[lp])
                machine.owes_eoi = machine.in_service = true;
            after((struct pmu_act){.what = ACT_PMI, .lp = lp}, &machine.pmu);
        }
}

void pmi_delay_eoi(void)
{
    assert_int_equal(machine.self, 0);
    machine.eoi_is_late = true;
}

bool pmi_owes_eoi(void)
{
    return machine.owes_eoi;
}

void pmi_eoi(void)
{
    machine.eoi_is_late = machine.owes_eoi = machine.in_service = false;
    after((struct pmu_act){.what = ACT_EOI, .lp = 0}, &machine.pmu);
    machine.taken[0] += machine.waits;
    machine.masked[0] |= machine.waits;
    machine.waits = false;
}

void pmi_unmask_as(uint32_t delivery)
{
    unsigned pmis = naive_lvtpc_unmasked(&machine.pmu, machine.self) ? 1u << machine.self : 0;

    machine.masked[machine.self] = false;
    machine.as_nmis[machine.self] = delivery == LVT_DELIVERY_NMI;
    after((struct pmu_act){.what = ACT_UNMASK, .pmis = &pmis, .lp = machine.self}, &machine.pmu);
    raise_pmis(pmis);
}

void pmi_unmask(void)
{
    pmi_unmask_as(LVT_DELIVERY_FIXED);
}

void pmi_mask(void)
{
    machine.masked[machine.self] = true;
    machine.as_nmis[machine.self] = false;
}

/* A play begins with this. */
void pmi_arm(void)
{
    machine.struck = false;
    machine.clocks = machine.windows = 0;
    machine.taken[0] = machine.taken[1] = 0;
    machine.taken_as_nmis[0] = machine.taken_as_nmis[1] = 0;
    machine.found_unmasked[0] = machine.found_unmasked[1] = 0;
    pmi_unmask();
}

void pmi_disarm(void)
{
    pmi_eoi();
    pmi_mask();
}

unsigned pmi_taken(unsigned lp)
{
    return machine.taken[lp];
}

uint32_t lvtpc_read(void)
{
    return machine.masked[machine.self] ? LVT_MASKED : 0;
}

unsigned pmi_taken_as_nmis(unsigned lp)
{
    return machine.taken_as_nmis[lp];
}

unsigned pmi_found_unmasked(unsigned lp)
{
    return machine.found_unmasked[lp];
}

/* This board has no NMIs of its own. */
STUB(unsigned, pmis_as_nmis, (unsigned (*measure)(void *arg), void *arg, unsigned most), measure(arg));
STUB(void, witness_without_nmis, (bool without));
STUB(struct pmi_patience, pmi_patience, (void), (struct pmi_patience){.pmis = 0});
STUB(bool, pmi_patience_over, (struct pmi_patience * patience), true);
STUB(void, pmi_wait_for_delivery, (void));
STUB(void, pmi_use_vector_too, (bool too));
STUB(uint64_t, escr_documented, (const struct pmc_escr *escr), escr->f43_mask);

/* ---- Clocks, and what is executed ---- */

/* Each active logical processor retires an instruction of one to three uops. */
static void clock(void)
{
    for (unsigned lp = 0; lp < NBPMU_LPS; lp++) {
        const unsigned cpl = machine.lp[lp].cpl;

        if (!machine.lp[lp].active)
            continue;
        naive_post(&machine.pmu,
                   (struct naive_post){NBPMU_INSTR_RETIRED, INSTR_RETIRED_NTAG, lp, cpl, .count = 1});
        naive_post(&machine.pmu, (struct naive_post){NBPMU_UOPS_RETIRED, UOPS_RETIRED_NBOGUS, lp, cpl,
                                                     .count = 1 + machine.clocks % 3});
        naive_post(&machine.pmu,
                   (struct naive_post){NBPMU_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_DELIVER, lp, cpl, .count = 1});
    }
    machine.clocks++;
    const struct naive before = machine.mistake ? machine.pmu : (struct naive){.posts = 0};
    unsigned pmis = naive_clock(&machine.pmu, machine.lp);
    after((struct pmu_act){.what = ACT_CLOCK, .pmis = &pmis}, &before);
    raise_pmis(pmis);
}

static void clocks(unsigned count)
{
    while (count-- > 0)
        clock();
}

/* An occurrence of a workload takes a clock, and causes these events. */
static void post(enum nbpmu_event event, uint16_t bits)
{
    naive_post(&machine.pmu,
               (struct naive_post){event, bits, machine.self, machine.lp[machine.self].cpl, .count = 1});
}

#define WORK(name, ...)           \
    static void once_##name(void) \
    {                             \
        __VA_ARGS__;              \
        clock();                  \
    }                             \
    const struct workload work_##name = {.entry = once_##name, .max_n = 1000}

WORK(nop, );
WORK(jmp, post(NBPMU_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN));
WORK(call, post(NBPMU_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CALL),
     post(NBPMU_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN));
WORK(not_taken, post(NBPMU_RETIRED_BRANCH_TYPE, BRANCH_TYPE_CONDITIONAL),
     post(NBPMU_BRANCH_RETIRED, BRANCH_RETIRED_UNTAKEN));
WORK(packed_sp, post(NBPMU_PACKED_SP_UOP, FIRM_ALL));
WORK(scalar_sp, post(NBPMU_SCALAR_SP_UOP, FIRM_ALL));
WORK(split_load, post(NBPMU_MEMORY_COMPLETE, MEMORY_COMPLETE_LSC));
WORK(split_store, post(NBPMU_MEMORY_COMPLETE, MEMORY_COMPLETE_SSC));
WORK(partial_load, post(NBPMU_MOB_LOAD_REPLAY, MOB_REPLAY_TAGGED));
WORK(cpuid_leaf_0, post(NBPMU_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_ROM),
     post(NBPMU_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN));

STUB(void, work_prepare_sse, (void));
STUB(void, work_finish_mmx, (void));

/* ---- The frame ---- */

void frame_init(struct frame *frame, unsigned idle)
{
    const struct msr_write nothing = {MSR_CCCR(idle), 0};

    machine.windows++;
    *frame = (struct frame){.start = {nothing, nothing}, .stop = {nothing, nothing}, .idle = nothing};
}

void frame_phase(struct frame *frame, unsigned index, const struct workload *work, uint32_t n)
{
    assert_true(index < FRAME_PHASES && n <= work->max_n);
    frame->phase[index] = (struct phase){work->entry, n};
}

/* The branch behind the work retires in the clock of the last occurrence. */
void frame_exercise(const struct frame *frame)
{
    for (unsigned i = 0; i < FRAME_PHASES; i++)
        for (uint32_t n = frame->phase[i].n; n > 0; n--) {
            if (n == 1)
                post(NBPMU_BRANCH_RETIRED, BRANCH_RETIRED_TAKEN);
            frame->phase[i].entry();
        }
}

void frame_execute(const struct frame *frame)
{
    for (unsigned i = 0; i < FRAME_WRITES; i++)
        msr_write(frame->start[i].msr, frame->start[i].value);
    frame_exercise(frame);
    for (unsigned i = 0; i < FRAME_WRITES; i++)
        msr_write(frame->stop[i].msr, frame->stop[i].value);
}

STUB(uint64_t, rdtsc, (void), machine.clocks);
STUB(uint32_t, frame_key, (const struct frame *frame), 1);

STUB(unsigned, idle_counter, (unsigned used, unsigned also_used), used < 4 ? 4 : 0);

/* ---- Witnesses: nothing disturbs this machine ---- */

STUB(void, witness_begin, (void));
STUB(unsigned, witness_seen, (void), 0);
STUB(unsigned, witness_expectations, (void), 0);
STUB(void, witness_expectations_again, (unsigned before));
STUB(bool, expect_is_witnessed, (struct act act, bool lacks), false);
STUB(void, witness_add, (unsigned seen));
STUB(struct witness_window, witness_open, (void), (struct witness_window){0});
STUB(void, witness_close, (const struct witness_window *window, uint32_t key));
STUB(uint32_t, witness_key, (uint32_t key, uint32_t part), key);

/* ---- Registers ---- */

uint64_t msr_read(uint32_t msr)
{
    const struct naive before = machine.pmu;
    uint64_t value = 0;

    assert_true(naive_rdmsr(&machine.pmu, msr, &value));
    after((struct pmu_act){.what = ACT_READ, .msr = msr, .value = &value, .lp = machine.self}, &before);
    clock();
    return value;
}

void msr_write(uint32_t msr, uint64_t value)
{
    const struct naive before = machine.pmu;

    assert_true(naive_wrmsr(&machine.pmu, msr, value));
    after((struct pmu_act){.what = ACT_WRITE, .msr = msr, .lp = machine.self}, &before);
    clock();
}

unsigned msr_try_read(uint32_t msr, uint64_t *value)
{
    *value = msr_read(msr);
    return NO_FAULT;
}

unsigned msr_try_write(uint32_t msr, uint64_t value)
{
    msr_write(msr, value);
    return NO_FAULT;
}

unsigned rdpmc_try(uint32_t index, uint64_t *value)
{
    const struct naive before = machine.pmu;
    const uint64_t counter = machine.pmu.counter[index & ~RDPMC_FAST].value;

    *value = index & RDPMC_FAST ? (uint32_t)counter : counter;
    after((struct pmu_act){.what = ACT_RDPMC, .msr = index, .value = value, .lp = machine.self}, &before);
    clock();
    return NO_FAULT;
}

/* ---- Logical processors ---- */

STUB(unsigned, smp_self, (void), 0);
STUB(bool, irq_off, (void), false);
STUB(void, irq_on, (void));
STUB(uint8_t, lapic_id, (void), 0);
STUB(void, lapic_send_fixed, (uint32_t apic_id, uint8_t interrupt));
STUB(void, delay_us, (uint32_t microseconds));
STUB(uint32_t, cr4_read, (void), 0);
STUB(void, cr4_write, (uint32_t value));
STUB(struct timeout, timeout_in_us, (uint32_t microseconds), (struct timeout){0});
STUB(uint64_t, clock_seconds_since, (uint64_t tsc), 0);
STUB(bool, timeout_passed, (const struct timeout *timeout), false);

void ring_run(unsigned ring, void (*fn)(void *), void *arg)
{
    machine.lp[machine.self].cpl = (uint8_t)ring;
    fn(arg);
    machine.lp[machine.self].cpl = 0;
}

void halt_for_us(uint32_t microseconds)
{
    const struct naive before = machine.pmu;

    (void)microseconds;
    machine.lp[machine.self].active = false;
    after((struct pmu_act){.what = ACT_HALT, .lp = machine.self}, &before);
    clocks(HALTED_CLOCKS);
    machine.lp[machine.self].active = true;
}

/* The companion has nothing to do. */
static void companion_rests(void)
{
    machine.lp[1] = machine.runs ? (struct lp_state){true, 3} : (struct lp_state){false, 0};
}

static void companion_starts(void)
{
    machine.lp[1] = (struct lp_state){true, 0};
    clocks(STARTED_CLOCKS);
    companion_rests();
}

void companion_begin(void)
{
    assert_true(machine_cpu.ht);
    machine.runs = false;
    companion_starts();
}

void companion_end(void)
{
    machine.runs = false;
    companion_rests();
    machine.masked[1] = true;
    machine.as_nmis[1] = false;
}

void companion_run(bool runs)
{
    machine.runs = runs;
    companion_rests();
}

void companion_do(void (*fn)(void *), void *arg, bool alone)
{
    assert_int_equal(machine.self, 0);
    machine.lp[0] = alone && !machine.runs ? (struct lp_state){false, 0} : (struct lp_state){true, 3};
    machine.lp[1] = (struct lp_state){true, 0};
    machine.self = 1;
    fn(arg);
    machine.self = 0;
    machine.lp[0] = (struct lp_state){true, 0};
    companion_rests();
}

STUB(void, companion_settle, (void));
STUB(void, companion_woken, (void));

void companion_restart(void)
{
    const struct naive before = machine.pmu;

    machine.masked[1] = true;
    machine.as_nmis[1] = false;
    after((struct pmu_act){.what = ACT_INIT, .lp = 1}, &before);
    companion_starts();
}

/* ---- What the player says ---- */

static struct {
    bool decides; /* a failure is shortened */
    bool failed;
    uint32_t rules; /* of the failure */
    struct act act; /* what it is about */
    char what[2 * COURSE_TEXT];
    char shortest[COURSE_TEXT], nearest[COURSE_TEXT];
} said;

bool expect_decides(void)
{
    return said.decides;
}

void expect_about(struct act act)
{
    said.act = act;
}

static struct {
    unsigned acts[ACTIONS][PLACES];                   /* since they were cleared */
    void (*note)(enum action action, unsigned place); /* or null */
} judgement;

void acts_judged(enum action action, unsigned place, unsigned acts)
{
    assert_true(action < ACTIONS && place < PLACES && acts == 1);
    judgement.acts[action][place]++;
    if (judgement.note)
        judgement.note(action, place);
}

static void keep_failure(uint32_t rules, const char *fmt, va_list args)
{
    said.failed = true;
    said.rules = rules;
    vformat(said.what, sizeof said.what, fmt, args);
}

bool expect_between(uint32_t rules, uint64_t low, uint64_t high, uint64_t observed, const char *fmt, ...)
{
    va_list args;

    assert_true(observed < low || observed > high);
    va_start(args, fmt);
    keep_failure(rules, fmt, args);
    va_end(args);
    return false;
}

bool expect_register(uint32_t rules, uint64_t expected, uint64_t observed, const char *fmt, ...)
{
    va_list args;

    assert_true(observed != expected);
    va_start(args, fmt);
    keep_failure(rules, fmt, args);
    va_end(args);
    return false;
}

void require_true(uint32_t rules, bool condition, const char *fmt, ...)
{
    va_list args;

    (void)rules;
    if (condition)
        return;
    va_start(args, fmt);
    vformat(said.what, sizeof said.what, fmt, args);
    va_end(args);
    fail_msg("%s", said.what);
}

void course_failed(const struct course *fails, const struct course *passes)
{
    course_print(fails, said.shortest, sizeof said.shortest);
    said.nearest[0] = '\0';
    if (passes)
        course_print(passes, said.nearest, sizeof said.nearest);
}

/* What the judge has noted since `noted.sets` was set to 0. */
static struct {
    uint32_t rules[200];
    unsigned sets;
} noted;

static bool has_noted(uint32_t rules)
{
    for (unsigned i = 0; i < noted.sets; i++)
        if (noted.rules[i] == rules)
            return true;
    return false;
}

bool rules_are_noted(void)
{
    return true;
}

void rules_held(uint32_t rules)
{
    assert_true(rules && noted.sets < COUNT_OF(noted.rules));
    if (!has_noted(rules))
        noted.rules[noted.sets++] = rules;
}

#endif
