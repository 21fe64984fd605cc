/*
 * Accesses that are refused, and the write that follows (RDMSR, WRMSR, RDPMC; 18.15.2, 18.15.1; R3, R4, R60).
 *
 * Between the registers of the PMU are addresses without a register. This vector accesses such addresses,
 * writes at CPL 3, writes bit 31 of ESCRs, and reads by RDPMC with an index that no part has. An access that
 * is refused by #GP must change nothing, and the next write must be taken like any other. So every counter,
 * CCCR and ESCR holds a value of its own, and goes through all of this. Each is also written with EDX =
 * FFFFFFFFH, and an ESCR with all 16 bits of its event mask: it must keep the documented ones, and elsewhere
 * than on 0F43H it may keep others, too. At the end every register must hold what it held before.
 *
 * That an access to an address without a register is #GP was recorded on 0F43H up to 3F2H (pmu-rules 3.5), as
 * were bit 31 of ESCRs, bit 11 of CCCRs, and bits 7 and 14 of IA32_MISC_ENABLE. On other parts, and at
 * addresses with one bit more than those of registers, one that answers RDMSR is not written; it must only
 * not read as a register of the PMU. None from 3F3H to FFFH is touched: some answer on 0F43H, and nobody
 * knows what they are.
 *
 * Nothing is enabled or armed, and no event is selected when a counter is read, so nothing counts (E1).
 */
#include "kernel/x86/cpu.h"
#include "pmc/msr.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "tests/suite/documented.h"
#include "tests/suite/vector.h"

#define GENERAL_PROTECTION 13
#define GAPS_END           0x3F2
#define NO_INDEX           FIELD_MASK(30, 0)
#define VALUE              0x8123456789ull /* of counter 0 */
#define ALTERNATING        0x55555555u

enum kind { COUNTER, CCCR, ESCR };

#define REGISTERS (2 * PMC_COUNTERS + PMC_ESCRS)

static struct held {
    const char *name;
    enum kind kind;
    uint32_t msr;
    uint64_t value, other, judged; /* two values, and which bits of them may be judged */
} held[REGISTERS];
static unsigned registers;

static void add(enum kind kind, uint32_t msr, const char *name, uint64_t value, uint64_t other)
{
    if (pmc_has_register(&machine_cpu, msr))
        held[registers++] = (struct held){name, kind, msr, value, other, pmc_judged_bits(&machine_cpu, msr)};
}

/* The value has neither CASCADE nor bit 11, by which OVF would start a counter. */
static uint64_t cccr_value(unsigned n, uint32_t pattern)
{
    const uint64_t fixed = machine_cpu.ht ? 0 : CCCR_ACTIVE_THREAD(ACTIVE_ANY);

    return (cccr_documented(n) & pattern & ~(CCCR_CASCADE | CCCR_CASCNT | CCCR_OVF_PMI | CCCR_OVF_PMI_T1)) |
           machine_ovf(n) | CCCR_THRESHOLD(n % 15 + 1) | fixed;
}

static void fill(void)
{
    pmc_clear(&machine_cpu);
    registers = 0;
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        add(COUNTER, MSR_COUNTER(n), PMC_COUNTER[n].counter_name, VALUE + n, (~VALUE - n) & COUNTER_MASK);
        add(CCCR, MSR_CCCR(n), PMC_COUNTER[n].cccr_name, cccr_value(n, ALTERNATING & ~CCCR_COMPARE),
            cccr_value(n, ~ALTERNATING & ~CCCR_COMPARE));
    }
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        const uint64_t bits = escr_documented(&PMC_ESCR[i]);
        if (machine_cpu.model <= PMC_ESCR[i].last_model)
            add(ESCR, PMC_ESCR[i].msr, PMC_ESCR[i].name, bits & ~ESCR_SELECT_MASK, bits & ALTERNATING);
    }
    for (const struct held *h = held; h < held + registers; h++)
        msr_write(h->msr, h->value);
}

static bool expect_value(uint32_t rules, const struct held *h, uint64_t value, const char *after)
{
    return expect_register(rules, value & h->judged, msr_read(h->msr) & h->judged, "%R after %s", h->name,
                           after);
}

static void expect_all_held(uint32_t rules, const char *after)
{
    for (const struct held *h = held; h < held + registers; h++)
        expect_value(rules, h, h->value, after);
}

/* Expect that the next write is taken, and write what the register held before. */
static void write_on(const struct held *h, const char *after)
{
    msr_write(h->msr, h->other);
    expect_value(R3, h, h->other, after);
    msr_write(h->msr, h->value);
}

