/* The core under Linux's driver: the PMU model, the clocks, the local APICs' entries for PMIs, and the part
 * of perf events that calls the driver. kernel.h says what each function is for. */
#include <stdlib.h>

#include "kernel.h"
#include "pmc/netburst/regs.h"
#include "sim/faults/nbpmu_fault.h"
#include "tests/host/support/host_test.h"

#define MSR_MISC_ENABLE   0x1A0
#define PERFMON_AVAILABLE (1u << 7)
#define MOST_NMIS         100000 /* more are a storm */
#define PERF_EF_UPDATE    4
#define MOST_A_CLOCK      15 /* what a counter counts at most (R8) */

struct cpuinfo boot_cpu_data;
int smp_num_siblings, __max_threads_per_core;
struct x86_pmu x86_pmu;
u64 hw_cache_event_ids[C(MAX)][C(OP_MAX)][C(RESULT_MAX)];
struct cpu_hw_events cpu_hw_events[CPUS];
u64 pmc_prev_left[X86_PMC_IDX_MAX][CPUS];

struct core core;

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

void kernel_new_core(unsigned latency)
{
    struct nbpmu_variants variants = {0};
    struct nbpmu_fault fault;

    nbpmu_free(core.pmu);
    core = (struct core){.latency = latency, .apic = {{.lvtpc = LVT_MASKED}, {.lvtpc = LVT_MASKED}}};
    memset(cpu_hw_events, 0, sizeof cpu_hw_events);
    memset(pmc_prev_left, 0, sizeof pmc_prev_left);
    unsigned lps = (unsigned)strtoul(setting("LPS"), NULL, 10);
    assert_true(nbpmu_part_of_signature((uint32_t)strtoul(setting("PROCESSOR"), NULL, 16), lps, &core.part));
    assert_true(!*setting("VARIANT") || nbpmu_set_variant(&variants, setting("VARIANT")));
    core.pmu = nbpmu_new(&core.part, &variants);
    assert_non_null(core.pmu);
    if (*setting("FAULT"))
        assert_true(nbpmu_fault_find(setting("FAULT"), &fault) && nbpmu_set_fault(core.pmu, &fault));
    boot_cpu_data.x86_model = core.part.model;
    smp_num_siblings = __max_threads_per_core = (int)lps;
    for (unsigned lp = 0; lp < lps; lp++)
        nbpmu_set_lp(core.pmu, lp, true, 0);
}

bool kernel_mends(void)
{
    return !*setting("AS_IT_IS");
}

/* ---- Registers ---- */

u64 kernel_rdmsr(u32 msr)
{
    u64 value;
    if (msr == MSR_MISC_ENABLE)
        return PERFMON_AVAILABLE;
    assert_true(nbpmu_rdmsr(core.pmu, (unsigned)core.cpu, msr, &value));
    return value;
}

int wrmsrl_safe(u32 msr, u64 value)
{
    return nbpmu_wrmsr(core.pmu, (unsigned)core.cpu, msr, value) ? 0 : -EIO;
}

void wrmsrl(u32 msr, u64 value)
{
    assert_int_equal(wrmsrl_safe(msr, value), 0);
}

/* Without an LVT entry that lets it through, the request stays in the PMU (R49). */
static void accept_pmi(unsigned lp)
{
    if (core.apic[lp].lvtpc & LVT_MASKED)
        return;
    core.apic[lp].lvtpc |= LVT_MASKED; /* R51 */
    core.apic[lp].nmi_pending = true;
    core.apic[lp].nmi_due = core.now + core.latency;
}

void apic_write(u32 reg, u32 value)
{
    assert_int_equal(reg, APIC_LVTPC);
    assert_int_equal(value, APIC_DM_NMI);
    bool was_masked = core.apic[core.cpu].lvtpc & LVT_MASKED;
    core.apic[core.cpu].lvtpc = value;
    if (was_masked && nbpmu_lvtpc_unmasked(core.pmu, (unsigned)core.cpu))
        accept_pmi((unsigned)core.cpu);
}

/* That counter 1 is broken is the driver's opinion (E4), and no fault of the test. */
void kernel_warn(bool wrong, const char *why)
{
    if (wrong && strcmp(why, "hwc->idx == 1") != 0)
        core.warning = why;
}

