/*
 * The interrupt descriptor table: exceptions with fix-up, and a handler for each interrupt. Which
 * interrupt has which handler is decided in kernel/run/interrupts.c.
 *
 * An exception at an instruction listed in the fix-up table resumes at its fix-up with the vector number in
 * EAX: this is how the try forms of pmc/msr.h learn of a #GP or #UD. Every other exception goes to the
 * exception handler.
 */
#ifndef KERNEL_X86_TRAP_H
#define KERNEL_X86_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#define INTERRUPT_NMI 2u
#define INTERRUPT_GP  13u
#define INTERRUPT_AC  17u
#define INTERRUPT_MC  18u

/* Interrupt vectors that the kernel uses. The high nibble is the priority class: the deadline wins over the
 * PMI, and a PMI in service holds up no interrupt but another PMI. */
#define INTERRUPT_ABORT    0x31 /* software interrupt of guard_abort(), also from ring 3 */
#define INTERRUPT_PMI      0xC0 /* performance monitor interrupt, fixed delivery */
#define INTERRUPT_PMI_TOO  0x3F /* the same; each bit of INTERRUPT_PMI is inverted */
#define INTERRUPT_WAKE     0xE1 /* IPI: the receiver has to look at the state that smp.c keeps */
#define INTERRUPT_TIMER    0xE0 /* local APIC timer: the deadline */
#define INTERRUPT_SPURIOUS 0xFF /* of the local APIC (SVR) */

/* What the stub pushes, lowest address first. user_esp and user_ss are there only when cs & 3 is not 0. */
struct trap_frame {
    uint32_t edi, esi, ebp, esp_at_pusha, ebx, edx, ecx, eax;
    uint32_t interrupt, error;
    uint32_t eip, cs, eflags;
    uint32_t user_esp, user_ss;
};

/* A trap as it is reported in the log. */
struct trap_report {
    struct trap_frame frame;
    uint32_t cr2;
    unsigned lp; /* the logical processor that took it */
};

/* Build the IDT and load it, on the boot processor. No interrupt has a handler yet. */
void traps_init(void);
/* Load the IDT, on another processor. */
void traps_load(void);

/* Called with interrupts off, on the processor that took the trap. Changes of *frame take effect on return.
 */
typedef void trap_handler(struct trap_frame *frame);

/*
 * Set the handler of an interrupt vector (INTERRUPT_NMI, INTERRUPT_ABORT, 32 to 255; 16 to 31: of what a
 * local APIC delivers with the number of an exception). The EOI is the handler's own duty. An interrupt
 * without a handler is counted by trap_spurious(), and acknowledged when the local APIC holds it in service.
 * Returns the handler before it.
 */
trap_handler *trap_set_handler(uint32_t interrupt, trap_handler *handler);

/* Set the handler of exceptions that have no fix-up. It does not return. */
void trap_set_exception_handler(trap_handler *handler);

/* An exception that is provoked, and where the code goes on after it. */
struct trap_catch {
    uint32_t resume;         /* set by the code itself, before the exception */
    struct trap_frame frame; /* as the exception left it */
};

/* Catch the next exception of the boot processor that has no fix-up: one, in any ring. A single step ends
 * with it. Null: none. */
void trap_catch_next(struct trap_catch *catch);

/* Set or clear CR0.AM on the boot processor: with it, code at CPL 3 that sets EFLAGS.AC takes #AC. */
void trap_check_alignment(bool on);

/* Interrupts since boot that had no handler. */
uint32_t trap_spurious(void);
/* True if one of them had this interrupt vector. */
bool trap_was_spurious(uint8_t interrupt);

/* "#GP general protection"; "PMI", "deadline timer" or "interrupt" for what is no exception. */
const char *trap_name(uint32_t interrupt);

/* The stubs of boot/traps.asm call this with their frame. */
void trap_dispatch(struct trap_frame *frame);

#endif
