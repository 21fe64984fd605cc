/*
 * What libunicorn holds of a logical processor, and memory as the processor sees it.
 */
#ifndef SIM_CPU_REGISTERS_H
#define SIM_CPU_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <unicorn/unicorn.h>
#include <unicorn/x86.h>
#include "sim/decode/insn.h"
#include "processor.h"

struct segment;

/* ---- Exception vectors (SDM vol. 3, Table 6-1) ---- */

enum {
    EXCEPTION_DE = 0,
    EXCEPTION_DB = 1,
    EXCEPTION_NMI = 2,
    EXCEPTION_UD = 6,
    EXCEPTION_DF = 8,
    EXCEPTION_TS = 10,
    EXCEPTION_NP = 11,
    EXCEPTION_SS = 12,
    EXCEPTION_GP = 13,
    EXCEPTION_PF = 14,
    EXCEPTION_AC = 17,
    EXCEPTION_MC = 18,
    EXCEPTION_XM = 19
};

/*
 * ---- registers.c ----
 * The architectural registers of a logical processor, which libunicorn holds, and state that is derived from
 * them.
 */

/* A general, control or flags register by libunicorn's number (UC_X86_REG_...). */
uint32_t processor_get(const struct processor *processor, int reg);
void processor_set(struct processor *processor, int reg, uint32_t value);

/* GDTR, IDTR or TR. */
uc_x86_mmr processor_get_table(const struct processor *processor, int reg);

/* Is CR0.PE set? */
bool processor_protected(const struct processor *processor);
/* Is CR0.PG set? */
bool processor_paged(const struct processor *processor);
/* Is CR4.MCE set? */
bool processor_takes_machine_checks(const struct processor *processor);
/* Does EFLAGS.AC decide whether alignment is checked: CPL 3 and CR0.AM? */
bool processor_may_check_alignment(const struct processor *processor);
/* Is EFLAGS.IF set? */
bool processor_interruptible(const struct processor *processor);
/* Is the IDT not the one of power-up: did the kernel load its own? */
bool interrupt_table_loaded(const struct processor *processor);

/* Is it present, and data up to its limit that may be written? And 4 GB long, so that no access needs a
 * check? */
bool segment_is_writable(const struct segment *segment);
bool segment_is_flat(const struct segment *segment);

/* CS may have been loaded: derive CPL, code base and code size from it again. */
void processor_refresh_segments(struct processor *processor);

/*
 * ---- context.c ----
 * State of libunicorn 2.0 and 2.1 for which it has no functions, by way of the copy that uc_context_save()
 * makes:
 *
 * - the hidden parts of the segment registers. uc_reg_write() refuses many segments that the processor loads
 *   when it enters a handler, and crashes when the descriptor's page is not mapped.
 * - of an exception, the error code, and a note that an exception is "in flight". libunicorn leaves the
 * delivery to its user and never clears the note: it takes the next exception for a double fault.
 */

/* A segment register. */
struct segment {
    uint16_t selector;
    uint32_t base;
    uint32_t limit; /* in bytes */
    uint32_t flags; /* second word of the descriptor (SDM vol. 3, Figure 3-8) */
};

#define SEGMENT_BIG        (1u << 22) /* bits of segment.flags: D/B */
#define SEGMENT_DPL(flags) ((uint8_t)((flags) >> 13 & 3))

/* Find the layout of the copy, in a new engine that has not run. False when it is not that of
 * libunicorn 2.0.1 or 2.1.1. */
bool context_init(struct processor *processor);
void context_free(struct processor *processor);

/* Read CS, and whether the engine is in virtual-8086 mode. Returns the CPL. */
uint8_t context_code_segment(const struct processor *processor, struct segment *cs);
/* Read all segment registers. Returns the CPL. */
uint8_t context_segments(const struct processor *processor, struct segment segments[SEGMENTS]);
/* Read SS. */
void context_stack_segment(const struct processor *processor, struct segment *ss);

/* Load CS and SS. The CPL becomes the DPL of SS, and RPL of CS. */
void context_load_segments(struct processor *processor, const struct segment *cs, const struct segment *ss);

/* libunicorn raised an exception and has stopped: clear the note. Returns the error code. */
uint32_t context_take_exception(struct processor *processor);

/*
 * ---- memory_type.c ----
 * What the caches do with an access: MTRRs, and the page attribute table by the bits of the page tables.
 */

/* The memory type at this linear address, MEMORY_UC and its like, by the processor's present registers and
 * page tables (SDM 11.5.2, Table 11-7). */
unsigned memory_type(const struct processor *processor, uint32_t linear);

/*
 * ---- paging.c ----
 * Page tables (SDM vol. 3, chapter 4): 32-bit paging with large pages, and PAE paging. libunicorn walks the
 * tables itself for the accesses of instructions; this walk is for what p4sim does in its place.
 */

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
    bool large;        /* the entry maps a page of 2 or 4 MB */
};

/* Translate a linear address for an access (a set of PAGE_WRITE and PAGE_USER). False: a page fault. Accessed
 * and dirty bits stay as they are. */
bool paging_walk(const struct processor *processor, uint32_t linear, uint32_t access, struct page_walk *walk);

/* Do the tables in use map a page to another address than its own? */
bool paging_remaps(const struct processor *processor);

#endif
