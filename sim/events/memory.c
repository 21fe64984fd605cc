/*
 * The memory access of an instruction: store buffer, address translation, then cache or bus.
 *
 * Of the caches only the lines of the first level are kept, for one event; time does not depend on them. What
 * is simulated:
 * - DTLB: tlb.c; a page walk for each page of the operand that is not in it.
 * - Store buffer: 24 or 32 entries, half of them with two active logical processors; one drains every
 *   DRAIN_CLOCKS, one that crosses a line takes twice as long. A store that finds the buffer full stalls the
 *   allocator until there is room (resource_stall SBFULL, memory_cancel ST_RB_FULL).
 * - First level: a load of a line that is not in it is a read hit in the second (BSQ_cache_reference).
 * - Forwarding: a load that needs only a part of its bytes from the last store is replayed.
 * - 64K aliasing: a load is cancelled whose line differs from the line of the last store only above bit 15,
 * from model 3 on only above bit 21 (F19).
 * - Bus: an uncached access is one transaction for each 8 bytes. A non-temporal store evicts its line, and
 * with the last bytes of a line its write-combining buffer is full and written. A load of a line that was
 * evicted reads it, and the other line of the 128 bytes if that was evicted too. An access waits while it
 * finds no buffer.
 */
#include "events.h"

#include "sim/board/board.h"
#include "sim/cpu/registers.h"
#include "sim/lib/random.h"

#define CACHE_LINE            64u
#define ALIAS_RANGE           0x10000u
#define ALIAS_RANGE_PRESCOTT  0x400000u
#define UC_CHUNK              8u /* IOQ_allocation counts uncached accesses in chunks of 8 bytes */
#define STORE_BUFFER          24u
#define STORE_BUFFER_PRESCOTT 32u /* of models 3 and later; an estimate (F20) */
#define DRAIN_CLOCKS          2u

#define BUS_EVENTS                                                           \
    (EVENT_BIT(NBPMU_IOQ_ALLOCATION) | EVENT_BIT(NBPMU_IOQ_ACTIVE_ENTRIES) | \
     EVENT_BIT(NBPMU_BSQ_ALLOCATION) | EVENT_BIT(NBPMU_BSQ_ACTIVE_ENTRIES) | \
     EVENT_BIT(NBPMU_FSB_DATA_ACTIVITY))
#define DTLB_EVENTS         (EVENT_BIT(NBPMU_PAGE_WALK_TYPE) | EVENT_BIT(NBPMU_REPLAY_EVENT))
#define STORE_BUFFER_EVENTS (EVENT_BIT(NBPMU_RESOURCE_STALL) | EVENT_BIT(NBPMU_MEMORY_CANCEL))

uint32_t memory_operand(const struct processor *processor, const struct insn *insn)
{
    uint32_t address = insn->offset;
    if (insn->base)
        address += processor_get(processor, insn->base);
    if (insn->index)
        address += processor_get(processor, insn->index) * insn->scale;
    return address;
}

/* ---- Address translation ---- */

/* Look up the pages of the operand in the DTLB. Returns whether one of them missed. */
static bool translate(struct processor *processor, const struct insn *insn)
{
    uint32_t first = processor->operand, last = first + insn->size - 1;
    bool missed = false;
    if (!is_counted(processor, DTLB_EVENTS) || !processor_paged(processor))
        return false;
    for (uint32_t page = first / TLB_PAGE; page <= last / TLB_PAGE; page++) {
        if (tlb_look_up(&processor->dtlb, page * TLB_PAGE))
            continue;
        post(processor, NBPMU_PAGE_WALK_TYPE, DTMISS, 1);
        missed = true;
    }
    return missed;
}

/* ---- Store buffer ---- */

static bool crosses_line(uint32_t address, unsigned size)
{
    return address % CACHE_LINE + size > CACHE_LINE;
}

/* Entries that the logical processor may use: two active ones share the buffer (F20). */
static uint64_t store_buffer(const struct processor *processor)
{
    const struct core *core = processor->core;
    unsigned entries = cpu_model_number(processor->model) < 3 ? STORE_BUFFER : STORE_BUFFER_PRESCOTT;
    return core->active[0] && core->active[1] ? entries / 2 : entries;
}

