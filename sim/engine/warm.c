/*
 * Code that a store changed is dropped by pages. It was made at run time, so the next machine makes it anew.
 */
#include "warm.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "loops.h"
#include "sim/board/ram.h"
#include "sim/cpu/context.h"

#define LONGEST_INSN 16u

/* ---- What is kept of the code ---- */

static bool is_code(const struct engine *engine, uint32_t address)
{
    return engine->code_map[address / 8] >> address % 8 & 1;
}

/* Is all code in this page what it was at power-up, and was it so all the time? */
static bool page_is_constant(const struct engine *engine, uint32_t page, const uint8_t *image)
{
    if (engine->code_changed[page / CODE_PAGE / 8] >> page / CODE_PAGE % 8 & 1)
        return false;
    for (uint32_t at = page; at < page + CODE_PAGE; at++)
        if (is_code(engine, at) && engine->ram[at] != image[at])
            return false;
    return true;
}

static bool page_has_code(const struct engine *engine, uint32_t page)
{
    static const uint8_t NONE[CODE_PAGE / 8];
    return memcmp(&engine->code_map[page / 8], NONE, sizeof NONE) != 0;
}

static void forget_page(struct engine *engine, uint32_t page)
{
    for (unsigned i = 0; i < engine->processor_count; i++)
        uc_ctl_remove_cache(engine->processors[i].uc, page, page + CODE_PAGE);
    memset(&engine->code_map[page / 8], 0, CODE_PAGE / 8);
    for (uint32_t at = page < LONGEST_INSN ? 0 : page - LONGEST_INSN; at < page + CODE_PAGE; at++) {
        struct insn *insn = insn_slot(engine->cache, at);
        if ((uint32_t)insn->tag == at)
            insn->tag = 0;
    }
}

static bool keep_code(struct warm *warm, struct engine *engine, const uint8_t *image)
{
    for (uint32_t page = 0; page < RAM_SIZE; page += CODE_PAGE)
        if (page_has_code(engine, page) && !page_is_constant(engine, page, image))
            forget_page(engine, page);
    warm->code_pages = 0;
    for (uint32_t page = 0; page < RAM_SIZE; page += CODE_PAGE) {
        if (!page_has_code(engine, page))
            continue;
        if (warm->code_pages == WARM_PAGES)
            return false;
        struct warm_page *kept = &warm->code_page[warm->code_pages++];
        kept->page = page;
        memcpy(kept->map, &engine->code_map[page / 8], sizeof kept->map);
    }
    return true;
}

/* ---- Engines ---- */

/* Bring the engine to the state in which libunicorn opens one. */
static bool cool_state(struct processor *processor)
{
    uc_engine *model = NULL;
    uc_context *state = NULL;
    bool good = uc_open(UC_ARCH_X86, UC_MODE_32, &model) == UC_ERR_OK &&
                uc_context_alloc(model, &state) == UC_ERR_OK && uc_context_save(model, state) == UC_ERR_OK &&
                uc_context_restore(processor->uc, state) == UC_ERR_OK &&
                uc_ctl_set_exits(processor->uc, NULL, 0) == UC_ERR_OK;
    if (good && processor->ram_writable)
        good = uc_mem_protect(processor->uc, 0, RAM_SIZE, UC_PROT_READ) == UC_ERR_OK;
    if (state)
        uc_context_free(state);
    if (model)
        uc_close(model);
    return good;
}

bool warm_keep(struct warm *warm, struct engine *engine, const struct timing *timing, const uint8_t *image)
{
    warm->engines = 0;
    for (unsigned i = 0; i < engine->processor_count; i++)
        if (!cool_state(&engine->processors[i]))
            return false;
    if (!keep_code(warm, engine, image))
        return false;
    warm->traces = 0;
    for (unsigned i = 0; i < engine->processor_count; i++) {
        struct processor *processor = &engine->processors[i];
        uint64_t traces = (processor->mode_tag & ~INSN_TAG_PLACE) + INSN_TAG_TRACE;
        warm->traces = traces > warm->traces ? traces : warm->traces;
        warm->engine[i].uc = processor->uc;
        warm->engine[i].boot_rom = processor->boot_rom;
        warm->engine[i].translated = processor->translation.total;
        context_free(processor);
    }
    warm->ram = engine->ram;
    warm->decoder = engine->decoder;
    warm->cache = engine->cache;
    warm->decoded = engine->decoded;
    loops_free(engine);
    free(engine->blocks);
    warm->timing = *timing;
    warm->engines = engine->processor_count;
    return madvise(warm->ram, RAM_SIZE, MADV_DONTNEED) == 0;
}

void warm_give(struct warm *warm, struct engine *engine, const struct timing *timing)
{
    engine->decoder = warm->decoder;
    engine->cache = warm->cache;
    engine->decoded = warm->decoded;
    engine->warm = warm;
    if (memcmp(timing, &warm->timing, sizeof *timing) != 0) {
        memset(engine->cache, 0, sizeof *engine->cache);
        memset(engine->decoded, 0, sizeof *engine->decoded);
    }
    for (unsigned i = 0; i < warm->code_pages; i++)
        memcpy(&engine->code_map[warm->code_page[i].page / 8], warm->code_page[i].map,
               sizeof warm->code_page[i].map);
}

bool warm_give_engine(struct warm *warm, struct processor *processor)
{
    unsigned i = processor->index;
    if (i >= warm->engines || !warm->engine[i].uc)
        return false;
    processor->uc = warm->engine[i].uc;
    processor->boot_rom = warm->engine[i].boot_rom;
    processor->mode_tag |= warm->traces;
    processor->translation = (struct translation){.total = warm->engine[i].translated};
    warm->engine[i].uc = NULL;
    warm->engine[i].boot_rom = NULL;
    return context_init(processor);
}
