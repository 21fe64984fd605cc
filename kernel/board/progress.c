/* Signs of life for a watchdog: slow work, such as output on a console, calls progress() now and then. */
#include "board.h"
#include <stddef.h>

static void (*hook)(void);

void progress(void)
{
    if (hook != NULL)
        hook();
}

void progress_set_hook(void (*new_hook)(void))
{
    hook = new_hook;
}
