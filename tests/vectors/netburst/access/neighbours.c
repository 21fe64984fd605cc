/*
 * A register access that leaves every other register alone (18.15.1 to 18.15.3, 18.15.5.4; R2 to R4, R29,
 * R32, R57).
 *
 * access.* looks for a register that takes what was written to another one: all others hold 0. Here they hold
 * something to lose. Every counter is enabled and has a value of its own and an OVF that an overflow has set;
 * every ESCR has its OS and USR flags, which select no event. Then each counter is read by RDMSR, by RDPMC
 * and by the fast form, and written 0; it is stopped, started and acknowledged; each ESCR is written 0.
 * Nothing but the register that was written may change, and reading changes nothing. No event is selected
 * meanwhile, so that nothing counts and an access adds nothing (E1).
 *
 * After that accesses are drawn: the register, all its fields, who accesses it, and what the other logical
 * processor does meanwhile; it gets INIT, too.
 */
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "tests/suite/course.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/halt.h"
#include "tests/suite/machine.h"
#include "tests/suite/needs.h"
#include "tests/suite/soak.h"
#include "tests/suite/bits.h"
#include "tests/suite/documented.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/companion.h"
#include "pmc/netburst/setup.h"
#include "kernel/smp/smp.h"

/* The registers by number: counters, CCCRs, ESCRs. */
#define CCCRS     PMC_COUNTERS
#define ESCRS     (CCCRS + PMC_COUNTERS)
#define REGISTERS (ESCRS + PMC_ESCRS)

static uint32_t register_at(unsigned i)
{
    return i < CCCRS ? MSR_COUNTER(i) : i < ESCRS ? MSR_CCCR(i - CCCRS) : PMC_ESCR[i - ESCRS].msr;
}

static const char *name_at(unsigned i)
{
    return i < CCCRS   ? PMC_COUNTER[i].counter_name
           : i < ESCRS ? PMC_COUNTER[i - CCCRS].cccr_name
                       : PMC_ESCR[i - ESCRS].name;
}

/* What each register holds, when nothing disturbs it. */
static struct {
    uint32_t msr; /* 0 where this part does not have it */
    uint64_t value, judged, seen;
} held[REGISTERS];

static bool alone; /* this logical processor was halted while the sibling did something last */

/* While the sibling does it, this logical processor waits at CPL 3, or is halted, by turns. */
static void let(bool sibling, void (*fn)(void *), void *arg)
{
    if (!sibling) {
        fn(arg);
        return;
    }
    alone = !alone;
    companion_do(fn, arg, alone);
    irq_on();
}

/* What has just been done: to a register, or to a logical processor. */
enum deed { WRITTEN, READ, HALTED, RESTARTED };

/* How a failure names it. whom: null: the register that was accessed. */
static const struct {
    const char *whom, *what;
} DEED[] = {[WRITTEN] = {NULL, "written"},
            [READ] = {NULL, "read"},
            [HALTED] = {"this logical processor", "halted"},
            [RESTARTED] = {"the other logical processor", "sent INIT"}};

/* The rules by which it leaves register i as it is, even if i is the register that was accessed. */
static uint32_t rules_of(unsigned i, unsigned accessed, enum deed deed)
{
    if (deed == READ)
        return R57;
    if (deed == HALTED)
        return R42;
    if (deed == RESTARTED)
        return R1;
    if (accessed < CCCRS)
        return R4;
    if (accessed < ESCRS)
        return i < CCCRS ? R32 : i == accessed ? RULES(R3, R32) : RULES(R32, R3);
    return i < ESCRS ? R2 : R3;
}

static void look(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < REGISTERS; i++)
        if (held[i].msr)
            held[i].seen = msr_read(held[i].msr);
}

/* Every register is looked at. The log counts one that may well change, one beside it, and what differs. */
static void expect_held_by(bool sibling, enum deed deed, unsigned accessed)
{
    const unsigned beside = (accessed + CCCRS) % REGISTERS;

    let(sibling, look, NULL);
    for (unsigned i = 0; i < REGISTERS; i++)
        if (held[i].msr && (i == accessed || i == beside || (held[i].value ^ held[i].seen) & held[i].judged))
            expect_register(rules_of(i, accessed, deed), held[i].value & held[i].judged,
                            held[i].seen & held[i].judged, "%R after %s was %s", name_at(i),
                            DEED[deed].whom ? DEED[deed].whom : name_at(accessed), DEED[deed].what);
}

