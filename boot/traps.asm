; The common part of the trap stubs. kernel/x86/trap.c writes the stubs, one for each of the 256 interrupts.
;
; Duties: make every stack frame look like struct trap_frame (kernel/x86/trap.h), with a zero where the processor
; pushes no error code, call trap_dispatch(frame) and go back with IRET.
;
; Register contract: everything is restored from the frame, so the C code changes registers by changing the
; frame. DS and ES are given their flat value again (boot/entry.asm); code that loads others into them must
; not be interrupted.
;
; Memory: the stack of the interrupted code, or the one in the TSS when that ran at CPL 1 to 3.

bits 32

extern trap_dispatch
extern user_data_selector

global trap_common
global trap_perhaps_error
global trap_without_error
global trap_stubs
global trap_stub_bytes

trap_stub_bytes equ 8                   ; stub of interrupt v: trap_stubs + v * trap_stub_bytes
TRAP_STUB_SHIFT equ 3
CALL_BYTES      equ 5

section .text

; A stub enters at one of three labels by CALL: the interrupt follows from the return address.
;
; Interrupt 17 is #AC, whose error code is always zero (SDM vol. 3, 6.15), or an interrupt without an error code, from a
; local APIC that a BIOS gave that number. Then the frame begins with the interrupted EIP, and none of our code is at 0.
trap_perhaps_error:
        cmp     dword [esp + 4], 0
        je      trap_common
trap_without_error:
        push    dword [esp]
        mov     dword [esp + 4], 0
trap_common:
        sub     dword [esp], trap_stubs + CALL_BYTES
        shr     dword [esp], TRAP_STUB_SHIFT
        pushad
        cld
        mov     ax, user_data_selector
        mov     ds, ax
        mov     es, ax
        mov     eax, esp                ; the first argument (gcc -mregparm=3)
        call    trap_dispatch
        popad
        add     esp, 8                  ; interrupt vector and error code
        iretd

section .trap_stubs align=8 nobits alloc noexec write ; boot/kernel.ld

trap_stubs:     resb 256 << TRAP_STUB_SHIFT

section .note.GNU-stack noalloc noexec nowrite progbits
