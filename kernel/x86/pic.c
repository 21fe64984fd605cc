#include "lapic.h"
#include <stdbool.h>
#include <stdint.h>
#include "cpu.h"
#include "pmc/count_of.h"

#define COMMAND_1 0x20
#define DATA_1    0x21
#define COMMAND_2 0xA0
#define DATA_2    0xA1

#define INTERRUPT_OURS   0x20 /* the first of 16 */
#define INTERRUPT_BIOS_1 0x08 /* as on every PC */
#define INTERRUPT_BIOS_2 0x70
#define ALL_MASKED       0xFF

static uint8_t mask_1, mask_2; /* as the BIOS set them */

/* Initialise both (ICW1 to ICW4), so that even a spurious request has an interrupt vector of its own. */
static void program(uint8_t vector_1, uint8_t vector_2, uint8_t first, uint8_t second)
{
    const struct {
        uint16_t port;
        uint8_t value;
    } steps[] = {
        {COMMAND_1, 0x11},  {COMMAND_2, 0x11},  /* ICW1: edge, cascaded, ICW4 follows */
        {DATA_1, vector_1}, {DATA_2, vector_2}, /* ICW2: interrupt vectors */
        {DATA_1, 0x04},     {DATA_2, 0x02},     /* ICW3: second one on line 2 */
        {DATA_1, 0x01},     {DATA_2, 0x01},     /* ICW4: 8086 mode */
        {DATA_1, first},    {DATA_2, second},
    };

    for (unsigned i = 0; i < COUNT_OF(steps); i++)
        out8(steps[i].port, steps[i].value);
}

void pic_remap(void)
{
    static bool remembered;

    if (!remembered) {
        mask_1 = in8(DATA_1);
        mask_2 = in8(DATA_2);
        remembered = true;
    }
    program(INTERRUPT_OURS, INTERRUPT_OURS + 8, ALL_MASKED, ALL_MASKED);
}

void pic_restore(void)
{
    program(INTERRUPT_BIOS_1, INTERRUPT_BIOS_2, mask_1, mask_2);
}
