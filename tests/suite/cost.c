#include "cost.h"

#include <stdbool.h>

#include "kernel/x86/cpu.h"

#define COPIES 64 /* in cost.asm */
#define RUNS   7
#define WARM   2 /* runs before them */
#define PAIRS  4 /* an SMI follows another one much later than so many reads */

struct spread spread_of(uint32_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && values[j] < values[j - 1]; j--) {
            uint32_t lower = values[j];

            values[j] = values[j - 1];
            values[j - 1] = lower;
        }
    return (struct spread){values[0], values[count / 2], values[count - 1]};
}

/* A quantity and the TSC, read at one moment: the closest of several pairs, because an SMI between two single
 * reads would count for one of them alone. */
static struct progress moment_of(uint64_t (*read)(unsigned which), unsigned which)
{
    struct progress closest = {0, 0};
    uint32_t distance = UINT32_MAX;

    for (unsigned i = 0; i < PAIRS; i++) {
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

static uint32_t median_clocks(cost_code *code, const struct cost_operands *operands)
{
    uint32_t clocks[RUNS];
    bool were_on = irq_off();

    for (unsigned i = 0; i < WARM; i++)
        code(operands);
    for (unsigned i = 0; i < RUNS; i++)
        clocks[i] = code(operands);
    irq_restore(were_on);
    return spread_of(clocks, RUNS).median;
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
