/* Short texts composed without a C library: reasons and register names. */
#ifndef PMC_NETBURST_TEXT_H
#define PMC_NETBURST_TEXT_H

#include <stdint.h>

/*
 * Append at `at`, never writing at or past `end` (one past the buffer); the result is always terminated and
 * is cut when the buffer is full. What is not printable ASCII becomes '?'. Return the new place to append at,
 * the terminating NUL. at < end.
 */
char *text_append(char *at, char *end, const char *text);
/* The manual's hex: digits upper-case digits, then 'H'. */
char *text_append_hex(char *at, char *end, uint32_t value, unsigned digits);

#endif
