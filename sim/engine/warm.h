/*
 * Engines that have run before, with what they have translated. Translating and decoding take a quarter of
 * the time of a short run. A machine that is made with warm engines is at power-up like any other and runs in
 * the same way; only what libunicorn translated and libcapstone decoded of code that has not changed is there
 * already.
 */
#ifndef SIM_ENGINE_WARM_H
#define SIM_ENGINE_WARM_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/cpu/processor.h"
#include "sim/cpu/timing.h"
#include "engine.h"

#define WARM_ENGINES 2
#define WARM_PAGES   256 /* of code, that can be kept: 1 MB */

/* A page of RAM with translated code. */
struct warm_page {
    uint32_t page;
    uint8_t map[CODE_PAGE / 8]; /* its part of engine->code_map */
};

struct warm {
    unsigned engines; /* 0: none is kept, and a machine opens its own */
    struct {
        uc_engine *uc;
        uint8_t *boot_rom;
        uint32_t translated; /* bytes, as translation.total */
    } engine[WARM_ENGINES];
    uint8_t *ram; /* all 0 */
    struct decoder *decoder;
    struct insn_cache *cache, *decoded;
    struct timing timing; /* by which the decoded instructions were priced */
    uint64_t traces;      /* where INSN_TAG_TRACE begins, so that no instruction is built already */
    unsigned code_pages;
    struct warm_page code_page[WARM_PAGES];
};

/*
 * Keep the engines of a machine that has run, which is not freed, and whose memory is used for the next
 * machine: the hooks of the engines point to it. image is the memory of a machine at power-up with the same
 * kernel; what is not the same there, or was changed on the way, is not kept. False when libunicorn refuses
 * or memory is short.
 */
bool warm_keep(struct warm *warm, struct engine *engine, const struct timing *timing, const uint8_t *image);

/* Give what is kept to a new machine: RAM, decoder and decoded instructions to its engine ... */
void warm_give(struct warm *warm, struct engine *engine, const struct timing *timing);
/* ... and its engine to a processor. False when there is none for it, or libunicorn refuses. */
bool warm_give_engine(struct warm *warm, struct processor *processor);

#endif
