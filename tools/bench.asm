; A kernel of one loop, for tools/bench.
;
; It runs LAPS laps of 8 instructions and then writes to isa-debug-exit. Nothing is counted; with ALL defined all 18 counters
; count. IQ counts instr_retired and uops_retired, MS counts uop_queue_writes. BPU has no event that these instructions cause: it
; counts global_power_events, once a clock. FLAME counts the clocks in which there is no 64bit_MMX_uop.
;
; Register contract: entered by a multiboot loader, uses EAX, ECX, EDX, ESI; ECX is 0 after the loop.

%ifndef LAPS
%error "LAPS is not defined"
%endif

MB_MAGIC        equ 1BADB002h
DEBUG_EXIT      equ 0F4h

; ESCR: event select [30:25], event mask [24:9], T0_OS [3]
%define ESCR(select, mask) ((select) << 25 | (mask) << 9 | 1 << 3)
FSB_ESCR0       equ 3A2h
FSB_ESCR1       equ 3A3h
FIRM_ESCR0      equ 3A4h
FIRM_ESCR1      equ 3A5h
CRU_ESCR0       equ 3B8h
CRU_ESCR1       equ 3B9h
MS_ESCR0        equ 3C0h
MS_ESCR1        equ 3C1h
CLOCKS_RUNNING  equ ESCR(13h, 1)        ; global_power_events RUNNING
MMX_UOPS        equ ESCR(02h, 1 << 15)  ; 64bit_MMX_uop ALL
INSTR_RETIRED   equ ESCR(02h, 1)        ; NBOGUSNTAG
UOPS_RETIRED    equ ESCR(01h, 1)        ; NBOGUS
QUEUE_WRITES    equ ESCR(09h, 7)        ; uop_queue_writes FROM_TC_BUILD, FROM_TC_DELIVER, FROM_ROM

; CCCR: THRESHOLD [23:20], COMPLEMENT [19], COMPARE [18], ACTIVE_THREAD any [17:16], ESCR select [15:13], ENABLE [12]
%define CCCR(select) (3 << 16 | (select) << 13 | 1 << 12)
NOT_ABOVE       equ 1 << 19 | 1 << 18   ; COMPLEMENT, COMPARE: the clocks whose value is not above the threshold
FIRST_CCCR      equ 360h
FLAME_COUNTS    equ NOT_ABOVE | CCCR(1)

        section .multiboot
        align   4
        dd      MB_MAGIC, 0, -MB_MAGIC

        section .rodata
        align   4
; The MSRs that are written before the loop: address, value.
setup:
%ifdef ALL
        dd      FSB_ESCR0, CLOCKS_RUNNING, FSB_ESCR1, CLOCKS_RUNNING
        dd      MS_ESCR0, QUEUE_WRITES, MS_ESCR1, QUEUE_WRITES
        dd      FIRM_ESCR0, MMX_UOPS, FIRM_ESCR1, MMX_UOPS
        dd      CRU_ESCR0, INSTR_RETIRED, CRU_ESCR1, UOPS_RETIRED
%assign counter 0
%rep 4
        dd      FIRST_CCCR + counter, CCCR(6)           ; BPU
        dd      FIRST_CCCR + 4 + counter, CCCR(0)       ; MS
        dd      FIRST_CCCR + 8 + counter, FLAME_COUNTS
%assign counter counter + 1
%endrep
%assign counter 12
%rep 6
        dd      FIRST_CCCR + counter, CCCR(4)           ; IQ
%assign counter counter + 1
%endrep
%endif
setup_end:

        section .text
        global  _start
_start:
        mov     esi, setup
.next:
        cmp     esi, setup_end
        jae     .ready
        mov     ecx, [esi]
        mov     eax, [esi + 4]
        xor     edx, edx
        wrmsr
        add     esi, 8
        jmp     .next
.ready:
        mov     ecx, LAPS
        align   16
.lap:
%rep 2
        mov     edx, ecx
        add     edx, ecx
        xor     eax, edx
%endrep
        dec     ecx
        jnz     .lap
        out     DEBUG_EXIT, al
        hlt
