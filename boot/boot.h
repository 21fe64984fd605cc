/* Symbols of the NASM files in boot/. "Absolute" marks a symbol whose address is a number, not a place in
 * memory. */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <stdint.h>

/* entry.asm: the GDT, its two TSS descriptors (boot processor first), and the kernel's code selector. */
extern uint64_t gdt[], gdt_tss[];
extern const char kernel_code_selector[]; /* absolute */

/* trampoline.asm: code to copy to a page below 1 MB, which the start-up IPI names. */
extern const uint8_t trampoline_begin[], trampoline_end[];

/* bios.asm: code to copy to an area below 1 MB; offsets in the area of struct bios_registers and of the
 * area's segment. entry.asm: the two descriptors whose base must be the area. */
extern const uint8_t bios_low_begin[], bios_low_end[];
extern const char bios_low_registers[], bios_low_segment[]; /* absolute */
extern uint64_t gdt_real[2];
void bios_enter(void);

/* traps.asm: the stub of interrupt v, which its gate leads to, is at trap_stubs + v * trap_stub_bytes. */
extern const uint8_t trap_stubs[];
extern const char trap_stub_bytes[]; /* absolute */

/* switch.asm: rings 1 to 3. The software interrupt ring_return_interrupt needs a DPL 3 interrupt gate to
 * ring_return. */
extern const uint8_t ring_return[];
extern const char ring_return_interrupt[]; /* absolute */
void ring_enter(void (*fn)(void *), void *arg, uint32_t stack_top, uint32_t *tss_esp0, unsigned ring);

/* switch.asm: setjmp and longjmp that work out of interrupt handlers too. Call unwind_to() in ring 0 only;
 * interrupts are off after it. The function that called unwind_mark() must not have returned. */
struct unwind {
    uint32_t ebx, esi, edi, ebp, esp, eip;
};
__attribute__((returns_twice)) int unwind_mark(struct unwind *mark);
_Noreturn void unwind_to(const struct unwind *mark, int value);

/* kernel.ld: where the image begins, its CRC-32 (of everything from image_begin up to image_crc,
 * checked by check.asm before the kernel is entered), and the table of fault addresses with their fix-ups. */
struct fixup {
    uint32_t fault_eip, fixup_eip;
};
extern const struct fixup fixups_begin[], fixups_end[];
extern const uint8_t image_begin[];
extern const uint32_t image_crc[1];

/* C functions that entry.asm calls. */
void kernel_main(uint32_t magic, uint32_t information);
void ap_main(void);

#endif
