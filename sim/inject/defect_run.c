/*
 * What the defective boards do while the machine runs.
 */
#include "inject.h"

#include "sim/cpu/registers.h"
#include "sim/engine/power.h"
#include "pmc/count_of.h"
#include "pmc/netburst/regs.h"

#define LATE_HALT        45000u  /* clocks, 15 us at 3 GHz */
#define LP1_DIES_MS      80u     /* since power-up */
#define NMI_APART        400000u /* core clocks, on average */
#define NMI_IN_HANDLER   4u      /* one handler of so many is hit by an NMI */
#define NMI_HANDLER_SPAN 16u     /* within so many clocks of its start */
#define FAILS_MS         80u     /* since power-up */
#define BURST_NMIS       9000u
#define BURST_APART_US   1u
#define HOT_MS           2u /* for which a processor survives without its cooling */

/* Interrupts that nobody expects: one with the number of an exception that has an error code, and one of a
 * PMI's priority class. */
static const uint8_t STRAY_INTERRUPTS[] = {17, 0xD5};

/* A processor gets no NMI before the kernel has loaded an IDT, since no board survives one then. */
static void nmi(struct defects *defects, const struct core *core)
{
    struct machine *machine = defects->machine;
    struct processor *processor = &machine->processor[random_below(&defects->random, machine->processors)];
    defects->nmi_clock = core->clock + 1 + random_below(&defects->random, 2 * NMI_APART);
    if (processor->state == PROCESSOR_WAIT_FOR_SIPI || !interrupt_table_loaded(processor))
        return;
    processor->lapic.nmi_pending = true;
    lapic_fixed(&processor->lapic,
                STRAY_INTERRUPTS[random_below(&defects->random, COUNT_OF(STRAY_INTERRUPTS))]);
    processor_kick(processor);
}

/* The burst begins FAILS_MS after power-up. */
static void nmi_of_burst(struct defects *defects, const struct core *core)
{
    struct machine *machine = defects->machine;
    struct processor *processor = &machine->processor[machine->boot];
    if (core->clock < machine->clock_hz / 1000 * FAILS_MS || defects->burst_nmis == BURST_NMIS)
        return;
    defects->burst_nmis++;
    defects->nmi_clock = core->clock + machine->clock_hz / 1000000 * BURST_APART_US;
    processor->lapic.nmi_pending = true;
    processor_kick(processor);
}

/* The second logical processor waits for a SIPI from now on, and ignores it. */
static void stop_lp1(struct defects *defects, const struct core *core)
{
    const struct machine *machine = defects->machine;
    struct processor *lp1 = core->processor[1];
    if (!lp1 || lp1->state != PROCESSOR_ACTIVE || core->clock < machine->clock_hz / 1000 * LP1_DIES_MS)
        return;
    processor_receive_init(lp1);
    defects->lp1_dead = true;
}

static bool sipi_lost(void *context, const struct processor *processor)
{
    struct defects *defects = context;
    const uint32_t bit = 1u << processor->index;
    bool first = (defects->heard & bit) == 0;
    if (!processor->is_boot && (defects->lp1_dead || defect_is(defects, BOARD_LP1_SILENT)))
        return true;
    defects->heard |= bit;
    return first && defect_is(defects, BOARD_SIPI_LOST);
}

static bool halt_delayed(void *context, const struct processor *processor)
{
    struct defects *defects = context;
    if (processor->is_boot || !defect_is(defects, BOARD_LP1_HALTS_LATE))
        return false;
    if (defects->halts_at == 0)
        defects->halts_at = processor->core->clock + LATE_HALT;
    if (processor->core->clock < defects->halts_at)
        return true;
    defects->halts_at = 0;
    return false;
}

/* ---- SMIs ---- */

/* A processor of the core that is not waiting for a SIPI, or null. */
static struct processor *started(struct random *random, const struct core *core)
{
    const unsigned threads = core->processor[1] ? 2 : 1, drawn = random_below(random, threads);

