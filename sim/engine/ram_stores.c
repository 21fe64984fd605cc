/*
 * The store itself, and what a store to code needs.
 *
 * libunicorn continues with the old translation of the code that it executes. So after a store that changed
 * code the engine is left before the next instruction and entered again (processor->code_changed).
 */
#include "ram_stores.h"
#include "engine.h"

#include <string.h>
#include "sim/cpu/registers.h"

/* Stores are compared with the code that runs in subpages of this size (F18). */
#define EXECUTED_SUBPAGE 1024u

/* A store next to the instruction that makes it counts as self-modifying (F18). */
static void check_subpage(struct processor *processor, uint32_t address)
{
    processor->ram_store = address;
    const struct insn *insn = processor->pending;
    if (!insn || (uint32_t)insn->tag / EXECUTED_SUBPAGE != address / EXECUTED_SUBPAGE)
        return;
    processor->ram_store = NO_RAM_STORE;
    processor->modified = true;
    processor->stop_clock = 0; /* the fast path does not let it clear */
    engine_empty_trace_caches(processor->engine);
}

/* Drop what any engine has translated of these bytes. */
static void change_code(struct engine *engine, uint32_t address, size_t bytes)
{
    engine->code_changed[address / CODE_PAGE / 8] |= (uint8_t)(1u << address / CODE_PAGE % 8);
    for (unsigned i = 0; i < engine->processor_count; i++)
        uc_ctl_remove_cache(engine->processors[i].uc, address, address + bytes);
}

/* Does the store. The result, true, makes libunicorn drop its own store to the read-only memory. */
static bool hook_store(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                       void *context)
{
    struct processor *processor = context;
    struct engine *engine = processor->engine;
    uint8_t *to = engine->ram + address;
    size_t room = RAM_SIZE - address; /* a store beyond RAM is repeated by libunicorn byte by byte */
    size_t bytes = (size_t)size < room ? (size_t)size : room;
    (void)uc;
    (void)type;

    if (!processor->variants->smc_by_change)
        check_subpage(processor, (uint32_t)address);
    if (code_map_has(engine, (uint32_t)address, bytes)) {
        if (memcmp(to, &value, bytes) == 0)
            return true;
        memcpy(to, &value, bytes);
        change_code(engine, (uint32_t)address, bytes);
        processor->code_changed = true;
        processor_kick(processor);
        return true;
    }
    memcpy(to, &value, bytes); /* both are little-endian */
    return true;
}

void ram_stores_fill(struct engine *engine, uint32_t begin, uint32_t end, uint8_t value)
{
    memset(engine->ram + begin, value, end - begin);
    for (uint32_t page = begin; page < end; page += CODE_PAGE)
        change_code(engine, page, end - page < CODE_PAGE ? end - page : CODE_PAGE);
}

/* libunicorn takes every kind of callback as a void pointer, which ISO C does not convert to. */
union hook {
    bool (*store)(uc_engine *, uc_mem_type, uint64_t, int, int64_t, void *);
    void *address;
};

bool ram_stores_map(struct processor *processor)
{
    const union hook store = {.store = hook_store};
    uc_hook handle;
    processor->ram_writable = false;
    /* Only a later change of protection makes the memory itself read-only, so that libunicorn drops its own
     * store. */
    return uc_mem_map_ptr(processor->uc, 0, RAM_SIZE, UC_PROT_ALL, processor->ram) == UC_ERR_OK &&
           uc_mem_protect(processor->uc, 0, RAM_SIZE, UC_PROT_READ) == UC_ERR_OK &&
           uc_hook_add(processor->uc, &handle, UC_HOOK_MEM_WRITE_PROT, store.address, processor, 0,
                       RAM_SIZE - 1) == UC_ERR_OK;
}

void ram_stores_refresh(struct processor *processor)
{
    bool paged = processor_paged(processor);
    if (paged == processor->ram_writable)
        return;
    processor->ram_writable = paged;
    uc_mem_protect(processor->uc, 0, RAM_SIZE, paged ? UC_PROT_READ | UC_PROT_WRITE : UC_PROT_READ);
}
