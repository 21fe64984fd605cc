/*
 * The architectural registers of a logical processor, which libunicorn holds, and state that is derived from
 * them.
 */
#ifndef SIM_CPU_REGISTERS_H
#define SIM_CPU_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <unicorn/unicorn.h>
#include <unicorn/x86.h>

struct segment;
struct processor;

/* A general, control or flags register by libunicorn's number (UC_X86_REG_...). */
uint32_t processor_get(const struct processor *processor, int reg);
void processor_set(struct processor *processor, int reg, uint32_t value);

/* A segment register's selector. */
uint16_t processor_get_selector(const struct processor *processor, int reg);
void processor_set_selector(struct processor *processor, int reg, uint16_t selector);

/* GDTR, IDTR or TR. */
uc_x86_mmr processor_get_table(const struct processor *processor, int reg);

/* Is CR0.PE set? */
bool processor_protected(const struct processor *processor);
/* Is CR0.PG set? */
bool processor_paged(const struct processor *processor);
/* Is CR4.MCE set? */
bool processor_takes_machine_checks(const struct processor *processor);
/* Is EFLAGS.IF set? */
bool processor_interruptible(const struct processor *processor);
/* Is the IDT not the one of power-up: did the kernel load its own? */
bool interrupt_table_loaded(const struct processor *processor);

/* Is it present, and data up to its limit that may be written? And 4 GB long, so that no access needs a
 * check? */
bool segment_is_writable(const struct segment *segment);
bool segment_is_flat(const struct segment *segment);

/* CS may have been loaded: derive CPL, code base and code size from it again. */
void processor_refresh_segments(struct processor *processor);

#endif