/* ---- Clocks and interrupts ---- */

void kernel_report(unsigned lp, enum nbpmu_event event, unsigned mask_bits, unsigned count)
{
    assert_true(core.reports < REPORTS);
    core.report[core.reports++] = (struct report){lp, mask_bits, count, event};
}

static void take_nmis(void)
{
    int interrupted = core.cpu;
    for (int cpu = 0; cpu < CPUS; cpu++) {
        if (!core.apic[cpu].nmi_pending || core.now < core.apic[cpu].nmi_due)
            continue;
        core.apic[cpu].nmi_pending = false;
        if (++core.nmis > MOST_NMIS)
            fail_msg("a storm of NMIs");
        core.cpu = cpu;
        if (x86_pmu.handle_irq(NULL) == 0)
            core.unknown_nmis++;
    }
    core.cpu = interrupted;
}

/* So many clocks at most that a PMI comes in the last one: no counter overflows before, and one that has just
 * overflowed raises its PMI with its next count (R46). */
static u64 quiet_clocks(void)
{
    u64 clocks = UINT64_MAX;
    for (unsigned n = 0; n < NBPMU_COUNTERS; n++) {
        struct nbpmu_view view;
        nbpmu_look(core.pmu, n, &view);
        u64 safe = view.value < MOST_A_CLOCK ? 1 : 1 + (COUNTER_MASK - view.value) / (MOST_A_CLOCK + 1);
        if (view.enabled && safe < clocks)
            clocks = safe;
    }
    for (int cpu = 0; cpu < CPUS; cpu++)
        if (core.apic[cpu].nmi_pending && core.apic[cpu].nmi_due - core.now < clocks)
            clocks = core.apic[cpu].nmi_due - core.now;
    return clocks > 0 ? clocks : 1;
}

void kernel_clocks(u64 clocks)
{
    while (clocks > 0) {
        u64 quiet = quiet_clocks(), passed = quiet < clocks ? quiet : clocks;
        for (unsigned i = 0; i < core.reports; i++) {
            const struct report *report = &core.report[i];
            nbpmu_event(core.pmu, report->lp, report->event, (uint16_t)report->mask_bits, report->count);
        }
        unsigned pmis = nbpmu_repeat(core.pmu, &passed);
        core.now += passed;
        clocks -= passed;
        for (unsigned lp = 0; lp < CPUS; lp++)
            if (pmis >> lp & 1)
                accept_pmi(lp);
        take_nmis();
    }
}

/* ---- Perf events: what the driver calls ---- */

int x86_setup_perfctr(struct perf_event *event)
{
    struct perf_event_attr *attr = &event->attr;
    u64 config = 0;

    if (!attr->sample_period)
        event->hw.sample_period = x86_pmu.max_period;
    event->hw.last_period = event->hw.sample_period;
    event->hw.period_left = (s64)event->hw.sample_period;
    if (attr->type == PERF_TYPE_RAW)
        return 0;
    if (attr->type == PERF_TYPE_HW_CACHE)
        config = hw_cache_event_ids[attr->config & 0xFF][attr->config >> 8 & 0xFF][attr->config >> 16 & 0xFF];
    else if (attr->config < (u64)x86_pmu.max_events)
        config = x86_pmu.event_map((int)attr->config);
    if (config == 0 || config == ~0ULL)
        return -ENOENT;
    event->hw.config |= config;
    return 0;
}

/* What is left of the period after an interrupt: it goes on where the last one ended, or anew if that is
 * longer ago than a period. */
static s64 left_of_period(const struct hw_perf_event *hw)
{
    s64 period = (s64)hw->sample_period;
    if (hw->period_left > 0)
        return hw->period_left;
    return hw->period_left <= -period ? period : hw->period_left + period;
}

/* The counts after which a counter is to overflow: two at least, as many as it holds at most. */
static s64 counts_to_overflow(s64 left)
{
    if (left < 2)
        return 2;
    return left > (s64)x86_pmu.max_period ? (s64)x86_pmu.max_period : left;
}

