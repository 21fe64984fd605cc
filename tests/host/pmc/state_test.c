/*
 * The PMU as a whole (pmc/netburst/state.c, probe.c) over recorded registers: everything is off and 0 between
 * vectors, a dump shows what is not 0, and registers that work are told from those that drop writes, fault,
 * or are defective.
 */
#include <string.h>
#include "pmc/netburst/cpu.h"
#include "pmc/netburst/setup.h"
#include "tests/host/support/msr_record.h"

BEFORE_EACH(nothing_recorded)
{
    record_reset();
}

static const struct pmc_cpu F43 = {.signature = 0xF43, .model = 4, .iq_escr = false};
static const struct pmc_cpu F12 = {.signature = 0xF12, .model = 1, .iq_escr = true};

/* CCCRs first, so that nothing counts meanwhile, then ESCRs, counters (twice: E1) and the two of PEBS. */
TEST(clear_writes_in_order)
{
    size_t n = 0;
    for (uint32_t msr = 0x300; msr <= 0x3F2; msr++)
        record.value[msr] = 1;
    assert_int_equal(pmc_clear(&F43), 0);
#define NEXT(address) assert_true(record_write(n)->msr == (address) && record_write(n)->value == 0 && ++n)
    for (uint32_t msr = 0x360; msr <= 0x371; msr++)
        NEXT(msr);
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        bool tags = (PMC_ESCR[i].msr & ~1u) == MSR_RAT_ESCR0;
        if (PMC_ESCR[i].msr == 0x3BA || PMC_ESCR[i].msr == 0x3BB)
            continue;
        n += tags; /* E23 */
        NEXT(PMC_ESCR[i].msr);
        n += tags;
    }
    for (uint32_t msr = 0x300; msr <= 0x311; msr++) {
        NEXT(msr);
        NEXT(msr);
    }
    NEXT(0x3F1);
    NEXT(0x3F2);
#undef NEXT
    assert_null(record_write(n));
}

/* E23: an ESCR that tags is cleared while a counter that can select it is enabled and counts nothing. */
TEST(clear_powers_an_escr_that_tags)
{
    static const struct write wanted[] = {{0x368, 0x00F73000}, {0x3A4, 0}, {0x368, 0},
                                          {0x36E, 0x00F75000}, {0x3BD, 0}, {0x36E, 0}};
    record.value[0x3A4] = ESCR_TAG_ENABLE | ESCR_TAG_VALUE(1); /* FIRM_ESCR0: counter 8, select 1 */
    record.value[0x3BD] = 1;                                   /* RAT_ESCR1: counter 14, select 2 */
    assert_int_equal(pmc_clear(&F43), 0);
    for (size_t i = 0; i < COUNT_OF(wanted); i++) { /* after those of all CCCRs */
        assert_int_equal(record_write(18 + i)->msr, wanted[i].msr);
        assert_int_equal(record_write(18 + i)->value, wanted[i].value);
    }
}

/* A register that faults at its first access is remembered and left out from then on (E19). */
TEST(absent_registers_are_left_out)
{
    static const uint32_t faulting[] = {0x361, 0x3B8, 0x3BB, 0x30C, 0x3F2};
    struct pmc_cpu cpu = F12;

    for (size_t i = 0; i < COUNT_OF(faulting); i++)
        record.faulty[faulting[i]] = true;
    pmc_find_absent(&cpu);
    assert_int_equal(cpu.absent.count, COUNT_OF(faulting));
    for (size_t i = 0; i < COUNT_OF(faulting); i++) {
        assert_int_equal(cpu.absent.msr[i], faulting[i]);
        assert_false(pmc_has_register(&cpu, faulting[i]));
    }
    assert_true(pmc_has_register(&cpu, 0x360) && pmc_has_register(&cpu, 0x3BA));
    assert_int_equal(pmc_clear(&cpu), 0);

    cpu = F43;
    pmc_find_absent(&cpu);
    assert_int_equal(cpu.absent.count, COUNT_OF(faulting) - 1);
    assert_false(pmc_has_register(&cpu, 0x3BA) || pmc_has_register(&cpu, 0x3BB)); /* nor tried */

    record_reset();
    record.refuses_writes[0x361] = true; /* a read alone does not make it a register of the PMU */
    pmc_find_absent(&cpu);
    assert_false(pmc_has_register(&cpu, 0x361));

    record.all_faulty = true; /* each register is tried, and no other one */
    cpu = F12;
    pmc_find_absent(&cpu);
    assert_int_equal(cpu.absent.count, PMC_REGISTERS);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        assert_false(pmc_has_register(&cpu, MSR_CCCR(n)) || pmc_has_register(&cpu, MSR_COUNTER(n)));
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        assert_false(pmc_has_register(&cpu, PMC_ESCR[i].msr));
    assert_false(pmc_has_register(&cpu, MSR_PEBS_ENABLE) || pmc_has_register(&cpu, MSR_PEBS_MATRIX_VERT));
}

/* IQ_ESCR1, 3BBH, exists on models 0 to 2 only (pmu-rules 1.1). */
TEST(clear_names_the_first_register_that_stays)
{
    static const uint32_t stuck[] = {0x360, 0x371, 0x3A0, 0x3BB, 0x3E1, 0x300, 0x311, 0x3F1, 0x3F2};
    for (size_t i = COUNT_OF(stuck); i-- > 0;) {
        record.stuck[stuck[i]] = 1u << 12; /* the later ones stay stuck too: the first in order is named */
        assert_int_equal(pmc_clear(&F12), stuck[i]);
        record.count = 0;
    }
}

