#include "logfile.h"
#include <stddef.h>
#include "kernel/firmware/bios_call.h"
#include "kernel/x86/cpu.h"
#include "disk.h"
#include "kernel/lib/format.h"
#include "kernel/firmware/multiboot.h"
#include "kernel/log/log.h"
#include "file.h"
#include "kernel/log/tap.h"

static enum {
    OFF,     /* by the boot line */
    UNKNOWN, /* nobody has looked yet */
    NONE,    /* nothing to write to, or it has failed */
    OPEN,
} state;

/* Why a drive that could be written does not hold the log, or not all of it: told once more at the end, for
 * its PMULOG.TXT may hold the log of another run. Null as long as nothing went wrong. */
static const char *failure;

static const char *const BROKEN_OFF = "work with PMULOG.TXT was broken off";

static uint8_t drive;
static struct logfile file;

void disklog_allow(bool allowed)
{
    state = allowed ? UNKNOWN : OFF;
    failure = NULL;
}

/* Null, or this reason with the drive's number. */
static const char *of_drive(const char *why)
{
    static char text[100];

    if (why == NULL)
        return NULL;
    format(text, sizeof(text), "drive %2XH: %s", drive, why);
    return text;
}

/* Null, or why there is no drive to write to. */
static const char *look_for_drive(void)
{
    const char *why;

    if (loader_under_uefi())
        return "UEFI leaves no BIOS to write it with";
    if (!loader_boot_drive(&drive))
        return "the loader does not tell the drive it came from";
    why = bios_missing();
    return why != NULL ? why : of_drive(disk_open(drive));
}

/* With interrupts off. While the drive is at work the state is NONE: a trap in that, whose report ends in
 * disklog_end(), does not come back here. */
static const char *open(void)
{
    const char *why;

    state = NONE;
    why = look_for_drive();
    if (why == NULL) {
        failure = BROKEN_OFF;
        failure = why = of_drive(logfile_find(&file));
    }
    if (why == NULL)
        state = OPEN;
    return why;
}

/* The same. */
static const char *save(bool ended)
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

void disklog_begin(void)
{
    bool interrupts = irq_off();
    const char *why;

    if (state == OFF)
        tap_note("log file: none: logfile=off");
    else if ((why = open()) != NULL)
        tap_note("log file: none: %s", why);
    else
        tap_note("log file: PMULOG.TXT on drive %2XH, partition %u, %u bytes", drive, file.partition,
                 file.bytes);
    irq_restore(interrupts);
    disklog_save();
}

void disklog_save(void)
{
    bool interrupts = irq_off();
    const char *why = state == OPEN ? save(false) : NULL;

    irq_restore(interrupts);
    if (why != NULL)
        tap_remark("log file: %s", why);
}

const char *disklog_find(void)
{
    bool interrupts = irq_off();
    const char *why = state == UNKNOWN ? open() : failure;

    irq_restore(interrupts);
    return why;
}

bool disklog_pending(void)
{
    return state == OPEN;
}

const char *disklog_end(void)
{
    bool interrupts = irq_off();
    const char *why = state == OPEN ? save(true) : NULL;

    irq_restore(interrupts);
    return why;
}
