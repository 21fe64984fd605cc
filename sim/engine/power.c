/*
 * Brings a logical processor to the states in which it starts: after the boot loader, after INIT, after a
 * SIPI. A small ROM leads it to real mode, in which libunicorn cannot start.
 */
#include "power.h"
#include "engine.h"
#include "ram_stores.h"
#include "unsupported.h"

#include <string.h>
#include "sim/cpu/registers.h"
#include "pmc/netburst/regs.h"
#include "sim/cpu/core.h"
#include "pmc/count_of.h"

#define CR0_PE       FIELD_MASK(0, 0)
#define CR0_ET       FIELD_MASK(4, 4)
#define EFLAGS_RESET (1u << 1) /* the bit that always reads 1 */

/* ---- The boot ROM ---- */

#define OFFSET_CODE16  0x10u
#define OFFSET_POINTER 0x40u /* 16:16 pointer that the last jump uses */
#define OFFSET_GDT     0x80u

static const uint8_t TO_REAL_32[] = {
    0xEA, OFFSET_CODE16,   0, 0,
    0,    BOOT_ROM_CODE16, 0, /* jmp CODE16:OFFSET_CODE16, relative to BOOT_ROM_BASE */
};

static const uint8_t TO_REAL_16[] = {
    0xB8, BOOT_ROM_DATA16,
    0,          /* mov ax, DATA16 */
    0x8E, 0xD8, /* mov ds, ax */
    0x8E, 0xC0, /* mov es, ax */
    0x8E, 0xD0, /* mov ss, ax */
    0x8E, 0xE0, /* mov fs, ax */
    0x8E, 0xE8, /* mov gs, ax */
    0x0F, 0x20,
    0xC0,       /* mov eax, cr0 */
    0x24, 0xFE, /* and al, ~1 */
    0x0F, 0x22,
    0xC0,       /* mov cr0, eax */
    0x31, 0xC0, /* xor ax, ax */
    0x8E, 0xD8, /* mov ds, ax */
    0x8E, 0xC0, /* mov es, ax */
    0x8E, 0xD0, /* mov ss, ax */
    0x2E, 0xFF,
    0x2E, OFFSET_POINTER,
    0 /* jmp far [cs:OFFSET_POINTER] */
};

/* Write a segment descriptor (SDM Figure 3-8). */
static void put_descriptor(uint8_t *at, uint32_t base, uint32_t limit, uint8_t type, uint8_t flags)
{
    const uint8_t bytes[8] = {(uint8_t)limit,
                              (uint8_t)(limit >> 8),
                              (uint8_t)base,
                              (uint8_t)(base >> 8),
                              (uint8_t)(base >> 16),
                              type,
                              (uint8_t)(flags << 4 | limit >> 16),
                              (uint8_t)(base >> 24)};
    memcpy(at, bytes, sizeof bytes);
}

void boot_rom_fill(uint8_t *rom)
{
    const uint8_t code = 0x9B, data = 0x93; /* present, DPL 0, accessed; code readable, data writable */
    const uint8_t pages_32bit = 0xC, bytes_16bit = 0x0;
    uint8_t *gdt = rom + OFFSET_GDT;

    memset(rom, 0, BOOT_ROM_SIZE);
    memcpy(rom, TO_REAL_32, sizeof TO_REAL_32);
    memcpy(rom + OFFSET_CODE16, TO_REAL_16, sizeof TO_REAL_16);
    put_descriptor(gdt + BOOT_ROM_CODE32, 0, 0xFFFFF, code, pages_32bit);
    put_descriptor(gdt + BOOT_ROM_CODE16, BOOT_ROM_BASE, 0xFFFF, code, bytes_16bit);
    put_descriptor(gdt + BOOT_ROM_DATA16, 0, 0xFFFF, data, bytes_16bit);
    put_descriptor(gdt + BOOT_ROM_DATA32, 0, 0xFFFFF, data, pages_32bit);
}

/* Make BOOT_ROM_TO_REAL end at offset 0 of this real-mode segment. */
static void boot_rom_set_segment(uint8_t *rom, uint16_t segment)
{
    uint8_t *pointer = rom + OFFSET_POINTER;
    pointer[0] = 0;
    pointer[1] = 0;
    pointer[2] = (uint8_t)segment;
    pointer[3] = (uint8_t)(segment >> 8);
}

/* ---- The states in which a logical processor starts ---- */

