/*
 * Building the machine from its configuration.
 */
#include "machine.h"

#include <stdio.h>
#include "sim/engine/create.h"

/* ---- Trace ---- */

static void trace_line(void *context, const char *line)
{
    const struct core *core = context;
    const struct processor *processor = core->processor[core->last];
    uint32_t eip = processor->pending ? (uint32_t)processor->pending->tag : processor->eip;
    fprintf(stderr, "%12llu LP%u %08X  %s\n", (unsigned long long)core->clock, processor->index, eip, line);
}

/* ---- Processors ---- */

static bool init_processor(struct machine *machine, const struct machine_config *config, struct core *core,
                           unsigned thread, char *error, size_t size)
{
    unsigned index = (unsigned)(core - machine->core) * machine->engine.threads + thread;
    struct processor *processor = &machine->processor[index];
    processor->index = index;
    processor->thread = thread;
    processor->is_boot = index == machine->boot;
    processor->core = core;
    processor->control = &machine->control;
    processor->engine = &machine->engine;
    processor->model = config->model;
    processor->insns = machine->engine.cache;
    processor->quirks = &machine->quirks;
    processor->variants = &machine->variants;
    processor->timing = &machine->timing;
    processor->ram = machine->ram;
    core->processor[thread] = processor;
    return processor_init(processor, error, size);
}

static bool init_cores(struct machine *machine, const struct machine_config *config, char *error, size_t size)
{
    struct core_config pmu = config->pmu;
    injectors_add_errata(&machine->injectors, &pmu.variants);
    for (unsigned c = 0; c < machine->cores; c++) {
        struct core *core = &machine->core[c];
        if (!core_init(core, &pmu, &machine->injectors, processor_kick)) {
            snprintf(error, size, "out of memory");
            return false;
        }
        for (unsigned t = 0; t < machine->engine.threads; t++)
            if (!init_processor(machine, config, core, t, error, size))
                return false;
        if (config->trace)
            core_set_trace(core, trace_line, core);
    }
    return true;
}

/* ---- Machine ---- */

bool machine_init(struct machine *machine, const struct machine_config *config, char *error, size_t size)
{
    const struct cpu_model *model = config->model;
    struct engine *engine = &machine->engine;
    machine->timing = config->timing;
    machine->quirks = config->quirks;
    machine->variants = config->variants;
    machine->injectors = config->injectors;
    machine->cores = machine->quirks.two_packages ? 2 : model->cores;
    engine->threads = model->ht && config->ht && !machine->quirks.two_packages ? 2 : 1;
    engine->ids_apart =
        machine->quirks.ht_manufactured && !machine->quirks.two_packages && model->ht && engine->threads == 1
            ? 2
            : 1; /* the BIOS left out the second threads */
    machine->processors = machine->cores * engine->threads;
    machine->boot = machine->quirks.boots_on_last ? machine->processors - 1 : 0;
    machine->clock_hz =
        (uint64_t)model->bus_mhz * cpu_model_ratio(model, machine->variants.core_below_tsc) * 1000000;
    machine->ram = ram_new();
    if (!machine->ram || !engine_init(engine)) {
        snprintf(error, size, "out of memory");
        return false;
    }
    engine->ram = machine->ram;
    engine->board = &machine->board;
    engine->processors = machine->processor;
    engine->processor_count = machine->processors;
    engine->limit = config->limit;
    board_init(&machine->board, config->uart, machine->clock_hz, config->sink, config->sink_context);
    if (!init_cores(machine, config, error, size))
        return false;
    injectors_init(&machine->injectors, machine);
    return true;
}

void machine_free(struct machine *machine)
{
    for (unsigned i = 0; i < machine->processors; i++)
        processor_free(&machine->processor[i]);
    for (unsigned i = 0; i < machine->cores; i++)
        core_free(&machine->core[i]);
    engine_free(&machine->engine);
    ram_free(machine->ram);
}
