/*
 * The walk through the page tables of 32-bit and PAE paging (SDM vol. 3, chapter 4), and the translation
 * look-aside buffers.
 */
#include "registers.h"

#include <string.h>
#include "sim/board/ram.h"

#define PAGE_BYTES 4096u

#define CR0_WP  FIELD_MASK(16, 16)
#define CR4_PSE FIELD_MASK(4, 4)
#define CR4_PAE FIELD_MASK(5, 5)

#define ENTRY_PRESENT  FIELD_MASK64(0, 0)
#define ENTRY_WRITE    FIELD_MASK64(1, 1)
#define ENTRY_USER     FIELD_MASK64(2, 2)
#define ENTRY_LARGE    FIELD_MASK64(7, 7)
#define ENTRY_FRAME    FIELD_MASK64(51, 12)
#define RESERVED_4M    FIELD_MASK64(21, 21)
#define RESERVED_2M    FIELD_MASK64(20, 13)
#define RESERVED_PAE   FIELD_MASK64(63, 52)
#define RESERVED_PDPTE (FIELD_MASK64(63, 52) | FIELD_MASK64(8, 5) | FIELD_MASK64(2, 1))
#define HIGH_4M(entry) (FIELD_GET(20, 13, entry) << 32) /* physical address bits 39:32 of a 4 MB page */

/* Where the tables are not in RAM the bus reads as ones. */
static uint64_t table_entry(const struct processor *processor, uint64_t table, uint32_t index, unsigned bytes)
{
    uint64_t at = table + (uint64_t)index * bytes, entry = UINT64_MAX;
    if (bytes < sizeof entry)
        entry = UINT32_MAX;
    if (at <= RAM_SIZE - bytes)
        memcpy(&entry, processor->ram + at, bytes);
    return entry;
}

/* Take the entry that one level of the walk has found. Returns false when it makes the access fault. */
static bool pass(uint64_t entry, uint64_t reserved, struct page_walk *walk, uint64_t *rights)
{
    if (!(entry & ENTRY_PRESENT))
        return false;
    if (entry & reserved) {
        walk->error |= PAGE_RESERVED | PAGE_PRESENT;
        return false;
    }
    *rights &= entry;
    walk->entry = entry;
    return true;
}

static bool walk_32bit(const struct processor *processor, uint32_t linear, struct page_walk *walk,
                       uint64_t *rights)
{
    uint64_t directory = processor_get(processor, UC_X86_REG_CR3) & ENTRY_FRAME;
    uint64_t entry = table_entry(processor, directory, linear >> 22, 4);
    bool large = entry & ENTRY_LARGE && processor_get(processor, UC_X86_REG_CR4) & CR4_PSE;
    if (!pass(entry, large ? RESERVED_4M : 0, walk, rights))
        return false;
    walk->large = large;
    if (large) {
        walk->physical = (entry & FIELD_MASK64(31, 22)) | HIGH_4M(entry) | (linear & FIELD_MASK(21, 0));
        return true;
    }
    entry = table_entry(processor, entry & ENTRY_FRAME, linear >> 12 & 0x3FF, 4);
    walk->physical = (entry & ENTRY_FRAME) | (linear & FIELD_MASK(11, 0));
    return pass(entry, 0, walk, rights);
}

static bool walk_pae(const struct processor *processor, uint32_t linear, struct page_walk *walk,
                     uint64_t *rights)
{
    uint64_t pointers = processor_get(processor, UC_X86_REG_CR3) & FIELD_MASK(31, 5);
    uint64_t entry = table_entry(processor, pointers, linear >> 30, 8), none = UINT64_MAX;
    if (!pass(entry, RESERVED_PDPTE, walk, &none))
        return false;
    entry = table_entry(processor, entry & ENTRY_FRAME, linear >> 21 & 0x1FF, 8);
    bool large = entry & ENTRY_LARGE;
    if (!pass(entry, RESERVED_PAE | (large ? RESERVED_2M : 0), walk, rights))
        return false;
    walk->large = large;
    if (large) {
        walk->physical = (entry & FIELD_MASK64(51, 21)) | (linear & FIELD_MASK(20, 0));
        return true;
    }
    entry = table_entry(processor, entry & ENTRY_FRAME, linear >> 12 & 0x1FF, 8);
    walk->physical = (entry & ENTRY_FRAME) | (linear & FIELD_MASK(11, 0));
    return pass(entry, RESERVED_PAE, walk, rights);
}

