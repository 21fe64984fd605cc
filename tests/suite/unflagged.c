/* How often a counter has overflowed without OVF (E9), over the whole run. */
#include "unflagged.h"

#include "machine.h"
#include "pmc/netburst/regs.h"

#define OF_FEW 2u

static struct {
    unsigned overflows, excused;
} of[PMC_COUNTERS];

bool unflagged_accepts(unsigned counter, bool ovf, bool came)
{
    of[counter].overflows++;
    if (ovf || !machine_has_erratum(PMC_E9))
        return ovf;
    of[counter].excused++;
    return came && of[counter].excused <= OF_FEW + of[counter].overflows / UNFLAGGED_SELDOM;
}
