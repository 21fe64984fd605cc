/*
 * The local APIC of a logical processor.
 */
#ifndef SIM_CPU_LAPIC_H
#define SIM_CPU_LAPIC_H

#include <stdbool.h>
#include <stdint.h>
#include "pmc/netburst/regs.h"

/*
 * ---- lapic.c ----
 * A local APIC (xAPIC): registers, priorities, timer, LVT. The caller sends IPIs and asks the PMU for a
 * standing PMI request; the result of lapic_write() says when.
 * Source: SDM vol. 3, chapter 10; rules R49 to R53.
 */

#define LAPIC_BASE       0xFEE00000u
#define LAPIC_SIZE       0x1000u
#define LAPIC_SVR_ENABLE (1u << 8)
#define LAPIC_NEVER      UINT64_MAX /* the timer will not expire */

enum lapic_lvt { LVT_TIMER, LVT_THERMAL, LVT_PERFORMANCE, LVT_LINT0, LVT_LINT1, LVT_ERROR, LVT_ENTRIES };

struct lapic {
    uint8_t id;
    uint64_t clocks_per_tick; /* core clocks per bus clock */
    uint32_t tpr, ldr, dfr, svr, esr, esr_pending, icr_low, icr_high;
    uint32_t lvt[LVT_ENTRIES];
    uint32_t irr[8], isr[8];
    uint8_t spurious_vector; /* of an interrupt that is in no IRR, from this APIC or an 8259; 0: none */
    bool nmi_pending;        /* an NMI was requested and the processor has not taken it yet */
    uint32_t timer_initial, timer_divide;
    uint64_t timer_expiry; /* core clock; LAPIC_NEVER when stopped */
    /* These survive lapic_reset(). */
    const struct lapic_stages *stages;
    void *defects; /* for stages that are not sound */
};

/* What the caller has to do after a register write. */
enum lapic_request {
    LAPIC_NOTHING,
    LAPIC_SEND_IPI,      /* ICR holds it */
    LAPIC_LVTPC_ENABLED, /* LVTPC was written unmasked: a standing PMI request is raised again (R49) */
    LAPIC_TIMER_CHANGED,
};

/*
 * The stages of the local APIC: type, name and parameters of each. They are called through a table, so that a
 * room above can put something in front of them (sim/inject/lapic_defects.c). A new local APIC has
 * lapic_sound_stages, which are the functions lapic_NAME().
 */
/* clang-format off */
#define LAPIC_STAGES(S) \
    /* State after RESET or INIT (R1; SDM 10.4.7.1). clocks_per_tick is the core-to-bus ratio. */ \
    S(void, reset, (struct lapic *lapic, uint8_t id, uint64_t clocks_per_tick)) \
    /* The processor writes a register, by offset from the base, at core clock `clock`. */ \
    S(enum lapic_request, write, (struct lapic *lapic, uint32_t offset, uint32_t value, uint64_t clock)) \
    /* What an LVT entry holds after a write of value (R50, R53). */ \
    S(uint32_t, kept, (const struct lapic *lapic, enum lapic_lvt entry, uint32_t value)) \
    /* Software has disabled the local APIC: mask the LVT (R53). */ \
    S(void, disable, (struct lapic *lapic)) \
    /* The LVT entry as raising it acts (R50). */ \
    S(uint32_t, effect, (const struct lapic *lapic, enum lapic_lvt entry)) \
    /* Raise an LVT entry; the PMU raises LVTPC (R45). A masked one does nothing; LVTPC masks itself (R51). */ \
    S(void, raise, (struct lapic *lapic, enum lapic_lvt entry)) \
    /* The delivery of a PMI masks LVTPC (R51). */ \
    S(void, mask, (struct lapic *lapic)) \
    /* EOI ends the service of this interrupt vector (R52). */ \
    S(void, end, (struct lapic *lapic, unsigned interrupt)) \
    /* Is this interrupt vector above the priority of the processor (SDM 10.8.3.1)? */ \
    S(bool, passes, (const struct lapic *lapic, unsigned interrupt)) \
    /* An interrupt is pending. Does it end HLT (R45)? */ \
    S(bool, wakes, (const struct lapic *lapic))
/* clang-format on */

#define LAPIC_STAGE_MEMBER(type, name, parameters)    type(*name) parameters;
#define LAPIC_STAGE_PROTOTYPE(type, name, parameters) type lapic_##name parameters;
struct lapic_stages {
    LAPIC_STAGES(LAPIC_STAGE_MEMBER)
};
LAPIC_STAGES(LAPIC_STAGE_PROTOTYPE)
extern const struct lapic_stages lapic_sound_stages;

/* A register, as it is written. An offset without a register reads 0. */
uint32_t lapic_read(const struct lapic *lapic, uint32_t offset, uint64_t clock);

/* Is this LVT entry unmasked? */
bool lapic_takes(const struct lapic *lapic, enum lapic_lvt entry);

/* Accept a fixed interrupt. An interrupt vector below 16 is illegal and only sets a bit of ESR. */
void lapic_fixed(struct lapic *lapic, uint8_t interrupt);

/* Let the timer expire when core clock `clock` is not before its expiry. */
void lapic_run_timer(struct lapic *lapic, uint64_t clock);

/* Core clock of the timer's next expiry, LAPIC_NEVER when it is stopped or masked. */
uint64_t lapic_next_expiry(const struct lapic *lapic);

/* Would the timer's interrupt be delivered over the present priority of the processor? */
bool lapic_timer_has_priority(const struct lapic *lapic);

/* The interrupt vector that the processor would take now if IF is 1, or -1. lapic_accept() takes it: it moves
 * from IRR to ISR. A spurious one is never in service (SDM 10.9). */
int lapic_deliverable(const struct lapic *lapic);
void lapic_accept(struct lapic *lapic, uint8_t interrupt);

/* Is this APIC addressed by an ICR destination (physical ID, or logical when logical is set)? */
bool lapic_addressed(const struct lapic *lapic, uint8_t destination, bool logical);

/* ---- What the two files of the local APIC share: lapic.c and lapic_registers.c ---- */

#define DFR_FLAT         0xFFFFFFFFu
#define LOWEST_INTERRUPT 16u /* a local APIC accepts no interrupt vector below this one */

#define ESR_RECEIVE_ILLEGAL (1u << 6)

/* The highest interrupt vector whose bit is set in IRR or ISR, -1 when none is. */
int lapic_highest(const uint32_t bits[8]);
/* PPR (SDM 10.8.3.1). */
uint32_t lapic_processor_priority(const struct lapic *lapic);

/* Start the timer with its initial count at core clock `clock`; a count of 0 stops it. */
void lapic_start_timer(struct lapic *lapic, uint64_t clock);
/* The count left at core clock `clock`, 0 when the timer is stopped. */
uint32_t lapic_current_count(const struct lapic *lapic, uint64_t clock);
/* Write the divide configuration: the count that is left goes on at the new rate. */
void lapic_set_divide(struct lapic *lapic, uint32_t value, uint64_t clock);

#endif
