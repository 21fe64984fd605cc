#include "translation.h"

#include "engine.h"
#include "ram_stores.h"
#include "sim/board/ram.h"
#include "sim/cpu/processor.h"
#include "sim/cpu/wake.h"
#include "pmc/count_of.h"

#define BLOCK_BYTES     384u       /* a block is cut after so many */
#define REWRITTEN_BYTES 32u        /* as BLOCK_BYTES, of a block that is translated after a store to code */
#define TOTAL_BYTES     (1u << 19) /* of code, each of which becomes up to 1,000 bytes */
#define INSN_BYTES      16u        /* the next instruction starts within so many bytes */

/* The translator fetches size bytes. The result, true, lets it go on. */
static bool hook_fetch(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                       void *context)
{
    struct processor *processor = context;
    struct translation *translation = &processor->translation;
    uint32_t next = (uint32_t)address + (uint32_t)size;
    (void)type;
    (void)value;

    ram_stores_note_code(processor->engine, (uint32_t)address, (unsigned)size);
    if (address != translation->next) {
        translation->block = 0;
        translation->least = translation->rewritten ? REWRITTEN_BYTES : BLOCK_BYTES;
        translation->rewritten = false;
    }
    translation->next = next;
    translation->block += (uint32_t)size;
    translation->total += (uint32_t)size;
    if (translation_full(processor))
        processor_kick(processor);
    if (translation->block >= translation->least && !translation->cuts) {
        uint64_t exits[INSN_BYTES];
        for (unsigned i = 0; i < COUNT_OF(exits); i++)
            exits[i] = next + i;
        uc_ctl_set_exits(uc, exits, COUNT_OF(exits));
        translation->cuts = true;
        processor->stop_clock =
            0; /* before the block's first instruction, step() is to call translation_cut() */
    }
    return true;
}

/* libunicorn takes every kind of callback as a void pointer, which ISO C does not convert to. */
union hook {
    bool (*fetch)(uc_engine *, uc_mem_type, uint64_t, int, int64_t, void *);
    void *address;
};

bool translation_init(struct processor *processor)
{
    const union hook fetch = {.fetch = hook_fetch};
    uc_hook handle;
    /* Without a set of exit addresses, libunicorn has one that must be given and can be reached. */
    return uc_ctl_exits_enable(processor->uc) == UC_ERR_OK &&
           uc_hook_add(processor->uc, &handle, UC_HOOK_MEM_FETCH_PROT, fetch.address, processor, 0,
                       RAM_SIZE - 1) == UC_ERR_OK;
}

void translation_cut(struct processor *processor)
{
    struct translation *translation = &processor->translation;
    if (!translation->cuts)
        return;
    uc_ctl_set_exits(processor->uc, NULL, 0);
    translation->cuts = false;
    translation->block = 0;
    translation->next = 0;
}

void translation_rewritten(struct processor *processor)
{
    processor->translation.rewritten = true;
    processor->translation.next = 0;
}

bool translation_full(const struct processor *processor)
{
    return processor->translation.total >= TOTAL_BYTES;
}
