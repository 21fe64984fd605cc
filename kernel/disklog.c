#include "disklog.h"
#include <stddef.h>
#include "bios.h"
#include "cpu.h"
#include "disk.h"
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

static uint8_t drive;
static struct logfile file;

void disklog_allow(bool allowed)
{
    state = allowed ? UNKNOWN : OFF;
}

/* Null, or why there is nothing to write to; *of_drive says whether that is the drive's fault. */
static const char *look(bool *of_drive)
{
    const char *why;

    *of_drive = false;
    if (loader_under_uefi())
        return "UEFI leaves no BIOS to write it with";
    if (!loader_boot_drive(&drive))
        return "the loader does not tell the drive it came from";
    why = bios_missing();
    if (why != NULL)
        return why;
    *of_drive = true;
    why = disk_open(drive);
    return why != NULL ? why : logfile_find(&file);
}

/* With interrupts off, and on the boot processor alone. While this runs the state is NONE: a trap in it,
 * whose report ends in disklog_end(), does not come back here. */
static const char *save(bool ended)
{
    size_t length;
    const char *text = log_text(&length), *why;

    state = NONE;
    why = logfile_write(&file, text, length, ended);
    if (why == NULL)
        state = OPEN;
    return why;
}

static const char *open(bool *of_drive)
{
    const char *why;

    state = NONE;
    why = look(of_drive);
    if (why == NULL)
        state = OPEN;
    return why;
}

void disklog_begin(void)
{
    bool of_drive, interrupts = irq_off();
    const char *why;

    if (state == OFF) {
        tap_note("log file: none: logfile=off");
    } else if ((why = open(&of_drive)) == NULL) {
        tap_note("log file: PMULOG.TXT on drive %2XH, partition %u, %u bytes", drive, file.partition,
                 file.bytes);
    } else if (of_drive) {
        tap_note("log file: none: drive %2XH: %s", drive, why);
    } else {
        tap_note("log file: none: %s", why);
    }
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

bool disklog_pending(void)
{
    return state == OPEN || state == UNKNOWN;
}

const char *disklog_end(void)
{
    bool of_drive, interrupts = irq_off();
    const char *why = NULL;

    if (processor_slot() != SLOT_BOOT)
        state = NONE;
    if (state == UNKNOWN)
        open(&of_drive);
    if (state == OPEN)
        why = save(true);
    irq_restore(interrupts);
    return why;
}
