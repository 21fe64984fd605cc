/*
 * The watchdog in Intel's I/O controller hubs (ICH to ICH9 and 6300ESB): the TCO timer, whose second expiry
 * in a row resets the board. On any other board the functions do nothing.
 */
#ifndef KERNEL_BOARD_WATCHDOG_H
#define KERNEL_BOARD_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Look for it and start it: a machine that does not call watchdog_kick() for that many seconds (5 to 60) is
 * reset, at the earliest when half of them have passed. An old hub has at most 75. What its registers do not
 * read back as they were written is not used. The result is told by watchdog_description().
 */
void watchdog_start(uint32_t seconds);

/* True once watchdog_start() was called, whatever it found. */
bool watchdog_wanted(void);

/* Not yet. */
void watchdog_kick(void);

/* Off: the timer halted, and NO_REBOOT set. */
void watchdog_stop(void);

/*
 * What was found, in words for the log's "# watchdog:": "ICH5, resets after 30 s", "ICH5, not used: NO_REBOOT
 * does not clear", "none: no Intel ICH at PCI 00:1f.0"; "off" before watchdog_start().
 */
const char *watchdog_description(void);

#endif
