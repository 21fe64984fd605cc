/*
 * A logical processor's engine and registers: creation, power-up, INIT and SIPI, segments.
 */
#include "processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/x86.h>
#include "sim/engine/mmio.h"
#include "sim/engine/boot_rom.h"
#include "sim/machine/machine.h"
#include "pmc/netburst/regs.h"

#define CR0_PE           FIELD_MASK(0, 0)
#define CR0_ET           FIELD_MASK(4, 4)
#define CR0_PG           FIELD_MASK(31, 31)
#define EFLAGS_IF        (1u << 9)
#define EFLAGS_RESET     (1u << 1) /* the bit that always reads 1 */
#define DESCRIPTOR_32BIT 0x40u     /* D bit, in byte 6 */

uint32_t processor_get(const struct processor *processor, int reg)
{
    uint32_t value = 0;
    uc_reg_read(processor->uc, reg, &value);
    return value;
}

void processor_set(struct processor *processor, int reg, uint32_t value)
{
    uc_reg_write(processor->uc, reg, &value);
}

bool processor_protected(const struct processor *processor)
{
    return processor_get(processor, UC_X86_REG_CR0) & CR0_PE;
}

bool processor_paged(const struct processor *processor)
{
    return processor_get(processor, UC_X86_REG_CR0) & CR0_PG;
}

bool processor_interruptible(const struct processor *processor)
{
    return processor_get(processor, UC_X86_REG_EFLAGS) & EFLAGS_IF;
}

/* ---- Segments ---- */

static void real_mode_segments(struct processor *processor, uint16_t cs)
{
    processor->cpl = 0;
    processor->cs_base = (uint32_t)cs << 4;
    processor->mode_tag = INSN_TAG_VALID | INSN_TAG_16BIT;
}

static void protected_mode_segments(struct processor *processor, uint16_t cs)
{
    uint8_t descriptor[8] = {0};
    uc_x86_mmr gdtr = {0, 0, 0, 0};
    uc_reg_read(processor->uc, UC_X86_REG_GDTR, &gdtr);
    uc_mem_read(processor->uc, gdtr.base + (cs & ~7u), descriptor, sizeof descriptor);
    processor->cpl = cs & 3;
    processor->cs_base = (uint32_t)descriptor[2] | (uint32_t)descriptor[3] << 8 |
                         (uint32_t)descriptor[4] << 16 | (uint32_t)descriptor[7] << 24;
    processor->mode_tag = INSN_TAG_VALID | (descriptor[6] & DESCRIPTOR_32BIT ? 0 : INSN_TAG_16BIT);
}

void processor_refresh_segments(struct processor *processor)
{
    uint16_t cs = 0;
    uc_reg_read(processor->uc, UC_X86_REG_CS, &cs);
    if (processor_protected(processor))
        protected_mode_segments(processor, cs);
    else
        real_mode_segments(processor, cs);
    core_update_thread(processor);
}

void processor_flush_translations(struct processor *processor)
{
    tlb_flush(&processor->dtlb);
    tlb_flush(&processor->itlb);
    ram_stores_refresh(processor);
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
    for (unsigned i = 0; i < sizeof GENERAL / sizeof GENERAL[0]; i++)
        processor_set(processor, GENERAL[i], 0);
    processor_set(processor, UC_X86_REG_EFLAGS, EFLAGS_RESET);
    processor_set(processor, UC_X86_REG_CR0, (uint32_t)(CR0_ET | CR0_PE));
    uc_reg_write(processor->uc, UC_X86_REG_GDTR, &gdtr);
    uc_reg_write(processor->uc, UC_X86_REG_IDTR, &idtr);
    uc_reg_write(processor->uc, UC_X86_REG_CS, &code);
    for (unsigned i = 0; i < sizeof DATA / sizeof DATA[0]; i++)
        uc_reg_write(processor->uc, DATA[i], &data);
    processor_flush_translations(processor);
}

/* ---- Start ---- */

static bool map_memory(struct processor *processor)
{
    processor->boot_rom = aligned_alloc(BOOT_ROM_SIZE, BOOT_ROM_SIZE);
    if (!processor->boot_rom)
        return false;
    boot_rom_fill(processor->boot_rom);
    return ram_stores_map(processor) &&
           uc_mem_map_ptr(processor->uc, BOOT_ROM_BASE, BOOT_ROM_SIZE, UC_PROT_READ | UC_PROT_EXEC,
                          processor->boot_rom) == UC_ERR_OK &&
           apic_bus_map(processor);
}

bool processor_init(struct processor *processor, struct machine *machine, struct core *core, unsigned index,
                    unsigned thread, char *error, size_t size)
{
    memset(processor, 0, sizeof *processor);
    processor->machine = machine;
    processor->core = core;
    processor->index = index;
    processor->thread = thread;
    processor->state = PROCESSOR_WAIT_FOR_SIPI;
    processor->mode_tag = INSN_TAG_VALID;
    processor->pmi_arrives = LAPIC_NEVER;
    processor->lapic.fault = machine->config.pmu.fault.kind;
    lapic_reset(&processor->lapic, (uint8_t)(hostile_first_apic_id(&machine->config.hostile) + index),
                machine->config.model->multiplier);
    msrs_reset(processor);

    uc_err opened = uc_open(UC_ARCH_X86, UC_MODE_32, &processor->uc);
    if (opened == UC_ERR_OK && map_memory(processor) && processor_install_hooks(processor))
        return true;
    snprintf(error, size, "libunicorn cannot set up logical processor %u: %s", index,
             uc_strerror(opened != UC_ERR_OK ? opened : uc_errno(processor->uc)));
    return false;
}

void processor_free(struct processor *processor)
{
    if (processor->uc)
        uc_close(processor->uc);
    free(processor->boot_rom);
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
    lapic_reset(&processor->lapic, processor->lapic.id, processor->machine->config.model->multiplier);
    core_receive_init(processor->core);
    processor->state = PROCESSOR_WAIT_FOR_SIPI;
    processor->pmi_arrives = LAPIC_NEVER;
    processor->pending = NULL;
    processor->extra = 0;
    processor->shadow = false;
    processor->nmi_blocked = false;
    processor->cpl = 0;
    core_update_thread(processor);
}

void processor_receive_sipi(struct processor *processor, uint8_t page)
{
    if (processor->state != PROCESSOR_WAIT_FOR_SIPI ||
        (processor->index != processor->machine->boot &&
         hostile_is(&processor->machine->config.hostile, HOSTILE_LP1_SILENT)))
        return;
    if (processor->machine->running)
        core_catch_up(processor->core, processor->machine->running->core->clock);
    enter_flat_mode(processor);
    boot_rom_set_segment(processor->boot_rom, (uint16_t)(page << 8));
    processor->in_boot_rom = true;
    processor->eip = BOOT_ROM_TO_REAL;
    processor->cs_base = 0;
    processor->state = PROCESSOR_ACTIVE;
    core_update_thread(processor);
}
