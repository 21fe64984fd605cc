/* Calls the functions of the injectors, by which noise and board defects (sim/inject/) disturb a run. */
#include "core.h"

#include <assert.h>

/* Call the function of every injector that has it. */
#define EACH(function, type)                                                       \
    void injectors_##function(const struct injectors *injectors, type argument)    \
    {                                                                              \
        for (unsigned i = 0; i < injectors->count; i++)                            \
            if (injectors->list[i].function)                                       \
                injectors->list[i].function(injectors->list[i].context, argument); \
    }
EACH(add_errata, struct nbpmu_variants *)
EACH(init, struct machine *)
EACH(run, struct core *)
EACH(counting_started, struct processor *)
EACH(branch_retired, const struct processor *)
EACH(handler_entered, struct processor *)

/* The same; true after the first that returns true, false if none does. */
#define ANY(function, parameters, ...)                                                \
    bool injectors_##function parameters                                              \
    {                                                                                 \
        for (unsigned i = 0; i < injectors->count; i++)                               \
            if (injectors->list[i].function &&                                        \
                injectors->list[i].function(injectors->list[i].context, __VA_ARGS__)) \
                return true;                                                          \
        return false;                                                                 \
    }
ANY(sipi_lost, (const struct injectors *injectors, const struct processor *processor), processor)
ANY(halt_delayed, (const struct injectors *injectors, const struct processor *processor), processor)
ANY(bios_called, (const struct injectors *injectors, struct processor *processor, uint8_t interrupt),
    processor, interrupt)

void injectors_add(struct injectors *injectors, struct injector injector)
{
    assert(injectors->count < INJECTORS_MAX);
    injectors->list[injectors->count++] = injector;
}

uint64_t injectors_next(const struct injectors *injectors, const struct core *core)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < injectors->count; i++) {
        const struct injector *injector = &injectors->list[i];
        uint64_t clock = injector->next ? injector->next(injector->context, core) : UINT64_MAX;
        next = clock < next ? clock : next;
    }
    return next;
}

uint64_t injectors_quantum(const struct injectors *injectors, uint64_t usual)
{
    for (unsigned i = 0; i < injectors->count; i++)
        if (injectors->list[i].quantum)
            usual = injectors->list[i].quantum(injectors->list[i].context, usual);
    return usual;
}

uint64_t injectors_pmi_skid(const struct injectors *injectors, const struct processor *processor)
{
    uint64_t clocks = 0;
    for (unsigned i = 0; i < injectors->count; i++)
        if (injectors->list[i].pmi_skid)
            clocks += injectors->list[i].pmi_skid(injectors->list[i].context, processor);
    return clocks;
}
