; The trap stubs, one for each of the 256 interrupts, and what they have in common.
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

global trap_stubs
global trap_stubs_end
global trap_stub_bytes

trap_stub_bytes equ 16                  ; stub of interrupt v: trap_stubs + v * trap_stub_bytes

%define HAS_ERROR_CODE(v) ((v) = 8 || (v) >= 10 && (v) <= 14) ; SDM vol. 3, Table 6-1
%define ALIGNMENT_CHECK 17

; Beside the workloads (boot/kernel.ld): a PMI is taken in the middle of measured code.
section .trap_stubs progbits alloc exec nowrite align=16

trap_stubs:
%assign interrupt 0
%rep 256
        align   trap_stub_bytes
%if interrupt = ALIGNMENT_CHECK
        ; #AC, whose error code is always zero (SDM vol. 3, 6.15), or an interrupt without an error code, from a local APIC
        ; that a BIOS gave that number. Then the frame begins with the interrupted EIP, and none of our code is at 0.
        cmp     dword [esp], 0
        je      .error_pushed
        push    0
.error_pushed:
%elif !HAS_ERROR_CODE(interrupt)
        push    0
%endif
        push    interrupt
        jmp     trap_common
%assign interrupt interrupt + 1
%endrep
        align   trap_stub_bytes
trap_stubs_end:

trap_common:
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

section .note.GNU-stack noalloc noexec nowrite progbits
