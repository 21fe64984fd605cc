/* What firmware and boot loader left in the PMU, for the inventory. */
#ifndef TESTS_SUITE_AT_BOOT_H
#define TESTS_SUITE_AT_BOOT_H

/* Remember what the PMU's registers hold, and switch a branch trace store off. To be called before the image
 * writes any of them. */
void at_boot_note(void);

/* Two lines of the inventory (docs/log.md): "pmu at boot", and "debug store at boot" where one was on. */
void at_boot_report(void);

#endif
