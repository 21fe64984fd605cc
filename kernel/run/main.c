/* Brings up the machine in the order in which its parts need each other, and runs the suite. */
#include "kernel/board/board.h"
#include "kernel/console/console.h"
#include "kernel/x86/cpu.h"
#include "kernel/logfile/logfile.h"
#include "run.h"
#include "kernel/x86/lapic.h"
#include "kernel/firmware/firmware.h"
#include "options.h"
#include "kernel/smp/smp.h"
#include "kernel/log/log.h"
#include "kernel/x86/trap.h"
#include "kernel/watchdog/watchdog.h"
#include "kernel/framebuffer/framebuffer.h"
#include "boot/boot.h"

/* Longer than any time between two calls of progress(), also by half: the timer expires twice, and from ICH6
 * on a BIOS may reset the board at the first time. A vector has at most 20 seconds, and the screen may be
 * slow. */
#define WATCHDOG_SECONDS 60u

/* After the first reset by the watchdog the next run ends here, so that a board on which nobody looks does
 * not run, hang and start again for ever. Before the log file is opened: it keeps the log of the run that
 * hung. */
static void stop_after_reset(void)
{
    if (watchdog_ended_last_run())
        bail_out_as("boot.watchdog", "the run before this one hung, and the watchdog reset the board; "
                                     "it does that once, and the next start runs again");
}

static const char *start_watchdog(enum watchdog_use use)
{
    if (use == WATCHDOG_ONCE && !uart_present())
        return "not used: without a serial line the screen alone says where a run hangs";
    log_attempt(ABOUT_TO "start the watchdog of the chip set");
    return watchdog_start(WATCHDOG_SECONDS, use == WATCHDOG_ONCE);
}

/* selftest=dead: halt in a way that only a watchdog can end. Needs no PMU, so it works on any machine. */
static _Noreturn void hang_until_watchdog(const char *watchdog)
{
    tap_comment(COMMENT_INFO, "watchdog: %s", watchdog);
    tap_start("selftest.dead", NULL, "the machine halts with interrupts off");
    uart_drain();
    for (;;)
        __asm__ volatile("cli\n\t"
                         "hlt");
}

/* A local APIC that the firmware left disabled stays so unless the boot line asks for it (lapic.h). */
static void start_local_apic(bool enable)
{
    if (!lapic_left_disabled())
        log_attempt(ABOUT_TO "set up the local APIC");
    else if (enable)
        log_attempt(ABOUT_TO "enable the local APIC, which the firmware left disabled");
    io_apics_mask();
    lapic_init(enable);
}

void kernel_main(uint32_t magic, uint32_t information)
{
    struct options options;
    char error[600];
    const char *watchdog = "off";
    bool by_multiboot, good;

    segments_load(CPU_BOOT);
    traps_init();
    interrupts_init(NULL);
    pic_remap();
    by_multiboot = multiboot_read(magic, information);
    good = options_parse(&options, multiboot_loader_name(), multiboot_boot_line(), error, sizeof error);
    /* A wrong word ends parsing: console= counts if it came first. */
    console_init(&options.console, framebuffer_open());
    tap_begin();
    if (!by_multiboot)
        bail_out_as("boot.loader", "not started by a multiboot loader: EAX = %8H is neither version's magic",
                    magic);
    if (good && options.watchdog == WATCHDOG_ONCE && uart_present())
        stop_after_reset();
    logfile_attach(options.log_file);
    if (multiboot_boot_line_cut()) /* its last word may be cut short, and mean something else */
        bail_out_as("boot.line", "boot line: longer than %u characters", BOOT_LINE_MAX);
    if (!good)
        bail_out_as("boot.line", "%s", error);
    finish_set_action(options.exit);
    machine_check_enable();
    suite_plan(&options, multiboot_boot_line());
    cpuid_lift_limit();
    start_local_apic(options.lapic);
    suite_prepare();
    irq_on();
    clock_init();
    smp_init();
    if (options.watchdog != WATCHDOG_OFF) {
        watchdog = start_watchdog(options.watchdog);
        inventory_set_watchdog(watchdog);
    }
    if (options.selftest == SELFTEST_DEAD)
        hang_until_watchdog(watchdog);
    finish(suite_run(), options.exit);
}
