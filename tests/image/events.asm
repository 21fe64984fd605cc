; What p4sim counts for instructions whose counts its variants change: one line `name count` a case on COM1, asked for by
; events.t.
;
; Duties: for each case choose an event, start a counter, execute a few instructions, stop the counter, and print the count
;   in hexadecimal digits. The WRMSR that starts a counter is counted, the one that stops it is not.
; Registers: all change. Memory: what is in this file, and reads of the local APIC.

%include "start.inc"

%define CR4_OSFXSR 200h
%define INTERRUPT     40h

%define EXCEPTION_UD  6

%define COUNTER0   300h
%define CCCR0      360h
%define FSB_ESCR0  3A2h
%define FIRM_ESCR0 3A4h
%define DAC_ESCR0  3A8h
%define SAAT_ESCR0 3AEh
%define BPU_ESCR0  3B2h
%define CRU_ESCR0  3B8h
%define RAT_ESCR0  3BCh
%define MS_ESCR0   3C0h
%define TBPU_ESCR0 3C2h
%define TC_ESCR0   3C4h
%define ALF_ESCR0  3CAh
%define CRU_ESCR2  3CCh

%define ALL_CPLS   0Ch                  ; of LP0
%define ENABLED    31000h               ; ENABLE, ACTIVE_THREAD any
%define ALIAS      10000h
%define FAR_ALIAS  400000h

; Multiply %1 by %2, ten times.
%macro products 2
        fninit
        fld tword [%2]
    %rep 10
        fld tword [%1]
        fmul st0, st1
        fstp st0
    %endrep
%endmacro

; Seven with a denormal number, and five without.
%macro sse_operations 0
        movaps xmm0, xmm1
        addps xmm0, xmm2
        movaps xmm0, xmm2
        mulps xmm0, xmm1
        movaps xmm0, xmm1
        cmpltps xmm0, xmm3
        addpd xmm0, xmm4
        addsd xmm0, xmm4
        ucomiss xmm1, xmm2
        divss xmm2, xmm1
        addss xmm1, xmm3
        xorps xmm0, xmm2
        movaps xmm0, xmm2
        unpcklps xmm0, xmm2
        movaps xmm0, xmm1
        subps xmm0, xmm1
%endmacro

; Count event %3 with mask %4 of the ESCR at %2 on counter %5 by ESCR select %6 from here on; %1 is the case's name.
%macro count 6
        mov esi, %%name
        mov ebx, %5
        mov ecx, %2
        mov eax, %3 << 25 | %4 << 9 | ALL_CPLS
        mov edi, ENABLED | %6 << 13
        jmp %%start
%%name: db %1, ' ', 0
align 64
%%start:
        call start
%endmacro

main:
        mov dword [APIC + APIC_SVR], SVR_ON
        gate INTERRUPT, handler
        gate EXCEPTION_UD, undefined
        mov eax, CR4_OSFXSR
        mov cr4, eax
        fninit
        fxsave [copy]

        count 'rom-uops', MS_ESCR0, 09h, 4, 4, 0
        times 10 cpuid
        call stop

        count 'inactive', TC_ESCR0, 01h, 100h, 4, 1
        times 10 cpuid
        call stop

        count 'changed-code', CRU_ESCR2, 02h, 40h, 12, 5
        mov ecx, 10
.change:
        mov [.target + 1], cl
.target:
        mov al, 0
        dec ecx
        jnz .change
        call stop

        count 'data-in-code', CRU_ESCR2, 02h, 40h, 12, 5
        mov ecx, 10
.near:  mov [.data], ecx
        dec ecx
        jnz .near
        jmp .after
.data:  dd 0
.after: call stop

        count 'builds', BPU_ESCR0, 03h, 1, 0, 0
        call plain
        call plain
        call stop
        count 'rebuilds', BPU_ESCR0, 03h, 1, 0, 0
        mov ecx, 4
.again: mov [.patched + 1], cl          ; self-modifying code
.patched:
        mov al, 0
        call plain
        dec ecx
        jnz .again
        call stop

        count 'firm-registers', FIRM_ESCR0, 08h, 8000h, 8, 1
        times 32 addps xmm0, xmm1
        call stop

        count 'firm-memory', FIRM_ESCR0, 08h, 8000h, 8, 1
        times 32 addps xmm0, [lines]
        call stop

        count 'copied-256', FIRM_ESCR0, 08h, 8000h, 8, 1
        mov esi, lines
        mov edi, copy
        mov ecx, 256
        rep movsb
        mov ecx, 63
        rep movsb
        call stop

        count 'stalls', ALF_ESCR0, 01h, 20h, 12, 1
        times 200 mov [lines], eax
        call stop

        count 'uncached-reads', FSB_ESCR0, 03h, 20A1h, 0, 6
        mov edx, APIC + APIC_ID
        times 64 mov eax, [edx]
        call stop

        count 'running', FSB_ESCR0, 13h, 1, 0, 6
        mov ecx, 8
.halt:  mov dword [APIC + APIC_ICR], TO_SELF | INTERRUPT
        sti
        hlt
        cli
        dec ecx
        jnz .halt
        call stop

        count 'instructions', CRU_ESCR0, 02h, 1, 12, 4
        call stop
        count 'doubled', CRU_ESCR0, 02h, 1, 12, 4
        times 10 fldcw [control]
        call stop

        call conditional
        count 'built-branches', TBPU_ESCR0, 04h, 2, 4, 2
        call conditional_too
        call stop
        count 'known-branches', TBPU_ESCR0, 04h, 2, 4, 2
        call conditional
        call stop

        count 'interruptions', CRU_ESCR2, 06h, 0Fh, 12, 5
        times 4 ud2
        call stop

        count 'taken', CRU_ESCR2, 06h, 0Ch, 12, 5
