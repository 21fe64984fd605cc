/*
 * Stores of the logical processors to RAM, which p4sim does instead of libunicorn.
 *
 * A store to writable RAM is slow in libunicorn 2.0.1: it never learns that a page holds no translated code,
 * so every store locks the page and looks for translations to drop, which takes about 1,300 host
 * instructions. A store that a hook for write-protected memory handles takes about 150. So RAM is mapped
 * read-only, the hook does the stores, and it drops translations only where code was executed. While paging
 * is on, RAM is mapped writable and libunicorn does the stores, because the hook would run before page
 * faults, and accessed and dirty bits need libunicorn's stores.
 */
#ifndef SIM_ENGINE_RAM_STORES_H
#define SIM_ENGINE_RAM_STORES_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/cpu/processor.h"
#include "engine.h"

/* Map RAM in a new engine, without the rights to write and to execute (translation.c), and install the hook.
 * False when libunicorn refuses. */
bool ram_stores_map(struct processor *processor);

/* CR0 may have changed: map RAM writable if paging is on, else read-only. */
void ram_stores_refresh(struct processor *processor);

/* Fill a stretch of RAM while no processor is inside of libunicorn: no instruction makes these stores. */
void ram_stores_fill(struct engine *engine, uint32_t begin, uint32_t end, uint8_t value);

#endif
