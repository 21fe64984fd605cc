/* Writes `not ok` with the registers, then bails out. */
#include "run.h"
#include <stdbool.h>
#include <stddef.h>
#include "kernel/lib/lib.h"
#include "kernel/smp/smp.h"
#include "kernel/x86/cpu.h"
#include "kernel/log/log.h"

static void bank_value(unsigned bank)
{
    char key[16];
    uint64_t status, address;

    if (!machine_check_read(bank, &status, &address))
        return;
    format(key, sizeof key, "bank_%u", bank);
    tap_value(key, "%16llH, address %8llH", status, address);
}

void panic(const struct trap_frame *frame, uint32_t cr2)
{
    static struct trap_report report;
    static unsigned panics;
    const bool machine_check = frame->interrupt == INTERRUPT_MC;

    panics++;
    if (panics > 2)
        finish_by_trap();
    if (panics == 2) /* this report itself took an exception, or the end of the run did */
        finish(VERDICT_BROKEN, EXIT_HALT);
    report = (struct trap_report){*frame, cr2, smp_self()};
    tap_not_ok(machine_check ? "kernel.machine-check" : "kernel.trap");
    diagnosis_begin();
    trap_report_values(&report);
    for (unsigned bank = 0; machine_check && bank < machine_check_banks(); bank++)
        bank_value(bank);
    diagnosis_end();
    if (machine_check)
        bail_out("machine check: the hardware failed, see its banks");
    bail_out("%s at %08XH outside any vector", trap_name(frame->interrupt), frame->eip);
}
