#include "families.h"

#include "kernel/lib/format.h"
#include "pmc/netburst/regs.h"

static unsigned counters(void)
{
    return PMC_COUNTERS;
}

void number_suffix(unsigned member, char *out, size_t size)
{
    format(out, size, "%u", member);
}

const struct family every_counter = {counters, number_suffix, 0};
