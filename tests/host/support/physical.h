/*
 * Physical memory below 1 MB for tests of what reads a firmware's tables: physical() of
 * kernel/firmware/memory_map.h over bytes that a test fills.
 */
#ifndef TESTS_HOST_SUPPORT_PHYSICAL_H
#define TESTS_HOST_SUPPORT_PHYSICAL_H

#include <stdint.h>

#define TOP 0x100000u

extern uint8_t memory[TOP];

void clear_memory(void);

/* The low bytes of value, little-endian. */
void put(uint32_t at, uint32_t value, unsigned bytes);

/* Make length bytes from here add up to 0 by the one at sum_at. */
void seal(uint32_t at, uint32_t length, uint32_t sum_at);

#endif
