/*
 * Probes of reserved bits (pmu-rules 3.4, questions 10.8, 10.10 and 10.13; R3): does a write of 1 fault, is
 * it dropped, or is the bit kept? Does a bit that is kept change what is counted?
 *
 * Each bit is written alone, with nothing enabled, by the form that survives a fault, and the register is 0
 * again afterwards. Bits 10:8 of the last two CCCRs, of unknown purpose, are only read back. A probe judges
 * nothing; its lines go to the sheet.
 */
#include "tests/vectors/netburst/cascade/cascade.h"
#include "tests/suite/machine.h"
#include "pmc/msr.h"
#include "tests/suite/sheet.h"
#include "tests/suite/stimulus.h"

/* What became of the bits of a field in several registers. */
struct fate {
    uint64_t field;
    uint64_t faulted, kept;         /* in some register */
    uint64_t all_faulted, all_kept; /* in every register */
    unsigned registers;
};

static struct fate fate_of(uint64_t field)
{
    return (struct fate){.field = field, .all_faulted = field, .all_kept = field};
}

/* Try each bit of the field in one register. Returns those that were kept. */
static uint64_t try_bits(struct fate *fate, uint32_t msr, uint64_t fixed)
{
    uint64_t faulted = 0, kept = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t one = fate->field & 1ull << bit, value = 0;

        if (one == 0)
            continue;
        if (msr_try_write(msr, fixed | one) != NO_FAULT)
            faulted |= one;
        else if (msr_try_read(msr, &value) == NO_FAULT)
            kept |= value & one;
    }
    msr_write(msr, 0);
    fate->faulted |= faulted;
    fate->kept |= kept;
    fate->all_faulted &= faulted;
    fate->all_kept &= kept;
    fate->registers++;
    return kept;
}

static void state(const char *point, const struct fate *fate, const char *when_kept)
{
    if (fate->registers == 0)
        sheet_line(point, "not probed: not reserved on this part");
    else if (fate->all_faulted == fate->field)
        sheet_line(point, "faults");
    else if (fate->all_kept == fate->field)
        sheet_line(point, "kept%s", when_kept);
    else if (fate->faulted == 0 && fate->kept == 0)
        sheet_line(point, "ignored");
    else
        sheet_line(point, "%llH fault and %llH are kept%s, in some of %u registers", fate->faulted,
                   fate->kept, fate->kept ? when_kept : "", fate->registers);
}

static void reserved_counter(void)
{
    struct fate high = fate_of(~COUNTER_MASK);

    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        try_bits(&high, MSR_COUNTER(n), 0);
    state("10.8a", &high, "");
}

/* ---- CCCRs ---- */

#define OCCURRENCES 100

/* Does bit 11 let an overflow of this X start the counter? */
static bool bit_11_starts(uint8_t x, unsigned counter)
{
    struct cascade c;

    if (x == counter)
        return false;
    pmc_clear(&machine_cpu);
    cascade_program(&c, &(struct cascade_link){x, (uint8_t)counter, true});
    cascade_arm(&c);
    const bool starts = cascade_starts(&c);
    pmc_clear(&machine_cpu);
    return starts;
}

/* Does the counter count the same with bits of its CCCR set as without, and start no more than without? */
static bool inert(unsigned counter, uint64_t bits)
{
    if ((bits & CCCR_CASCNT) && (bit_11_starts(16, counter) || bit_11_starts(17, counter)))
        return false;

    enum stimulus_id id = stimulus_a(counter);
    struct pmc_programming p = stimulus_prepared(id, counter);
    uint64_t without = count_of(&p, STIMULUS[id].work, OCCURRENCES);

    p.cccr |= (uint32_t)bits;
    uint64_t with = count_of(&p, STIMULUS[id].work, OCCURRENCES);
    stimulus_finish(id);
    return without == with;
}

/* A field of the CCCRs that `in` selects. What is kept is tried on the last counter that keeps it, because
 * the IQ block counts exactly. */
