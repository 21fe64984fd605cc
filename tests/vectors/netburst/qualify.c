/*
 * Qualification: privilege level, logical processor, activity (18.15.1, 18.16.2 to 18.16.4; R11 to R13, R18).
 *
 * A thread-specific event (instr_retired) of logical processor t at CPL 0 counts when Tt_OS is set, at CPL 1
 * to 3 when Tt_USR is set; the bits of the other one do not matter. A thread-independent event
 * (packed_SP_uop) counts when an OS bit is set and a processor is at CPL 0, or a USR bit is set and one is at
 * CPL > 0; T0 and T1 bits are alike to it. Each member is one value of the four qualification bits. The
 * difference of two lengths is either the difference in instructions, or nothing.
 */
#include "tests/suite/expect.h"
#include "kernel/x86/cpu.h"
#include "kernel/lib/format.h"
#include "kernel/x86/lapic.h"
#include "kernel/smp/smp.h"
#include "tests/suite/machine.h"
#include "tests/suite/observe.h"
#include "pmc/msr.h"
#include "tests/suite/stimulus.h"

#define SHORT 60
#define LONG  240

/* With HT all 16 values of ESCR[3:0]; without, T1's bits are reserved and only the four of OS and USR are
 * written. */
static unsigned qualifications(void)
{
    return 16;
}

static void qualification_suffix(unsigned member, char *out, size_t size)
{
    format(out, size, "%u%u%u%u", member >> 3 & 1, member >> 2 & 1, member >> 1 & 1, member & 1);
}

static unsigned qualification_needs(unsigned member)
{
    return member & (ESCR_T1_OS | ESCR_T1_USR) ? NEED_SMT : 0;
}

static const struct family every_qualification = {qualifications, qualification_suffix, qualification_needs};

static struct frame work_frame;
static uint32_t stop_escr; /* the ESCR whose event ends with the work */

static void run_work(void *arg)
{
    (void)arg;
    frame_exercise(&work_frame);
}

struct qualified {
    struct pmc_programming p;
    const struct workload *work;
    void (*run)(void);
    uint32_t n;
};

static void qualified_trial(const void *arg, struct observation *out)
{
    const struct qualified *q = arg;

    frame_init(&work_frame, idle_counter(q->p.counter, q->p.counter));
    frame_phase(&work_frame, 0, q->work, q->n);
    bool were_on = irq_off();
    stop_escr = q->p.escr_msr;
    q->run(); /* once unmeasured */
    pmc_arm(&q->p, 0);
    pmc_start(&q->p);
    q->run();
    msr_write(q->p.escr_msr, 0);
    irq_restore(were_on);
    out->v[0] = pmc_read(q->p.counter);
}

static uint64_t qualified_count(struct qualified *q, uint32_t n)
{
    q->n = n;
    struct observation o = observe(qualified_trial, q);
    return o.v[0];
}

static void run_at_cpl0(void)
{
    run_work(0);
}

static void run_at_cpl1(void)
{
    ring_run(1, run_work, 0);
}

static void run_at_cpl2(void)
{
    ring_run(2, run_work, 0);
}

static void run_at_cpl3(void)
{
    ring_run(3, run_work, 0);
}

#define HEAD_START 2000 /* turns of a loop: by then the other processor sleeps */

static volatile bool sibling_done;

static void sibling_work(void *arg)
{
    void (*run)(void) = *(void (**)(void))arg;

    work_exercise(&work_loop, HEAD_START);
    run();
    msr_write(stop_escr, 0);
    sibling_done = true;
    lapic_send_fixed(smp_topology()->bsp_apic_id, VECTOR_WAKE);
}

/* Let the sibling do it and sleep meanwhile, so that this processor retires the same few instructions
 * whatever it does. */
static void on_sibling(void (*run)(void))
{
    sibling_done = false;
    expect_true(smp_start(sibling_work, &run), "the sibling takes work");
    while (irq_off(), !sibling_done)
        cpu_sleep();
    expect_true(smp_wait(100000), "the sibling's work returns");
    /* Its way to sleep is its own instructions too: not in the next measurement. */
    expect_true(smp_park(), "the sibling parks");
}

static void sibling_at_cpl0(void)
{
    on_sibling(run_at_cpl0);
}

static void sibling_at_cpl3(void)
{
    on_sibling(run_at_cpl3);
}

