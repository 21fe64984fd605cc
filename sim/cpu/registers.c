/* Reads and writes the registers that libunicorn holds, and says which interrupts wait for a processor. */
#include "registers.h"

#define CR0_PE    FIELD_MASK(0, 0)
#define CR0_AM    FIELD_MASK(18, 18)
#define CR0_PG    FIELD_MASK(31, 31)
#define CR4_MCE   FIELD_MASK(6, 6)
#define EFLAGS_IF (1u << 9)

#define SEGMENT_KIND      0x9E00u /* of a descriptor: P, S and the type without A */
#define SEGMENT_FLAT_DATA 0x9200u

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

bool processor_takes_machine_checks(const struct processor *processor)
{
    return processor_get(processor, UC_X86_REG_CR4) & CR4_MCE;
}

bool processor_may_check_alignment(const struct processor *processor)
{
    return processor->cpl == 3 && processor_get(processor, UC_X86_REG_CR0) & CR0_AM;
}

bool processor_interruptible(const struct processor *processor)
{
    return processor_get(processor, UC_X86_REG_EFLAGS) & EFLAGS_IF;
}

bool interrupt_table_loaded(const struct processor *processor)
{
    return processor_protected(processor) && processor_get_table(processor, UC_X86_REG_IDTR).base != 0;
}

bool segment_is_writable(const struct segment *segment)
{
    return (segment->flags & SEGMENT_KIND) == SEGMENT_FLAT_DATA;
}

bool segment_is_flat(const struct segment *segment)
{
    return segment->limit == UINT32_MAX && segment_is_writable(segment);
}

void processor_refresh_segments(struct processor *processor)
{
    struct segment segments[SEGMENTS];
    processor->cpl = context_segments(processor, segments);
    const struct segment cs = segments[SEGMENT_CS];
    processor->cs_base = cs.base;
    processor->guarded =
        processor_protected(processor) &&
        (processor_may_check_alignment(processor) ||
         !(cs.limit == UINT32_MAX && segment_is_flat(&segments[SEGMENT_DS]) &&
           segment_is_flat(&segments[SEGMENT_ES]) && segment_is_flat(&segments[SEGMENT_SS])));
    uint64_t traces = processor->mode_tag & ~INSN_TAG_PLACE;
    processor->mode_tag = traces | INSN_TAG_VALID | (cs.flags & SEGMENT_BIG ? 0 : INSN_TAG_16BIT);
    core_update_thread(processor);
}

/* ---- Interrupts that wait, and making a processor notice a change ---- */

bool nmi_wanted(const struct processor *processor)
{
    return processor->lapic.nmi_pending && !processor->nmi_blocked;
}

bool interrupt_near(const struct processor *processor)
{
    return nmi_wanted(processor) || processor->machine_check ||
           (lapic_deliverable(&processor->lapic) >= 0 && processor_interruptible(processor));
}

bool interrupt_wanted(const struct processor *processor)
{
    return !processor->shadow && interrupt_near(processor) && processor_protected(processor);
}

void processor_kick(struct processor *processor)
{
    struct run_control *control = processor->control;
    if (processor == control->running) {
        processor->stop_clock = 0;
        return;
    }
    if (processor->state != PROCESSOR_HALTED || !interrupt_wanted(processor) ||
        !processor->lapic.stages->wakes(&processor->lapic))
        return;
    run_control_catch_up(control, processor->core);
    processor->state = PROCESSOR_ACTIVE;
    core_update_thread(processor);
    run_control_reschedule(control);
}

void processor_stall(struct processor *processor, uint32_t clocks)
{
    processor->stall_clocks += clocks;
}
