/*
 * The memory of the board: RAM_SIZE bytes from address 0. A pointer to byte 0 stands for it.
 */
#ifndef SIM_BOARD_RAM_H
#define SIM_BOARD_RAM_H

#include <stdint.h>

#define RAM_SIZE (64u * 1024 * 1024)

/* Allocate RAM_SIZE bytes, all 0, at a page boundary of the host, between two pages that cannot be accessed.
 * Null when out of memory. */
uint8_t *ram_new(void);
void ram_free(uint8_t *ram); /* null is allowed */

#endif
