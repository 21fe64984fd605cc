/* Addresses in the BIOS data area, by which every PC BIOS says what it found. After a start by UEFI it holds
 * anything. */
#ifndef KERNEL_FIRMWARE_BDA_H
#define KERNEL_FIRMWARE_BDA_H

#define BDA              0x400u
#define BDA_BYTES        0x100u
#define BDA_SERIAL_PORTS 0x400u /* I/O addresses of up to four serial ports, 16 bits each; 0: none */
#define BDA_EBDA_SEGMENT 0x40Eu /* real-mode segment of the extended BIOS data area, 16 bits */
#define BDA_VIDEO_MODE   0x449u /* 8 bits */
#define BDA_CRTC         0x463u /* I/O address of the CRT controller, 16 bits; 3D4H: a colour adapter */

#endif