    for (unsigned i = 0; i < threads; i++) {
        struct processor *processor = core->processor[(drawn + i) % threads];
        if (processor->state != PROCESSOR_WAIT_FOR_SIPI)
            return processor;
    }
    return NULL;
}

static uint64_t *next_smi(struct defects *defects, const struct core *core)
{
    return &defects->smi_clock[core - defects->machine->core];
}

/* The board's timer goes on during the SMI. */
static void smi(struct defects *defects, struct core *core)
{
    const uint64_t us = defects->machine->clock_hz / 1000000;
    struct processor *processor = started(&defects->random, core);

    *next_smi(defects, core) = core->clock + us * defects->smi_each_us;
    if (processor) {
        smi_strike(&defects->random, processor, us * defects->smi_us);
        throttle_wait(&defects->throttle, (unsigned)(core - defects->machine->core), us * defects->smi_us);
        processor_kick(processor);
    }
}

/* Each processor that runs must have its thermal SMI. It may be without it for HOT_MS, since INIT masks the
 * SMI until software has set it again. */
static void heat(struct defects *defects, const struct core *core)
{
    for (unsigned i = 0; i < NBPMU_LPS && core->processor[i] != NULL; i++) {
        const struct processor *processor = core->processor[i];
        bool cooled = processor->state == PROCESSOR_WAIT_FOR_SIPI ||
                      processor->lapic.lvt[LVT_THERMAL] == LVT_DELIVERY_SMI;

        defects->hot_ms[i] = cooled ? 0 : defects->hot_ms[i] + 1;
        if (defects->hot_ms[i] > HOT_MS)
            run_control_stop(&defects->machine->control, MACHINE_BROKEN,
                             "the board switched off: too hot, without its thermal SMI");
    }
    defects->heat_clock = core->clock + defects->machine->clock_hz / 1000;
}

/* ---- The I/O APIC ---- */

static bool stuck_line_open(const struct defects *defects)
{
    return defect_is(defects, BOARD_IO_APIC_OPEN) &&
           (defects->machine->board.io_apic.entry[2 * STUCK_LINE] & IO_APIC_MASKED) == 0;
}

/* A level-triggered line that stays active interrupts again after each EOI. */
static void interrupt_by_level(struct processor *processor)
{
    struct lapic *lapic = &processor->lapic;
    const uint32_t bit = 1u << STUCK_INTERRUPT % 32;
    if (((lapic->irr[STUCK_INTERRUPT / 32] | lapic->isr[STUCK_INTERRUPT / 32]) & bit) != 0)
        return;
    lapic_fixed(lapic, STUCK_INTERRUPT);
    processor_kick(processor);
}

/* Has software changed the firmware's own entries, without which the board does not work? */
static bool firmware_cut_off(const struct defects *defects)
{
    const uint32_t *entry = defects->machine->board.io_apic.entry;
    return entry[0] != LVT_DELIVERY_EXTINT || entry[2 * SMI_LINE] != LVT_DELIVERY_SMI;
}

/* ---- Failing hardware ---- */

static void fail(struct defects *defects, struct core *core)
{
    struct processor *processor = &defects->machine->processor[defects->machine->boot];
    if (defects->failed || core->clock < defects->machine->clock_hz / 1000 * FAILS_MS)
        return;
    defects->failed = true;
    leave_machine_check(processor);
    processor->machine_check = true;
    processor_kick(processor);
}

