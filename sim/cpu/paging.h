/*
 * Page tables (SDM vol. 3, chapter 4): 32-bit paging with large pages, and PAE paging. libunicorn walks the
 * tables itself for the accesses of instructions; this walk is for what p4sim does in its place.
 */
#ifndef SIM_CPU_PAGING_H
#define SIM_CPU_PAGING_H

#include <stdbool.h>
#include <stdint.h>

struct processor;

/* Bits of the error code of a page fault (SDM vol. 3, Figure 4-12); WRITE and USER also say what an access
 * is. */
#define PAGE_PRESENT  (1u << 0)
#define PAGE_WRITE    (1u << 1)
#define PAGE_USER     (1u << 2)
#define PAGE_RESERVED (1u << 3)

struct page_walk {
    uint32_t linear;   /* the address that was translated */
    uint64_t physical; /* its physical address, if the access is allowed */
    uint64_t entry;    /* the entry that maps the page, 0 without paging */
    uint32_t error;    /* error code of the page fault, if it is not allowed */
};

/* Translate a linear address for an access (a set of PAGE_WRITE and PAGE_USER). False: a page fault. Accessed
 * and dirty bits stay as they are. */
bool paging_walk(const struct processor *processor, uint32_t linear, uint32_t access, struct page_walk *walk);

/* Do the tables in use map a page to another address than its own? */
bool paging_remaps(const struct processor *processor);

#endif
