/*
 * The place where the log is kept besides the consoles, such as a file: one at most, set by the room that
 * has it.
 */
#include "log.h"
#include <stddef.h>

static const struct log_store *store;

void log_set_store(const struct log_store *used)
{
    store = used;
}

void log_store_begin(void)
{
    if (store != NULL)
        store->begin();
}

void log_store_save(void)
{
    if (store != NULL)
        store->save();
}

void log_store_end(void)
{
    if (store != NULL)
        store->end();
}

bool log_store_is_open(void)
{
    return store != NULL && store->is_open();
}

const char *log_store_try(void)
{
    return store->try();
}
