/*
 * Delivery of interrupts and exceptions through the IDT, which libunicorn leaves to its user.
 */
#ifndef SIM_ENGINE_INTERRUPT_H
#define SIM_ENGINE_INTERRUPT_H

#include <stdint.h>
#include "sim/cpu/processor.h"

enum interrupt_kind {
    INTERRUPT_EXTERNAL, /* an NMI, an interrupt of the local APIC, an instruction breakpoint, a single step */
    INTERRUPT_FAULT,
    INTERRUPT_SOFTWARE, /* INT n: the interrupt gate's DPL is checked */
    INTERRUPT_INT1      /* INT1: its DPL is not checked */
};

/* Take the interrupt that waits (interrupt_wanted()), an NMI before others. The engine must be stopped. */
void interrupt_take(struct processor *processor);

/*
 * Enter the handler of this interrupt, with processor->eip as return address (SDM vol. 3, 6.12). When the
 * gate's DPL forbids a software interrupt, the #GP has the return address fault_eip. A fault that has an
 * error code pushes error. A fault during delivery becomes #DF, and a fault during the delivery of #DF a
 * triple fault, which ends the run.
 */
void interrupt_deliver(struct processor *processor, uint8_t interrupt, enum interrupt_kind kind,
                       uint32_t fault_eip, uint32_t error);

#endif
