/*
 * Write and read back every counter, CCCR and ESCR within the bits the manual documents (R3, R4, R32, R57,
 * R60). A counter or CCCR that faults, or an ESCR with an event, is a failure.
 *
 * Nothing is enabled while the bits are walked, so no counter may move; those of an ESCR are walked once more
 * while a counter that runs selects it. Each register has an address of its
 * own, so no other register of its kind may change with it. A bit that reads back otherwise is stuck or
 * missing. A counter is also written and read with ENABLE set and no event selected: it has nothing to count,
 * and a write must leave its CCCR alone. Reserved bits are never written here. OVF is left out, because
 * whether software can set it is an open question (R30), and ENABLE is walked alone, because with COMPLEMENT
 * clocks might count even without an event (question 11.1). ESCR bits: on CPUID 0F43H exactly the implemented
 * set that was recorded there; on other models what a documented event needs (pmu-rules 3.4), on
 * models 0 and 1 without the masks of bogus instructions (F14).
 */
#include "kernel/lib/lib.h"
#include "pmc/msr.h"
#include "pmc/netburst/setup.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/documented.h"

/* Returns the bits of counter n's CCCR that can be judged. */
static uint64_t cccr_read(unsigned n)
{
    return msr_read(MSR_CCCR(n)) & pmc_judged_bits(&machine_cpu, MSR_CCCR(n));
}

/* Write and read back every single bit of mask, all of them, a pattern and its complement. */
static void walk(uint32_t rules, uint32_t msr, uint64_t mask, uint64_t fixed, const char *name)
{
    const uint64_t alternating = 0x5555555555555555ull, judged = pmc_judged_bits(&machine_cpu, msr);

    for (unsigned bit = 0; bit < 64 + 4; bit++) {
        uint64_t value = bit < 64    ? (1ull << bit) & mask
                         : bit == 64 ? mask
                         : bit == 65 ? mask & alternating
                         : bit == 66 ? mask & ~alternating
                                     : 0;
        if (value == 0 && bit < 64)
            continue;
        msr_write(msr, value | fixed);
        expect_register(rules, (value | fixed) & judged, msr_read(msr) & judged, "%R", name);
    }
    msr_write(msr, 0);
}

/* No event is selected, so none can fall between the two halves of the write (E1). */
static void access_enabled_counter(unsigned n)
{
    const uint64_t pattern = COUNTER_OVERFLOW_IN(0x1234567890ull);
    const uint32_t enabled = CCCR_ENABLE | CCCR_ACTIVE_THREAD(ACTIVE_ANY);
    uint64_t value;

    msr_write(MSR_CCCR(n), enabled);
    msr_write(MSR_COUNTER(n), pattern);
    expect_register(R4, enabled & pmc_judged_bits(&machine_cpu, MSR_CCCR(n)), cccr_read(n),
                    "%R after its counter was written", PMC_COUNTER[n].cccr_name);
    expect_register(RULES(R7, R4, R2), pattern, msr_read(MSR_COUNTER(n)), "%R, enabled without an event",
                    PMC_COUNTER[n].counter_name);
    expect_fault(R60, NO_FAULT, rdpmc_try(n, &value), "exception of RDPMC(%C)", n);
    expect_register(RULES(R60, R57), pattern, value,
                    "RDPMC(%C) of a counter that is enabled without an event", n);
}

/* The manual has this register on every part. If it faults, the other vectors that need it are skipped. */
static void expect_there(uint32_t msr, const char *name)
{
    require_true(R3, pmc_has_register(&machine_cpu, msr), "%R answers RDMSR and WRMSR", name);
}

static void access_counter(const void *item)
{
    unsigned n = counter_number(item);
    uint64_t full, fast;
    const uint64_t pattern = COUNTER_OVERFLOW_IN(0x1234567890ull);

    expect_there(MSR_COUNTER(n), PMC_COUNTER[n].counter_name);
    walk(R4, MSR_COUNTER(n), COUNTER_MASK, 0, PMC_COUNTER[n].counter_name);
    require_true(R4, pmc_preset(n, pattern), "%R holds a preset", PMC_COUNTER[n].counter_name);
    expect_fault(R60, NO_FAULT, rdpmc_try(n, &full), "exception of RDPMC(%C)", n);
    expect_register(R60, pattern, full, "RDPMC(%C), all 40 bits", n);
    expect_fault(R60, NO_FAULT, rdpmc_try(n | RDPMC_FAST, &fast), "exception of fast RDPMC(%C)", n);
    expect_register(R60, FIELD_GET(31, 0, pattern), fast, "fast RDPMC(%C), EDX = 0", n);
    expect_register(R4, 0, cccr_read(n), "%R untouched by its counter", PMC_COUNTER[n].cccr_name);
    for (unsigned other = 0; other < PMC_COUNTERS; other++)
        if (other != n && pmc_has_register(&machine_cpu, MSR_COUNTER(other)))
            expect_register(R4, 0, msr_read(MSR_COUNTER(other)), "%R while %s is written",
                            PMC_COUNTER[other].counter_name, PMC_COUNTER[n].counter_name);
    access_enabled_counter(n);
}

