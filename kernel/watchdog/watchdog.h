/*
 * The watchdog in Intel's I/O controller hubs (ICH to ICH9 and 6300ESB): the TCO timer, whose second expiry
 * in a row resets the board. On any other board the functions do nothing.
 */
#ifndef KERNEL_WATCHDOG_WATCHDOG_H
#define KERNEL_WATCHDOG_WATCHDOG_H

#include <stdint.h>

/*
 * Look for the watchdog and start it. It resets a machine that makes no progress() (kernel/board/board.h)
 * for this many seconds (5 to 60), at the earliest after half of them. The timer of an old hub allows at most
 * 75 s. A watchdog whose registers do not read back as they were written is not used.
 *
 * Returns what was found, in words for the log's "# watchdog:": "ICH5, resets after 30 s", "ICH5, not used:
 * NO_REBOOT does not clear", "none: no Intel ICH at PCI 00:1f.0". The text stays valid.
 */
const char *watchdog_start(uint32_t seconds);

/* Halt the timer and set NO_REBOOT, as before the start. Does nothing when no watchdog was started. */
void watchdog_stop(void);

#endif
