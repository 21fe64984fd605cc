; Code that is changed or displaced after it has run: what a processor executes then, one by WAY, for modified.t.
;
;   OTHER  the other logical processor changes it. It writes one letter a round to COM1, which is what the code loaded
;          after the change.
;   LOOP   a loop of two blocks, which p4sim's second engine keeps in one entry of its table; the loop runs once with a
;          counter of instructions, then one of the blocks is changed, and the loop runs without. It writes the sum of
;          what the second run of the loop added up, in hexadecimal digits.
;   AWAY   two subroutines 64 KB apart displace each other in p4sim's instruction cache, so that each of their instructions
;          is built anew once in each lap of a loop. It writes BPU_fetch_request of the second run of the loop in hexadecimal
;          digits.
; Registers: all change; interrupts never on. Memory: what is in this file, and the second processor's start at START.

%define COM1       3F8h
%define DEBUG_EXIT 0F4h
%define SKIPPED    13h
%define MB1_MAGIC  1BADB002h

%define APIC       0FEE00000h
%define APIC_SVR   0F0h
%define APIC_ICR   300h
%define SVR_ON     1FFh
%define ICR_INIT   0C4500h              ; to all others, level assert
%define ICR_SIPI   0C4600h
%define START      8000h
%define CODE       08h
%define DATA       10h
%define CR0_PE     1

%define CRU_ESCR0  3B8h
%define IQ_CCCR0   36Ch
%define INSTR_RETIRED 0400020Ch         ; NBOGUSNTAG, at every CPL
%define ENABLED    39000h               ; ENABLE, ESCR select 4, ACTIVE_THREAD any
%define BPU_ESCR0  3B2h
%define BPU_CCCR0  360h
%define BPU_COUNTER0 300h
%define FETCHES    0600020Ch            ; BPU_fetch_request TCMISS, at every CPL
%define BPU_ENABLED 31000h              ; ESCR select 0

%define OTHER      1
%define LOOP       2
%define AWAY       3

%define ROUNDS     4
%define WAITS      3000                 ; laps in which the other logical processor sees the change
%define LAPS       10000

bits 32
section .text
align 4
        dd MB1_MAGIC, 0, -MB1_MAGIC

global _start
_start:
        cli
        cld
        mov esp, stack_top
        lgdt [gdtr]
        jmp CODE:.flat
.flat:  mov eax, DATA
        mov ds, eax
        mov es, eax
        mov ss, eax

%if WAY = OTHER
        mov edi, START
        mov esi, start16
        mov ecx, start16.end - start16
        rep movsb
        mov dword [APIC + APIC_SVR], SVR_ON
        mov dword [APIC + APIC_ICR], ICR_INIT
        mov dword [APIC + APIC_ICR], ICR_SIPI | START / 1000h
.round: mov ecx, WAITS
        loop $
        mov al, [loaded]
        call put
        inc byte [second.changed + 1]
        dec byte [rounds]
        jnz .round

%elif WAY = AWAY
        call measure                    ; builds all but the two
        call measure
        call put_ebx
%else
        call the_loop                   ; p4sim's second engine takes over
        mov ecx, CRU_ESCR0
        mov eax, INSTR_RETIRED
        xor edx, edx
        wrmsr
        mov ecx, IQ_CCCR0
        mov eax, ENABLED
        wrmsr
        call the_loop
        mov ecx, IQ_CCCR0
        xor eax, eax
        wrmsr
        inc byte [first_block.changed + 1]
        call the_loop
        call put_ebx
%endif
        mov al, SKIPPED
        mov dx, DEBUG_EXIT
        out dx, al
        cli
        hlt

put_ebx:
        mov ecx, 8
.digit: rol ebx, 4
        mov eax, ebx
        and eax, 15
        mov al, [digits + eax]
        call put
        loop .digit
        ret

put:    mov dx, COM1
        out dx, al
        ret

%if WAY = OTHER
second: mov esp, second_stack_top
.lap:   call .changed
        mov [loaded], al
        jmp .lap
.changed:
        mov al, 'A'
        ret

bits 16
start16:
        cli
        o32 lgdt [cs:.gdtr - start16]
        mov eax, cr0
        or al, CR0_PE
        mov cr0, eax
        jmp dword CODE:.flat - start16 + START
bits 32
.flat:  mov ax, DATA
        mov ds, eax
        mov ss, eax
        jmp CODE:second
align 4
.gdtr:  dw gdtr - gdt - 1
        dd gdt
.end:
%endif

loaded: db '-'
rounds: db ROUNDS
digits: db "0123456789ABCDEF"
align 8
gdt:    dq 0
        dq 00CF9B000000FFFFh            ; CODE
        dq 00CF93000000FFFFh            ; DATA
gdtr:   dw gdtr - gdt - 1
        dd gdt

%if WAY = LOOP
; The blocks start at 101000H and 102003H. Their entry has the lower 12 bits of address XOR address / 1000H as its number
; (sim/engine/loop_blocks.c), which is 101H of both.
align 4096
first_block:
        add ebx, edx
.changed:
        mov dl, 5
        jmp second_block
the_loop:
        mov ecx, LAPS
        xor ebx, ebx
        xor edx, edx
        jmp first_block
times 1003h - ($ - first_block) db 0
second_block:
        dec ecx
        jnz first_block
        add ebx, edx                    ; what the last lap loaded
        ret
%endif

%if WAY = AWAY
; Out: EBX = what was counted in the laps.
measure:
        mov ecx, BPU_ESCR0
        mov eax, FETCHES
        xor edx, edx
        wrmsr
        mov ecx, BPU_COUNTER0
        xor eax, eax
        wrmsr
        mov ecx, BPU_CCCR0
        mov eax, BPU_ENABLED
        wrmsr
        mov esi, LAPS
.lap:   call one
        call one                        ; p4sim learns that it is a block that can be accounted as a whole
        call one
        call other
        dec esi
        jnz .lap
        mov ecx, BPU_CCCR0
        xor eax, eax
        wrmsr
        mov ecx, BPU_COUNTER0
        rdmsr
        mov ebx, eax
        ret
align 4096
one:    inc edi
        dec edi
        ret
times 10000h - ($ - one) db 0
other:  inc edi
        dec edi
        ret
align 4096                              ; the stack is not next to code, or each CALL would modify it
%endif

section .bss align=16 nobits alloc noexec write
        resb 256
second_stack_top:
        resb 256
stack_top:
