/*
 * A translation look-aside buffer: for which pages a logical processor holds translations.
 *
 * A processor has one for data and one for instructions, each with TLB_ENTRIES entries, direct-mapped by page
 * number. A 4 MB page is held in pieces of 4 KB (pmu-rules 4.1: large pages count as 4 KB
 * look-ups). Look-ups are made only while an event that depends on them is counted.
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

/* Look up a linear address. False: it missed, and the page walk has put it into the TLB. */
bool tlb_look_up(struct tlb *tlb, uint32_t linear);
/* Empty it: INVLPG and writes of CR0, CR3 and CR4 do. */
void tlb_flush(struct tlb *tlb);

#endif