/* ---- Addresses without a register ---- */

/* IQ_ESCR0 and 1, which are not documented for models from 3 on, are not among them. */
static const struct gap {
    uint32_t first, last;
} GAPS[] = {{0x312, 0x35F}, {0x372, 0x39F}, {0x3BF, 0x3BF}, {0x3C6, 0x3C7}, {0x3CE, 0x3DF}, {0x3E2, 0x3EF}};

static bool is_alias(uint64_t value)
{
    for (const struct held *h = held; h < held + registers; h++)
        if (value == msr_read(h->msr) && value != 0)
            return true;
    return false;
}

/* Returns false if the address answers. */
static bool refuses_read(uint32_t msr)
{
    uint64_t value = 0;
    const unsigned fault = msr_try_read(msr, &value);

    if (fault != NO_FAULT || (machine_cpu.signature == SIGNATURE_F43 && msr <= GAPS_END))
        expect_fault(R3, GENERAL_PROTECTION, fault, "exception of RDMSR(%3H), which has no register", msr);
    else
        expect_true(R3, !is_alias(value), "%3H, which has no register, reads %llH as one does", msr, value);
    return fault != NO_FAULT;
}

static void touch(const struct gap *gap)
{
    uint32_t msr;

    for (msr = gap->first; msr <= gap->last; msr++)
        refuses_read(msr);
    expect_all_held(RULES(R3, R57), "RDMSR of addresses without a register");
    for (msr = gap->first; msr <= gap->last; msr++) {
        if (!refuses_read(msr))
            continue;
        expect_fault(R3, GENERAL_PROTECTION, msr_try_write(msr, 0), "exception of WRMSR(%3H) := 0", msr);
        expect_fault(R3, GENERAL_PROTECTION, msr_try_write(msr, ALTERNATING & ~CCCR_ENABLE),
                     "exception of WRMSR(%3H), which has no register", msr);
    }
    expect_all_held(R3, "WRMSR of addresses without a register");
}

/* ---- Refused, each register in its turn ---- */

struct user_write {
    const struct held *register_of;
    unsigned fault;
};

static void write_at_user_level(void *arg)
{
    struct user_write *w = arg;

    w->fault = msr_try_write(w->register_of->msr, w->register_of->other);
}

static void refuse_user(const struct held *h)
{
    struct user_write w = {h, NO_FAULT};

    ring_run(3, write_at_user_level, &w);
    expect_fault(R60, GENERAL_PROTECTION, w.fault, "exception of WRMSR(%3H) at CPL 3", h->msr);
    expect_value(R3, h, h->value, "WRMSR at CPL 3");
    write_on(h, "a write that follows a #GP at CPL 3");
}

static void refuse_escr(const struct held *h)
{
    const uint32_t mask = ESCR_EVENT_MASK_MASK;

    const unsigned fault = msr_try_write(h->msr, h->other | ESCR_RESERVED_31);

    if (machine_cpu.signature == SIGNATURE_F43)
        expect_fault(R3, GENERAL_PROTECTION, fault, "exception of a write of bit 31 of %s", h->name);
    if (fault != NO_FAULT) {
        expect_value(R3, h, h->value, "a write of bit 31, which was refused");
        write_on(h, "the write that follows that of bit 31");
    }
    if (msr_try_write(h->msr, h->other | mask) == NO_FAULT) {
        const uint64_t read = msr_read(h->msr), extra = machine_cpu.signature == SIGNATURE_F43 ? 0 : mask;
        const uint64_t due = h->other | (h->value & mask);

        expect_register(R3, due, read & (due | ~extra), "%s with all 16 bits of the event mask", h->name);
    }
    msr_write(h->msr, h->value);
}

/* Bits 63:32 of a CCCR or an ESCR are ignored (pmu-rules 3.4). If they are refused, nothing may change. */
static void write_high(const struct held *h)
{
    const bool refused = msr_try_write(h->msr, h->other | ~0ull << 32) != NO_FAULT;

    expect_value(R3, h, refused ? h->value : h->other, "a write with EDX = FFFFFFFFH");
    if (h->kind == CCCR && machine_cpu.signature == SIGNATURE_F43 &&
        PMC_COUNTER[h->msr - MSR_CCCR(0)].extended_from == PMC_NONE &&
        msr_try_write(h->msr, h->other | CCCR_CASCNT) == NO_FAULT)
        expect_register(R3, h->other, msr_read(h->msr), "%R after bit 11 was written 1", h->name);
    msr_write(h->msr, h->value);
}

