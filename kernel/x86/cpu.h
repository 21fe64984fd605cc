/*
 * The processor's instructions as functions: CPUID, time-stamp counter, control registers, ports, privilege
 * levels.
 */
#ifndef KERNEL_X86_CPU_H
#define KERNEL_X86_CPU_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
