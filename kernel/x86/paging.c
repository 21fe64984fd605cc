/*
 * Identity paging, which only a few vectors switch on: 4 MB pages, but for two regions of 4 KB pages, each
 * with a page of another memory type.
 */
#include "cpu.h"

#include <stddef.h>
#include "pmc/msr.h"
#include "pmc/netburst/regs.h"

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
#define CPUID_1_EDX_PAT (1u << 16)
#define CR4_PSE         (1u << 4)
#define CR0_PG          (1u << 31)

#define PAT_OF_PCD   FIELD_MASK64(23, 16) /* entry 2 of the PAT: PCD without PWT */
#define PAT_AS(type) FIELD_PUT64(23, 16, type)

static _Alignas(PAGE_BYTES) uint32_t directory[ENTRIES];
static _Alignas(PAGE_BYTES) uint32_t region[ENTRIES];     /* the 4 MB from PAGING_REGION on */
static _Alignas(PAGE_BYTES) uint32_t own[ENTRIES];        /* the 4 MB that hold typed_page */
static _Alignas(PAGE_BYTES) uint32_t typed_page[ENTRIES]; /* paging_page() */

static uint64_t pat;     /* as it was */
static bool pat_changed; /* by paging_on_as() */

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
    const uint32_t common = PTE_PRESENT | PTE_WRITABLE | PTE_USER;
    const uint32_t first_own = paging_page() >> PDE_SHIFT << PDE_SHIFT;

    if (filled)
        return;
    filled = true;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        const uint32_t page = PAGING_REGION + (i << PTE_SHIFT), own_page = first_own + (i << PTE_SHIFT);
        directory[i] = (i << PDE_SHIFT) | PDE_LARGE | common;
        region[i] = page | common | (page == PAGING_UNCACHED ? PTE_PCD | PTE_PWT : 0);
        own[i] = own_page | common | (own_page == paging_page() ? PTE_PCD : 0);
    }
    directory[PAGING_REGION >> PDE_SHIFT] = (uint32_t)(uintptr_t)region | common;
    directory[first_own >> PDE_SHIFT] = (uint32_t)(uintptr_t)own | common;
}

uint32_t paging_page(void)
{
    return (uint32_t)(uintptr_t)typed_page;
}

bool paging_on(void)
{
    if (!(cpuid(1, 0).edx & CPUID_1_EDX_PSE))
        return false;
    fill();
    cr4_write(cr4_read() | CR4_PSE);
    __asm__ volatile("wbinvd\n\tmov %0, %%cr3"
                     :
                     : "r"(directory)
                     : "memory"); /* WBINVD: the caches may hold lines of the page that becomes uncached */
    cr0_write(cr0_read() | CR0_PG);
    return true;
}

const char *paging_on_as(unsigned type)
{
    if (!(cpuid(1, 0).edx & CPUID_1_EDX_PAT) || msr_try_read(MSR_IA32_PAT, &pat) != NO_FAULT)
        return "no page attribute table";
    if (msr_try_write(MSR_IA32_PAT, (pat & ~PAT_OF_PCD) | PAT_AS(type)) != NO_FAULT)
        return "the page attribute table cannot be written";
    pat_changed = true;
    return paging_on() ? NULL : "no page-size extension";
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
    if (pat_changed)
        msr_try_write(MSR_IA32_PAT, pat);
    pat_changed = false;
}