/* F31: bits 63:40 are ignored, on all models. */
static void refuse_counter(const struct held *h)
{
    const unsigned n = h->msr - MSR_COUNTER(0);
    const uint64_t high = ~COUNTER_MASK, values[] = {~0ull << 32 | n, high | h->other};
    uint64_t full = 0, fast = 0;

    for (unsigned i = 0; i < COUNT_OF(values); i++) {
        const uint64_t due = values[i] & COUNTER_MASK;

        const unsigned fault = msr_try_write(h->msr, values[i]);

        rdpmc_try(n, &full);
        rdpmc_try(n | RDPMC_FAST, &fast);
        expect_fault(R3, NO_FAULT, fault, "exception of WRMSR(%3H) := %llH", h->msr, values[i]);
        const bool kept = expect_value(RULES(R3, R4), h, due,
                                       i ? "bits 63:40 were written 1" : "a write with EDX = FFFFFFFFH");
        uint32_t rules = kept ? RULES(R60, R4) : RULES(R3, R4);

        expect_register(rules, due, full, "RDPMC(%C) of it", n);
        expect_register(rules, FIELD_GET(31, 0, due), fast, "fast RDPMC(%C) of it", n);
        msr_write(h->msr, h->value);
    }
    expect_fault(R60, GENERAL_PROTECTION, rdpmc_try(NO_INDEX, &full), "exception of RDPMC with index %8H",
                 NO_INDEX);
    expect_value(RULES(R3, R57), h, h->value, "RDPMC was refused");
    write_on(h, "the write that follows a refused RDPMC");
}

/* A reading follows at once that of the next counter. */
static void read_backwards(void)
{
    uint64_t value[PMC_COUNTERS];

    for (unsigned n = PMC_COUNTERS; n-- > 0;)
        rdpmc_try(n, &value[n]);
    for (const struct held *h = held; h < held + registers; h++)
        if (h->kind == COUNTER)
            expect_register(R60, h->value, value[h->msr - MSR_COUNTER(0)],
                            "RDPMC of %R, the others before it", h->name);
}

/* IA32_MISC_ENABLE[7] is read-only, and a write of 1 to bit 14 is refused. */
static void refuse_misc_enable(void)
{
    const uint64_t before = msr_read(MSR_IA32_MISC_ENABLE);

    msr_try_write(MSR_IA32_MISC_ENABLE, before & ~MISC_ENABLE_PERFMON);
    expect_register(R3, before | MISC_ENABLE_PERFMON, msr_read(MSR_IA32_MISC_ENABLE),
                    "IA32_MISC_ENABLE, bit 7 written 0");
    expect_fault(R3, GENERAL_PROTECTION, msr_try_write(MSR_IA32_MISC_ENABLE, before | FIELD_MASK64(14, 14)),
                 "exception of WRMSR(IA32_MISC_ENABLE) with bit 14");
    msr_try_write(MSR_IA32_MISC_ENABLE, before);
}

static void refused(void)
{
    fill();
    expect_all_held(RULES(R3, R4), "all were written");
    read_backwards();
    if (machine_cpu.signature == SIGNATURE_F43)
        refuse_misc_enable();
    for (unsigned i = 0; i < COUNT_OF(GAPS); i++)
        touch(&GAPS[i]);
    for (unsigned bit = 12; bit < 32; bit++) /* which no address of a register has */
        for (unsigned i = bit % 4; i < registers; i += 27)
            touch(&(struct gap){held[i].msr | 1u << bit, held[i].msr | 1u << bit});
    for (const struct held *h = held; h < held + registers; h++) {
        refuse_user(h);
        if (h->kind == ESCR)
            refuse_escr(h);
        if (h->kind == COUNTER)
            refuse_counter(h);
        else
            write_high(h);
        if (refuses_read(GAPS[0].first) && msr_try_write(GAPS[0].first, 0) != NO_FAULT)
            write_on(h, "the write that follows one of an address without a register");
    }
    expect_all_held(RULES(R3, R4, R60), "all accesses that were refused, and those that followed");
    pmc_clear(&machine_cpu);
}

static const struct vector refused_rows[] = {
    CHECK("access.refused", "what is refused changes nothing, and the next write is taken",
          .deadline_ms = 5000, .stages = STAGE_REGISTERS, .run = refused),
};
VECTOR_GROUP(refused);
