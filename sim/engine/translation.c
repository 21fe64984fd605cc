#include "translation.h"

#include <string.h>
#include "blocks.h"
#include "engine.h"
#include "fetches.h"
#include "sim/cpu/context.h"
#include "sim/cpu/processor.h"
#include "sim/cpu/registers.h"
#include "sim/cpu/wake.h"

#define TOTAL_BYTES (1u << 18) /* of code, each of which becomes up to 1,000 bytes */

/* A cut was set: before the block's first instruction, step() is to call translation_cut(). */
static void await_cut(struct processor *processor)
{
    blocks_settle(processor);
    processor->stop_clock = 0;
}

static bool hook_fetch(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                       void *context)
{
    struct processor *processor = context;
    struct translation *translation = &processor->translation;
    (void)type;
    (void)value;

    bool allowed = fetches_note(translation, processor->engine, (uint32_t)address, (unsigned)size);
    if (translation_full(processor))
        processor_kick(processor);
    if (fetches_too_long(translation)) {
        fetches_cut_here(translation, uc);
        await_cut(processor);
    }
    return allowed;
}

bool translation_init(struct processor *processor)
{
    return fetches_install(processor->uc, hook_fetch, processor);
}

void translation_cut(struct processor *processor)
{
    fetches_end_cut(&processor->translation, processor->uc);
}

bool translation_refused(const struct processor *processor)
{
    return processor->translation.refused != 0;
}

static bool is_prefix(uint8_t byte)
{
    static const uint8_t PREFIXES[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3};
    return memchr(PREFIXES, byte, sizeof PREFIXES) != NULL;
}

bool translation_retried(struct processor *processor)
{
    struct translation *translation = &processor->translation;
    struct segment cs;
    struct insn insn;
    uint32_t refused = translation->refused;
    context_code_segment(processor, &cs);
    uint32_t start = cs.base + processor_get(processor, UC_X86_REG_EIP), opcode = start;

    translation->refused = 0;
    if (start == translation->retried || start >= refused ||
        refused - start > FETCHES_BLOCK + 2 * FETCHES_INSN)
        return false;
    while (is_prefix(processor->ram[opcode]))
        opcode++;
    if (opcode == refused - 1)
        return false;
    decode(processor->engine->decoder, &insn, processor->ram + start, start, !(cs.flags & SEGMENT_BIG));
    processor->eip = start - cs.base;
    if (start + insn.length >= refused) { /* both bytes are in the instruction, but not its opcode */
        translation->allowed = refused;
        return true;
    }
    translation->retried = start;
    fetches_cut(translation, processor->uc,
                refused - start > FETCHES_INSN ? refused - FETCHES_INSN : start + 1, refused - 1);
    await_cut(processor);
    return true;
}

void translation_rewritten(struct processor *processor)
{
    processor->translation.rewritten = true;
    fetches_end_block(&processor->translation);
}

bool translation_full(const struct processor *processor)
{
    return processor->translation.total >= TOTAL_BYTES;
}
