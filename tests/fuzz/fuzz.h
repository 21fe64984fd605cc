/*
 * Fuzz targets: each file here but the drivers feeds arbitrary bytes to one reader of things the project did
 * not write itself, and says with assert() what must hold whatever the bytes are. libFuzzer drives them
 * (`make fuzz`), or main.c (in the test suite).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* One input; libFuzzer's entry point. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
