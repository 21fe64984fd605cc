/*
 * Multiboot 1 loader: finds and checks the header, checks an ELF32 image and copies its segments into the
 * simulated memory. It works on a byte array and trusts no value in it.
 * Source: Multiboot specification 0.6.96, sections 3.1 and 3.2; ELF32 as in the System V ABI.
 */
#ifndef SIM_BOARD_ELF_LOADER_H
#define SIM_BOARD_ELF_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOADER_LOWEST \
    0x100000u /* segments below 1 MiB are refused: firmware tables and boot information lie there */

struct loaded_image {
    uint32_t entry; /* physical address of the first instruction */
    uint32_t end;   /* first byte after the highest segment */
};

/*
 * Check the file image file[0..file_size) and load it into ram[0..ram_size). Returns true and fills *image,
 * or returns false with one line of text in error[0..error_size); ram may then be partly written.
 */
bool loader_load(struct loaded_image *image, const uint8_t *file, size_t file_size, uint8_t *ram,
                 size_t ram_size, char *error, size_t error_size);

#endif
