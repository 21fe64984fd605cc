/* Long division: the high word in one step, then one bit of the low word at a time. */
#include "div64.h"
#include <stddef.h>

uint64_t div64(uint64_t n, uint32_t d, uint32_t *remainder)
{
    uint32_t high = (uint32_t)(n >> 32), low = (uint32_t)n;
    uint64_t quotient = (uint64_t)(high / d) << 32;
    uint64_t rest = high % d;

    if (rest == 0) {
        quotient |= low / d;
        rest = low % d;
    } else {
        for (int bit = 31; bit >= 0; bit--) {
            rest = rest << 1 | (low >> bit & 1);
            if (rest >= d) {
                rest -= d;
                quotient |= (uint64_t)1 << bit;
            }
        }
    }
    if (remainder != NULL)
        *remainder = (uint32_t)rest;
    return quotient;
}