/* Instructions of logical processor lp at a privilege level: this bit decides, and no other. */
static void instructions_at(unsigned lp, unsigned level, void (*run)(void), uint32_t bit, unsigned bits)
{
    struct qualified q = {.work = &work_nop, .run = run};

    pmc_program(&q.p, EVENT_INSTR_RETIRED, INSTR_RETIRED_NBOGUS, bits, 12);
    uint64_t difference = qualified_count(&q, LONG) - qualified_count(&q, SHORT);
    expect_equal(bits & bit ? LONG - SHORT : 0, difference,
                 "instructions at CPL %u of LP%u counted with ESCR[3:0] = %1H", level, lp, bits);
    if (bits == 0)
        expect_equal(0, qualified_count(&q, LONG), "instructions counted with no qualification bit set");
}

/* USR means CPL 1, 2 and 3. */
static void thread_specific(unsigned bits)
{
    const uint32_t os = escr_self(true, false), usr = escr_self(false, true);

    instructions_at(smp_self(), 0, run_at_cpl0, os, bits);
    instructions_at(smp_self(), 1, run_at_cpl1, usr, bits);
    instructions_at(smp_self(), 2, run_at_cpl2, usr, bits);
    instructions_at(smp_self(), 3, run_at_cpl3, usr, bits);
}

static void thread_specific_sibling(unsigned bits)
{
    const unsigned lp = smp_self() ^ 1;

    instructions_at(lp, 0, sibling_at_cpl0, escr_sibling(true, false), bits);
    instructions_at(lp, 3, sibling_at_cpl3, escr_sibling(false, true), bits);
}

/* Each ESCR has T1 bits of its own: what the sibling does, on both ESCRs of every pair with a number to
 * compare. */
static void sibling_on_every_escr(unsigned member)
{
    static const uint8_t ids[] = {STIMULUS_INSTRUCTIONS, STIMULUS_TAKEN, STIMULUS_CALLS, STIMULUS_SPLIT_LOADS,
                                  STIMULUS_MICROCODE};

    (void)member;
    for (unsigned i = 0; i < 2 * sizeof ids; i++) {
        const struct stimulus *s = &STIMULUS[ids[i / 2]];
        const struct pmc_escr *escr = pmc_escr_at(PMC_EVENT[s->event].escr[i % 2]);
        struct qualified q = {.work = s->work, .run = sibling_at_cpl0};

        pmc_program(&q.p, s->event, s->mask, escr_sibling(true, true), escr->counters[0]);
        uint64_t difference = qualified_count(&q, LONG) - qualified_count(&q, SHORT);
        expect_between(LONG - SHORT - s->slack, LONG - SHORT + s->slack, difference,
                       "%u more %s of LP%u by its own bits of %s", LONG - SHORT, s->name, smp_self() ^ 1,
                       escr->name);
    }
}

static struct spin spin;

static void spin_work(void *arg)
{
    work_spin(arg);
}

/* packed_SP_uops of LONG of them with these CPL flags, at CPL 0 and at CPL 3. */
struct at_both {
    uint64_t at0, at3;
};

static struct at_both packed_sp_at_both(unsigned bits)
{
    struct qualified q = {.work = &work_packed_sp};
    struct at_both counts;

    stimulus_prepare(STIMULUS_PACKED_SP);
    pmc_program(&q.p, EVENT_PACKED_SP_UOP, FIRM_ALL, bits, 8);
    q.run = run_at_cpl0;
    counts.at0 = qualified_count(&q, LONG);
    q.run = run_at_cpl3;
    counts.at3 = qualified_count(&q, LONG);
    return counts;
}

/* packed_SP_uop with the sibling spinning at CPL 0: some processor is at CPL 0 in every clock (a halted one's
 * CPL is open). */
static void thread_independent(unsigned bits)
{
    const bool os = bits & (ESCR_T0_OS | ESCR_T1_OS), usr = bits & (ESCR_T0_USR | ESCR_T1_USR);
    const uint32_t slack = STIMULUS[STIMULUS_PACKED_SP].slack;

    spin = (struct spin){0, 0};
    expect_true(smp_start(spin_work, &spin), "the sibling takes work");
    struct at_both counts = packed_sp_at_both(bits);
    spin.stop = 1;
    expect_true(smp_wait(100000), "the sibling ends its loop");

    expect_between(os ? LONG - slack : 0, os ? LONG + slack : 0, counts.at0,
                   "uops with both at CPL 0, ESCR[3:0] = %1H", bits);
    expect_between(os || usr ? LONG - slack : 0, os || usr ? LONG + slack : 0, counts.at3,
                   "uops at CPL 3 with the sibling at CPL 0, ESCR[3:0] = %1H", bits);
}

