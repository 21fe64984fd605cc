; Workloads whose events are in the memory system, the microcode and the front end.
;
; Duties: n split loads or stores, n microcoded instructions, n loads that miss store forwarding, n stores into the code that
; runs next, n x87 stack faults, n loads from the page given in work_uncached_page (pmu-rules 9.1 to 9.4), reads and writes that wait for the bus.
; Register contract: workload.inc. Memory: two cache lines of its own in .bss; work_self_modify stores into its own code,
; which sleds_lay_out copies to .self_modifying.

%include "tests/workloads/workload.inc"

CACHE_LINE equ 64

        section .bss align=128        ; 2 * CACHE_LINE, so that no page ends between them; NASM takes only a number here
lines:  resb    2 * CACHE_LINE
split   equ     lines + CACHE_LINE - 2  ; 4 bytes from here lie in both lines

        section .data
        global  work_uncached_page
work_uncached_page:
        dd      lines                   ; the caller sets it (kernel/x86/cpu.h)

        SLED work_split_load, 256, 5, 0, 0, mov eax, [split]
        SLED work_split_store, 256, 5, 0, 0, mov [split], eax
        SLED work_cpuid, 256, 2, 0, 0, cpuid

; n CPUIDs of leaf 0: how often one transfers to the microcode ROM may depend on the leaf. Per n: 4 instructions, one branch.
        WORKLOAD work_cpuid_leaf_0, 10000, 4, 1, 1
        test    esi, esi
        jz      .done
.again: xor     eax, eax
        cpuid
        dec     esi
        jnz     .again
.done:  jmp     edi

; Store 4 bytes, load 8 that contain them: the load waits and is replayed (MOB_load_replay, PARTIAL_DATA). Per n: 4
; instructions, one branch.
        WORKLOAD work_partial_load, 100000, 4, 1, 1
        test    esi, esi
        jz      .done
.again: mov     [lines], esi
        movq    mm0, [lines]
        dec     esi
        jnz     .again
.done:  jmp     edi

; Store a new immediate into the instruction that is executed next: n self-modifying clears. Per n: 5 instructions, one branch.
; It runs in a room of its own, far from the frame: a store may also hit code that only lies nearby (fact F18).
        section .self_modifying nobits alloc noexec write align=64
modified: resb  64
        WORKLOAD work_self_modify, 10000, 5, 1, 1
        jmp     modified
.begin: test    esi, esi
        jz      .end
.again: mov     eax, esi
        mov     [modified + .target + 1 - .begin], al
.target:
        mov     dl, 0
        dec     esi
        jnz     .again
.end:   jmp     edi
        section .sleds progbits alloc noexec nowrite align=4
        dd      modified, work_self_modify_entry.begin, 1, work_self_modify_entry.end - work_self_modify_entry.begin
        section .text

; As work_self_modify, and empty the TLBs: the code that is built next is not in the ITLB. CPL 0. Per n: 7 instructions, one branch.
        section .self_modifying
modified_fetch: resb  64
        WORKLOAD work_fetch_again, 10000, 7, 1, 1
        jmp     modified_fetch
.begin: test    esi, esi
        jz      .end
.again: mov     eax, esi
        mov     [modified_fetch + .target + 1 - .begin], al
        mov     ecx, cr3
        mov     cr3, ecx
.target:
        mov     dl, 0
        dec     esi
        jnz     .again
.end:   jmp     edi
        section .sleds progbits alloc noexec nowrite align=4
        dd      modified_fetch, work_fetch_again_entry.begin, 1, work_fetch_again_entry.end - work_fetch_again_entry.begin
        section .text

; Add on an empty x87 stack, masked: n stack underflows, each assisted. Per n: 4 instructions, one branch.
        WORKLOAD work_stack_fault, 10000, 4, 1, 1
        test    esi, esi
        jz      .done
.again: fninit
        fadd    st0, st1
        dec     esi
        jnz     .again
.done:  jmp     edi

; n loads from the uncached page. Per n: 3 instructions, one branch.
        WORKLOAD work_uncached_load, 10000, 3, 1, 1
        test    esi, esi
        jz      .done
        mov     ebx, [work_uncached_page]
.again: mov     eax, [ebx]
        dec     esi
        jnz     .again
.done:  jmp     edi

; Fill the bus queues: load lines, and store lines past the caches, which leave the caches by that and are loaded in the next round.
; Loads do not depend on each other. SSE must be enabled.
SECTOR  equ 128                       ; two lines, which a miss reads both
HALF    equ 16 * SECTOR

%macro  STORE_SECTOR 1
%assign at 0
%rep SECTOR / 16
        movntps [%1 + at], xmm0
%assign at at + 16
%endrep
%endmacro

        section .bss align=128
stream: resb    2 * HALF

; Reads and writes by turns. Per n: a sector read and a sector written, 15 instructions, one branch.
        WORKLOAD work_read_write, 10000, 15, 1, 1
        xor     ebx, ebx
        test    esi, esi
        jz      .done
.again: mov     ecx, ebx
        xor     ecx, HALF
        mov     eax, [stream + ecx]
        STORE_SECTOR stream + ebx
        add     ebx, SECTOR
        and     ebx, 2 * HALF - 1
        dec     esi
        jnz     .again
.done:  jmp     edi

; 16 reads, then 16 writes. Per n: 213 instructions, 33 branches.
        WORKLOAD work_read_burst, 1000, 213, 33, 31
        xor     ebx, ebx
        test    esi, esi
        jz      .done
.again: mov     ecx, HALF - SECTOR
.load:  mov     eax, [stream + ebx + ecx]
        sub     ecx, SECTOR
        jns     .load
        xor     ebx, HALF
        mov     ecx, HALF - SECTOR
.store: STORE_SECTOR stream + ebx + ecx
        sub     ecx, SECTOR
        jns     .store
        dec     esi
        jnz     .again
.done:  jmp     edi

; n branches whose direction no predictor can know: bit 16 of a linear congruential generator. Per n: 6 or 7 instructions.
        WORKLOAD work_random_branch, 100000, 6, 2, 1
        test    esi, esi
        jz      .done
        mov     eax, esi
.again: imul    eax, eax, 1103515245
        add     eax, 12345
        test    eax, 1 << 16
        jz      .even
        nop
.even:  dec     esi
        jnz     .again
.done:  jmp     edi

; One load from each of n pages, from the first page of the region given in work_page_region on. Per n: 4 instructions, one branch.
PAGE    equ 4096

        section .data
        global  work_page_region
work_page_region:
        dd      lines                   ; the caller sets it (kernel/x86/cpu.h)

        WORKLOAD work_touch_pages, 1000, 4, 1, 1
        test    esi, esi
        jz      .done
        mov     ebx, [work_page_region]
.again: mov     eax, [ebx]
        add     ebx, PAGE
        dec     esi
        jnz     .again
.done:  jmp     edi
