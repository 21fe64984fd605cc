/*
 * Probes of the PMI: what the manual leaves open about when it is raised
 * (questions 10.3, 10.5, 10.6, 11.3, 11.4 and 11.8; R30, R46, R48, R49, E3).
 *
 * The handler of pmi_counter.h counts and leaves LVTPC masked, so there is at most one PMI for each pmi_arm()
 * (E7). Counter 12 counts taken branches unless said otherwise. A probe judges nothing; its lines go to the
 * sheet.
 */
#include "tests/vectors/netburst/cascade/cascade.h"
#include "kernel/smp/smp.h"
#include "pmc/msr.h"
#include "tests/suite/expect.h"
#include "tests/suite/machine.h"
#include "tests/suite/bits.h"
#include "tests/suite/pmi_counter.h"
#include "tests/suite/sheet.h"

/* Was a PMI taken? Waits for one that is on its way. */
static bool interrupted(void)
{
    pmi_wait_for_delivery();
    return pmi_taken(0) + pmi_taken(1) > 0;
}

static void written_ovf(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    p.cccr |= ovf_pmi_to(smp_self());
    pmc_arm(&p, 0);
    pmi_arm();
    unsigned fault = msr_try_write(MSR_CCCR(12), pmc_cccr_enabled(&p) | CCCR_OVF);
    work_exercise(&work_jmp, VISIBLE);
    if (fault != NO_FAULT || !pmc_overflowed(12))
        sheet_line("10.3b", "cannot be written");
    else
        sheet_line("10.3b", interrupted() ? "raised" : "not raised");
}

/* ---- Cascade mode ---- */

static const char *cascaded_pmi(const struct cascade_link *link)
{
    struct cascade c;

    pmc_clear(&machine_cpu);
    cascade_program(&c, link);
    c.y.cccr |= ovf_pmi_to(smp_self());
    cascade_arm(&c);
    pmi_arm();
    pmc_start(&c.x);
    cascade_exercise(&c, c.a, EXAMPLE_18_1_X);
    cascade_exercise(&c, c.b, EXAMPLE_18_1_Y + VISIBLE);
    if (!pmc_overflowed(link->y))
        return "Y did not overflow";
    if (interrupted())
        return "raised";
    if (machine_has_erratum(PMC_E3))
        report_erratum(PMC_E3);
    return "not raised";
}

/* CASCADE is set, but ENABLE is what starts the counter; its partner is off. */
static const char *enabled_pmi(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    pmc_clear(&machine_cpu);
    p.cccr |= ovf_pmi_to(smp_self()) | CCCR_CASCADE;
    pmc_arm(&p, COUNTER_OVERFLOW_IN(VISIBLE));
    pmi_arm();
    pmc_start(&p);
    work_exercise(&work_jmp, 2 * VISIBLE);
    return interrupted() ? "raised" : "not raised";
}

static void cascaded(void)
{
    sheet_line("10.5a", "%s", cascaded_pmi(&(struct cascade_link){12, 14, false}));
    sheet_line("11.8", "%s", enabled_pmi());
}

static void extended(void)
{
    sheet_line("10.5b", "%s", cascaded_pmi(&(struct cascade_link){16, 12, true}));
}

/* ---- FORCE_OVF: the frame has no CALLs of its own, so n is exact ---- */

#define FORCED_MOST 4

static bool forced_pmi(uint32_t n)
{
    struct pmc_programming p = stimulus_program(STIMULUS_CALLS, 4);

    p.cccr |= CCCR_FORCE_OVF | ovf_pmi_to(smp_self());
    struct frame frame = frame_of(&p, &work_call, n);
    pmc_clear(&machine_cpu);
    pmc_arm(&p, 0);
    pmi_arm();
    frame_measure(&frame);
    return interrupted();
}

static void force_ovf(void)
{
    uint32_t n = 1;

    while (n <= FORCED_MOST && !forced_pmi(n))
        n++;
    if (n > FORCED_MOST)
        sheet_line("10.6c", "not within %u counts", FORCED_MOST);
    else
        sheet_line("10.6c", "with count %u", n);
}

/* ---- Repetition: OVF and OVF_PMI stay set ---- */

/* OVF is set without OVF_PMI, and OVF_PMI is added while the ESCR selects no event. After that the counter
 * counts again (11.3a). At last LVTPC is unmasked while both flags are set (11.3b). */
