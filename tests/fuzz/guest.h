/*
 * The guest of the fuzz target `machine`: its memory and its program.
 */
#ifndef TESTS_FUZZ_GUEST_H
#define TESTS_FUZZ_GUEST_H

#include <stddef.h>
#include <stdint.h>

struct guest {
    uint8_t *ram;
    uint32_t at; /* where the next byte of code goes */
};

/* Fill the guest's memory: descriptor tables, page tables, a handler that goes on at [RESUME], and the code
 * that enters the program with all of these in use. Returns the address of that code. */
uint32_t guest_fill(struct guest *guest);

/* Write the program that the input describes. */
void guest_program(struct guest *guest, const uint8_t *data, size_t size);

#endif
