#include "cpu.h"

#define ENTRIES    1024u
#define PAGE_BYTES 4096u

#define PTE_PRESENT  (1u << 0)
#define PTE_WRITABLE (1u << 1)
#define PTE_USER     (1u << 2)
#define PTE_PWT      (1u << 3)
#define PTE_PCD      (1u << 4)
#define PDE_LARGE    (1u << 7)
#define PDE_SHIFT    22
#define PTE_SHIFT    12

#define CPUID_1_EDX_PSE (1u << 3)
#define CR4_PSE         (1u << 4)
#define CR0_PG          (1u << 31)

/* The tables are aligned at run time, because an aligned object would align the whole data segment to a page,
 * in the file too. */
static uint32_t room[3 * ENTRIES];

static uint32_t *tables(unsigned index)
{
    uintptr_t first = ((uintptr_t)room + PAGE_BYTES - 1) & ~(uintptr_t)(PAGE_BYTES - 1);

    return (uint32_t *)first + index * ENTRIES;
}

static uint32_t cr0_read(void)
{
    uint32_t value;

    __asm__ volatile("mov %%cr0, %0" : "=r"(value));
    return value;
}

static void cr0_write(uint32_t value)
{
    __asm__ volatile("mov %0, %%cr0" : : "r"(value) : "memory");
}

/* The tables never change once they are filled. */
static void fill(void)
{
    static bool filled;
    uint32_t *directory = tables(0), *table = tables(1);
    const uint32_t common = PTE_PRESENT | PTE_WRITABLE | PTE_USER;

    if (filled)
        return;
    filled = true;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        uint32_t page = PAGING_REGION + (i << PTE_SHIFT);
        directory[i] = (i << PDE_SHIFT) | PDE_LARGE | common;
        table[i] = page | common | (page == PAGING_UNCACHED ? PTE_PCD | PTE_PWT : 0);
    }
    directory[PAGING_REGION >> PDE_SHIFT] = (uint32_t)(uintptr_t)table | common;
}

bool paging_on(void)
{
    if (!(cpuid(1, 0).edx & CPUID_1_EDX_PSE))
        return false;
    fill();
    cr4_write(cr4_read() | CR4_PSE);
    __asm__ volatile("wbinvd\n\tmov %0, %%cr3"
                     :
                     : "r"(tables(0))
                     : "memory"); /* WBINVD: the caches may hold lines of the page that becomes uncached */
    cr0_write(cr0_read() | CR0_PG);
    return true;
}

bool paging_is_on(void)
{
    return (cr0_read() & CR0_PG) != 0;
}

void paging_off(void)
{
    if (!paging_is_on())
        return;
    cr0_write(cr0_read() & ~CR0_PG);
    cr4_write(cr4_read() & ~CR4_PSE);
    __asm__ volatile("mov %0, %%cr3" : : "r"(0) : "memory");
}
