/*
 * INIT and HLT leave the PMU alone (Table 22-10, 18.17; R1, R42).
 *
 * INIT of a logical processor changes no register of the PMU, and neither does HLT: the counters of a core
 * whose logical processors are all halted are powered down, and go on where they were. One counter of each
 * block counts, another one was started by a cascade, and a PMI is requested while LVTPC is masked; half of
 * the other counters, at HLT each half in its turn, are enabled without an event, the other half were
 * stopped, but hold OVF, FORCE_OVF and filters. Every CCCR that has a bit 11 has it set in one turn. After
 * INIT or HLT the former count on, the PMI comes when LVTPC is unmasked (R49), and every other register reads
 * as before.
 *
 * INIT does reset the local APIC (10.4.7.3): LVTPC of the sibling, which was unmasked, must come back masked,
 * with 0 in all other fields. This is the only value of R1 after a reset that no firmware has touched.
 *
 * OVF is written by software where nothing but the register's own reading depends on it (R30). A counter that
 * selects an event may move when it is read (E1), so the ESCRs are cleared before.
 */
#include "kernel/smp/smp.h"
#include "kernel/x86/lapic.h"
#include "pmc/msr.h"
#include "tests/suite/measure.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/needs.h"
#include "tests/suite/bits.h"
#include "tests/suite/documented.h"
#include "tests/suite/halt.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/companion.h"
#include "tests/suite/stimulus.h"
#include "tests/suite/unflagged.h"

#define HALT_US 5
#define COUNTS  100 /* occurrences: more counts than reading a counter may add (E1) */

/* What happens to a logical processor; name: "INIT of the sibling". */
struct incident {
    const char *name;
    void (*happen)(void);
    /* By which it changes no register, lets counters count on, and leaves a PMI due. */
    uint32_t rules, count_rules, request_rules;
    bool even_on; /* the counters of even numbers are enabled, else those of odd numbers */
};

static struct {
    uint32_t escr[PMC_ESCRS];
    uint64_t cccr[PMC_COUNTERS], counter[PMC_COUNTERS];
    bool counts[PMC_COUNTERS]; /* by place in COUNTING */
} before;

static uint64_t pattern(unsigned counter)
{
    return COUNTER_OVERFLOW_IN(0x0123456789ull * (counter + 1));
}

static uint64_t cccr_read(unsigned n)
{
    return msr_read(MSR_CCCR(n)) & pmc_judged_bits(&machine_cpu, MSR_CCCR(n));
}

static bool has_cccr(unsigned n)
{
    return pmc_has_register(&machine_cpu, MSR_CCCR(n)) && pmc_has_register(&machine_cpu, MSR_COUNTER(n));
}

/* ---- Counters that count ---- */

enum { STARTER = 12, STARTED = 14, REQUESTS = 13 };
static const uint8_t COUNTING[] = {2, 5, 10, STARTER, STARTED};

static bool is_busy(unsigned n)
{
    for (unsigned i = 0; i < COUNT_OF(COUNTING); i++)
        if (COUNTING[i] == n)
            return true;
    return n == REQUESTS;
}

/* CCCR bit 11 where there is one. It starts nothing here: 16 listens to 17, which does not overflow, and the
 * others have ENABLE set (R35, R36). */
static uint32_t bit_11(unsigned n)
{
    return machine_cpu.extended_cascade && PMC_COUNTER[n].extended_from != PMC_NONE ? CCCR_CASCNT : 0;
}

static void run_counters(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_INSTRUCTIONS, STARTED); /* CRU_ESCR1 */

    pmc_arm(&p, 0);
    pmc_arm_cascade(&p);
    for (unsigned i = 0; i < COUNT_OF(COUNTING); i++) {
        unsigned n = COUNTING[i];
        if (n == STARTED)
            continue;
        p = stimulus_prepared(stimulus_a(n), n);
        p.cccr |= bit_11(n);
        pmc_arm(&p, n == STARTER ? COUNTER_OVERFLOW_IN(PMI_PRESET) : 0);
        pmc_start(&p);
    }
    p = stimulus_program(STIMULUS_TAKEN, REQUESTS);
    p.cccr |= ovf_pmi_to(smp_self());
    /* Not pmc_arm(), which would write CRU_ESCR2: the starter counts by it. */
    do {
        pmc_preset(REQUESTS, COUNTER_OVERFLOW_IN(PMI_PRESET));
        pmc_start(&p);
        work_exercise(&work_jmp, PMI_EVENTS);
        pmi_wait_for_delivery();
    } while (!pmc_overflowed(REQUESTS) && unflagged_accepts(REQUESTS, false, true));
}

