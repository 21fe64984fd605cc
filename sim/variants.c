/* Two tables have the variants: the PMU model's (sim/netburst/choices.c) and the processor's
 * (sim/cpu/processor_choices.c). */
#include "variants.h"

#include "sim/cpu/core.h"
#include "sim/cpu/processor_choices.h"

void variant_list(FILE *out)
{
    const char *name, *meaning;
    for (unsigned i = 0; (name = nbpmu_choice_name(i, &meaning)); i++)
        fprintf(out, "%-25s %s\n", name, meaning);
    for (unsigned i = 0; (name = processor_choice_name(i, &meaning)); i++)
        fprintf(out, "%-25s %s\n", name, meaning);
}

bool variant_choose(const char *name, struct nbpmu_choices *pmu, struct processor_choices *processor)
{
    return nbpmu_choose(pmu, name) || processor_choose(processor, name);
}
