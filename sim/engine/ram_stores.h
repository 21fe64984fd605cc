/*
 * Stores of the logical processors into RAM, done in libunicorn's place.
 *
 * libunicorn 2.0.1 has one path for a store into writable RAM, and it is slow: as it never learns that a page
 * holds no translated code, every store locks the page and looks for translations to drop, some 1,300 host
 * instructions. A store that a hook for write-protected memory handles takes about 150. So RAM is mapped
 * read-only and the hook does the stores, and only where code was executed it has translations dropped. With
 * paging on RAM is mapped writable and the stores are libunicorn's: the hook would come before page faults,
 * and accessed and dirty bits need real stores.
 */
#ifndef SIM_ENGINE_RAM_STORES_H
#define SIM_ENGINE_RAM_STORES_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct insn;
struct processor;

/* Map RAM and install the hook. False when libunicorn refuses. */
bool ram_stores_map(struct processor *processor);

/* CR0 may have changed: who does the stores now? */
void ram_stores_refresh(struct processor *processor);

/*
 * A new instruction is about to execute: libunicorn has translated it, and what follows it up to the next
 * branch. Marks these bytes in engine->code_map.
 */
void ram_stores_note_code(struct engine *engine, const struct insn *insn, bool code16);

#endif
