/* Exceptions by name (SDM vol. 3, Table 6-1). */
#include "trap.h"
#include "pmc/count_of.h"

static const char *const NAME[] = {
    "#DE divide error",
    "#DB debug",
    "NMI",
    "#BP breakpoint",
    "#OF overflow",
    "#BR bound range",
    "#UD invalid opcode",
    "#NM no math coprocessor",
    "#DF double fault",
    "coprocessor segment overrun",
    "#TS invalid TSS",
    "#NP segment not present",
    "#SS stack fault",
    "#GP general protection",
    "#PF page fault",
    "vector 15 is reserved",
    "#MF x87 floating point",
    "#AC alignment check",
    "#MC machine check",
    "#XM SIMD floating point",
};

const char *trap_name(uint32_t interrupt)
{
    if (interrupt < COUNT_OF(NAME))
        return NAME[interrupt];
    switch (interrupt) {
    case INTERRUPT_ABORT:
        return "abort";
    case INTERRUPT_PMI:
    case INTERRUPT_PMI_TOO:
        return "PMI";
    case INTERRUPT_TIMER:
        return "deadline timer";
    default:
        return "interrupt";
    }
}
