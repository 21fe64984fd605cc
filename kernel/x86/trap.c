/* The IDT, and where each trap goes: to its fix-up or to the handler that was set for it. */
#include "trap.h"
#include <stddef.h>
#include "cpu.h"
#include "lapic.h"
#include "kernel/lib/lib.h"
#include "boot/boot.h"

#define INTERRUPTS   256u
#define EXCEPTIONS   32u
#define EFLAGS_TF    (1u << 8)
#define LOWEST_APIC  16u /* a local APIC takes no interrupt vector below */
#define INTERRUPT_DB 1u
#define INTERRUPT_BP 3u
#define INTERRUPT_DF 8u
#define CR0_AM       (1u << 18)
#define GATE_KERNEL  0x8Eu /* present, DPL 0, 32-bit interrupt gate */
#define GATE_RING3   0xEEu /* present, DPL 3, 32-bit interrupt gate: for INT at CPL 3 */

struct interrupt_gate {
    uint16_t offset_low, selector;
    uint8_t zero, access;
    uint16_t offset_high;
};

static struct interrupt_gate idt[INTERRUPTS];
/* Volatile: the only reader is called by an interrupt, which the compiler does not see. */
static trap_handler *volatile handlers[INTERRUPTS];
static trap_handler *exception_handler;
static struct trap_catch *volatile next_catch;
static volatile uint32_t spurious_count;
static volatile bool was_spurious[INTERRUPTS];

static void set_interrupt_gate(uint32_t interrupt, uint32_t target, uint8_t access)
{
    idt[interrupt] = (struct interrupt_gate){.offset_low = target & 0xFFFF,
                                             .selector = (uint16_t)(uintptr_t)kernel_code_selector,
                                             .access = access,
                                             .offset_high = (uint16_t)(target >> 16)};
}

void traps_init(void)
{
    for (uint32_t interrupt = 0; interrupt < INTERRUPTS; interrupt++)
        set_interrupt_gate(interrupt, (uint32_t)trap_stubs + interrupt * (uint32_t)trap_stub_bytes,
                           interrupt == INTERRUPT_ABORT ? GATE_RING3 : GATE_KERNEL);
    set_interrupt_gate((uint32_t)ring_return_interrupt, (uint32_t)ring_return, GATE_RING3);
    traps_load();
}

void traps_load(void)
{
    const struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed)) table = {sizeof idt - 1, (uint32_t)idt};

    __asm__ volatile("lidt %0" : : "m"(table));
}

trap_handler *trap_set_handler(uint32_t interrupt, trap_handler *handler)
{
    trap_handler *const before = handlers[interrupt];

    handlers[interrupt] = handler;
    return before;
}

void trap_set_exception_handler(trap_handler *handler)
{
    exception_handler = handler;
}

void trap_check_alignment(bool on)
{
    uint32_t cr0;

    __asm__ volatile("movl %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("movl %0, %%cr0" : : "r"(on ? cr0 | CR0_AM : cr0 & ~CR0_AM) : "memory");
}

void trap_catch_next(struct trap_catch *catch)
{
    next_catch = catch;
}

uint32_t trap_spurious(void)
{
    return spurious_count;
}

bool trap_was_spurious(uint8_t interrupt)
{
    return was_spurious[interrupt];
}

/* Resume at the fix-up of the faulting instruction, if it has one. Debug traps and aborts are excluded,
 * because the instruction itself does not cause them. */
static bool fix_up(struct trap_frame *frame)
{
    if (frame->interrupt == INTERRUPT_DB || frame->interrupt == INTERRUPT_BP ||
        frame->interrupt == INTERRUPT_DF || frame->interrupt == INTERRUPT_MC)
        return false;
    for (const struct fixup *f = fixups_begin; f < fixups_end; f++) {
        if (f->fault_eip == frame->eip) {
            frame->eip = f->fixup_eip;
            frame->eax = frame->interrupt;
            return true;
        }
    }
    return false;
}

static bool caught(struct trap_frame *frame)
{
    struct trap_catch *const catch = next_catch;

    if (catch == NULL || cpu_index() != CPU_BOOT)
        return false;
    next_catch = NULL;
    catch->frame = *frame;
    frame->eip = catch->resume;
    frame->eflags &= ~EFLAGS_TF;
    return true;
}

static _Noreturn void unhandled(struct trap_frame *frame)
{
    if (exception_handler != NULL)
        exception_handler(frame);
    for (;;)
        __asm__ volatile("cli\n\t"
                         "hlt");
}

/* Interrupts that an instruction raises: exceptions and the software interrupt. */
static bool raised_by_instruction(uint32_t interrupt)
{
    return (interrupt < EXCEPTIONS && interrupt != INTERRUPT_NMI) || interrupt == INTERRUPT_ABORT;
}

/* Did a local APIC deliver this interrupt? Its LVT or ICR may have been programmed by a BIOS, and the request
 * may have waited for our first STI. */
static bool from_apic(uint32_t interrupt)
{
    return interrupt >= LOWEST_APIC && lapic_in_service(interrupt);
}

/* Count an interrupt without a handler. It is acknowledged only when the local APIC holds it in service,
 * which is never true of the spurious vector and those of the 8259s. */
static void spurious(uint32_t interrupt)
{
    spurious_count++;
    was_spurious[interrupt] = true;
    if (lapic_in_service(interrupt))
        lapic_eoi();
}

void trap_dispatch(struct trap_frame *frame)
{
    const uint32_t interrupt = frame->interrupt;
    trap_handler *const handler = handlers[interrupt];
    const bool stray = raised_by_instruction(interrupt) && from_apic(interrupt);

    if (interrupt < EXCEPTIONS && interrupt != INTERRUPT_NMI && !stray) {
        if (!fix_up(frame) && !caught(frame))
            unhandled(frame);
    } else if (handler != NULL && !(stray && interrupt == INTERRUPT_ABORT)) {
        handler(frame);
    } else {
        spurious(interrupt);
    }
}
