/*
 * When a disturbance comes and what it is. Disturbances come every few milliseconds, as on a board, and now
 * and then aimed into a measured region, which would otherwise be hit too seldom for a run to mean much.
 */
#include "noise.h"

#include "sim/engine/interrupt.h"
#include "bios_state.h"
#include "smi.h"
#include "sim/events/post.h"
#include "pmc/netburst/regs.h"
#include "sim/events/fp_uop.h"

#define INTERVAL_US       3000u /* from one disturbance to the next, on average */
#define AIMED_ONE_IN      100u  /* measured regions */
#define AIM_LOG2_LEAST    5u    /* an aimed one comes this many clocks (log2) after the start of counting, */
#define AIM_LOG2_MOST     14u   /* or up to this many */
#define SKID_CLOCKS       64u   /* a PMI is recognised some tens of instructions late (R54) */
#define TURN_LOG2_LEAST   4u    /* turns of a logical processor, in clocks (log2) */
#define TURN_LOG2_MOST    9u
#define MISPREDICT_ONE_IN 200u /* branches */
#define WRONG_PATH_MOST   3u   /* uops of a kind */

/* ---- Generator: xorshift64* ---- */

static uint64_t draw(struct noise *noise)
{
    noise->state ^= noise->state >> 12;
    noise->state ^= noise->state << 25;
    noise->state ^= noise->state >> 27;
    return noise->state * 0x2545F4914F6CDD1Dull;
}

uint32_t noise_below(struct noise *noise, uint32_t limit)
{
    return (uint32_t)((draw(noise) >> 32) * limit >> 32);
}

/* A number whose length in bits is evenly distributed. */
static uint64_t log_uniform(struct noise *noise, unsigned least_log2, unsigned most_log2)
{
    unsigned log2 = least_log2 + noise_below(noise, most_log2 - least_log2);
    return (1ull << log2) + noise_below(noise, 1u << log2);
}

/* ---- Schedule ---- */

static void schedule(struct machine *machine, struct core *core)
{
    uint32_t interval = (uint32_t)(machine->clock_hz / 1000000 * INTERVAL_US);
    core->disturbance = core->clock + 1 + noise_below(&machine->noise, 2 * interval);
}

void noise_init(struct machine *machine, bool on, uint32_t seed)
{
    machine->noise = (struct noise){on, 0x9E3779B97F4A7C15ull ^ (uint64_t)seed << 16 ^ seed};
    for (unsigned c = 0; c < machine->cores; c++)
        machine->core[c].disturbance = LAPIC_NEVER;
    if (!on)
        return;
    for (unsigned c = 0; c < machine->cores; c++)
        schedule(machine, &machine->core[c]);
    noise_leave_bios(machine);
}

void noise_add_errata(struct pmu_config *config)
{
    config->e1_torn_write = config->e2_lost_carry = config->e9_unflagged = true;
}

uint64_t noise_turn(struct machine *machine, uint64_t usual)
{
    return machine->noise.on ? log_uniform(&machine->noise, TURN_LOG2_LEAST, TURN_LOG2_MOST) : usual;
}

uint64_t noise_next(const struct machine *machine, const struct core *core)
{
    uint64_t next = core->disturbance;
    (void)machine;
    for (unsigned t = 0; t < PMU_LPS && core->processor[t]; t++)
        if (core->processor[t]->pmi_arrives < next)
            next = core->processor[t]->pmi_arrives;
    return next;
}

/* The running processor looks at the schedule again before it goes beyond clock. */
static void end_turn_at(struct machine *machine, uint64_t clock)
{
    struct processor *running = machine->running;
    if (!running)
        return;
    running->stop_clock = 0;
    if (clock < running->slice_end)
        running->slice_end = clock;
}

void noise_counting(struct processor *processor)
{
    struct machine *machine = processor->machine;
    struct core *core = processor->core;
    if (!machine->noise.on || noise_below(&machine->noise, AIMED_ONE_IN) != 0)
        return;
    uint64_t aim = core->clock + log_uniform(&machine->noise, AIM_LOG2_LEAST, AIM_LOG2_MOST);
    if (aim < core->disturbance) {
        core->disturbance = aim;
        end_turn_at(machine, aim);
    }
}

/* ---- PMI skid ---- */

bool noise_delays_pmi(struct processor *processor)
{
    struct machine *machine = processor->machine;
    if (!machine->noise.on)
        return false;
    uint64_t arrives = processor->core->clock + noise_below(&machine->noise, SKID_CLOCKS);
    if (arrives < processor->pmi_arrives)
        processor->pmi_arrives = arrives;
    end_turn_at(machine, processor->pmi_arrives);
    return true;
}

/* A halted processor has no instructions left that could delay it. */
static void deliver_pmi(struct processor *processor)
{
    bool due = processor->core->clock >= processor->pmi_arrives || processor->state != PROCESSOR_ACTIVE;
    if (processor->pmi_arrives == LAPIC_NEVER || !due)
        return;
    processor->pmi_arrives = LAPIC_NEVER;
    lapic_raise(&processor->lapic, LVT_PERFORMANCE);
    processor_notice(processor);
}

/* ---- Disturbances ---- */

/* SDM 10.9: an interrupt is withdrawn between request and acknowledge. From an 8259 it comes as IRQ7 or 15,
 * only through a local APIC whose LINT0 is open to it, and only to a processor that acknowledges at once: the
 * 8259 forgets a withdrawn request. */
static uint8_t spurious_vector(struct machine *machine, const struct processor *processor)
{
    const struct lapic *lapic = &processor->lapic;
    bool open = (lapic->lvt[LVT_LINT0] & (LVT_MASKED | LVT_DELIVERY_MASK)) == LVT_DELIVERY_EXTINT &&
                processor_interruptible(processor);
    if (open && noise_below(&machine->noise, 2) == 0)
        return (uint8_t)(machine->board.pic[noise_below(&machine->noise, 2)].base + 7);
    return (uint8_t)lapic->svr;
}

static void disturb(struct machine *machine, struct processor *processor)
{
    uint32_t kind = noise_below(&machine->noise, 16);
    if (processor->state == PROCESSOR_WAIT_FOR_SIPI)
        return;
    /* Before the kernel has loaded an IDT of its own an NMI would end any board's run. */
    if (kind == 0 && interrupt_table_loaded(processor))
        processor->lapic.nmi_pending = true;
    else if (kind <= 2)
        processor->lapic.stray = spurious_vector(machine, processor);
    else
        noise_smi(processor);
    processor_notice(processor);
}

void noise_run(struct machine *machine, struct core *core)
{
    if (!machine->noise.on)
        return;
    for (unsigned t = 0; t < PMU_LPS && core->processor[t]; t++)
        deliver_pmi(core->processor[t]);
    if (core->clock < core->disturbance)
        return;
    unsigned threads = core->processor[1] ? 2 : 1;
    schedule(machine, core);
    disturb(machine, core->processor[noise_below(&machine->noise, threads)]);
}

/* ---- Wrong path ---- */

void noise_branch(const struct processor *processor)
{
    struct noise *noise = &processor->machine->noise;
    uint64_t events = processor->core->listening & UOP_EVENTS_SPECULATIVE;
    if (!noise->on || !events || noise_below(noise, MISPREDICT_ONE_IN) != 0)
        return;
    for (unsigned event = 0; event < PMU_EVENTS; event++)
        if (events & EVENT_BIT(event))
            post_mask(processor, event, UINT16_MAX, 1 + noise_below(noise, WRONG_PATH_MOST));
}
