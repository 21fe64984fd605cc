/*
 * The memory access of an instruction: store buffer, address translation, then cache or bus.
 *
 * Time does not depend on the caches. What is simulated:
 * - DTLB: tlb.c; a page walk for each page of the operand that is not in it.
 * - Store buffer: 24 or 32 entries, half of them with two active logical processors; one drains every
 *   DRAIN_CLOCKS, one that crosses a line takes twice as long, one to uncached memory as long as the bus. A
 *   store that finds the buffer full stalls the allocator until there is room (resource_stall SBFULL,
 *   memory_cancel ST_RB_FULL).
 * - Second level: it holds all lines but those that CLFLUSH or a non-temporal store has removed. A load of a
 *   line that is not in the first level is a read hit in the second, in the state of the line, or a miss.
 *   So is the read for ownership of a store to a line that is not in the second.
 * - Forwarding: a load that needs only a part of its bytes from the last store, or not those at its
 * beginning, is replayed; so is one whose last store waits for its address or its data.
 * - 64K aliasing: a load is cancelled whose line differs from the line of the last store only above bit 15,
 *   from model 3 on only above bit 21 (F19).
 * - Memory order: a load of the line that it loaded last is cleared if the other logical processor has stored
 *   to the line in between (machine_clear MOCLEAR).
 * - Bus: an uncached access is one transaction for each 8 bytes, and so is a store to write-through or
 *   write-protected memory. A load of a line that is absent reads it, and the other line of the 128 bytes if
 *   that is absent too. A modified line that CLFLUSH removes is written back. An access waits while it finds
 *   no buffer.
 * - Write-combining buffers: 6, from model 3 on 8 (F20). A store to write-combining memory, or a non-temporal
 *   one, has one for its line. It is evicted when it is full, when a buffer for another line is needed, and
 * by a serialising instruction.
 */
#include "events.h"

#include "sim/board/ram.h"
#include "sim/cpu/registers.h"
#include "sim/lib/random.h"

#define CACHE_LINE            64u
#define ALIAS_RANGE           0x10000u
#define ALIAS_RANGE_PRESCOTT  0x400000u
#define UC_CHUNK              8u /* IOQ_allocation counts uncached accesses in chunks of 8 bytes */
#define STORE_BUFFER          24u
#define STORE_BUFFER_PRESCOTT 32u /* of models 3 and later; an estimate (F20) */
#define DRAIN_CLOCKS          2u
#define BUS_CLOCKS            16u /* that the bus takes for a store at least */
#define UNALIGNED             16u /* MOB_load_replay compares the lower 4 bits of the addresses */

#define WC_BUFFERS_BEFORE_PRESCOTT 6u

#define DTLB_EVENTS (EVENT_BIT(NBPMU_PAGE_WALK_TYPE) | EVENT_BIT(NBPMU_REPLAY_EVENT))

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

/* 18.15.5.7 counts resource stalls on the models with extended cascading; others may not have the event. */
static bool counts_stalls(const struct processor *processor)
{
    return !processor->variants->no_resource_stall || cpu_model_number(processor->model) >= 2;
}

/* A store enters the buffer, and drains in so many clocks. */
static void queue_store(struct processor *processor, unsigned drain)
{
    struct core *core = processor->core;
    uint64_t entries = store_buffer(processor);
    uint64_t *drained = processor->stores_drained;
    uint64_t before = drained[(processor->stores - 1) % STORES],
             room = drained[(processor->stores - entries) % STORES];
    while (room > core->clock) {
        if (counts_stalls(processor))
            post(processor, NBPMU_RESOURCE_STALL, SBFULL, 1);
        post(processor, NBPMU_MEMORY_CANCEL, ST_RB_FULL, 1);
        core_repeat_clock(core, room - core->clock);
    }
    drained[processor->stores++ % STORES] = (before > core->clock ? before : core->clock) + drain;
}

