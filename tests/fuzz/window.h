/*
 * The memory that the readers of firmware tables see under fuzzing: the input, at one physical address, and
 * nothing else. What they have not asked for is poisoned, so that AddressSanitizer sees each step beyond what
 * was granted (to the next multiple of 8).
 */
#ifndef TESTS_FUZZ_WINDOW_H
#define TESTS_FUZZ_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* Memory is these bytes at this address, until window_close(). */
void window_open(uint32_t address, const uint8_t *data, size_t size);
void window_close(void);

#endif