static void queue_store(struct processor *processor, bool split)
{
    struct core *core = processor->core;
    uint64_t entries = store_buffer(processor);
    if (processor->stores_drained < core->clock)
        processor->stores_drained = core->clock;
    while (processor->stores_drained - core->clock > (entries - 1) * DRAIN_CLOCKS) {
        if (!processor->variants->no_resource_stall)
            post(processor, NBPMU_RESOURCE_STALL, SBFULL, 1);
        post(processor, NBPMU_MEMORY_CANCEL, ST_RB_FULL, 1);
        pass_clocks(processor, 1);
    }
    processor->stores_drained += split ? 2 * DRAIN_CLOCKS : DRAIN_CLOCKS;
}

/* ---- Bus ---- */

/* IOQ_allocation counts a transaction again that the bus retries. */
static unsigned retries(struct processor *processor)
{
    return processor->variants->ioq_retries && random_below(&processor->dice, 8) == 0;
}

/* A transaction begins as soon as there is a buffer for it. Returns the clock at which it is done. */
static uint64_t transact(struct processor *processor, enum bus_kind kind, unsigned count, unsigned latency)
{
    struct core *core = processor->core;
    pass_clocks(processor, bus_room(&core->bus, core->clock, kind) - core->clock);
    post_mask(processor, NBPMU_IOQ_ALLOCATION, core_ioq_mask(kind), count);
    post_mask(processor, NBPMU_BSQ_ALLOCATION, core_bsq_mask(kind), 1);
    return core_add_transaction(core, kind, processor->thread, latency);
}

/* Returns the clock at which the access is done. */
static uint64_t access_uncached(struct processor *processor, const struct insn *insn, bool write,
                                unsigned latency)
{
    unsigned chunks = (processor->operand % UC_CHUNK + insn->size + UC_CHUNK - 1) / UC_CHUNK;
    unsigned data = write ? 1u << DRDY_DRV | 1u << DBSY_DRV : 1u << DRDY_OWN | 1u << DBSY_OWN;
    uint64_t done = 0;
    post_mask(processor, NBPMU_FSB_DATA_ACTIVITY, data, 1);
    for (unsigned more = retries(processor); chunks-- > 0; more = 0)
        done = transact(processor, write ? BUS_UNCACHED_WRITE : BUS_UNCACHED_READ, 1 + more, latency);
    return done;
}

static void access_bus(struct processor *processor, const struct insn *insn)
{
    struct core *core = processor->core;
    bool in_ram = processor->operand < RAM_SIZE; /* others have a device, and its cost */
    unsigned latency = in_ram ? timing_draw(processor->timing, COST_UNCACHED) : 0;
    uint64_t done = core->clock + latency;
    if (is_counted(processor, BUS_EVENTS)) {
        if (insn->flags & INSN_LOADS)
            done = access_uncached(processor, insn, false, latency);
        if (insn->flags & INSN_STORES)
            done = access_uncached(processor, insn, true, latency);
    }
    if (in_ram && done > core->clock)
        pass_clocks(processor, done - core->clock);
}

/* Was this line evicted? The load that asks reads it back. */
static bool take_evicted(struct bus *bus, uint32_t line)
{
    uint32_t *evicted = &bus->evicted[line % BUS_EVICTED_LINES];
    bool was = *evicted == line + 1;
    if (was)
        *evicted = 0;
    return was;
}

static void access_lines(struct processor *processor, const struct insn *insn)
{
    struct bus *bus = &processor->core->bus;
    uint32_t line = processor->operand / CACHE_LINE;
    if (insn->flags & INSN_NONTEMPORAL) {
        bus->evicted[line % BUS_EVICTED_LINES] = line + 1;
        if ((processor->operand + insn->size) % CACHE_LINE == 0)
            transact(processor, BUS_LINE_WRITE, 1, timing_draw(processor->timing, COST_UNCACHED));
    } else if (insn->flags & INSN_LOADS && take_evicted(bus, line)) {
        transact(processor, BUS_LINE_READ, 1, timing_draw(processor->timing, COST_UNCACHED));
        pass_clocks(processor, 1); /* IOQ_allocation and BSQ_allocation need a clock between two edges */
        pass_clocks(processor, 1);
        if (take_evicted(bus, line ^ 1))
            transact(processor, BUS_LINE_PREFETCH, 1, timing_draw(processor->timing, COST_UNCACHED));
    }
}

