/*
 * Measures what an instruction costs in clocks: 64 copies back to back, less the same code without them
 * (F1).
 */
#include "cost.h"

#include <stdbool.h>

#include "kernel/x86/cpu.h"
#include "repeat.h"

#define COPIES 64 /* in cost.asm */

/* A quantity and the TSC, read at one moment: the closest of several pairs, because an SMI between two single
 * reads would count for one of them alone, and another SMI follows much later than so many reads. */
static struct progress moment_of(uint64_t (*read)(unsigned which), unsigned which)
{
    struct progress closest = {0, 0};
    uint32_t distance = UINT32_MAX;

    for (unsigned i = 0; i < LEAST_RUNS; i++) {
        uint32_t before = (uint32_t)rdtsc(), value = (uint32_t)read(which), after = (uint32_t)rdtsc();

        if (after - before < distance) {
            distance = after - before;
            closest = (struct progress){value, after};
        }
    }
    return closest;
}

struct progress progress_of(uint64_t (*read)(unsigned which), unsigned which, void (*pass)(uint32_t n),
                            uint32_t n)
{
    bool were_on = irq_off();
    struct progress begin = moment_of(read, which);

    pass(n);
    struct progress end = moment_of(read, which);
    irq_restore(were_on);
    return (struct progress){end.value - begin.value, end.ticks - begin.ticks};
}

struct timed {
    cost_code *code;
    const struct cost_operands *operands;
};

static uint32_t clocks_once(const void *arg)
{
    const struct timed *timed = arg;

    return timed->code(timed->operands);
}

static uint32_t median_clocks(cost_code *code, const struct cost_operands *operands)
{
    const struct timed timed = {code, operands};
    bool were_on = irq_off();

    code(operands); /* the caches are warm after it */
    const uint32_t median = median_of(clocks_once, &timed);
    irq_restore(were_on);
    return median;
}

uint32_t clocks_of(cost_code *code, const struct cost_operands *operands)
{
    uint32_t with = median_clocks(code, operands), without = median_clocks(cost_nothing, operands);

    return with < without ? 0 : with - without;
}

uint32_t cost_of(cost_code *code, const struct cost_operands *operands)
{
    return (clocks_of(code, operands) + COPIES / 2) / COPIES;
}
