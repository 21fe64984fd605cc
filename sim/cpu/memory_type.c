/*
 * MTRR look-up (SDM 11.11), and the page attribute table (11.12). Linear and physical addresses are taken to
 * be equal: p4sim executes no other mapping correctly.
 */
#include "registers.h"

#include "sim/board/ram.h"
#include "pmc/netburst/regs.h"

#define MTRR_FIXED_ENABLE FIELD_MASK64(10, 10) /* of IA32_MTRR_DEF_TYPE */
#define FIXED_END         0x100000u

/* Of an entry of the page tables: PWT and PCD are the low bits of the number of a PAT entry, PAT the high
 * one. */
#define ENTRY_PWT_PCD(entry)   ((unsigned)FIELD_GET(4, 3, entry))
#define ENTRY_PAT(entry)       ((unsigned)FIELD_GET(7, 7, entry))
#define ENTRY_PAT_LARGE(entry) ((unsigned)FIELD_GET(12, 12, entry))

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

/* While the MTRRs are disabled, all memory is UC (11.11.2.1). */
static unsigned mtrr_type(const struct msrs *msrs, uint32_t address)
{
    if (!(msrs->mtrr_default & MTRR_VALID))
        return MEMORY_UC;
    if (address < FIXED_END && msrs->mtrr_default & MTRR_FIXED_ENABLE)
        return fixed_type(msrs, address);
    unsigned type = MTRR_TYPE(msrs->mtrr_default);
    for (unsigned i = 0; i < MTRR_VARIABLE; i++) {
        uint64_t base = msrs->mtrr_variable[2 * i], mask = msrs->mtrr_variable[2 * i + 1];
        if (!(mask & MTRR_VALID) || (address & mask & MTRR_PAGES) != (base & mask & MTRR_PAGES))
            continue;
        type = MTRR_TYPE(base);
        if (type == MEMORY_UC)
            return type; /* UC wins where ranges overlap */
    }
    return type;
}

/* The type that the page tables ask for; WB where they do not ask. */
static unsigned page_type(const struct processor *processor, uint32_t linear)
{
    struct page_walk walk;
    if (!processor_paged(processor) || !paging_walk(processor, linear, 0, &walk))
        return MEMORY_WB;
    unsigned high = walk.large ? ENTRY_PAT_LARGE(walk.entry) : ENTRY_PAT(walk.entry);
    unsigned entry = ENTRY_PWT_PCD(walk.entry) | high << 2;
    return (unsigned)(processor->msrs.pat >> entry * 8 & 7);
}

/* Table 11-7. */
static unsigned combined(unsigned mtrr, unsigned page)
{
    if (page == MEMORY_WB || page == MEMORY_WC)
        return page == MEMORY_WB ? mtrr : MEMORY_WC;
    if (page == MEMORY_UC_MINUS)
        return mtrr == MEMORY_WC ? MEMORY_WC : MEMORY_UC;
    return mtrr == MEMORY_WB || mtrr == page ? page : MEMORY_UC;
}

unsigned memory_type(const struct processor *processor, uint32_t linear)
{
    if (linear >= RAM_SIZE)
        return MEMORY_UC;
    return combined(mtrr_type(&processor->msrs, linear), page_type(processor, linear));
}
