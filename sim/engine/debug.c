#include "debug.h"

#include "intercept.h"
#include "unsupported.h"
#include "sim/cpu/processor.h"
#include "sim/cpu/registers.h"
#include "sim/cpu/exceptions.h"
#include "pmc/netburst/regs.h"

#define BREAKPOINTS 4u
#define CR4_DE      FIELD_MASK(3, 3)
#define EFLAGS_RF   FIELD_MASK(16, 16)

#define DR6_ONES     0xFFFF0FF0u
#define DR6_WRITABLE (FIELD_MASK(15, 13) | FIELD_MASK(3, 0))
#define DR6_BD       FIELD_MASK(13, 13)
#define DR7_ONES     FIELD_MASK(10, 10)
#define DR7_WRITABLE (FIELD_MASK(31, 16) | DR7_GD | FIELD_MASK(9, 0))
#define DR7_GD       FIELD_MASK(13, 13)

static bool enabled(const struct processor *processor, unsigned breakpoint)
{
    return processor->dr7 >> 2 * breakpoint & 3;
}

static bool on_execution(const struct processor *processor, unsigned breakpoint)
{
    return (processor->dr7 >> (16 + 4 * breakpoint) & 3) == 0;
}

static void set_dr7(struct processor *processor, uint32_t value)
{
    processor->dr7 = (value & DR7_WRITABLE) | DR7_ONES;
    processor->has_breakpoint = false;
    for (unsigned i = 0; i < BREAKPOINTS; i++) {
        if (!enabled(processor, i))
            continue;
        if (on_execution(processor, i))
            processor->has_breakpoint = true;
        else
            unsupported_report(processor, UNSUPPORTED_DATA_BREAKPOINT);
    }
}

void debug_reset(struct processor *processor)
{
    set_dr7(processor, 0);
    processor_set(processor, UC_X86_REG_DR6, DR6_ONES);
}

/* DR0 to DR3 and DR6 are libunicorn's, which sets DR6 for a single step. */
static int engine_register(unsigned number)
{
    return (int)(UC_X86_REG_DR0 + number);
}

int debug_execute(struct processor *processor, const struct insn *insn)
{
    unsigned number = insn->debug_register;
    if (processor->cpl != 0)
        return EXCEPTION_GP;
    if (number == 4 || number == 5) {
        if (processor_get(processor, UC_X86_REG_CR4) & CR4_DE)
            return EXCEPTION_UD;
        number += 2;
    }
    if (processor->dr7 & DR7_GD) {
        processor->dr7 &= ~DR7_GD;
        processor_set(processor, UC_X86_REG_DR6, processor_get(processor, UC_X86_REG_DR6) | DR6_BD);
        return EXCEPTION_DB;
    }
    if (insn->intercept == INSN_READ_DEBUG) {
        uint32_t value = number == 7 ? processor->dr7 : processor_get(processor, engine_register(number));
        processor_set(processor, insn->base, value);
        return NO_EXCEPTION;
    }
    uint32_t value = processor_get(processor, insn->base);
    if (number == 7)
        set_dr7(processor, value);
    else
        processor_set(processor, engine_register(number),
                      number == 6 ? (value & DR6_WRITABLE) | DR6_ONES : value);
    return NO_EXCEPTION;
}

bool debug_stops(struct processor *processor, uint32_t address)
{
    uint32_t hit = 0;
    for (unsigned i = 0; i < BREAKPOINTS && !processor->resumed; i++)
        if (enabled(processor, i) && on_execution(processor, i) &&
            processor_get(processor, engine_register(i)) == address)
            hit |= 1u << i;
    if (hit == 0)
        return false;
    processor_set(processor, UC_X86_REG_DR6, processor_get(processor, UC_X86_REG_DR6) | hit);
    return true;
}

void debug_returned(struct processor *processor)
{
    processor->resumed = processor_get(processor, UC_X86_REG_EFLAGS) & EFLAGS_RF;
}
