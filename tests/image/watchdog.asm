; A kernel that starts the ICH5's TCO timer and then never ends, without any other timer: for interrupts.t.
;
; Duties: clear NO_REBOOT, set the TCO timer to 4 ticks of 0.6 s, let it run, reload it, read a port for ever.
; Registers: all. Memory: what is in this file; interrupts never on.

%define MB1_MAGIC    1BADB002h
%define PCI_ADDRESS  0CF8h
%define PCI_DATA     0CFCh
%define GEN_STA      8000F8D4h          ; of the LPC bridge, 00:1f.0
%define NO_REBOOT    02h
%define TCO          460h               ; p4sim's PMBASE + 60H
%define TCO_RLD      TCO + 0
%define TCO_TMR      TCO + 1
%define TCO1_CNT     TCO + 8
%define TMR_HLT      0800h
%define DIAGNOSTICS  80h                ; a port that does nothing, slowly

bits 32
section .text
align 4
        dd MB1_MAGIC, 0, -MB1_MAGIC

global _start
_start:
        cli
        mov dx, PCI_ADDRESS
        mov eax, GEN_STA
        out dx, eax
        mov dx, PCI_DATA
        in al, dx
        and al, ~NO_REBOOT & 0FFh
        out dx, al
        mov dx, TCO_TMR
        mov al, 4
        out dx, al
        mov dx, TCO1_CNT
        in ax, dx
        and ax, ~TMR_HLT & 0FFFFh
        out dx, ax
        mov dx, TCO_RLD
        out dx, al
.forever:
        in al, DIAGNOSTICS
        jmp .forever
