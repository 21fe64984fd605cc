/*
 * When a disturbance comes and which one it is. Disturbances come every few milliseconds, as on a board. Some
 * are aimed into a measured region, since too few regions would be hit by chance.
 */
#include "inject.h"

#include "sim/cpu/registers.h"
#include "sim/events/events.h"
#include "pmc/netburst/regs.h"

/* From one disturbance to the next, on average: every few milliseconds, or as often as a BIOS that polls. */
#define INTERVAL_US        3000u
#define INTERVAL_LEAST_US  1000u
#define SMI_SPREAD_US      5u   /* an SMI takes SMI_LEAST_US and up to so much more, */
#define SMI_LONG_SPREAD_US 295u /* or, of a slow BIOS, so much */
#define SKID_LOG2          6u   /* a PMI is recognised some tens of instructions late (R54), */
#define SKID_LOG2_MOST     15u  /* or 10 us: no source says how late (F7) */
#define AGENTS_ONE_IN      64u
#define PORT_US            10u /* an access to a port behind a slow bridge, or that an SMI handler emulates */
#define HOT_RUN_EIGHTHS    4u
#define HOT_US             2000u
#define HOT_ONE_IN         4u
#define OTHER_AGENT_READS  (1u << IOQ_REQUEST_DEFAULT | 1u << IOQ_ALL_READ | 1u << IOQ_UC | 1u << IOQ_OTHER)
#define AIMED_ONE_IN       100u /* one measured region of so many gets a disturbance of its own */
#define AIM_LOG2_LEAST     5u   /* it comes 2^5 to 2^14 clocks after the start of counting */
#define AIM_LOG2_MOST      14u
#define QUANTUM_LOG2_LEAST 4u /* quanta of a logical processor, in clocks (log2) */
#define QUANTUM_LOG2_MOST  9u
#define MISPREDICT_ONE_IN  200u /* one branch of so many */
#define WRONG_PATH_MOST    3u   /* uops of each kind */

/* ---- Registers as a BIOS, or the kernel that ran before, might leave them ---- */

/*
 * Counters are left that count, are near an overflow or have overflowed; ESCRs with any event; LVTPC unmasked
 * with delivery mode NMI or with an interrupt vector of the BIOS's own; and LINT0 open to the 8259s. If LVTPC
 * delivers NMIs, no counter is near an overflow, none is forced, and none has an OVF, which may raise a PMI
 * with the next count (question 11.3): a real BIOS would have crashed before it could start the kernel.
 */
#define APIC_SVR        0x0F0u
#define APIC_LINT0      0x350u
#define SPURIOUS_VECTOR 0xFFu
/* A local APIC accepts no interrupt vector below; those up to 31 are exceptions, too. */
#define LOWEST_INTERRUPT 16u
#define FAR_LOG2         20u /* a counter that is not near is at least 2^20 events before its overflow */
#define NEAR             5000u

static uint64_t random_counter(struct random *random, bool overflow_may_come)
{
    if (overflow_may_come && random_below(random, 3) == 0)
        return COUNTER_OVERFLOW_IN(1 + random_below(random, NEAR));
    return (uint64_t)random_below(random, 1u << (40 - FAR_LOG2)) << FAR_LOG2;
}

static uint32_t random_cccr(struct random *random, bool overflow_may_come)
{
    uint32_t value = random_below(random, UINT32_MAX) & (FIELD_MASK(31, 11) & ~CCCR_RESERVED_MID);
    if (random_below(random, 4) != 0)
        value |= CCCR_ENABLE | CCCR_ACTIVE_THREAD(ACTIVE_ANY);
    return overflow_may_come ? value : value & ~(CCCR_FORCE_OVF | CCCR_OVF);
}

/* Reserved bits are ignored, or the register stays 0 on a part that refuses them. */
static void fill_pmu(struct random *random, struct core *core, bool overflow_may_come)
{
    for (uint32_t msr = MSR_BSU_ESCR0; msr <= MSR_CRU_ESCR5; msr++)
        if (nbpmu_has_msr(msr))
            nbpmu_wrmsr(core->pmu, 0, msr, random_below(random, UINT32_MAX) & ~ESCR_RESERVED_31);
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        nbpmu_wrmsr(core->pmu, 0, MSR_COUNTER(n), random_counter(random, overflow_may_come));
    for (unsigned n = 0; n < PMC_COUNTERS; n++)
        nbpmu_wrmsr(core->pmu, 0, MSR_CCCR(n), random_cccr(random, overflow_may_come));
}

static void fill_apic(struct random *random, struct lapic *lapic, bool nmi)
{
    uint32_t interrupt = LOWEST_INTERRUPT + random_below(random, SPURIOUS_VECTOR - LOWEST_INTERRUPT);
    lapic_write(lapic, APIC_SVR, LAPIC_SVR_ENABLE | SPURIOUS_VECTOR, 0);
    lapic_write(lapic, APIC_LVTPC, (nmi ? LVT_DELIVERY_NMI : LVT_DELIVERY_FIXED) | LVT_VECTOR(interrupt | 1),
                0);
    lapic_write(lapic, APIC_LINT0, LVT_DELIVERY_EXTINT, 0);
}

/* Does a CCCR force overflows? With some faults of the PMU one does although it was not written so. */
static bool overflows_forced(const struct core *core)
{
    for (unsigned n = 0; n < PMC_COUNTERS; n++) {
        uint64_t cccr = 0;
        nbpmu_rdmsr(core->pmu, 0, MSR_CCCR(n), &cccr);
        if (cccr & CCCR_FORCE_OVF)
            return true;
    }
    return false;
}

