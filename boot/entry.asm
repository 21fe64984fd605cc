; Entry of both logical processors in 32-bit protected mode.
;
; Duties
;   kernel_start the boot processor, from boot/processor.asm (EAX = multiboot magic, EBX = information)
;   ap_start32  the second logical processor, from the trampoline
; Both load our GDT, bring CR0, CR4, DR7 and the FPU to a known state, take their stack and go to C for good.
;
; Register contract: nothing is returned. CR0 = PE | MP | ET | NE, CR4 = OSFXSR | OSXMMEXCPT when CPUID says
; SSE and 0 otherwise, paging and IA-32e paging off, interrupts off, DF = 0.
;
; Memory: GDT in .data (the C code completes the two TSS descriptors), one stack for each processor in .bss.

bits 32

extern kernel_main
extern ap_main

global kernel_start
global ap_start32
global gdt
global gdt_tss
global gdt_bytes
global kernel_code_selector
global kernel_data_selector
global ring1_code_selector
global user_data_selector
global gdt_real
global real_code_selector
global real_data_selector

STACK_BYTES     equ 16384

CR0_PE          equ 1 << 0              ; protected mode
CR0_MP          equ 1 << 1              ; WAIT obeys TS
CR0_ET          equ 1 << 4              ; 387 (fixed to 1)
CR0_NE          equ 1 << 5              ; x87 errors as #MF
CR0_PG          equ 1 << 31             ; paging
CR4_OSFXSR      equ 1 << 9              ; FXSAVE and SSE instructions
CR4_OSXMMEXCPT  equ 1 << 10             ; SSE errors as #XM
CPUID1_EDX_FXSR equ 1 << 24
CPUID1_EDX_SSE  equ 1 << 25
EFLAGS_CLEAR    equ 1 << 1              ; only the bit that is fixed to 1
DR7_DISARMED    equ 0x400               ; only the bit that is fixed to 1
MXCSR_DEFAULT   equ 0x1F80

section .text

; In: EAX = multiboot magic, EBX = address of the multiboot information.
kernel_start:
        cli
        cld
        mov     esi, eax
        mov     edi, ebx
        mov     eax, cr0
        and     eax, ~CR0_PG & 0xFFFFFFFF
        mov     cr0, eax                ; UEFI loaders may leave paging on; we run identity mapped
        xor     eax, eax
        mov     cr3, eax
        mov     cr4, eax                ; CR4.CET may be left on: before the first far or indirect JMP, CALL and RET (#CP),
                                        ; and before CR0.WP is cleared (#GP)
        lgdt    [gdt_pointer]
        jmp     kernel_code_selector:.reloaded
.reloaded:
        mov     edx, boot_stack_top
        mov     ecx, .segments_loaded   ; no stack yet: the loader's ESP is undefined
        jmp     load_segments
.segments_loaded:
        call    known_state
        mov     eax, esi
        mov     edx, edi
        call    kernel_main             ; kernel_main(magic, information); arguments in registers (gcc -mregparm=3)
        jmp     stop

; From the trampoline, in our GDT's code segment. It may be entered again after an INIT.
ap_start32:
        cld
        mov     edx, ap_stack_top
        mov     ecx, .segments_loaded
        jmp     load_segments
.segments_loaded:
        call    known_state
        call    ap_main
        jmp     stop

stop:
        cli
        hlt
        jmp     stop

; In: EDX = top of the stack to use, ECX = where to jump back. Out: segments loaded, ESP = EDX. Changes EAX.
; DS and the others hold the ring 3 data segment in ring 0 too. It is valid in every ring, so traps and ring changes need
; not save them.
load_segments:
        mov     ax, kernel_data_selector
        mov     ss, ax
        mov     esp, edx
        mov     ax, user_data_selector
        mov     ds, ax
        mov     es, ax
        mov     fs, ax
        mov     gs, ax
        jmp     ecx

; In: paging off, CR4 = 0 (INIT clears them, too). Changes EAX, EBX, ECX, EDX.
known_state:
        push    dword EFLAGS_CLEAR      ; a loader may leave NT or IOPL set: NT turns the first IRETD into a task switch
        popfd
        mov     eax, CR0_PE | CR0_MP | CR0_ET | CR0_NE
        mov     cr0, eax                ; clears CD and NW too, which INIT leaves as they were
        mov     eax, DR7_DISARMED
        mov     dr7, eax
        fninit
        mov     eax, 1
        cpuid
        and     edx, CPUID1_EDX_FXSR | CPUID1_EDX_SSE
        cmp     edx, CPUID1_EDX_FXSR | CPUID1_EDX_SSE
        jne     .done
        mov     eax, CR4_OSFXSR | CR4_OSXMMEXCPT
        mov     cr4, eax
        push    dword MXCSR_DEFAULT
        ldmxcsr [esp]
        add     esp, 4
.done:
        ret

section .data align=8

; Flat descriptors: base 0, limit 4 GB. Access byte: present, DPL, code/data, accessed.
gdt:
        dq 0
kernel_code_selector equ $ - gdt
        dw 0xFFFF, 0
        db 0, 0x9B, 0xCF, 0             ; code, DPL 0
kernel_data_selector equ $ - gdt
        dw 0xFFFF, 0
        db 0, 0x93, 0xCF, 0             ; data, DPL 0
ring1_code_selector equ ($ - gdt) | 1   ; rings 1 to 3 follow each other (boot/switch.asm)
        dw 0xFFFF, 0
        db 0, 0xBB, 0xCF, 0             ; code, DPL 1
        dw 0xFFFF, 0
        db 0, 0xB3, 0xCF, 0             ; data, DPL 1
        dw 0xFFFF, 0
        db 0, 0xDB, 0xCF, 0             ; code, DPL 2
        dw 0xFFFF, 0
        db 0, 0xD3, 0xCF, 0             ; data, DPL 2
        dw 0xFFFF, 0
        db 0, 0xFB, 0xCF, 0             ; code, DPL 3
user_data_selector equ ($ - gdt) | 3
        dw 0xFFFF, 0
        db 0, 0xF3, 0xCF, 0             ; data, DPL 3
gdt_real:                               ; limit 64 KB; their base is where boot/bios.asm was copied to (kernel/firmware/bios_call.c)
real_code_selector equ $ - gdt
        dw 0xFFFF, 0
        db 0, 0x9B, 0, 0                ; code, 16 bits
real_data_selector equ $ - gdt
        dw 0xFFFF, 0
        db 0, 0x93, 0, 0                ; data
gdt_tss:
        dq 0, 0                         ; one TSS for each processor (kernel/x86/segments.c)
gdt_bytes equ $ - gdt

gdt_pointer:
        dw gdt_bytes - 1
        dd gdt

section .bss align=16 nobits alloc noexec write

boot_stack:     resb STACK_BYTES
boot_stack_top:
ap_stack:      resb STACK_BYTES
ap_stack_top:

section .note.GNU-stack noalloc noexec nowrite progbits
