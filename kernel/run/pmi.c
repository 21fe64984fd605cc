#include "pmi.h"
#include <stddef.h>
#include "kernel/smp/smp.h"

static pmi_handler *volatile handler;
static volatile uint32_t without_handler, other_nmis;

void pmi_set_handler(pmi_handler *new_handler)
{
    handler = new_handler;
}

bool pmi_deliver(struct trap_frame *frame, bool nmi)
{
    pmi_handler *const current = handler;

    if (current == NULL) {
        without_handler++;
        return false;
    }
    current(frame, smp_self(), nmi);
    return true;
}

void pmi_count_other_nmi(void)
{
    other_nmis++;
}

struct unexpected_interrupts unexpected_interrupts(void)
{
    return (struct unexpected_interrupts){without_handler, other_nmis, trap_spurious()};
}
