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

#endif
