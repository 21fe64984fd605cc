; The way into real mode, through a software interrupt of the BIOS, and back.
;
; Duties
;   bios_enter   from 32-bit code: give the processor what a BIOS expects, execute INT 13H, come back
; Before the call, kernel/firmware/bios_call.c copies [bios_low_begin, bios_low_end) to an area below 1 MB, fills in the
; registers there, and restores what else a BIOS needs: interrupt controllers, virtual wire mode, paging off.
;
; Register contract: the kernel's C calling convention; EAX, ECX, EDX change. The registers that the BIOS receives and
; returns are in the area (struct bios_registers, kernel/firmware/firmware.h).
;
; Memory: the area, which also holds the stack of the BIOS call; ESP and IDTR of the kernel are saved in .bss.

bits 32

extern kernel_code_selector
extern kernel_data_selector
extern user_data_selector
extern real_code_selector
extern real_data_selector
extern gdt
extern gdt_bytes

global bios_enter
global bios_low_begin
global bios_low_end
global bios_low_registers
global bios_low_segment

CR0_PE          equ 1 << 0
IVT_BYTES       equ 0x400
REGISTERS_BYTES equ 8 * 4 + 2 * 2      ; struct bios_registers without the flags
STACK_TOP       equ 0x2000              ; offset in the area: a stack of more than 7 KB, because some BIOSes use a lot

section .text

; void bios_enter(void): call it with interrupts off, on the boot processor.
bios_enter:
        pushfd                          ; the BIOS may leave other flags
        push    ebp
        push    ebx
        push    esi
        push    edi
        mov     [kernel_esp], esp
        sidt    [kernel_idt]
        jmp     real_code_selector:(low_protected - bios_low_begin)

returned:
        mov     ax, user_data_selector
        mov     ds, ax
        mov     es, ax
        mov     fs, ax
        mov     gs, ax
        mov     ax, kernel_data_selector
        mov     ss, ax
        mov     esp, [kernel_esp]
        lidt    [kernel_idt]
        pop     edi
        pop     esi
        pop     ebx
        pop     ebp
        popfd
        ret

section .rodata progbits alloc noexec nowrite align=4

; Everything from here on is addressed relative to the area.
bits 16

bios_low_begin:

; 16-bit protected mode, CS = the area: segment registers with a limit of 64 KB, as they are in real mode.
low_protected:
        mov     ax, real_data_selector
        mov     ds, ax
        mov     es, ax
        mov     fs, ax
        mov     gs, ax
        mov     ss, ax
        o32 lidt [real_idt - bios_low_begin]
        mov     eax, cr0
        and     al, ~CR0_PE & 0xFF
        mov     cr0, eax
        jmp     far [real_entry - bios_low_begin]

low_real:
        mov     ax, cs
        mov     ss, ax
        mov     esp, registers - bios_low_begin ; as POPAD takes them
        popad
        pop     ds
        pop     es
        mov     esp, STACK_TOP
        sti
        int     0x13
        cli
        push    es
        push    ds
        pushad
        cld
        mov     si, sp
        mov     ax, cs
        mov     ds, ax
        mov     es, ax
        pushf
        pop     word [flags - bios_low_begin]
        mov     di, registers - bios_low_begin
        mov     cx, REGISTERS_BYTES / 2
        rep movsw
        o32 lgdt [kernel_gdt - bios_low_begin]
        mov     eax, cr0
        or      al, CR0_PE
        mov     cr0, eax
        jmp     dword kernel_code_selector:returned

align 4, db 0
real_entry:
        dw low_real - bios_low_begin
real_segment:
        dw 0                            ; filled in by bios_call.c: segment of the area
real_idt:
        dw IVT_BYTES - 1
        dd 0
kernel_gdt:
        dw gdt_bytes - 1
        dd gdt
align 4, db 0
registers:
        times REGISTERS_BYTES db 0
flags:
        dw 0
bios_low_end:

bios_low_registers equ registers - bios_low_begin
bios_low_segment   equ real_segment - bios_low_begin

section .bss align=4 nobits alloc noexec write

kernel_esp:     resd 1
kernel_idt:     resb 6

section .note.GNU-stack noalloc noexec nowrite progbits
