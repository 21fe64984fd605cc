; Trap stubs: one for each of the 256 vectors.
;
; Duties: make every stack frame look like struct trap_frame (kernel/trap.h), with a zero where the processor
; pushes no error code, call trap_dispatch(frame) and go back with IRET.
;
; Register contract: everything is restored from the frame, so the C code changes registers by changing the
; frame. DS and ES are given their flat value again (boot/entry.asm); code that loads others into them must
; not be interrupted.
;
; Memory: the stack of the interrupted code, or the one in the TSS when that ran at CPL 3.

bits 32

extern trap_dispatch
extern user_data_selector

global trap_stubs
global trap_stub_bytes

trap_stub_bytes equ 16                  ; stub of vector v: trap_stubs + v * trap_stub_bytes

; SDM vol. 3, Table 6-1: exceptions with an error code.
%macro push_error_if_none 1
%if %1 != 8 && %1 != 10 && %1 != 11 && %1 != 12 && %1 != 13 && %1 != 14 && %1 != 17
        push    dword 0
%endif
%endmacro

section .text align=16

trap_stubs:
%assign vector 0
%rep 256
        align 16
        push_error_if_none vector
        push    dword vector
        jmp     near trap_common
%assign vector vector + 1
%endrep

trap_common:
        pushad
        cld
        mov     ax, user_data_selector
        mov     ds, ax
        mov     es, ax
        push    esp
        call    trap_dispatch
        add     esp, 4
        popad
        add     esp, 8                  ; vector and error code
        iretd

section .note.GNU-stack noalloc noexec nowrite progbits
