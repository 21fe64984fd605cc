/*
 * An interrupt or exception on its way to its handler, and what its delivery reads from memory: gate,
 * segments, task-state segment. A function that returns false leaves in *fault the fault that prevents the
 * delivery, or has ended the run.
 */
#ifndef SIM_ENGINE_DELIVERY_H
#define SIM_ENGINE_DELIVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/cpu/processor.h"
#include "sim/cpu/registers.h"
#include "pmc/netburst/regs.h"
#include "interrupt.h"

struct delivery {
    uint8_t interrupt;
    enum interrupt_kind kind;
    uint32_t error;
};

struct stack {
    struct segment ss;
    uint32_t esp;
};

/* Fields of a descriptor's second word. */
#define DESCRIPTOR_TYPE(word)    FIELD_GET(12, 8, word) /* with the S bit */
#define DESCRIPTOR_DPL(word)     FIELD_GET(14, 13, word)
#define DESCRIPTOR_PRESENT(word) FIELD_GET(15, 15, word)
#define TYPE_SEGMENT             FIELD_MASK(4, 4) /* bits of the type: not a gate or a system segment, */
#define TYPE_CODE                FIELD_MASK(3, 3) /* code, */
#define TYPE_CONFORMING          FIELD_MASK(2, 2) /* conforming code, */
#define TYPE_DOWNWARDS           FIELD_MASK(2, 2) /* or expand-down data, */
#define TYPE_READABLE            FIELD_MASK(1, 1) /* code that may be read, */
#define TYPE_WRITABLE            FIELD_MASK(1, 1) /* or data that may be written */

#define SELECTOR_RPL 3u
#define SELECTOR_LDT 4u

/* Types of an interrupt gate. */
#define GATE_TASK      0x05u
#define GATE_INTERRUPT 0x0Eu
#define GATE_TRAP      0x0Fu

/* Sets *fault. Returns false. */
bool delivery_fails(struct delivery *fault, uint8_t interrupt, uint32_t error);

/* The error code of a fault that comes from a selector, or from the number of an interrupt gate. */
uint32_t delivery_selector_error(const struct delivery *delivery, uint32_t selector);

/* Read (access = 0) or write (PAGE_WRITE) linear memory as by CPL 0. */
bool delivery_access(struct processor *processor, uint32_t address, uint32_t access, void *data, size_t size,
                     struct delivery *fault);

/*
 * Read the interrupt gate of a delivery: its type, the handler's offset and code segment, whose RPL is set to
 * the handler's CPL. Of a task gate only the type is read.
 */
bool delivery_read_gate(struct processor *processor, const struct delivery *delivery, unsigned *type,
                        uint32_t *entry, struct segment *cs, struct delivery *fault);

/* Read the stack of an inner CPL from the task-state segment. */
bool delivery_inner_stack(struct processor *processor, const struct delivery *delivery, uint8_t cpl,
                          struct stack *stack, struct delivery *fault);

#endif
