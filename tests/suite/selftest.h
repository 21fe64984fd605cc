/* Faults of the harness provoked on purpose (boot word selftest=...), to see that each is survived and
 * reported. */
#ifndef TESTS_SUITE_SELFTEST_H
#define TESTS_SUITE_SELFTEST_H

#include "vector.h"

/* The vector that provokes the fault of this name, or null. */
const struct vector *selftest_named(const char *name);

#endif
