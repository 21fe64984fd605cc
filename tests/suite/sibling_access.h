/*
 * Accesses to the PMU by the other logical processor of our core: a list of them, done in order.
 */
#ifndef TESTS_SUITE_SIBLING_ACCESS_H
#define TESTS_SUITE_SIBLING_ACCESS_H

#include <stdint.h>

/* RDMSR, WRMSR, and RDPMC, whose `where` is an index. */
enum access_kind { READ, WRITE, RDPMC };

#define SIBLING_ACCESSES 64

/* Add an access to the list; at most SIBLING_ACCESSES. value: what is written. */
void ask_sibling(enum access_kind kind, uint32_t where, uint64_t value);
/* Let the sibling do what it was asked. The list is empty afterwards. A sibling that does not return fails
 * the vector. */
void sibling_accesses(void);
/* What the access of this place in the list read, the first one being 0; all 1s where RDPMC faulted. */
uint64_t sibling_read(unsigned index);

#endif
