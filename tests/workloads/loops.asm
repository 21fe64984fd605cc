; Workloads that need more than one instruction an occurrence, and the loop the other logical processor runs.
;
; Duties: n CALLs without RETURN, direct or indirect; n RETURNs without CALL; n conditional branches; an endless loop that can stop.
; Register contract: workload.inc; work_spin takes its argument in EAX (gcc -mregparm=3). Memory: up to 4 bytes of stack.

%include "tests/workloads/workload.inc"

; n x CALL to the next instruction. Per n: call, pop, dec, jnz; branches: call and jnz. The last jnz falls through.
        WORKLOAD work_call, 100000, 4, 2, 2
        test    esi, esi
        jz      .done
.again: call    .next
.next:  pop     eax
        dec     esi
        jnz     .again
.done:  jmp     edi

; n x CALL through a register. Per n: call, pop, dec, jnz; branches: call and jnz.
        WORKLOAD work_indirect_call, 100000, 4, 2, 2
        mov     eax, .next
        test    esi, esi
        jz      .done
.again: call    eax
.next:  pop     eax
        dec     esi
        jnz     .again
.done:  jmp     edi

; n x RET to a pushed address. Per n: push, ret, dec, jnz; branches: ret and jnz.
        WORKLOAD work_return, 100000, 4, 2, 2
        test    esi, esi
        jz      .done
.again: push    .next
        ret
.next:  dec     esi
        jnz     .again
.done:  jmp     edi

; The next of two addresses, which no predictor can know: bit 16 of a linear congruential generator in EAX. In ECX.
%macro NEXT_PLACE 1
        imul    eax, eax, 1103515245
        add     eax, 12345
        mov     ecx, eax
        shr     ecx, 16
        and     ecx, 1
        mov     ecx, [%1 + 4 * ecx]
%endmacro

; n x CALL through a register to one of two places. Per n: 10 or 11 instructions; branches: call, jmp half of the time, and jnz.
        section .rodata
call_places:
        dd      work_random_call_entry.first, work_random_call_entry.second

        WORKLOAD work_random_call, 100000, 10, 2, 2
        mov     eax, esi
        test    esi, esi
        jz      .done
.again: NEXT_PLACE call_places
        call    ecx
.first: pop     edx
        jmp     .next
.second:
        pop     edx
.next:  dec     esi
        jnz     .again
.done:  jmp     edi

; n x RET to one of two places. Per n: 10 or 11 instructions; branches as above.
        section .rodata
return_places:
        dd      work_random_return_entry.first, work_random_return_entry.second

        WORKLOAD work_random_return, 100000, 10, 2, 2
        mov     eax, esi
        test    esi, esi
        jz      .done
.again: NEXT_PLACE return_places
        push    ecx
        ret
.first: nop
        jmp     .next
.second:
        nop
.next:  dec     esi
        jnz     .again
.done:  jmp     edi

; The manual's plain loop (pmu-rules 9.4): n x { dec, jnz }, n branches of which the last is not taken.
        WORKLOAD work_loop, 1000000, 2, 1, 1
        test    esi, esi
        jz      .done
.again: dec     esi
        jnz     .again
.done:  jmp     edi

; void work_spin(volatile struct spin *): count laps of 64 NOPs until asked to stop.
; struct spin { uint32_t stop, laps; }. Its code lies between work_spin and work_spin_end.
        section .text
        global  work_spin, work_spin_end
        align   64
work_spin:
        mov     ecx, eax
.lap:   times 64 nop
        inc     dword [ecx + 4]
        cmp     dword [ecx], 0
        je      .lap
        ret
work_spin_end:
