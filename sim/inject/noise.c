/*
 * When a disturbance comes and which one it is. Disturbances come every few milliseconds, as on a board. Some
 * are aimed into a measured region, since too few regions would be hit by chance.
 */
#include "noise.h"

#include "bios_state.h"
#include "smi.h"
#include "sim/cpu/registers.h"
#include "sim/cpu/wake.h"
#include "sim/events/fp_uop.h"
#include "sim/events/post.h"
#include "pmc/netburst/regs.h"

#define INTERVAL_US        3000u /* from one disturbance to the next, on average */
#define AIMED_ONE_IN       100u  /* one measured region of so many gets a disturbance of its own */
#define AIM_LOG2_LEAST     5u    /* it comes 2^5 to 2^14 clocks after the start of counting */
#define AIM_LOG2_MOST      14u
#define SKID_CLOCKS        64u /* a PMI is recognised some tens of instructions late (R54) */
#define QUANTUM_LOG2_LEAST 4u  /* quanta of a logical processor, in clocks (log2) */
#define QUANTUM_LOG2_MOST  9u
#define MISPREDICT_ONE_IN  200u /* one branch of so many */
#define WRONG_PATH_MOST    3u   /* uops of each kind */

/* ---- Schedule ---- */

static uint64_t *disturbance_of(struct noise *noise, const struct core *core)
{
    return &noise->disturbance[core - noise->machine->core];
}

static void schedule(struct noise *noise, const struct core *core)
{
    uint32_t interval = (uint32_t)(noise->machine->clock_hz / 1000000 * INTERVAL_US);
    *disturbance_of(noise, core) = core->clock + 1 + random_below(&noise->random, 2 * interval);
}

static void init(void *context, struct machine *machine)
{
    struct noise *noise = context;
    noise->machine = machine;
    for (unsigned c = 0; c < machine->cores; c++)
        schedule(noise, &machine->core[c]);
    bios_state_leave(&noise->random, machine);
}

static void add_errata(void *context, struct nbpmu_variants *variants)
{
    (void)context;
    variants->e1_torn_write = variants->e2_lost_carry = variants->e9_unflagged = true;
}

static uint64_t quantum(void *context, uint64_t usual)
{
    struct noise *noise = context;
    (void)usual;
    return random_log_uniform(&noise->random, QUANTUM_LOG2_LEAST, QUANTUM_LOG2_MOST);
}

static uint64_t next(void *context, const struct core *core)
{
    return *disturbance_of(context, core);
}

static void counting_started(void *context, struct processor *processor)
{
    struct noise *noise = context;
    struct core *core = processor->core;
    if (random_below(&noise->random, AIMED_ONE_IN) != 0)
        return;
    uint64_t aim = core->clock + random_log_uniform(&noise->random, AIM_LOG2_LEAST, AIM_LOG2_MOST);
    if (aim < *disturbance_of(noise, core)) {
        *disturbance_of(noise, core) = aim;
        run_control_limit(processor->control, aim);
    }
}

/* ---- PMI skid ---- */

static uint64_t pmi_skid(void *context, const struct processor *processor)
{
    struct noise *noise = context;
    (void)processor;
    return random_below(&noise->random, SKID_CLOCKS);
}

/* ---- Disturbances ---- */

/* SDM 10.9: an interrupt is withdrawn between request and acknowledge. From an 8259 it comes as IRQ7 or 15,
 * only through a local APIC whose LINT0 is set to ExtINT, and only to a processor that acknowledges at once,
 * since the 8259 forgets a withdrawn request. */
static uint8_t spurious_vector(struct noise *noise, const struct processor *processor)
{
    const struct lapic *lapic = &processor->lapic;
    bool open = (lapic->lvt[LVT_LINT0] & (LVT_MASKED | LVT_DELIVERY_MASK)) == LVT_DELIVERY_EXTINT &&
                processor_interruptible(processor);
    if (open && random_below(&noise->random, 2) == 0)
        return (uint8_t)(noise->machine->board.pic[random_below(&noise->random, 2)].base + 7);
    return (uint8_t)lapic->svr;
}

static void disturb(struct noise *noise, struct processor *processor)
{
    uint32_t kind = random_below(&noise->random, 16);
    if (processor->state == PROCESSOR_WAIT_FOR_SIPI)
        return;
    /* No board survives an NMI before the kernel has loaded an IDT. */
    if (kind == 0 && interrupt_table_loaded(processor))
        processor->lapic.nmi_pending = true;
    else if (kind <= 2)
        processor->lapic.spurious_vector = spurious_vector(noise, processor);
    else
        smi_strike(&noise->random, processor);
    processor_kick(processor);
}

static void run(void *context, struct core *core)
{
    struct noise *noise = context;
    if (core->clock < *disturbance_of(noise, core))
        return;
    unsigned threads = core->processor[1] ? 2 : 1;
    schedule(noise, core);
    disturb(noise, core->processor[random_below(&noise->random, threads)]);
}

/* ---- Wrong path ---- */

static void branch_retired(void *context, const struct processor *processor)
{
    struct noise *noise = context;
    uint64_t events = core_active_events(processor->core) & UOP_EVENTS_SPECULATIVE;
    if (!events || random_below(&noise->random, MISPREDICT_ONE_IN) != 0)
        return;
    for (unsigned event = 0; event < NBPMU_EVENTS; event++)
        if (events & EVENT_BIT(event))
            post_mask(processor, event, UINT16_MAX, 1 + random_below(&noise->random, WRONG_PATH_MOST));
}

struct injector noise_injector(struct noise *noise, uint32_t seed)
{
    *noise = (struct noise){.random = random_of_seed(seed)};
    return (struct injector){
        .context = noise,
        .add_errata = add_errata,
        .init = init,
        .next = next,
        .run = run,
        .quantum = quantum,
        .pmi_skid = pmi_skid,
        .counting_started = counting_started,
        .branch_retired = branch_retired,
    };
}
