#include "registers.h"

#include "processor.h"
#include "pmc/netburst/regs.h"

#define CR0_PE           FIELD_MASK(0, 0)
#define CR0_PG           FIELD_MASK(31, 31)
#define EFLAGS_IF        (1u << 9)
#define DESCRIPTOR_32BIT 0x40u /* D bit, in byte 6 */

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

uint16_t processor_get_selector(const struct processor *processor, int reg)
{
    uint16_t selector = 0;
    uc_reg_read(processor->uc, reg, &selector);
    return selector;
}

void processor_set_selector(struct processor *processor, int reg, uint16_t selector)
{
    uc_reg_write(processor->uc, reg, &selector);
}

uc_x86_mmr processor_get_table(const struct processor *processor, int reg)
{
    uc_x86_mmr table = {0, 0, 0, 0};
    uc_reg_read(processor->uc, reg, &table);
    return table;
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

bool interrupt_table_loaded(const struct processor *processor)
{
    return processor_protected(processor) && processor_get_table(processor, UC_X86_REG_IDTR).base != 0;
}

/* ---- Code segment ---- */

static void set_mode_tag(struct processor *processor, bool code16)
{
    uint64_t traces = processor->mode_tag & ~INSN_TAG_PLACE;
    processor->mode_tag = traces | INSN_TAG_VALID | (code16 ? INSN_TAG_16BIT : 0);
}

static void real_mode_segments(struct processor *processor, uint16_t cs)
{
    processor->cpl = 0;
    processor->cs_base = (uint32_t)cs << 4;
    set_mode_tag(processor, true);
}

static void protected_mode_segments(struct processor *processor, uint16_t cs)
{
    uint8_t descriptor[8] = {0};
    uc_x86_mmr gdtr = processor_get_table(processor, UC_X86_REG_GDTR);
    uc_mem_read(processor->uc, gdtr.base + (cs & ~7u), descriptor, sizeof descriptor);
    processor->cpl = cs & 3;
    processor->cs_base = (uint32_t)descriptor[2] | (uint32_t)descriptor[3] << 8 |
                         (uint32_t)descriptor[4] << 16 | (uint32_t)descriptor[7] << 24;
    set_mode_tag(processor, !(descriptor[6] & DESCRIPTOR_32BIT));
}

void processor_refresh_segments(struct processor *processor)
{
    uint16_t cs = processor_get_selector(processor, UC_X86_REG_CS);
    if (processor_protected(processor))
        protected_mode_segments(processor, cs);
    else
        real_mode_segments(processor, cs);
    core_update_thread(processor);
}
