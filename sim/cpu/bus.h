/*
 * The bus of a core: the transactions that are under way in the bus sequence queue (BSQ), in which they are
 * allocated, and in the in-order queue (IOQ) of the front-side bus, which takes them and ends them in their
 * order. bus.c has the depths. Transactions are noted only while an event of the bus is counted.
 */
#ifndef SIM_CPU_BUS_H
#define SIM_CPU_BUS_H

#include <stdbool.h>
#include <stdint.h>

enum bus_kind {
    BUS_UNCACHED_READ,
    BUS_UNCACHED_WRITE,
    BUS_LINE_READ,     /* a load missed */
    BUS_LINE_PREFETCH, /* the other line of its 128 bytes */
    BUS_LINE_WRITE,    /* a write-combining buffer is full */
    BUS_KINDS
};

#define BUS_TRANSACTIONS  32u /* more than there are buffers */
#define BUS_EVICTED_LINES 64u

struct bus_transaction {
    uint64_t allocated, issued, done; /* core clocks: in the BSQ; in the IOQ as well; in neither */
    uint8_t kind, thread;
};

struct bus {
    uint8_t model;                                        /* of the processor */
    struct bus_transaction transaction[BUS_TRANSACTIONS]; /* in their order */
    unsigned count;
    uint32_t evicted[BUS_EVICTED_LINES]; /* line number + 1 of lines that a non-temporal store has evicted */
};

/* How many transactions of each kind are in a queue, by the logical processor that caused them. */
struct bus_queue {
    uint8_t of[2][BUS_KINDS];
};

/* The clock from which on there is a buffer for a transaction of this kind: `clock` or later. */
uint64_t bus_room(const struct bus *bus, uint64_t clock, enum bus_kind kind);

/* A transaction, for which there is a buffer, is allocated at this clock; memory takes `latency` clocks for
 * it. Returns the clock at which it is done, which is a later one. */
uint64_t bus_add(struct bus *bus, uint64_t clock, enum bus_kind kind, unsigned thread, unsigned latency);

/* What is in the queues in this clock. Returns the next clock in which that changes; 0: nothing is under way
 * any more. */
uint64_t bus_look(struct bus *bus, uint64_t clock, struct bus_queue *bsq, struct bus_queue *ioq);

#endif
