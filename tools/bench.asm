; A kernel of one loop, for tools/bench.
;
; It runs LAPS laps of 8 instructions and then writes to isa-debug-exit. Two of the 8 are register moves; with STORES they are
; stores, with MMX they are uops that the FLAME block counts. What is counted meanwhile:
;
;   (nothing defined)  nothing
;   CLOCKS             counter 12 counts clocks, as a watchdog does: COMPLEMENT, a threshold of 15, an event that never comes
;   RETIRED            counter 12 counts instr_retired
;   ALL                all 18 counters count. IQ counts instr_retired and uops_retired, MS counts uop_queue_writes. BPU has no
;                      event that these instructions cause: it counts global_power_events, once a clock. FLAME counts
;                      64bit_MMX_uop; without MMX, the clocks in which there is none.
;
; Register contract: entered by a multiboot loader, uses EAX, ECX, EDX, ESI, MM0 and MM1; ECX is 0 after the loop. Memory: .bss.

%ifndef LAPS
%error "LAPS is not defined"
%endif

MB_MAGIC        equ 1BADB002h
DEBUG_EXIT      equ 0F4h
PAGE            equ 4096

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
NO_INSTRUCTIONS equ ESCR(02h, 0)        ; instr_retired without a mask bit: any event that never comes
INSTR_RETIRED   equ ESCR(02h, 1)        ; NBOGUSNTAG
UOPS_RETIRED    equ ESCR(01h, 1)        ; NBOGUS
QUEUE_WRITES    equ ESCR(09h, 7)        ; uop_queue_writes FROM_TC_BUILD, FROM_TC_DELIVER, FROM_ROM

; CCCR: THRESHOLD [23:20], COMPLEMENT [19], COMPARE [18], ACTIVE_THREAD any [17:16], ESCR select [15:13], ENABLE [12]
%define CCCR(select) (3 << 16 | (select) << 13 | 1 << 12)
NOT_ABOVE       equ 1 << 19 | 1 << 18   ; COMPLEMENT, COMPARE: the clocks whose value is not above the threshold
NOT_ABOVE_15    equ 15 << 20 | NOT_ABOVE
FIRST_CCCR      equ 360h
IQ_CCCR0        equ 36Ch
%ifdef MMX
FLAME_COUNTS    equ CCCR(1)
%else
FLAME_COUNTS    equ NOT_ABOVE | CCCR(1)
%endif

        section .multiboot
        align   4
        dd      MB_MAGIC, 0, -MB_MAGIC

        section .bss
        resb    2 * PAGE                ; a store close to the code would be taken for self-modifying code
cell:   resd    1

        section .rodata
        align   4
; The MSRs that are written before the loop: address, value.
setup:
%ifdef CLOCKS
        dd      CRU_ESCR0, NO_INSTRUCTIONS, IQ_CCCR0, NOT_ABOVE_15 | CCCR(4)
%elifdef RETIRED
        dd      CRU_ESCR0, INSTR_RETIRED, IQ_CCCR0, CCCR(4)
%elifdef ALL
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
%ifdef STORES
        mov     [cell], ecx
%elifdef MMX
        paddd   mm0, mm1
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
