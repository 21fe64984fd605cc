#include "complete.h"

#include "power.h"
#include "sim/cpu/registers.h"
#include "sim/events/retire.h"

void complete(struct processor *processor, uint32_t next)
{
    const struct insn *insn = processor->pending;
    retire(processor, next);
    if (insn->special == INSN_FLUSH)
        processor_flush_translations(processor);
    if (insn->special == INSN_FAR || insn->special == INSN_IRET)
        processor_refresh_segments(processor);
    if (insn->special == INSN_IRET)
        processor->nmi_blocked = false;
}
