/* The first 8259: masked while the kernel runs, and as the BIOS left it while the BIOS is called. */
#include "lapic.h"
#include <stdbool.h>
#include <stdint.h>
#include "cpu.h"

/* Of the first of the two. Requests of the second come through line 2 of the first, which is masked. */
#define COMMAND 0x20
#define DATA    0x21

#define INTERRUPT_OURS 0x20 /* the first of 8 */
#define INTERRUPT_BIOS 0x08 /* as on every PC */
#define ALL_MASKED     0xFF

static uint8_t mask_of_bios;

/* Initialise it (ICW1 to ICW4), so that even a spurious request has an interrupt vector of its own. */
static void program(uint8_t vector, uint8_t mask)
{
    out8(COMMAND, 0x11); /* ICW1: edge, cascaded, ICW4 follows */
    out8(DATA, vector);  /* ICW2 */
    out8(DATA, 0x04);    /* ICW3: second one on line 2 */
    out8(DATA, 0x01);    /* ICW4: 8086 mode */
    out8(DATA, mask);
}

void pic_remap(void)
{
    static bool remembered;

    if (!remembered) {
        mask_of_bios = in8(DATA);
        remembered = true;
    }
    program(INTERRUPT_OURS, ALL_MASKED);
}

void pic_restore(void)
{
    program(INTERRUPT_BIOS, mask_of_bios);
}
