/* Two tables have the variants: the PMU model's (sim/netburst/variants.c) and the processor's
 * (sim/cpu/processor_variants.c). */
#include "variants.h"

#include "sim/cpu/core.h"
#include "sim/cpu/processor_variants.h"

void variant_list(FILE *out)
{
    const char *name, *meaning;
    for (unsigned i = 0; (name = nbpmu_variant_name(i, &meaning)); i++)
        fprintf(out, "%-25s %s\n", name, meaning);
    for (unsigned i = 0; (name = processor_variant_name(i, &meaning)); i++)
        fprintf(out, "%-25s %s\n", name, meaning);
}

bool variant_set(const char *name, struct nbpmu_variants *pmu, struct processor_variants *processor)
{
    return nbpmu_set_variant(pmu, name) || processor_set_variant(processor, name);
}
