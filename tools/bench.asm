; A kernel of one loop, for tools/bench: how fast is p4sim if nothing is counted, and if each instruction is?
;
; It runs LAPS laps of 8 instructions and then writes to isa-debug-exit. With STORES, two of the 8 are stores; with ARMED,
; counter 12 counts instr_retired. Register contract: entered by a multiboot loader, uses ECX, EAX, EDX. Memory: one word of .bss.

MB_MAGIC      equ 1BADB002h
LAPS          equ 1000000
DEBUG_EXIT    equ 0F4h

CRU_ESCR0     equ 3B8h
INSTR_RETIRED equ 2 << 25 | 1 << 9 | 1 << 3     ; event select, NBOGUSNTAG, T0_OS
IQ_CCCR0      equ 36Ch
CCCR_COUNTS   equ 3 << 16 | 4 << 13 | 1 << 12   ; any thread, ESCR select 4, ENABLE

        section .multiboot
        align   4
        dd      MB_MAGIC, 0, -MB_MAGIC

        section .bss
cell:   resd    1

        section .text
        global  _start
_start:
%ifdef ARMED
        xor     edx, edx
        mov     ecx, CRU_ESCR0
        mov     eax, INSTR_RETIRED
        wrmsr
        mov     ecx, IQ_CCCR0
        mov     eax, CCCR_COUNTS
        wrmsr
%endif
        mov     ecx, LAPS
        align   16
.lap:
%rep 2
%ifdef STORES
        mov     [cell], ecx
%else
        mov     edx, ecx
%endif
        add     edx, ecx
        xor     eax, edx
%endrep
        dec     ecx
        jnz     .lap
        out     DEBUG_EXIT, al
        hlt