/* Without a sibling at work only one processor's privilege level decides. */
static void thread_independent_alone(unsigned bits)
{
    const bool os = bits & ESCR_OS, usr = bits & ESCR_USR;
    const uint32_t slack = STIMULUS[STIMULUS_PACKED_SP].slack;

    if (machine_cpu.ht)
        skip_now("a halted sibling's CPL is an open question; see qualify.ti");
    struct at_both counts = packed_sp_at_both(bits);
    expect_between(os ? LONG - slack : 0, os ? LONG + slack : 0, counts.at0, "uops at CPL 0, ESCR[3:0] = %1H",
                   bits);
    expect_between(usr ? LONG - slack : 0, usr ? LONG + slack : 0, counts.at3,
                   "uops at CPL 3, ESCR[3:0] = %1H", bits);
}

static unsigned os_usr(void)
{
    return 4;
}

static void os_usr_suffix(unsigned member, char *out, size_t size)
{
    format(out, size, "%u%u", member >> 1, member & 1);
}

static const struct family every_os_usr = {os_usr, os_usr_suffix, 0};

static void thread_independent_single(unsigned member)
{
    thread_independent_alone(member << 2); /* OS is bit 3, USR bit 2 */
}

static uint64_t clocks_with_active(unsigned active)
{
    struct pmc_programming p;
    struct frame frame;

    pmc_clear(&machine_cpu);
    pmc_program(&p, EVENT_GLOBAL_POWER_EVENTS, GLOBAL_POWER_RUNNING, escr_self(true, true), 3);
    p.cccr = (p.cccr & ~CCCR_ACTIVE_MASK) | CCCR_ACTIVE_THREAD(active);
    frame_init(&frame, 12);
    frame_phase(&frame, 0, &work_loop, 4000);
    frame_count(&frame, &p, 0, &p);
    pmc_arm(&p, 0);
    frame_measure(&frame);
    return pmc_read(3);
}

static const char *const active_name[4] = {"none", "single", "both", "any"};

static void check_active(const bool counts[4], const char *state)
{
    for (unsigned active = 0; active < 4; active++) {
        uint64_t clocks = clocks_with_active(active);
        if (counts[active])
            expect_true(clocks > 500, "clocks counted with ACTIVE_THREAD = %s, %s", active_name[active],
                        state);
        else
            expect_equal(0, clocks, "clocks counted with ACTIVE_THREAD = %s, %s", active_name[active], state);
    }
}

static void active_parked(unsigned member)
{
    static const bool counts[4] = {[ACTIVE_SINGLE] = true, [ACTIVE_ANY] = true};

    (void)member;
    check_active(counts, "the sibling asleep");
}

static void active_running(unsigned member)
{
    static const bool counts[4] = {[ACTIVE_BOTH] = true, [ACTIVE_ANY] = true};

    (void)member;
    spin = (struct spin){0, 0};
    expect_true(smp_start(spin_work, &spin), "the sibling takes work");
    spin_wait(&spin, 2);
    check_active(counts, "both running");
    spin.stop = 1;
    expect_true(smp_wait(100000), "the sibling ends its loop");
}

static const struct vector qualify_rows[] = {
    {"qualify.ts", "own instructions at CPL 0 to 3 counted exactly by this logical processor's bits",
     "R11 R12", 0, false, 5000, thread_specific, &every_qualification},
    {"qualify.ts-sibling", "the sibling's instructions counted exactly by its bits", "R12", NEED_SIBLING,
     false, 5000, thread_specific_sibling, &every_qualification},
    {"qualify.sibling", "the sibling's events by its bits of every ESCR", "R12", NEED_SIBLING, false, 5000,
     sibling_on_every_escr, 0},
    {"qualify.ti", "a thread-independent event, both running", "R13", NEED_SIBLING | NEED_SSE2, false, 5000,
     thread_independent, &every_qualification},
    {"qualify.ti-single", "a thread-independent event on a part with one thread", "R11 R13", NEED_SSE2, false,
     2000, thread_independent_single, &every_os_usr},
    {"qualify.active.parked", "ACTIVE_THREAD with the sibling asleep: single and any", "R18", NEED_SMT, false,
     2000, active_parked, 0},
    {"qualify.active.running", "ACTIVE_THREAD with both running: both and any", "R18", NEED_SIBLING, false,
     2000, active_running, 0},
};
VECTOR_GROUP(qualify);
