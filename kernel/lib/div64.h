/* 64-bit division without the compiler's library. For any x86: the host tests compile the same file. */
#ifndef KERNEL_LIB_DIV64_H
#define KERNEL_LIB_DIV64_H

#include <stdint.h>

/* n / d, and n % d in *remainder when that is not null. d is not 0. */
uint64_t div64(uint64_t n, uint32_t d, uint32_t *remainder);

/* part * scale / whole, rounded down: a share in hundredths or thousandths. 0 when whole is 0, UINT32_MAX
 * when it is more. part is less than 2^64 / scale, so clocks of several weeks may be given in thousandths. */
uint32_t share(uint64_t part, uint64_t whole, uint32_t scale);

#endif
