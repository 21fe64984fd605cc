#include "cost.h"

#include <stdbool.h>

#include "kernel/x86/cpu.h"

#define COPIES 64 /* in cost.asm */
#define RUNS   7
#define WARM   2 /* runs before them */

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
