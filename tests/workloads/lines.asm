; Workloads that go through the lines of a piece of memory: loads and stores that hit or miss a level of the caches, or that go to
; the bus because of the memory type (pmu-rules 8.3).
;
; Duties: n occurrences, at the offsets 0, step, 2 * step ... of the piece, which the variables below give: its address, the step,
; and the mask of an offset. What is stored is of no use to anybody.
; Register contract: workload.inc. Memory: the piece; work_lines_own is one of our own. CLFLUSH and MOVNTPS need SSE2.

%include "tests/workloads/workload.inc"

        section .data
        global  work_lines_at, work_lines_step, work_lines_mask
work_lines_at:
        dd      work_lines_own
work_lines_step:
        dd      64
work_lines_mask:
        dd      OWN_BYTES - 64

OWN_BYTES equ 10000H            ; four times a first level: a line has left it when its turn comes again

        section .bss align=128
        global  work_lines_own
work_lines_own:
        resb    OWN_BYTES

; EBX: the address; ECX: the offset.
%macro LINES_BEGIN 0
        test    esi, esi
        jz      .done
        mov     ebx, [work_lines_at]
        xor     ecx, ecx
.again:
%endmacro

%macro LINES_END 0
        add     ecx, [work_lines_step]
        and     ecx, [work_lines_mask]
        dec     esi
        jnz     .again
.done:  jmp     edi
%endmacro

; Loads, and stores. Per n: 5 instructions, one branch.
        WORKLOAD work_load, 100000, 5, 1, 1
        LINES_BEGIN
        mov     eax, [ebx + ecx]
        LINES_END

        WORKLOAD work_store, 100000, 5, 1, 1
        LINES_BEGIN
        mov     [ebx + ecx], esi
        LINES_END

; Stores of 8 bytes: of write-combining memory parts of a line from smaller ones may be counted too few (BSQ_allocation, note 6c).
        WORKLOAD work_store_8, 100000, 5, 1, 1
        LINES_BEGIN
        movq    [ebx + ecx], mm0
        LINES_END

; Stores, each with a load of the line that was stored to half a round before. Per n: 8 instructions, one branch.
        WORKLOAD work_load_stored, 100000, 8, 1, 1
        mov     edx, [work_lines_mask]
        shr     edx, 1
        add     edx, 32                 ; half a round, since the mask ends with a line
        LINES_BEGIN
        mov     [ebx + ecx], esi
        mov     eax, ecx
        xor     eax, edx
        mov     eax, [ebx + eax]
        LINES_END

; Loads, and stores, of lines that no cache holds: CLFLUSH removes a line from all levels, and MFENCE waits for it. Per n: 7
; instructions, one branch.
        WORKLOAD work_line_load, 100000, 7, 1, 1
        LINES_BEGIN
        clflush [ebx + ecx]
        mfence
        mov     eax, [ebx + ecx]
        LINES_END

        WORKLOAD work_line_store, 100000, 7, 1, 1
        LINES_BEGIN
        clflush [ebx + ecx]
        mfence
        mov     [ebx + ecx], esi
        LINES_END

; Whole lines past the caches. Per n: 8 instructions, one branch.
        WORKLOAD work_line_write, 100000, 8, 1, 1
        LINES_BEGIN
        movntps [ebx + ecx], xmm0
        movntps [ebx + ecx + 16], xmm0
        movntps [ebx + ecx + 32], xmm0
        movntps [ebx + ecx + 48], xmm0
        LINES_END

; Loads of 4 bytes that lie in two pieces of 8 bytes of a line. Per n: 5 instructions, one branch.
        WORKLOAD work_load_chunks, 100000, 5, 1, 1
        LINES_BEGIN
        mov     eax, [ebx + ecx + 6]
        LINES_END

; Reads of a port that nothing depends on: the refresh bit. Per n: 3 instructions, one branch.
PORT_61 equ 61H

        WORKLOAD work_port_read, 10000, 3, 1, 1
        test    esi, esi
        jz      .done
.again: in      al, PORT_61
        dec     esi
        jnz     .again
.done:  jmp     edi

; ---- Loads that wait for the store before them ----

        section .bss align=128
near_store:
        resb    128

; The store's address is a quotient, and comes late: until then no later load can know whether it gets its bytes from there. Per
; n: 8 instructions, one branch.
        WORKLOAD work_late_address, 10000, 8, 1, 1
        test    esi, esi
        jz      .done
        mov     ecx, 1
.again: mov     eax, near_store
        xor     edx, edx
        div     ecx
        mov     [eax], esi
        mov     ebx, [near_store + 64]
        dec     esi
        jnz     .again
.done:  jmp     edi

; The store's data is a quotient. Per n: 8 instructions, one branch.
        WORKLOAD work_late_data, 10000, 8, 1, 1
        test    esi, esi
        jz      .done
        mov     ecx, 1
.again: mov     eax, esi
        xor     edx, edx
        div     ecx
        mov     [near_store], eax
        mov     ebx, [near_store]
        dec     esi
        jnz     .again
.done:  jmp     edi

; A load of the upper half of what was just stored: the lower 4 bits of the two addresses differ. Per n: 4 instructions, one branch.
        WORKLOAD work_upper_half, 100000, 4, 1, 1
        test    esi, esi
        jz      .done
.again: movq    [near_store], mm0
        mov     eax, [near_store + 4]
        dec     esi
        jnz     .again
.done:  jmp     edi

; A load from the address 4 MB after that of the store before it: the two conflict on every model (fact F19). Per n: 4 instructions,
; one branch.
ALIAS   equ 400000H

        WORKLOAD work_alias_load, 100000, 4, 1, 1
        test    esi, esi
        jz      .done
.again: mov     [near_store], esi
        mov     eax, [near_store + ALIAS]
        dec     esi
        jnz     .again
.done:  jmp     edi

section .note.GNU-stack noalloc noexec nowrite progbits
