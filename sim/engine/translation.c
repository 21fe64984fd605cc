/*
 * Follows what libunicorn fetches for its translator, cuts translations that become too long, and refuses
 * the fetches that would crash it.
 */
#include "translation.h"
#include "engine.h"

#include <string.h>
#include "sim/cpu/registers.h"
#include "pmc/count_of.h"

#define TOTAL_BYTES     (1u << 18) /* of code, each of which becomes up to 1,000 bytes */
#define LONGEST_BYTES   384u       /* a translation is cut after so many bytes, */
#define REWRITTEN_BYTES 32u        /* or after so many when it is translated after a store to code */
#define INSN_BYTES      16u        /* the next instruction starts within so many bytes */
#define FAR_OPCODE      0xFFu      /* with one of these operations in ModRM */
#define FAR_CALL        3u
#define FAR_JUMP        5u
#define MODRM_REGISTER  0xC0u /* from here on ModRM names a register */

/* Is this byte, after a byte FFH, the second of CALL FAR or JMP FAR with a register? */
static bool is_far_register(uint8_t modrm)
{
    unsigned operation = modrm >> 3 & 7;
    return modrm >= MODRM_REGISTER && (operation == FAR_CALL || operation == FAR_JUMP);
}

/* The translator fetches size bytes. False: the fetch must be refused, because these bytes are the second of
 * CALL FAR or JMP FAR with a register; translation->refused is their address. */
static bool note_fetch(struct translation *translation, struct engine *engine, uint32_t address,
                       unsigned size)
{
    code_map_note(engine, address, size);
    bool after_byte = address == translation->next && translation->single;
    translation->single = size == 1;
    if (address != translation->next) {
        translation->bytes = 0;
        translation->least = translation->rewritten ? REWRITTEN_BYTES : LONGEST_BYTES;
        translation->rewritten = false;
    }
    translation->next = address + size;
    translation->bytes += size;
    translation->total += size;
    const uint8_t *byte = engine->ram + address;
    if (size != 1 || !after_byte || byte[-1] != FAR_OPCODE || !is_far_register(*byte) ||
        translation->allowed == address)
        return true;
    translation->refused = address;
    return false;
}

/* The translation ends before whichever of these addresses the next instruction starts at, up to INSN_BYTES
 * of them. Before the translation's first instruction, step() is to call translation_cut(). */
static void cut(struct processor *processor, uint32_t first, uint32_t last)
{
    uint64_t exits[INSN_BYTES];
    unsigned count = 0;
    for (uint32_t at = first; at <= last && count < COUNT_OF(exits); at++)
        exits[count++] = at;
    uc_ctl_set_exits(processor->uc, exits, count);
    processor->translation.cuts = true;
    processor->stop_clock = 0;
}

/* What is fetched next begins a translation. A translation may lie at address 0, so `single` has to go as
 * well. */
static void end_translation(struct translation *translation)
{
    translation->next = 0;
    translation->single = false;
}

static bool hook_fetch(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                       void *context)
{
    struct processor *processor = context;
    struct translation *translation = &processor->translation;
    (void)uc;
    (void)type;
    (void)value;

    bool allowed = note_fetch(translation, processor->engine, (uint32_t)address, (unsigned)size);
    if (translation_full(processor))
        processor_kick(processor);
    if (translation->bytes >= translation->least && !translation->cuts)
        cut(processor, translation->next, translation->next + INSN_BYTES - 1);
    return allowed;
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
    translation->bytes = 0;
    end_translation(translation);
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
    if (start == translation->retried || start >= refused || refused - start > LONGEST_BYTES + 2 * INSN_BYTES)
        return false;
    while (is_prefix(processor->ram[opcode]))
        opcode++;
    if (opcode == refused - 1)
        return false;
    decode_instruction(processor->engine->decoder, &insn, processor->ram + start, start,
                       !(cs.flags & SEGMENT_BIG));
    processor->eip = start - cs.base;
    if (start + insn.length >= refused) { /* both bytes are in the instruction, but not its opcode */
        translation->allowed = refused;
        return true;
    }
    translation->retried = start;
    cut(processor, refused - start > INSN_BYTES ? refused - INSN_BYTES : start + 1, refused - 1);
    return true;
}

void translation_rewritten(struct processor *processor)
{
    processor->translation.rewritten = true;
    end_translation(&processor->translation);
}

bool translation_full(const struct processor *processor)
{
    return processor->translation.total >= TOTAL_BYTES;
}
