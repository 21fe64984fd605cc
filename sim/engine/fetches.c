#include "fetches.h"

#include "code_map.h"
#include "engine.h"
#include "pmc/count_of.h"

#define REWRITTEN_BYTES 32u   /* as FETCHES_BLOCK, of a block that is translated after a store to code */
#define FAR_OPCODE      0xFFu /* with one of these operations in ModRM */
#define FAR_CALL        3u
#define FAR_JUMP        5u
#define MODRM_REGISTER  0xC0u /* from here on ModRM names a register */

/* Is this byte, behind a byte FFH, the second of CALL FAR or JMP FAR with a register? */
static bool is_far_register(uint8_t modrm)
{
    unsigned operation = modrm >> 3 & 7;
    return modrm >= MODRM_REGISTER && (operation == FAR_CALL || operation == FAR_JUMP);
}

bool fetches_note(struct translation *translation, struct engine *engine, uint32_t address, unsigned size)
{
    code_map_note(engine, address, size);
    bool behind_byte = address == translation->next && translation->single;
    translation->single = size == 1;
    if (address != translation->next) {
        translation->block = 0;
        translation->least = translation->rewritten ? REWRITTEN_BYTES : FETCHES_BLOCK;
        translation->rewritten = false;
    }
    translation->next = address + size;
    translation->block += size;
    translation->total += size;
    const uint8_t *byte = engine->ram + address;
    if (size != 1 || !behind_byte || byte[-1] != FAR_OPCODE || !is_far_register(*byte) ||
        translation->allowed == address)
        return true;
    translation->refused = address;
    return false;
}

bool fetches_too_long(const struct translation *translation)
{
    return translation->block >= translation->least && !translation->cuts;
}

void fetches_cut(struct translation *translation, uc_engine *uc, uint32_t first, uint32_t last)
{
    uint64_t exits[FETCHES_INSN];
    unsigned count = 0;
    for (uint32_t at = first; at <= last && count < COUNT_OF(exits); at++)
        exits[count++] = at;
    uc_ctl_set_exits(uc, exits, count);
    translation->cuts = true;
}

void fetches_cut_here(struct translation *translation, uc_engine *uc)
{
    fetches_cut(translation, uc, translation->next, translation->next + FETCHES_INSN - 1);
}

/* A block may lie at address 0, so `single` has to go as well. */
void fetches_end_block(struct translation *translation)
{
    translation->next = 0;
    translation->single = false;
}

void fetches_end_cut(struct translation *translation, uc_engine *uc)
{
    if (!translation->cuts)
        return;
    uc_ctl_set_exits(uc, NULL, 0);
    translation->cuts = false;
    translation->block = 0;
    fetches_end_block(translation);
}

/* libunicorn takes every kind of callback as a void pointer, which ISO C does not convert to. */
union hook {
    fetches_hook_fn *fetch;
    void *address;
};

bool fetches_install(uc_engine *uc, fetches_hook_fn *hook, void *context)
{
    const union hook fetch = {.fetch = hook};
    uc_hook handle;
    /* Without a set of exit addresses, libunicorn has one that must be given and can be reached. */
    return uc_ctl_exits_enable(uc) == UC_ERR_OK &&
           uc_hook_add(uc, &handle, UC_HOOK_MEM_FETCH_PROT, fetch.address, context, 0, RAM_SIZE - 1) ==
               UC_ERR_OK;
}
