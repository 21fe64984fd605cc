#include "processors.h"

#include <stdlib.h>
#include <string.h>

void processor_list(FILE *out)
{
    for (const struct cpu_model *model = CPU_MODELS; model->signature; model++)
        fprintf(out, "%04X  %-15s %-36s %s\n", (unsigned)model->signature, model->core, model->brand,
                model->cores == 2 ? "two cores"
                : model->ht       ? "Hyper-Threading"
                                  : "");
}

void processor_names(char *out, size_t size)
{
    size_t used = 0;
    for (const struct cpu_model *model = CPU_MODELS; model->signature && used < size; model++)
        used += (size_t)snprintf(out + used, size - used, " %04X", (unsigned)model->signature);
}

const struct cpu_model *processor_named(const char *text)
{
    if (strlen(text) != 4 || strspn(text, "0123456789abcdefABCDEF") != 4)
        return NULL;
    return cpu_model_find((uint32_t)strtoul(text, NULL, 16));
}
