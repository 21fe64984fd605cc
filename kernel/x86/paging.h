/*
 * Identity paging, which only a few vectors switch on: everything in 4 MB pages but for one region of 4 KB
 * pages, the last of which is uncached (PCD and PWT). Affects only the logical processor that executes the
 * call.
 */
#ifndef KERNEL_X86_PAGING_H
#define KERNEL_X86_PAGING_H

#include <stdbool.h>
#include <stdint.h>

#define PAGING_REGION       0x400000u /* 4 MB to 8 MB: no code or data of ours; vectors only read there */
#define PAGING_REGION_PAGES 1024u
#define PAGING_UNCACHED     (PAGING_REGION + (PAGING_REGION_PAGES - 1) * 4096u)

/* Returns false when the processor has no page-size extension (CPUID.1 EDX[3]). */
bool paging_on(void);
bool paging_is_on(void);
/* Does nothing when paging is off. */
void paging_off(void);

#endif
