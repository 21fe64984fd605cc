#include "ram.h"

#include <stddef.h>
#include <sys/mman.h>

uint8_t *ram_new(void)
{
    void *ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return ram == MAP_FAILED ? NULL : ram;
}

void ram_free(uint8_t *ram)
{
    if (ram)
        munmap(ram, RAM_SIZE);
}
