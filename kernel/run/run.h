/*
 * One run, from the boot loader to the verdict. The boot line is in options.h, guarded work in guard.h, the
 * PMI handler in pmi.h.
 */
#ifndef KERNEL_RUN_RUN_H
#define KERNEL_RUN_RUN_H

#include <stdint.h>
#include "kernel/log/log.h"
#include "options.h"
#include "kernel/x86/trap.h"
#include "pmc/netburst/cpu.h"

/* ---- build_id.c: the identity of this build ---- */

/* The commit's name in version control, which the Makefile passes in BUILD_ID_TEXT. */
extern const char BUILD_ID[];

/* The version as tools/identity prints it, which the Makefile passes in VERSION_TEXT: "1.0", "1.0+7.3f2a91c".
 */
extern const char VERSION[];

/* Both, for people: "pmuproof 1.0, build 3f2a91c0b7de". iso/menu finds it in the image. */
extern const char NAME[];

/* ---- image.c: checksum and size of the running image ---- */

struct image {
    uint32_t crc32; /* zlib's CRC-32 of the bytes */
    uint32_t bytes; /* code, constants and initial data; neither .bss nor the CRC itself is part of them */
};

/*
 * The CRC was stored when the image was built. boot/check.asm has verified it at this start: it does not
 * enter the kernel of a damaged image, but ends with `not ok 1 - boot.image`.
 */
struct image image_loaded(void);

/* ---- interrupts.c: which handler each interrupt vector has ---- */

/* Set the handlers of exceptions, NMI, PMI, deadline timer, wake-up IPI and the software interrupt that
 * aborts guarded work, and no other; end a trap_catch_next(). stop: stops what may raise a storm of PMIs;
 * null: nothing does. After traps_init(), on the boot processor; they serve both logical processors. Call it
 * again after work that has set handlers. */
void interrupts_init(void (*stop)(void));

/* ---- inventory.c: the head of the log ---- */

/*
 * It consists of lines "# key: value" about the build, the processor and the board (docs/log.md). A value
 * that cannot be determined is printed as "unknown", with the reason.
 */

/* Set the text of the line "# watchdog:" (watchdog_start() returns it). Without this call the log has
 * no such line. */
void inventory_set_watchdog(const char *description);

/* Print build, boot line and loader. */
void inventory_image(const char *boot_line);

/*
 * Print processor, clocks and board. core is the part's name ("Northwood D1", "not NetBurst"). For a
 * processor that is not Intel's only the values of CPUID are printed.
 */
void inventory_machine(const struct pmc_cpuid *id, const char *core);

/* Print CPUID leaf by leaf, and the APICs as the firmware left them. */
void inventory_raw(void);

/* ---- The suite: tests/suite/suite.c, of which the kernel calls nothing else ---- */

/* Decide whether this machine has the PMU, remember what its registers hold, and print the plan; without a
 * PMU it has the points of the harness alone. Strict readers of TAP accept nothing between the version line
 * and the plan. So this is called directly after the version line, as soon as faults are caught, and nothing
 * else there can hang a machine. Ends the run if the boot line selects nothing. Both arguments are kept by
 * address. */
void suite_plan(const struct options *options, const char *boot_line);

/* Clear the registers of the PMU. Call it as soon as LVTPC is masked, because counters that a BIOS left
 * running overflow and interrupt until then. */
void suite_prepare(void);

/* Print the inventory, run the vectors, print the END line. */
enum verdict suite_run(void);

/* ---- trap_report.c: a trap in the log ---- */

/* Write exception, error code, logical processor, registers and CR2 as values of the open diagnosis.
 * Writes nothing when the frame is all zero. */
void trap_report_values(const struct trap_report *report);

/* ---- panic.c: an exception outside guarded work ---- */

/* Report the exception in the log and end the run. */
_Noreturn void panic(const struct trap_frame *frame, uint32_t cr2);

/* ---- finish.c: the end of the run ---- */

/* What to do after a run that ends early (bail-out, panic): the boot line's exit=. Halt until this is called.
 */
void finish_set_action(enum exit_action action);

/* The harness itself failed: print "Bail out!" with this text and end the run with VERDICT_BROKEN. A `not ok`
 * must precede it. */
_Noreturn void bail_out(const char *fmt, ...);
/* Fail the point id, then bail_out(). The point is the only one of the plan if none is out yet. */
_Noreturn void bail_out_as(const char *id, const char *fmt, ...);

/*
 * Show the banner, drain the consoles, write the verdict to the debug-exit port when one answers (a read of
 * F4H is 0; an absent port reads FFH), then halt, reset or switch off as asked. Both logical processors
 * stop, and the watchdog too.
 */
_Noreturn void finish(enum verdict verdict, enum exit_action action);

/* End the run when finish() itself takes an exception: a last line, the verdict, halt. If the last line
 * takes an exception too, only the verdict is written. */
_Noreturn void finish_by_trap(void);

#endif
