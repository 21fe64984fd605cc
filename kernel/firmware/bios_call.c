/* Calls a BIOS service in real mode. Around the call the 8259s and the local APIC's virtual wire mode are
 * restored to what the BIOS set up, and our own interrupt sources are masked. The real-mode vector table at 0
 * is never written. */
#include "firmware.h"
#include <stddef.h>
#include "kernel/x86/cpu.h"
#include "kernel/x86/lapic.h"
#include "kernel/lib/lib.h"
#include "boot/boot.h"

/* The area holds code and stack (boot/bios.asm), then the buffer. It is aligned to its size, so that it
 * crosses no 64 KB boundary of the DMA controllers. */
#define AREA_CODE_BYTES 0x2000u
#define AREA_BYTES      (AREA_CODE_BYTES + BIOS_BUFFER_BYTES)

#define IVT_INT13 (0x13u * 4)

static uint32_t area;

const char *bios_missing(void)
{
    const uint8_t *entry = phys_ptr(IVT_INT13, 4);

    if (entry[3] == 0 || memcmp(entry, "\xFF\xFF\xFF\xFF", 4) ==
                             0) /* the high byte of the segment is 0, or the entry was never set */
        return "the BIOS has no INT 13H";
    area = memory_map_low_area(AREA_BYTES);
    if (area == 0)
        return "no room below 640 KB to call the BIOS from";
    return NULL;
}

uint8_t *bios_buffer(void)
{
    return (uint8_t *)(area + AREA_CODE_BYTES);
}

static void set_base(uint64_t *descriptor)
{
    *descriptor = (*descriptor & ~(0xFFFFFFull << 16)) | (uint64_t)area << 16;
}

void bios_int13(struct bios_registers *registers)
{
    uint8_t *low = (uint8_t *)area;
    uint16_t segment = (uint16_t)(area >> BIOS_SEGMENT_SHIFT);
    size_t registers_at = (size_t)bios_low_registers;
    uint32_t cr4;

    irq_off();
    paging_off();
    cr4 = cr4_read();
    cr4_write(0); /* CR4.MCE above all: in real mode a machine check would be a call of INT 12H, which returns
                     to the BIOS with another AX. Without CR4.MCE the processor shuts down. */
    memcpy(low, bios_low_begin, (size_t)bios_low_end - (size_t)bios_low_begin);
    memcpy(low + (size_t)bios_low_segment, &segment, sizeof segment);
    memcpy(low + registers_at, registers, sizeof *registers);
    set_base(&gdt_real[0]);
    set_base(&gdt_real[1]);
    lapic_enter_virtual_wire();
    pic_restore();
    bios_enter();
    cr4_write(cr4);
    pic_remap();
    lapic_leave_virtual_wire();
    segments_load(CPU_BOOT); /* a BIOS may switch to protected mode, with a GDT and TSS of its own */
    cpu_clean_fpu();
    memcpy(registers, low + registers_at, sizeof *registers);
}
