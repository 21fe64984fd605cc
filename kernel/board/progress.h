/* Signs of life for a watchdog, so that a slow console or drive is not taken for a machine that hangs. */
#ifndef KERNEL_BOARD_PROGRESS_H
#define KERNEL_BOARD_PROGRESS_H

/* Report that the run makes progress: calls the hook, if one is set. */
void progress(void);

/* Set the function that every progress() calls, such as a watchdog's reload; null: none. */
void progress_set_hook(void (*hook)(void));

#endif
