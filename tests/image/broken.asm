; Kernels that end the way a good one never does: what p4sim makes of them is tested in broken.t.
;
; Duties: write a log to COM1 (END_WORD: with that END line; without: cut after the plan), then end by WAY.
;   END_WORD  "pass", "fail", "skip": the END line's word
;   VERDICT   the value for the isa-debug-exit port when WAY is exit
;   WAY       exit    write VERDICT to the port
;             halt    CLI and HLT: nothing can wake the processor
;             spin    a jump to itself
;             triple  an exception with an empty interrupt descriptor table
; Registers: EAX, EDX, ESI; no stack, interrupts never on. Memory: what is in this file.

%define COM1        3F8h
%define DEBUG_EXIT  0F4h
%define CR_LF       13, 10

%define MULTIBOOT_MAGIC 1BADB002h
%define MULTIBOOT_FLAGS 0

%define EXIT   1
%define HALT   2
%define SPIN   3
%define TRIPLE 4

bits 32
section .text
align 4
        dd MULTIBOOT_MAGIC, MULTIBOOT_FLAGS, -(MULTIBOOT_MAGIC + MULTIBOOT_FLAGS)

global _start
_start:
        mov esi, log
        mov dx, COM1
write:                                  ; p4sim's transmitter is always ready
        lodsb
        test al, al
        jz end
        out dx, al
        jmp write

end:
%if WAY = EXIT
        mov al, VERDICT
        mov dx, DEBUG_EXIT
        out dx, al
%elif WAY = SPIN
        jmp $
%elif WAY = TRIPLE
        lidt [empty]
        int3
%endif
sleep:
        cli
        hlt
        jmp sleep

empty:  dw 0
        dd 0

log:    db "TAP version 13", CR_LF, "1..1", CR_LF
%ifdef END_WORD
        db "ok 1 - broken.control", CR_LF, "# END OF TAP: ", END_WORD, ", 4 lines", CR_LF
%endif
        db 0
