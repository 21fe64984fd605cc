/* TSS descriptors are built here because their base is scattered over the descriptor (SDM vol. 3, 7.2.2). */
#include "cpu.h"
#include "boot/boot.h"

#define RING_STACK_BYTES 8192u

#define TSS_PRESENT_AVAILABLE 0x89ull /* present, DPL 0, available 32-bit TSS: not busy */
#define DESCRIPTOR_BYTES      8u

struct tss {
    uint32_t link, esp0, ss0, unused[22];
    uint16_t trap, io_map;
};

static struct tss tss[PROCESSORS];
static uint8_t ring_stack[PROCESSORS][RING_STACK_BYTES] __attribute__((aligned(16)));

static uint32_t tss_selector(unsigned cpu)
{
    return (uint32_t)gdt_tss - (uint32_t)gdt + cpu * DESCRIPTOR_BYTES;
}

void segments_load(unsigned cpu)
{
    uint64_t base = (uint32_t)&tss[cpu], limit = sizeof(struct tss) - 1;
    uint16_t ss, selector = (uint16_t)tss_selector(cpu);

    __asm__ volatile("movw %%ss, %0" : "=r"(ss));
    tss[cpu].ss0 = ss;
    tss[cpu].io_map = sizeof(struct tss); /* none: every port is closed to outer rings */
    gdt_tss[cpu] = limit | (base & 0xFFFFFF) << 16 | TSS_PRESENT_AVAILABLE << 40 | (base & 0xFF000000) << 32;
    __asm__ volatile("ltr %0" : : "r"(selector) : "memory");
}

unsigned cpu_index(void)
{
    uint32_t selector;

    __asm__ volatile("str %0" : "=r"(selector));
    return ((selector & 0xFFFF) - tss_selector(0)) / DESCRIPTOR_BYTES;
}

uint32_t ring_stack_top(unsigned cpu)
{
    return (uint32_t)(ring_stack[cpu] + RING_STACK_BYTES);
}

uint32_t *tss_esp0(unsigned cpu)
{
    return &tss[cpu].esp0;
}
