#include "pending.h"

#include "processor.h"
#include "registers.h"

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
