#include "block.h"

#include "engine.h"
#include "sim/cpu/injector.h"
#include "sim/events/fp_uop.h"
#include "sim/events/retire.h"

#define FNV_OFFSET 0xCBF29CE484222325u
#define FNV_PRIME  0x100000001B3u

/* Such an instruction ends a block of libunicorn's, or executes more than once in it. */
#define SINGLE_FLAGS (INSN_REP | INSN_SHADOW | INSN_TRAP | INSN_SERIALISES)

uint64_t block_hash(const uint8_t *code, uint32_t bytes)
{
    uint64_t hash = FNV_OFFSET;
    for (uint32_t i = 0; i < bytes; i++)
        hash = (hash ^ code[i]) * FNV_PRIME;
    return hash;
}

/* Ports and CPUID are left to libunicorn, which calls p4sim in the middle of the instruction. Rows behind
 * POPA are of instructions that no loop needs fast. */
static bool is_simple(const struct insn *insn, uint32_t address)
{
    /* Whether such a branch was taken cannot be seen from where it goes. */
    bool blind = insn->branch == BRANCH_CONDITIONAL && insn->target == address + insn->length;
    return insn->intercept == INSN_PLAIN && !(insn->flags & SINGLE_FLAGS) && insn->cost <= COST_POPA &&
           insn->branch != BRANCH_FAR && !blind;
}

/* Only noise makes a branch cause uops, on the wrong path. */
static uint64_t events_of(const struct processor *processor, const struct insn *insn)
{
    bool none = insn->fp == FP_NONE && processor->core->injectors->count == 0;
    return insn->events & ~(none ? UOP_EVENTS_FLAME : 0);
}

bool block_measure(struct block *block, const struct processor *processor, uint32_t most)
{
    uint32_t address = block->address, end = address + most;
    block->events = 0;
    block->twelfths = 0;
    block->work = (struct block_work){0};
    block->branch = NULL;
    block->microcoded = block->fp = false;
    bool built = true;
    while (address < end && !block->branch && block->work.instructions < BLOCK_INSTRUCTIONS) {
        struct insn *insn = insn_slot(processor->engine->cache, address);
        built = insn_is_current(insn, address | processor->mode_tag, processor->ram + address);
        if (!built || !is_simple(insn, address) || address + insn->length > end)
            break;
        if (insn->branch != BRANCH_NONE)
            block->branch = insn;
        block->events |= events_of(processor, insn);
        block->twelfths += insn->clocks * TWELFTHS + insn->twelfths;
        block_work_add(&block->work, processor, insn);
        block->microcoded = block->microcoded || insn->flags & INSN_MICROCODED;
        block->fp = block->fp || insn->fp != FP_NONE;
        block->tc_mode = retire_tc_mode(insn);
        address += insn->length;
    }
    if (!block->branch && processor->timing->fp_window) /* uops behind it may execute in it (fp_uop_near()) */
        block->events |= UOP_EVENTS_FLAME;
    block->bytes = address - block->address;
    return built;
}
