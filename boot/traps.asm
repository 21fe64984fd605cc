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

trap_stub_bytes equ 8                   ; stub of vector v: trap_stubs + v * trap_stub_bytes
TRAP_STUB_SHIFT equ 3
CALL_BYTES      equ 5

section .text align=16

; A stub is one CALL: the return address it pushes tells the vector. SDM vol. 3, Table 6-1: exceptions with an error code.
trap_stubs:
%assign vector 0
%rep 256
        align trap_stub_bytes
%if vector == 8 || vector == 10 || vector == 11 || vector == 12 || vector == 13 || vector == 14 || vector == 17
        call    trap_common
%else
        call    trap_without_error
%endif
%assign vector vector + 1
%endrep

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
        push    esp
        call    trap_dispatch
        add     esp, 4
        popad
        add     esp, 8                  ; vector and error code
        iretd

section .note.GNU-stack noalloc noexec nowrite progbits
