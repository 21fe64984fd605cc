#include "complete.h"

#include "debug.h"
#include "power.h"
#include "sim/cpu/registers.h"
#include "sim/events/retire.h"

void complete(struct processor *processor, uint32_t next)
{
    const struct insn *insn = processor->pending;
    retire(processor, next);
    if (insn->intercept == INSN_FLUSH)
        processor_flush_translations(processor);
    if (insn->intercept == INSN_FAR || insn->intercept == INSN_IRET)
        processor_refresh_segments(processor);
    if (insn->intercept == INSN_IRET) {
        debug_returned(processor);
        processor->nmi_blocked = false;
    }
}