/* ---- Cache ---- */

/* Does the load get some, but not all, of its bytes from the last store? It is replayed then. */
static bool partially_forwarded(const struct processor *processor, const struct insn *insn)
{
    uint32_t load = processor->operand, store = processor->store;
    bool overlaps = load < store + processor->store_size && store < load + insn->size;
    bool contained = load >= store && load + insn->size <= store + processor->store_size;
    return overlaps && !contained;
}

static bool aliases_store(const struct processor *processor)
{
    uint32_t load = processor->operand / CACHE_LINE, store = processor->store / CACHE_LINE;
    uint32_t range = cpu_model_number(processor->model) < 3 ? ALIAS_RANGE : ALIAS_RANGE_PRESCOTT;
    return processor->store_size && load != store && (load - store) % (range / CACHE_LINE) == 0;
}

/* How often the events of a split access count: one for it, or one for each of its lines. */
static unsigned split_counts(const struct processor *processor)
{
    return processor->variants->split_twice ? 2 : 1;
}

/* A direct-mapped first level is smaller than a real one, so it misses at least as often. */
static bool first_level_holds(struct processor *processor)
{
    uint32_t line = processor->operand / CACHE_LINE;
    uint32_t *entry = &processor->first_level[line % FIRST_LEVEL_LINES];
    bool holds = *entry == line + 1;
    *entry = line + 1;
    return holds;
}

static unsigned post_load(struct processor *processor, const struct insn *insn, bool split)
{
    unsigned access = ACCESS_LOAD;
    if (is_counted(processor, EVENT_BIT(NBPMU_BSQ_CACHE_REFERENCE)) && !first_level_holds(processor))
        post(processor, NBPMU_BSQ_CACHE_REFERENCE, RD_2ND_LEVEL_HITE, 1);
    if (split) {
        access |= ACCESS_SPLIT_LOAD;
        post(processor, NBPMU_MEMORY_COMPLETE, LSC, split_counts(processor));
        post(processor, NBPMU_LOAD_PORT_REPLAY, SPLIT_LD, split_counts(processor));
    }
    if (partially_forwarded(processor, insn)) {
        access |= ACCESS_PARTIAL_DATA;
        post(processor, NBPMU_MOB_LOAD_REPLAY, PARTIAL_DATA, 1);
    }
    if (aliases_store(processor))
        post(processor, NBPMU_MEMORY_CANCEL, CONF_64K, 1);
    return access;
}

static unsigned post_store(struct processor *processor, const struct insn *insn, bool split)
{
    unsigned access = ACCESS_STORE;
    if (split) {
        access |= ACCESS_SPLIT_STORE;
        post(processor, NBPMU_MEMORY_COMPLETE, SSC, split_counts(processor));
        post(processor, NBPMU_STORE_PORT_REPLAY, SPLIT_ST, split_counts(processor));
    }
    processor->store = processor->operand;
    processor->store_size = insn->size;
    return access;
}

unsigned memory_access(struct processor *processor, const struct insn *insn)
{
    bool loads = insn->flags & INSN_LOADS, stores = insn->flags & INSN_STORES;
    bool split = crosses_line(processor->operand, insn->size);
    unsigned access = 0;

    if (stores && is_counted(processor, STORE_BUFFER_EVENTS))
        queue_store(processor, split);
    bool missed = translate(processor, insn);
    if (memory_type_is_uncached(processor, processor->operand)) {
        access_bus(processor, insn);
        return 0;
    }
    if (is_counted(processor, BUS_EVENTS))
        access_lines(processor, insn);
    if (loads)
        access |= post_load(processor, insn, split) | (missed ? ACCESS_DTLB_MISSED_LOAD : 0);
    if (stores)
        access |= post_store(processor, insn, split) | (missed ? ACCESS_DTLB_MISSED_STORE : 0);
    return (insn->flags & INSN_LOCKED) ? 0 : access;
}
