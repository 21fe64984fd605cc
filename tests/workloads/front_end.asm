; Workloads of the front end: code that no trace cache can hold, and a loop that another logical processor disturbs (pmu-rules 8.3).
;
; Duties: n instructions that have to be built each time; n rounds of code in uncached memory; n changes of a word that the other
; logical processor changes.
; Register contract: workload.inc. Memory: code; reads the word that work_watched names.

%include "tests/workloads/workload.inc"

; Two straight lines, one for each logical processor, with more uops than the 12K that a trace cache holds: each has left it when its
; turn comes again. 4 bytes a copy, so that those 64 KB apart are in one place of the simulated trace cache, too. The caller fills the
; lines with copies of work_cold_copy, and ends them with work_cold_exit.
COLD       equ 20000
COLD_BYTES equ 4
        section .cold_room nobits alloc noexec write align=16
        global  work_cold_room
work_cold_room:
        resb    2 * (COLD + 1) * COLD_BYTES

        section .rodata
        global  work_cold_copy, work_cold_exit
work_cold_copy:
        db      8DH, 74H, 26H, 00H      ; lea esi, [esi + 0]
work_cold_exit:
        jmp     edi
        nop
        nop

%macro COLD_LINE 2
        WORKLOAD %1, COLD, 1, 0, 0
        imul    ecx, esi, COLD_BYTES
        mov     eax, work_cold_room + (%2 * (COLD + 1) + COLD) * COLD_BYTES
        sub     eax, ecx
        jmp     eax
%endmacro

        COLD_LINE work_cold, 0
        COLD_LINE work_cold_beside, 1

; n rounds of a loop that the caller has copied to the page of work_code_page. Per n: 2 instructions, one branch.
        section .data
        global  work_code_page
work_code_page:
        dd      work_code

        section .text
        global  work_code, work_code_end
        align   64
work_code:
        test    esi, esi
        jz      .done
.again: dec     esi
        jnz     .again
.done:  jmp     edi
work_code_end:

        WORKLOAD work_uncached_code, 10000, 2, 1, 1
        jmp     [work_code_page]

; Load a word until it changes, n times: a loop without PAUSE, which detects a possible violation of the memory order when it ends.
; If the word stays as it is, each wait ends all the same. Per n: at least 7 instructions, two branches.
PATIENCE equ 2000

        section .data
        global  work_watched
work_watched:
        dd      work_code_page

        WORKLOAD work_await, 10000, 7, 2, 1
        test    esi, esi
        jz      .done
        mov     ebx, [work_watched]
.again: mov     eax, [ebx]
        mov     ecx, PATIENCE
.wait:  mov     edx, [ebx]
        cmp     edx, eax
        jne     .next
        dec     ecx
        jnz     .wait
.next:  dec     esi
        jnz     .again
.done:  jmp     edi

section .note.GNU-stack noalloc noexec nowrite progbits
