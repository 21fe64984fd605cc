/*
 * A core: its clock, its PMU, and the logical processors that share both. Nothing else in p4sim calls the PMU
 * model, so what is derived from the PMU's registers (core->active_events) has one owner.
 */
#ifndef SIM_CPU_CORE_H
#define SIM_CPU_CORE_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/netburst/pmu.h"

struct injectors;
struct processor;

/* Something that may interrupt this logical processor has changed: its local APIC was asked for a PMI. */
typedef void pending_changed_fn(struct processor *processor);

struct core {
    struct pmu *pmu;
    uint64_t active_events; /* events that can move a counter (pmu_listening()); refreshed in core.c alone */
    uint64_t *untold;       /* pmu_clocks_untold() */
    uint64_t clock;         /* core clocks since power-up */
    struct pmu_lp threads[PMU_LPS];
    struct processor *processor[PMU_LPS]; /* null beyond the threads it has */
    unsigned last;                        /* thread that ran last */
    pending_changed_fn *pending_changed;
    const struct injectors *injectors;
};

/*
 * Create the PMU at power-up, for a core whose memory is all zero. The injectors may delay PMIs;
 * pending_changed is called after a PMI was requested from a local APIC of the core. False when out of
 * memory.
 */
bool core_init(struct core *core, const struct pmu_config *config, const struct injectors *injectors,
               pending_changed_fn *pending_changed);
/* Free the PMU; a core that core_init() was never called for stays as it is. */
void core_free(struct core *core);
/* One line for each PMU-visible change goes to fn. */
void core_set_trace(struct core *core, pmu_trace_fn *fn, void *context);

/* ---- Logical processors of the core ---- */

/* Tell the PMU that processor became active or inactive, or changed its CPL. */
void core_update_thread(struct processor *processor);
/* INIT reached a logical processor of the core, which leaves the PMU's registers alone (R1). */
void core_receive_init(struct core *core);
/* Is a logical processor of the core active, that is neither halted nor waiting for a SIPI? */
bool core_active(const struct core *core);

/* ---- Time ---- */

/*
 * Let clocks pass. posted: events were posted, which belong to the first of these clocks. PMIs go to the
 * local APICs.
 */
void core_clock(struct core *core, uint64_t clocks, bool posted);

/*
 * Let up to clocks (>= 1) pass, each of which has the posted events. Returns how many passed (>= 1); for the
 * others the events must be posted again. PMIs go to the local APICs.
 */
uint64_t core_repeat_clock(struct core *core, uint64_t clocks);

/* Let clocks pass until the core's clock is at least `clock`: a core that was halted joins one that ran. */
void core_catch_up(struct core *core, uint64_t clock);

/*
 * May clocks pass, with an instruction that can cause these events (a set of 1 << enum pmu_event, with
 * PMU_NO_EVENT among them), without a call of the PMU? When it returns true the PMU has taken note of them
 * and the caller only adds them to core->clock.
 */
static inline bool core_passes_unseen(struct core *core, uint64_t events, uint64_t clocks)
{
    uint64_t heard = core->active_events & events;
    if (heard != 1ull << PMU_NO_EVENT || clocks > *core->untold)
        return !heard;
    *core->untold -= clocks;
    return true;
}

/* ---- Registers ---- */

/* Is this the address of a register of the PMU? */
bool core_has_msr(const struct core *core, uint32_t msr);
/* RDMSR and WRMSR of a register of the PMU by logical processor `thread` of the core. False means #GP(0). */
bool core_rdmsr(struct core *core, unsigned thread, uint32_t msr, uint64_t *value);
bool core_wrmsr(struct core *core, unsigned thread, uint32_t msr, uint64_t value);
/* What a register of the PMU holds, as the core itself sees it; 0 for any other address. */
uint64_t core_register(const struct core *core, uint32_t msr);
/* RDPMC with ECX = index, at this privilege level with CR4.PCE as given. False means #GP(0). */
bool core_rdpmc(struct core *core, unsigned cpl, bool pce, uint32_t index, uint64_t *value);
/* LVTPC of logical processor `thread` was written unmasked. True when a PMI is to be raised at once (R49). */
bool core_lvtpc_unmasked(struct core *core, unsigned thread);

/* ---- Events ---- */

/*
 * Post count occurrences (1..15) of event, each with these mask bits, by logical processor `thread` of the
 * core at this privilege level. They belong to the next clock. An event that is not in core->active_events
 * need not be posted.
 */
static inline void core_post(struct core *core, enum pmu_event event, unsigned mask_bits, unsigned thread,
                             unsigned cpl, unsigned count)
{
    pmu_post_mask(core->pmu, event, (uint16_t)mask_bits, thread, cpl, count);
}

/* Tag value that the ESCRs put on a uop of logical processor `thread`, which has this event (pmu_tags()). */
unsigned core_tags(const struct core *core, enum pmu_event event, unsigned mask_bit, unsigned thread);

#endif
