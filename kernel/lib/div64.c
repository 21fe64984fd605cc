/* Long division: first the high word, then its remainder with the low word by the processor's 64-by-32 DIV.
 */
#include "lib.h"
#include <stddef.h>

uint64_t div64(uint64_t n, uint32_t d, uint32_t *remainder)
{
    uint32_t high = (uint32_t)(n >> 32), low = (uint32_t)n, rest = high % d;

    __asm__("divl %2" : "+a"(low), "+d"(rest) : "rm"(d) : "cc"); /* rest < d, so the quotient fits */
    if (remainder != NULL)
        *remainder = rest;
    return (uint64_t)(high / d) << 32 | low;
}

uint32_t share(uint64_t part, uint64_t whole, uint32_t scale)
{
    uint64_t scaled = part * scale, result;

    for (; whole > UINT32_MAX; whole >>= 1) /* so large that the bits lost do not count */
        scaled >>= 1;
    result = whole == 0 ? 0 : div64(scaled, (uint32_t)whole, NULL);
    return result < UINT32_MAX ? (uint32_t)result : UINT32_MAX;
}