static bool counts(unsigned n)
{
    const uint64_t count = pmc_read(n);

    work_exercise(STIMULUS[stimulus_a(n)].work, COUNTS);
    return pmc_read(n) - count > ACCESSES_ADD;
}

/* Notes which counters count before the incident: it is not to blame for the others. */
static void note_running(void)
{
    for (unsigned i = 0; i < COUNT_OF(COUNTING); i++)
        before.counts[i] = counts(COUNTING[i]);
}

static void expect_running(const struct incident *incident)
{
    for (unsigned i = 0; i < COUNT_OF(COUNTING); i++) {
        const unsigned n = COUNTING[i];
        uint32_t rules = before.counts[i] ? incident->count_rules
                         : n == STARTED   ? RULES(R34, R33)
                                          : RULES(R27, R17);

        expect_true(rules, counts(n), "counter %C counts on after %s", n, incident->name);
    }
    bool stands = pmc_overflowed(REQUESTS);
    expect_true(R29, stands, "OVF of counter %C stands after %s", REQUESTS, incident->name);
    pmi_unmask();
    pmi_wait_for_delivery();
    expect_equal(incident->request_rules, stands, pmi_taken(smp_self()),
                 "PMIs when LVTPC is unmasked after %s", incident->name);
}

/* ---- Registers that hold something ---- */

/* An ESCR select of the counter's block that no counter that counts has; the ESCR has no event. */
static unsigned unused_select(unsigned n)
{
    static const uint8_t SELECT[] = {[BLOCK_BPU] = 1, [BLOCK_MS] = 0, [BLOCK_FLAME] = 0, [BLOCK_IQ] = 1};

    return SELECT[PMC_COUNTER[n].block];
}

static bool is_unused(uint32_t msr)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        const struct pmc_escr *escr = pmc_escr_for(n, unused_select(n));
        if (escr != NULL && escr->msr == msr)
            return true;
    }
    return false;
}

/* An event of this ESCR with all its members, by everyone; 0 if it has none. */
static uint32_t some_event(uint32_t msr)
{
    const uint32_t everyone = escr_self_all() | (machine_cpu.ht ? escr_sibling(true, true) : 0);

    for (const struct pmc_event *e = PMC_EVENT; e < PMC_EVENT + PMC_EVENTS; e++) {
        if (!(e->models & 1u << machine_cpu.model) || (e->escr[0] != msr && e->escr[1] != msr))
            continue;
        return ESCR_EVENT_SELECT(e->select) | ESCR_EVENT_MASK(e->members & ~e->only_19_34) | everyone;
    }
    return 0;
}

/* What a CCCR holds beside the counters that count: enabled without an event, or off with everything else.
 * Bit 11 would start counter 15 if 17 is off, because OVF is set there. */
static uint32_t some_cccr(unsigned n, bool even_on)
{
    const uint32_t pmi = CCCR_OVF_PMI_T0 | (machine_cpu.ht ? CCCR_OVF_PMI_T1 : 0);

    if (n % 2 != even_on)
        return CCCR_ENABLE | CCCR_CASCADE | bit_11(n) | CCCR_ACTIVE_THREAD(ACTIVE_ANY) | pmi |
               CCCR_ESCR_SELECT(unused_select(n));
    return CCCR_OVF | CCCR_FORCE_OVF | (even_on ? 0 : bit_11(n)) | CCCR_COMPARE | CCCR_COMPLEMENT |
           CCCR_EDGE | CCCR_THRESHOLD(FIELD_MASK(3, 0) - n % 4) | CCCR_ACTIVE_THREAD(ACTIVE_ANY) | pmi |
           CCCR_ESCR_SELECT(n / 2 % 8);
}

