/*
 * Building the machine, and the scheduler.
 *
 * One core: its two logical processors share one stream of clocks, so when both are active each instruction
 * of one is a clock in which the other waits; turns are SLICE clocks long. Two cores: each has clocks of its
 * own, and the core that is behind runs next. When all are halted time jumps to the next timer expiry.
 */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "sim/engine/interrupt.h"

#define FULL_BLOCK 0xDB /* code page 437: all of its cell in the foreground colour */

#define SLICE 64u /* clocks a logical processor runs while another one is active too */

unsigned machine_processor_count(const struct machine_config *config)
{
    return config->model->cores * (config->model->ht && config->ht ? 2 : 1);
}

/* ---- Trace ---- */

static void trace_line(void *context, const char *line)
{
    const struct core *core = context;
    const struct processor *processor = core->processor[core->last];
    uint32_t eip = processor->pending ? (uint32_t)processor->pending->tag : processor->eip;
    fprintf(stderr, "%12llu LP%u %08X  %s\n", (unsigned long long)core->clock, processor->index, eip, line);
}

/* ---- Life ---- */

static bool init_cores(struct machine *machine, char *error, size_t size)
{
    unsigned threads = machine->processors / machine->cores;
    for (unsigned c = 0; c < machine->cores; c++) {
        struct core *core = &machine->core[c];
        if (!core_init(core, &machine->config.pmu, processor_notice)) {
            snprintf(error, size, "out of memory");
            return false;
        }
        for (unsigned t = 0; t < threads; t++) {
            struct processor *processor = &machine->processor[c * threads + t];
            core->processor[t] = processor;
            if (!processor_init(processor, machine, core, c * threads + t, t, error, size))
                return false;
        }
        if (machine->config.trace)
            core_set_trace(core, trace_line, core);
    }
    return true;
}

