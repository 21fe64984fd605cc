#include "board.h"

#include <sys/mman.h>

/* Pages before and after it, without any right: an access that misses RAM crashes at once. */
#define GUARD_BYTES 4096u

uint8_t *ram_new(void)
{
    uint8_t *guarded =
        mmap(NULL, GUARD_BYTES + RAM_SIZE + GUARD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (guarded == MAP_FAILED)
        return NULL;
    uint8_t *ram = guarded + GUARD_BYTES;
    if (mprotect(ram, RAM_SIZE, PROT_READ | PROT_WRITE) == 0)
        return ram;
    ram_free(ram);
    return NULL;
}

void ram_free(uint8_t *ram)
{
    if (ram)
        munmap(ram - GUARD_BYTES, GUARD_BYTES + RAM_SIZE + GUARD_BYTES);
}

/* ---- The text screen in it ---- */

#define SCREEN_MEMORY 0xB8000u
#define FULL_BLOCK    0xDB /* a full block of code page 437: the whole cell in the foreground colour */

const uint8_t *screen_bytes(const uint8_t *ram)
{
    return ram + SCREEN_MEMORY;
}

void screen_row(const uint8_t *ram, unsigned row, char text[SCREEN_COLUMNS + 1])
{
    unsigned length = 0;
    for (unsigned column = 0; column < SCREEN_COLUMNS; column++) {
        uint8_t c = ram[SCREEN_MEMORY + 2 * (row * SCREEN_COLUMNS + column)];
        text[column] = c == FULL_BLOCK ? '#' : c >= ' ' && c <= '~' ? (char)c : ' ';
        if (text[column] != ' ')
            length = column + 1;
    }
    text[length] = '\0';
}