static void expect_held(enum deed deed, unsigned accessed)
{
    expect_held_by(false, deed, accessed);
}

/* Write a register, expect it to hold the value and all others what they held, and write it back. */
static void write_and_look(unsigned i, uint64_t value)
{
    const uint64_t before = held[i].value;

    if (!held[i].msr)
        return;
    msr_write(held[i].msr, value);
    held[i].value = value;
    expect_held(WRITTEN, i);
    msr_write(held[i].msr, before);
    held[i].value = before;
}

/* ---- Registers with something to lose ---- */

#define WORK  1000            /* laps of a loop, as many clocks */
#define SOON  100             /* clocks */
#define VALUE 0x1111111111ull /* of counter 0; each next counter holds 1 more */

/* An ESCR select of counter n that selects an ESCR, this one or the next that does; what the other selects
 * deliver is open (10.7b). */
static unsigned select_of(unsigned n, unsigned first)
{
    unsigned select = first;

    while (!pmc_escr_for(n, select) || !pmc_has_register(&machine_cpu, pmc_escr_for(n, select)->msr))
        select = (select + 1) % 8;
    return select;
}

/* Does a cascade start counter n, if cascades start counters? One of two that start each other. */
static bool is_started(unsigned n, bool by_cascade)
{
    return by_cascade && PMC_COUNTER[n].cascade_from != PMC_NONE && PMC_COUNTER[n].cascade_from < (int)n &&
           PMC_COUNTER[n].cascade_from_alternative == PMC_NONE;
}

/* Threshold and EDGE do nothing without COMPARE (R21). */
static uint32_t cccr_at_rest(unsigned n, bool by_cascade)
{
    return (is_started(n, by_cascade) ? CCCR_CASCADE : CCCR_ENABLE) | CCCR_OVF |
           CCCR_ESCR_SELECT(select_of(n, n % 8)) | CCCR_ACTIVE_THREAD(ACTIVE_ANY) |
           CCCR_THRESHOLD(n % 15 + 1) | CCCR_EDGE;
}

/* Let every counter overflow by clocks. Returns the counters that have set OVF. */
static uint32_t overflow_all(bool by_cascade)
{
    for (unsigned n = PMC_COUNTERS; n-- > 0;) {
        struct pmc_programming p = stimulus_program(stimulus_a(n), n);
        p.cccr |= at_or_below(15);
        require_true(R4, pmc_arm(&p, COUNTER_OVERFLOW_IN(SOON)), "counter %C holds its preset", n);
        if (is_started(n, by_cascade))
            pmc_arm_cascade(&p);
        else
            pmc_start(&p);
    }
    work_exercise(&work_loop, WORK);
    const bool dead = !pmc_overflowed(1) && machine_has_erratum(PMC_E4);
    uint32_t due = dead ? ALL_COUNTERS & ~(1u << 1) : ALL_COUNTERS;

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (dead && is_started(n, by_cascade) && PMC_COUNTER[n].cascade_from == 1)
            due &= ~(1u << n);
    expect_register(RULES(R29, R28, R16), due, overflows(), "OVFs, one bit a counter, of clocks");
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        msr_write(MSR_CCCR(n), cccr_at_rest(n, by_cascade) & ~(due >> n & 1 ? 0 : CCCR_OVF));
    return due;
}

static void fill(bool by_cascade)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        const uint32_t msr = register_at(i);
        held[i].msr = pmc_has_register(&machine_cpu, msr) ? msr : 0;
        held[i].judged = pmc_judged_bits(&machine_cpu, msr);
    }
    const uint32_t due = overflow_all(by_cascade), kept = overflows();

    expect_register(RULES(R32, R29), due, kept, "OVFs, one bit a counter, after all CCCRs were written");
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        if (held[ESCRS + i].msr)
            msr_write(PMC_ESCR[i].msr, escr_self_all());
    const uint32_t left = overflows();
    expect_register(R2, kept, left, "OVFs, one bit a counter, after all ESCRs were written");
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        require_true(R4, pmc_preset(n, VALUE + n), "counter %C holds a value, its ESCR without an event", n);
    for (unsigned i = 0; i < REGISTERS; i++)
        held[i].value = held[i].msr ? msr_read(held[i].msr) : 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) /* as every write must have it without Hyper-Threading */
        held[CCCRS + n].value |= CCCR_ACTIVE_THREAD(ACTIVE_ANY);
    expect_register(R4, left, overflows(), "OVFs, one bit a counter, after all counters were written");
}