void store_buffer_drain(struct processor *processor)
{
    uint64_t last = processor->stores_drained[(processor->stores - 1) % STORES];
    if (last > processor->core->clock)
        pass_clocks(processor, last - processor->core->clock);
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

static unsigned in_chunks(const struct processor *processor, const struct insn *insn)
{
    return (processor->operand % UC_CHUNK + insn->size + UC_CHUNK - 1) / UC_CHUNK;
}

/* The transactions of an access that no cache holds, 8 bytes each. Returns the clock at which the last one is
 * done. */
static uint64_t access_chunks(struct processor *processor, const struct insn *insn, enum bus_kind kind,
                              unsigned latency)
{
    unsigned chunks = in_chunks(processor, insn);
    uint64_t done = 0;
    for (unsigned more = retries(processor); chunks-- > 0; more = 0)
        done = transact(processor, kind, 1 + more, latency);
    return done;
}

static void access_uncached(struct processor *processor, const struct insn *insn)
{
    struct core *core = processor->core;
    bool in_ram = processor->operand < RAM_SIZE; /* others have a device, and its cost */
    bool stores = insn->flags & INSN_STORES,
         buffered = stores && in_ram && is_counted(processor, STORE_BUFFER_EVENTS);
    unsigned latency = in_ram ? timing_draw(processor->timing, COST_UNCACHED) : 0;
    uint64_t done = core->clock + latency;
    if (buffered)
        queue_store(processor, latency > BUS_CLOCKS ? latency : BUS_CLOCKS);
    if (is_counted(processor, BUS_EVENTS)) {
        if (insn->flags & INSN_LOADS)
            done = access_chunks(processor, insn,
                                 in_chunks(processor, insn) > 1 ? BUS_UNCACHED_SPLIT : BUS_UNCACHED_READ,
                                 latency);
        if (stores)
            done = access_chunks(processor, insn, BUS_UNCACHED_WRITE, latency);
    }
    if (in_ram && !buffered && done > core->clock)
        pass_clocks(processor, done - core->clock);
}

void port_access(struct processor *processor, const struct insn *insn)
{
    transact(processor, insn->port_bytes & PORT_IS_OUTPUT ? BUS_PORT_WRITE : BUS_PORT_READ, 1, 0);
    pass_clocks(processor, 1); /* as between lines */
}

/* ---- Write-combining buffers ---- */

static void write_buffer(struct processor *processor, const struct wc_buffer *buffer)
{
    unsigned latency = timing_draw(processor->timing, COST_UNCACHED);
    if (!is_counted(processor, BUS_EVENTS))
        return;
    if (buffer->bytes == WC_WHOLE) {
        transact(processor, BUS_LINE_WRITE, 1, latency);
        return;
    }
    for (unsigned at = 0; at < CACHE_LINE; at += UC_CHUNK)
        if (buffer->bytes >> at & FIELD_MASK64(UC_CHUNK - 1, 0))
            transact(processor, BUS_WC_CHUNK, 1, latency);
}

/* Evict the oldest buffer, or one that is full. causes: mask bits of WC_Buffer. */
static void evict(struct processor *processor, unsigned index, unsigned causes)
{
    struct wc_buffer buffer = wc_buffer_take(&processor->core->write_combining, index);
    post_mask(processor, NBPMU_WC_BUFFER, causes, 1);
    write_buffer(processor, &buffer);
    pass_clocks(processor, 1); /* one in a clock */
}

static void combine(struct processor *processor, const struct insn *insn)
{
    struct wc_buffers *buffers = &processor->core->write_combining;
    unsigned most = cpu_model_number(processor->model) < 3 ? WC_BUFFERS_BEFORE_PRESCOTT : WC_BUFFERS;
    uint32_t line = processor->operand / CACHE_LINE, at = processor->operand % CACHE_LINE;
    struct wc_buffer *buffer = wc_buffer_of(buffers, line);
    if (!buffer) {
        if (buffers->count == most)
            evict(processor, 0, 1u << WCB_EVICTS | 1u << WCB_FULL_EVICT);
        buffer = wc_buffer_new(buffers, line);
    }
    for (unsigned i = 0; i < insn->size && at + i < CACHE_LINE; i++)
        buffer->bytes |= 1ull << (at + i);
    if (buffer->bytes == WC_WHOLE)
        evict(processor, (unsigned)(buffer - buffers->buffer), 1u << WCB_EVICTS);
}

void write_combining_drain(struct processor *processor)
{
    struct wc_buffers *buffers = &processor->core->write_combining;
    while (buffers->count > 0 && is_counted(processor, LINE_EVENTS))
        evict(processor, 0, 1u << WCB_EVICTS);
    buffers->count = 0;
}

static void access_write_combining(struct processor *processor, const struct insn *insn)
{
    if (insn->flags & INSN_LOADS && is_counted(processor, BUS_EVENTS))
        access_chunks(processor, insn, BUS_WC_READ, timing_draw(processor->timing, COST_UNCACHED));
    if (insn->flags & INSN_STORES && is_counted(processor, LINE_EVENTS))
        combine(processor, insn);
}

/* ---- Lines ---- */

static void transact_line(struct processor *processor, enum bus_kind kind)
{
    if (!is_counted(processor, BUS_EVENTS))
        return;
    transact(processor, kind, 1, timing_draw(processor->timing, COST_UNCACHED));
    pass_clocks(processor, 1); /* IOQ_allocation and BSQ_allocation need a clock between two edges */
    pass_clocks(processor, 1);
}

/* A load or a store asks for a line that the second level does not hold. */
static void fetch_line(struct processor *processor, uint32_t line, enum bus_kind kind)
{
    struct second_level *level = &processor->core->second_level;
    post(processor, NBPMU_BSQ_CACHE_REFERENCE, RD_2ND_LEVEL_MISS, 1);
    second_level_note(level, line, LINE_EXCLUSIVE);
    transact_line(processor, kind);
    if (kind == BUS_LINE_READ && second_level_state(level, line ^ 1) == LINE_ABSENT &&
        is_counted(processor, BUS_EVENTS)) {
        second_level_note(level, line ^ 1, LINE_EXCLUSIVE);
        transact(processor, BUS_LINE_PREFETCH, 1, timing_draw(processor->timing, COST_UNCACHED));
    }
}

/* A direct-mapped first level is smaller than a real one, so it misses at least as often. */
static bool first_level_holds(struct processor *processor, uint32_t line)
{
    uint32_t *entry = &processor->first_level[line % FIRST_LEVEL_LINES];
    bool holds = *entry == line + 1;
    *entry = line + 1;
    return holds;
}

/* Returns which levels it missed, as ACCESS_ bits. */
static unsigned load_line(struct processor *processor, unsigned type)
{
    static const enum bus_kind KIND[] = {
        [MEMORY_WT] = BUS_WT_READ, [MEMORY_WP] = BUS_WP_READ, [MEMORY_WB] = BUS_LINE_READ};
    uint32_t line = processor->operand / CACHE_LINE;
    enum line_state state = second_level_state(&processor->core->second_level, line);
    bool held = first_level_holds(processor, line);
    if (state == LINE_ABSENT) {
        fetch_line(processor, line, KIND[type]);
        return ACCESS_MISSED_1ST_LEVEL | ACCESS_MISSED_2ND_LEVEL;
    }
    if (held)
        return 0;
    post(processor, NBPMU_BSQ_CACHE_REFERENCE, state == LINE_MODIFIED ? RD_2ND_LEVEL_HITM : RD_2ND_LEVEL_HITE,
         1);
    return ACCESS_MISSED_1ST_LEVEL;
}

static void store_line(struct processor *processor, const struct insn *insn, unsigned type)
{
    struct second_level *level = &processor->core->second_level;
    uint32_t line = processor->operand / CACHE_LINE;
    if (insn->flags & INSN_NONTEMPORAL) {
        second_level_note(level, line, LINE_ABSENT);
        combine(processor, insn);
    } else if (type != MEMORY_WB) {
        if (is_counted(processor, BUS_EVENTS))
            access_chunks(processor, insn, type == MEMORY_WT ? BUS_WT_WRITE : BUS_WP_WRITE,
                          timing_draw(processor->timing, COST_UNCACHED));
    } else {
        if (second_level_state(level, line) == LINE_ABSENT)
            fetch_line(processor, line, BUS_LINE_OWN);
        second_level_note(level, line, LINE_MODIFIED);
    }
}

static unsigned access_lines(struct processor *processor, const struct insn *insn, unsigned type)
{
    unsigned missed = insn->flags & INSN_LOADS ? load_line(processor, type) : 0;
    if (insn->flags & INSN_STORES)
        store_line(processor, insn, type);
    return missed;
}

/* CLFLUSH: no cache holds the line any more. */
static void flush_line(struct processor *processor)
{
    struct core *core = processor->core;
    uint32_t line = processor->operand / CACHE_LINE;
    if (second_level_state(&core->second_level, line) == LINE_MODIFIED)
        transact_line(processor, BUS_WRITE_BACK);
    second_level_note(&core->second_level, line, LINE_ABSENT);
}

/* ---- The last store ---- */

/*
 * Why the load has to wait for the last store and is replayed: mask bits of MOB_load_replay. It gets some of
 * its bytes, but not all, or not the first ones; the store waits for a result of which its address is made,
 * or its data.
 */
static unsigned replays(struct processor *processor, const struct insn *insn)
{
    uint32_t load = processor->operand, store = processor->store;
    bool overlaps = load < store + processor->store_size && store < load + insn->size;
    bool contained = load >= store && load + insn->size <= store + processor->store_size;
    enum store_waits waits = processor->store_waits;
    processor->store_waits = STORE_READY;
    if (waits == STORE_WITHOUT_ADDRESS)
        return 1u << NO_STA;
    if (!overlaps)
        return 0;
    if (waits == STORE_WITHOUT_DATA)
        return 1u << NO_STD;
    if (!contained)
        return 1u << PARTIAL_DATA;
    return load % UNALIGNED != store % UNALIGNED ? 1u << UNALGN_ADDR : 0;
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

/* Has the other logical processor stored to the line since this one loaded it, and has it loaded no other
 * line? */
static bool out_of_order(struct processor *processor)
{
    const struct processor *other = processor->core->processor[processor->thread ^ 1];
    uint32_t line = processor->operand / CACHE_LINE;
    bool again = processor->loaded == line + 1;
    processor->loaded = line + 1;
    if (!other || other->store / CACHE_LINE != line)
        return false;
    bool newer = other->stores_made != processor->stores_seen;
    processor->stores_seen = other->stores_made;
    return again && newer;
}

static unsigned post_load(struct processor *processor, const struct insn *insn, bool split)
{
    unsigned access = ACCESS_LOAD, replayed = replays(processor, insn);
    if (split) {
        access |= ACCESS_SPLIT_LOAD;
        post(processor, NBPMU_MEMORY_COMPLETE, LSC, split_counts(processor));
        post(processor, NBPMU_LOAD_PORT_REPLAY, SPLIT_LD, split_counts(processor));
    }
    if (replayed)
        post_mask(processor, NBPMU_MOB_LOAD_REPLAY, replayed, 1);
    if (replayed & 1u << PARTIAL_DATA)
        access |= ACCESS_PARTIAL_DATA;
    if (replayed & 1u << UNALGN_ADDR)
        access |= ACCESS_UNALIGNED;
    if (aliases_store(processor))
        post(processor, NBPMU_MEMORY_CANCEL, CONF_64K, 1);
    if (is_counted(processor, EVENT_BIT(NBPMU_MACHINE_CLEAR)) && out_of_order(processor))
        post_mask(processor, NBPMU_MACHINE_CLEAR, 1u << CLEAR | 1u << MOCLEAR, 1);
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
    processor->stores_made++;
    processor->store_waits = STORE_READY;
    if (processor->divided && insn->base == UC_X86_REG_EAX)
        processor->store_waits = STORE_WITHOUT_ADDRESS;
    else if (processor->divided && insn->flags & INSN_STORES_EAX)
        processor->store_waits = STORE_WITHOUT_DATA;
    processor->divided = false;
    return access;
}

unsigned memory_access(struct processor *processor, const struct insn *insn)
{
    bool loads = insn->flags & INSN_LOADS, stores = insn->flags & INSN_STORES;
    bool split = crosses_line(processor->operand, insn->size);
    unsigned access = 0, type = memory_type(processor, processor->operand);

    if (insn->flags & INSN_FLUSHES) {
        flush_line(processor);
        return 0;
    }
    if (stores && type != MEMORY_UC && is_counted(processor, STORE_BUFFER_EVENTS))
        queue_store(processor, split ? 2 * DRAIN_CLOCKS : DRAIN_CLOCKS);
    bool missed = translate(processor, insn);
    if (type == MEMORY_UC) {
        access_uncached(processor, insn);
        return 0;
    }
    if (type == MEMORY_WC) {
        access_write_combining(processor, insn);
        return 0;
    }
    if (is_counted(processor, LINE_EVENTS))
        access |= access_lines(processor, insn, type);
    if (loads)
        access |= post_load(processor, insn, split) | (missed ? ACCESS_DTLB_MISSED_LOAD : 0);
    if (stores)
        access |= post_store(processor, insn, split) | (missed ? ACCESS_DTLB_MISSED_STORE : 0);
    return (insn->flags & INSN_LOCKED) ? 0 : access;
}
