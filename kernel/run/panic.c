/* Writes `not ok` with the registers, then bails out. */
#include "panic.h"
#include <stdbool.h>
#include <stddef.h>
#include "finish.h"
#include "kernel/smp/smp.h"
#include "kernel/log/tap.h"
#include "trap_report.h"

void panic(const struct trap_frame *frame, uint32_t cr2)
{
    static struct trap_report report;
    static bool panicking;

    if (panicking) /* this report itself took an exception */
        finish(VERDICT_BROKEN, EXIT_HALT);
    panicking = true;
    report = (struct trap_report){*frame, cr2, smp_self()};
    if (!tap_planned())
        tap_plan(1, NULL);
    tap_not_ok("kernel.trap");
    tap_block_begin();
    trap_report_pairs(&report);
    tap_block_end();
    bail_out("%s at %08XH outside any vector", trap_name(frame->vector), frame->eip);
}