static void repeat(void)
{
    struct pmc_programming p = stimulus_program(STIMULUS_TAKEN, 12);

    pmc_arm(&p, COUNTER_OVERFLOW_IN(1));
    pmc_start(&p);
    work_exercise(&work_jmp, VISIBLE);
    msr_write(p.escr_msr, 0);
    pmi_arm();
    msr_write(MSR_CCCR(12), msr_read(MSR_CCCR(12)) | ovf_pmi_to(smp_self()));
    bool at_once = interrupted();
    msr_write(p.escr_msr, p.escr);
    work_exercise(&work_jmp, VISIBLE);
    bool with_count = interrupted();
    sheet_line("11.3a", at_once      ? "PMI at once"
                        : with_count ? "PMI with the next count"
                                     : "no PMI with later counts");

    msr_write(p.escr_msr, 0);
    pmi_arm();
    at_once = interrupted();
    msr_write(p.escr_msr, p.escr);
    work_exercise(&work_jmp, VISIBLE);
    with_count = interrupted();
    sheet_line("11.3b", at_once ? "PMI at once" : with_count ? "PMI with the next count" : "no PMI");
}

/* ---- Several counts in the clock of the wrap ---- */

#define SURPLUS_MOST 6
#define SURPLUS_RUNS 32 /* with each preset: how many uops a clock has, and so the wrap, may differ */

struct surplus {
    struct pmc_programming p;
    struct frame frame;
    uint64_t preset;
};

struct surplus_seen {
    uint64_t count;
    bool interrupted, overflowed;
};

static struct surplus_seen surplus_run(const struct surplus *s)
{
    struct surplus_seen seen;

    pmc_stop_all();
    pmc_arm(&s->p, s->preset);
    pmi_arm();
    frame_measure(&s->frame);
    seen.count = pmc_read(s->p.counter);
    seen.interrupted = interrupted();
    seen.overflowed = pmc_overflowed(s->p.counter);
    pmi_disarm();
    return seen;
}

/*
 * The microcode ROM delivers several uops a clock, and after the RDMSRs nothing else in the frame comes from
 * it. The preset is moved so that the wrap comes with one of the last uops. A counter that has gone beyond 0
 * without a PMI got there in the clock of the wrap.
 */
static void surplus(void)
{
    struct surplus s = {.preset = 0};
    bool wrapped = false;

    pmc_program(&s.p, EVENT_UOP_QUEUE_WRITES, UOP_QUEUE_FROM_ROM, escr_self_all(), 4);
    s.p.cccr |= ovf_pmi_to(smp_self());
    s.frame = frame_of(&s.p, &work_rdmsr_12, VISIBLE);
    uint64_t total = surplus_run(&s).count;
    for (unsigned run = 0; run < SURPLUS_MOST * SURPLUS_RUNS; run++) {
        s.preset = COUNTER_OVERFLOW_IN(total - 1 - run % SURPLUS_MOST);
        work_exercise(&work_jmp, 17 * run % work_jmp.max_n); /* so that no two runs begin alike */
        struct surplus_seen seen = surplus_run(&s);
        if (!seen.overflowed || seen.count == 0)
            continue;
        wrapped = true;
        if (!seen.interrupted) {
            sheet_line("11.4", "none, the next clock's raise it");
            return;
        }
    }
    sheet_line("11.4", wrapped ? "at once, as far as seen" : "no wrap seen");
}

static const struct vector probes_pmi_rows[] = {
    PROBE("probe.pmi.written-ovf", "OVF and OVF_PMI set by one write", .also = "R30 R46 10.3",
          .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = written_ovf),
    PROBE("probe.pmi.cascade", "PMI in cascade mode", .also = "R55 E3 10.5 11.8", .needs = NEED_LAPIC,
          .stages = STAGE_PMI | STAGE_CASCADE, .run = cascaded),
    PROBE("probe.pmi.extended", "PMI in extended cascade mode", .also = "R55 E3 10.5",
          .needs = NEED_LAPIC | NEED_EXTENDED_CASCADE, .stages = STAGE_PMI | STAGE_EXTENDED, .run = extended),
    PROBE("probe.pmi.force-ovf", "the count that raises the first PMI with FORCE_OVF", .also = "R48 10.6",
          .needs = NEED_LAPIC, .stages = STAGE_PMI, .run = force_ovf),
    PROBE("probe.pmi.repeat", "PMI while OVF stands", .also = "R49 11.3", .needs = NEED_LAPIC,
          .stages = STAGE_PMI, .run = repeat),
    PROBE("probe.pmi.surplus", "increments that step past the wrap", .also = "R28 R46 11.4",
          .needs = NEED_LAPIC, .deadline_ms = 2000, .stages = STAGE_PMI, .run = surplus),
};
VECTOR_GROUP(probes_pmi);
