/*
 * Interrupt descriptor table, exceptions with fix-up, and interrupt vectors.
 *
 * A fault on an instruction listed in the fix-up table resumes at its fix-up with the vector number in EAX
 * (this is how the try forms of pmc/msr.h learn of a #GP or #UD). Any other fault ends the running attempt
 * (attempt.h) with a report.
 */
#ifndef KERNEL_X86_TRAP_H
#define KERNEL_X86_TRAP_H

#include <stdbool.h>
#include <stdint.h>

/* Interrupt vectors of ours. Priority class (high nibble) orders them: the deadline wins over the PMI. */
#define VECTOR_GIVE_UP  0x31 /* software interrupt of attempt_give_up(), also from ring 3 */
#define VECTOR_PMI      0xD0 /* performance monitor interrupt, fixed delivery */
#define VECTOR_WAKE     0xD1 /* IPI: look at your mailbox */
#define VECTOR_TIMER    0xE0 /* local APIC timer: the deadline */
#define VECTOR_SPURIOUS 0xFF

/* What the stub pushes, lowest address first. user_esp/user_ss are there only when cs & 3 is not 0. */
struct trap_frame {
    uint32_t edi, esi, ebp, esp_at_pusha, ebx, edx, ecx, eax;
    uint32_t vector, error;
    uint32_t eip, cs, eflags;
    uint32_t user_esp, user_ss;
};

/* Build and load the IDT and mask both 8259s (BSP), or load it (LP1). */
void traps_init(void);
void traps_load(void);

/* "#GP general protection"; "PMI", "deadline timer" or "interrupt" for a vector that is no exception. */
const char *trap_name(uint32_t vector);

/* What every stub calls with its frame. */
void trap_dispatch(struct trap_frame *frame);

/*
 * The PMI handler, called on the logical processor that took the interrupt, interrupts off, with the
 * interrupted frame. It does the manual's whole handler sequence itself, EOI included in fixed mode (R52). A
 * null handler: the PMI is counted as stray, every CCCR's PMI is left to the caller to disarm, LVTPC stays
 * masked.
 */
typedef void pmi_handler(struct trap_frame *frame, unsigned lp, bool nmi);
void pmi_set_handler(pmi_handler *handler);

/* Interrupts since boot that nobody asked for: PMIs without a handler, NMIs of other origin, spurious
 * vectors. */
struct strays {
    uint32_t pmi, nmi, other;
};
struct strays strays_seen(void);

#endif