static void read_counter(unsigned n)
{
    uint64_t full, fast;

    expect_register(RULES(R57, R4), VALUE + n, msr_read(MSR_COUNTER(n)), "%R", name_at(n));
    expect_fault(R60, NO_FAULT, rdpmc_try(n, &full), "exception of RDPMC(%C)", n);
    expect_fault(R60, NO_FAULT, rdpmc_try(n | RDPMC_FAST, &fast), "exception of fast RDPMC(%C)", n);
    expect_register(R60, VALUE + n, full, "RDPMC(%C)", n);
    expect_register(R60, FIELD_GET(31, 0, VALUE + n), fast, "fast RDPMC(%C)", n);
    expect_held(READ, n);
}

static void neighbours(void)
{
    fill(false);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const unsigned cccr = CCCRS + n;
        const uint64_t at_rest = held[cccr].value;

        read_counter(n);
        write_and_look(n, 0);
        write_and_look(cccr, at_rest & ~CCCR_ENABLE);
        if (!machine_has_erratum(PMC_E22)) /* OVF could not be set again */
            write_and_look(cccr, at_rest & ~CCCR_OVF);
    }
    for (unsigned i = ESCRS; i < REGISTERS; i++)
        write_and_look(i, 0);
}

/* ---- One set of registers for both logical processors (18.16; R5) ---- */

/*
 * Either logical processor must read in every counter, CCCR and ESCR what either of them wrote last. A stale
 * or a second copy shows as an older value. Values differ from register to register, so that one that is read
 * in place of another shows, too. What the sibling does to counters that run is in the courses.
 */

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
                                "%R as LP%u reads it after %s wrote it", r->at[i].name, smp_self() ^ reader,
                                reader == writer ? "it" : "the other");
        }
    }
}

