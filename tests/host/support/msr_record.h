/*
 * pmc/msr.h over plain storage that writes down every access: for tests of what is written, and in which
 * order. Link either this or msr_model.
 */
#ifndef TESTS_HOST_SUPPORT_MSR_RECORD_H
#define TESTS_HOST_SUPPORT_MSR_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access {
    bool write;
    uint32_t msr;
    uint64_t value; /* written, or returned */
};

/* Forget everything: no accesses, every register 0, no defects. */
void record_reset(void);
/* Forget the accesses only. */
void record_restart(void);

/* What was accessed since, in order; RDPMC is not recorded. */
size_t record_count(void);
const struct access *record_at(size_t i);
/* The n-th write since, null when there were fewer. */
const struct access *record_write(size_t n);

/* Store without recording, as firmware or the hardware would have. */
void record_poke(uint32_t msr, uint64_t value);
uint64_t record_peek(uint32_t msr);

/* Defects. */
void record_stick(uint32_t msr, uint64_t or_mask); /* these bits of it always read 1 */
void record_fault(uint32_t msr);                   /* accesses raise vector 13 */
void record_fault_all(void);
void record_drop_writes(void); /* every write is accepted and forgotten, as under an emulator */

#endif
