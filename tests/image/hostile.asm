; Kernels that end the way a good one never does, and kernels that do what p4sim does not expect of one; hostile.t has what p4sim makes of
; them.
;
; Duties: write "." to COM1, or with LOG a log: cut after the plan, or with END_WORD up to that END line, before it with TOTALS the totals and these words. Then one WAY:
;   EXIT        VERDICT to the isa-debug-exit port
;   HALT        CLI and HLT: nothing can wake the processor
;   SPIN        a jump to itself
;   TRIPLE      an exception with an empty interrupt descriptor table
;   WATCHDOG    the ICH5's TCO timer is set to 4 ticks of 0.6 s, and no other timer runs
;   LOST_CR3    a page directory of zeros while paging is on: no page is mapped any more
;   LOST_PAE    CR4.PAE set over a 32-bit page directory
;   ADDRESS_0   code at address 0, after a block that is as long as one may be before p4sim cuts it
;   ZEROS       a jump into RAM that holds zeros
;   ONCE        instructions on end, each of which runs once
;   X87         2,000 x87 instructions on end, which the kernel wrote itself
;   REMAP       a page that is mapped elsewhere
;   HIGH        code in such a page
;   LONG        64-bit mode
;   ROM         stores to the boot ROM, one of them across its beginning, without paging and with it
;   SMI         an interprocessor SMI
;   TWICE       two reads of one register of the I/O APIC, whose index is written once
;   OUTPUT      reads of the output of the 8254's channel 2, behind the control word of each mode, before a count is written
;   BREAKPOINT  a breakpoint
;   LIMIT       an access across the limit of a segment, behind one within it
;   NULL        an access by way of a null selector
;   PUSH        the same by way of the stack
;   OVERRIDE    a store by way of CS
;   FAST_CALL   a selector for SYSENTER
;   TASK_GATE   an exception through a task gate
;   VM86        IRET to virtual-8086 mode
;   REAL        an exception in real mode
;   FAR         behind a loop that p4sim executes by whole blocks, a far CALL of a register, which libunicorn aborts on
; Registers: all change; interrupts never on. Memory: what is in this file, and 2 MB on.

%include "start.inc"

%define CR_LF       13, 10
%define CR4_PAE     20h
%define EFLAGS_VM   20000h
%define FREE        200000h
%define EFER        0C0000080h
%define SYSENTER_CS 174h
%define EFER_LME    100h
%define BOOT_ROM    0FFFFF000h
%define IO_APIC     0FEC00000h

%define PCI_ADDRESS 0CF8h
%define PCI_DATA    0CFCh
%define GEN_STA     8000F8D4h           ; of the LPC bridge, 00:1f.0
%define NO_REBOOT   02h
%define TCO_RLD     460h                ; p4sim's PMBASE + 60H
%define TCO_TMR     TCO_RLD + 1
%define TCO1_CNT    TCO_RLD + 8
%define TMR_HLT     0800h
%define PIT_CONTROL 43h
%define PIT_MODE_0  0B0h                ; of channel 2; each mode is 2 on
%define PIT_MODES   6
%define SYSTEM      61h                 ; a port: [5] the output of channel 2
%define DIAGNOSTICS 80h                 ; a port that does nothing, slowly

%macro page_on 0
        mov eax, cr0
        or eax, CR0_PG
        mov cr0, eax
        jmp %%paged
%%paged:
%endmacro

main:
        mov eax, PRESENT | WRITABLE | LARGE
        call map_all
        mov esi, log
        call say
        jmp do_%+WAY

done:   mov al, '!'
        call put
end:    cli
        hlt
        jmp end

do_EXIT:
%ifdef VERDICT
        mov al, VERDICT
        mov dx, DEBUG_EXIT
        out dx, al
%endif
do_HALT:
        jmp end

do_SPIN:
        jmp $

do_TRIPLE:
        lidt [empty]
        int3

do_WATCHDOG:
        mov dx, PCI_ADDRESS
        mov eax, GEN_STA
        out dx, eax
        mov dx, PCI_DATA
        in al, dx
        and al, ~NO_REBOOT & 0FFh
        out dx, al
        mov dx, TCO_TMR
        mov al, 4
        out dx, al
        mov dx, TCO1_CNT
        in ax, dx
        and ax, ~TMR_HLT & 0FFFFh
        out dx, ax
        mov dx, TCO_RLD
        out dx, al
.slow:  in al, DIAGNOSTICS
        jmp .slow

do_LOST_CR3:
        page_on
        mov eax, FREE
        mov cr3, eax
        nop
        jmp $

do_LOST_PAE:
        page_on
        mov eax, cr4
        or eax, CR4_PAE
        mov cr4, eax
        nop
        jmp $