/* libunicorn takes every linear address for the physical one, and never sees IA32_EFER. */
static void check_paging(struct processor *processor)
{
    uint64_t efer = processor->msrs.efer;
    bool paged = processor_paged(processor);
    if (paged && efer & EFER_LME) {
        unsupported_end(processor, UNSUPPORTED_LONG_MODE);
        return;
    }
    if (paged && efer & EFER_NXE)
        unsupported_report(processor, UNSUPPORTED_NO_EXECUTE);
    processor->remapped = paging_remaps(processor);
    if (processor->remapped)
        unsupported_report(processor, UNSUPPORTED_REMAPPING);
}

void processor_flush_translations(struct processor *processor)
{
    tlb_flush(&processor->dtlb);
    tlb_flush(&processor->itlb);
    ram_stores_refresh(processor);
    check_paging(processor);
}

/* Flat protected mode at CPL 0 on the boot ROM's GDT, whatever the engine was in before. */
static void enter_flat_mode(struct processor *processor)
{
    static const int GENERAL[] = {UC_X86_REG_EAX, UC_X86_REG_EBX, UC_X86_REG_ECX, UC_X86_REG_EDX,
                                  UC_X86_REG_ESI, UC_X86_REG_EDI, UC_X86_REG_EBP, UC_X86_REG_ESP,
                                  UC_X86_REG_CR3, UC_X86_REG_CR4};
    static const int DATA[] = {UC_X86_REG_SS, UC_X86_REG_DS, UC_X86_REG_ES, UC_X86_REG_FS, UC_X86_REG_GS};
    const uc_x86_mmr gdtr = {0, BOOT_ROM_GDT, BOOT_ROM_GDT_LIMIT, 0}, idtr = {0, 0, 0x3FF, 0};
    const uint16_t null = 0, code = BOOT_ROM_CODE32, data = BOOT_ROM_DATA32;

    /* With PE clear SS loads without checks and the CPL becomes 0 (see interrupt.c). */
    processor_set(processor, UC_X86_REG_CR0, CR0_ET);
    uc_reg_write(processor->uc, UC_X86_REG_SS, &null);
    for (unsigned i = 0; i < COUNT_OF(GENERAL); i++)
        processor_set(processor, GENERAL[i], 0);
    processor_set(processor, UC_X86_REG_EFLAGS, EFLAGS_RESET);
    processor_set(processor, UC_X86_REG_CR0, CR0_ET | CR0_PE);
    uc_reg_write(processor->uc, UC_X86_REG_GDTR, &gdtr);
    uc_reg_write(processor->uc, UC_X86_REG_IDTR, &idtr);
    uc_reg_write(processor->uc, UC_X86_REG_CS, &code);
    for (unsigned i = 0; i < COUNT_OF(DATA); i++)
        uc_reg_write(processor->uc, DATA[i], &data);
    processor_flush_translations(processor);
}

void processor_boot(struct processor *processor, uint32_t entry, uint32_t eax, uint32_t ebx)
{
    enter_flat_mode(processor);
    processor_set(processor, UC_X86_REG_EAX, eax);
    processor_set(processor, UC_X86_REG_EBX, ebx);
    processor->eip = entry;
    processor->state = PROCESSOR_ACTIVE;
    processor_refresh_segments(processor);
}

void processor_receive_init(struct processor *processor)
{
    /* The ID stays (SDM vol. 3, 10.4.7.3). */
    processor->lapic.stages->reset(&processor->lapic, processor->lapic.id, processor->lapic.clocks_per_tick);
    core_receive_init(processor->core);
    processor->state = PROCESSOR_WAIT_FOR_SIPI;
    processor->pmi_arrives = LAPIC_NEVER;
    processor->apic_stores = 0;
    processor->fp_window = (struct fp_window){0};
    processor->pending = NULL;
    processor->stall_clocks = 0;
    processor->shadow = false;
    processor->nmi_blocked = false;
    processor->msrs.debugctl = 0; /* SDM vol. 3, 17.4.9 */
    processor->cpl = 0;
    core_update_thread(processor);
}

void processor_receive_sipi(struct processor *processor, uint8_t page)
{
    if (processor->state != PROCESSOR_WAIT_FOR_SIPI ||
        injectors_sipi_lost(processor->core->injectors, processor))
        return;
    run_control_catch_up(processor->control, processor->core);
    enter_flat_mode(processor);
    boot_rom_set_segment(processor->boot_rom, (uint16_t)(page << 8));
    processor->in_boot_rom = true;
    processor->eip = BOOT_ROM_TO_REAL;
    processor->cs_base = 0;
    processor->state = PROCESSOR_ACTIVE;
    core_update_thread(processor);
}
