/*
 * What the engines of all logical processors of a machine share. This room is the one around libunicorn: it
 * lets the processors of a machine run, sees each instruction before libunicorn executes it, and does what
 * libunicorn cannot do itself.
 */
#ifndef SIM_ENGINE_ENGINE_H
#define SIM_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/board/ram.h"
#include "sim/cpu/processor.h"
#include "sim/decode/insn.h"

/* Code is said to have changed by pages of this size. */
#define CODE_PAGE 4096u

struct engine {
    uint8_t *ram;
    struct board *board;
    struct processor *processors; /* all logical processors, by index */
    unsigned processor_count;
    unsigned threads;      /* logical processors in each core */
    unsigned ids_apart;    /* the APIC IDs of logical processors that follow each other */
    uint64_t instructions; /* started by all logical processors */
    uint64_t limit;        /* the run ends after so many */
    struct decoder *decoder;
    struct insn_cache *cache;
    struct insn_cache *decoded; /* what the other one held earlier, too (step.c) */
    unsigned reported; /* kinds of what is not simulated that were reported, as bits (unsupported.c) */
    uint8_t code_map[RAM_SIZE / 8 +
                     1]; /* a bit for each byte that libunicorn may have translated (code_map_note()) */
    uint8_t code_changed[RAM_SIZE / CODE_PAGE / 8]; /* a bit for each page in which a store changed code */
};

/* Create decoder and instruction caches, in an engine whose memory is otherwise zero. False when out of
 * memory. */
bool engine_init(struct engine *engine);
/* A store hit code: the trace caches of all processors are emptied, and every instruction is built anew
 * (F18). */
void engine_empty_trace_caches(struct engine *engine);
void engine_free(struct engine *engine);

/* libunicorn translates these bytes: mark them in engine->code_map. */
void code_map_note(struct engine *engine, uint32_t address, unsigned bytes);

/* Has libunicorn translated one of these bytes? There are at most eight. */
bool code_map_has(const struct engine *engine, uint32_t address, size_t bytes);

#endif
