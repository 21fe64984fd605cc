/* Faults of the harness provoked on purpose (boot word selftest=...), to see that each is survived and
 * reported. */
#ifndef VECTORS_SELFTEST_H
#define VECTORS_SELFTEST_H

#include "vector.h"

/* The vector that provokes the fault of this name, or null. */
const struct vector *selftest_named(const char *name);

#endif
