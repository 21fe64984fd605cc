# Start-up and the few pieces that cannot be C.

BOOT_ASM := \
	boot/header.asm \
	boot/check.asm \
	boot/damaged.asm \
	boot/last_words.asm \
	boot/processor.asm \
	boot/entry.asm \
	boot/trampoline.asm \
	boot/bios.asm \
	boot/traps.asm \
	boot/switch.asm

KERNEL_LD := boot/kernel.ld
