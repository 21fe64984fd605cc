/*
 * Delivery of interrupts and exceptions through the IDT, which libunicorn leaves to its user.
 */
#ifndef SIM_ENGINE_INTERRUPT_H
#define SIM_ENGINE_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/cpu/processor.h"

enum interrupt_kind {
    INTERRUPT_EXTERNAL, /* NMI or from the local APIC */
    INTERRUPT_FAULT,
    INTERRUPT_SOFTWARE /* INT n: the gate's DPL is checked */
};

/* Is one waiting that the processor would take before its next instruction? */
bool interrupt_wanted(const struct processor *processor);

/* The same, or is it only held off by the instruction before? Then it may be taken after any other one; what
 * IF holds off waits for an INSN_IF or INSN_IRET. */
bool interrupt_near(const struct processor *processor);

/* Has it loaded an IDT of its own since power-up or INIT? */
bool interrupt_table_loaded(const struct processor *processor);

/* Take it: NMI before the local APIC's vectors. The engine must be stopped. */
void interrupt_take(struct processor *processor);

/*
 * Enter the handler of vector, with processor->eip as return address (SDM vol. 3, 6.12). For a software
 * interrupt fault_eip is where a #GP by the gate's DPL returns to. A fault on the way becomes #DF, another
 * one a triple fault, which ends the run.
 */
void interrupt_deliver(struct processor *processor, uint8_t vector, enum interrupt_kind kind,
                       uint32_t fault_eip);

#endif
