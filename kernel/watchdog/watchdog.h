/*
 * The watchdog in Intel's I/O controller hubs (ICH to ICH9 and 6300ESB): the TCO timer, whose second expiry
 * in a row resets the board. On any other board the functions do nothing.
 */
#ifndef KERNEL_WATCHDOG_WATCHDOG_H
#define KERNEL_WATCHDOG_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Look for the watchdog and start it. It resets a machine that makes no progress() (kernel/board/board.h)
 * for this many seconds (5 to 60), at the earliest after half of them. The timer of an old hub allows at most
 * 75 s. A watchdog whose registers do not read back as they were written is not used.
 *
 * once: it resets the board at most once. Two registers in the resume well of the hub, which a reset leaves
 * as they are, tell the next start: SECOND_TO_STS, which the hub sets and a BIOS may clear, and TCO_WDSTATUS,
 * in which the start leaves a mark and watchdog_stop() clears it. If either is found, the watchdog is not
 * used this time, and both are cleared.
 *
 * Returns what was found, in words for the log's "# watchdog:": "ICH5, resets after 60 s", "ICH5, not used:
 * NO_REBOOT does not clear", "none: no Intel ICH at PCI 00:1f.0". The text stays valid.
 */
const char *watchdog_start(uint32_t seconds, bool once);

/* True if a run that had started the watchdog with `once` hung, and the watchdog reset the board: both
 * registers say so. Clears both, and halts the timer. Call it before watchdog_start(). */
bool watchdog_ended_last_run(void);

/* Halt the timer, set NO_REBOOT as before the start, and clear the mark. Does nothing when no watchdog was
 * started. */
void watchdog_stop(void);

#endif
