/* The log file as the store of the log (kernel/log/log.h): when it is opened and saved, and what is said of
 * failures. */
#include "logfile.h"
#include <stddef.h>
#include "kernel/console/console.h"
#include "kernel/firmware/firmware.h"
#include "kernel/lib/lib.h"
#include "kernel/log/log.h"
#include "kernel/x86/cpu.h"

static enum {
    OFF,     /* by the boot line */
    UNKNOWN, /* the drive was not searched yet */
    NONE,    /* there is no file to write to, or writing it failed */
    OPEN,
} state;

/* Why a drive that can be written does not hold the log, or not all of it. It is reported again at the end,
 * because PMULOG.TXT may then hold the log of another run. Null as long as nothing failed. */
static const char *failure;

static const char *const BROKEN_OFF = "work with PMULOG.TXT was broken off";

static uint8_t drive;
static struct logfile file;

/* Returns the reason with the drive's number; null stays null. */
static const char *of_drive(const char *why)
{
    static char text[100];

    if (why == NULL)
        return NULL;
    format(text, sizeof text, "drive %2XH: %s", drive, why);
    return text;
}

/* Null, or why there is no drive to write to. The kernel cannot limit the time of a BIOS call: announce the
 * first one in the log, if that is open; begin() announces the first that writes. */
static const char *find_drive(bool announce)
{
    const char *why;

    if (multiboot_under_uefi())
        return "UEFI leaves no BIOS to write it with";
    if (!multiboot_boot_drive(&drive))
        return "the loader does not tell the drive it came from";
    why = bios_missing();
    if (why != NULL)
        return why;
    if (announce)
        log_attempt(ABOUT_TO "look for PMULOG.TXT on drive %2XH, through the BIOS", drive);
    return of_drive(disk_open(drive));
}

/* Call with interrupts off. The state is NONE during BIOS calls, so that a trap in one, whose report ends in
 * end(), does not call the BIOS again. */
static const char *open(bool announce)
{
    const char *why;

    state = NONE;
    why = find_drive(announce);
    if (why == NULL) {
        failure = BROKEN_OFF;
        failure = why = of_drive(logfile_find(&file));
    }
    if (why == NULL)
        state = OPEN;
    return why;
}

/* Call with interrupts off; open() says why the state is NONE meanwhile. */
static const char *write_log(bool ended)
{
    size_t length;
    const char *text = log_text(&length);

    state = NONE;
    failure = BROKEN_OFF;
    failure = logfile_write(&file, text, length, ended);
    if (failure == NULL)
        state = OPEN;
    return failure;
}

/* A failure to save is reported in the log, and ends the saving. */
static void save(void)
{
    bool interrupts = irq_off();
    const char *why = state == OPEN ? write_log(false) : NULL;

    irq_restore(interrupts);
    if (why != NULL)
        tap_comment(COMMENT_ALWAYS, "log file: %s", why);
}

static void begin(void)
{
    bool interrupts = irq_off();
    const char *why;

    if (state == OFF)
        tap_comment(COMMENT_INFO, "log file: none: logfile=off");
    else if ((why = open(true)) != NULL)
        tap_comment(COMMENT_INFO, "log file: none: %s", why);
    else
        tap_comment(COMMENT_INFO, "log file: PMULOG.TXT on drive %2XH, partition %u, %u bytes", drive,
                    file.partition, file.bytes);
    irq_restore(interrupts);
    if (state == OPEN) /* a BIOS that reads may still hang when it writes */
        log_attempt(ABOUT_TO "write PMULOG.TXT on drive %2XH, through the BIOS", drive);
    save();
}

/* Write a line on the consoles after the end of the log. */
static void report(const char *fmt, const char *why)
{
    char text[160];
    size_t length = format(text, sizeof text, fmt, why);

    console_write(text, length < sizeof text ? length : sizeof text - 1);
    uart_drain();
}

/* If the run broke off before begin(), search for the file now. If begin() has reported that the medium
 * cannot be written (UEFI, a CD), do not report it again. */
static void end(void)
{
    bool interrupts = irq_off();
    const char *why;

    if (state == UNKNOWN || state == OPEN)
        screen_bottom("Writing the log to the boot medium: do not switch off yet", SCREEN_YELLOW);
    why = state == UNKNOWN ? open(false) : failure;
    if (why != NULL)
        report("# The log is not on the boot medium: %s.\n", why);
    if (state == OPEN) {
        why = write_log(true);
        if (why != NULL)
            report("# The end of the log is not on the boot medium: %s.\n", why);
    }
    irq_restore(interrupts);
}

/* The state stays open: the end of the log is written in any case. */
static const char *try(void)
{
    bool interrupts = irq_off();
    const char *why;

    state = NONE;
    failure = BROKEN_OFF;
    why = logfile_try(&file);
    failure = NULL;
    state = OPEN;
    irq_restore(interrupts);
    return why;
}

static bool is_open(void)
{
    return state == OPEN;
}

void logfile_attach(bool allowed)
{
    static const struct log_store store = {
        .begin = begin, .save = save, .end = end, .is_open = is_open, .try = try};

    state = allowed ? UNKNOWN : OFF;
    failure = NULL;
    log_set_store(&store);
}