static void access_cccr(const void *item)
{
    unsigned n = counter_number(item);
    /* Without Hyper-Threading 17:16 must be written 11B (Figure 18-45). */
    uint64_t fixed = machine_cpu.ht ? 0 : CCCR_ACTIVE_THREAD(ACTIVE_ANY);

    expect_there(MSR_CCCR(n), PMC_COUNTER[n].cccr_name);
    walk(R3, MSR_CCCR(n), cccr_documented(n), fixed, PMC_COUNTER[n].cccr_name);
    walk(R3, MSR_CCCR(n), CCCR_ENABLE, fixed, PMC_COUNTER[n].cccr_name);
    expect_register(RULES(R32, R3), 0, msr_read(MSR_COUNTER(n)), "%R while its CCCR is walked",
                    PMC_COUNTER[n].counter_name);
    msr_write(MSR_CCCR(n), cccr_documented(n) | fixed);
    for (unsigned other = 0; other < PMC_COUNTERS; other++)
        if (other != n && pmc_has_register(&machine_cpu, MSR_CCCR(other)))
            expect_register(RULES(R3, R32), 0, cccr_read(other), "%R while %s is written",
                            PMC_COUNTER[other].cccr_name, PMC_COUNTER[n].cccr_name);
}

/* "cru_escr0" for MSR_CRU_ESCR0 */
static void escr_name(const void *item, char *out, size_t size)
{
    size_t length = format(out, size, "%s", ((const struct pmc_escr *)item)->name + sizeof "MSR_" - 1);

    for (size_t i = 0; i < length && i + 1 < size; i++)
        if (out[i] >= 'A' && out[i] <= 'Z')
            out[i] += 'a' - 'A';
}

static void access_escr(const void *item)
{
    const struct pmc_escr *escr = item;
    const unsigned first = escr->counters[0];

    if (machine_cpu.model > escr->last_model)
        skip_now("%s is for models 0 to %u", escr->name, escr->last_model);
    if (escr_documented(escr) != 0) /* an ESCR without an event may be gone (E19) */
        expect_there(escr->msr, escr->name);
    walk(R3, escr->msr, escr_documented(escr), 0, escr->name);
    msr_write(MSR_CCCR(first), CCCR_ENABLE | CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_ESCR_SELECT(escr->select));
    walk(R3, escr->msr, escr_documented(escr), 0, escr->name);
    msr_write(MSR_CCCR(first), 0);
    msr_write(MSR_COUNTER(first), 0); /* what it counted is open */
    for (unsigned i = 0; i < escr->counter_count; i++)
        expect_register(R2, 0, msr_read(MSR_COUNTER(escr->counters[i])), "%R while an ESCR alone is written",
                        PMC_COUNTER[escr->counters[i]].counter_name);
    const struct pmc_escr *pair = pmc_escr_at(escr->msr ^ 1);
    if (pair) /* a counter that runs on the other ESCR of the pair changes nothing */
        msr_write(MSR_CCCR(pair->counters[0]),
                  CCCR_ENABLE | CCCR_ACTIVE_THREAD(ACTIVE_ANY) | CCCR_ESCR_SELECT(pair->select));
    msr_write(escr->msr, escr_documented(escr));
    for (const struct pmc_escr *other = PMC_ESCR; other < PMC_ESCR + PMC_ESCRS; other++)
        if (other != escr && pmc_has_register(&machine_cpu, other->msr))
            expect_register(R3, 0, msr_read(other->msr), "%R while %s is written", other->name, escr->name);
}

static const struct items every_escr = ITEMS(PMC_ESCR, .name = escr_name);

/* ---- The state that vectors start from ---- */

/* Every register of the PMU was written 0 and must read 0 (R1, R61). On a part whose registers keep a bit
 * that no vector may rely on, this is where it shows. */
static void state_cccrs(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (pmc_has_register(&machine_cpu, MSR_CCCR(n)))
            expect_register(RULES(R3, R1), 0,
                            msr_read(MSR_CCCR(n)) & pmc_judged_bits(&machine_cpu, MSR_CCCR(n)),
                            "%R after it was written 0", PMC_COUNTER[n].cccr_name);
}

static void state_counters(void)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        if (pmc_has_register(&machine_cpu, MSR_COUNTER(n)))
            expect_register(RULES(R4, R1), 0, msr_read(MSR_COUNTER(n)), "%R after it was written 0",
                            PMC_COUNTER[n].counter_name);
}

static void state_escrs(void)
{
    for (unsigned i = 0; i < PMC_ESCRS; i++)
        if (pmc_has_register(&machine_cpu, PMC_ESCR[i].msr))
            expect_register(RULES(R3, R1), 0, msr_read(PMC_ESCR[i].msr), "%R after it was written 0",
                            PMC_ESCR[i].name);
}

static void state_pebs(void)
{
    expect_register(R61, 0, msr_read(MSR_PEBS_ENABLE), "MSR_PEBS_ENABLE after it was written 0");
    expect_register(R61, 0, msr_read(MSR_PEBS_MATRIX_VERT), "MSR_PEBS_MATRIX_VERT after it was written 0");
}

static const struct vector access_rows[] = {
    CHECK("state.cccr", "all 18 CCCRs read 0", .run = state_cccrs),
    CHECK("state.counter", "all 18 counters read 0", .run = state_counters),
    CHECK("state.escr", "every ESCR of this model reads 0", .run = state_escrs),
    CHECK("state.pebs", "precise sampling and its tags are off", .run = state_pebs),
    CHECK("access.counter", "40 bits written and read back, RDMSR and RDPMC agree", .stages = STAGE_REGISTERS,
          .run_item = access_counter, .items = &every_counter),
    CHECK("access.cccr", "documented bits written and read back", .stages = STAGE_REGISTERS,
          .run_item = access_cccr, .items = &every_counter),
    CHECK("access.escr", "documented bits written and read back", .stages = STAGE_REGISTERS,
          .run_item = access_escr, .items = &every_escr),
};
VECTOR_GROUP(access);
