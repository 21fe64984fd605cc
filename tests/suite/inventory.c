/* The inventory: the image and the machine (kernel/run), and what it says of the PMU. */
#include "inventory.h"

#include "at_boot.h"
#include "machine.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "kernel/run/run.h"

#define LEFT_OUT_NAMED 8

static void report_left_out(void)
{
    const struct pmc_absent *absent = &machine_cpu.absent;
    char text[LEFT_OUT_NAMED * sizeof " MSR_PEBS_MATRIX_VERT" + sizeof " and 80 more"] = "";
    size_t length = 0;
    unsigned named = 0;

    for (; named < absent->count && named < LEFT_OUT_NAMED; named++)
        length +=
            format(text + length, sizeof text - length, " %s", machine_register_name(absent->msr[named]));
    if (named < absent->count)
        format(text + length, sizeof text - length, " and %u more", absent->count - named);
    if (named > 0)
        tap_comment(COMMENT_INFO, "left out:%s: access faults", text);
}

/* The names of the errata; what each does is said by the vector that sees it. */
static void report_errata(void)
{
    char text[80] = "";
    size_t length = 0;

    for (uint32_t e = 1; e != 0 && e <= machine_cpu.errata; e <<= 1)
        if (machine_cpu.errata & e && length < sizeof text)
            length += format(text + length, sizeof text - length, " %s", pmc_erratum_name(e));
    tap_comment(COMMENT_INFO, "errata:%s", length > 0 ? text : " none known");
}

void machine_inventory(const char *boot_line)
{
    inventory_image(boot_line);
    inventory_machine(machine_id(), machine_cpu.core);
    if (!machine_has_pmu)
        return;
    at_boot_report();
    report_errata();
    report_left_out();
}
