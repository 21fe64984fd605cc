; A workload whose uops replay tagging marks (Table 19-33).
;
; Duties: n stores, each to a page of its own. Others have the loads and stores that cross lines, the loads that miss, and the
; branches. Register contract: workload.inc. Memory: the region given in work_page_region keeps what it holds.

%include "tests/workloads/workload.inc"

PAGE  equ 4096
PAGES equ 1000

        extern  work_page_region

        section .bss
        global  work_page_contents
work_page_contents:             ; the first 4 bytes of each page of the region, which the caller has read
        resd    PAGES

; One store to each of n pages of the region, of what is there already. Per n: 6 instructions, one branch.
        WORKLOAD work_store_pages, PAGES, 6, 1, 1
        test    esi, esi
        jz      .done
        mov     ebx, [work_page_region]
        mov     ecx, work_page_contents
.again: mov     eax, [ecx]
        mov     [ebx], eax
        add     ecx, 4
        add     ebx, PAGE
        dec     esi
        jnz     .again
.done:  jmp     edi
