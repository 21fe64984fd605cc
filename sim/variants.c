/* The PMU model has the table of the variants (sim/netburst/choices.c); here are their lists. */
#include "variants.h"

#include "sim/netburst/nbpmu.h"

void variant_list(FILE *out)
{
    const char *name, *meaning;
    for (unsigned i = 0; (name = nbpmu_choice_name(i, &meaning)); i++)
        fprintf(out, "%-25s %s\n", name, meaning);
}

void variant_names(char *out, size_t size)
{
    const char *name;
    size_t used = 0;
    for (unsigned i = 0; (name = nbpmu_choice_name(i, NULL)) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " " : "", name);
}