bool machine_init(struct machine *machine, const struct machine_config *config, char *error, size_t size)
{
    const struct cpu_model *model = config->model;
    memset(machine, 0, sizeof *machine);
    machine->config = *config;
    if (config->noise)
        noise_add_errata(&machine->config.pmu);
    machine->cores = model->cores;
    machine->processors = machine_processor_count(config);
    machine->boot = hostile_is(&config->hostile, HOSTILE_BOOT_ON_LP1) ? machine->processors - 1 : 0;
    machine->clock_hz = (uint64_t)model->bus_mhz * model->multiplier * 1000000;
    machine->decoder = decoder_new();
    machine->cache = calloc(1, sizeof *machine->cache);
    machine->ram = mmap(NULL, MACHINE_RAM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (machine->ram == MAP_FAILED)
        machine->ram = NULL;
    if (!machine->decoder || !machine->cache || !machine->ram) {
        snprintf(error, size, "out of memory");
        return false;
    }
    board_init(&machine->board, config->uart, machine->clock_hz, config->sink, config->sink_context);
    if (!init_cores(machine, error, size))
        return false;
    noise_init(machine, config->noise, config->noise_seed);
    hostile_init(machine);
    return true;
}

void machine_image_loaded(struct machine *machine, uint32_t start, uint32_t end)
{
    block_cuts_find(&machine->cuts, machine->ram, start, end);
    for (unsigned i = 0; i < machine->processors; i++)
        block_cuts_apply(&machine->cuts, machine->processor[i].uc, 0);
}

void machine_free(struct machine *machine)
{
    for (unsigned i = 0; i < machine->processors; i++)
        processor_free(&machine->processor[i]);
    for (unsigned i = 0; i < machine->cores; i++)
        core_free(&machine->core[i]);
    decoder_free(machine->decoder);
    free(machine->cache);
    if (machine->ram)
        munmap(machine->ram, MACHINE_RAM);
}

void machine_finish(struct machine *machine, enum machine_end end, const char *trouble)
{
    if (machine->end != MACHINE_RUNS)
        return;
    machine->end = end;
    snprintf(machine->trouble, sizeof machine->trouble, "%s", trouble);
    if (machine->running)
        machine->running->stop_clock = 0;
}

/* ---- Scheduler ---- */

static void run_timers(struct core *core)
{
    for (unsigned t = 0; t < PMU_LPS && core->processor[t]; t++) {
        lapic_run_timer(&core->processor[t]->lapic, core->clock);
        processor_notice(core->processor[t]);
    }
}

/* When the next timer of this core expires; of a halted processor only if the interrupt would wake it. */
static uint64_t next_expiry(const struct core *core, bool only_waking)
{
    uint64_t next = LAPIC_NEVER;
    for (unsigned t = 0; t < PMU_LPS && core->processor[t]; t++) {
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

/* A core without an active processor follows the others up to clock, or to the timer that wakes it. */
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
        machine_finish(machine, MACHINE_WATCHDOG, "");
}

/* Everybody sleeps: jump to the next timer that wakes somebody, or that the watchdog waits for. */
static void skip_time(struct machine *machine)
{
    uint64_t next = ich_next(&machine->board.ich);
    for (unsigned c = 0; c < machine->cores; c++) {
        uint64_t expiry = next_expiry(&machine->core[c], true);
        if (expiry < next)
            next = expiry;
    }
    if (next == LAPIC_NEVER) {
        machine_finish(machine, MACHINE_ASLEEP, "");
        return;
    }
    for (unsigned c = 0; c < machine->cores; c++)
        idle_until(&machine->core[c], next);
    run_watchdog(machine, next);
}

/* The active core that is behind, null when all sleep; sleeping cores catch up. */
static struct core *choose_core(struct machine *machine)
{
    struct core *chosen = NULL;
    for (unsigned c = 0; c < machine->cores; c++) {
        struct core *core = &machine->core[c];
        run_timers(core);
        noise_run(machine, core);
        hostile_run(machine, core);
        if (core_active(core) && (!chosen || core->clock < chosen->clock))
            chosen = core;
    }
    for (unsigned c = 0; chosen && c < machine->cores; c++)
        idle_until(&machine->core[c], chosen->clock);
    return chosen;
}

/* The active logical processor of the core that did not run last, if there is a choice. */
static struct processor *choose_processor(struct core *core)
{
    unsigned other = core->last ^ 1;
    if (core->threads[other].active)
        core->last = other;
    return core->processor[core->last];
}

static uint64_t slice_end(struct machine *machine, const struct processor *processor)
{
    const struct core *core = processor->core;
    uint64_t end = noise_next(machine, core), turn = core->clock + noise_turn(machine, SLICE);
    for (unsigned i = 0; i < machine->processors; i++) {
        const struct processor *other = &machine->processor[i];
        uint64_t expiry = lapic_next_expiry(&other->lapic);
        if (other != processor && other->state == PROCESSOR_ACTIVE && turn < end)
            end = turn;
        if (expiry < end)
            end = expiry;
    }
    uint64_t hostile = hostile_next(machine), watchdog = ich_next(&machine->board.ich);
    if (watchdog < end)
        end = watchdog;
    return hostile < end ? hostile : end;
}

enum machine_end machine_run(struct machine *machine)
{
    while (machine->end == MACHINE_RUNS) {
        struct core *core = choose_core(machine);
        if (!core) {
            skip_time(machine);
            continue;
        }
        struct processor *processor = choose_processor(core);
        machine->reschedule = false;
        run_watchdog(machine, core->clock);
        processor->slice_end = slice_end(machine, processor);
        machine->running = processor;
        processor_run(processor);
        machine->running = NULL;
        processor_notice(processor);
    }
    return machine->end;
}

void machine_screen_row(const struct machine *machine, unsigned row, char text[MACHINE_COLUMNS + 1])
{
    unsigned length = 0;
    for (unsigned column = 0; column < MACHINE_COLUMNS; column++) {
        uint8_t c = machine->ram[MACHINE_SCREEN + 2 * (row * MACHINE_COLUMNS + column)];
        text[column] = c == FULL_BLOCK ? '#' : c >= ' ' && c <= '~' ? (char)c : ' ';
        if (text[column] != ' ')
            length = column + 1;
    }
    text[length] = '\0';
}
