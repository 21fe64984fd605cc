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

#endif
