/* The processor: its instructions as functions, segments, paging, machine checks. */
#ifndef KERNEL_X86_CPU_H
#define KERNEL_X86_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* ---- cpu.c: CPUID, time-stamp counter, control registers, ports, privilege levels ---- */

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

struct cpuid cpuid(uint32_t leaf, uint32_t subleaf);
uint64_t rdtsc(void);

uint8_t in8(uint16_t port);
void out8(uint16_t port, uint8_t value);
uint16_t in16(uint16_t port);
void out16(uint16_t port, uint16_t value);
uint32_t in32(uint16_t port);
void out32(uint16_t port, uint32_t value);

uint32_t cr2_read(void);
uint32_t cr4_read(void);
void cr4_write(uint32_t value);

/* Switch maskable interrupts off. Returns whether they were on. */
bool irq_off(void);
/* Restore the state that irq_off() returned; irq_on() is irq_restore(true). */
void irq_restore(bool on);
void irq_on(void);
/* STI; HLT: halt until the next interrupt. */
void cpu_halt_until_interrupt(void);
/* PAUSE, for waiting loops. */
void cpu_relax(void);

/* FNINIT, and MXCSR as after reset where SSE is on. */
void cpu_clean_fpu(void);

/*
 * Run fn(arg) at CPL 1 to 3 (flat segments, interrupts on or off as they are now, a stack of its own per
 * logical processor) and come back to CPL 0 through a software interrupt gate when it returns. It may be
 * preempted by PMIs and the deadline. A fault there ends guarded work as one in ring 0 does (guard.h),
 * except for the try forms of msr.h, whose fix-up works there too. Not re-entrant on one logical
 * processor.
 */
void ring_run(unsigned ring, void (*fn)(void *), void *arg);

/* The current privilege level, 0 to 3. */
unsigned cpl(void);

/* ---- segments.c: a TSS and a stack for CPL 1 to 3 for each processor, and which processor executes ---- */

#define PROCESSORS 2

/* Indices of processors: the boot processor and the AP, whichever of them is LP0. */
#define CPU_BOOT 0u
#define CPU_AP   1u

/* Build this processor's TSS descriptor and load TR. May be called again after an INIT. */
void segments_load(unsigned cpu);

/* The index of the processor executing the call, from TR; works at CPL 3 too. */
unsigned cpu_index(void);

/* Top of this processor's stack for outer rings. */
uint32_t ring_stack_top(unsigned cpu);
/* The field of this processor's TSS that holds the stack for traps from an outer ring. */
uint32_t *tss_esp0(unsigned cpu);

/* ---- paging.c: identity paging, which only a few vectors switch on ---- */

/* Memory is mapped in 4 MB pages, except for one region of 4 KB pages, and for the 4 MB that hold our own
 * data. The last page of that region is uncached (PCD and PWT). The functions affect only the logical
 * processor that calls them. */

#define PAGING_REGION       0x400000u /* 4 MB to 8 MB: no code or data of ours; vectors only read there */
#define PAGING_REGION_PAGES 1024u
#define PAGING_UNCACHED     (PAGING_REGION + (PAGING_REGION_PAGES - 1) * 4096u)

/* Returns false when the processor has no page-size extension (CPUID.1 EDX[3]). */
bool paging_on(void);
bool paging_is_on(void);
/* Does nothing when paging is off. */
void paging_off(void);

/*
 * Another page, of our own data, whose first byte is at paging_page(). paging_on_as() gives it a memory type,
 * MEMORY_UC and its like, by entry 2 of the PAT, which paging_off() restores; the MTRRs stay as they are.
 * Returns null, or why the page cannot have the type. (The upper four entries of the PAT are not used,
 * because some processors take them for the lower ones.)
 */
uint32_t paging_page(void);
const char *paging_on_as(unsigned type);

/* ---- machine_check.c: failing hardware reports itself by #MC and in banks (SDM vol. 3, chapter 15) ---- */

/* Take #MC on this logical processor, where it can. Without this call, an error that the firmware made it
 * report would shut the machine down. */
void machine_check_enable(void);

/* The number of banks; 0 when there are none. */
unsigned machine_check_banks(void);

/* Status and address of a bank. False when it holds no error; the address is 0 when the bank has none. */
bool machine_check_read(unsigned bank, uint64_t *status, uint64_t *address);

#endif