/* Fill every PMU register and each local APIC's LVTPC and LINT0 at power-up. */
static void bios_state_leave(struct random *random, struct machine *machine)
{
    for (unsigned c = 0; c < machine->cores; c++) {
        struct core *core = &machine->core[c];
        bool nmi = random_below(random, 2);
        fill_pmu(random, core, !nmi);
        nmi = nmi && !overflows_forced(core);
        for (unsigned t = 0; t < NBPMU_LPS && core->processor[t]; t++)
            fill_apic(random, &core->processor[t]->lapic, nmi);
    }
}

/* ---- Schedule ---- */

static uint64_t *disturbance_of(struct noise *noise, const struct core *core)
{
    return &noise->disturbance[core - noise->machine->core];
}

static uint32_t clocks_in_us(const struct noise *noise, uint32_t us)
{
    return (uint32_t)(noise->machine->clock_hz / 1000000 * us);
}

static void schedule(struct noise *noise, const struct core *core)
{
    uint32_t interval = clocks_in_us(noise, noise->interval_us);
    *disturbance_of(noise, core) = core->clock + 1 + random_below(&noise->random, 2 * interval);
}

static void init(void *context, struct machine *machine)
{
    struct noise *noise = context;
    noise->machine = machine;
    for (unsigned c = 0; c < machine->cores; c++)
        schedule(noise, &machine->core[c]);
    machine->quirks.port_clocks = clocks_in_us(noise, noise->port_us);
    if (noise->hot)
        noise->throttle = throttle_at(machine->clock_hz, HOT_RUN_EIGHTHS, HOT_US, HOT_ONE_IN);
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
    struct noise *noise = context;
    uint64_t stops = throttle_next(&noise->throttle, (unsigned)(core - noise->machine->core));
    return stops < *disturbance_of(noise, core) ? stops : *disturbance_of(noise, core);
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
    return random_log_uniform(&noise->random, 0, noise->skid_log2);
}

/* ---- Disturbances ---- */

/* SDM 10.9: a spurious interrupt is one that was withdrawn between request and acknowledge. From an 8259 it
 * comes as IRQ7 or 15, only through a local APIC whose LINT0 is set to ExtINT, and only to a processor that
 * acknowledges at once, since the 8259 forgets a withdrawn request. */
static uint8_t spurious_vector(struct noise *noise, const struct processor *processor)
{
    const struct lapic *lapic = &processor->lapic;
    bool open = (lapic->lvt[LVT_LINT0] & (LVT_MASKED | LVT_DELIVERY_MASK)) == LVT_DELIVERY_EXTINT &&
                processor_interruptible(processor);
    if (open && random_below(&noise->random, 2) == 0)
        return (uint8_t)(noise->machine->board.pic[random_below(&noise->random, 2)].base + 7);
    return (uint8_t)lapic->svr;
}

static void smi(struct noise *noise, struct processor *processor)
{
    const uint32_t clocks = clocks_in_us(noise, SMI_LEAST_US) +
                            random_below(&noise->random, clocks_in_us(noise, noise->smi_spread_us) + 1);

    smi_strike(&noise->random, processor, clocks);
    throttle_wait(&noise->throttle, (unsigned)(processor->core - noise->machine->core), clocks);
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
        smi(noise, processor);
    processor_kick(processor);
}

static void run(void *context, struct core *core)
{
    struct noise *noise = context;
    throttle_run(&noise->throttle, (unsigned)(core - noise->machine->core), core, &noise->machine->control);
    if (core->clock < *disturbance_of(noise, core))
        return;
    unsigned threads = core->processor[1] ? 2 : 1;
    schedule(noise, core);
    disturb(noise, core->processor[random_below(&noise->random, threads)]);
}

/* ---- Wrong path, and other agents of the bus ---- */

static void other_agent_reads(struct noise *noise, const struct processor *processor)
{
    if ((core_active_events(processor->core) & EVENT_BIT(NBPMU_IOQ_ALLOCATION)) &&
        random_below(&noise->random, noise->agents_one_in) == 0)
        post_mask(processor, NBPMU_IOQ_ALLOCATION, OTHER_AGENT_READS, 1);
}

static void branch_retired(void *context, const struct processor *processor)
{
    struct noise *noise = context;
    uint64_t events = core_active_events(processor->core) & UOP_EVENTS_SPECULATIVE;
    other_agent_reads(noise, processor);
    if (!events || random_below(&noise->random, MISPREDICT_ONE_IN) != 0)
        return;
    for (unsigned event = 0; event < NBPMU_EVENTS; event++)
        if (events & EVENT_BIT(event))
            post_mask(processor, event, UINT16_MAX, 1 + random_below(&noise->random, WRONG_PATH_MOST));
}

struct injector noise_injector(struct noise *noise, uint32_t seed)
{
    *noise = (struct noise){.random = random_of_seed(seed)};
    noise->interval_us = random_below(&noise->random, 2) ? INTERVAL_US : INTERVAL_LEAST_US;
    noise->smi_spread_us = random_below(&noise->random, 2) ? SMI_SPREAD_US : SMI_LONG_SPREAD_US;
    noise->skid_log2 = random_below(&noise->random, 2) ? SKID_LOG2 : SKID_LOG2_MOST;
    noise->agents_one_in = AGENTS_ONE_IN << random_below(&noise->random, 4);
    noise->port_us = random_below(&noise->random, 4) ? 0 : PORT_US;
    noise->hot = random_below(&noise->random, 4) == 0;
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
