; Changes of context that C cannot express: into an outer ring and back, and out of the middle of anything back to a
; marked place.
;
; Register contract: the kernel's C calling convention (gcc -mregparm=3: the first three arguments in EAX, EDX,
; ECX, the others on the stack); EAX, ECX, EDX change. Memory: the caller's mark, the caller's stacks, one
; field of the TSS.

bits 32

extern kernel_code_selector
extern kernel_data_selector
extern user_data_selector
extern ring1_code_selector

global ring_enter
global ring_return
global ring_return_interrupt
global unwind_mark
global unwind_to

ring_return_interrupt equ 15            ; software interrupt with a DPL 3 gate to ring_return: no exception has this interrupt
                                        ; vector, and no local APIC delivers one below 16

EFLAGS_CLEAR equ 1 << 1                 ; only the bit that is fixed to 1: IF, DF, NT, TF off

section .text

; Selectors of ring r, 1 to 3: their RPL is r, and the code selectors of neighbouring rings are two descriptors apart.
RING_STRIDE equ 16 + 1
CODE_TO_DATA equ 8

; void ring_enter(void (*fn)(void *), void *arg, uint32_t stack_top, uint32_t *tss_esp0, unsigned ring)
; Runs fn(arg) in an outer ring, 1 to 3, with the current EFLAGS; returns when fn does.
ring_enter:
        push    ebp
        push    ebx
        push    esi
        push    edi
        mov     ebx, [esp + 20]         ; tss_esp0
        mov     [ebx], esp              ; traps from the outer ring stack below this frame
        imul    esi, [esp + 24], RING_STRIDE
        add     esi, ring1_code_selector - RING_STRIDE
        sub     ecx, 4
        mov     dword [ecx], ring_done
        pushfd
        pop     ebx
        lea     edi, [esi + CODE_TO_DATA]
        push    edi                     ; SS
        push    ecx                     ; the outer ring's stack
        push    ebx                     ; EFLAGS
        push    esi                     ; CS
        push    eax                     ; fn
        mov     eax, edx                ; arg
        iretd

; In the outer ring: fn has returned.
ring_done:
        int     ring_return_interrupt

; The gate of that interrupt: ESP is five words (EIP, CS, EFLAGS, ESP, SS) below the frame of ring_enter.
ring_return:
        mov     eax, [esp + 8]
        add     esp, 20
        push    eax                     ; EFLAGS as the outer ring left them, IF above all
        popfd
        pop     edi
        pop     esi
        pop     ebx
        pop     ebp
        ret

; int unwind_mark(struct unwind *mark): returns 0. When unwind_to() is called, it returns once more, with the value given
; there. mark holds EBX, ESI, EDI, EBP, ESP after the return, and EIP of the return.
unwind_mark:
        mov     [eax], ebx
        mov     [eax + 4], esi
        mov     [eax + 8], edi
        mov     [eax + 12], ebp
        lea     ecx, [esp + 4]
        mov     [eax + 16], ecx
        mov     ecx, [esp]
        mov     [eax + 20], ecx
        xor     eax, eax
        ret

; void unwind_to(const struct unwind *mark, int value): call it in ring 0, from any depth. unwind_mark() then returns with
; interrupts off. It is reached by IRET, which ends the blocking of NMIs that an abandoned NMI handler would leave on.
unwind_to:
        cli
        xchg    eax, edx                ; EDX = mark, EAX = value
        mov     cx, kernel_data_selector
        mov     ss, cx
        mov     esp, [edx + 16]
        mov     cx, user_data_selector
        mov     ds, cx
        mov     es, cx
        mov     fs, cx
        mov     gs, cx
        mov     ebx, [edx]
        mov     esi, [edx + 4]
        mov     edi, [edx + 8]
        mov     ebp, [edx + 12]
        push    dword EFLAGS_CLEAR
        push    dword kernel_code_selector
        push    dword [edx + 20]
        iretd

section .note.GNU-stack noalloc noexec nowrite progbits