static void at_rest(void)
{
    struct registers counters = {0}, cccrs = {0}, escrs = {0};

    alone = false;
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

/* ---- Accesses drawn at random ---- */

#define ROUNDS   12
#define ACCESSES 120 /* of a round */
#define HALT_US  5

static uint64_t draw_bits(struct random *r)
{
    const uint64_t high = course_random(r, 1u << 20);

    return high << 20 | course_random(r, 1u << 20);
}

/* An ESCR without flags selects its event for nobody, but for the events of the IOQ (R14), whose selects have
 * bit 1; and one without an event select none. */
static uint64_t draw_escr(const struct pmc_escr *escr, struct random *r)
{
    const uint32_t none = course_random(r, 2) ? ESCR_CPL_MASK | ESCR_EVENT_SELECT(2) : ESCR_SELECT_MASK;
    uint64_t bits = draw_bits(r);
    const unsigned mask = course_random(r, 3);

    if (mask == 0)
        bits |= ESCR_EVENT_MASK_MASK;
    else if (mask == 1)
        bits &= ~(uint64_t)ESCR_EVENT_MASK_MASK;
    return escr_documented(escr) & bits & ~(uint64_t)none;
}

/* OVF is cleared or stays. With COMPARE and COMPLEMENT an access might add to a counter (E1, question 11.1).
 */
static uint64_t draw_cccr(unsigned n, struct random *r)
{
    const bool kept = machine_has_erratum(PMC_E22) || course_random(r, 16);
    uint64_t value = draw_bits(r) & (cccr_documented(n) | CCCR_ENABLE) & ~(uint64_t)CCCR_ESCR_SELECT_MASK;

    if (value & CCCR_COMPARE)
        value &= ~(uint64_t)CCCR_COMPLEMENT;
    return value | CCCR_ESCR_SELECT(select_of(n, course_random(r, 8))) |
           (kept ? held[CCCRS + n].value & CCCR_OVF : 0) |
           (machine_cpu.ht ? 0 : CCCR_ACTIVE_THREAD(ACTIVE_ANY));
}

/* A counter that a cascade may run may read as enabled (question 10.1). */
static void hold(unsigned i, uint64_t value)
{
    const bool armed = i >= CCCRS && i < ESCRS && value & (CCCR_CASCADE | CCCR_CASCNT);
    const uint64_t open = armed && !(value & CCCR_ENABLE) ? CCCR_ENABLE : 0;

    held[i].value = value;
    held[i].judged = pmc_judged_bits(&machine_cpu, held[i].msr) & ~open;
}

static void write_held(void *index)
{
    const unsigned i = *(const unsigned *)index;

    msr_write(held[i].msr, held[i].value);
}

struct rdpmc {
    unsigned counter, fault;
    uint64_t value;
};

static void do_rdpmc(void *rdpmc)
{
    struct rdpmc *r = rdpmc;

    r->fault = rdpmc_try(r->counter, &r->value);
}

static void read_by_rdpmc(bool sibling, unsigned n)
{
    struct rdpmc r = {.counter = n};

    let(sibling, do_rdpmc, &r);
    expect_fault(R60, NO_FAULT, r.fault, "exception of RDPMC(%C)", n);
    expect_register(R60, held[n].value, r.value, "RDPMC(%C)", n);
    expect_held(READ, n);
}

/* A counter or its CCCR, or the ESCR that it selects. */
static unsigned draw_register(unsigned n, struct random *r)
{
    const unsigned kind = course_random(r, 4);
    const struct pmc_escr *escr = pmc_escr_for(n, CCCR_GET_ESCR_SELECT(held[CCCRS + n].value));

    return kind == 0 ? n : kind == 1 && escr ? ESCRS + (unsigned)(escr - PMC_ESCR) : CCCRS + n;
}

static void access_one(bool sibling, struct random *r)
{
    const bool reader = sibling && course_random(r, 2);
    const unsigned n = course_random(r, PMC_COUNTERS);
    unsigned i = draw_register(n, r);

    if (!held[i].msr)
        return;
    if (i == n && course_random(r, 2)) {
        read_by_rdpmc(reader, n);
        return;
    }
    hold(i, i < CCCRS   ? draw_bits(r) & COUNTER_MASK
            : i < ESCRS ? draw_cccr(n, r)
                        : draw_escr(&PMC_ESCR[i - ESCRS], r));
    let(sibling && course_random(r, 2), write_held, &i);
    expect_held_by(reader, WRITTEN, i);
    expect_held_by(reader, READ, i); /* as all were just now */
}

/* INIT takes 10 ms: in two of four rounds, one of which has cascades (fill()). */
static void restart_sibling(unsigned round)
{
    if (round / 2 % 2)
        return;
    companion_restart();
    companion_begin();
    expect_held(RESTARTED, CCCRS);
}

static void drawn(void)
{
    const bool sibling = machine_meets() & NEED_SIBLING;
    struct random r = {.state = 0x9E3779B9u * (soak_loop() + 1)};

    alone = false;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(round % 2);
        for (unsigned n = CCCRS; n < ESCRS; n++)
            if (held[n].msr)
                hold(n, held[n].value & ~(uint64_t)(is_started(n - CCCRS, round % 2) ? CCCR_ENABLE : 0));
        if (sibling)
            companion_begin();
        for (unsigned n = 0; n < ACCESSES; n++) {
            if (sibling && course_random(&r, 16) == 0)
                companion_run(course_random(&r, 2));
            if (sibling && n == ACCESSES / 2)
                restart_sibling(round);
            if (course_random(&r, 16) == 0) {
                halt_for_us(HALT_US);
                expect_held(HALTED, CCCRS);
            }
            access_one(sibling, &r);
        }
        if (sibling)
            companion_end();
        pmc_clear(&machine_cpu);
    }
}

static const struct vector neighbours_rows[] = {
    CHECK("access.neighbours",
          "no access to a register changes another one, or an OVF; reading changes nothing",
          .deadline_ms = 5000, .stages = STAGE_COUNT, .run = neighbours),
    CHECK("access.sibling.rest", "all registers: each logical processor reads what either of them wrote",
          .needs = NEED_SIBLING, .stages = STAGE_REGISTERS, .run = at_rest),
    CHECK("access.drawn", "drawn accesses by both logical processors: each register keeps what it holds",
          .needs = NEED_LAPIC, .deadline_ms = 5000, .stages = STAGE_COUNT, .run = drawn),
};
VECTOR_GROUP(neighbours);
