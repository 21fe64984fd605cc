/*
 * A core: its clock, its PMU, and the logical processors that share both. Nothing else in p4sim lets the
 * PMU's clocks pass, reports events to it, or tells it what a processor does.
 */
#ifndef SIM_CPU_CORE_H
#define SIM_CPU_CORE_H

#include <stdbool.h>
#include <stdint.h>
#include "bus.h"
#include "sim/faults/nbpmu_fault.h"
#include "sim/netburst/nbpmu.h"

struct injectors;
struct processor;

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

/*
 * Deliver the PMI that is under way to this processor if it is due; true when it was. Whether its counter
 * still counts and OVF is still set does not matter any more (F27).
 */
bool core_pmi_arrives(struct processor *processor);

/* ---- Registers: nbpmu.h has their accesses; core->pmu is the PMU ---- */

/* Value of a register of the PMU, whichever logical processor asks; 0 for any other address. */
uint64_t core_register(const struct core *core, uint32_t msr);

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