/* Without Hyper-Threading nobody knows what bits 17:16 of a CCCR read (R19); with it they must clear. */
TEST(bits_that_are_not_judged)
{
    const struct pmc_cpu ht = {.signature = 0xF43, .model = 4, .ht = true};

    record.stuck[0x36C] = 0x30000;
    record.value[0x36C] = 0x30000;
    assert_int_equal(pmc_clear(&F43), 0);
    assert_int_equal(pmc_clear(&ht), 0x36C);
    record.stuck[0x30C] = 0x30000; /* the bits of a counter are judged */
    assert_int_equal(pmc_clear(&F43), 0x30C);
    assert_true(pmc_judged_bits(&F43, 0x360) == ~0x30000ull && pmc_judged_bits(&F43, 0x371) == ~0x30000ull);
    assert_true(pmc_judged_bits(&F43, 0x35F) == ~0ull && pmc_judged_bits(&F43, 0x372) == ~0ull);
    assert_true(pmc_judged_bits(&ht, 0x36C) == ~0ull);
}

/* ---- Dump ---- */

struct dumped {
    unsigned count;
    char name[8][32];
    uint64_t value[8];
};

static void collect(void *context, const char *name, uint64_t value)
{
    struct dumped *dumped = context;
    assert_true(dumped->count < 8);
    strncpy(dumped->name[dumped->count], name, 31);
    dumped->value[dumped->count++] = value;
}

TEST(dump_shows_what_is_not_zero)
{
    struct dumped dumped = {0};
    pmc_dump(&F43, collect, &dumped);
    assert_int_equal(dumped.count, 0);

    record.value[0x3B8] = 0x0400060C;
    record.value[0x36C] = 0x80039000;
    record.value[0x30C] = 5;
    record.faulty[0x3E0] = true;
    record.faulty[0x3BA] = true; /* not there on this model, hence not asked */
    record.count = 0;
    pmc_dump(&F43, collect, &dumped);
    assert_int_equal(dumped.count, 4);
    assert_string_equal(dumped.name[0], "MSR_IQ_COUNTER0");
    assert_int_equal(dumped.value[0], 5);
    assert_string_equal(dumped.name[1], "MSR_IQ_CCCR0");
    assert_true(dumped.value[1] == 0x80039000);
    assert_string_equal(dumped.name[2], "MSR_CRU_ESCR0");
    assert_int_equal(dumped.value[2], 0x0400060C);
    assert_string_equal(dumped.name[3], "MSR_CRU_ESCR4_FAULT");
    assert_int_equal(dumped.value[3], 13);
    assert_null(record_write(0));
}

/* ---- Do the registers store anything (pmc/netburst/probe.c)? ---- */

static struct pmc_answer answer;

TEST(real_registers_answer)
{
    record.value[MSR_COUNTER(0)] = 12345;
    record.value[MSR_CCCR(0)] = CCCR_ENABLE;
    assert_null(pmc_probe_registers(&answer));
    /* Stopped before anything else, left 0. */
    assert_int_equal(record.access[0].msr, MSR_CCCR(0));
    assert_true(record.access[0].write && record.access[0].value == 0);
    assert_int_equal(record.value[MSR_COUNTER(0)], 0);
    assert_int_equal(record.value[MSR_CCCR(0)], 0);
}

/* Nor is a value that nothing changes, whichever it is. */
TEST(faulting_or_constant_registers_are_no_pmu)
{
    static const uint64_t values[] = {0, 1, COUNTER_MASK / 3, COUNTER_MASK / 3 * 2, COUNTER_MASK};

    record.all_faulty = true;
    assert_non_null(strstr(pmc_probe_registers(&answer), "faults"));
    assert_true(answer.msr == MSR_CCCR(0) && answer.written == 0 && answer.by_write);
    assert_int_equal(answer.fault, 13); /* #GP */
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        record_reset();
        record.drops_writes = true;
        for (unsigned n = 0; n < PMC_COUNTERS; n++)
            record.stuck[MSR_COUNTER(n)] = values[i];
        assert_non_null(strstr(pmc_probe_registers(&answer), "drop"));
        assert_int_equal(answer.fault, NO_FAULT);
        assert_true(answer.msr == MSR_COUNTER(0) && answer.read == values[i] &&
                    answer.written != answer.read);
    }
}

/* The example is an answer without a fault, if there is one. */
TEST(one_counter_answers_and_drops_what_is_written)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        record.stuck[MSR_COUNTER(n)] = COUNTER_MASK;
        record.faulty[MSR_COUNTER(n)] = n != 11;
    }
    assert_non_null(strstr(pmc_probe_registers(&answer), "drop"));
    assert_int_equal(answer.msr, MSR_COUNTER(11));
}

/* A defective PMU must be tested, not skipped: one bit, or one counter, is enough of an answer. */
TEST(defective_registers_answer)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        record.stuck[MSR_COUNTER(n)] = COUNTER_MASK & ~(1ull << 17);
    assert_null(pmc_probe_registers(&answer));

    record_reset();
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (n != 11)
            record.stuck[MSR_COUNTER(n)] = COUNTER_MASK;
    record.faulty[MSR_COUNTER(0)] = true;
    record.faulty[MSR_CCCR(1)] = true;
    assert_null(pmc_probe_registers(&answer));
}
