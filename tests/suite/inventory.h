/* The head of the log. */
#ifndef TESTS_SUITE_INVENTORY_H
#define TESTS_SUITE_INVENTORY_H

/* The inventory (docs/log.md), at the head of the log; the PMU's part of it only where machine_detect()
 * returned null. */
void machine_inventory(const char *boot_line);

#endif
