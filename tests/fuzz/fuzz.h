/*
 * Entry point of a fuzz target. Each target feeds arbitrary bytes to one reader of data that the project did
 * not write, and states with assert() what must hold whatever the bytes are. libFuzzer drives the targets
 * (`make fuzz`), or main.c (in the test suite).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Test one input; libFuzzer demands this name. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * The memory that the readers of firmware tables see under fuzzing (window.c): these bytes at this physical
 * address, and nothing else. Bytes that phys_ptr() has not returned are poisoned, so that AddressSanitizer
 * reports an access to them (up to the next multiple of 8).
 */
void window_open(uint32_t address, const uint8_t *data, size_t size);
void window_close(void);

/* ---- The guest of the target `machine`: its memory and its program ---- */

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
