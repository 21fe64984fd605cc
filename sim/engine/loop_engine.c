#include "loop_engine.h"

#include <string.h>
#include <unicorn/x86.h>
#include "blocks.h"
#include "engine.h"
#include "fetches.h"
#include "ram_stores.h"
#include "sim/events/branch.h"
#include "sim/events/fp_uop.h"

#define LAST_ADDRESS 0xFFFFFFFFu

/* ---- The engine ---- */

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
        (checks && block_is_near(loops->current, at)) || ram_stores_hit_code(processor->engine, at, bytes)) {
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

/* ---- Blocks ---- */

void loop_engine_drop(struct loops *loops, uint32_t address, size_t bytes)
{
    if (loops->uc)
        uc_ctl_remove_cache(loops->uc, address, address + bytes);
}

static void forget(struct loops *loops, struct block *block)
{
    loop_engine_drop(loops, block->address, block->bytes);
    block->bytes = 0;
}

/* Can its events be added up? */
static bool countable(const struct loops *loops, const struct block *block)
{
    const struct processor *processor = loops->processor;
    bool tags = block->events & UOP_EVENTS_FLAME && is_counted(processor, EVENT_BIT(NBPMU_INSTR_RETIRED));
    bool modes = block->microcoded && is_counted(processor, EVENT_BIT(NBPMU_TC_DELIVER_MODE));
    return !tags && !modes;
}

static struct block *slot(struct loops *loops, uint32_t address)
{
    return &loops->block[(address ^ address >> 12) % LOOP_BLOCKS];
}

/* Can this block be accounted as a whole? Its entry in the table, null if not. */
static struct block *look_up(struct loops *loops, uint32_t address, uint32_t bytes)
{
    const struct processor *processor = loops->processor;
    struct block *block = slot(loops, address);
    uint64_t code;

    if (block->address == address && block->bytes == bytes &&
        block->generation == blocks_generation(processor->engine->blocks, block) &&
        block->mode_tag == processor->mode_tag)
        return block->barred ? NULL : block;
    if (address > RAM_SIZE - bytes - FETCHES_INSN)
        return NULL;
    if (loops->counts && block->bytes && block->address != address)
        return NULL; /* the other one is still to be added up */
    code = block_hash(processor->ram + address, bytes);
    if (block->address != address || block->bytes != bytes) {
        if (block->bytes)
            forget(loops, block); /* the table is what knows which bytes were translated */
        *block = (struct block){.address = address, .bytes = bytes, .code = code};
    } else if (block->code != code) {
        forget(loops, block);
        return NULL;
    }
    block->mode_tag = processor->mode_tag;
    block_measure(block, processor, bytes);
    bool whole = block->bytes == bytes;
    block->bytes = bytes;
    block->generation = whole ? blocks_generation(processor->engine->blocks, block) : 0;
    return block->generation && !block->barred ? block : NULL;
}

void loop_engine_add(struct loops *loops, const struct loop_visit *visit)
{
    block_events_add(&loops->events, &visit->block->work);
    if (visit->block->branch)
        block_events_add_branch(&loops->events, visit->block->branch, visit->outcome);
}

/* May this block be executed in this run? As look_up(), and nothing is doubted before the run is over. */
static struct block *admit(struct loops *loops, uint32_t address, uint32_t bytes)
{
    struct block *block = look_up(loops, address, bytes);
    if (!block || block->events & loops->counted || (loops->counts && !countable(loops, block)) ||
        loops->translation.total >= LOOP_CODE)
        return NULL;
    block->run = loops->run;
    return block;
}

/* The events of the block go into the total when no more than LOOP_LAST blocks follow it. */
static void note_visit(struct loops *loops, const struct block *block, unsigned earlier, uint64_t penalty,
                       struct branch_outcome outcome)
{
    struct loop_visit *visit = &loops->last[loops->visits++ % LOOP_LAST];
    if (loops->visits > LOOP_LAST)
        loop_engine_add(loops, visit);
    *visit = (struct loop_visit){block, earlier, penalty, outcome};
}

void loop_engine_account(struct loops *loops, uint32_t next)
{
    struct processor *processor = loops->processor;
    const struct block *block = loops->current;
    struct branch_outcome outcome = {.predicted = true};
    uint64_t penalty = 0;
    if (block->branch) {
        outcome = branch_resolve(processor, block->branch, (uint32_t)block->branch->tag, next);
        if (!outcome.predicted)
            penalty = branch_penalty(processor, block->branch, outcome);
    }
    if (loops->counts)
        note_visit(loops, block, loops->spent % TWELFTHS, penalty, outcome);
    loops->current = NULL;
    loops->spent += block->twelfths + penalty * TWELFTHS;
    loops->instructions += block->work.instructions;
    loops->tc_mode = block->tc_mode;
}

/* The short cut of a loop: a block whose branch is predicted to go where it went before has executed, and the
 * block there is known, too. */
static bool pass_known(struct loops *loops, uint32_t address, uint32_t bytes)
{
    const struct block *block = loops->current;
    struct block *next = block ? block->successor : NULL;
    if (!next || next->run != loops->run || next->address != address || next->bytes != bytes ||
        loops->counts || loops->failed || loops->translation.cuts || loops->stores > LOOP_STORES / 2)
        return false;
    uint64_t spent = loops->spent + block->twelfths;
    if (spent + next->twelfths >= loops->budget)
        return false;
    const struct insn *branch = block->branch;
    if (branch && branch->branch != BRANCH_JUMP &&
        (branch->branch != BRANCH_CONDITIONAL ||
         !predictor_is_sure(&loops->processor->predictor, (uint32_t)branch->tag,
                            address != block->address + block->bytes)))
        return false;
    loops->spent = spent;
    loops->instructions += block->work.instructions;
    loops->tc_mode = block->tc_mode;
    loops->current = next;
    return true;
}

static __attribute__((noinline)) void next_block(struct loops *loops, uint32_t address, uint32_t bytes)
{
    struct block *before = loops->current;
    fetches_end_cut(&loops->translation, loops->uc);
    if (loops->leaving || loops->failed)
        return;
    if (before)
        loop_engine_account(loops, address);
    struct block *block = slot(loops, address);
    if (block->run != loops->run || block->address != address || block->bytes != bytes)
        block = admit(loops, address, bytes);
    if (!block || loops->spent + block->twelfths >= loops->budget || loops->stores > LOOP_STORES / 2) {
        loops->leaving = true;
        loops->left_at = address;
        uc_emu_stop(loops->uc);
        return;
    }
    if (before)
        before->successor = block;
    loops->current = block;
}

static void hook_block(uc_engine *uc, uint64_t address, uint32_t bytes, void *context)
{
    (void)uc;
    if (!pass_known(context, (uint32_t)address, bytes))
        next_block(context, (uint32_t)address, bytes);
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
