/*
 * The memory of the board: one stretch of RAM_SIZE bytes from address 0, passed around as a pointer to byte
 * 0.
 */
#ifndef SIM_BOARD_RAM_H
#define SIM_BOARD_RAM_H

#include <stdint.h>

#define RAM_SIZE (64u * 1024 * 1024)

/* Memory of RAM_SIZE bytes, all 0, at a page boundary of the host; null when there is none. */
uint8_t *ram_new(void);
void ram_free(uint8_t *ram); /* null is allowed */

#endif
