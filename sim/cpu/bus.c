/*
 * The in-order queue holds 12 transactions; a board may strap it to 1. A NetBurst processor
 * has four load misses outstanding, and six write-combining buffers, from model 3 on eight (F20). Eight
 * misses from model 3 on are an estimate, and so are the times: a line takes the address bus for two bus
 * clocks, and memory of half the bus's rate for four.
 */
#include "core.h"

#include <string.h>

#define IOQ_DEPTH     12u
#define ISSUE_CLOCKS  30u
#define MEMORY_CLOCKS 60u
#define REUSE_CLOCKS  8u /* until a buffer is free again */

#define DATA_CLOCKS     4u /* that the data of a line is on the bus */
#define CHUNK_CLOCKS    2u
#define RESERVED_CLOCKS 2u

static bool is_line(enum bus_kind kind)
{
    return kind >= BUS_LINE_READ;
}

static bool is_write(enum bus_kind kind)
{
    return kind == BUS_UNCACHED_WRITE || kind == BUS_PORT_WRITE || kind == BUS_WC_CHUNK ||
           kind == BUS_WT_WRITE || kind == BUS_WP_WRITE || kind == BUS_LINE_WRITE || kind == BUS_WRITE_BACK;
}

static unsigned buffers(const struct bus *bus, enum bus_kind kind)
{
    if (bus->model >= 3)
        return 8;
    return is_write(kind) ? 6 : 4;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t bus_room(const struct bus *bus, uint64_t clock, enum bus_kind kind)
{
    unsigned left = buffers(bus, kind);
    for (unsigned i = bus->count; i-- > 0;)
        if (bus->transaction[i].kind == kind && --left == 0)
            return later(clock, bus->transaction[i].done + REUSE_CLOCKS);
    return clock;
}

/* On models 3 and 4 the BSQ shows in each clock its state of the last even one (pmu-rules 4.1). */
static uint64_t bsq_shows(const struct bus *bus, uint64_t clock)
{
    return bus->model == 3 || bus->model == 4 ? (clock + 1) & ~1ull : clock;
}

/* Forget the transactions that have left both queues. */
static void forget_done(struct bus *bus, uint64_t clock)
{
    unsigned gone = 0;
    while (gone < bus->count && bsq_shows(bus, bus->transaction[gone].done) <= clock)
        gone++;
    bus->count -= gone;
    memmove(bus->transaction, bus->transaction + gone, bus->count * sizeof bus->transaction[0]);
}

uint64_t bus_add(struct bus *bus, uint64_t clock, enum bus_kind kind, unsigned thread, unsigned latency)
{
    forget_done(bus, clock);
    if (bus->count == BUS_TRANSACTIONS)
        return clock + 1;
    struct bus_transaction *t = &bus->transaction[bus->count];
    const bool line = is_line(kind);
    uint64_t issued = clock, done = clock + 1;
    if (bus->count > 0) {
        issued = later(issued, t[-1].issued + (line ? ISSUE_CLOCKS : 1));
        done = later(done, t[-1].done + (line ? MEMORY_CLOCKS : 1));
    }
    if (bus->count >= IOQ_DEPTH)
        issued = later(issued, t[-(int)IOQ_DEPTH].done);
    done = later(done, issued + later(latency, MEMORY_CLOCKS));
    *t = (struct bus_transaction){clock, issued, done, (uint8_t)kind, (uint8_t)thread};
    bus->count++;
    return t->done;
}

static uint64_t sooner(uint64_t next, uint64_t change, uint64_t clock)
{
    return change > clock && (next == 0 || change < next) ? change : next;
}

uint64_t bus_look(struct bus *bus, uint64_t clock, struct bus_queue *bsq, struct bus_queue *ioq)
{
    uint64_t next = 0;
    memset(bsq, 0, sizeof *bsq);
    memset(ioq, 0, sizeof *ioq);
    forget_done(bus, clock);
    for (unsigned i = 0; i < bus->count; i++) {
        const struct bus_transaction *t = &bus->transaction[i];
        uint64_t enters = bsq_shows(bus, t->allocated), leaves = bsq_shows(bus, t->done);
        bsq->of[t->thread][t->kind] += enters <= clock && clock < leaves;
        ioq->of[t->thread][t->kind] += t->issued <= clock && clock < t->done;
        next = sooner(sooner(next, enters, clock), leaves, clock);
        next = sooner(sooner(next, t->issued, clock), t->done, clock);
    }
    return next;
}

uint64_t bus_data(const struct bus *bus, uint64_t clock, uint8_t lines[2])
{
    uint64_t next = 0;
    lines[0] = lines[1] = 0;
    for (unsigned i = 0; i < bus->count; i++) {
        const struct bus_transaction *t = &bus->transaction[i];
        const bool line = is_line(t->kind), write = is_write(t->kind);
        const uint64_t data = t->done - (line ? DATA_CLOCKS : CHUNK_CLOCKS),
                       reserved = line ? data - RESERVED_CLOCKS : data;
        if (data <= clock && clock < t->done)
            lines[t->thread] |= write ? BUS_DRDY_DRV : BUS_DRDY_OWN;
        if (reserved <= clock && clock < data)
            lines[t->thread] |= write ? BUS_DBSY_DRV : BUS_DBSY_OWN;
        next = sooner(sooner(sooner(next, reserved, clock), data, clock), t->done, clock);
    }
    return next;
}
