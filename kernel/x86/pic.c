/* The two 8259: the first one masked while the kernel runs, and both as the BIOS left them while the BIOS is
 * called. */
#include "lapic.h"
#include <stdbool.h>
#include <stdint.h>
#include "cpu.h"

/* Of each the port of its commands; that of its data is the next one. Requests of the second come through
 * line 2 of the first, which is masked. */
#define FIRST  0x20
#define SECOND 0xA0

#define INTERRUPT_OURS        0x20 /* the first of 8 */
#define INTERRUPT_BIOS        0x08 /* as on every PC */
#define INTERRUPT_BIOS_SECOND 0x70
#define ALL_MASKED            0xFF

static uint8_t mask_of_bios, second_mask_of_bios;

/* Initialise one (ICW1 to ICW4), so that even a spurious request has an interrupt vector of its own. line:
 * how the two are connected, in ICW3: a bit of the first, a number of the second. */
static void program(uint16_t port, uint8_t vector, uint8_t line, uint8_t mask)
{
    out8(port, 0x11);       /* ICW1: edge, cascaded, ICW4 follows */
    out8(port + 1, vector); /* ICW2 */
    out8(port + 1, line);   /* ICW3 */
    out8(port + 1, 0x01);   /* ICW4: 8086 mode */
    out8(port + 1, mask);
}

void pic_remap(void)
{
    static bool remembered;

    if (!remembered) {
        mask_of_bios = in8(FIRST + 1);
        second_mask_of_bios = in8(SECOND + 1);
        remembered = true;
    }
    program(FIRST, INTERRUPT_OURS, 1u << 2, ALL_MASKED);
}

/* A request of the second that came while the first was masked has no edge for the first any more: the
 * second, too, begins anew. */
void pic_restore(void)
{
    program(SECOND, INTERRUPT_BIOS_SECOND, 2, second_mask_of_bios);
    program(FIRST, INTERRUPT_BIOS, 1u << 2, mask_of_bios);
}
