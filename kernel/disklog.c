#include "disklog.h"
#include <stddef.h>
#include "bios.h"
#include "cpu.h"
#include "disk.h"
#include "format.h"
#include "loader.h"
#include "log.h"
#include "logfile.h"
#include "segments.h"
#include "tap.h"

static enum {
    OFF,     /* by the boot line */
    UNKNOWN, /* nobody has looked yet */
    NONE,    /* nothing to write to, or it has failed */
    OPEN,
} state;

static const char *const NOT_HERE = "the second logical processor, which ended the run, cannot call the BIOS";

static uint8_t drive;
static struct logfile file;

void disklog_allow(bool allowed)
{
    state = allowed ? UNKNOWN : OFF;
}

/* Null, or why there is nothing to write to. */
static const char *look(void)
{
    static char of_drive[100];
    const char *why;

    if (processor_slot() != SLOT_BOOT)
        return NOT_HERE;
    if (loader_under_uefi())
        return "UEFI leaves no BIOS to write it with";
    if (!loader_boot_drive(&drive))
        return "the loader does not tell the drive it came from";
    why = bios_missing();
    if (why != NULL)
        return why;
    why = disk_open(drive);
    if (why == NULL)
        why = logfile_find(&file);
    if (why == NULL)
        return NULL;
    format(of_drive, sizeof(of_drive), "drive %2XH: %s", drive, why);
    return of_drive;
}

/* With interrupts off. While this runs the state is NONE: a trap in it,
 * whose report ends in disklog_end(), does not come back here. */
static const char *save(bool ended)
{
    size_t length;
    const char *text = log_text(&length), *why;

    state = NONE;
    if (processor_slot() != SLOT_BOOT)
        return NOT_HERE;
    why = logfile_write(&file, text, length, ended);
    if (why == NULL)
        state = OPEN;
    return why;
}

static const char *open(void)
{
    const char *why;

    state = NONE;
    why = look();
    if (why == NULL)
        state = OPEN;
    return why;
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
        tap_note("log file: %s", why);
}

const char *disklog_find(void)
{
    bool interrupts = irq_off();
    const char *why = state == UNKNOWN ? open() : NULL;

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
