/*
 * A core's clock and PMU. Every call of the PMU model that lets time pass or reports events is here or in
 * core.h.
 */

#include "processor.h"

bool core_init(struct core *core, const struct core_config *config, const struct injectors *injectors,
               pending_changed_fn *pending_changed)
{
    core->pmu = nbpmu_new(&config->part, &config->variants);
    if (!core->pmu || !nbpmu_set_fault(core->pmu, &config->fault))
        return false;
    nbpmu_set_lp(core->pmu, 0, false, 0); /* until the boot processor starts */
    core->bus.model = config->part.model;
    core->injectors = injectors;
    core->pending_changed = pending_changed;
    return true;
}

void core_free(struct core *core)
{
    nbpmu_free(core->pmu);
}

void core_set_trace(struct core *core, nbpmu_trace_fn *fn, void *context)
{
    nbpmu_set_trace(core->pmu, fn, context);
}

void core_set_watch(struct core *core, core_watch_fn *fn, void *context)
{
    core->watch = fn;
    core->watch_context = context;
}

/* ---- Logical processors of the core ---- */

void core_update_thread(struct processor *processor)
{
    struct core *core = processor->core;
    if (core->posted)
        core_clock(core, 1, true); /* what was posted belongs to the state that ends */
    core->active[processor->thread] = processor->state == PROCESSOR_ACTIVE;
    nbpmu_set_lp(core->pmu, processor->thread, core->active[processor->thread], processor->cpl);
}

void core_receive_init(struct core *core)
{
    nbpmu_init_received(core->pmu);
}

bool core_active(const struct core *core)
{
    return core->active[0] || core->active[1];
}

/* ---- Time ---- */

/* A halted processor has no instructions left that could delay it. One PMI at a time is under way: a second
 * one would find LVTPC masked (R51). */
static void send_pmi(struct core *core, struct processor *processor)
{
    if (!(processor->msrs.apic_base & APIC_BASE_ENABLE))
        return;
    uint64_t delay =
        timing_draw(processor->timing, COST_PMI) + injectors_pmi_skid(core->injectors, processor);
    if (core->clock + delay < processor->pmi_arrives)
        processor->pmi_arrives = core->clock + delay;
    if (!core_pmi_arrives(processor))
        run_control_limit(processor->control, processor->pmi_arrives);
}

bool core_pmi_arrives(struct processor *processor)
{
    bool due = processor->core->clock >= processor->pmi_arrives || processor->state != PROCESSOR_ACTIVE;
    if (processor->pmi_arrives == LAPIC_NEVER || !due)
        return false;
    processor->pmi_arrives = LAPIC_NEVER;
    processor->lapic.stages->raise(&processor->lapic, LVT_PERFORMANCE);
    processor->core->pending_changed(processor);
    return true;
}

static void raise_pmi(struct core *core, unsigned threads)
{
    bool taken = false;
    for (unsigned t = 0; t < NBPMU_LPS; t++) {
        struct processor *processor = core->processor[t];
        if (!(threads & 1u << t) || !processor || !lapic_takes(&processor->lapic, LVT_PERFORMANCE))
            continue;
        taken = true;
        send_pmi(core, processor);
    }
    if (!taken && !core->watch) /* for a watcher, no clock is skipped */
        nbpmu_pmi_undelivered(core->pmu);
}

/* core_clock() while somebody watches: the PMU sees all clocks, and those that may change something one by
 * one. What a PMI causes comes after the last one, as without a watcher. */
static void pass_watched(struct core *core, uint64_t clocks)
{
    unsigned threads = 0;
    uint64_t clock = core->clock;
    core->clock += clocks;
    core->watch(core->watch_context, clock, 0);
    while (clock < core->clock) {
        bool alone = core->posted || (nbpmu_active_events(core->pmu) & 1ull << NBPMU_NO_EVENT);
        uint64_t passing = alone ? 1 : core->clock - clock;
        core->posted = false;
        unsigned raised = nbpmu_advance(core->pmu, passing);
        core->watch(core->watch_context, clock + 1, raised);
        threads |= raised;
        clock += passing;
    }
    if (threads)
        raise_pmi(core, threads);
}

