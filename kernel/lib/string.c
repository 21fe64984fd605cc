/*
 * memcpy and its relatives. They use string instructions, because a compiler may turn a C loop that copies
 * into a call of memcpy, which would then call itself.
 */
#include "lib.h"
#include <stdint.h>

void *memcpy(void *to, const void *from, size_t size)
{
    void *d = to;
    size_t dwords = size / 4;

    __asm__ volatile("rep movsl\n\t"
                     "movl %3, %%ecx\n\t"
                     "rep movsb"
                     : "+D"(d), "+S"(from), "+c"(dwords)
                     : "r"(size % 4)
                     : "memory");
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    uint8_t *last_to = (uint8_t *)to + size - 1;
    const uint8_t *last_from = (const uint8_t *)from + size - 1;

    if ((uintptr_t)to - (uintptr_t)from >= size)
        return memcpy(to, from, size);
    __asm__ volatile("std\n\t"
                     "rep movsb\n\t"
                     "cld"
                     : "+D"(last_to), "+S"(last_from), "+c"(size)
                     :
                     : "memory");
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    void *d = to;

    __asm__ volatile("rep stosb" : "+D"(d), "+c"(size) : "a"(byte) : "memory");
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const uint8_t *p = a, *q = b;

    for (; size > 0; size--, p++, q++)
        if (*p != *q)
            return *p - *q;
    return 0;
}

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}