%assign f 0
%rep 32                                 ; each value of CF, PF, ZF, SF and OF
        push dword f & 1 | (f & 2) << 1 | (f & 4) << 4 | (f & 8) << 4 | (f & 16) << 7
        popfd
    %assign c 70h                       ; JO, JB, JE, JBE, JS, JP, JL and JLE to the next instruction
    %rep 8
        db c, 0
        %assign c c + 2
    %endrep
    %assign f f + 1
%endrep
        call stop

        call tag_loads
        count 'tagged-loads', CRU_ESCR2, 08h, 1, 12, 5
        times 10 mov eax, [lines]
        fxrstor [copy]
        movdqu xmm0, [lines]
        movdqu [lines], xmm0
        mov [lines], eax
        cpuid
        call stop
        call tag_stores
        count 'tagged-stores', CRU_ESCR2, 08h, 1, 12, 5
        times 10 mov [lines], eax
        fxsave [copy]
        movdqu xmm0, [lines]
        movdqu [lines], xmm0
        mov eax, [lines]
        cpuid
        sfence
        mfence
        clflush [lines]
        call stop

        fninit
        times 8 fldz
        count 'push-overflows', CRU_ESCR2, 03h, 2, 12, 5
        times 10 fldz
        call stop
        count 'products', CRU_ESCR2, 03h, 1Fh, 12, 5
        products huge, one
        products infinite, huge
        products nothing, huge
        call stop
        count 'overflows', CRU_ESCR2, 03h, 4, 12, 5
        products huge, huge
        products tiny, tiny
        products denormal, huge
        call stop
        count 'underflows', CRU_ESCR2, 03h, 8, 12, 5
        products huge, huge
        products tiny, shrink
        products denormal, one
        call stop
        count 'denormal-operands', CRU_ESCR2, 03h, 10h, 12, 5
        products tiny, shrink
        products denormal, huge
        call stop

        movaps xmm1, [packed_normal]
        movaps xmm2, [packed_denormal]
        movaps xmm3, [packed_upper]
        movaps xmm4, [packed_denormal_pd]
        count 'sse-denormals', FIRM_ESCR0, 34h, 8000h, 8, 1
        sse_operations
        call stop
        mov dword [control], 1FC0h      ; DAZ
        ldmxcsr [control]
        count 'sse-denormals-are-zeros', FIRM_ESCR0, 34h, 8000h, 8, 1
        sse_operations
        call stop
        mov dword [control], 1F80h
        ldmxcsr [control]

        count 'alias-64k', DAC_ESCR0, 02h, 8, 8, 5
        mov [lines], eax
        times 10 mov eax, [lines + ALIAS]
        call stop
        count 'alias-4m', DAC_ESCR0, 02h, 8, 8, 5
        mov [lines], eax
        times 10 mov eax, [lines + FAR_ALIAS]
        call stop
        ret

; In: ECX, EAX = an ESCR and its value, EBX = counter, EDI = its CCCR's value.
start:
        xor edx, edx
        wrmsr
        mov [escr], ecx
        lea ecx, [ebx + COUNTER0]
        xor eax, eax
        wrmsr
        mov [counter], ebx
        mov [name], esi
        lea ecx, [ebx + CCCR0]
        mov eax, edi
        wrmsr
        ret

stop:
        mov ecx, [counter]
        add ecx, CCCR0
        xor eax, eax
        xor edx, edx
        wrmsr
        mov ecx, [escr]
        wrmsr
        mov ecx, [counter]
        add ecx, COUNTER0
        rdmsr
        mov esi, [name]
        jmp say_line

; Let uop_type tag loads, or stores.
tag_loads:
        mov eax, 02h << 25 | 2 << 9 | ALL_CPLS
        jmp tag
tag_stores:
        mov eax, 02h << 25 | 4 << 9 | ALL_CPLS
tag:    mov ecx, RAT_ESCR0
        xor edx, edx
        wrmsr
        ret

; Eight instructions to build.
plain:
        times 7 nop
        ret

%macro conditionals 0
        xor eax, eax
    %rep 5
        jnz $ + 2
    %endrep
        ret
%endmacro
conditional:
        conditionals
conditional_too:
        conditionals

undefined:
        add dword [esp], 2              ; behind UD2
        iretd
handler:
        mov dword [APIC + APIC_EOI], 0
        iretd

section .data
align 16
packed_normal: times 4 dd 1.0
packed_denormal: times 4 dd 7
packed_upper: dd 1.0, 7, 7, 7
packed_denormal_pd: dd 5, 0, 5, 0
; x87 numbers
%macro number 3
%1:     dq %2
        dw %3
%endmacro
        number huge, 8000000000000000h, 3FFFh + 16000
        number one, 8000000000000000h, 3FFFh
        number tiny, 8000000000000000h, 3FFFh - 16000
        number shrink, 8000000000000000h, 3FFFh - 390
        number denormal, 4000000000000000h, 0
        number infinite, 8000000000000000h, 7FFFh
        number nothing, 0, 0
control: dw 037Fh, 0
escr:   dd 0
counter: dd 0
name:   dd 0

section .bss
lines:  resb 512
copy:   resb 512
