/*
 * INT 13H of a BIOS that knows no drive. It needs what a PC's BIOS needs: the 8259s as it set them up, their
 * interrupts through virtual wire mode, no interrupts of the local APIC itself, and no machine check, which
 * in real mode is a call of INT 12H. It overwrites the free low memory, but for the area of its caller.
 */
#include "inject.h"

#include "sim/cpu/registers.h"
#include "sim/engine/ram_stores.h"
#include "pmc/count_of.h"
#include "pmc/netburst/regs.h"

#define INTERRUPT_DISK 0x13u
#define EFLAGS_CF      (1u << 0)
#define BAD_COMMAND    0x0100u /* AH = 1 */

/* The memory that a call overwrites, except for the area that the call comes from: code, stack, buffer. */
#define FREE_BEGIN  0x2000u
#define FREE_END    0x9FC00u
#define CALLER_AREA 0x4000u
#define GARBAGE     0xF4u

static const struct pic PICS[] = {{.mask = 0xB8, .base = 0x08}, {.mask = 0x8E, .base = 0x70}};

void leave_bios_interrupts(struct machine *machine)
{
    struct lapic *lapic = &machine->processor[machine->boot].lapic;
    for (unsigned i = 0; i < COUNT_OF(PICS); i++)
        machine->board.pic[i] = PICS[i];
    lapic->svr |= LAPIC_SVR_ENABLE;
    lapic->lvt[LVT_LINT0] = LVT_DELIVERY_EXTINT;
}

static const char *missed(const struct processor *processor, const struct board *board)
{
    const struct lapic *lapic = &processor->lapic;
    for (unsigned i = 0; i < COUNT_OF(PICS); i++)
        if (board->pic[i].mask != PICS[i].mask || board->pic[i].base != PICS[i].base)
            return "its 8259s";
    const bool enabled =
        processor->msrs.apic_base & APIC_BASE_ENABLE; /* else it is as if it were not there */
    if (enabled && lapic->lvt[LVT_LINT0] != LVT_DELIVERY_EXTINT)
        return "its virtual wire";
    if (enabled && (lapic_takes(lapic, LVT_TIMER) || lapic_takes(lapic, LVT_PERFORMANCE)))
        return "an interrupt vector for the local APIC's own interrupts";
    return processor_takes_machine_checks(processor) ? "CR4.MCE = 0" : NULL;
}

bool defect_bios_called(void *context, struct processor *processor, uint8_t interrupt)
{
    const struct defects *defects = context;
    if (interrupt != INTERRUPT_DISK)
        return false;
    if (defect_is(defects, BOARD_BIOS_HANGS)) {
        run_control_stop(&defects->machine->control, MACHINE_BROKEN, "INT 13H does not return");
        return true;
    }
    if (!defect_is(defects, BOARD_BIOS_CALLS))
        return false;
    const char *what = missed(processor, &defects->machine->board);
    if (what) {
        char reason[100];
        snprintf(reason, sizeof reason, "INT 13H does not return: the BIOS misses %s", what);
        run_control_stop(&defects->machine->control, MACHINE_BROKEN, reason);
        return true;
    }
    ram_stores_fill(processor->engine, FREE_BEGIN, processor->cs_base, GARBAGE);
    ram_stores_fill(processor->engine, processor->cs_base + CALLER_AREA, FREE_END, GARBAGE);
    processor_set(processor, UC_X86_REG_EAX, BAD_COMMAND);
    processor_set(processor, UC_X86_REG_EFLAGS, processor_get(processor, UC_X86_REG_EFLAGS) | EFLAGS_CF);
    return true;
}