static void run(void *context, struct core *core)
{
    struct defects *defects = context;
    throttle_run(&defects->throttle, (unsigned)(core - defects->machine->core), core,
                 &defects->machine->control);
    if (defect_is(defects, BOARD_SMI_EACH) && core->clock >= *next_smi(defects, core))
        smi(defects, core);
    if (defect_is(defects, BOARD_SMI_COOLS) && core->clock >= defects->heat_clock)
        heat(defects, core);
    if (defect_is(defects, BOARD_MACHINE_CHECK))
        fail(defects, core);
    if (stuck_line_open(defects))
        interrupt_by_level(&defects->machine->processor[defects->machine->boot]);
    if (defect_is(defects, BOARD_IO_APIC_FIRMWARE) && firmware_cut_off(defects))
        run_control_stop(&defects->machine->control, MACHINE_BROKEN,
                         "the firmware lost its interrupts of the I/O APIC");

    if (defect_is(defects, BOARD_NMI_ANYTIME) && core->clock >= defects->nmi_clock)
        nmi(defects, core);
    if (defect_is(defects, BOARD_NMI_BURST) && core->clock >= defects->nmi_clock)
        nmi_of_burst(defects, core);
    if (defect_is(defects, BOARD_LP1_DIES))
        stop_lp1(defects, core);
}

static uint64_t next(void *context, const struct core *core)
{
    struct defects *defects = context;
    uint64_t next = stuck_line_open(defects) ? core->clock + 1 : LAPIC_NEVER;
    const uint64_t stops = throttle_next(&defects->throttle, (unsigned)(core - defects->machine->core));
    if (defect_is(defects, BOARD_NMI_ANYTIME) ||
        (defects->burst_nmis > 0 && defects->burst_nmis < BURST_NMIS))
        next = defects->nmi_clock;
    if (defect_is(defects, BOARD_SMI_EACH) && *next_smi(defects, core) < next)
        next = *next_smi(defects, core);
    if (defect_is(defects, BOARD_SMI_COOLS) && defects->heat_clock < next)
        next = defects->heat_clock;
    return stops < next ? stops : next;
}

static void handler_entered(void *context, struct processor *processor)
{
    struct defects *defects = context;
    if (!defect_is(defects, BOARD_NMI_ANYTIME) || random_below(&defects->random, NMI_IN_HANDLER) != 0)
        return;
    defects->nmi_clock = processor->core->clock + random_below(&defects->random, NMI_HANDLER_SPAN);
    run_control_reschedule(processor->control);
}

struct injector defect_injector(struct defects *defects)
{
    return (struct injector){.context = defects,
                             .init = defect_init,
                             .next = next,
                             .run = run,
                             .sipi_lost = sipi_lost,
                             .halt_delayed = halt_delayed,
                             .bios_called = defect_bios_called,
                             .handler_entered = handler_entered};
}

/* ---- A hot board: TM1 stops the clocks ---- */

#define STOPPED_US 3u
#define EIGHTHS    8u

struct throttle throttle_at(uint64_t clock_hz, unsigned run_eighths, unsigned hot_us, unsigned one_in)
{
    const uint64_t us = clock_hz / 1000000, stopped = STOPPED_US * us;

    return (struct throttle){.period = stopped * EIGHTHS / (EIGHTHS - run_eighths),
                             .stopped = stopped,
                             .phase = hot_us * us,
                             .one_in = one_in};
}

uint64_t throttle_next(const struct throttle *throttle, unsigned c)
{
    return throttle->period ? throttle->next[c] : UINT64_MAX;
}

/* An instruction is never cut in two: what has passed of it beyond the moment of a stop is made up for by
 * earlier stops after it, so that the duty cycle is right also in a loop that reads slow ports. */
void throttle_run(struct throttle *throttle, unsigned c, struct core *core, struct run_control *control)
{
    const uint64_t cycle = throttle->phase * throttle->one_in;
    uint64_t *next = &throttle->next[c];
    if (core->clock < throttle_next(throttle, c))
        return;
    run_control_catch_up(control, core);
    core_stop_clock(core, throttle->stopped);
    *next += throttle->period;
    if (*next % cycle >= throttle->phase) /* cool until the next phase of heat */
        *next = (*next / cycle + 1) * cycle;
}

void throttle_wait(struct throttle *throttle, unsigned c, uint64_t clocks)
{
    throttle->next[c] += clocks;
}
