/*
 * A place where the log is kept besides the consoles: a file, for example. There is at most one. Without one
 * the functions below do nothing.
 */
#ifndef KERNEL_LOG_STORE_H
#define KERNEL_LOG_STORE_H

#include <stdbool.h>

/*
 * What a store does for the functions below. Each call may take seconds, and no interrupt of ours may come
 * meanwhile: so they are made only between vectors, with the PMU at rest, the sibling parked and no deadline
 * running.
 */
struct log_store {
    void (*begin)(void);
    void (*save)(void);
    void (*end)(void);
    bool (*is_open)(void);
};

/* Use this store from now on; the structure is kept by its address. */
void log_set_store(const struct log_store *store);

/* Call after the inventory: open the store, print in the log which it is or why there is none, and save the
 * log so far. */
void log_store_begin(void);

/* Save what was added to the log since the last call. */
void log_store_save(void);

/* Call when the log is complete: save its end. The store reports a failure on the consoles, since the log is
 * closed. */
void log_store_end(void);

/* True while the log is being saved: the store is open, and nothing has failed. */
bool log_store_is_open(void);

#endif
