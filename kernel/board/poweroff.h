/* Switching the machine off by ACPI's sleeping state S5. */
#ifndef KERNEL_BOARD_POWEROFF_H
#define KERNEL_BOARD_POWEROFF_H

/* Does not return when it works. Else, after at most three seconds, says why not, in words for a log. */
const char *poweroff(void);

#endif
