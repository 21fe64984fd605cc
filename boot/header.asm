; The multiboot headers: version 1 for BIOS loaders, QEMU's -kernel and iPXE; version 2 for UEFI, because only version 2
; hands over the ACPI root pointer.
;
; Duty: data for the loader. There is no code here; boot/kernel.ld puts the section at the start of the image.
;
; No video mode is asked for: BIOS loaders then leave the 80x25 text screen at B8000H as it is.

MB1_MAGIC       equ 0x1BADB002
MB1_PAGE_ALIGN  equ 1 << 0              ; modules on page boundaries
MB1_MEMORY_INFO equ 1 << 1              ; we want the memory map
MB1_FLAGS       equ MB1_PAGE_ALIGN | MB1_MEMORY_INFO

MB2_MAGIC       equ 0xE85250D6
MB2_I386        equ 0                   ; start in 32-bit protected mode
MB2_TAG_END     equ 0

section .multiboot progbits alloc noexec nowrite align=8

mb2_header:
        dd MB2_MAGIC
        dd MB2_I386
        dd mb2_end - mb2_header
        dd -(MB2_MAGIC + MB2_I386 + (mb2_end - mb2_header))
        dw MB2_TAG_END, 0
        dd 8                            ; size of the end tag
mb2_end:

        dd MB1_MAGIC
        dd MB1_FLAGS
        dd -(MB1_MAGIC + MB1_FLAGS)

section .note.GNU-stack noalloc noexec nowrite progbits
