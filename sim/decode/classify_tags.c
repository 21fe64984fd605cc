/*
 * How many uops front_end_event finds for an instruction whose loads or stores are tagged, as measured on
 * 0F64H (F13). A plain move is one of either kind.
 */
#include "classify.h"

#include "pmc/count_of.h"

#define ANY_SIZE 0

static const struct row {
    unsigned id;
    uint8_t size; /* of the operand */
    uint8_t loads, stores;
} TABLE[] = {
    {X86_INS_MOVDQU, ANY_SIZE, 2, 2},   {X86_INS_LDDQU, ANY_SIZE, 2, 0},   {X86_INS_MOVUPD, ANY_SIZE, 2, 2},
    {X86_INS_MOVUPS, ANY_SIZE, 1, 2},   {X86_INS_FLD, 10, 2, 0},           {X86_INS_FSTP, 4, 2, 2},
    {X86_INS_FSTP, 10, 0, 2},           {X86_INS_FBSTP, ANY_SIZE, 0, 2},   {X86_INS_FLDENV, ANY_SIZE, 7, 0},
    {X86_INS_FNSTENV, ANY_SIZE, 0, 7},  {X86_INS_FRSTOR, ANY_SIZE, 23, 0}, {X86_INS_FNSAVE, ANY_SIZE, 0, 23},
    {X86_INS_FXRSTOR, ANY_SIZE, 26, 0}, {X86_INS_FXSAVE, ANY_SIZE, 0, 25}, {X86_INS_CPUID, ANY_SIZE, 0, 1},
    {X86_INS_SFENCE, ANY_SIZE, 0, 1},   {X86_INS_MFENCE, ANY_SIZE, 0, 1},  {X86_INS_CLFLUSH, ANY_SIZE, 0, 1},
};

void classify_tagged(const cs_insn *insn, struct insn *out)
{
    bool loads = out->flags & INSN_LOADS, stores = out->flags & INSN_STORES;
    out->tagged_loads = loads;
    out->tagged_stores = stores;
    for (unsigned i = 0; i < COUNT_OF(TABLE); i++) {
        const struct row *row = &TABLE[i];
        if (row->id != insn->id || (row->size != ANY_SIZE && row->size != out->size))
            continue;
        bool two_ways = row->id != X86_INS_FSTP && row->loads && row->stores;
        out->tagged_loads = two_ways && !loads ? 0 : row->loads;
        out->tagged_stores = two_ways && !stores ? 0 : row->stores;
    }
}
