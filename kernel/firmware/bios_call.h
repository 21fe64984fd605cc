/*
 * INT 13H of the BIOS that started us, from 32-bit code. Only on the boot processor, outside of any vector:
 * the sibling parked, the PMU at rest, no deadline running. The call takes as long as the BIOS does; nothing
 * of ours can bound it.
 */
#ifndef KERNEL_FIRMWARE_BIOS_CALL_H
#define KERNEL_FIRMWARE_BIOS_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* As boot/bios.asm has them. */
struct bios_registers {
    uint32_t edi, esi, ebp, esp, ebx, edx, ecx, eax; /* ESP is ignored */
    uint16_t ds, es, flags;                          /* flags: after the call only */
};

#define BIOS_FLAGS_CARRY   (1u << 0)
#define BIOS_BUFFER_BYTES  0x2000u
#define BIOS_SEGMENT_SHIFT 4

/* Null, or why there is no BIOS to call: no vector of INT 13H, or no free memory below 640 KB. Not to be
 * asked under UEFI. */
const char *bios_missing(void);

/* Memory below 1 MB for what a call reads or writes, BIOS_BUFFER_BYTES on a boundary of as many: as a
 * pointer, and (shifted by BIOS_SEGMENT_SHIFT) as a segment. After bios_missing() said null. */
uint8_t *bios_buffer(void);

/* One call with these registers, which are those the BIOS returns afterwards. Interrupts are off after it. */
void bios_int13(struct bios_registers *registers);

#endif