do_ZEROS:
        mov eax, FREE                   ; the zeros are ADD [EAX], AL
        jmp FREE

do_ONCE:
        mov edi, FREE
        mov ecx, 200000h
        mov eax, 00080008h              ; OR [EAX], AL, twice
        rep stosd
        mov eax, FREE - 100h
        jmp FREE

do_ADDRESS_0:
        mov byte [0], 0F4h              ; HLT
        push dword 0
        jmp .long
align 1024                              ; one page holds it all
.long:  times 383 nop
        ret                             ; byte 384, BLOCK_BYTES of sim/engine/translation.c

do_ROM:
        call .store
        page_on
        call .store
        jmp done
.store: mov ebx, [BOOT_ROM]
        mov ecx, ebx
        not ecx
        mov [BOOT_ROM], ecx
        mov [BOOT_ROM - 2], ecx
        lock xor [BOOT_ROM], ecx
        cmp [BOOT_ROM], ebx
        jne $
        ret

do_X87:
        mov edi, FREE
        mov ecx, 2000
        mov ax, 0C9D9h                  ; FXCH ST1
        rep stosw
        mov al, 0C3h                    ; RET
        stosb
        fninit
        fld1
        fld1
        call FREE
        jmp done

do_HIGH:
        mov dword [target], end + 0C0000000h
do_REMAP:
        mov dword [directory + 0C00h], PRESENT | WRITABLE | LARGE       ; C0000000H is 0
        page_on
        jmp [target]

do_LONG:
        write_msr EFER, 0, EFER_LME
        mov eax, cr4
        or eax, CR4_PAE
        mov cr4, eax
        page_on

do_FAST_CALL:
        write_msr SYSENTER_CS, 0, CODE
        wrmsr
        jmp end

do_SMI:
        mov dword [APIC + APIC_SVR], SVR_ON
        mov dword [APIC + APIC_ICR], TO_SELF | 200h
        jmp end

do_TWICE:
        mov dword [IO_APIC], 1                  ; the version
        mov edi, 2
.again: mov eax, [IO_APIC + 10h]
        call say_hex
        call new_line
        dec edi
        jnz .again
        jmp done

do_OUTPUT:
        mov bl, PIT_MODE_0
.mode:  mov al, bl
        out PIT_CONTROL, al
        in al, SYSTEM
        shr al, 5
        and al, 1
        add al, '0'
        call put
        add bl, 2
        cmp bl, PIT_MODE_0 + 2 * PIT_MODES
        jb .mode
        jmp done

do_BREAKPOINT:
        mov eax, 400h                           ; none
        mov dr7, eax
        mov eax, end
        mov dr0, eax
        mov eax, 402h                           ; G0, on execution
        mov dr7, eax
        jmp end

do_LIMIT:
        mov eax, LIMITED
        mov es, eax
        mov eax, [es:0FFCh]                     ; within the limit
        mov eax, [es:0FFDh]
        jmp end

do_NULL:
        xor eax, eax
        mov es, eax                             ; loading it does no harm
        mov al, [log]
        mov al, [es:log]
        jmp end

do_PUSH:
        mov eax, LIMITED
        mov ss, eax
        push eax
        jmp end

do_OVERRIDE:
        mov al, [cs:log]
        mov [cs:log], al
        jmp end

do_FAR:
        mov ecx, 100000
.lap:   dec ecx
        jnz .lap
        db 0FFh, 0D8h                           ; raises #UD

do_TASK_GATE:
        mov word [idt + 3 * 8 + 2], 20h
        mov word [idt + 3 * 8 + 4], 8500h
        int3

do_VM86:
        times 5 push dword 0                    ; GS, FS, DS, ES, SS
        push dword 1000h
        push dword EFLAGS_VM | EFLAGS_ONE
        push dword 0
        push dword LOW
        mov word [LOW], 0FEEBh                  ; a jump to itself
        iretd

do_REAL:
        mov edi, LOW                            ; real mode reaches only what is below 1 MB
        mov esi, low
        mov ecx, low.end - low
        rep movsb
        jmp CODE16:0
bits 16
low:    mov eax, cr0
        and al, ~CR0_PE
        mov cr0, eax
        jmp LOW / 16:.real - low
.real:  ud2
.end:
bits 32

section .data
target: dd end
empty:  dw 0
        dd 0
%ifdef LOG
log:    db "TAP version 13", CR_LF, "1..1", CR_LF
%ifdef END_WORD
        db "ok 1 - broken.control", CR_LF
%ifdef TOTALS
        db "# 1 passed, 0 failed, 0 skipped of 1", TOTALS, CR_LF
%endif
        db "# END OF TAP: ", END_WORD, ", 4 lines", CR_LF
%endif
        db 0
%else
log:    db ".", 0
%endif
