/* Gets the board's memory from the host, between two pages at which an access that misses it crashes. */
#include "ram.h"

#include <stddef.h>
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