bool paging_walk(const struct processor *processor, uint32_t linear, uint32_t access, struct page_walk *walk)
{
    uint64_t rights = UINT64_MAX;
    uint32_t cr0 = processor_get(processor, UC_X86_REG_CR0);

    *walk = (struct page_walk){.linear = linear, .physical = linear, .error = access};
    if (!processor_paged(processor))
        return true;
    bool pae = processor_get(processor, UC_X86_REG_CR4) & CR4_PAE;
    if (!(pae ? walk_pae : walk_32bit)(processor, linear, walk, &rights))
        return false;
    bool user = access & PAGE_USER;
    bool written = access & PAGE_WRITE && (user || cr0 & CR0_WP);
    if ((user && !(rights & ENTRY_USER)) || (written && !(rights & ENTRY_WRITE))) {
        walk->error |= PAGE_PRESENT;
        return false;
    }
    return true;
}

/* ---- All pages ---- */

/* A table of 32-bit or PAE paging. */
struct table {
    const struct processor *processor;
    unsigned entry_bytes;
    unsigned entries;
};

static bool table_remaps(const struct table *table, uint64_t at, uint32_t linear)
{
    for (uint32_t i = 0; i < table->entries; i++, linear += PAGE_BYTES) {
        uint64_t entry = table_entry(table->processor, at, i, table->entry_bytes);
        if (entry & ENTRY_PRESENT && (entry & ENTRY_FRAME) != linear)
            return true;
    }
    return false;
}

static bool directory_remaps(const struct table *table, uint64_t at, uint32_t linear, bool large_pages)
{
    uint32_t covered = table->entries * PAGE_BYTES;
    for (uint32_t i = 0; i < table->entries; i++, linear += covered) {
        uint64_t entry = table_entry(table->processor, at, i, table->entry_bytes);
        bool large = entry & ENTRY_LARGE && large_pages;
        uint64_t frame = entry & ENTRY_FRAME & ~(uint64_t)(covered - 1);
        if (!(entry & ENTRY_PRESENT))
            continue;
        if (large ? frame != linear : table_remaps(table, entry & ENTRY_FRAME, linear))
            return true;
    }
    return false;
}

bool paging_remaps(const struct processor *processor)
{
    uint32_t cr3 = processor_get(processor, UC_X86_REG_CR3), cr4 = processor_get(processor, UC_X86_REG_CR4);
    if (!processor_paged(processor))
        return false;
    if (!(cr4 & CR4_PAE)) {
        const struct table table = {processor, 4, 1024};
        return directory_remaps(&table, cr3 & ENTRY_FRAME, 0, cr4 & CR4_PSE);
    }
    const struct table table = {processor, 8, 512};
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t entry = table_entry(processor, cr3 & FIELD_MASK(31, 5), i, 8);
        bool maps = entry & ENTRY_PRESENT && !(entry & RESERVED_PDPTE);
        if (maps && directory_remaps(&table, entry & ENTRY_FRAME, i << 30, true))
            return true;
    }
    return false;
}

/* ---- The translation look-aside buffer ---- */

bool tlb_look_up(struct tlb *tlb, uint32_t linear)
{
    uint32_t page = linear / TLB_PAGE;
    uint32_t *entry = &tlb->entry[page % TLB_ENTRIES];
    bool hit = *entry == page + 1;
    *entry = page + 1;
    return hit;
}

void tlb_flush(struct tlb *tlb)
{
    memset(tlb, 0, sizeof *tlb);
}
