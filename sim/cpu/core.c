/*
 * Every call of the PMU model. A call that may change which events can move a counter ends in refresh().
 */
#include "core.h"

#include "injector.h"
#include "processor.h"

static void refresh(struct core *core)
{
    core->active_events = pmu_listening(core->pmu);
}

bool core_init(struct core *core, const struct pmu_config *config, const struct injectors *injectors,
               pending_changed_fn *pending_changed)
{
    core->pmu = pmu_new(config);
    if (!core->pmu)
        return false;
    core->injectors = injectors;
    core->pending_changed = pending_changed;
    core->untold = pmu_clocks_untold(core->pmu);
    refresh(core);
    return true;
}

void core_free(struct core *core)
{
    pmu_free(core->pmu);
}

void core_set_trace(struct core *core, pmu_trace_fn *fn, void *context)
{
    pmu_set_trace(core->pmu, fn, context);
}

/* ---- Logical processors of the core ---- */

void core_update_thread(struct processor *processor)
{
    struct core *core = processor->core;
    struct pmu_lp *thread = &core->threads[processor->thread];
    pmu_settle(core->pmu);
    thread->active = processor->state == PROCESSOR_ACTIVE;
    thread->cpl = processor->cpl;
}

void core_receive_init(struct core *core)
{
    pmu_receive_init(core->pmu);
    refresh(core);
}

bool core_active(const struct core *core)
{
    for (unsigned t = 0; t < PMU_LPS; t++)
        if (core->threads[t].active)
            return true;
    return false;
}

/* ---- Time ---- */

static void raise_pmi(struct core *core, unsigned threads)
{
    bool taken = false;
    for (unsigned t = 0; t < PMU_LPS; t++) {
        struct processor *processor = core->processor[t];
        if (!(threads & 1u << t) || !processor || !lapic_takes(&processor->lapic, LVT_PERFORMANCE))
            continue;
        taken = true;
        if (injectors_delay_pmi(core->injectors, processor))
            continue;
        lapic_raise(&processor->lapic, LVT_PERFORMANCE);
        core->pending_changed(processor);
    }
    if (!taken)
        pmu_raised_in_vain(core->pmu);
}

void core_clock(struct core *core, uint64_t clocks, bool posted)
{
    bool every_clock = core->active_events & 1ull << PMU_NO_EVENT;
    core->clock += clocks;
    if (!core->active_events || !(posted || every_clock))
        return;
    unsigned threads = pmu_clock(core->pmu, core->threads, clocks);
    refresh(core);
    if (threads)
        raise_pmi(core, threads);
}

uint64_t core_repeat_clock(struct core *core, uint64_t clocks)
{
    unsigned threads = 0;
    core->clock++;
    uint64_t passed = pmu_clocks_alike(core->pmu, core->threads, clocks, &threads);
    core->clock += passed - 1;
    refresh(core);
    if (threads)
        raise_pmi(core, threads);
    return passed;
}

void core_catch_up(struct core *core, uint64_t clock)
{
    if (core->clock < clock)
        core_clock(core, clock - core->clock, false);
}

/* ---- Registers ---- */

bool core_has_msr(const struct core *core, uint32_t msr)
{
    return pmu_has_msr(core->pmu, msr);
}

bool core_rdmsr(struct core *core, unsigned thread, uint32_t msr, uint64_t *value)
{
    bool readable = pmu_rdmsr(core->pmu, msr, value);
    if (!pmu_readable_by(core->pmu, thread))
        *value = 0;
    return readable;
}

bool core_wrmsr(struct core *core, unsigned thread, uint32_t msr, uint64_t value)
{
    if (!pmu_writable_by(core->pmu, thread))
        return true;
    bool accepted = pmu_wrmsr(core->pmu, msr, value);
    refresh(core);
    return accepted;
}

uint64_t core_register(const struct core *core, uint32_t msr)
{
    uint64_t value = 0;
    pmu_rdmsr(core->pmu, msr, &value);
    return value;
}

bool core_rdpmc(struct core *core, unsigned cpl, bool pce, uint32_t index, uint64_t *value)
{
    return pmu_rdpmc_allowed(core->pmu, cpl, pce) && pmu_rdpmc(core->pmu, index, value);
}

bool core_lvtpc_unmasked(struct core *core, unsigned thread)
{
    return pmu_lvtpc_unmasked(core->pmu, thread);
}

/* ---- Events ---- */

unsigned core_tags(const struct core *core, enum pmu_event event, unsigned mask_bit, unsigned thread)
{
    return pmu_tags(core->pmu, event, mask_bit, thread, core->threads);
}
