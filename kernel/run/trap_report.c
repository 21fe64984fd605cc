/* An exception as values of the open diagnosis: its name, error code, logical processor and registers. */
#include "run.h"
#include <stdbool.h>
#include "kernel/log/log.h"

#define FRAME_BEHIND_PUSHA 20u /* interrupt, error, EIP, CS, EFLAGS */
#define RPL_MASK           3u

void trap_report_values(const struct trap_report *report)
{
    const struct trap_frame *f = &report->frame;
    bool from_outer_ring = (f->cs & RPL_MASK) != 0;

    if (f->eip == 0)
        return;
    tap_value("trap", "%u (%s), error code %8H, on LP%u", f->interrupt, trap_name(f->interrupt), f->error,
              report->lp);
    tap_value("EIP", "%8H", f->eip);
    tap_value("CS", "%4H", f->cs & 0xFFFF);
    tap_value("EFLAGS", "%8H", f->eflags);
    tap_value("CR2", "%8H", report->cr2);
    tap_value("registers", "EAX %8H EBX %8H ECX %8H EDX %8H", f->eax, f->ebx, f->ecx, f->edx);
    tap_value("pointers", "ESI %8H EDI %8H EBP %8H ESP %8H", f->esi, f->edi, f->ebp,
              from_outer_ring ? f->user_esp : f->esp_at_pusha + FRAME_BEHIND_PUSHA);
}
