/* The instructions of cpu.h, one function each. */
#include "cpu.h"
#include "boot/boot.h"

#define EFLAGS_IF     (1u << 9)
#define CR4_OSFXSR    (1u << 9)
#define MXCSR_DEFAULT 0x1F80u
#define CPL_MASK      3u

struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid out;

    __asm__ volatile("cpuid"
                     : "=a"(out.eax), "=b"(out.ebx), "=c"(out.ecx), "=d"(out.edx)
                     : "a"(leaf), "c"(subleaf));
    return out;
}

uint64_t rdtsc(void)
{
    uint64_t tsc;

    __asm__ volatile("rdtsc" : "=A"(tsc));
    return tsc;
}

#define PORT_ACCESS(bits, suffix)                                            \
    uint##bits##_t in##bits(uint16_t port)                                   \
    {                                                                        \
        uint##bits##_t value;                                                \
        __asm__ volatile("in" suffix " %1, %0" : "=a"(value) : "Nd"(port));  \
        return value;                                                        \
    }                                                                        \
    void out##bits(uint16_t port, uint##bits##_t value)                      \
    {                                                                        \
        __asm__ volatile("out" suffix " %0, %1" : : "a"(value), "Nd"(port)); \
    }
PORT_ACCESS(8, "b")
PORT_ACCESS(16, "w")
PORT_ACCESS(32, "l")

uint32_t cr2_read(void)
{
    uint32_t value;

    __asm__ volatile("movl %%cr2, %0" : "=r"(value));
    return value;
}

uint32_t cr4_read(void)
{
    uint32_t value;

    __asm__ volatile("movl %%cr4, %0" : "=r"(value));
    return value;
}

void cr4_write(uint32_t value)
{
    __asm__ volatile("movl %0, %%cr4" : : "r"(value) : "memory");
}

bool irq_off(void)
{
    uint32_t flags;

    __asm__ volatile("pushfl\n\t"
                     "popl %0\n\t"
                     "cli"
                     : "=r"(flags)
                     :
                     : "memory");
    return (flags & EFLAGS_IF) != 0;
}

void irq_restore(bool on)
{
    if (on)
        __asm__ volatile("sti" : : : "memory");
    else
        __asm__ volatile("cli" : : : "memory");
}

void irq_on(void)
{
    irq_restore(true);
}

void cpu_halt_until_interrupt(void)
{
    __asm__ volatile("sti\n\t"
                     "hlt"
                     :
                     :
                     : "memory");
}

void cpu_relax(void)
{
    __asm__ volatile("pause" : : : "memory");
}

void cpu_clean_fpu(void)
{
    const uint32_t mxcsr = MXCSR_DEFAULT;

    __asm__ volatile("clts\n\t"
                     "fninit");
    if ((cr4_read() & CR4_OSFXSR) != 0)
        __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

unsigned cpl(void)
{
    uint16_t cs;

    __asm__ volatile("movw %%cs, %0" : "=r"(cs));
    return cs & CPL_MASK;
}

void ring_run(unsigned ring, void (*fn)(void *), void *arg)
{
    unsigned cpu = cpu_index();

    ring_enter(fn, arg, ring_stack_top(cpu), tss_esp0(cpu), ring);
}
