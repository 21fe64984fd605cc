/*
 * Finding runs of x87 register instructions and setting libunicorn's exit addresses.
 */
#include "block_cuts.h"

#define RUN_MAX         128u  /* x87 register instructions in one block */
#define X87_FIRST       0xD8u /* opcodes D8H..DFH */
#define X87_LAST        0xDFu
#define MODRM_REGISTER  0xC0u /* from here on register operands: an instruction of two bytes */
#define X87_INSN_LENGTH 2u

void block_cuts_find(struct block_cuts *cuts, const uint8_t *ram, uint32_t start, uint32_t end)
{
    uint32_t run = 0;
    cuts->count = 0;
    for (uint32_t at = start; at + 1 < end && cuts->count < BLOCK_CUTS_MAX;) {
        if (ram[at] < X87_FIRST || ram[at] > X87_LAST || ram[at + 1] < MODRM_REGISTER) {
            run = 0;
            at++;
            continue;
        }
        if (run == RUN_MAX) {
            cuts->address[cuts->count++] = at;
            run = 0;
        }
        run++;
        at += X87_INSN_LENGTH;
    }
}

bool block_cuts_has(const struct block_cuts *cuts, uint32_t address)
{
    for (size_t i = 0; i < cuts->count; i++)
        if (cuts->address[i] == address)
            return true;
    return false;
}

void block_cuts_apply(const struct block_cuts *cuts, uc_engine *uc, uint32_t resume_at)
{
    uint64_t exits[BLOCK_CUTS_MAX];
    size_t count = 0;
    if (cuts->count == 0)
        return;
    for (size_t i = 0; i < cuts->count; i++)
        if (cuts->address[i] != resume_at)
            exits[count++] = cuts->address[i];
    uc_ctl_exits_enable(uc);
    uc_ctl_set_exits(uc, exits, count);
}
