/*
 * A local APIC (xAPIC): registers, priorities, timer, LVT. The caller sends IPIs and asks the PMU for a
 * standing PMI request; the result of lapic_write() says when.
 * Source: SDM vol. 3, chapter 10; rules R49 to R53.
 */
#ifndef SIM_CPU_LAPIC_H
#define SIM_CPU_LAPIC_H

#include <stdbool.h>
#include <stdint.h>

#define LAPIC_BASE       0xFEE00000u
#define LAPIC_SIZE       0x1000u
#define LAPIC_SVR_ENABLE (1u << 8)
#define LAPIC_NEVER      UINT64_MAX /* the timer will not expire */

enum lapic_lvt { LVT_TIMER, LVT_THERMAL, LVT_PERFORMANCE, LVT_LINT0, LVT_LINT1, LVT_ERROR, LVT_ENTRIES };

/* What may be wrong with a local APIC's LVTPC; the rule that the defect breaks. */
enum lapic_defect {
    LAPIC_SOUND,
    LAPIC_LVTPC_OPEN_AT_RESET,    /* R1: LVTPC is unmasked after a reset */
    LAPIC_LVTPC_MASK_IGNORED,     /* R50 */
    LAPIC_LVTPC_NMI_AS_FIXED,     /* R50: delivery mode NMI acts as Fixed, */
    LAPIC_LVTPC_FIXED_AS_NMI,     /* or Fixed as NMI */
    LAPIC_LVTPC_NOT_SELF_MASKING, /* R51: a PMI leaves LVTPC unmasked */
    LAPIC_PMI_EOI_IGNORED,        /* R52: an EOI does not end the service of a PMI */
    LAPIC_LVTPC_SURVIVES_SVR,     /* R53: software disable does not mask the LVT */
    LAPIC_LVTPC_BIT_STUCK,        /* R50: a bit of LVTPC */
    LAPIC_LVTPC_VECTOR_STUCK,     /* R50: a bit of the vector that a PMI is delivered on */
    LAPIC_LVTPC_NMI_NOT_MASKING,  /* R51: a PMI delivered as NMI leaves LVTPC unmasked */
    LAPIC_LVTPC_FORGETS,          /* R51: a PMI leaves nothing in LVTPC but the mask */
    LAPIC_LVTPC_SHARED,           /* R50: a write reaches LVTPC of both logical processors, */
    LAPIC_LVTPC_MASKS_BOTH,       /* or a PMI masks both (R51) */
    LAPIC_LVTPC_IGNORES_TPR,      /* R50: a fixed PMI ignores the priority of the processor */
    LAPIC_LVTPC_LOST_IN_HLT,      /* R45: a halted processor gets no PMI */
    LAPIC_LVTPC_NO_WAKE           /* R45: a PMI alone does not end HLT */
};

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
    enum lapic_defect defect;
    uint8_t stuck_bit; /* of the defects that have one */
    bool stuck_at;
    bool timer_silent; /* the timer never interrupts */
};

/* What the caller has to do after a register write. */
enum lapic_request {
    LAPIC_NOTHING,
    LAPIC_SEND_IPI,      /* ICR holds it */
    LAPIC_LVTPC_ENABLED, /* LVTPC was written unmasked: a standing PMI request is raised again (R49) */
    LAPIC_TIMER_CHANGED,
};

/* State after RESET or INIT (SDM 10.4.7.1). clocks_per_tick is the core-to-bus ratio. */
void lapic_reset(struct lapic *lapic, uint8_t id, uint64_t clocks_per_tick);

/* Registers by offset from the base, at core clock `clock`. An offset without a register reads 0. */
uint32_t lapic_read(const struct lapic *lapic, uint32_t offset, uint64_t clock);
enum lapic_request lapic_write(struct lapic *lapic, uint32_t offset, uint32_t value, uint64_t clock);

/* Is this LVT entry unmasked? */
bool lapic_takes(const struct lapic *lapic, enum lapic_lvt entry);
/* Raise an LVT entry. A masked one does nothing; LVTPC masks itself (R51). */
void lapic_raise(struct lapic *lapic, enum lapic_lvt entry);

/* Accept a fixed interrupt. A vector below 16 is illegal and only sets a bit of ESR. */
void lapic_fixed(struct lapic *lapic, uint8_t vector);

/* Let the timer expire when core clock `clock` is not before its expiry. */
void lapic_run_timer(struct lapic *lapic, uint64_t clock);

/* Core clock of the timer's next expiry, LAPIC_NEVER when it is stopped or masked. */
uint64_t lapic_next_expiry(const struct lapic *lapic);

/* Would the timer's vector be delivered over the present priority of the processor? */
bool lapic_timer_has_priority(const struct lapic *lapic);

/* A defect: nothing but a PMI waits, and it does not end HLT. */
bool lapic_sleeps_on(const struct lapic *lapic);

/* Vector that the processor would take now if IF is 1, or -1; and take it (IRR to ISR; a spurious one is
 * never in service, SDM 10.9). */
int lapic_deliverable(const struct lapic *lapic);
void lapic_accept(struct lapic *lapic, uint8_t vector);

/* Is this APIC addressed by an ICR destination (physical ID, or logical when logical is set)? */
bool lapic_addressed(const struct lapic *lapic, uint8_t destination, bool logical);

#endif