static void reserved_field(const char *point, uint64_t field, bool (*in)(unsigned counter))
{
    const uint64_t fixed = CCCR_ACTIVE_THREAD(ACTIVE_ANY);
    struct fate fate = fate_of(field);
    unsigned counter = 0;
    uint64_t kept = 0;

    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (!in(n))
            continue;
        uint64_t bits = try_bits(&fate, MSR_CCCR(n), fixed);
        if (bits) {
            counter = n;
            kept = bits;
        }
    }
    state(point, &fate, kept == 0 || inert(counter, kept) ? ", inert" : ", and change what is counted");
}

#define UNKNOWN_10_8 FIELD_MASK(10, 8) /* a field of the CCCRs of counters 16 and 17 */

static bool last_two(unsigned counter)
{
    return counter >= PMC_COUNTERS - 2;
}

static bool all_but_two(unsigned counter)
{
    return !last_two(counter);
}

static bool has_no_bit_11(unsigned counter)
{
    return !machine_cpu.extended_cascade || PMC_COUNTER[counter].extended_from == PMC_NONE;
}

static bool has_no_t1(unsigned counter)
{
    (void)counter;
    return !machine_cpu.ht;
}

static bool every(unsigned counter)
{
    (void)counter;
    return true;
}

static void reserved_cccr(void)
{
    struct fate high = fate_of(CCCR_RESERVED_HIGH), unknown = fate_of(UNKNOWN_10_8);

    reserved_field("10.8b", CCCR_RESERVED_LOW & ~UNKNOWN_10_8, every);
    reserved_field("10.8c", UNKNOWN_10_8, all_but_two);
    reserved_field("10.8d", CCCR_CASCNT, has_no_bit_11);
    reserved_field("10.8e", CCCR_OVF_PMI_T1, has_no_t1);
    reserved_field("10.8f", CCCR_RESERVED_MID, every);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        try_bits(&high, MSR_CCCR(n), CCCR_ACTIVE_THREAD(ACTIVE_ANY));
        if (last_two(n))
            try_bits(&unknown, MSR_CCCR(n), CCCR_ACTIVE_THREAD(ACTIVE_ANY));
    }
    state("10.8g", &high, "");
    state("10.10", &unknown, "");
}

/* ---- ESCRs ---- */

static void reserved_escr(void)
{
    struct fate bit31 = fate_of(ESCR_RESERVED_31), high = fate_of(ESCR_RESERVED_HIGH);
    struct fate t1 = fate_of(ESCR_T1_ALL);
    const uint64_t documented = FIELD_MASK(30, 0) & ~(machine_cpu.ht ? 0 : ESCR_T1_ALL);
    unsigned full = 0, as_f43 = 0;

    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        const struct pmc_escr *escr = &PMC_ESCR[i];
        uint64_t held;

        if (!pmc_has_register(&machine_cpu, escr->msr))
            continue;
        try_bits(&bit31, escr->msr, 0);
        try_bits(&high, escr->msr, 0);
        if (!machine_cpu.ht)
            try_bits(&t1, escr->msr, 0);
        if (msr_try_write(escr->msr, documented) != NO_FAULT)
            continue;
        held = msr_read(escr->msr);
        full += held == documented;
        as_f43 += held == (escr->f43_mask & documented);
        msr_write(escr->msr, 0);
    }
    state("10.8h", &bit31, "");
    state("10.8i", &high, "");
    sheet_line("10.8j", "of %u ESCRs %u hold them all, %u hold what was recorded on 0F43H", bit31.registers,
               full, as_f43);
    state("10.13b", &t1, "");
}

static const struct vector probes_reserved_rows[] = {
    PROBE("probe.reserved.counter", "reserved bits of the counters", .also = "R3 10.8", .deadline_ms = 2000,
          .stages = STAGE_REGISTERS, .run = reserved_counter),
    PROBE("probe.reserved.cccr", "reserved bits of the CCCRs", .also = "R3 R35 9.5.2 9.5.3 10.8 10.10",
          .deadline_ms = 2000, .stages = STAGE_REGISTERS, .run = reserved_cccr),
    PROBE("probe.reserved.escr", "reserved bits of the ESCRs", .also = "R3 10.8 10.13", .deadline_ms = 2000,
          .stages = STAGE_REGISTERS, .run = reserved_escr),
};
VECTOR_GROUP(probes_reserved);
