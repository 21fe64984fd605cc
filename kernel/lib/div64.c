/* Long division: first the high word, then its remainder with the low word by the processor's 64-by-32 DIV.
 */
#include "div64.h"
#include "pmc/out_of_line.h"
#include <stddef.h>

OUT_OF_LINE uint64_t div64(uint64_t n, uint32_t d, uint32_t *remainder)
{
    uint32_t high = (uint32_t)(n >> 32), low = (uint32_t)n, rest = high % d;

    __asm__("divl %2" : "+a"(low), "+d"(rest) : "rm"(d) : "cc"); /* rest < d, so the quotient fits */
    if (remainder != NULL)
        *remainder = rest;
    return (uint64_t)(high / d) << 32 | low;
}
