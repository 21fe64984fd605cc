# Start-up and the few pieces that cannot be C.

BOOT_ASM := \
	boot/entry.asm \
	boot/trampoline.asm \
	boot/bios.asm \
	boot/traps.asm \
	boot/switch.asm

KERNEL_LD := boot/kernel.ld

# The file around the packed kernel.

UNPACK_ASM := \
	boot/header.asm \
	boot/unpack.asm

UNPACK_LD := boot/unpack.ld