static void fill(bool even_on)
{
    before.cccr[STARTER] =
        cccr_read(STARTER); /* the starter has overflowed: its CCCR does not change any more */
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (is_busy(n) || !has_cccr(n))
            continue;
        const uint32_t cccr = some_cccr(n, even_on);

        /* A counter that is off has been stopped, so that HLT or INIT might start it again. */
        msr_write(MSR_CCCR(n), (cccr & CCCR_ESCR_SELECT_MASK) | CCCR_ENABLE);
        msr_write(MSR_CCCR(n), 0); /* an ESCR that counts would add to the preset (E1) */
        require_true(R4, pmc_preset(n, pattern(n)), "%R holds a preset", PMC_COUNTER[n].counter_name);
        msr_write(MSR_CCCR(n), cccr);
        before.cccr[n] = cccr_read(n);
    }
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        const uint32_t msr = PMC_ESCR[i].msr, tags = ESCR_TAG_ENABLE | ESCR_TAG_VALUE_MASK;
        if (!pmc_has_register(&machine_cpu, msr))
            continue;
        if (msr_read(msr) == 0)
            msr_write(msr, is_unused(msr) ? escr_documented(&PMC_ESCR[i]) & ~ESCR_SELECT_MASK
                                          : some_event(msr) | (escr_documented(&PMC_ESCR[i]) & tags));
        before.escr[i] = (uint32_t)msr_read(msr);
    }
}

static void expect_filled(const struct incident *incident)
{
    for (unsigned i = 0; i < PMC_ESCRS; i++) {
        if (!pmc_has_register(&machine_cpu, PMC_ESCR[i].msr))
            continue;
        expect_register(incident->rules, before.escr[i], msr_read(PMC_ESCR[i].msr), "%R after %s",
                        PMC_ESCR[i].name, incident->name);
        msr_write(PMC_ESCR[i].msr, 0);
    }
    expect_register(incident->rules, before.cccr[STARTER], cccr_read(STARTER), "%R, which counts, after %s",
                    PMC_COUNTER[STARTER].cccr_name, incident->name);
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        if (is_busy(n) || !has_cccr(n))
            continue;
        expect_register(incident->rules, before.cccr[n], cccr_read(n), "%R after %s",
                        PMC_COUNTER[n].cccr_name, incident->name);
        msr_write(MSR_CCCR(n), 0); /* with COMPLEMENT an access might add, event or not (question 11.1) */
        expect_register(incident->rules, pattern(n), msr_read(MSR_COUNTER(n)), "%R after %s",
                        PMC_COUNTER[n].counter_name, incident->name);
    }
}

/* ---- INIT and HLT ---- */

static void halt_here(void)
{
    halt_for_us(HALT_US);
}

static void expect_kept(const struct incident *i)
{
    pmi_arm();
    pmi_mask();
    run_counters();
    note_running();
    fill(i->even_on);
    i->happen();
    expect_running(i);
    expect_filled(i);
    pmc_stop_all();
    pmi_disarm();
}

static void hlt(void)
{
    const bool sibling = machine_meets() & NEED_SIBLING;

    expect_kept(&(struct incident){"HLT of this logical processor", halt_here, R42, RULES(R42, R27),
                                   RULES(R42, R49), false});
    pmc_clear(&machine_cpu);
    expect_kept(&(struct incident){sibling ? "HLT of the sibling" : "HLT of this logical processor",
                                   sibling ? companion_wakes_once : halt_here, R42, RULES(R42, R27),
                                   RULES(R42, R49), true});
}

static void open_lvtpc(void *arg)
{
    (void)arg;
    lvtpc_write(LVT_DELIVERY_NMI | LVT_VECTOR(FIELD_MASK(7, 0)));
}

static void init(void)
{
    companion_do(open_lvtpc, NULL, false);
    expect_kept(&(struct incident){"INIT of the sibling", companion_restart, R1, RULES(R1, R27),
                                   RULES(R1, R49), false});
    expect_register(RULES(R1, R50), LVT_MASKED, smp_lvtpc_at_start(), "LVTPC of the sibling after INIT");
}

static const struct vector state_kept_rows[] = {
    CHECK("state.hlt", "HLT of either logical processor leaves the PMU alone",
          .needs = NEED_LAPIC | NEED_SSE2, .deadline_ms = 2000, .stages = STAGE_COUNT, .run = hlt),
    CHECK("state.init", "INIT of the other logical processor leaves the PMU alone and resets LVTPC",
          .needs = NEED_SIBLING | NEED_LAPIC | NEED_SSE2, .deadline_ms = 2000, .stages = STAGE_COUNT,
          .run = init),
};
VECTOR_GROUP(state_kept);