int x86_perf_event_set_period(struct perf_event *event)
{
    struct hw_perf_event *hw = &event->hw;
    bool ended = hw->period_left <= 0;

    hw->period_left = left_of_period(hw);
    if (ended)
        hw->last_period = hw->sample_period;
    s64 left = counts_to_overflow(hw->period_left);
    this_cpu_read(pmc_prev_left[hw->idx]) = (u64)left;
    hw->prev_count = (u64)-left;
    wrmsrl(hw->event_base, (u64)-left & x86_pmu.cntval_mask);
    return ended;
}

/* Linux 6.1 and 6.12 read pmc_prev_left before they have it set, and so write what was right the last time
 * (docs/model.md). Here it is right before. */
int kernel_x86_pmu_set_period(struct perf_event *event)
{
    if (kernel_mends())
        this_cpu_read(pmc_prev_left[event->hw.idx]) = (u64)counts_to_overflow(left_of_period(&event->hw));
    return x86_pmu.set_period(event);
}

u64 x86_perf_event_update(struct perf_event *event)
{
    struct hw_perf_event *hw = &event->hw;
    u64 value;

    assert_true(nbpmu_rdpmc(core.pmu, (unsigned)core.cpu, true, (uint32_t)hw->idx, &value));
    u64 counted = (value - hw->prev_count) & x86_pmu.cntval_mask;
    hw->prev_count = value;
    hw->period_left -= (s64)counted;
    event->count += counted;
    return value;
}

int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
    (void)regs;
    assert_int_equal(data->period, event->hw.sample_period);
    return ++event->samples == event->throttle;
}

void x86_pmu_stop(struct perf_event *event, int flags)
{
    struct cpu_hw_events *cpuc = this_cpu_ptr(&cpu_hw_events);
    if (test_bit(event->hw.idx, cpuc->active_mask)) {
        x86_pmu.disable(event);
        __clear_bit(event->hw.idx, cpuc->active_mask);
        cpuc->events[event->hw.idx] = NULL;
    }
    if (flags & PERF_EF_UPDATE)
        x86_perf_event_update(event);
}

/* ---- Perf events: what calls the driver ---- */

int kernel_open(struct perf_event *event, struct perf_event_attr attr)
{
    *event = (struct perf_event){.attr = attr, .hw = {.idx = -1, .sample_period = attr.sample_period}};
    return x86_pmu.hw_config(event);
}

void kernel_start(struct perf_event *event)
{
    struct cpu_hw_events *cpuc = this_cpu_ptr(&cpu_hw_events);
    cpuc->events[event->hw.idx] = event;
    __set_bit(event->hw.idx, cpuc->active_mask);
    x86_pmu.enable(event);
}

/* While something changes, all events of the CPU stand still. */
int kernel_add(struct perf_event *event)
{
    struct cpu_hw_events *cpuc = this_cpu_ptr(&cpu_hw_events);
    int assign[X86_PMC_IDX_MAX], n = cpuc->n_events;

    x86_pmu.disable_all();
    cpuc->event_list[n] = event;
    int refused = x86_pmu.schedule_events(cpuc, n + 1, assign);
    if (!refused) {
        cpuc->n_events++;
        event->hw.idx = assign[n];
        event->hw.config_base = x86_pmu_config_addr(assign[n]);
        event->hw.event_base = x86_pmu.perfctr + (u32)assign[n];
        kernel_x86_pmu_set_period(event);
        kernel_start(event);
        apic_write(APIC_LVTPC, APIC_DM_NMI);
    }
    x86_pmu.enable_all(refused ? 0 : 1);
    return refused;
}

void kernel_remove(struct perf_event *event)
{
    struct cpu_hw_events *cpuc = this_cpu_ptr(&cpu_hw_events);
    int at = 0;

    x86_pmu.disable_all();
    x86_pmu_stop(event, PERF_EF_UPDATE);
    while (cpuc->event_list[at] != event)
        assert_true(++at < cpuc->n_events);
    cpuc->n_events--;
    memmove(&cpuc->event_list[at], &cpuc->event_list[at + 1], (size_t)(cpuc->n_events - at) * sizeof event);
    x86_pmu.enable_all(0);
}
