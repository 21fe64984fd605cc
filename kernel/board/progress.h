/* Signs of life: who writes to a console or reads a drive is not hanging, however slow the device is. */
#ifndef KERNEL_BOARD_PROGRESS_H
#define KERNEL_BOARD_PROGRESS_H

/* Something got done. Calls the hook when there is one. */
void progress(void);

/* What a watchdog wants to have called at every progress(); null: nothing. */
void progress_set_hook(void (*hook)(void));

#endif
