/*
 * A core, which is the only place where the PMU's clocks pass: core.c, with its bus (bus.c) and what disturbs
 * it (injector.c).
 */
#ifndef SIM_CPU_CORE_H
#define SIM_CPU_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/faults/nbpmu_fault.h"
#include "sim/netburst/nbpmu.h"

struct core;
struct injectors;
struct machine;
struct nbpmu_variants;
struct processor;

/*
 * ---- bus.c ----
 * The bus of a core: the transactions that are under way in the bus sequence queue (BSQ), in which they are
 * allocated, and in the in-order queue (IOQ) of the front-side bus, which takes them and ends them in their
 * order. bus.c has the depths. Transactions are noted only while an event of the bus is counted.
 */

enum bus_kind {
    BUS_UNCACHED_READ,
    BUS_UNCACHED_WRITE,
    BUS_UNCACHED_SPLIT, /* a read that lies in two chunks */
    BUS_PORT_READ,
    BUS_PORT_WRITE,
    BUS_WC_READ,       /* of write-combining memory, which no cache holds */
    BUS_WC_CHUNK,      /* of a write-combining buffer that is evicted before it is full */
    BUS_WT_WRITE,      /* write-through */
    BUS_WP_WRITE,      /* write-protected */
    BUS_LINE_READ,     /* a load missed */
    BUS_LINE_PREFETCH, /* the other line of its 128 bytes */
    BUS_WT_READ,
    BUS_WP_READ,
    BUS_LINE_OWN,   /* a store missed: a read for ownership */
    BUS_LINE_WRITE, /* a write-combining buffer is full */
    BUS_WRITE_BACK, /* a modified line leaves the caches */
    BUS_KINDS
};

#define BUS_TRANSACTIONS 32u /* more than there are buffers */

struct bus_transaction {
    uint64_t allocated, issued, done; /* core clocks: in the BSQ; in the IOQ as well; in neither */
    uint8_t kind, thread;
};

