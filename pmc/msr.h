/*
 * The only way from the PMU library to the hardware. The kernel implements these functions with the
 * instructions themselves; host tests implement them over a recording or over the model.
 *
 * There are two forms. The try form returns the exception vector. The plain form is built on it and ends the
 * running vector with a dump when the access faults. So a register that is absent is never mistaken for one
 * that reads 0.
 */
#ifndef PMC_MSR_H
#define PMC_MSR_H

#include <stdbool.h>
#include <stdint.h>

#define NO_FAULT 0u /* no MSR access can raise vector 0 (#DE) */

/* RDMSR. Returns NO_FAULT and stores EDX:EAX in *value, or the exception vector (13 = #GP) and leaves *value
 * alone. */
unsigned msr_try_read(uint32_t msr, uint64_t *value);

/* WRMSR of all 64 bits. Returns NO_FAULT or the exception vector. */
unsigned msr_try_write(uint32_t msr, uint64_t value);

/*
 * Where E22 holds, writing 0 to OVF of a CCCR leaves it, and writing 1 together with ENABLE clears it. After
 * this call both forms of a write clear OVF in that way wherever the value has OVF = 0, so that callers write
 * what the manual says. OVF cannot be set there: a value with OVF = 1 leaves it as it stands.
 */
void msr_set_e22(bool has);

/* RDPMC with ECX = index (bit 31 = fast read, SDM vol. 2). Returns NO_FAULT or the exception vector. */
unsigned rdpmc_try(uint32_t index, uint64_t *value);

/* The plain forms. A fault ends the running vector as `not ok` with a dump; they do not return then. */
uint64_t msr_read(uint32_t msr);
void msr_write(uint32_t msr, uint64_t value);

#endif
