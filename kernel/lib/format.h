/*
 * Formatted output into a bounded buffer. Portable C: the host tests compile the same file.
 *
 * Conversions: %s %c %d %u %x %X %% with optional '-' or '0' flag, width, .precision (strings), and the
 * length modifiers l, ll and z. %H prints a register value the manual's way: at least `width` hex digits,
 * upper case, then 'H' (for example %10llH gives FFFFFFFF38H). A null %s prints "(null)". A width or
 * precision has at most four digits; a precision goes with %s only, '0' with numbers only. An unknown
 * conversion is copied as it stands and takes no argument, so a mistake shows in the output instead of
 * reading a wrong one.
 */
#ifndef KERNEL_LIB_FORMAT_H
#define KERNEL_LIB_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Write at most size bytes including the terminating NUL (size 0: writes nothing, out may be null).
 * Returns the length the whole text would have without the NUL, as C's snprintf does.
 */
size_t format(char *out, size_t size, const char *fmt, ...);
size_t vformat(char *out, size_t size, const char *fmt, va_list args);

#endif
