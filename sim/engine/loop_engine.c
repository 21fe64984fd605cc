#include "loop_engine.h"

#include <string.h>
#include <unicorn/x86.h>
#include "code_map.h"
#include "engine.h"
#include "fetches.h"
#include "loop_blocks.h"
#include "ram_stores.h"

#define LAST_ADDRESS 0xFFFFFFFFu

static void fail(struct loops *loops)
{
    loops->failed = true;
    uc_emu_stop(loops->uc);
}

static bool hook_fetch(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                       void *context)
{
    struct loops *loops = context;
    struct translation *translation = &loops->translation;
    (void)type;
    (void)value;
    bool allowed = fetches_note(translation, loops->processor->engine, (uint32_t)address, (unsigned)size);
    if (fetches_too_long(translation))
        fetches_cut_here(translation, uc);
    return allowed;
}

static bool hook_store(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                       void *context)
{
    struct loops *loops = context;
    struct processor *processor = loops->processor;
    uint8_t *to = processor->ram + address;
    uint32_t at = (uint32_t)address;
    size_t bytes = (size_t)size;
    (void)uc;
    (void)type;
    if (loops->failed)
        return true;
    bool checks = !processor->choices->smc_by_change;
    if (address + bytes > RAM_SIZE || loops->stores == LOOP_STORES || !loops->current ||
        (checks && block_is_near(loops->current, at)) || code_map_has(processor->engine, at, bytes)) {
        fail(loops);
        return true;
    }
    struct loop_store *undo = &loops->undo[loops->stores++];
    undo->address = at;
    undo->bytes = (uint8_t)bytes;
    memcpy(undo->old, to, bytes);
    memcpy(to, &value, bytes); /* both are little-endian */
    if (checks)
        processor->ram_store = at;
    return true;
}

static void hook_block(uc_engine *uc, uint64_t address, uint32_t bytes, void *context)
{
    (void)uc;
    loop_blocks_next(context, (uint32_t)address, bytes);
}

static void hook_vector(uc_engine *uc, uint32_t vector, void *context)
{
    (void)uc;
    (void)vector;
    fail(context);
}

static uint64_t hook_read(uc_engine *uc, uint64_t offset, unsigned size, void *context)
{
    (void)uc;
    (void)offset;
    (void)size;
    fail(context);
    return 0;
}

static void hook_write(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *context)
{
    (void)uc;
    (void)offset;
    (void)size;
    (void)value;
    fail(context);
}

static uint32_t hook_in(uc_engine *uc, uint32_t port, int size, void *context)
{
    (void)uc;
    (void)port;
    (void)size;
    fail(context);
    return 0;
}

static void hook_out(uc_engine *uc, uint32_t port, int size, uint32_t value, void *context)
{
    (void)uc;
    (void)port;
    (void)size;
    (void)value;
    fail(context);
}

/* libunicorn takes every kind of callback as a void pointer, which ISO C does not convert to. */
union hook {
    void (*block)(uc_engine *, uint64_t, uint32_t, void *);
    void (*vector)(uc_engine *, uint32_t, void *);
    bool (*memory)(uc_engine *, uc_mem_type, uint64_t, int, int64_t, void *);
    uint32_t (*in)(uc_engine *, uint32_t, int, void *);
    void (*out)(uc_engine *, uint32_t, int, uint32_t, void *);
    void *address;
};

static bool add_hook(struct loops *loops, int type, union hook hook, uint64_t last)
{
    uc_hook handle;
    return uc_hook_add(loops->uc, &handle, type, hook.address, loops, 0, last) == UC_ERR_OK;
}

static bool add_port_hook(struct loops *loops, union hook hook, int instruction)
{
    uc_hook handle;
    return uc_hook_add(loops->uc, &handle, UC_HOOK_INSN, hook.address, loops, 1, 0, instruction) == UC_ERR_OK;
}

void loop_engine_close(struct loops *loops)
{
    if (loops->from)
        uc_context_free(loops->from);
    if (loops->to)
        uc_context_free(loops->to);
    if (loops->uc)
        uc_close(loops->uc);
    loops->from = loops->to = NULL;
    loops->uc = NULL;
}

void loop_engine_drop(struct loops *loops, uint32_t address, size_t bytes)
{
    if (loops->uc)
        uc_ctl_remove_cache(loops->uc, address, address + bytes);
}

bool loop_engine_open(struct loops *loops, uint8_t *ram)
{
    memset(loops->block, 0, sizeof loops->block);
    loops->translation = (struct translation){0};
    /* Every access to anything but RAM fails. */
    return uc_open(UC_ARCH_X86, UC_MODE_32, &loops->uc) == UC_ERR_OK &&
           uc_context_alloc(loops->uc, &loops->from) == UC_ERR_OK &&
           uc_context_alloc(loops->uc, &loops->to) == UC_ERR_OK && ram_stores_protect(loops->uc, ram) &&
           uc_mmio_map(loops->uc, RAM_SIZE, (uint64_t)LAST_ADDRESS + 1 - RAM_SIZE, hook_read, loops,
                       hook_write, loops) == UC_ERR_OK &&
           fetches_install(loops->uc, hook_fetch, loops) &&
           add_hook(loops, UC_HOOK_MEM_WRITE_PROT, (union hook){.memory = hook_store}, RAM_SIZE - 1) &&
           add_hook(loops, UC_HOOK_BLOCK, (union hook){.block = hook_block}, LAST_ADDRESS) &&
           add_hook(loops, UC_HOOK_INTR, (union hook){.vector = hook_vector}, LAST_ADDRESS) &&
           add_port_hook(loops, (union hook){.in = hook_in}, UC_X86_INS_IN) &&
           add_port_hook(loops, (union hook){.out = hook_out}, UC_X86_INS_OUT);
}
