#include "engine.h"

#include "sim/events/events.h"

#define EFLAGS_VM (1u << 17)

void complete(struct processor *processor, uint32_t next)
{
    const struct insn *insn = processor->pending;
    retire(processor, next);
    if (insn->intercept == INSN_FLUSH)
        processor_flush_translations(processor);
    if (insn->intercept == INSN_FAR || insn->intercept == INSN_SEGMENT || insn->intercept == INSN_IRET ||
        insn->intercept == INSN_FLUSH) /* which may change CR0.PE */
        processor_refresh_segments(processor);
    if (insn->intercept == INSN_IRET) {
        if (processor_get(processor, UC_X86_REG_EFLAGS) & EFLAGS_VM) {
            processor->eip = next - processor->cs_base;
            unsupported_end(processor, UNSUPPORTED_VIRTUAL_8086);
        }
        processor->nmi_blocked = false;
    }
}
