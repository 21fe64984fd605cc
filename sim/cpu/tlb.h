/*
 * The translation look-aside buffers: which pages a logical processor has translations for.
 *
 * One for data and one for instructions, TLB_ENTRIES entries each, direct-mapped by page number, no
 * replacement policy. A 4 MB page is held in pieces of 4 KB (pmu-rules 4.1: large pages count as 4 KB
 * look-ups). Translations are learnt only while an event that depends on them is counted.
 */
#ifndef SIM_CPU_TLB_H
#define SIM_CPU_TLB_H

#include <stdbool.h>
#include <stdint.h>

#define TLB_ENTRIES 64u
#define TLB_PAGE    4096u

struct tlb {
    uint32_t entry[TLB_ENTRIES]; /* page number + 1; 0 = empty */
};

/* Is the translation of this linear address there? One that is not is walked for, and there from now on. */
bool tlb_look_up(struct tlb *tlb, uint32_t linear);
/* Forget everything: INVLPG and writes of CR0, CR3 and CR4. */
void tlb_flush(struct tlb *tlb);

#endif