/* ---- The bus queues ---- */

#define QUEUE_EVENTS \
    (1ull << NBPMU_IOQ_ACTIVE_ENTRIES | 1ull << NBPMU_BSQ_ACTIVE_ENTRIES | 1ull << NBPMU_FSB_DATA_ACTIVITY)

/* clang-format off */
/* Masks of the two events (pmu-rules 4.1). Which request type a port has in the IOQ is not known. IOQ: request type, direction, memory type, OWN, PREFETCH. */
#define IOQ_OF(direction, memory) (1u << 0 | (direction) | (memory) | 1u << 13)
#define READ  (1u << 5)
#define WRITE (1u << 6)
#define UC    (1u << 7)
#define WC    (1u << 8)
#define WT    (1u << 9)
#define WP    (1u << 10)
#define WB    (1u << 11)
/* BSQ: type 0 read, 1 read for ownership, 2 write, 3 write-back; length 1 chunk or 3 for 8 of them; flags; memory type. */
#define BSQ_OF(type, length, flags, memory) ((type) | (length) << 2 | (flags) | (memory) << 11)
#define PORT    (1u << 5)
#define CACHE   (1u << 7)
#define SPLIT   (1u << 8)
#define DEMAND  (1u << 9)
#define ORDERED (1u << 10)
static const struct { uint16_t ioq, bsq; } MASK[BUS_KINDS] = {
    [BUS_UNCACHED_READ]  = {IOQ_OF(READ, UC),            BSQ_OF(0, 1u, DEMAND | ORDERED, MEMORY_UC)},
    [BUS_UNCACHED_WRITE] = {IOQ_OF(WRITE, UC),           BSQ_OF(2, 1u, DEMAND | ORDERED, MEMORY_UC)},
    [BUS_UNCACHED_SPLIT] = {IOQ_OF(READ, UC),            BSQ_OF(0, 1u, SPLIT | DEMAND | ORDERED, MEMORY_UC)},
    [BUS_PORT_READ]      = {0,                           BSQ_OF(0, 1u, PORT | DEMAND | ORDERED, MEMORY_UC)},
    [BUS_PORT_WRITE]     = {0,                           BSQ_OF(2, 1u, PORT | DEMAND | ORDERED, MEMORY_UC)},
    [BUS_WC_READ]        = {IOQ_OF(READ, WC),            BSQ_OF(0, 1u, DEMAND, MEMORY_WC)},
    [BUS_WC_CHUNK]       = {IOQ_OF(WRITE, WC),           BSQ_OF(2, 1u, DEMAND, MEMORY_WC)},
    [BUS_WT_WRITE]       = {IOQ_OF(WRITE, WT),           BSQ_OF(2, 1u, DEMAND, MEMORY_WT)},
    [BUS_WP_WRITE]       = {IOQ_OF(WRITE, WP),           BSQ_OF(2, 1u, DEMAND, MEMORY_WP)},
    [BUS_LINE_READ]      = {IOQ_OF(READ, WB),            BSQ_OF(0, 3u, CACHE | DEMAND, MEMORY_WB)},
    [BUS_LINE_PREFETCH]  = {IOQ_OF(READ, WB) | 1u << 15, BSQ_OF(0, 3u, CACHE, MEMORY_WB)},
    [BUS_WT_READ]        = {IOQ_OF(READ, WT),            BSQ_OF(0, 3u, CACHE | DEMAND, MEMORY_WT)},
    [BUS_WP_READ]        = {IOQ_OF(READ, WP),            BSQ_OF(0, 3u, CACHE | DEMAND, MEMORY_WP)},
    [BUS_LINE_OWN]       = {IOQ_OF(READ, WB),            BSQ_OF(1, 3u, CACHE | DEMAND | ORDERED, MEMORY_WB)},
    [BUS_LINE_WRITE]     = {IOQ_OF(WRITE, WC),           BSQ_OF(2, 3u, DEMAND, MEMORY_WC)},
    [BUS_WRITE_BACK]     = {IOQ_OF(WRITE, WB),           BSQ_OF(3, 3u, CACHE | DEMAND, MEMORY_WB)},
};
/* clang-format on */

