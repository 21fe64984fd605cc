/*
 * Calls INT 13H of the BIOS from 32-bit code. Call these functions on the boot processor only, and between
 * vectors: with the sibling parked, the PMU at rest and no deadline running. A call takes as long as the BIOS
 * takes; the kernel cannot limit it.
 */
#ifndef KERNEL_FIRMWARE_BIOS_CALL_H
#define KERNEL_FIRMWARE_BIOS_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of boot/bios.asm. */
struct bios_registers {
    uint32_t edi, esi, ebp, esp, ebx, edx, ecx, eax; /* ESP is not passed to the BIOS */
    uint16_t ds, es, flags;                          /* flags: result of the call only */
};

#define BIOS_FLAGS_CARRY   (1u << 0)
#define BIOS_BUFFER_BYTES  0x2000u
#define BIOS_SEGMENT_SHIFT 4

/* Returns null, or why there is no BIOS to call: no handler of INT 13H, or no free memory below 640 KB. Do
 * not call it under UEFI. */
const char *bios_missing(void);

/* Memory below 1 MB for the data of a call: BIOS_BUFFER_BYTES, aligned to their number. The pointer shifted
 * right by BIOS_SEGMENT_SHIFT is the segment. Valid after bios_missing() returned null. */
uint8_t *bios_buffer(void);

/* Make one call with these registers, and store the registers that the BIOS returns in them. Interrupts are
 * off afterwards. */
void bios_int13(struct bios_registers *registers);

#endif
