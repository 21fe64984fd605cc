/*
 * The scheduler.
 *
 * Two logical processors of one core share its clocks: while one executes an instruction, the other waits.
 * When both are active, each gets a quantum of QUANTUM clocks in turn. Two cores have clocks of their own:
 * the core whose clock is behind runs next. When all processors are halted, time jumps to the next timer
 * expiry.
 */
#include "machine.h"

#include "sim/cpu/registers.h"
#include "sim/engine/run.h"

#define QUANTUM 64u /* clocks that a logical processor runs while another one is active */

static void run_timers(struct core *core)
{
    for (unsigned t = 0; t < NBPMU_LPS && core->processor[t]; t++) {
        lapic_run_timer(&core->processor[t]->lapic, core->clock);
        processor_kick(core->processor[t]);
    }
}

/* Core clock of the next timer expiry on this core. only_waking: only timers whose interrupt would be taken.
 */
static uint64_t next_expiry(const struct core *core, bool only_waking)
{
    uint64_t next = LAPIC_NEVER;
    for (unsigned t = 0; t < NBPMU_LPS && core->processor[t]; t++) {
        const struct processor *processor = core->processor[t];
        uint64_t expiry = lapic_next_expiry(&processor->lapic);
        if (only_waking &&
            !(processor_interruptible(processor) && lapic_timer_has_priority(&processor->lapic)))
            continue;
        if (expiry < next)
            next = expiry;
    }
    return next;
}

/* Advance a core without an active processor to clock, or to the timer expiry that makes one active. */
static void idle_until(struct core *core, uint64_t clock)
{
    while (!core_active(core) && core->clock < clock) {
        uint64_t expiry = next_expiry(core, true);
        uint64_t to = expiry < clock ? expiry : clock;
        if (to > core->clock)
            core_clock(core, to - core->clock, false);
        run_timers(core);
    }
}

static void run_watchdog(struct machine *machine, uint64_t clock)
{
    ich_run(&machine->board.ich, clock);
    if (machine->board.ich.reset_asked)
        run_control_stop(&machine->control, MACHINE_WATCHDOG, "");
}

/* All processors are halted: jump to the next timer expiry that wakes one, or to the watchdog's expiry. */
static void skip_time(struct machine *machine)
{
    uint64_t next = ich_next(&machine->board.ich);
    for (unsigned c = 0; c < machine->cores; c++) {
        uint64_t expiry = next_expiry(&machine->core[c], true);
        if (expiry < next)
            next = expiry;
    }
    if (next == LAPIC_NEVER) {
        run_control_stop(&machine->control, MACHINE_ALL_HALTED, "");
        return;
    }
    for (unsigned c = 0; c < machine->cores; c++)
        idle_until(&machine->core[c], next);
    run_watchdog(machine, next);
}

static void deliver_pmis(struct core *core)
{
    for (unsigned t = 0; t < NBPMU_LPS && core->processor[t]; t++)
        core_pmi_arrives(core->processor[t]);
}

/* The active core whose clock is behind, null when none is active; the other cores catch up with it. */
static struct core *choose_core(struct machine *machine)
{
    struct core *chosen = NULL;
    for (unsigned c = 0; c < machine->cores; c++) {
        struct core *core = &machine->core[c];
        run_timers(core);
        deliver_pmis(core);
        injectors_run(&machine->injectors, core);
        if (core_active(core) && (!chosen || core->clock < chosen->clock))
            chosen = core;
    }
    for (unsigned c = 0; chosen && c < machine->cores; c++)
        idle_until(&machine->core[c], chosen->clock);
    return chosen;
}

/* The active logical processor of the core that did not run last, if there are two. */
static struct processor *choose_processor(struct core *core)
{
    unsigned other = core->last ^ 1;
    if (core->active[other])
        core->last = other;
    return core->processor[core->last];
}

static uint64_t quantum_end(const struct machine *machine, const struct processor *processor)
{
    const struct core *core = processor->core;
    uint64_t end = injectors_next(&machine->injectors, core);
    uint64_t quantum = core->clock + injectors_quantum(&machine->injectors, QUANTUM);
    for (unsigned i = 0; i < machine->processors; i++) {
        const struct processor *other = &machine->processor[i];
        uint64_t expiry = lapic_next_expiry(&other->lapic);
        if (other != processor && other->state == PROCESSOR_ACTIVE && quantum < end)
            end = quantum;
        if (expiry < end)
            end = expiry;
        if (other->core == core && other->pmi_arrives < end)
            end = other->pmi_arrives;
    }
    uint64_t watchdog = ich_next(&machine->board.ich);
    return watchdog < end ? watchdog : end;
}

enum machine_end machine_run(struct machine *machine)
{
    struct run_control *control = &machine->control;
    while (control->end == MACHINE_RUNS) {
        struct core *core = choose_core(machine);
        if (!core) {
            skip_time(machine);
            continue;
        }
        struct processor *processor = choose_processor(core);
        control->reschedule = false;
        run_watchdog(machine, core->clock);
        processor->quantum_end = quantum_end(machine, processor);
        control->running = processor;
        processor_run(processor);
        control->running = NULL;
        processor_kick(processor);
    }
    return control->end;
}
