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
