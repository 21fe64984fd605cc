/* What is at the address of a register, and what a write to it keeps (R3 to R5). */
#ifndef SIM_NETBURST_REGISTERS_H
#define SIM_NETBURST_REGISTERS_H

#include "state.h"

/* What is at this address. */
enum nbpmu_register { REG_NONE, REG_COUNTER, REG_CCCR, REG_ESCR, REG_STORAGE };
enum nbpmu_register nbpmu_register_of(uint32_t msr);

/* Does this write fault? */
bool nbpmu_write_faults(const struct nbpmu *pmu, uint32_t msr, uint64_t value);

/* Bits of the ESCR at address msr that a write keeps (R3). */
uint64_t nbpmu_escr_kept(const struct nbpmu *pmu, uint32_t msr);

#endif
