/*
 * Which bytes of RAM an engine may have translated.
 */
#ifndef SIM_ENGINE_CODE_MAP_H
#define SIM_ENGINE_CODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;

/* libunicorn translates these bytes: mark them in engine->code_map. */
void code_map_note(struct engine *engine, uint32_t address, unsigned bytes);

/* Has libunicorn translated one of these bytes, of which there are up to eight? */
bool code_map_has(const struct engine *engine, uint32_t address, size_t bytes);

#endif
