/*
 * What an instruction costs in clocks (TSC), by the method of the measurements on record (pmu-rules, F1): 64
 * copies back to back, the same code without them subtracted.
 */
#ifndef TESTS_SUITE_COST_H
#define TESTS_SUITE_COST_H

#include <stdint.h>

/* Registers before the first copy. Laid out as tests/workloads/cost.asm reads it. */
struct cost_operands {
    uint32_t eax, edx, ecx, edi;
};

/* Code of cost.asm: 64 copies of an instruction, or none; returns the clocks that it took. */
typedef uint32_t cost_code(const struct cost_operands *operands);
cost_code cost_nothing, cost_rdmsr, cost_wrmsr, cost_rdpmc, cost_rdtsc, cost_cpuid;
cost_code cost_load, cost_store; /* EAX from and to the address in EDI */

/* 100 laps of 64 copies; the caller has prepared the operands of the last two (frame.h). */
cost_code laps_nop, laps_jmp, laps_addps, laps_fadd;

/* Clocks of the code beyond those of cost_nothing: the median of several measurements, with interrupts off.
 */
uint32_t clocks_of(cost_code *code, const struct cost_operands *operands);
/* Clocks of one of its 64 instructions. An access that faults ends the vector, so the caller tries it before.
 */
uint32_t cost_of(cost_code *code, const struct cost_operands *operands);

/* How far a quantity and the TSC go while pass(n) runs, with interrupts off: less than 2^32. */
struct progress {
    uint32_t value, ticks;
};
struct progress progress_of(uint64_t (*read)(unsigned which), unsigned which, void (*pass)(uint32_t n),
                            uint32_t n);

#endif