unsigned core_ioq_mask(enum bus_kind kind)
{
    return MASK[kind].ioq;
}

unsigned core_bsq_mask(enum bus_kind kind)
{
    return MASK[kind].bsq;
}

uint64_t core_add_transaction(struct core *core, enum bus_kind kind, unsigned thread, unsigned latency)
{
    core->posted = true; /* no clock passes unseen */
    return bus_add(&core->bus, core->clock, kind, thread, latency);
}

static bool queues_count(const struct core *core)
{
    return core->bus.count > 0 && (nbpmu_active_events(core->pmu) & QUEUE_EVENTS);
}

static void post_queued(struct core *core, enum nbpmu_event event, unsigned mask, unsigned thread,
                        unsigned count)
{
    if (count > 0 && (nbpmu_active_events(core->pmu) & 1ull << event))
        nbpmu_event(core->pmu, thread, event, (uint16_t)mask, count);
}

/* Post what is in the queues in the next clock. Returns for how many of these clocks that holds. */
static uint64_t post_queues(struct core *core, uint64_t clocks)
{
    struct bus_queue bsq, ioq;
    uint8_t lines[NBPMU_LPS];
    uint64_t next = bus_look(&core->bus, core->clock, &bsq, &ioq);
    uint64_t data = bus_data(&core->bus, core->clock, lines);
    for (unsigned t = 0; t < NBPMU_LPS; t++) {
        post_queued(core, NBPMU_FSB_DATA_ACTIVITY, lines[t], t, lines[t] != 0);
        for (unsigned kind = 0; kind < BUS_KINDS; kind++) {
            post_queued(core, NBPMU_IOQ_ACTIVE_ENTRIES, MASK[kind].ioq, t, ioq.of[t][kind]);
            post_queued(core, NBPMU_BSQ_ACTIVE_ENTRIES, MASK[kind].bsq, t, bsq.of[t][kind]);
        }
    }
    next = data && (!next || data < next) ? data : next;
    return next && next - core->clock < clocks ? next - core->clock : clocks;
}

/* core_clock() while the queues are counted. */
static void pass_queued(struct core *core, uint64_t clocks)
{
    uint64_t passed = clocks > 0 ? core_repeat_clock(core, 1) : 0;
    while (passed < clocks && queues_count(core))
        passed += core_repeat_clock(core, clocks - passed);
    if (passed < clocks)
        core_clock(core, clocks - passed, true);
    core->posted = queues_count(core);
}

void core_clock(struct core *core, uint64_t clocks, bool seen)
{
    uint64_t active = nbpmu_active_events(core->pmu);
    if (core->bus.count > 0 && active & QUEUE_EVENTS) {
        pass_queued(core, clocks);
        return;
    }
    bool every_clock = active & 1ull << NBPMU_NO_EVENT;
    if (core->watch) {
        pass_watched(core, clocks);
        return;
    }
    core->clock += clocks;
    if (clocks == 0 || (!core->posted && (!active || !(seen || every_clock))))
        return;
    core->posted = false;
    unsigned threads = nbpmu_advance(core->pmu, clocks);
    if (threads)
        raise_pmi(core, threads);
}

void core_stop_clock(struct core *core, uint64_t clocks)
{
    if (core->posted)
        core_clock(core, 1, true);
    core->clock += clocks;
}

uint64_t core_repeat_clock(struct core *core, uint64_t clocks)
{
    if (queues_count(core))
        clocks = post_queues(core, clocks);
    if (core->watch) {
        pass_watched(core, 1);
        return 1;
    }
    core->clock++; /* what the call traces has the number of the first clock */
    core->posted = false;
    unsigned threads = nbpmu_repeat(core->pmu, &clocks);
    core->clock += clocks - 1;
    if (threads)
        raise_pmi(core, threads);
    return clocks;
}

void core_catch_up(struct core *core, uint64_t clock)
{
    if (core->clock < clock)
        core_clock(core, clock - core->clock, false);
}