struct bus {
    uint8_t model;                                        /* of the processor */
    struct bus_transaction transaction[BUS_TRANSACTIONS]; /* in their order */
    unsigned count;
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

/*
 * The lines of the data bus in this clock, by the logical processor whose transaction it is: mask bits of
 * FSB_data_activity. DRDY: data is on the bus, two clocks of a part of a line, four of a whole one. DBSY: the
 * bus is reserved for the line that follows, two clocks. DRV: this processor drives them; OWN: it takes them.
 * Returns the next clock in which that changes; 0: it does not.
 */
#define BUS_DRDY_DRV (1u << 0)
#define BUS_DRDY_OWN (1u << 1)
#define BUS_DBSY_DRV (1u << 3)
#define BUS_DBSY_OWN (1u << 4)
uint64_t bus_data(const struct bus *bus, uint64_t clock, uint8_t lines[2]);

/*
 * ---- cache.c ----
 * What the second level holds, and the write-combining buffers. Both are noted only while an event is counted
 * that depends on them.
 */

/* The second level holds every line, and holds it exclusive, but for those that are noted. */
enum line_state { LINE_EXCLUSIVE, LINE_MODIFIED, LINE_ABSENT };

#define SECOND_LEVEL_NOTES 2048u

struct second_level {
    struct {
        uint32_t line; /* number + 1; 0: none */
        uint8_t state;
    } note[SECOND_LEVEL_NOTES];
};

enum line_state second_level_state(const struct second_level *level, uint32_t line);
/* A note may displace that of another line. */
void second_level_note(struct second_level *level, uint32_t line, enum line_state state);

#define WC_BUFFERS 8u
#define WC_WHOLE   UINT64_MAX

struct wc_buffer {
    uint32_t line;  /* number */
    uint64_t bytes; /* bit i: byte i was stored */
};

struct wc_buffers {
    struct wc_buffer buffer[WC_BUFFERS]; /* oldest first */
    unsigned count;
};

/* The buffer of this line, or null. */
struct wc_buffer *wc_buffer_of(struct wc_buffers *buffers, uint32_t line);
/* A new buffer for this line; there are fewer than WC_BUFFERS. */
struct wc_buffer *wc_buffer_new(struct wc_buffers *buffers, uint32_t line);
/* Take a buffer out. */
struct wc_buffer wc_buffer_take(struct wc_buffers *buffers, unsigned index);

/*
 * ---- injector.c ----
 * The interface through which noise and board defects (sim/inject/) disturb a run. program/main.c registers
 * them; the rooms below sim/inject/ call these functions at the places where something can be disturbed.
 */

#define INJECTORS_MAX 3

/* Every function may be null. */
struct injector {
    void *context;
    /* Before the PMUs are made: switch on legal differences of the part. */
    void (*add_errata)(void *context, struct nbpmu_variants *variants);
    /* At power-up, when the machine is complete: set registers and devices as this board leaves them. */
    void (*init)(void *context, struct machine *machine);
    /* Core clock by which run() is to be called for this core; UINT64_MAX: not needed. */
    uint64_t (*next)(void *context, const struct core *core);
    /* Called between two instructions of the core. */
    void (*run)(void *context, struct core *core);
    /* Length in clocks of the next quantum; usual is what the scheduler would choose. */
    uint64_t (*quantum)(void *context, uint64_t usual);
    /* The PMU raised a PMI for this processor: clocks by which it arrives later than usual. */
    uint64_t (*pmi_skid)(void *context, const struct processor *processor);
    /* A register write of this processor made counters of its core start to count. */
    void (*counting_started)(void *context, struct processor *processor);
    /* A branch is retiring, and its events are being posted. */
    void (*branch_retired)(void *context, const struct processor *processor);
    /* The processor, which waits for a start-up IPI, is sent one. True: it does not get it. */
    bool (*sipi_lost)(void *context, const struct processor *processor);
    /* The processor executes HLT. True: it has to execute it again, because it is not halted yet. */
    bool (*halt_delayed)(void *context, const struct processor *processor);
    /* INT n in real mode: serve it, as the BIOS would. False when this board's BIOS has no such service.
     */
    bool (*bios_called)(void *context, struct processor *processor, uint8_t interrupt);
    /* The processor is about to execute the first instruction of an interrupt or exception handler. */
    void (*handler_entered)(void *context, struct processor *processor);
};

/* The injectors of a machine, in the order in which they are called. */
struct injectors {
    struct injector list[INJECTORS_MAX];
    unsigned count;
};

/* Add an injector; a machine has at most INJECTORS_MAX. */
void injectors_add(struct injectors *injectors, struct injector injector);

/* Each calls the function of that name of every injector that has one. */
void injectors_add_errata(const struct injectors *injectors, struct nbpmu_variants *variants);
void injectors_init(const struct injectors *injectors, struct machine *machine);
void injectors_run(const struct injectors *injectors, struct core *core);
void injectors_counting_started(const struct injectors *injectors, struct processor *processor);
void injectors_branch_retired(const struct injectors *injectors, const struct processor *processor);
void injectors_handler_entered(const struct injectors *injectors, struct processor *processor);
/* True when one of the injectors that have that function returned true. */
bool injectors_sipi_lost(const struct injectors *injectors, const struct processor *processor);
bool injectors_halt_delayed(const struct injectors *injectors, const struct processor *processor);
bool injectors_bios_called(const struct injectors *injectors, struct processor *processor, uint8_t interrupt);
/* The earliest of their clocks, UINT64_MAX when no injector waits for one. */
uint64_t injectors_next(const struct injectors *injectors, const struct core *core);
/* The quantum that the injectors make of the usual one. */
uint64_t injectors_quantum(const struct injectors *injectors, uint64_t usual);
/* The sum of their clocks. */
uint64_t injectors_pmi_skid(const struct injectors *injectors, const struct processor *processor);

/*
 * ---- core.c ----
 * A core: its clock, its PMU, and the logical processors that share both. Nothing else in p4sim lets the
 * PMU's clocks pass, reports events to it, or tells it what a processor does.
 */

/* Called when something changed that may interrupt this logical processor: its local APIC got a PMI. */
typedef void pending_changed_fn(struct processor *processor);

/* Called with what the PMU shows at this core clock: after each clock that may change something, and before
 * the next one for what changed between the two. pmis: the logical processors (1 << thread) that a PMI was
 * raised for in the clock that ended. */
typedef void core_watch_fn(void *context, uint64_t clock, unsigned pmis);

/* Which PMU a core has. */
struct core_config {
    struct nbpmu_part part;
    struct nbpmu_variants variants;
    struct nbpmu_fault fault;
};

struct core {
    struct nbpmu *pmu;
    uint64_t clock; /* core clocks since power-up */
    bool posted;    /* events were posted, whose clock has not passed yet; or transactions are under way */
    struct bus bus;
    struct second_level second_level;
    struct wc_buffers write_combining;
    bool active[NBPMU_LPS]; /* logical processors that are neither halted nor waiting for a SIPI */
    struct processor *processor[NBPMU_LPS]; /* null for threads that the core does not have */
    unsigned last;                          /* thread that ran last */
    pending_changed_fn *pending_changed;
    const struct injectors *injectors;
    core_watch_fn *watch; /* null: nobody watches */
    void *watch_context;
};

/*
 * Create the PMU at power-up, for a core whose memory is all zero. The injectors may delay PMIs;
 * pending_changed is called after a local APIC of the core got a PMI. False when out of memory.
 */
bool core_init(struct core *core, const struct core_config *config, const struct injectors *injectors,
               pending_changed_fn *pending_changed);
/* Free the PMU. Does nothing for a core without one. */
void core_free(struct core *core);
/* Call fn with one line for each PMU-visible change. */
void core_set_trace(struct core *core, nbpmu_trace_fn *fn, void *context);

/* Call fn for each clock from now on. */
void core_set_watch(struct core *core, core_watch_fn *fn, void *context);

/* ---- Logical processors of the core ---- */

/* The processor became active or inactive, or changed its CPL: inform the PMU. */
void core_update_thread(struct processor *processor);
/* A logical processor of the core received INIT, which does not change the PMU's registers (R1). */
void core_receive_init(struct core *core);
/* Is a logical processor of the core active, that is neither halted nor waiting for a SIPI? */
bool core_active(const struct core *core);

/* ---- Time ---- */

/*
 * Let clocks pass; none is allowed. Events that were posted belong to the first of them. seen: the PMU sees
 * each of them, even if nothing that is counted happens in them. A PMI that the PMU raises is sent to the
 * local APICs.
 */
void core_clock(struct core *core, uint64_t clocks, bool seen);
/* Let time pass in which the core's clocks are stopped: neither processors nor PMU see it. */
void core_stop_clock(struct core *core, uint64_t clocks);

/*
 * Let up to clocks (>= 1) pass, each of which has the posted events and those of the bus queues. Returns how
 * many passed (>= 1); for the rest the caller posts the events again. A PMI that the PMU raises is sent to
 * the local APICs.
 */
uint64_t core_repeat_clock(struct core *core, uint64_t clocks);

/* Let clocks pass until the core's clock is at least `clock`, as for a core that was halted while another
 * ran. */
void core_catch_up(struct core *core, uint64_t clock);

/*
 * May clocks pass, with an instruction that can cause these events (a set of 1 << enum nbpmu_event, with
 * NBPMU_NO_EVENT among them), without a call of the PMU? When it returns true the PMU has taken note of them
 * and the caller only has to add them to core->clock.
 */
static inline bool core_passes_unseen(struct core *core, uint64_t events, uint64_t clocks)
{
    uint64_t heard = nbpmu_active_events(core->pmu) & events;
    if (core->posted || core->watch)
        return false;
    if (heard != 1ull << NBPMU_NO_EVENT || clocks > nbpmu_quiet(core->pmu))
        return !heard;
    nbpmu_skip(core->pmu, clocks);
    return true;
}

/* Is core_passes_unseen() true whatever passes, since nothing is counted and nobody watches? */
static inline bool core_hears_nothing(const struct core *core)
{
    return !nbpmu_active_events(core->pmu) && !core->posted && !core->watch;
}

/*
 * Deliver the PMI that is under way to this processor if it is due; true when it was. Whether its counter
 * still counts and OVF is still set does not matter any more (F27).
 */
bool core_pmi_arrives(struct processor *processor);

/* ---- Events ---- */

/*
 * Post count occurrences (1..15) of event, each with these mask bits, by logical processor `thread` of the
 * core at its CPL. They belong to the next clock. An event that is not active (core_active_events()) need not
 * be posted.
 */
static inline void core_post(struct core *core, enum nbpmu_event event, unsigned mask_bits, unsigned thread,
                             unsigned count)
{
    core->posted = true;
    nbpmu_event(core->pmu, thread, event, (uint16_t)mask_bits, count);
}

/*
 * Note a transaction on the bus by logical processor `thread` (bus_add()): it is an occurrence of the events
 * of the queues in each clock in which it is in one of them. Returns the clock at which it is done.
 */
uint64_t core_add_transaction(struct core *core, enum bus_kind kind, unsigned thread, unsigned latency);

/* What the ESCR mask of the events of the IOQ and of the BSQ sees of a transaction (pmu-rules 4.1). */
unsigned core_ioq_mask(enum bus_kind kind);
unsigned core_bsq_mask(enum bus_kind kind);

/* The set of events that can move a counter: bit e for event e; bit NBPMU_NO_EVENT when clocks matter by
 * themselves. */
static inline uint64_t core_active_events(const struct core *core)
{
    return nbpmu_active_events(core->pmu);
}

#endif
