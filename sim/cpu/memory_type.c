/*
 * MTRR look-up (SDM 11.11), and PCD and PWT of the page tables. Linear and physical addresses are taken to be
 * equal: p4sim executes no other mapping correctly.
 */
#include "registers.h"

#include "sim/board/board.h"
#include "pmc/netburst/regs.h"

#define TYPE_UC           0u
#define TYPE_WB           6u
#define MTRR_ENABLE       FIELD_MASK64(11, 11) /* IA32_MTRR_DEF_TYPE [11] */
#define MTRR_FIXED_ENABLE FIELD_MASK64(10, 10)
#define MTRR_VALID        FIELD_MASK64(11, 11) /* IA32_MTRR_PHYSMASKn [11] */
#define MTRR_TYPE(value)  ((unsigned)FIELD_GET(7, 0, value))
#define MTRR_BASE(value)  ((uint32_t)((value)&FIELD_MASK64(31, 12)))
#define FIXED_END         0x100000u

#define PTE_UC FIELD_MASK(4, 3) /* PCD and PWT: PAT entry 3 = UC at reset */

/* Fixed-range registers: 64 KiB pieces below 80000H, 16 KiB below C0000H, 4 KiB below 100000H. */
static unsigned fixed_type(const struct msrs *msrs, uint32_t address)
{
    unsigned piece;
    if (address < 0x80000)
        piece = address / 0x10000;
    else if (address < 0xC0000)
        piece = 8 + (address - 0x80000) / 0x4000;
    else
        piece = 24 + (address - 0xC0000) / 0x1000;
    return msrs->mtrr_fixed[piece / 8] >> piece % 8 * 8 & 0xFF;
}

static unsigned mtrr_type(const struct msrs *msrs, uint32_t address)
{
    if (!(msrs->mtrr_default & MTRR_ENABLE))
        return TYPE_WB;
    if (address < FIXED_END && msrs->mtrr_default & MTRR_FIXED_ENABLE)
        return fixed_type(msrs, address);
    unsigned type = MTRR_TYPE(msrs->mtrr_default);
    for (unsigned i = 0; i < MTRR_VARIABLE; i++) {
        uint64_t base = msrs->mtrr_variable[2 * i], mask = msrs->mtrr_variable[2 * i + 1];
        if (!(mask & MTRR_VALID) || (address & MTRR_BASE(mask)) != (MTRR_BASE(base) & MTRR_BASE(mask)))
            continue;
        type = MTRR_TYPE(base);
        if (type == TYPE_UC)
            return type; /* UC wins where ranges overlap */
    }
    return type;
}

static bool page_uncached(const struct processor *processor, uint32_t linear)
{
    struct page_walk walk;
    return processor_paged(processor) && paging_walk(processor, linear, 0, &walk) &&
           (walk.entry & PTE_UC) == PTE_UC;
}

bool memory_type_is_uncached(const struct processor *processor, uint32_t linear)
{
    return linear >= RAM_SIZE || mtrr_type(&processor->msrs, linear) == TYPE_UC ||
           page_uncached(processor, linear);
}
