/*
 * The memory that the readers of firmware tables see under fuzzing: the input at one physical address, and
 * nothing else. Bytes that phys_ptr() has not returned are poisoned, so that AddressSanitizer reports an
 * access to them (up to the next multiple of 8).
 */
#ifndef TESTS_FUZZ_WINDOW_H
#define TESTS_FUZZ_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* Put these bytes at this address; there is no other memory until window_close(). */
void window_open(uint32_t address, const uint8_t *data, size_t size);
void window_close(void);

#endif
