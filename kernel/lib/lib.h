/*
 * C without a C library: bytes, strings, formatted output, 64-bit division, CRC-32. The host tests compile
 * the same files.
 */
#ifndef KERNEL_LIB_LIB_H
#define KERNEL_LIB_LIB_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Little-endian fields at any address, as firmware tables and file systems have them ---- */

static inline uint16_t load16le(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t load32le(const uint8_t *at)
{
    return load16le(at) | (uint32_t)load16le(at + 2) << 16;
}

static inline uint64_t load64le(const uint8_t *at)
{
    return load32le(at) | (uint64_t)load32le(at + 4) << 32;
}

/* ---- string.c: what a freestanding C compiler may call on its own, and strcmp() ---- */

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
int strcmp(const char *a, const char *b);

/* ---- format.c: formatted output into a bounded buffer ---- */

/*
 * Conversions: %s %c %d %u %x %X %% with optional '-' or '0' flag, width, .precision (strings), and the
 * length modifiers l, ll and z. %H prints a register value the manual's way: at least `width` hex digits,
 * upper case, then 'H' (for example %10llH gives FFFFFFFF38H). A null %s prints "(null)". A width or
 * precision has at most four digits; a precision goes with %s only, '0' with numbers only. An unknown
 * conversion is copied as it stands and takes no argument, so a mistake shows in the output instead of
 * reading a wrong one.
 */

/* What a text names: %C prints a number as %u does, %R a string as %s does. The first few numbers and the
 * first string are kept. */
struct named {
    unsigned numbers;
    uint8_t number[4];
    const char *name; /* or null */
};

/*
 * Write at most size bytes including the terminating NUL (size 0: writes nothing, out may be null).
 * Returns the length the whole text would have without the NUL, as C's snprintf does.
 */
size_t format(char *out, size_t size, const char *fmt, ...);
size_t vformat(char *out, size_t size, const char *fmt, va_list args);
/* The same, and keep what is named; *named was all 0, or is null. */
size_t vformat_named(char *out, size_t size, struct named *named, const char *fmt, va_list args);

/* ---- div64.c: 64-bit division without the compiler's library ---- */

/* n / d, and n % d in *remainder when that is not null. d is not 0. */
uint64_t div64(uint64_t n, uint32_t d, uint32_t *remainder);

/* part * scale / whole, rounded down: a share in hundredths or thousandths. 0 when whole is 0, UINT32_MAX
 * when it is more. part is less than 2^64 / scale, so clocks of several weeks may be given in thousandths. */
uint32_t share(uint64_t part, uint64_t whole, uint32_t scale);

/* ---- crc32.c: CRC-32 as Ethernet and zip have it ---- */

/*
 * Returns the CRC of the data so far, whose CRC is crc, and n more bytes. The polynomial is 04C11DB7H,
 * reflected. The start value and the final XOR (FFFFFFFFH) are included, so that a CRC starts as 0 and is
 * valid after any call (zlib's convention).
 */
uint32_t crc32_update(uint32_t crc, const void *data, size_t n);

#endif
